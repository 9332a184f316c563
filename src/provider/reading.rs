//! Reduces an entry to what a model reads, without the marks and spellings that SDKs change from call to call.
//!
//! `sync` first compares the object, then its JSON, then this reading. An entry whose reading is the same keeps its
//! message; cache marks and the like are taken over from the newest form (`context/renew.rs`).

use serde_json::{Map, Value};

use super::pending_renames::CallId;
use crate::message::Format;
use crate::saved::checksum;

/// Fields that a model does not read: prompt cache marks, hints for one provider, signatures, and what a service adds
/// to its answer.
const IGNORED_FIELDS: [&str; 10] = [
    "cache_control", "cacheControl", "cachePoint", "providerOptions", "providerMetadata",
    "callProviderMetadata", "annotations", "logprobs", "thoughtSignature", "thought_signature",
];

/// Fields that say what an entry is, and what a service adds to its answer as a whole.
const ENVELOPE: [&str; 8] =
    ["type", "role", "id", "status", "model", "usage", "stop_reason", "stop_sequence"];

/// Whether a model may read this field of an entry.
pub(super) fn is_read_by_model(field: &str) -> bool {
    !IGNORED_FIELDS.contains(&field) && !ENVELOPE.contains(&field)
}

/// Replaces every id of a call.
const CALL: &str = "call";

/// What an object is. This decides which of its fields belong to the service that stored it and are not compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// An entry of a list. Its id and status belong to the service.
    Entry,
    /// An entry whose id is its identity: one of the package's own messages.
    Named,
    /// A call in a list of calls, or a function call of Gemini's.
    Call,
    /// A function response of Gemini's.
    Answer,
    /// A part of a content. If it has a type, its id belongs to the service.
    Part,
}

/// What a model reads of an entry.
pub struct Reading {
    /// The entry without what is not compared, its keys sorted, and all ids of calls replaced by the same text.
    compared: Value,
    /// The ids that were replaced, in order.
    calls: Vec<CallId>,
}

impl Reading {
    /// The reading of an entry of a list.
    pub fn of(format: Format, entry: &Value) -> Self {
        let mut calls = Vec::new();
        let compared = match entry {
            // In the package's own messages, the id is the identity.
            Value::Object(entry) => {
                let place = if format == Format::Messages { Place::Named } else { Place::Entry };
                Value::Object(fields(entry, place, &mut calls))
            }
            other => sorted(other),
        };
        Self { compared, calls }
    }

    /// The ids of the calls that the entry makes and answers.
    pub fn calls(&self) -> &[CallId] {
        &self.calls
    }

    /// A checksum of it, without the ids of calls.
    pub fn checksum(&self) -> u64 {
        checksum(self.compared.to_string().as_bytes())
    }

    /// Whether a model reads the other entry as the same. Not compared are: the ids of calls and items, cache marks,
    /// hints, the order of keys, white space in JSON and around a text, and whether a text is a string or the only part
    /// of a list.
    pub fn reads_same(&self, other: &Self) -> bool {
        self.compared == other.compared
    }
}

/// The positions of the parts of an entry's content that a model reads. A plain text is one part.
pub fn parts_read(entry: &Value) -> Vec<usize> {
    let is_read = |part: &Value| {
        content(&Value::Array(vec![part.clone()]), &mut Vec::new())
            .as_array()
            .is_some_and(|read| !read.is_empty())
    };
    match entry.get("content").or_else(|| entry.get("parts")) {
        Some(Value::Array(parts)) => (0..parts.len()).filter(|at| is_read(&parts[*at])).collect(),
        text => text.iter().filter(|text| is_read(text)).map(|_| 0).collect(),
    }
}

