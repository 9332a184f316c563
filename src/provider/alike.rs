//! Whether two entries of a list say the same, though they are not written alike.

use serde_json::{Map, Value};

/// Keys under which a text may stand by itself, or as the only part of a list.
const TEXT_KEYS: [&str; 2] = ["content", "output"];

/// Whether two entries say the same: their keys in any order, a text by itself or as the only part of a list. SDKs write it in
/// both ways, and some not always in the same one.
pub fn alike(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let same = |(key, value): (&String, &Value)| {
                other.get(key).is_some_and(|other| {
                    if TEXT_KEYS.contains(&key.as_str()) {
                        same_content(value, other)
                    } else {
                        value == other
                    }
                })
            };
            one.len() == other.len() && one.iter().all(same)
        }
        _ => one == other,
    }
}

fn same_content(one: &Value, other: &Value) -> bool {
    match (only_text(one), only_text(other), one, other) {
        (Some(one), Some(other), ..) => one == other,
        (_, _, Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| alike(one, other))
        }
        _ => one == other,
    }
}

/// The text that is all that a content says.
fn only_text(content: &Value) -> Option<&str> {
    match content {
        Value::String(text) => Some(text),
        Value::Array(parts) => match parts.as_slice() {
            [Value::Object(part)] if is_plain(part) => part.get("text")?.as_str(),
            _ => None,
        },
        _ => None,
    }
}

/// A part of text, and nothing beside it.
fn is_plain(part: &Map<String, Value>) -> bool {
    let kind = part.get("type").and_then(Value::as_str);
    part.len() == 2 && matches!(kind, Some("text" | "input_text" | "output_text"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_is_the_same_by_itself_and_as_the_only_part() {
        let by_itself = json!({ "role": "user", "content": "x" });
        for kind in ["text", "input_text"] {
            let part = json!({ "content": [{ "type": kind, "text": "x" }], "role": "user" });
            assert!(alike(&by_itself, &part) && alike(&part, &by_itself));
        }
        let result = |content: Value| {
            json!({ "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "a", "content": content }, { "type": "text", "text": "and?" },
            ] })
        };
        assert!(alike(&result(json!("x")), &result(json!([{ "type": "text", "text": "x" }]))));
        assert!(!alike(&result(json!("x")), &result(json!("y"))));
    }

    #[test]
    fn what_says_more_or_less_is_another() {
        let entry = json!({ "role": "user", "content": "x" });
        for other in [
            json!({ "role": "user", "content": [{ "type": "text", "text": "x", "cache_control": {} }] }),
            json!({ "role": "user", "content": [{ "type": "text", "text": "x" }, { "type": "text", "text": "" }] }),
            json!({ "role": "user", "content": "x", "name": "n" }),
            json!({ "role": "user" }),
            json!({ "role": "assistant", "content": "x" }),
            json!({ "role": "user", "content": null }),
        ] {
            assert!(!alike(&entry, &other) && !alike(&other, &entry), "{other}");
        }
        let call = |content: Value| json!({ "type": "tool_use", "input": { "content": content } });
        assert!(
            !alike(&call(json!("x")), &call(json!([{ "type": "text", "text": "x" }]))),
            "arguments are what they are"
        );
    }
}
