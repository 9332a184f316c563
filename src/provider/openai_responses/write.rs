use serde_json::Value;

use super::super::Calls;
use super::super::fields::{Object, json};
use super::super::item_ids::{self, ITEM};
use super::super::note::Note;
use super::super::opaque::{as_text, can_express, json_arguments};
use super::super::thinking::note_lost;
use super::super::tool_names;
use super::content::CONTENT;
use super::kinds::written_id;
use super::{content, foreign, outputs};
use crate::message::{CallKind, Extras, Format, Message, Part, Reasoning, Role, ToolCall};

const FORMAT: Format = Format::OpenaiResponses;

/// The key that marks a message that came as `instructions`.
pub(super) const HEAD: &str = "instructions";

/// Writes a message as its items.
pub(super) fn message(message: &Message, calls: &Calls<'_>, out: &mut Vec<Value>, notes: &mut Vec<Note>) {
    match (message.role, message.parts.as_slice()) {
        (Role::Assistant, parts) => {
            let mut items = Vec::new();
            assistant(parts, &mut items, notes);
            if parts.iter().any(|p| matches!(p, Part::Reasoning(reasoning) if foreign::is_foreign(reasoning)))
            {
                foreign::unlink(&mut items, notes);
            }
            out.append(&mut items);
        }
        (Role::Tool, parts) => {
            for output in parts.iter().filter_map(Part::as_tool_output) {
                if output.is_error && !output.extras.came_in(FORMAT) {
                    notes.push(Note::new("`is_error` is left out: Responses outputs have no such field"));
                }
                out.push(outputs::write(output, calls.get(&output.call_id), notes));
            }
        }
        (_, [Part::Opaque { format: FORMAT, raw }])
            if raw.get("type").is_some() && !message.extras.has(FORMAT, "content") =>
        {
            out.push(raw.as_ref().clone());
        }
        (role, parts) => {
            let mut item = Object::of(&message.extras, FORMAT);
            item.remove(HEAD);
            let written = content::write_all(parts, item.had_array("content"), "input_text", notes);
            if written.as_array().is_some_and(Vec::is_empty) && !parts.is_empty() {
                return; // nothing of it can be expressed here: the notes say so
            }
            item.set("role", role.as_str()).set("content", written);
            out.push(item.into_value());
        }
    }
}

/// A message item under construction.
struct Open {
    item: Object,
    content: Vec<Value>,
    /// The text, as long as the content can be a plain string.
    plain: Option<String>,
}

impl Open {
    fn start(item: Object) -> Self {
        Self { item, content: Vec::new(), plain: None }
    }

    fn close(mut self) -> Value {
        self.item.set("role", "assistant");
        match self.plain {
            Some(text) if !self.item.had_array("content") && self.content.len() == 1 => {
                self.item.set("content", text);
            }
            _ => {
                self.item.set("content", self.content);
            }
        }
        self.item.into_value()
    }
}

/// Writes each part as an item of its own, but texts of the same item together.
fn assistant(parts: &[Part], out: &mut Vec<Value>, notes: &mut Vec<Note>) {
    let mut open: Option<Open> = None;
    for part in parts {
        match part {
            Part::Text { text, extras } | Part::Refusal { text, extras } => {
                let known = foreign::message_item(part).map(Object::from);
                let begun = known.as_ref().map(|item| item.get("id"));
                if let Some(template) = Object::of(extras, FORMAT).nested(ITEM).or(known.clone())
                    && open.as_ref().is_none_or(|o| begun.is_none_or(|id| o.item.get("id") != id))
                {
                    out.extend(open.take().map(Open::close));
                    open = Some(Open::start(template));
                }
                let item = open.get_or_insert_with(|| Open::start(Object::default()));
                let content = match extras.field(FORMAT, CONTENT) {
                    Some(Value::Object(template)) => Extras::new(FORMAT, template),
                    _ => Extras::default(),
                };
                let is_text = matches!(part, Part::Text { .. });
                item.plain =
                    (is_text && item.content.is_empty() && content.is_empty()).then(|| text.to_string());
                item.content.push(if is_text {
                    content::text_part(text, &content, "output_text")
                } else {
                    content::refusal_part(text, &content)
                });
            }
            Part::Reasoning(reasoning) if foreign::is_foreign(reasoning) => {
                out.extend(open.take().map(Open::close));
                foreign::reasoning(reasoning, out, notes);
            }
            other => {
                let Some(item) = item_of(other, notes) else { continue };
                out.extend(open.take().map(Open::close));
                out.push(item);
            }
        }
    }
    out.extend(open.map(Open::close));
}

