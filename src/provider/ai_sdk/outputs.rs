//! Tool results.

use serde_json::Value;

use super::super::Calls;
use super::super::fields::{self, Fields, Object, drop_needless_template, opaque};
use super::super::media::note_lost;
use super::super::note::Note;
use super::super::opaque::take_json;
use super::parts::kind_of;
use crate::message::{Extras, Format, Media, MediaKind, Part, ToolOutput};

const FORMAT: Format = Format::AiSdk;

/// Reads a `tool-result` as a tool output; `None` if its shape is not the documented one. `calls`: those before it.
pub(super) fn read(value: &Value, calls: &Calls<'_>) -> Option<Part> {
    let mut fields = Fields::new(value.as_object()?);
    if fields.take_string("type")? != "tool-result" {
        return None;
    }
    let id = fields.take_string("toolCallId")?;
    let mut output = Fields::new(fields.get("output")?.as_object()?);
    let kind = output.get("type")?.as_str()?.to_owned();
    let content = match kind.as_str() {
        "text" | "error-text" => vec![Part::text(output.take_text("value")?)],
        "json" | "error-json" => {
            vec![Part::text(take_json(&mut output, "value").unwrap_or_else(|| "null".to_owned()))]
        }
        "execution-denied" => output.take_text("reason").map(Part::text).into_iter().collect(),
        "content" => match output.take("value")? {
            Value::Array(list) => list.iter().map(read_part).collect(),
            _ => return None,
        },
        _ => return None,
    };
    fields.mark("output", Value::Object(output.into_template()));
    let mut output = Part::from(ToolOutput {
        content,
        is_error: kind.starts_with("error-") || kind == "execution-denied",
        extras: Extras::new(FORMAT, fields.into_template()),
        ..ToolOutput::text(id, "")
    });
    // Without its call, the name that would be written depends on what comes before it later.
    let is_known = output.as_tool_output().is_some_and(|output| calls.get(&output.call_id).is_some());
    if is_known && matches!(kind.as_str(), "text" | "error-text" | "content") {
        drop_needless_template(&mut output, value, |output| {
            Some(write(output.as_tool_output()?, calls, &mut Vec::new()))
        });
    }
    Some(output)
}

fn read_part(value: &Value) -> Part {
    let mut part = read_known(value).unwrap_or_else(|| opaque(FORMAT, value));
    if matches!(part, Part::Media(_)) {
        drop_needless_template(&mut part, value, |part| write_part(part, &mut Vec::new()));
    }
    part
}

fn read_known(value: &Value) -> Option<Part> {
    let mut fields = Fields::new(value.as_object()?);
    let kind = fields.get("type")?.as_str()?.to_owned();
    let mut media = match kind.as_str() {
        "text" => {
            fields.take("type");
            let text = fields.take_text("text")?;
            return Some(Part::Text { text, extras: fields.into_extras(FORMAT, &["type", "text"]) });
        }
        "media" | "file-data" | "image-data" => {
            let media_type = fields.take_string("mediaType")?;
            let image = kind == "image-data" || kind_of(Some(&media_type)) == MediaKind::Image;
            let mut media = Media::new(if image { MediaKind::Image } else { MediaKind::Document });
            media.data = Some(fields.take_text("data")?);
            media.media_type = Some(media_type);
            media
        }
        "file-url" | "image-url" => {
            let image = kind == "image-url";
            let mut media = Media::new(if image { MediaKind::Image } else { MediaKind::Document });
            media.url = Some(fields.take_string("url")?);
            media.media_type = fields.take_string("mediaType");
            media
        }
        _ => return None,
    };
    media.filename = fields.take_string("filename");
    media.extras = Extras::new(FORMAT, fields.into_template());
    Some(Part::Media(media.into()))
}

