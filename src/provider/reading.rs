//! What a model reads of an entry of a list: how SDKs mark and write it from call to call is left out.

use serde_json::{Map, Value};

use crate::message::Format;
use crate::saved::checksum;

/// Marks for a prompt cache, hints for one provider, and what a service says of its own answer.
const UNREAD: [&str; 8] = [
    "cache_control", "cacheControl", "cachePoint", "providerOptions", "providerMetadata",
    "callProviderMetadata", "annotations", "logprobs",
];

/// What an object is, and so which of its fields are no more than how it is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// An entry of a list: its id and status are its service's.
    Entry,
    /// The same, and its id is who it is: one of the package's own messages, or a call.
    Named,
    /// A part of a content: if it has a type, its id is its service's.
    Part,
}

/// Whether a model reads two entries as the same. Cache marks, hints, ids of items, the order of keys, the white space of JSON
/// and that around a text do not count, nor whether a text stands by itself or as the only part of a list.
pub fn reads_same(format: Format, one: &Value, other: &Value) -> bool {
    one == other || reading(format, one) == reading(format, other)
}

/// What a model reads of an entry, as a checksum.
pub fn checksum_of_reading(format: Format, entry: &Value) -> u64 {
    checksum(reading(format, entry).to_string().as_bytes())
}

/// An entry with all that does not count left out, and its keys in order.
fn reading(format: Format, entry: &Value) -> Value {
    match entry {
        // Of the package's own messages the id is who they are.
        Value::Object(entry) => {
            let place = if format == Format::Messages { Place::Named } else { Place::Entry };
            Value::Object(fields(entry, place))
        }
        other => sorted(other),
    }
}

/// The fields of an entry or of a part.
fn fields(of: &Map<String, Value>, place: Place) -> Map<String, Value> {
    let kind = of.get("type").and_then(Value::as_str);
    let is_kept = |key: &str| match key {
        "id" => place == Place::Named || kind.map_or(place == Place::Part, says_by_id),
        "status" => place == Place::Part,
        key => !UNREAD.contains(&key),
    };
    let read = |(key, value): (&String, &Value)| {
        let key = key.as_str();
        if !is_kept(key) {
            return None;
        }
        let value = match (key, value) {
            ("type", Value::String(kind)) => kind_of(kind).into(),
            ("content" | "output" | "summary", _) => content(value),
            ("value", _) if kind == Some("content") => content(value),
            ("tool_calls", Value::Array(calls)) => calls.iter().map(call).collect(),
            ("text" | "refusal" | "value", Value::String(text)) => text.trim().into(),
            ("arguments", Value::String(text)) => json_in(text),
            _ => sorted(value),
        };
        let says_nothing = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        (!says_nothing).then(|| (key.to_owned(), value))
    };
    ordered(of.iter().filter_map(read).collect())
}

/// A call in a list of calls: the output is told by its id.
fn call(call: &Value) -> Value {
    let Value::Object(call) = call else { return sorted(call) };
    let mut read = fields(call, Place::Named);
    if let Some(Value::Object(function)) = read.get("function") {
        let function = fields(function, Place::Named);
        read.insert("function".to_owned(), Value::Object(function));
    }
    Value::Object(read)
}

/// Blocks whose id is a call's, and items that are nothing but an id.
fn says_by_id(kind: &str) -> bool {
    kind.ends_with("tool_use") || kind == "item_reference" || kind == "mcp_approval_request"
}

/// Text is text, whoever says it.
fn kind_of(kind: &str) -> &str {
    if matches!(kind, "input_text" | "output_text") { "text" } else { kind }
}

/// A content as a list of parts; a text that is blank is none.
fn content(value: &Value) -> Value {
    let text = |text: &str| {
        let fields = [("text".to_owned(), text.trim().into()), ("type".to_owned(), "text".into())];
        (!text.trim().is_empty()).then(|| Value::Object(Map::from_iter(fields)))
    };
    let part = |part: &Value| match part {
        Value::String(said) => text(said),
        Value::Object(part) => {
            let read = fields(part, Place::Part);
            let said = |key: &str| read.get(key).and_then(Value::as_str);
            let is_blank = said("type") == Some("text") && said("text") == Some("");
            (!is_blank && !read.is_empty()).then_some(Value::Object(read))
        }
        other => Some(sorted(other)),
    };
    match value {
        Value::String(said) => text(said).into_iter().collect(),
        Value::Array(parts) => parts.iter().filter_map(part).collect(),
        Value::Object(object) => Value::Object(fields(object, Place::Part)),
        other => other.clone(),
    }
}

/// Arguments are what they say, however they are spaced.
fn json_in(text: &str) -> Value {
    serde_json::from_str(text).map_or_else(|_| text.into(), |value| sorted(&value))
}

/// The same with the keys of all objects in order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            Value::Object(ordered(object.iter().map(|(key, value)| (key.clone(), sorted(value))).collect()))
        }
        Value::Array(list) => list.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

fn ordered(mut fields: Vec<(String, Value)>) -> Map<String, Value> {
    crate::sorting::sort_by(&mut fields, |(one, _), (other, _)| one.cmp(other));
    Map::from_iter(fields)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn same(format: Format, one: &Value, other: &Value) -> bool {
        let same = reads_same(format, one, other);
        assert_eq!(same, reads_same(format, other, one));
        assert_eq!(same, checksum_of_reading(format, one) == checksum_of_reading(format, other));
        same
    }

    #[test]
    fn a_text_is_the_same_by_itself_and_as_the_only_part() {
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
    fn marks_hints_ids_and_white_space_do_not_count() {
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
    fn what_a_model_reads_counts() {
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
            let is_text = one.is_string(); // white space around a text is none, wherever it stands
            assert_eq!(same(Format::AiSdk, &output(one.clone()), &output(other)), is_text, "{one}");
        }
        let own = |id: &str| json!({ "id": id, "role": "user", "content": "x" });
        assert!(!same(Format::Messages, &own("a"), &own("b")), "a message's own id");
        let item = |id: &str| json!({ "type": "item_reference", "id": id });
        assert!(!same(Format::OpenaiResponses, &item("a"), &item("b")));
    }
}