/// The compared fields of an entry or of a part.
fn fields(of: &Map<String, Value>, place: Place, calls: &mut Vec<CallId>) -> Map<String, Value> {
    let kind = of.get("type").and_then(Value::as_str);
    let is_kept = |key: &str| match key {
        "id" => {
            matches!(place, Place::Named | Place::Call | Place::Answer)
                || kind.map_or(place == Place::Part, has_meaningful_id)
        }
        "status" => place == Place::Part,
        key => !IGNORED_FIELDS.contains(&key),
    };
    let read = |(key, value): (&String, &Value)| {
        let value = match (key.as_str(), value) {
            (_, Value::String(id)) if let Some(call) = call_id(of, key, id, place) => {
                calls.push(call);
                CALL.into()
            }
            ("type", Value::String(kind)) => kind_of(kind).into(),
            ("functionCall" | "function_call", Value::Object(call)) if place == Place::Part => {
                Value::Object(fields(call, Place::Call, calls))
            }
            ("functionResponse" | "function_response", Value::Object(answer)) => {
                Value::Object(fields(answer, Place::Answer, calls))
            }
            ("parts", _) if place == Place::Entry => content(value, calls),
            ("content" | "output" | "summary", _) => content(value, calls),
            ("value", _) if kind == Some("content") => content(value, calls),
            ("toolUse" | "toolResult", Value::Object(block)) => {
                Value::Object(fields(block, Place::Part, calls))
            }
            ("tool_calls", Value::Array(list)) => list.iter().map(|one| call(one, calls)).collect(),
            ("text" | "refusal" | "value", Value::String(text)) => text.trim().into(),
            ("arguments", Value::String(text)) => parse_arguments(text),
            _ => sorted(value),
        };
        let says_nothing = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        (!says_nothing).then(|| (key.clone(), value))
    };
    sorted_fields(of).into_iter().filter(|(key, _)| is_kept(key)).filter_map(read).collect()
}

/// The call that a field refers to, if the field's id only serves to connect a call with its output.
fn call_id(of: &Map<String, Value>, key: &str, id: &str, place: Place) -> Option<CallId> {
    let kind = of.get("type").and_then(Value::as_str).unwrap_or_default();
    let is_of_provider = of.get("providerExecuted") == Some(&Value::Bool(true));
    let call = CallId::Call(id.to_owned());
    let output = CallId::Output(id.to_owned());
    match (key, kind) {
        ("id", "tool_use") => Some(call),
        ("id", _) if place == Place::Call => Some(call),
        ("id", _) if place == Place::Answer => Some(output),
        ("toolCallId", "tool-call") if !is_of_provider => Some(call),
        ("call_id", kind) if kind.ends_with("_call") => Some(call),
        ("toolUseId", "") if of.contains_key("input") => Some(call),
        ("toolUseId", "")
        | ("tool_use_id", "tool_result")
        | ("toolCallId", "tool-result")
        | ("tool_call_id", _) => Some(output),
        ("call_id", kind) if kind.ends_with("_call_output") => Some(output),
        _ => None,
    }
}

/// A call in a list of calls (Chat Completions). Its output refers to it by its id.
fn call(call: &Value, calls: &mut Vec<CallId>) -> Value {
    let Value::Object(call) = call else { return sorted(call) };
    let mut read = fields(call, Place::Call, calls);
    if let Some(Value::Object(function)) = read.get("function") {
        let function = fields(function, Place::Named, calls);
        read.insert("function".to_owned(), Value::Object(function));
    }
    Value::Object(read)
}

/// Whether the id has a meaning of its own: in blocks it is the id of a call, and some items consist only of an id.
fn has_meaningful_id(kind: &str) -> bool {
    kind.ends_with("tool_use") || kind == "item_reference" || kind == "mcp_approval_request"
}

/// Texts of users and of models are the same type.
fn kind_of(kind: &str) -> &str {
    if matches!(kind, "input_text" | "output_text") { "text" } else { kind }
}

