use serde_json::Value;

use super::super::Calls;
use super::super::fields::{Object, json};
use super::super::note::Note;
use super::super::opaque::{can_express, json_arguments};
use super::{FIELD, LEGACY, REASONING_FIELDS, SPOKEN, content};
use crate::message::{CallKind, Format, Message, Part, Reasoning, Role, ToolCall, ToolOutput};

const FORMAT: Format = Format::OpenaiChat;

/// Writes one message; `None` if nothing of it can be expressed.
pub(super) fn message(message: &Message, calls: &Calls<'_>, notes: &mut Vec<Note>) -> Option<Value> {
    let mut out = Object::of(&message.extras, FORMAT);
    match (message.role, message.parts.as_slice()) {
        (Role::Tool, [Part::ToolOutput(output)]) => {
            tool_output(&mut out, output, calls.get(&output.call_id), notes);
        }
        (Role::Assistant, parts) => {
            if !assistant(&mut out, parts, notes) {
                return None;
            }
        }
        (role, parts) => {
            out.set("role", role.as_str());
            let parts: Vec<&Part> = parts.iter().collect();
            let texts_only = role != Role::User;
            match content::write_all(&parts, out.had_array("content"), texts_only, notes) {
                Some(content) => {
                    out.set("content", content);
                }
                None if message.extras.came_in(FORMAT) => {}
                None => return None,
            }
        }
    }
    Some(out.into_value())
}

fn tool_output(out: &mut Object, output: &ToolOutput, call: Option<&ToolCall>, notes: &mut Vec<Note>) {
    let answers_legacy = call.is_some_and(|call| call.extras.has(FORMAT, LEGACY)); // even if the output is our stand-in
    if answers_legacy || out.get("role").and_then(Value::as_str) == Some("function") {
        out.set("role", "function").set("name", output.call_id.as_str());
    } else {
        out.set("role", "tool").set("tool_call_id", output.call_id.as_str());
    }
    if output.is_error {
        notes.push(Note::new("`is_error` is left out: Chat Completions tool messages have no such field"));
    }
    let parts: Vec<&Part> = output.content.iter().collect();
    match content::write_all(&parts, out.had_array("content"), true, notes) {
        Some(content) => {
            out.set("content", content);
        }
        None if out.had_empty_list("content") || out.get("content").is_some_and(Value::is_null) => {}
        None => {
            out.set("content", "");
        }
    }
}

/// Writes an assistant message; returns `false` if nothing of it can be expressed.
fn assistant(out: &mut Object, parts: &[Part], notes: &mut Vec<Note>) -> bool {
    out.set("role", "assistant");
    let mut calls = Vec::new();
    let mut legacy = None;
    let mut spoken = None;
    let mut fields: [Option<String>; 3] = [None, None, None];
    let mut inline: Vec<&Part> = Vec::new();
    for part in parts {
        match part {
            Part::Reasoning(reasoning) if content::is_block(reasoning) => inline.push(part),
            Part::Reasoning(reasoning) => match field_of(reasoning) {
                Some(n) => {
                    let text = reasoning.text.as_deref().unwrap_or_default();
                    // When two answers were merged into one message, keep the reasoning of both.
                    fields[n] = Some(match fields[n].take() {
                        Some(before) => format!("{before}\n\n{text}"),
                        None => text.to_owned(),
                    });
                }
                None => {
                    notes
                        .push(Note::new("reasoning of another provider is left out: its field is not known"));
                }
            },
            Part::Refusal { text, extras } if !extras.came_in(FORMAT) || extras.has(FORMAT, FIELD) => {
                fields[2] = Some(text.to_string());
            }
            Part::ToolCall(call) => match call.extras.field(FORMAT, LEGACY) {
                Some(Value::Object(template)) => {
                    let mut inner = Object::from(template);
                    inner.set("name", call.name.as_str()).set("arguments", json(&call.input));
                    legacy = Some(inner.into_value());
                }
                _ => calls.extend(self::call(call, notes)),
            },
            other => match spoken_in(other) {
                Some(audio) => spoken = Some(audio),
                None => inline.push(other),
            },
        }
    }
    let content = content::write_all(&inline, out.had_array("content"), true, notes);
    let said = content.is_some()
        || !calls.is_empty()
        || legacy.is_some()
        || spoken.is_some()
        || fields.iter().any(Option::is_some);
    if !said && out.get("content").is_none() {
        return false;
    }
    match content {
        Some(content) => {
            out.set("content", content);
        }
        None if out.had_empty_list("content") => {}
        None if out.get("content").is_some() => {
            out.set("content", Value::Null);
        }
        None => {}
    }
    let [reasoning_content, reasoning, refusal] = fields;
    out.set_or_remove(REASONING_FIELDS[0], reasoning_content);
    out.set_or_remove(REASONING_FIELDS[1], reasoning);
    out.set_or_remove("refusal", refusal);
    out.set_list_or_remove("tool_calls", calls);
    out.set_or_remove(LEGACY, legacy);
    // If the field is in no part, its place is in the template.
    if spoken.is_some() || parts.iter().filter_map(Part::extras).any(|extras| extras.has(FORMAT, SPOKEN)) {
        out.set_or_remove(SPOKEN, spoken);
    }
    true
}

/// The spoken answer that a part came from. A transcript that was shortened is only a text: the audio would still say all of it.
fn spoken_in(part: &Part) -> Option<Value> {
    match part {
        Part::Text { text, extras } => {
            let audio = extras.field(FORMAT, SPOKEN)?;
            (audio.get("transcript").and_then(Value::as_str) == Some(&**text)).then_some(audio)
        }
        Part::Opaque { format: FORMAT, raw } => raw.get(SPOKEN).cloned(),
        _ => None,
    }
}

/// The index of the reasoning field that it came in.
fn field_of(reasoning: &Reasoning) -> Option<usize> {
    let field = reasoning.extras.field(FORMAT, FIELD)?;
    REASONING_FIELDS.iter().position(|f| field == *f)
}

fn call(call: &ToolCall, notes: &mut Vec<Note>) -> Option<Value> {
    let (kind, key) = match &call.kind {
        CallKind::Custom => ("custom", "input"),
        CallKind::Other { format: FORMAT, raw } => return Some(raw.as_ref().clone()),
        CallKind::Function | CallKind::Other { .. } => ("function", "arguments"),
    };
    if !can_express(call, FORMAT, notes) {
        return None;
    }
    let mut out = Object::of(&call.extras, FORMAT);
    let mut inner = out.nested(kind).unwrap_or_default();
    inner.set("name", call.name.as_str());
    inner.set(key, if kind == "function" { json(&json_arguments(call)) } else { json(&call.input) });
    out.set("id", call.id.as_str());
    let told_type = !call.extras.came_in(FORMAT) || call.extras.has(FORMAT, "type");
    if told_type {
        out.set("type", kind);
    }
    out.set(kind, inner.into_value());
    Some(out.into_value())
}
