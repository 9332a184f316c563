use serde_json::{Map, Value, json};

use super::super::fields::Fields;
use super::super::format::object;
use super::super::opaque::opaque_call;
use super::{FIELD, LEGACY, REASONING_FIELDS, SPOKEN, content};
use crate::error::{Error, Result};
use crate::message::{Extras, Format, Message, Part, Reasoning, Role, ToolCall, ToolOutput};

const FORMAT: Format = Format::OpenaiChat;

/// The keys of a message, in the order in which they are written.
const KEYS: [&str; 7] =
    ["role", "tool_call_id", "content", REASONING_FIELDS[0], REASONING_FIELDS[1], "refusal", "tool_calls"];

/// Reads the entry at `index`.
pub(super) fn message(entry: &Value, index: usize) -> Result<Message> {
    let mut fields = Fields::new(object(entry, index)?);
    let Some(name) = fields.take_string("role") else {
        return Err(fields.no_role(index));
    };
    let role = match (name.as_str(), Role::parse(&name)) {
        ("function", _) => Role::Tool,
        (_, Some(role)) => role,
        (_, None) => return Err(Error::message_at(index, format!("unknown role `{name}`"))),
    };
    let mut usual = true;
    let mut parts = match fields.take("content") {
        None if fields.get("content").is_none() && role != Role::Assistant && role != Role::Tool => {
            return Err(Error::message_at(index, "`content` is missing"));
        }
        None => Vec::new(),
        Some(Value::String(text)) => vec![Part::text(text)],
        Some(Value::Array(list)) => {
            let read = |part| match role {
                Role::Assistant => content::read_said(part),
                _ => content::read(part, role != Role::User),
            };
            let parts: Vec<Part> = list.iter().map(read).collect();
            usual = !matches!(parts.as_slice(), [] | [Part::Text { .. }]);
            parts
        }
        Some(_) => return Err(Error::message_at(index, "`content` is neither a string nor a list of parts")),
    };
    match role {
        Role::Assistant => assistant(&mut fields, &mut parts, index)?,
        Role::Tool => {
            let key = if name == "function" { "name" } else { "tool_call_id" };
            let Some(call_id) = fields.take_string(key) else {
                return Err(Error::message_at(index, format!("a {name} message needs `{key}`")));
            };
            parts = vec![Part::from(ToolOutput { content: parts, ..ToolOutput::text(call_id, "") })];
        }
        Role::System | Role::Developer | Role::User => {}
    }
    let mut message = Message::new(role, parts);
    if !(usual && name != "function" && fields.is_plain(&KEYS)) {
        let mut template = fields.into_template();
        if name == "function" {
            template.insert("role".to_owned(), Value::from("function"));
        }
        message.extras = Extras::new(FORMAT, template);
    }
    Ok(message)
}

fn marked(key: &str, value: impl Into<Value>) -> Extras {
    Extras::new(FORMAT, Map::from_iter([(key.to_owned(), value.into())]))
}

fn assistant(fields: &mut Fields, parts: &mut Vec<Part>, index: usize) -> Result<()> {
    if parts.is_empty() && fields.get(SPOKEN).is_some_and(Value::is_object) {
        parts.extend(fields.take(SPOKEN).map(spoken));
    }
    for (n, key) in REASONING_FIELDS.into_iter().enumerate() {
        if let Some(text) = fields.take_text(key) {
            let reasoning =
                Reasoning { text: Some(text), extras: marked(FIELD, key), ..Reasoning::default() };
            parts.insert(n.min(parts.len()), Part::from(reasoning));
        }
    }
    if let Some(text) = fields.take_text("refusal") {
        parts.push(Part::Refusal { text, extras: Extras::default() });
    }
    if let Some(Value::Array(calls)) = fields.get("tool_calls") {
        let calls = calls
            .iter()
            .enumerate()
            .map(|(n, value)| call(value, index, n).map(Part::from))
            .collect::<Result<Vec<_>>>()?;
        if !calls.is_empty() {
            fields.take("tool_calls");
            parts.extend(calls);
        }
    } else if fields.get("tool_calls").is_some_and(|v| !v.is_null()) {
        return Err(Error::message_at(index, "`tool_calls` is not a list"));
    }
    if let Some(Value::Object(map)) = fields.get(LEGACY) {
        let mut inner = Fields::new(map);
        if let (Some(name), Some(input)) = (inner.take_string("name"), inner.take_text("arguments")) {
            fields.take(LEGACY);
            let mut call = ToolCall::function(name.clone(), name, input);
            call.extras = marked(LEGACY, inner.into_template());
            parts.push(Part::from(call));
        }
    }
    Ok(())
}

/// A spoken answer: its transcript as a text, if it has one.
fn spoken(audio: Value) -> Part {
    match audio.get("transcript").and_then(Value::as_str).map(str::to_owned) {
        Some(text) => Part::Text { text: text.into(), extras: marked(SPOKEN, audio) },
        None => Part::Opaque { format: FORMAT, raw: json!({ SPOKEN: audio }).into() },
    }
}

fn call(value: &Value, index: usize, n: usize) -> Result<ToolCall> {
    let wrong = |what: &str| Error::message_at(index, format!("`tool_calls[{n}]` {what}"));
    let Value::Object(map) = value else { return Err(wrong("is not an object")) };
    let mut fields = Fields::new(map);
    let id = fields
        .take_string("id")
        .ok_or_else(|| wrong("has no `id`; give each call its own, and its output the same one"))?;
    let kind = match fields.take_string("type") {
        Some(kind) => kind,
        None if map.contains_key("function") => "function".to_owned(), // some providers leave it out
        None => return Err(wrong("has no `type`")),
    };
    let text = if kind == "custom" { "input" } else { "arguments" };
    let Some(Value::Object(inner)) = fields.take(&kind) else {
        return Ok(opaque_call(id, FORMAT, value.clone().into()));
    };
    let mut inner = Fields::new(&inner);
    let (Some(name), Some(input)) = (inner.take_string("name"), inner.take_text(text)) else {
        return Err(wrong(&inner.needed_of_call(text)));
    };
    let mut call = match kind.as_str() {
        "function" => ToolCall::function(id, name, input),
        "custom" => ToolCall::custom(id, name, input),
        _ => return Ok(opaque_call(id, FORMAT, value.clone().into())),
    };
    fields.nest(&kind, inner, &["name", text]);
    let usual = map.contains_key("type");
    call.extras = fields.into_extras_if_unusual(usual, FORMAT, &["id", "type", "function", "custom"]);
    Ok(call)
}
