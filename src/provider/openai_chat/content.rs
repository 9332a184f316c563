//! The content parts of messages.

use serde_json::{Value, json};

use super::super::fields::{self, Fields, Object, drop_needless_template, opaque};
use super::super::media::{data_of, note_lost, set_data, set_url, url_of};
use super::super::note::Note;
use super::super::opaque::as_text;
use super::SPOKEN;
use crate::message::{Extras, Format, Media, MediaKind, Part, Reasoning};

const FORMAT: Format = Format::OpenaiChat;

/// Reads a content part. `texts_only`: media are not allowed here, so that those that came nevertheless need their
/// template.
pub(super) fn read(value: &Value, texts_only: bool) -> Part {
    let mut part = read_known(value).unwrap_or_else(|| opaque(FORMAT, value));
    if matches!(part, Part::Media(_)) {
        drop_needless_template(&mut part, value, |part| write(part, texts_only, &mut Vec::new()));
    }
    part
}

/// Reads a content part of an answer, which may be a block of Claude's thinking: `LangChain` has it there. Other providers have
/// lists in such a part; they are passed on as they are.
pub(super) fn read_said(value: &Value) -> Part {
    thinking(value).unwrap_or_else(|| read(value, true))
}

fn thinking(value: &Value) -> Option<Part> {
    let mut fields = Fields::new(value.as_object()?);
    let mut reasoning = match fields.take_string("type")?.as_str() {
        "thinking" => Reasoning {
            text: Some(fields.take_text("thinking")?),
            signature: Some(fields.take_text("signature")?),
            ..Reasoning::default()
        },
        "redacted_thinking" => {
            Reasoning { signature: Some(fields.take_text("data")?), redacted: true, ..Reasoning::default() }
        }
        _ => return None,
    };
    reasoning.extras = Extras::new(FORMAT, fields.into_template());
    Some(Part::from(reasoning))
}

/// Whether it came as a content part.
pub(super) fn is_block(reasoning: &Reasoning) -> bool {
    reasoning.signature.is_some() && reasoning.extras.came_in(FORMAT)
}

fn thinking_block(reasoning: &Reasoning) -> Value {
    let mut out = Object::of(&reasoning.extras, FORMAT);
    let signature = fields::json(reasoning.signature.as_deref().unwrap_or_default());
    if reasoning.redacted {
        out.set("type", "redacted_thinking").set("data", signature);
    } else {
        out.set("type", "thinking");
        out.set("thinking", fields::json(reasoning.text.as_deref().unwrap_or_default()));
        out.set("signature", signature);
    }
    out.into_value()
}

fn read_known(value: &Value) -> Option<Part> {
    let mut fields = Fields::new(value.as_object()?);
    let kind = fields.take_string("type")?;
    let inner = |fields: &mut Fields| match fields.take(&kind) {
        Some(Value::Object(map)) => Some(Fields::new(&map)),
        _ => None,
    };
    let mut media = match kind.as_str() {
        "text" | "refusal" => {
            let text = fields.take_text(&kind)?;
            return Some(if kind == "text" {
                Part::Text { text, extras: fields.into_extras(FORMAT, &["type", "text"]) }
            } else {
                // A refusal part without extras would be written as the message's `refusal` field.
                Part::Refusal { text, extras: Extras::new(FORMAT, fields.into_template()) }
            });
        }
        "image_url" => {
            let mut inner = inner(&mut fields)?;
            let mut media = Media::new(MediaKind::Image);
            set_url(&mut media, &inner.take_text("url")?);
            media.detail = inner.take_string("detail");
            fields.nest(&kind, inner, &["url", "detail"]);
            media
        }
        "input_audio" => {
            let mut inner = inner(&mut fields)?;
            let mut media = Media::new(MediaKind::Audio);
            media.data = Some(inner.take_text("data")?);
            media.media_type = inner.take_string("format").map(|f| format!("audio/{f}"));
            fields.nest(&kind, inner, &["data", "format"]);
            media
        }
        "file" => {
            let mut inner = inner(&mut fields)?;
            let mut media = Media::new(MediaKind::Document);
            media.filename = inner.take_string("filename");
            media.file_id = inner.take_string("file_id");
            if let Some(data) = inner.take_text("file_data") {
                set_data(&mut media, data);
            }
            fields.nest(&kind, inner, &["filename", "file_data", "file_id"]);
            media
        }
        _ => return None,
    };
    media.extras = Extras::new(FORMAT, fields.into_template());
    Some(Part::Media(media.into()))
}