/// A content as a list of parts; blank texts are left out.
fn content(value: &Value, calls: &mut Vec<CallId>) -> Value {
    let text = |text: &str| {
        let fields = [("text".to_owned(), text.trim().into()), ("type".to_owned(), "text".into())];
        (!text.trim().is_empty()).then(|| Value::Object(Map::from_iter(fields)))
    };
    let mut part = |part: &Value| match part {
        Value::String(string) => text(string),
        Value::Object(part) => {
            let read = fields(part, Place::Part, calls);
            let field_text = |key: &str| read.get(key).and_then(Value::as_str);
            let is_text = field_text("type") == Some("text") || read.len() == 1;
            let is_blank = is_text && field_text("text") == Some("");
            (!is_blank && !read.is_empty()).then_some(Value::Object(read))
        }
        other => Some(sorted(other)),
    };
    match value {
        Value::String(string) => text(string).into_iter().collect(),
        Value::Array(parts) => parts.iter().filter_map(&mut part).collect(),
        Value::Object(object) => Value::Object(fields(object, Place::Part, calls)),
        other => other.clone(),
    }
}

/// Parses arguments, so that white space in them does not matter.
fn parse_arguments(text: &str) -> Value {
    serde_json::from_str(text).map_or_else(|_| text.into(), |value| sorted(&value))
}

/// A copy in which the keys of all objects are sorted.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let fields = sorted_fields(object).into_iter();
            Value::Object(fields.map(|(key, value)| (key.clone(), sorted(value))).collect())
        }
        Value::Array(list) => list.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

