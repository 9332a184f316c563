//! Content blocks.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::super::call_ids;
use super::super::fields::{self, Fields, Object, drop_needless_template, opaque};
use super::super::media::note_lost;
use super::super::note::Note;
use super::super::opaque::{as_text, can_express, object_arguments, opaque_call, take_json};
use super::super::{thinking, tool_names};
use super::refused::{NO_ERROR_TEXT, fitting, is_blank, is_blank_text};
use crate::message::{
    CallKind, Extras, Format, Media, MediaKind, Part, Reasoning, Text, ToolCall, ToolOutput,
};

const FORMAT: Format = Format::Anthropic;

/// Reads a block. A block that is not understood is carried unchanged.
pub(super) fn read(value: &Value) -> Part {
    let mut part = read_known(value).unwrap_or_else(|| opaque(FORMAT, value));
    if matches!(part, Part::Reasoning(_)) {
        drop_needless_template(&mut part, value, |part| write(part, false, &mut Vec::new()));
    }
    part
}

fn read_known(value: &Value) -> Option<Part> {
    let map = value.as_object()?;
    let mut fields = Fields::new(map);
    let kind = fields.take_string("type")?;
    Some(match kind.as_str() {
        "text" => {
            let text = fields.take_text("text")?;
            let usual = !is_blank(&text); // without extras, an empty text would be left out
            let extras = fields.into_extras_if_unusual(usual, FORMAT, &["type", "text"]);
            Part::Text { text, extras }
        }
        "thinking" => {
            let mut out = Reasoning { text: Some(fields.take_text("thinking")?), ..Reasoning::default() };
            out.signature = fields.take_text("signature");
            out.extras = Extras::new(FORMAT, fields.into_template());
            Part::from(out)
        }
        "redacted_thinking" => {
            let data = fields.take_text("data")?;
            let extras = fields.into_extras(FORMAT, &["type", "data"]);
            Part::from(Reasoning { signature: Some(data), redacted: true, extras, ..Reasoning::default() })
        }
        "tool_use" => {
            let id = fields.take_string("id")?;
            let name = fields.take_string("name")?;
            let input = take_json(&mut fields, "input")?;
            // Without extras, an id or a name that the API does not accept would be rewritten.
            let usual = tool_id(&id) == id && tool_names::fits(&name, tool_names::MAX_NAME_CHARS);
            let mut call = ToolCall::function(id, name, input);
            let order = ["type", "id", "name", "input"];
            call.extras = fields.into_extras_if_unusual(usual, FORMAT, &order);
            Part::from(call)
        }
        "server_tool_use" | "mcp_tool_use" => {
            let mut call = opaque_call(map.get("id")?.as_str()?, FORMAT, value.clone().into());
            call.hosted = true;
            Part::from(call)
        }
        "tool_result" => {
            let call_id = fields.take_string("tool_use_id")?;
            let mut usual = tool_id(&call_id) == call_id;
            let content = match fields.take("content") {
                Some(Value::String(text)) => vec![Part::text(text)],
                Some(Value::Array(list)) => {
                    let parts: Vec<Part> = list.iter().map(read).collect();
                    usual &= parts.len() > 1 || matches!(parts.as_slice(), [p] if !is_plain_text(p));
                    parts
                }
                _ => Vec::new(),
            };
            let is_error = fields.take_flag("is_error").unwrap_or(false);
            let order = ["type", "tool_use_id", "content", "is_error"];
            let extras = fields.into_extras_if_unusual(usual, FORMAT, &order);
            Part::from(ToolOutput { content, is_error, extras, ..ToolOutput::text(call_id, "") })
        }
        "image" | "document" => Part::Media(media(fields, &kind)?.into()),
        _ => return None,
    })
}

fn is_plain_text(part: &Part) -> bool {
    matches!(part, Part::Text { extras, .. } if extras.is_empty())
}

fn media(mut fields: Fields, kind: &str) -> Option<Media> {
    let mut source = Fields::new(fields.get("source")?.as_object()?);
    let mut media = Media::new(if kind == "image" { MediaKind::Image } else { MediaKind::Document });
    match source.get("type")?.as_str()? {
        "base64" => {
            media.data = Some(source.take_text("data")?);
            media.media_type = source.take_string("media_type");
        }
        "url" => media.url = Some(source.take_string("url")?),
        "file" => media.file_id = Some(source.take_string("file_id")?),
        _ => return None,
    }
    source.take("type");
    fields.take("source");
    media.filename = fields.take_string("title");
    fields.nest("source", source, &["type", "media_type", "data", "url", "file_id"]);
    media.extras = fields.into_extras(FORMAT, &["type", "title", "source"]);
    Some(media)
}

/// Writes a block, or adds a note and returns `None` if the format cannot express it. `texts_only`: no media are
/// allowed here.
pub(super) fn write(part: &Part, texts_only: bool, notes: &mut Vec<Note>) -> Option<Value> {
    match part {
        Part::Text { text, extras } | Part::Refusal { text, extras } => {
            if is_blank(text) && !extras.came_in(FORMAT) {
                return None; // the API refuses empty texts, and nothing is lost
            }
            if matches!(part, Part::Refusal { .. }) {
                notes.push(Note::new("a refusal is written as text"));
            }
            let mut out = Object::of(extras, FORMAT);
            out.set("type", "text").set("text", fields::json(text));
            Some(out.into_value())
        }
        Part::Media(media) if texts_only => {
            notes.push(Note::new(format!(
                "{} is left out: only text is allowed here",
                media.kind.with_article()
            )));
            None
        }
        Part::Media(media) => write_media(media, notes),
        Part::Reasoning(reasoning) => write_thinking(reasoning, notes),
        Part::ToolCall(call) => tool_use(call, notes),
        Part::ToolOutput(output) => Some(tool_result(output, notes)),
        Part::Opaque { format: FORMAT, raw } => Some(raw.as_ref().clone()),
        Part::Opaque { format, raw } => write(&as_text(*format, raw, notes)?, texts_only, notes),
    }
}

