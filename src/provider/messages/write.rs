use serde_json::{Map, Value};

use super::super::fields::{Object, json};
use super::{CALL_POSITIONS, OUTPUT_EXTRAS};
use crate::message::{
    CallKind, Extras, Format, Media, Message, Meta, Part, Reasoning, Role, ToolCall, ToolOutput,
};

/// Writes one message.
pub(super) fn message(message: &Message) -> Value {
    let mut out = Object::of(&message.extras, Format::Messages);
    out.set("role", message.role.as_str());
    let mut positions = Vec::new();
    let mut carried: Vec<(Format, Map<String, Value>)> = others(&message.extras);
    if let (Role::Tool, [Part::ToolOutput(output)]) = (message.role, message.parts.as_slice()) {
        tool_output(&mut out, output, &mut carried);
    } else {
        let content: Vec<&Part> = message.parts.iter().filter(|p| !matches!(p, Part::ToolCall(_))).collect();
        let calls: Vec<Value> = message.tool_calls().map(tool_call).collect();
        if !content.is_empty() || message.role != Role::Assistant || out.had_empty_list("content") {
            set_content(&mut out, &content);
        } else if !calls.is_empty() && !message.extras.came_in(Format::Messages) {
            out.set("content", Value::Null);
        } else {
            out.set_or_remove("content", None::<Value>);
        }
        out.set_list_or_remove("tool_calls", calls);
        positions = call_positions(&message.parts, content.len(), positions_kept(&out));
    }
    meta(&mut out, &message.meta);
    extras(&mut out, carried, positions);
    if let (Role::Tool, [Part::ToolOutput(output)]) = (message.role, message.parts.as_slice()) {
        output_ref(&mut out, output);
    }
    out.into_value()
}

/// Whether the template has call positions: then they are written again, even if they are not needed.
fn positions_kept(out: &Object) -> bool {
    out.get("extras").and_then(|e| e.get(Format::Messages.as_str())?.get(CALL_POSITIONS)).is_some()
}

/// The positions of the calls among the parts; empty if they are at the end.
fn call_positions(parts: &[Part], content: usize, always: bool) -> Vec<Value> {
    let at: Vec<usize> =
        parts.iter().enumerate().filter(|(_, p)| matches!(p, Part::ToolCall(_))).map(|(i, _)| i).collect();
    if !always && at.first().is_none_or(|&first| first >= content) {
        return Vec::new();
    }
    at.into_iter().map(Value::from).collect()
}

fn set_content(out: &mut Object, content: &[&Part]) {
    match content {
        [Part::Text { text, extras }] if extras.is_empty() && !out.had_array("content") => {
            out.set("content", json(text));
        }
        parts => {
            out.set("content", parts.iter().map(|p| part(p)).collect::<Vec<_>>());
        }
    }
}

fn tool_output(out: &mut Object, output: &ToolOutput, carried: &mut Vec<(Format, Map<String, Value>)>) {
    out.set("tool_call_id", output.call_id.as_str());
    set_content(out, &output.content.iter().collect::<Vec<_>>());
    out.set_flag("is_error", output.is_error);
    for (format, own) in others(&output.extras) {
        let nested = Value::Object(own);
        match carried.iter_mut().find(|(f, _)| *f == format) {
            Some((_, map)) => {
                map.insert(OUTPUT_EXTRAS.to_owned(), nested);
            }
            None => carried.push((format, Map::from_iter([(OUTPUT_EXTRAS.to_owned(), nested)]))),
        }
    }
}

/// Writes the ref of the full output.
fn output_ref(out: &mut Object, output: &ToolOutput) {
    let given_ref = out.get("output_ref").and_then(|v| v.get("id")).and_then(Value::as_str);
    let known = output.output_ref.as_ref().map(|r| r.id.as_str());
    if given_ref != known || given_ref == Some("") || known.is_none() {
        let written = output.output_ref.as_ref().and_then(|r| serde_json::to_value(r).ok());
        out.set_or_remove("output_ref", written);
    }
}

fn meta(out: &mut Object, meta: &Meta) {
    out.set_or_remove("id", meta.id.as_deref());
    out.set_or_remove("item_type", meta.item_type.and_then(|t| serde_json::to_value(t).ok()));
    out.set_or_remove("priority", meta.priority);
    let given_ephemeral = out.get("ephemeral");
    let kept = matches!(
        (given_ephemeral, meta.ephemeral),
        (Some(Value::Bool(true)), Some(1)) | (Some(Value::Bool(false)), None)
    );
    if !kept {
        out.set_or_remove("ephemeral", meta.ephemeral);
    }
    out.set_flag("pinned", meta.pinned);
}