fn sorted_fields(of: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut fields: Vec<(&String, &Value)> = of.iter().collect();
    crate::sorting::sort_by(&mut fields, |(one, _), (other, _)| one.cmp(other));
    fields
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn same(format: Format, one: &Value, other: &Value) -> bool {
        let (one, other) = (Reading::of(format, one), Reading::of(format, other));
        assert_eq!(one.reads_same(&other), other.reads_same(&one));
        assert_eq!(one.reads_same(&other), one.checksum() == other.checksum());
        one.reads_same(&other) && one.calls() == other.calls()
    }

    #[test]
    fn a_plain_text_equals_a_single_text_part() {
        let by_itself = json!({ "role": "user", "content": "x" });
        for kind in ["text", "input_text"] {
            let part = json!({ "content": [{ "type": kind, "text": "x" }], "role": "user" });
            assert!(same(Format::OpenaiChat, &by_itself, &part));
        }
        let result = |content: Value| {
            json!({ "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "a", "content": content }, { "type": "text", "text": "and?" },
            ] })
        };
        assert!(same(
            Format::Anthropic,
            &result(json!("x")),
            &result(json!([{ "type": "text", "text": "x" }]))
        ));
        assert!(!same(Format::Anthropic, &result(json!("x")), &result(json!("y"))));
    }

    #[test]
    fn cache_marks_hints_ids_and_white_space_are_ignored() {
        for (format, one, other) in [
            (
                Format::Anthropic,
                json!({ "role": "user", "content": "x" }),
                json!({ "role": "user", "content": [{ "type": "text", "text": "x", "cache_control": { "type": "ephemeral" } }] }),
            ),
            (
                Format::AiSdk,
                json!({ "role": "user", "content": [{ "type": "text", "text": "x" }] }),
                json!({ "role": "user", "content": [{ "type": "text", "text": "x\n" }], "providerOptions": { "a": {} } }),
            ),
            (
                Format::OpenaiChat,
                json!({ "role": "assistant", "content": null, "refusal": null, "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "f", "arguments": "{\"a\": 1, \"b\": 2}" } }] }),
                json!({ "role": "assistant", "tool_calls": [{ "type": "function", "id": "a", "function": { "name": "f", "arguments": "{\"b\":2,\"a\":1}" } }] }),
            ),
            (
                Format::OpenaiResponses,
                json!({ "type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [{ "type": "output_text", "text": "x", "annotations": [] }] }),
                json!({ "type": "message", "id": "msg_2", "role": "assistant", "content": [{ "type": "output_text", "text": "x" }] }),
            ),
            (
                Format::OpenaiChat,
                json!({ "role": "user", "content": [{ "type": "text", "text": "x" }] }),
                json!({ "role": "user", "content": [{ "type": "text", "text": "x" }, { "cachePoint": { "type": "default" } }] }),
            ),
        ] {
            assert!(same(format, &one, &other), "{one} {other}");
        }
    }

    #[test]
    fn geminis_signatures_and_ids_are_ignored() {
        let asks = |id: Value, signature: &str| json!({ "role": "model", "parts": [{ "functionCall": { "id": id, "name": "f", "args": { "a": 1 } }, "thoughtSignature": signature }, { "text": "", "thoughtSignature": signature }] });
        let answers = |id: Value, output: &str| json!({ "role": "user", "parts": [{ "functionResponse": { "id": id, "name": "f", "response": { "output": output } } }] });
        let without = json!({ "role": "model", "parts": [{ "functionCall": { "args": { "a": 1 }, "id": "a", "name": "f" } }] });
        assert!(same(Format::Gemini, &asks(json!("a"), "x"), &asks(json!("a"), "y")));
        assert!(same(Format::Gemini, &asks(json!("a"), "x"), &without));
        assert!(!same(Format::Gemini, &answers(json!("a"), "1"), &answers(json!("a"), "2")));
        assert!(!same(Format::Gemini, &answers(json!("a"), "1"), &answers(json!("b"), "1")), "another call");
        let (one, other) = (asks(json!("a"), "x"), asks(json!("b"), "x"));
        assert!(
            Reading::of(Format::Gemini, &one).reads_same(&Reading::of(Format::Gemini, &other)),
            "whatever its id"
        );
    }

    #[test]
    fn differences_the_model_can_read_matter() {
        let entry = json!({ "role": "user", "content": "x" });
        for other in [
            json!({ "role": "user", "content": "x y" }),
            json!({ "role": "user", "content": "x", "name": "n" }),
            json!({ "role": "user" }),
            json!({ "role": "assistant", "content": "x" }),
            json!({ "role": "user", "content": null }),
            json!({ "role": "user", "content": [{ "type": "text", "text": "x" }, { "type": "text", "text": "y" }] }),
        ] {
            assert!(!same(Format::OpenaiChat, &entry, &other), "{other}");
        }
        let call = |id: &str, content: Value| {
            let block = json!({ "type": "tool_use", "id": id, "name": "f", "input": { "content": content } });
            json!({ "role": "assistant", "content": [block] })
        };
        let text = json!([{ "type": "text", "text": "x" }]);
        assert!(
            !same(Format::Anthropic, &call("a", json!("x")), &call("a", text)),
            "arguments are what they are"
        );
        assert!(!same(Format::Anthropic, &call("a", json!("x")), &call("b", json!("x"))), "another call");
        let output = |value: Value| {
            let output = json!({ "type": "json", "value": value });
            let part = json!({ "type": "tool-result", "toolCallId": "a", "toolName": "f", "output": output });
            json!({ "role": "tool", "content": [part] })
        };
        for (one, other) in [
            (json!({ "status": "ok" }), json!({ "status": "failed" })),
            (json!({ "id": 1 }), json!({ "id": 2 })),
            (json!({ "a": null }), json!({})),
            (json!([{ "annotations": [1] }]), json!([{ "annotations": [2] }])),
            (json!(" x"), json!("x")),
        ] {
            let is_text = one.is_string(); // white space around a text never matters
            assert_eq!(same(Format::AiSdk, &output(one.clone()), &output(other)), is_text, "{one}");
        }
        let own = |id: &str| json!({ "id": id, "role": "user", "content": "x" });
        assert!(!same(Format::Messages, &own("a"), &own("b")), "a message's own id");
        let item = |id: &str| json!({ "type": "item_reference", "id": id });
        assert!(!same(Format::OpenaiResponses, &item("a"), &item("b")));
    }
}