/// Writes parts as content: a string if it is one plain text that did not come as a list; `None` if nothing of it can
/// be expressed. `texts_only`: no media are allowed here.
pub(super) fn write_all(
    parts: &[&Part],
    as_list: bool,
    texts_only: bool,
    notes: &mut Vec<Note>,
) -> Option<Value> {
    if let ([Part::Text { text, extras }], false) = (parts, as_list)
        && !extras.came_in(FORMAT)
    {
        return Some(fields::json(text));
    }
    let list: Vec<Value> = parts.iter().filter_map(|part| write(part, texts_only, notes)).collect();
    (!list.is_empty()).then(|| fields::text_or_list(list, as_list))
}

fn write(part: &Part, texts_only: bool, notes: &mut Vec<Note>) -> Option<Value> {
    let text_like = |kind: &str, text: &str, extras: &Extras| {
        let mut out = Object::of(extras, FORMAT);
        out.set_or_remove(SPOKEN, None::<Value>);
        out.set("type", kind).set(kind, fields::json(text));
        Some(out.into_value())
    };
    match part {
        Part::Text { text, extras } => text_like("text", text, extras),
        Part::Refusal { text, extras } => text_like("refusal", text, extras),
        Part::Media(media) if texts_only && !media.extras.came_in(FORMAT) => {
            let what = media.kind.with_article();
            notes.push(Note::new(format!("{what} is only mentioned: only text is allowed here")));
            Some(json!({ "type": "text", "text": format!("[{what}]") }))
        }
        Part::Media(media) => self::media(media, notes),
        Part::Opaque { format: FORMAT, raw } => Some(raw.as_ref().clone()),
        Part::Opaque { format, raw } => write(&as_text(*format, raw, notes)?, texts_only, notes),
        Part::Reasoning(reasoning) if is_block(reasoning) => Some(thinking_block(reasoning)),
        Part::Reasoning(_) | Part::ToolCall(_) | Part::ToolOutput(_) => None,
    }
}

fn media(media: &Media, notes: &mut Vec<Note>) -> Option<Value> {
    let mut out = Object::of(&media.extras, FORMAT);
    let kind = match media.kind {
        MediaKind::Image => "image_url",
        MediaKind::Document => "file",
        MediaKind::Audio => "input_audio",
    };
    let mut inner = out.nested(kind).unwrap_or_default();
    match media.kind {
        MediaKind::Image => {
            let Some(url) = url_of(media, "image/png") else {
                notes.push(Note::new("an image with only a file id is left out: a URL or data is required"));
                return None;
            };
            let kept: &[&str] =
                if media.data.is_some() { &["data", "media_type", "detail"] } else { &["url", "detail"] };
            note_lost(media, FORMAT, kept, media.data.as_ref().map(|_| "image/png"), notes);
            inner.set("url", url);
            inner.set_or_remove("detail", media.detail.as_deref());
        }
        MediaKind::Audio => {
            let Some(data) = &media.data else {
                notes.push(Note::new("audio without data is left out"));
                return None;
            };
            note_lost(media, FORMAT, &["data", "media_type"], None, notes);
            inner.set("data", fields::json(data));
            let format = media.media_type.as_deref().map(|t| t.strip_prefix("audio/").unwrap_or(t));
            inner.set_or_remove("format", format);
        }
        MediaKind::Document => {
            if media.data.is_none() && media.file_id.is_none() && !media.extras.came_in(FORMAT) {
                notes
                    .push(Note::new("a document with only a URL is left out: data or a file id is required"));
                return None;
            }
            let kept: &[&str] = match media.data {
                Some(_) => &["data", "media_type", "file_id", "filename"],
                None => &["file_id", "filename"],
            };
            note_lost(media, FORMAT, kept, None, notes);
            inner.set_or_remove("filename", media.filename.as_deref());
            inner.set_or_remove("file_data", data_of(media));
            inner.set_or_remove("file_id", media.file_id.as_deref());
        }
    }
    out.set("type", kind).set(kind, inner.into_value());
    Some(out.into_value())
}
