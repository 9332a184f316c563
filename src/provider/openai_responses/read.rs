use std::ops::Range;

use serde_json::{Map, Value};

use super::super::fields::Fields;
use super::super::format::object;
use super::super::item_ids::ITEM;
use super::super::opaque::opaque_call;
use super::super::textless;
use super::answered::{answer_by_item_id, claim_reference, is_answer_by_id};
use super::content::CONTENT;
use super::kinds::{self, APPROVAL};
use super::{content, outputs};
use crate::error::{Error, Result};
use crate::message::{Extras, Format, Message, Part, Reasoning, Role, Text, ToolCall};

const FORMAT: Format = Format::OpenaiResponses;

/// The key that every reasoning item must have.
pub(super) const SUMMARY: &str = "summary";

/// Reads items into messages, each with the range of items that it came from. A run of items that the model made
/// becomes one assistant message.
pub(super) fn items(items: &[Value], out: &mut Vec<(Message, Range<usize>)>) -> Result<()> {
    let start = out.len();
    for (index, value) in items.iter().enumerate() {
        let item = object(value, index)?;
        textless::refuse(value, index)?;
        if let Some(id) = kinds::call_id(item).filter(|_| outputs::is_client_output(item)) {
            claim_reference(id, &mut out[start..]);
        }
        let message = match read(item, value, index, &out[start..])? {
            Read::Message(message) => message,
            Read::AssistantParts(parts) => match out[start..].last_mut() {
                Some((run, range)) if run.role == Role::Assistant && !begins_new_message(&parts) => {
                    run.parts.extend(parts);
                    range.end = index + 1;
                    continue;
                }
                _ => Message::new(Role::Assistant, parts),
            },
        };
        out.push((message, index..index + 1));
    }
    Ok(())
}

/// Whether the parts begin a new message: the model does not read what precedes a provider's compaction.
fn begins_new_message(parts: &[Part]) -> bool {
    parts.iter().any(|part| part.provider_compaction().is_some())
}

/// Whether a text of the model comes last.
fn ends_with_text(before: &[(Message, Range<usize>)]) -> bool {
    let last = before.last().filter(|(run, _)| run.role == Role::Assistant);
    last.is_some_and(|(run, _)| matches!(run.parts.last(), Some(Part::Text { .. } | Part::Refusal { .. })))
}

enum Read {
    /// A separate message.
    Message(Message),
    /// Parts of an assistant message.
    AssistantParts(Vec<Part>),
}

