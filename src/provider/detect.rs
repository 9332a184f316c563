use serde_json::Value;

use super::fields::each;
use crate::message::Format;

/// Content parts that only one format has.
const PARTS: [(&str, Format); 21] = [
    ("tool_use", Format::Anthropic),
    ("tool_result", Format::Anthropic),
    ("thinking", Format::Anthropic),
    ("redacted_thinking", Format::Anthropic),
    ("server_tool_use", Format::Anthropic),
    ("input_text", Format::OpenaiResponses),
    ("output_text", Format::OpenaiResponses),
    ("input_image", Format::OpenaiResponses),
    ("input_file", Format::OpenaiResponses),
    ("image_url", Format::OpenaiChat),
    ("input_audio", Format::OpenaiChat),
    ("document_url", Format::OpenaiChat),
    ("tool-call", Format::AiSdk),
    ("tool-result", Format::AiSdk),
    ("tool-approval-request", Format::AiSdk),
    ("tool-approval-response", Format::AiSdk),
    ("reasoning-file", Format::AiSdk),
    ("opaque", Format::Messages),
    ("audio", Format::Messages),
    ("refusal", Format::OpenaiChat),
    ("container_upload", Format::Anthropic),
];

/// The keys of Bedrock's blocks, which have no `type`.
const CONVERSE: [&str; 11] = [
    "text", "toolUse", "toolResult", "cachePoint", "reasoningContent", "image", "document", "guardContent",
    "citationsContent", "video", "searchResult",
];

/// Keys of a message that only our own format has.
pub(super) const OWN_KEYS: [&str; 7] =
    ["item_type", "priority", "ephemeral", "pinned", "extras", "output_ref", "is_error"];

/// The format of `input`.
pub(super) fn detect(input: &Value) -> Option<Format> {
    match input {
        Value::Array(list) => of_list(list),
        Value::Object(map) => {
            let list = |key: &str| map.get(key).and_then(Value::as_array);
            let has_anthropic_tools =
                || list("tools").into_iter().flatten().any(|tool| has(tool, "input_schema"));
            let messages = || list("messages").or_else(|| list("items")).and_then(|l| of_list(l));
            if map.contains_key("candidates") || list("contents").is_some_and(|list| is_gemini(list)) {
                Some(Format::Gemini)
            } else if has_message(map.get("output")) {
                Some(Format::BedrockConverse) // a response
            } else if map.contains_key("choices") {
                Some(Format::OpenaiChat)
            } else if map.get("response").is_some_and(|response| response.get("messages").is_some()) {
                Some(Format::AiSdk)
            } else if map.contains_key("input")
                || list("output").is_some()
                || map.contains_key("instructions")
            {
                Some(Format::OpenaiResponses)
            } else if (map.contains_key("system") || has_anthropic_tools()) && list("messages").is_some() {
                let is_other = |f: &Format| matches!(f, Format::AiSdk | Format::BedrockConverse);
                Some(messages().filter(is_other).unwrap_or(Format::Anthropic))
            } else if map.get("type").and_then(Value::as_str) == Some("message") && list("content").is_some()
            {
                Some(Format::Anthropic) // a response
            } else {
                messages()
            }
        }
        _ => None,
    }
}

fn has_message(output: Option<&Value>) -> bool {
    output.and_then(|output| output.get("message")).is_some_and(Value::is_object)
}

fn has(entry: &Value, key: &str) -> bool {
    entry.get(key).is_some_and(|v| !v.is_null())
}

/// The format of a content part, if it can be told.
pub(super) fn of_part(part: &Value) -> Option<Format> {
    let Some(kind) = part.get("type").and_then(Value::as_str) else {
        // The type of a Bedrock block is its only key.
        let is_block =
            part.as_object().is_some_and(|block| block.keys().any(|key| CONVERSE.contains(&&**key)));
        return is_block.then_some(Format::BedrockConverse);
    };
    let providers_media = kind == "image" || kind == "document" || kind == "file";
    match kind {
        _ if providers_media && has(part, "source") => Some(Format::Anthropic),
        "image" if part.get("image").is_some() => Some(Format::AiSdk),
        "image" | "document" => Some(Format::Messages),
        "file" if has(part, "mediaType") => Some(Format::AiSdk),
        "file" => Some(Format::OpenaiChat),
        "reasoning" if has(part, "signature") || has(part, "encrypted") || has(part, "summary") => {
            Some(Format::Messages)
        }
        "reasoning" => Some(Format::AiSdk),
        _ => PARTS.iter().find(|(name, _)| *name == kind).map(|(_, format)| *format),
    }
}

/// Whether the list consists of Gemini contents: their parts have no `type`.
pub(super) fn is_gemini(list: &[Value]) -> bool {
    let parts = list.iter().flat_map(|entry| each(entry, "parts"));
    let mut parts = parts.peekable();
    parts.peek().is_some() && parts.all(|part| part.is_object() && !has(part, "type"))
}

fn of_list(list: &[Value]) -> Option<Format> {
    if is_gemini(list) {
        return Some(Format::Gemini);
    }
    let text = |entry: &'_ Value, key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    if list.iter().any(|m| has(m, "role") && OWN_KEYS.iter().any(|key| has(m, key))) {
        return Some(Format::Messages);
    }
    if list.iter().any(|m| text(m, "type").is_some_and(|t| t != "message" || has(m, "role"))) {
        return Some(Format::OpenaiResponses);
    }
    let parts = list.iter().flat_map(|m| each(m, "content"));
    let known = parts.filter_map(of_part);
    let call_kind = |m: &Value| m.pointer("/tool_calls/0/type").and_then(Value::as_str) == Some("opaque");
    if list.iter().any(call_kind) {
        return Some(Format::Messages);
    }
    let chat = list.iter().any(|m| {
        has(m, "tool_calls") || has(m, "tool_call_id") || text(m, "role").as_deref() == Some("function")
    });
    let mut votes: Vec<Format> = known.collect();
    // Reasoning parts occur in AI SDK messages and in ours; calls outside of the content and the developer role only in
    // ours.
    let is_ours = chat || list.iter().any(|m| text(m, "role").as_deref() == Some("developer"));
    if votes.contains(&Format::Messages) || is_ours && votes.contains(&Format::AiSdk) {
        return Some(Format::Messages);
    }
    if chat {
        return Some(Format::OpenaiChat);
    }
    votes.dedup();
    match votes.first() {
        Some(format) => Some(*format),
        None if list.iter().all(|m| has(m, "role")) && !list.is_empty() => Some(Format::OpenaiChat),
        None => None,
    }
}