fn write_media(media: &Media, notes: &mut Vec<Note>) -> Option<Value> {
    if media.kind == MediaKind::Audio {
        notes.push(Note::new("audio is left out: there are no audio blocks"));
        return None;
    }
    let is_image = media.kind == MediaKind::Image;
    let title: &[&str] = if is_image { &[] } else { &["filename"] };
    let mut out = Object::of(&media.extras, FORMAT);
    let mut source = out.nested("source").unwrap_or_default();
    if let Some(data) = &media.data {
        let default = if is_image { "image/png" } else { "application/pdf" };
        note_lost(media, FORMAT, &[&["data", "media_type"], title].concat(), Some(default), notes);
        let media_type = media.media_type.as_deref().unwrap_or(default);
        source.set("type", "base64").set("media_type", media_type).set("data", fields::json(data));
    } else if let Some(url) = &media.url {
        note_lost(media, FORMAT, &[&["url"], title].concat(), None, notes);
        source.set("type", "url").set("url", url.as_str());
    } else if let Some(file_id) = media.file_id.as_deref().filter(|_| media.extras.came_in(FORMAT)) {
        source.set("type", "file").set("file_id", file_id);
    } else {
        let what =
            format!("{} is left out: its file is stored with another provider", media.kind.with_article());
        notes.push(Note::new(what));
        return None;
    }
    out.set("type", if is_image { "image" } else { "document" });
    if !is_image {
        out.set_or_remove("title", media.filename.as_deref());
    }
    out.set("source", source.into_value());
    Some(out.into_value())
}

fn write_thinking(reasoning: &Reasoning, notes: &mut Vec<Note>) -> Option<Value> {
    // A block that came in this format is written unchanged (INV-9); the view leaves it out.
    if reasoning.is_cut_off() && !reasoning.extras.came_in(FORMAT) {
        notes.push(Note::new("thinking without a signature is left out: its stream was cut off"));
        return None;
    }
    let mut out = Object::of(&reasoning.extras, FORMAT);
    match (&reasoning.signature, reasoning.redacted) {
        (Some(data), true) => {
            thinking::note_lost(reasoning, FORMAT, &["signature"], notes);
            out.set("type", "redacted_thinking").set("data", fields::json(data));
        }
        (None, _) if !reasoning.extras.came_in(FORMAT) => {
            notes.push(Note::new("reasoning without a signature is left out: another provider made it"));
            return None;
        }
        (signature, _) => {
            thinking::note_lost(reasoning, FORMAT, &["text", "signature"], notes);
            out.set("type", "thinking");
            out.set("thinking", fields::json(reasoning.text.as_deref().unwrap_or_default()));
            out.set_or_remove("signature", signature.as_deref());
        }
    }
    Some(out.into_value())
}

/// An id as the API accepts it. Most ids of other providers are already valid.
fn tool_id(id: &str) -> Cow<'_, str> {
    call_ids::acceptable_id(id, usize::MAX, |c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn tool_use(call: &ToolCall, notes: &mut Vec<Note>) -> Option<Value> {
    if let CallKind::Other { format: FORMAT, raw } = &call.kind {
        return Some(raw.as_ref().clone());
    }
    if !can_express(call, FORMAT, notes) {
        return None;
    }
    let mut out = Object::of(&call.extras, FORMAT);
    let id = if call.extras.came_in(FORMAT) { Cow::from(&call.id) } else { tool_id(&call.id) };
    if id != call.id {
        notes.push(Note::new(format!(
            "the call id `{}` is written `{id}`: only letters, digits, _ and - are allowed",
            call.id
        )));
    }
    let name = tool_names::name_of(call, FORMAT, tool_names::MAX_NAME_CHARS, notes);
    let input = object_arguments(call, out.get("input"), notes);
    out.set("type", "tool_use").set("id", &*id).set("name", &*name).set("input", input);
    Some(out.into_value())
}

fn tool_result(output: &ToolOutput, notes: &mut Vec<Note>) -> Value {
    let mut out = Object::of(&output.extras, FORMAT);
    let id =
        if output.extras.came_in(FORMAT) { Cow::from(&output.call_id) } else { tool_id(&output.call_id) };
    out.set("type", "tool_result").set("tool_use_id", &*id);
    match fitting(output, notes).as_slice() {
        parts if output.is_error && parts.iter().all(|part| is_blank_text(part)) => {
            notes.push(Note::new("an empty tool error gets a text: the API rejects it otherwise"));
            out.set("content", NO_ERROR_TEXT);
        }
        [Part::Text { text, extras }] if !extras.came_in(FORMAT) && !out.had_array("content") => {
            out.set("content", fields::json(text));
        }
        [] if !out.had_array("content") || out.had_empty_list("content") => {}
        parts => {
            let blocks: Vec<Value> = parts.iter().filter_map(|p| write(p, false, notes)).collect();
            if blocks.is_empty() && !out.had_empty_list("content") {
                out.set("content", "");
            } else {
                out.set("content", blocks);
            }
        }
    }
    out.set_flag("is_error", output.is_error);
    out.into_value()
}

/// Whether it is a tool result, which must come before everything else in its message.
pub(super) fn is_result(part: &Part) -> bool {
    matches!(part, Part::ToolOutput(_))
}

/// A text as a block, for content that must be a list.
pub(super) fn text(text: &Text) -> Value {
    json!({ "type": "text", "text": text.as_ref() })
}