/// Reads an item. `before`: what was read before it.
fn read(
    item: &Map<String, Value>,
    value: &Value,
    index: usize,
    before: &[(Message, Range<usize>)],
) -> Result<Read> {
    let opaque = || Part::Opaque { format: FORMAT, raw: value.clone().into() };
    let kind = match item.get("type") {
        None | Some(Value::Null) => "",
        Some(Value::String(kind)) => kind.as_str(),
        Some(_) => return Err(Error::message_at(index, "`type` is not a string")),
    };
    match kind {
        "" if item.contains_key("role") => message(item, value, index, ends_with_text(before)),
        "" if item.contains_key("id") => Ok(Read::AssistantParts(vec![opaque()])),
        "" => Err(Error::message_at(index, "neither `type` nor `role`")),
        "message" => message(item, value, index, ends_with_text(before)),
        "reasoning" => Ok(Read::AssistantParts(vec![Part::from(reasoning(item))])),
        "function_call" => Ok(Read::AssistantParts(vec![Part::from(call(item, "arguments", index)?)])),
        "custom_tool_call" => Ok(Read::AssistantParts(vec![Part::from(call(item, "input", index)?)])),
        _ if outputs::is_client_output(item) => {
            let mut output = outputs::read(item, index)?;
            if is_answer_by_id(&output) {
                let mut calls = before.iter().rev().flat_map(|(message, _)| message.tool_calls());
                calls.find(|call| answer_by_item_id(&mut output, call));
            }
            let mut output = Part::from(output);
            let call = |id: &str| before.iter().rev().find_map(|(m, _)| m.tool_calls().rfind(|c| c.id == id));
            outputs::drop_needless_template(&mut output, value, call);
            Ok(Read::Message(Message::new(Role::Tool, vec![output])))
        }
        _ if kinds::call_kind(kind).is_some() || kind == APPROVAL.call || kind.ends_with("_call") => {
            let hosted = kinds::has_no_output_item(item);
            let Some(id) = kinds::call_id(item).or(hosted.then_some("")) else {
                return Err(Error::message_at(index, format!("a {kind} needs `call_id`")));
            };
            let mut call = opaque_call(id, FORMAT, value.clone().into());
            call.hosted = hosted;
            Ok(Read::AssistantParts(vec![Part::from(call)]))
        }
        _ => Ok(match item.get("role").and_then(Value::as_str) {
            Some("assistant") => Read::AssistantParts(vec![opaque()]),
            Some(role) => {
                let role = Role::parse(role).filter(|r| *r != Role::Tool).unwrap_or(Role::Developer);
                Read::Message(Message::new(role, vec![opaque()]))
            }
            None if kinds::is_model_made(item) || kind.ends_with("_output") || item.contains_key("id") => {
                Read::AssistantParts(vec![opaque()])
            }
            None => Read::Message(Message::new(Role::Developer, vec![opaque()])),
        }),
    }
}

const WRONG_FORMAT_HINT: &str = "a message with `role: \"tool\"` belongs to the formats \"messages\" and \"openai-chat\"; the Responses API expects items (`function_call_output`): `convert(\"openai-chat\", \"openai-responses\", …)` makes them, and a session accepts the message as it is with `push` or `pushFrom(\"openai-chat\", …)`";

/// Reads a message item. `after_text`: it comes directly after a text of the same run, which it must not be joined to.
fn message(item: &Map<String, Value>, value: &Value, index: usize, after_text: bool) -> Result<Read> {
    let mut fields = Fields::new(item);
    let Some(name) = fields.take_string("role") else {
        return Err(Error::message_at(index, "`role` is missing"));
    };
    let role = match Role::parse(&name) {
        Some(Role::Tool) => return Err(Error::message_at(index, WRONG_FORMAT_HINT)),
        None => return Err(Error::message_at(index, format!("unknown role `{name}`"))),
        Some(role) => role,
    };
    let text_type = if role == Role::Assistant { "output_text" } else { "input_text" };
    let mut as_list = false;
    let parts = match fields.take("content") {
        Some(Value::String(text)) => vec![Part::text(text)],
        Some(Value::Array(list)) => {
            as_list = true;
            list.iter().map(|part| content::read(part, text_type)).collect()
        }
        _ => return Err(Error::message_at(index, "`content` is neither a string nor a list of parts")),
    };
    if role == Role::Assistant {
        return Ok(Read::AssistantParts(assistant(fields, parts, value, as_list, after_text)));
    }
    let plain = fields.is_plain(&["role", "content"]) && (!as_list || written_as_list(&parts));
    let mut message = Message::new(role, parts);
    if !plain {
        message.extras = Extras::new(FORMAT, fields.into_template());
    }
    Ok(Read::Message(message))
}

/// Whether content is written as a list even without a template. A single part that only this format knows is written
/// without one otherwise.
fn written_as_list(parts: &[Part]) -> bool {
    !matches!(parts, [] | [Part::Text { .. } | Part::Opaque { .. }])
}

