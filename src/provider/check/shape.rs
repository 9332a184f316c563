//! Checks the shape of each entry: the fields that the API requires, by type.

use serde_json::Value;

use super::super::fields::{each, text};
use super::super::gemini::field;
use super::dialect::Dialect;
use super::violation::{Severity, Violations};
use crate::message::Format;

/// What a required field must be.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    List,
    Object,
    /// Text or a list.
    Content,
    /// Anything, as long as the field exists.
    There,
}

use Kind::{Content, List, Object, Text, There};

/// A type, and its required fields.
type Shape = (&'static str, &'static [(&'static str, Kind)]);

const RESPONSES: [Shape; 27] = [
    ("message", &[("role", Text), ("content", Content)]),
    ("reasoning", &[("summary", List)]),
    ("function_call", &[("call_id", Text), ("name", Text), ("arguments", Text)]),
    ("function_call_output", &[("output", Content)]),
    ("custom_tool_call", &[("call_id", Text), ("name", Text), ("input", Text)]),
    ("custom_tool_call_output", &[("call_id", Text), ("output", Content)]),
    ("computer_call", &[("id", Text), ("call_id", Text), ("status", Text)]),
    ("computer_call_output", &[("call_id", Text), ("output", Object)]),
    ("local_shell_call", &[("id", Text), ("call_id", Text), ("action", Object), ("status", Text)]),
    ("local_shell_call_output", &[("id", Text), ("output", Text)]),
    ("shell_call", &[("call_id", Text), ("action", Object)]),
    ("shell_call_output", &[("call_id", Text), ("output", List)]),
    ("apply_patch_call", &[("call_id", Text), ("status", Text), ("operation", Object)]),
    ("apply_patch_call_output", &[("call_id", Text), ("status", Text)]),
    ("tool_search_call", &[("arguments", There)]),
    ("tool_search_output", &[("tools", List)]),
    ("additional_tools", &[("role", Text), ("tools", List)]),
    ("web_search_call", &[("id", Text), ("status", Text), ("action", There)]),
    ("file_search_call", &[("id", Text), ("status", Text), ("queries", List)]),
    ("code_interpreter_call", &[("id", Text), ("code", There)]),
    ("image_generation_call", &[("id", Text)]),
    ("mcp_list_tools", &[("id", Text), ("server_label", Text), ("tools", List)]),
    ("mcp_call", &[("id", Text), ("server_label", Text), ("name", Text), ("arguments", Text)]),
    ("mcp_approval_request", &[("id", Text), ("server_label", Text), ("name", Text), ("arguments", Text)]),
    ("mcp_approval_response", &[("approval_request_id", Text), ("approve", There)]),
    ("compaction", &[("encrypted_content", Text)]),
    ("item_reference", &[("id", Text)]),
];

const CHAT: [Shape; 6] = [
    ("system", &[("content", Content)]),
    ("developer", &[("content", Content)]),
    ("user", &[("content", Content)]),
    ("assistant", &[]),
    ("tool", &[("content", Content), ("tool_call_id", Text)]),
    ("function", &[("name", Text)]),
];

const BLOCKS: [Shape; 16] = [
    ("text", &[("text", Text)]),
    ("image", &[("source", Object)]),
    ("document", &[("source", Object)]),
    ("thinking", &[("thinking", Text), ("signature", Text)]),
    ("redacted_thinking", &[("data", Text)]),
    ("tool_use", &[("id", Text), ("name", Text), ("input", Object)]),
    ("tool_result", &[("tool_use_id", Text)]),
    ("server_tool_use", &[("id", Text), ("name", Text), ("input", Object)]),
    ("mcp_tool_use", &[("id", Text), ("name", Text), ("input", Object), ("server_name", Text)]),
    ("mcp_tool_result", &[("tool_use_id", Text)]),
    ("web_search_tool_result", &[("tool_use_id", Text), ("content", There)]),
    ("web_fetch_tool_result", &[("tool_use_id", Text), ("content", There)]),
    ("code_execution_tool_result", &[("tool_use_id", Text), ("content", There)]),
    ("bash_code_execution_tool_result", &[("tool_use_id", Text), ("content", There)]),
    ("container_upload", &[("file_id", Text)]),
    ("search_result", &[("content", List), ("source", Text), ("title", Text)]),
];

/// Content parts of `OpenAI`'s formats.
const PARTS: [Shape; 9] = [
    ("input_text", &[("text", Text)]),
    ("output_text", &[("text", Text)]),
    ("text", &[("text", Text)]),
    ("refusal", &[("refusal", Text)]),
    ("input_image", &[]),
    ("input_file", &[]),
    ("image_url", &[("image_url", Object)]),
    ("input_audio", &[("input_audio", Object)]),
    ("file", &[("file", Object)]),
];

/// Blocks of Bedrock's Converse by their key, with the required fields inside. Other blocks are not checked.
const CONVERSE: [Shape; 9] = [
    ("image", &[("format", Text), ("source", Object)]),
    ("document", &[("name", Text), ("source", Object)]),
    ("audio", &[("format", Text), ("source", Object)]),
    ("video", &[("format", Text), ("source", Object)]),
    ("toolUse", &[("toolUseId", Text), ("name", Text), ("input", There)]),
    ("toolResult", &[("toolUseId", Text), ("content", List)]),
    ("reasoningContent", &[]),
    ("cachePoint", &[("type", Text)]),
    ("searchResult", &[("source", Text), ("title", Text), ("content", List)]),
];

/// Content parts of the AI SDK.
const AI_SDK_PARTS: [Shape; 4] = [
    ("text", &[("text", Text)]),
    ("reasoning", &[("text", Text)]),
    ("tool-call", &[("toolCallId", Text), ("toolName", Text)]),
    ("tool-result", &[("toolCallId", Text), ("toolName", Text)]),
];

/// The required fields under the key that determines the kind of a Gemini part.
const GEMINI_PARTS: [Shape; 4] = [
    ("functionCall", &[("name", Text)]),
    ("functionResponse", &[("name", Text), ("response", Object)]),
    ("inlineData", &[("data", Text)]),
    ("fileData", &[]),
];

impl Kind {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
            Self::Content => value.is_string() || value.is_array(),
            Self::There => true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::List => "a list",
            Self::Object => "an object",
            Self::Content => "a string or a list",
            Self::There => "something",
        }
    }
}

pub(super) fn check(format: Format, list: &[Value], dialect: &Dialect, found: &mut Violations) {
    let owns = match format {
        Format::Gemini => dialect.thought_signatures,
        Format::BedrockConverse => true,
        _ => dialect.owns_schema,
    };
    let severity = if owns { Severity::Error } else { Severity::Warn };
    for (i, entry) in list.iter().enumerate() {
        let mut wrong = |what: String| found.add(severity, "schema", i, what);
        if !entry.is_object() {
            wrong("it is not an object".to_owned());
            continue;
        }
        match format {
            Format::OpenaiResponses => responses(entry, &mut wrong),
            Format::OpenaiChat => {
                let role = text(entry, "role").unwrap_or_default();
                if !fields(&CHAT, role, "message", entry, &mut wrong) {
                    wrong(format!("unknown role `{role}`"));
                }
                content(entry, &PARTS, "content part", &mut wrong);
                calls(entry, &mut wrong);
            }
            Format::Anthropic => anthropic(entry, &mut wrong),
            Format::Gemini => gemini(entry, &mut wrong),
            Format::BedrockConverse => converse(entry, &mut wrong),
            Format::Messages | Format::AiSdk => {
                let one = Value::Array(vec![entry.clone()]);
                if let Err(e) = super::super::provider(format).read(&one) {
                    wrong(e.message().trim_start_matches("message 0: ").to_owned());
                }
                if format == Format::AiSdk {
                    content(entry, &AI_SDK_PARTS, "content part", &mut wrong);
                    misplaced(entry, &mut wrong);
                }
            }
        }
    }
}

/// Whether the type is known. Reports its fields to `wrong`.
fn fields(shapes: &[Shape], kind: &str, what: &str, value: &Value, wrong: &mut impl FnMut(String)) -> bool {
    let Some((_, required)) = shapes.iter().find(|(name, _)| *name == kind) else { return false };
    for (key, wanted) in *required {
        if !value.get(*key).is_some_and(|v| wanted.fits(v)) {
            wrong(format!("the {what} of type `{kind}` needs `{key}`, {}", wanted.name()));
        }
    }
    true
}

fn responses(entry: &Value, wrong: &mut impl FnMut(String)) {
    let kind = match text(entry, "type") {
        Some(kind) => kind,
        None if entry.get("role").is_some() => "message",
        None if entry.get("id").is_some() => "item_reference",
        None => return wrong("neither `type` nor `role`".to_owned()),
    };
    if kind == "message" {
        role(entry, &["user", "assistant", "system", "developer"], wrong);
        content(entry, &PARTS, "content part", wrong);
    }
    fields(&RESPONSES, kind, "item", entry, wrong); // an unknown type may be a new one and is not reported
}

fn role(entry: &Value, known: &[&str], wrong: &mut impl FnMut(String)) {
    let role = text(entry, "role").unwrap_or_default();
    if !known.contains(&role) {
        wrong(format!("unknown role `{role}`"));
    }
}

fn content(entry: &Value, shapes: &[Shape], what: &str, wrong: &mut impl FnMut(String)) {
    for part in each(entry, "content") {
        match text(part, "type") {
            Some(kind) => {
                fields(shapes, kind, what, part, wrong);
            }
            None => wrong(format!("a {what} without `type`")),
        }
    }
}

/// Calls and results of the AI SDK in roles for which it has none.
fn misplaced(entry: &Value, wrong: &mut impl FnMut(String)) {
    let role = text(entry, "role").unwrap_or_default();
    for part in each(entry, "content") {
        match text(part, "type") {
            Some("tool-call") if role != "assistant" => {
                wrong(format!("a `tool-call` does not belong into a message with the role `{role}`"));
            }
            Some("tool-result") if !["assistant", "tool"].contains(&role) => {
                wrong(format!("a `tool-result` does not belong into a message with the role `{role}`"));
            }
            _ => {}
        }
    }
}

/// The calls of a Chat Completions message.
fn calls(entry: &Value, wrong: &mut impl FnMut(String)) {
    for call in each(entry, "tool_calls") {
        let (kind, input) =
            if call.get("custom").is_some() { ("custom", "input") } else { ("function", "arguments") };
        let has_text = |key: &str| call.get(kind).is_some_and(|body| text(body, key).is_some());
        if text(call, "id").is_none() {
            wrong("a call without `id`, a string".to_owned());
        }
        if !has_text("name") || !has_text(input) {
            wrong(format!("a call needs `{kind}` with `name` and `{input}`, both strings"));
        }
    }
}

fn converse(entry: &Value, wrong: &mut impl FnMut(String)) {
    role(entry, &["user", "assistant"], wrong);
    let Some(blocks) = entry.get("content").and_then(Value::as_array) else {
        return wrong("`content` is not a list of blocks".to_owned());
    };
    for block in blocks {
        let mut members = block.as_object().into_iter().flatten().filter(|(_, body)| !body.is_null());
        match (members.next(), members.next()) {
            (Some((key, body)), None) => {
                if key == "text" && !body.is_string() {
                    wrong("the block `text` is not a string".to_owned());
                }
                fields(&CONVERSE, key, "block", body, wrong);
            }
            _ => wrong("a block must be an object with one key, its type".to_owned()),
        }
    }
}

fn anthropic(entry: &Value, wrong: &mut impl FnMut(String)) {
    role(entry, &["user", "assistant", "system"], wrong);
    content(entry, &BLOCKS, "block", wrong);
    if !entry.get("content").is_some_and(|content| content.is_string() || content.is_array()) {
        wrong("`content` is neither a string nor a list of blocks".to_owned());
    }
}

fn gemini(entry: &Value, wrong: &mut impl FnMut(String)) {
    if text(entry, "role").is_some() {
        role(entry, &["user", "model", "function", "tool"], wrong);
    }
    if !entry.get("parts").is_none_or(Value::is_array) {
        wrong("`parts` is not a list".to_owned());
    }
    for part in each(entry, "parts") {
        for (kind, _) in GEMINI_PARTS {
            if let Some(inner) = field(part, kind) {
                fields(&GEMINI_PARTS, kind, "part", inner, wrong);
                if inner.get("args").is_some_and(|args| !args.is_object() && !args.is_null()) {
                    wrong("`args` of a call is not an object".to_owned());
                }
            }
        }
    }
}
