//! Finds the list in the caller's input: a list, a request body, a response, or a single entry.
//!
//! `pushFrom`, `check`, `convert`, `repair` and `countTokens` all find their entries here.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::fields::text;
use crate::error::{Error, Result};
use crate::message::Format;

/// The keys that a body or a response may use for its list.
pub const fn list_keys(format: Format) -> &'static [&'static str] {
    match format {
        Format::OpenaiResponses => &["input", "output", "items"],
        Format::Gemini => &["contents"],
        _ => &["messages", "items"],
    }
}

/// The entries of `input`. Borrowed if `input` contains them as they are, owned if they had to be built.
///
/// # Errors
/// `INVALID_ARGUMENT` if it is not a list, a body, a response or an entry.
pub fn list_of(format: Format, input: &Value) -> Result<Cow<'_, [Value]>> {
    if let Value::Array(list) = input {
        return Ok(list.into());
    }
    let found = input.as_object().and_then(|map| match format {
        Format::OpenaiChat => choices(map),
        Format::Anthropic => message(map, input),
        Format::OpenaiResponses => item_or_text(map, input),
        Format::AiSdk => prompt(map, format),
        Format::Gemini => contents(map, input),
        Format::BedrockConverse => {
            map.get("output").and_then(|output| output.get("message")).map(|m| std::slice::from_ref(m).into())
        }
        Format::Messages => None,
    });
    if let Some(list) = found.or_else(|| under_a_key(format, input).map(Cow::from)) {
        return Ok(list);
    }
    if ["role", "type"].iter().any(|key| input.get(*key).is_some_and(Value::is_string)) {
        return Ok(std::slice::from_ref(input).into());
    }
    Err(Error::argument(format!(
        "expected a list, one entry, a response, or a body with a list under {}",
        list_keys(format).iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" or ")
    )))
}

/// The objects outside of the list that may have cache marks: those of the header and of the tools.
pub(super) fn outside_list(body: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["/system", "/tools", "/toolConfig/tools"].into_iter();
    lists.filter_map(|path| body.pointer(path)?.as_array()).flatten()
}

/// Whether it is a model's response: its calls have no outputs yet.
pub(super) fn is_response(input: &Value) -> bool {
    let has = |key: &str| input.get(key).is_some();
    has("choices")
        || has("candidates")
        || has("response")
        || (has("output") && !has("input") && !has("call_id"))
        || (has("content") && text(input, "type") == Some("message") && has("stop_reason"))
}

fn under_a_key(format: Format, input: &Value) -> Option<&[Value]> {
    list_keys(format).iter().find_map(|key| input.get(*key)?.as_array()).map(Vec::as_slice)
}

/// The messages of a completion.
fn choices(map: &Map<String, Value>) -> Option<Cow<'_, [Value]>> {
    let choices = map.get("choices")?.as_array()?;
    Some(choices.iter().filter_map(|choice| choice.get("message").cloned()).collect())
}

/// A message of Anthropic's. The other fields of a response (usage, model, stop reason) are not part of a history.
fn message<'a>(map: &Map<String, Value>, input: &'a Value) -> Option<Cow<'a, [Value]>> {
    let (role, content) = (map.get("role")?, map.get("content")?);
    let is_plain = text(input, "type").is_none();
    Some(if is_plain {
        std::slice::from_ref(input).into()
    } else {
        vec![json!({ "role": role, "content": content })].into()
    })
}

/// An item (whose own `output` may be a list), or a body whose `input` is a text.
fn item_or_text<'a>(map: &Map<String, Value>, input: &'a Value) -> Option<Cow<'a, [Value]>> {
    if text(input, "type").is_some() {
        return Some(std::slice::from_ref(input).into());
    }
    Some(vec![user_message(map.get("input")?.as_str()?)].into())
}

/// The `response` of a result, or a `prompt`, which is a text or a list of messages.
fn prompt(map: &Map<String, Value>, format: Format) -> Option<Cow<'_, [Value]>> {
    match (map.get("response"), map.get("prompt")) {
        (Some(response), _) => under_a_key(format, response).map(Cow::from),
        (None, Some(Value::String(text))) => Some(vec![user_message(text)].into()),
        (None, Some(Value::Array(list))) => Some(list.into()),
        _ => None,
    }
}

/// Gemini contents: those of a response, those of a body, or a single one.
fn contents<'a>(map: &'a Map<String, Value>, input: &'a Value) -> Option<Cow<'a, [Value]>> {
    if let Some(candidates) = map.get("candidates").and_then(Value::as_array) {
        return Some(candidates.iter().filter_map(|candidate| candidate.get("content").cloned()).collect());
    }
    match map.get("contents") {
        Some(contents) => contents_of(contents),
        None => map.contains_key("parts").then(|| std::slice::from_ref(input).into()),
    }
}

/// The contents in a Gemini body: a list of them, or a value that the SDK turns into a user content.
fn contents_of(contents: &Value) -> Option<Cow<'_, [Value]>> {
    match contents {
        Value::Array(list)
            if list.iter().all(|one| one.get("parts").is_some() || one.get("role").is_some()) =>
        {
            Some(list.into())
        }
        Value::Object(map) if map.contains_key("parts") => Some(std::slice::from_ref(contents).into()),
        other => {
            let mut content = content_of(other)?.into_owned();
            if let Some(map) = content.as_object_mut() {
                map.shift_insert(0, "role".to_owned(), "user".into());
            }
            Some(vec![content].into())
        }
    }
}

/// A Gemini content, also from the shorter values that its SDK accepts.
pub(super) fn content_of(value: &Value) -> Option<Cow<'_, Value>> {
    match value {
        Value::Object(map) if map.contains_key("parts") => Some(Cow::Borrowed(value)),
        Value::Array(list) => {
            Some(Cow::Owned(json!({ "parts": list.iter().map(part_of).collect::<Vec<Value>>() })))
        }
        Value::String(_) | Value::Object(_) => Some(Cow::Owned(json!({ "parts": [part_of(value)] }))),
        _ => None,
    }
}

fn part_of(value: &Value) -> Value {
    if value.is_string() { json!({ "text": value }) } else { value.clone() }
}

fn user_message(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}