/// The item for a part that is not a text.
fn item_of(part: &Part, notes: &mut Vec<Note>) -> Option<Value> {
    match part {
        Part::Reasoning(reasoning) => self::reasoning(reasoning, notes),
        Part::ToolCall(call) => self::call(call, item_ids::of_ai_sdk(part), notes),
        Part::Opaque { format: FORMAT, raw } => Some(raw.as_ref().clone()),
        Part::Opaque { format, raw } => {
            let mut items = Vec::new();
            assistant(&[as_text(*format, raw, notes)?], &mut items, notes);
            items.pop()
        }
        Part::Media(_) => {
            notes.push(Note::new("media made by the assistant is left out: the input cannot contain it"));
            None
        }
        Part::ToolOutput(_) | Part::Text { .. } | Part::Refusal { .. } => None,
    }
}

pub(super) fn reasoning(reasoning: &Reasoning, notes: &mut Vec<Note>) -> Option<Value> {
    if !reasoning.extras.came_in(FORMAT) && reasoning.id.is_none() && reasoning.encrypted.is_none() {
        notes.push(Note::new("reasoning of another provider is left out: Responses accepts only its own"));
        return None;
    }
    note_lost(reasoning, FORMAT, &["id", "text", "summary", "encrypted"], notes);
    let mut out = Object::of(&reasoning.extras, FORMAT);
    out.set("type", "reasoning");
    out.set_or_remove("id", reasoning.id.as_deref());
    if !out.keeps_list("summary") {
        let summary: Vec<Value> =
            reasoning.summary.iter().map(|text| text_entry("summary_text", text)).collect();
        out.set("summary", summary);
    }
    if !out.keeps_list("content") && !out.had_empty_list("content") {
        out.set_or_remove(
            "content",
            reasoning.text.as_deref().map(|t| vec![text_entry("reasoning_text", t)]),
        );
    }
    out.set_or_remove("encrypted_content", reasoning.encrypted.as_deref());
    Some(out.into_value())
}

pub(super) fn text_entry(kind: &str, text: &str) -> Value {
    let mut out = Object::default();
    out.set("type", kind).set("text", json(text));
    out.into_value()
}

/// `known`: the item's id, if another format carried it.
fn call(call: &ToolCall, known: Option<String>, notes: &mut Vec<Note>) -> Option<Value> {
    let mut out = Object::of(&call.extras, FORMAT);
    let (kind, input) = match &call.kind {
        CallKind::Custom => ("custom_tool_call", "input"),
        CallKind::Other { format: FORMAT, raw } => return Some(raw.as_ref().clone()),
        CallKind::Function | CallKind::Other { .. } => ("function_call", "arguments"),
    };
    if !can_express(call, FORMAT, notes) {
        return None;
    }
    out.set("type", kind);
    if let Some(id) = known.filter(|_| kind == "function_call" && !call.extras.came_in(FORMAT)) {
        out.set("id", id);
    }
    let id = written_id(&call.id);
    if id != call.id {
        notes.push(Note::new(format!("the call id `{}` is too long and is written `{id}`", call.id)));
    }
    let name = tool_names::name_of(call, FORMAT, tool_names::MAX_NAME_CHARS, notes);
    out.set("call_id", &*id).set("name", &*name);
    out.set(input, if kind == "function_call" { json(&json_arguments(call)) } else { json(&call.input) });
    Some(out.into_value())
}
