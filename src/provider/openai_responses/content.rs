//! The content parts of messages and of tool outputs.

use serde_json::Value;

use super::super::fields::{Fields, Object, json, opaque, text_or_list};
use super::super::media::{data_of, note_lost, set_data, set_url, url_of};
use super::super::note::Note;
use super::super::opaque::as_text;
use crate::message::{Extras, Format, Media, MediaKind, Part};

const FORMAT: Format = Format::OpenaiResponses;

/// The key in the extras of an assistant's text for the template of its content part.
pub(super) const CONTENT: &str = "part";

/// Reads a content part. `text_type`: the usual type of texts here.
pub(super) fn read(value: &Value, text_type: &str) -> Part {
    read_known(value, text_type).unwrap_or_else(|| opaque(FORMAT, value))
}

fn read_known(value: &Value, text_type: &str) -> Option<Part> {
    let mut fields = Fields::new(value.as_object()?);
    let kind = fields.get("type")?.as_str()?.to_owned();
    match kind.as_str() {
        "input_text" | "output_text" | "text" => {
            let text = fields.take_text("text")?;
            if kind == text_type {
                fields.take("type");
            }
            Some(Part::Text { text, extras: fields.into_extras(FORMAT, &["type", "text"]) })
        }
        "refusal" => {
            let text = fields.take_text("refusal")?;
            fields.take("type");
            Some(Part::Refusal { text, extras: fields.into_extras(FORMAT, &["type", "refusal"]) })
        }
        "input_image" => {
            let mut media = Media::new(MediaKind::Image);
            fields.take("type");
            if let Some(url) = fields.take_text("image_url") {
                set_url(&mut media, &url);
            }
            media.file_id = fields.take_string("file_id");
            media.detail = fields.take_string("detail");
            media.extras = fields.into_extras(FORMAT, &["type", "image_url", "file_id", "detail"]);
            Some(Part::Media(media.into()))
        }
        "input_file" => {
            let mut media = Media::new(MediaKind::Document);
            fields.take("type");
            if let Some(data) = fields.take_text("file_data") {
                set_data(&mut media, data);
            }
            media.url = fields.take_string("file_url");
            media.file_id = fields.take_string("file_id");
            media.filename = fields.take_string("filename");
            media.detail = fields.take_string("detail");
            let order = ["type", "filename", "file_data", "file_url", "file_id", "detail"];
            media.extras = fields.into_extras(FORMAT, &order);
            Some(Part::Media(media.into()))
        }
        _ => None,
    }
}

/// Writes parts as content: a string if it is one plain text that did not come as a list.
pub(super) fn write_all(parts: &[Part], as_list: bool, text_type: &str, notes: &mut Vec<Note>) -> Value {
    match parts {
        [Part::Text { text, extras }] if !as_list && !extras.came_in(FORMAT) => json(text),
        _ => {
            let list = parts.iter().filter_map(|part| write(part, text_type, notes)).collect();
            let bare = parts.iter().all(|part| part.extras().is_some_and(|extras| !extras.came_in(FORMAT)));
            text_or_list(list, as_list || !bare)
        }
    }
}

/// Writes a content part, or adds a note if the format has no such part.
pub(super) fn write(part: &Part, text_type: &str, notes: &mut Vec<Note>) -> Option<Value> {
    match part {
        Part::Text { text, extras } => Some(text_part(text, extras, text_type)),
        Part::Refusal { text, extras } => Some(refusal_part(text, extras)),
        Part::Media(media) => match media.kind {
            MediaKind::Image => Some(image(media, notes)),
            MediaKind::Document => Some(file(media, notes)),
            MediaKind::Audio => {
                notes.push(Note::new("audio is left out: Responses input has no audio"));
                None
            }
        },
        Part::Opaque { format: FORMAT, raw } => Some(raw.as_ref().clone()),
        Part::Opaque { format, raw } => write(&as_text(*format, raw, notes)?, text_type, notes),
        Part::Reasoning(_) | Part::ToolCall(_) | Part::ToolOutput(_) => {
            notes.push(Note::new("a part that is not allowed inside content is left out"));
            None
        }
    }
}

/// A text part, written with its template.
pub(super) fn text_part(text: &str, extras: &Extras, text_type: &str) -> Value {
    let mut out = Object::of(extras, FORMAT);
    out.set_type(text_type).set("text", json(text));
    out.into_value()
}

/// A refusal part, written with its template.
pub(super) fn refusal_part(text: &str, extras: &Extras) -> Value {
    let mut out = Object::of(extras, FORMAT);
    out.set_type("refusal").set("refusal", json(text));
    out.into_value()
}

fn image(media: &Media, notes: &mut Vec<Note>) -> Value {
    let kept: &[&str] = match media.data {
        Some(_) => &["data", "media_type", "file_id", "detail"],
        None => &["url", "file_id", "detail"],
    };
    note_lost(media, FORMAT, kept, media.data.as_ref().map(|_| "image/png"), notes);
    let mut out = Object::of(&media.extras, FORMAT);
    out.set_type("input_image");
    out.set_or_remove("image_url", url_of(media, "image/png"));
    out.set_or_remove("file_id", media.file_id.as_deref());
    out.set_or_remove("detail", media.detail.as_deref());
    out.into_value()
}

fn file(media: &Media, notes: &mut Vec<Note>) -> Value {
    let kept = ["data", "url", "file_id", "filename", "detail"];
    let typed: &[&str] = if media.data.is_some() { &["media_type"] } else { &[] };
    note_lost(media, FORMAT, &[&kept, typed].concat(), None, notes);
    let mut out = Object::of(&media.extras, FORMAT);
    out.set_type("input_file");
    out.set_or_remove("filename", media.filename.as_deref());
    out.set_or_remove("file_data", data_of(media));
    out.set_or_remove("file_url", media.url.as_deref());
    out.set_or_remove("file_id", media.file_id.as_deref());
    out.set_or_remove("detail", media.detail.as_deref());
    out.into_value()
}
