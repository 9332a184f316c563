use serde_json::{Map, Value};

use super::super::Calls;
use super::super::fields::Fields;
use super::super::format::object;
use super::{IN_TOOL_MESSAGE, JOINS, outputs, parts};
use crate::error::{Error, Result};
use crate::message::{Extras, Format, Message, Part, Role};

const FORMAT: Format = Format::AiSdk;

/// Reads the entry at `index`: one message, or several if it holds tool results.
pub(super) fn message(entry: &Value, index: usize, out: &mut Vec<Message>) -> Result<()> {
    let mut fields = Fields::new(object(entry, index)?);
    let role = fields.take_role(index, &[Role::System, Role::User, Role::Assistant, Role::Tool])?;
    let content = fields.take("content");
    let mut usual = true;
    let content_parts = match content {
        Some(Value::String(text)) if role != Role::Tool => vec![Part::text(text)],
        Some(Value::Array(list)) if role == Role::Tool => {
            let usual = fields.is_plain(&["role", "content"]);
            return tool_message(&list, fields.into_template(), usual, index, out);
        }
        Some(Value::Array(list)) => {
            let content_parts: Vec<Part> =
                list.iter().map(|part| parts::read(part, role == Role::Assistant)).collect();
            usual = content_parts.len() > 1 || !matches!(content_parts.as_slice(), [] | [Part::Text { .. }]);
            content_parts
        }
        None if fields.get("parts").is_some() => {
            let why = "this is a UI message: convert it with `convertToModelMessages` of `ai` first";
            return Err(Error::message_at(index, why));
        }
        _ => {
            return Err(Error::message_at(
                index,
                format!("`content` is not valid for a {} message", role.as_str()),
            ));
        }
    };
    let mut message = Message::new(role, content_parts);
    message.extras = fields.into_extras_if_unusual(usual, FORMAT, &["role", "content"]);
    out.push(message);
    Ok(())
}

/// Each result becomes a message of its own. The first one has the entry's template, the others are joined to it.
fn tool_message(
    list: &[Value],
    template: Map<String, Value>,
    usual: bool,
    index: usize,
    out: &mut Vec<Message>,
) -> Result<()> {
    let is_usual = usual && !out.last().is_some_and(super::in_tool_message);
    let mut template = Some(template);
    let mut marked = false;
    for (n, value) in list.iter().enumerate() {
        let object = object(value, index)?;
        let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
        let mut map = match template.take() {
            Some(template) => template,
            None => Map::from_iter([(JOINS.to_owned(), Value::Bool(true))]),
        };
        let mut message = if kind == "tool-result" {
            let find = |id: &str| out.iter().rev().find_map(|m| m.tool_calls().rfind(|call| call.id == id));
            let Some(output) = outputs::read(value, &Calls::with_lookup(&find)) else {
                let why = format!("`content[{n}]` is not a tool result: it needs `toolCallId` and `output`");
                return Err(Error::message_at(index, why));
            };
            Message::new(Role::Tool, vec![output])
        } else {
            map.insert(IN_TOOL_MESSAGE.to_owned(), Value::Bool(true));
            Message::new(Role::Developer, vec![Part::Opaque { format: FORMAT, raw: value.clone().into() }])
        };
        // No template is needed for results, which are joined anyway.
        marked |= !is_usual || message.role != Role::Tool;
        if marked {
            message.extras = Extras::new(FORMAT, map);
        }
        out.push(message);
    }
    if let Some(mut map) = template {
        map.insert(IN_TOOL_MESSAGE.to_owned(), Value::Bool(true));
        let mut message = Message::new(Role::Developer, Vec::new());
        message.extras = Extras::new(FORMAT, map);
        out.push(message);
    }
    Ok(())
}