fn others(extras: &Extras) -> Vec<(Format, Map<String, Value>)> {
    extras.all().into_iter().filter(|(f, _)| *f != Format::Messages).collect()
}

/// Writes `extras`: fields of other formats, the positions of the calls, and whatever else the caller had in it.
fn extras(out: &mut Object, carried: Vec<(Format, Map<String, Value>)>, positions: Vec<Value>) {
    let mut all = match out.get("extras") {
        Some(Value::Object(map)) => map.clone(),
        _ => Map::new(),
    };
    all.retain(|name, _| match Format::parse(name) {
        Some(format) if format != Format::Messages => carried.iter().any(|(f, _)| *f == format),
        _ => true,
    });
    for (format, map) in carried {
        all.insert(format.as_str().to_owned(), Value::Object(map));
    }
    if !positions.is_empty() {
        let own = all.entry(Format::Messages.as_str()).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(own) = own {
            own.insert(CALL_POSITIONS.to_owned(), Value::Array(positions));
        }
    }
    if !all.is_empty() || matches!(out.get("extras"), Some(Value::Object(_))) {
        out.set("extras", all);
    }
}

fn part_extras(mut out: Object, carried: &Extras) -> Value {
    extras(&mut out, others(carried), Vec::new());
    out.into_value()
}

fn tool_call(call: &ToolCall) -> Value {
    let mut out = Object::of(&call.extras, Format::Messages);
    out.set("id", call.id.as_str());
    let body = |out: &mut Object, kind: &str, key: &str| {
        let mut inner = out.nested(kind).unwrap_or_default();
        inner.set("name", call.name.as_str()).set(key, json(&call.input));
        out.set("type", kind).set(kind, inner.into_value());
    };
    match &call.kind {
        CallKind::Function => body(&mut out, "function", "arguments"),
        CallKind::Custom => body(&mut out, "custom", "input"),
        CallKind::Other { format, raw } => {
            out.set("type", "opaque").set("format", format.as_str()).set("raw", raw.as_ref().clone());
        }
    }
    out.set_flag("hosted", call.hosted);
    part_extras(out, &call.extras)
}

fn part(part: &Part) -> Value {
    match part {
        Part::Text { text, extras } | Part::Refusal { text, extras } => {
            let kind = if matches!(part, Part::Text { .. }) { "text" } else { "refusal" };
            let mut out = Object::of(extras, Format::Messages);
            out.set("type", kind).set(kind, json(text));
            part_extras(out, extras)
        }
        Part::Media(media) => self::media(media),
        Part::Reasoning(reasoning) => self::reasoning(reasoning),
        Part::ToolCall(call) => tool_call(call),
        Part::ToolOutput(output) => {
            let parts = output.content.iter().map(self::part).collect::<Vec<_>>();
            let mut out = Object::default();
            out.set("type", "text").set("text", Value::Array(parts).to_string());
            out.into_value()
        }
        Part::Opaque { format: Format::Messages, raw } => raw.as_ref().clone(),
        Part::Opaque { format, raw } => {
            let mut out = Object::default();
            out.set("type", "opaque").set("format", format.as_str()).set("raw", raw.as_ref().clone());
            out.into_value()
        }
    }
}

fn media(media: &Media) -> Value {
    let mut out = Object::of(&media.extras, Format::Messages);
    out.set("type", media.kind.as_str());
    out.set_or_remove("url", media.url.as_deref());
    out.set_or_remove("data", media.data.as_deref());
    out.set_or_remove("file_id", media.file_id.as_deref());
    out.set_or_remove("filename", media.filename.as_deref());
    out.set_or_remove("media_type", media.media_type.as_deref());
    out.set_or_remove("detail", media.detail.as_deref());
    out.set_or_remove("width", media.width);
    out.set_or_remove("height", media.height);
    part_extras(out, &media.extras)
}

fn reasoning(reasoning: &Reasoning) -> Value {
    let mut out = Object::of(&reasoning.extras, Format::Messages);
    out.set("type", "reasoning");
    out.set_or_remove("text", reasoning.text.as_deref());
    if !reasoning.summary.is_empty() {
        out.set("summary", reasoning.summary.iter().map(|t| json(t)).collect::<Vec<_>>());
    }
    out.set_or_remove("signature", reasoning.signature.as_deref());
    out.set_or_remove("encrypted", reasoning.encrypted.as_deref());
    out.set_or_remove("id", reasoning.id.as_deref());
    out.set_flag("redacted", reasoning.redacted);
    part_extras(out, &reasoning.extras)
}