/// Writes a result.
pub(super) fn write(output: &ToolOutput, calls: &Calls<'_>, notes: &mut Vec<Note>) -> Value {
    let mut out = Object::of(&output.extras, FORMAT);
    let inner = out.nested("output").unwrap_or_default();
    out.set("type", "tool-result").set("toolCallId", output.call_id.as_str());
    if !out.has("toolName") {
        out.set("toolName", calls.get(&output.call_id).map_or("unknown", |call| call.name.as_str()));
    }
    out.set("output", write_output(output, inner, notes));
    out.into_value()
}

fn write_output(output: &ToolOutput, mut out: Object, notes: &mut Vec<Note>) -> Value {
    let given_type = out.get("type").and_then(Value::as_str).map(str::to_owned);
    let single = match output.content.as_slice() {
        [Part::Text { text, extras }] if !extras.came_in(FORMAT) => Some(text),
        _ => None,
    };
    match (given_type.as_deref(), single) {
        (Some("execution-denied"), text) => {
            out.set_or_remove("reason", text.map(ToString::to_string));
        }
        (Some("json" | "error-json"), Some(text)) => {
            let kept = out.get("value").map(Value::to_string).as_deref() == Some(&**text);
            match serde_json::from_str::<Value>(text) {
                Ok(_) if kept => {}
                Ok(value) => {
                    out.set("value", value);
                }
                Err(_) => {
                    out.set("type", if output.is_error { "error-text" } else { "text" });
                    out.set("value", fields::json(text));
                }
            }
        }
        (Some("text" | "error-text") | None, Some(text)) => {
            if given_type.is_none() {
                out.set("type", if output.is_error { "error-text" } else { "text" });
            }
            out.set("value", fields::json(text));
        }
        _ => {
            if output.is_error && given_type.as_deref() != Some("content") {
                notes
                    .push(Note::new("`is_error` is left out: a result with several parts has no such field"));
            }
            let parts: Vec<Value> = output.content.iter().filter_map(|p| write_part(p, notes)).collect();
            out.set("type", "content").set("value", parts);
        }
    }
    out.into_value()
}

fn write_part(part: &Part, notes: &mut Vec<Note>) -> Option<Value> {
    match part {
        Part::Text { text, extras } | Part::Refusal { text, extras } => {
            let mut out = Object::of(extras, FORMAT);
            out.set("type", "text").set("text", fields::json(text));
            Some(out.into_value())
        }
        Part::Media(media) => {
            let is_own = media.extras.came_in(FORMAT);
            let mut out = Object::of(&media.extras, FORMAT);
            let image = media.kind == MediaKind::Image;
            if !is_own {
                out.set(
                    "type",
                    match (&media.data, image) {
                        (Some(_), true) => "image-data",
                        (Some(_), false) => "file-data",
                        (None, true) => "image-url",
                        (None, false) => "file-url",
                    },
                );
            }
            if media.data.is_none() && media.url.is_none() && !is_own {
                notes.push(Note::new("a file that is stored with another provider is left out"));
                return None;
            }
            let kept: &[&str] = match (&media.data, image) {
                (Some(_), _) => &["data", "media_type"],
                (None, false) => &["url", "media_type"],
                (None, true) => &["url"],
            };
            let assumed = if image { "image/png" } else { "application/pdf" };
            note_lost(media, FORMAT, kept, media.data.as_ref().map(|_| assumed), notes);
            out.set_or_remove("data", media.data.as_deref());
            out.set_or_remove("url", media.url.as_deref().filter(|_| media.data.is_none()));
            let needed = media.data.is_some().then_some(assumed);
            let media_type = media.media_type.as_deref().or(needed.filter(|_| !is_own));
            out.set_or_remove("mediaType", media_type.filter(|_| is_own || !image || media.data.is_some()));
            out.set_or_remove("filename", media.filename.as_deref().filter(|_| is_own));
            Some(out.into_value())
        }
        Part::Opaque { format: FORMAT, raw } => Some(raw.as_ref().clone()),
        _ => {
            notes.push(Note::new("a part that this format does not support is left out"));
            None
        }
    }
}
