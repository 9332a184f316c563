//! Finds text parts without a text, which APIs refuse and a message cannot represent.

use serde_json::Value;

use crate::error::{Error, Result};

/// The types of text parts.
const TEXTS: [&str; 3] = ["text", "input_text", "output_text"];

/// The keys under which an entry, or an output in it, holds parts.
const LISTS: [&str; 3] = ["content", "output", "value"];

/// Refuses the entry at `index` if it has a text part, at any depth, whose `text` is not a string.
pub(super) fn refuse(entry: &Value, index: usize) -> Result<()> {
    match find(entry) {
        Some(path) => Err(Error::message_at(index, format!("`{path}` needs `text`, a string"))),
        None => Ok(()),
    }
}

/// The path of the first such part.
fn find(holder: &Value) -> Option<String> {
    LISTS.iter().find_map(|key| match holder.get(key)? {
        Value::Array(parts) => {
            let in_part = |(n, part): (usize, &Value)| {
                let within = if is_textless(part) { String::new() } else { format!(".{}", find(part)?) };
                Some(format!("{key}[{n}]{within}"))
            };
            parts.iter().enumerate().find_map(in_part)
        }
        // An AI SDK output is an object that holds parts.
        inner if *key == "output" && inner.get("type").and_then(Value::as_str) == Some("content") => {
            Some(format!("{key}.{}", find(inner)?))
        }
        _ => None,
    })
}

fn is_textless(part: &Value) -> bool {
    let kind = part.get("type").and_then(Value::as_str);
    kind.is_some_and(|kind| TEXTS.contains(&kind)) && !part.get("text").is_some_and(Value::is_string)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_part_without_text_is_named_by_its_path() {
        let textless = json!([{ "type": "text", "text": "x" }, { "type": "text" }]);
        for (entry, path) in [
            (json!({ "role": "user", "content": textless }), "content[1]"),
            (json!({ "role": "user", "content": [{ "type": "input_text", "text": 7 }] }), "content[0]"),
            (
                json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": textless }] }),
                "content[0].content[1]",
            ),
            (
                json!({ "type": "function_call_output", "call_id": "a", "output": [{ "type": "input_text" }] }),
                "output[0]",
            ),
            (
                json!({ "role": "tool", "content": [{ "type": "tool-result", "output": { "type": "content", "value": textless } }] }),
                "content[0].output.value[1]",
            ),
        ] {
            let message = refuse(&entry, 3).expect_err("it has no text").to_string();
            assert!(message.contains(&format!("`{path}` needs `text`")), "{message}");
        }
    }

    #[test]
    fn json_in_a_tool_output_is_not_checked() {
        for entry in [
            json!({ "role": "user", "content": "x" }),
            json!({ "role": "user", "content": [{ "type": "text", "text": "" }, { "type": "image" }] }),
            json!({ "role": "tool", "content": [{ "type": "tool-result", "output": { "type": "json", "value": [{ "type": "text" }] } }] }),
        ] {
            assert!(refuse(&entry, 0).is_ok(), "{entry}");
        }
    }
}