/// The parts of an assistant message item. The first one holds the item's template. If there is a part other than a
/// text or a refusal, which cannot hold it, the whole item is carried unchanged.
fn assistant(fields: Fields, parts: Vec<Part>, value: &Value, as_list: bool, after_text: bool) -> Vec<Part> {
    let sayable = |p: &Part| matches!(p, Part::Text { .. } | Part::Refusal { .. });
    if parts.is_empty() || !parts.iter().all(sayable) {
        return vec![Part::Opaque { format: FORMAT, raw: value.clone().into() }];
    }
    let is_bare = |part: &Part| part.extras().is_some_and(Extras::is_empty);
    let usual = fields.is_plain(&["role", "content"]) && (!as_list || written_as_list(&parts));
    if usual && !after_text && parts.iter().all(is_bare) {
        return parts;
    }
    let mut item = Some(fields.into_template());
    parts.into_iter().map(|part| with_item(part, item.take())).collect()
}

/// The same text with the template of its item, nested next to the template of the part.
fn with_item(part: Part, item: Option<Map<String, Value>>) -> Part {
    let nest = |extras: Extras| {
        let mut map = Map::new();
        if let Some(item) = item {
            map.insert(ITEM.to_owned(), Value::Object(item));
        }
        if let Some(own) = extras.of(FORMAT) {
            map.insert(CONTENT.to_owned(), Value::Object(own.clone()));
        }
        Extras::new(FORMAT, map)
    };
    match part {
        Part::Text { text, extras } => Part::Text { text, extras: nest(extras) },
        Part::Refusal { text, extras } => Part::Refusal { text, extras: nest(extras) },
        other => other,
    }
}

fn call(item: &Map<String, Value>, input: &str, index: usize) -> Result<ToolCall> {
    let mut fields = Fields::new(item);
    let kind = fields.take_string("type").unwrap_or_default();
    let missing = |key: &str| Error::message_at(index, format!("a {kind} needs `{key}`, a string"));
    let id = fields.take_string("call_id").ok_or_else(|| missing("call_id"))?;
    let name = fields.take_string("name").ok_or_else(|| missing("name"))?;
    let text = fields.take_text(input).ok_or_else(|| missing(input))?;
    let mut call =
        if input == "input" { ToolCall::custom(id, name, text) } else { ToolCall::function(id, name, text) };
    call.extras = fields.into_extras(FORMAT, &["type", "call_id", "name", input]);
    Ok(call)
}

fn reasoning(item: &Map<String, Value>) -> Reasoning {
    let mut fields = Fields::new(item);
    fields.take("type");
    let mut out = Reasoning {
        id: fields.take_string("id"),
        encrypted: fields.take_text("encrypted_content"),
        ..Reasoning::default()
    };
    if let Some(list) = fields.get("summary").and_then(Value::as_array) {
        let plain = texts(list, "summary_text");
        out.summary = list.iter().filter_map(|s| s.get("text")?.as_str().map(Text::from)).collect();
        if plain {
            fields.take("summary"); // otherwise it has more than texts, and stays in the template
        }
    }
    if let Some(list) = fields.get("content").and_then(Value::as_array) {
        let all: Vec<&str> = list.iter().filter_map(|s| s.get("text")?.as_str()).collect();
        let plain = list.len() == 1 && texts(list, "reasoning_text");
        if !all.is_empty() {
            out.text = Some(all.join("\n").into());
        }
        if plain {
            fields.take("content");
        }
    }
    out.extras = match fields.get(SUMMARY) {
        Some(_) => fields.into_extras(FORMAT, &["type", "id", SUMMARY, "content", "encrypted_content"]),
        None => Extras::new(FORMAT, fields.into_template()), // without extras, it would be written with a summary
    };
    out
}

/// Whether each entry is `{ type, text }` and nothing else.
fn texts(list: &[Value], kind: &str) -> bool {
    list.iter().all(|entry| {
        entry.as_object().is_some_and(|map| {
            map.len() == 2
                && map.get("type").and_then(Value::as_str) == Some(kind)
                && map.get("text").is_some_and(Value::is_string)
                && map.keys().next().is_some_and(|k| k == "type")
        })
    })
}
