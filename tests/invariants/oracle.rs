//! The rules of providers, checked on the written list alone.

use std::collections::{HashMap, HashSet};

use contextfold::message::Format;
use serde_json::{Value, json};

/// Everything in a list that the format's provider would refuse. Calls may be open (`live`) if only messages of the model and its
/// tools follow them.
pub fn violations(format: Format, items: &[Value], live: bool) -> Vec<String> {
    match format {
        Format::OpenaiResponses => responses(items, live),
        Format::Anthropic => anthropic(items, live),
        Format::AiSdk => ai_sdk(items, live),
        Format::Gemini => gemini(items, live),
        Format::BedrockConverse => bedrock(items, live),
        Format::Messages | Format::OpenaiChat => messages(items, live, format == Format::OpenaiChat),
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Responses: flat items.
fn responses(items: &[Value], live: bool) -> Vec<String> {
    let mut bad = Vec::new();
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut answered: HashSet<&str> = HashSet::new();
    let mut ids: HashSet<&str> = HashSet::new();
    for (i, item) in items.iter().enumerate() {
        let kind = text(item, "type");
        let role = text(item, "role");
        if let Some(id) = item["id"].as_str()
            && kind != "item_reference"
            && !kind.ends_with("_output")
            && !ids.insert(id)
        {
            bad.push(format!("{i}: item id {id} stands twice"));
        }
        let call_id = item["call_id"].as_str();
        match (kind, call_id) {
            (
                "function_call" | "custom_tool_call" | "computer_call" | "local_shell_call" | "shell_call"
                | "apply_patch_call",
                Some(id),
            ) => {
                if open.insert(id, i).is_some() {
                    bad.push(format!("{i}: call {id} is open already"));
                }
                answered.remove(id);
            }
            (k, Some(id)) if k.ends_with("_call_output") => {
                if open.remove(id).is_some() {
                    answered.insert(id);
                } else if answered.contains(id) {
                    bad.push(format!("{i}: call {id} is answered twice"));
                } else {
                    bad.push(format!("{i}: no tool call found for output {id}"));
                }
            }
            ("reasoning", _) => {
                if !item["summary"].is_array() {
                    bad.push(format!("{i}: reasoning without summary"));
                }
                let next = items[i + 1..].iter().find(|n| text(n, "type") != "reasoning");
                let made = next.is_some_and(|n| {
                    text(n, "role") == "assistant"
                        || (n["role"].is_null() && !text(n, "type").ends_with("_output"))
                });
                if !made {
                    bad.push(format!("{i}: reasoning without its following item"));
                }
            }
            _ if kind.is_empty() || kind == "message" => {
                if role.is_empty() {
                    bad.push(format!("{i}: neither type nor role"));
                }
                if item["content"].is_null() || item["content"].as_array().is_some_and(Vec::is_empty) {
                    bad.push(format!("{i}: {role} without content"));
                }
            }
            _ => {}
        }
        if matches!(role, "user" | "system" | "developer") {
            bad.extend(
                open.keys().map(|id| format!("{i}: call {id} has no output before this {role} message")),
            );
            open.clear();
        }
    }
    if !live {
        bad.extend(open.keys().map(|id| format!("call {id} has no output")));
    }
    bad
}

/// Chat Completions and the package's own messages: tool messages directly follow the assistant's. In Chat an answer is one
/// message and nothing is empty; the package's own format may use several messages for an answer.
fn messages(items: &[Value], live: bool, chat: bool) -> Vec<String> {
    let mut bad = Vec::new();
    let mut need: HashSet<&str> = HashSet::new();
    let mut got: HashSet<&str> = HashSet::new();
    for (i, item) in items.iter().enumerate() {
        let role = text(item, "role");
        if role == "tool" {
            let id = text(item, "tool_call_id");
            if need.remove(id) {
                got.insert(id);
            } else if got.contains(id) {
                bad.push(format!("{i}: call {id} is answered twice"));
            } else {
                bad.push(format!("{i}: tool_call_id {id} is not among the calls before it"));
            }
            continue;
        }
        let behind = items[i..].iter().all(|m| matches!(text(m, "role"), "assistant" | "tool"));
        let goes_on = !chat && role == "assistant";
        if !(live && behind || goes_on) {
            bad.extend(
                need.iter().map(|id| format!("{i}: call {id} is not answered before this {role} message")),
            );
        }
        if !(behind || goes_on) || role != "assistant" {
            need.clear();
            got.clear();
        }
        let calls = item["tool_calls"].as_array();
        match role {
            "assistant" => {
                if calls.is_some_and(Vec::is_empty) {
                    bad.push(format!("{i}: tool_calls is an empty list"));
                }
                for call in calls.into_iter().flatten().filter(|c| c["hosted"] != Value::Bool(true)) {
                    if !need.insert(text(call, "id")) {
                        bad.push(format!("{i}: call {} stands twice", text(call, "id")));
                    }
                }
                if chat && item["content"].is_null() && calls.is_none() && item["refusal"].is_null() {
                    bad.push(format!("{i}: assistant without content and calls"));
                }
            }
            "user" | "system" | "developer" => {
                if chat
                    && (item["content"].is_null() || item["content"].as_array().is_some_and(Vec::is_empty))
                {
                    bad.push(format!("{i}: {role} without content"));
                }
            }
            other => bad.push(format!("{i}: unknown role {other:?}")),
        }
    }
    if !live {
        bad.extend(need.iter().map(|id| format!("call {id} is not answered")));
    }
    bad
}

/// The blocks of an Anthropic message or the parts of an AI SDK message; a plain text is one block.
fn blocks(message: &Value) -> Vec<Value> {
    match &message["content"] {
        Value::String(text) => vec![json!({ "type": "text", "text": text })],
        Value::Array(list) => list.clone(),
        _ => Vec::new(),
    }
}

fn ids(blocks: &[Value], kind: &str, key: &str) -> Vec<String> {
    blocks.iter().filter(|b| text(b, "type") == kind).map(|b| text(b, key).to_owned()).collect()
}

/// Anthropic: roles alternate, beginning with the user; every tool use has its result at the beginning of the next turn.
fn anthropic(items: &[Value], live: bool) -> Vec<String> {
    let mut bad = Vec::new();
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let role = text(item, "role");
        let own = blocks(item);
        let last_word = i + 1 == items.len() && role == "assistant";
        if own.is_empty() && !last_word {
            bad.push(format!("{i}: {role} without content"));
        }
        if own.iter().any(|b| text(b, "type") == "text" && text(b, "text").is_empty()) {
            bad.push(format!("{i}: an empty text"));
        }
        let ends = own.last().filter(|b| last_word && text(b, "type") == "text");
        if ends.is_some_and(|b| text(b, "text").ends_with(char::is_whitespace)) {
            bad.push(format!("{i}: white space at the end"));
        }
        match (role, turns.last_mut()) {
            ("system", _) => {}
            ("user" | "assistant", Some((of, all))) if *of == role => all.extend(own),
            ("user" | "assistant", _) => turns.push((role, own)),
            (other, _) => bad.push(format!("{i}: unknown role {other:?}")),
        }
    }
    if turns.first().is_some_and(|(role, _)| *role != "user") {
        bad.push("the first message is not the user's".to_owned());
    }
    let mut need: Vec<String> = Vec::new();
    for (n, (role, all)) in turns.iter().enumerate() {
        if *role == "assistant" {
            need = ids(all, "tool_use", "id");
            if need.iter().collect::<HashSet<_>>().len() < need.len() {
                bad.push("the same tool_use id twice in one turn".to_owned());
            }
            if all.iter().any(|b| text(b, "type") == "tool_result") {
                bad.push("a tool_result in an assistant message".to_owned());
            }
            continue;
        }
        let got = ids(all, "tool_result", "tool_use_id");
        let behind = all.iter().skip_while(|b| text(b, "type") == "tool_result");
        bad.extend(
            got.iter()
                .filter(|id| !need.contains(id))
                .map(|id| format!("no tool_use for {id} in the turn before")),
        );
        let only_results = |all: &[Value]| all.iter().all(|b| text(b, "type") == "tool_result");
        let still_running =
            live && turns[n..].iter().all(|(of, all)| *of == "assistant" || only_results(all));
        bad.extend(
            need.iter()
                .filter(|id| !got.contains(id) && !still_running)
                .map(|id| format!("tool_use {id} has no result in the next turn")),
        );
        if got.iter().collect::<HashSet<_>>().len() < got.len() {
            bad.push("two results for one tool_use".to_owned());
        }
        if behind.clone().any(|b| text(b, "type") == "tool_result") {
            bad.push("a tool_result behind other content".to_owned());
        }
        need.clear();
    }
    if !live {
        bad.extend(need.iter().map(|id| format!("tool_use {id} has no result")));
    }
    bad
}

/// AI SDK: its checks before it calls a provider. No result without its call, and none missing before a user or system
/// message.
fn ai_sdk(items: &[Value], live: bool) -> Vec<String> {
    let mut bad = Vec::new();
    let mut open: HashSet<String> = HashSet::new();
    for (i, item) in items.iter().enumerate() {
        let parts = blocks(item);
        match text(item, "role") {
            "system" | "user" => {
                bad.extend(
                    open.drain().map(|id| format!("{i}: call {id} has no result before this message")),
                );
                if item["content"].is_null() || item["content"].as_array().is_some_and(Vec::is_empty) {
                    bad.push(format!("{i}: a message without content"));
                }
            }
            "assistant" => {
                let hosted = |p: &&Value| p["providerExecuted"] == Value::Bool(true);
                for call in parts.iter().filter(|p| text(p, "type") == "tool-call" && !hosted(p)) {
                    if !open.insert(text(call, "toolCallId").to_owned()) {
                        bad.push(format!("{i}: call {} is open already", text(call, "toolCallId")));
                    }
                }
            }
            "tool" => {
                for id in ids(&parts, "tool-result", "toolCallId") {
                    if !open.remove(&id) {
                        bad.push(format!("{i}: no open call {id} for this result"));
                    }
                }
            }
            other => bad.push(format!("{i}: unknown role {other:?}")),
        }
    }
    if !live {
        bad.extend(open.into_iter().map(|id| format!("call {id} has no result")));
    }
    bad
}

/// Gemini: the responses to all calls of a content are in the next content, as many as there were calls.
fn gemini(items: &[Value], live: bool) -> Vec<String> {
    let under = |part: &Value, camel: &str, snake: &str| {
        part.get(camel).or_else(|| part.get(snake)).filter(|v| !v.is_null()).cloned()
    };
    let all = |parts: &[Value], camel: &str, snake: &str| -> Vec<(String, String)> {
        let found = parts.iter().filter_map(|part| under(part, camel, snake));
        found.map(|one| (text(&one, "id").to_owned(), text(&one, "name").to_owned())).collect()
    };
    let signed = |part: &Value| under(part, "thoughtSignature", "thought_signature").is_some();
    // Consecutive contents of the model are one turn: the SDK sends the chunks of a stream like this.
    let mut turns: Vec<Value> = Vec::new();
    for item in items {
        match turns.last_mut().filter(|last| item["role"] == "model" && last["role"] == "model") {
            Some(last) => {
                let more = item["parts"].as_array().cloned().unwrap_or_default();
                last["parts"].as_array_mut().into_iter().for_each(|parts| parts.extend(more.clone()));
            }
            None => turns.push(item.clone()),
        }
    }
    let items = &turns;
    let mut bad = Vec::new();
    let mut asked: Vec<(String, String)> = Vec::new();
    let mut before = "";
    for (i, item) in items.iter().enumerate() {
        let role = item["role"].as_str().unwrap_or("user");
        let parts = item["parts"].as_array().map_or(&[][..], Vec::as_slice);
        if parts.is_empty() {
            bad.push(format!("{i}: contents.parts must not be empty"));
        }
        for part in parts {
            let about = [
                "thought", "thoughtSignature", "thought_signature", "videoMetadata", "partMetadata",
                "mediaResolution",
            ];
            let data: Vec<&String> = part
                .as_object()
                .into_iter()
                .flatten()
                .map(|(key, _)| key)
                .filter(|key| !about.contains(&key.as_str()))
                .collect();
            if data.is_empty() || part["text"] == "" && !signed(part) {
                bad.push(format!("{i}: required oneof field 'data' must have one initialized field"));
            }
        }
        let calls = all(parts, "functionCall", "function_call");
        let responses = all(parts, "functionResponse", "function_response");
        let is_model = role == "model";
        if i == 0 && is_model {
            bad.push("0: the first content is the model's".to_owned());
        }
        if !calls.is_empty() && (!is_model || before.is_empty() || before == "model") {
            bad.push(format!("{i}: function call turn comes immediately after a user turn or after a function response turn"));
        }
        if !responses.is_empty() && (is_model || asked.is_empty()) {
            bad.push(format!("{i}: function response turn comes immediately after a function call turn"));
        }
        let last = i + 1 == items.len();
        if !asked.is_empty()
            && responses.len() != asked.len()
            && !(live && last && responses.len() == parts.len())
        {
            bad.push(format!("{i}: {} responses to {} calls", responses.len(), asked.len()));
        }
        for (id, name) in &responses {
            let answers = |(of, called): &(String, String)| {
                if id.is_empty() || of.is_empty() { called == name } else { of == id }
            };
            match asked.iter().position(answers) {
                Some(at) => drop(asked.remove(at)),
                None => bad.push(format!("{i}: response {id} {name} answers no call")),
            }
        }
        asked = calls;
        before = if is_model { "model" } else { "user" };
    }
    if !asked.is_empty() && !live {
        bad.push("the last calls have no response".to_owned());
    }
    // If a model signs its calls, the first call of each content in the current turn is signed.
    let parts = |item: &Value| item["parts"].as_array().cloned().unwrap_or_default();
    if items.iter().flat_map(parts).any(|part| signed(&part)) {
        let said = |item: &Value| {
            item["role"] != "model"
                && parts(item).iter().any(|p| under(p, "functionResponse", "function_response").is_none())
        };
        let running = items.iter().rposition(said).unwrap_or(0);
        for (i, item) in items.iter().enumerate().skip(running) {
            let first =
                parts(item).into_iter().find(|part| under(part, "functionCall", "function_call").is_some());
            if first.is_some_and(|part| !signed(&part)) {
                bad.push(format!("{i}: Function call is missing a thought_signature in functionCall parts"));
            }
        }
    }
    bad
}

/// Bedrock's Converse: Anthropic's rules of pairing, alternating roles, and blocks with one key.
fn bedrock(items: &[Value], live: bool) -> Vec<String> {
    let mut bad = Vec::new();
    let mut documents: HashSet<String> = HashSet::new();
    let block = |(i, block): (usize, &Value), bad: &mut Vec<String>| -> Value {
        let fields = block.as_object().filter(|fields| fields.len() == 1);
        let Some((key, body)) = fields.and_then(|fields| fields.iter().next()) else {
            bad.push(format!("{i}: a block of several keys, or of none"));
            return json!({ "type": "none" });
        };
        match key.as_str() {
            "text" => json!({ "type": "text", "text": body }),
            "toolUse" => json!({ "type": "tool_use", "id": body["toolUseId"] }),
            "toolResult" => json!({ "type": "tool_result", "tool_use_id": body["toolUseId"] }),
            key => json!({ "type": key }),
        }
    };
    let mut said = Vec::new();
    for (i, item) in items.iter().enumerate() {
        let content = item["content"].as_array().map_or(&[][..], Vec::as_slice);
        if content.is_empty() {
            bad.push(format!("{i}: a message without content"));
        }
        if i > 0 && text(item, "role") == text(&items[i - 1], "role") {
            bad.push(format!("{i}: two messages of one role in a row"));
        }
        if content.first().is_some_and(|first| first.get("cachePoint").is_some()) {
            bad.push(format!("{i}: a cache point before everything"));
        }
        for pair in content.windows(2) {
            if pair[0].get("reasoningContent").is_some() && pair[1].get("cachePoint").is_some() {
                bad.push(format!("{i}: a cache point behind reasoning"));
            }
        }
        let inside = content.iter().filter_map(|b| b.pointer("/toolResult/content")?.as_array()).flatten();
        for document in content.iter().chain(inside).filter_map(|b| b.get("document")) {
            if !documents.insert(text(document, "name").to_lowercase()) {
                bad.push(format!("{i}: two documents of one name"));
            }
        }
        let blocks: Vec<Value> = content.iter().map(|one| block((i, one), &mut bad)).collect();
        let blocks = blocks.into_iter().filter(|b| text(b, "type") != "cachePoint").collect::<Vec<_>>();
        said.push(json!({ "role": item["role"], "content": blocks }));
    }
    bad.extend(anthropic(&said, live));
    bad
}
