//! Content parts.

use serde_json::{Map, Value, json};

use super::super::anthropic::is_blank;
use super::super::fields::{self, Fields, Object, drop_needless_template, opaque};
use super::super::item_ids;
use super::super::media::{note_lost, split_data_url};
use super::super::note::Note;
use super::super::opaque::{as_text, can_express, json_input, take_json};
use super::super::thinking;
use crate::message::{CallKind, Extras, Format, Media, MediaKind, Part, Reasoning, Text, ToolCall};

const FORMAT: Format = Format::AiSdk;

/// Reads a part of a user or assistant message. A part that is not understood is carried unchanged.
pub(super) fn read(value: &Value, made: bool) -> Part {
    let mut part = read_known(value).unwrap_or_else(|| opaque(FORMAT, value));
    // Reasoning with an id needs its mark: it loses the id if what follows it has none.
    if matches!(&part, Part::Media(_))
        || matches!(&part, Part::Reasoning(reasoning) if reasoning.id.is_none())
    {
        let write = if made { write_made } else { write };
        drop_needless_template(&mut part, value, |part| write(part, &mut Vec::new()));
    }
    part
}

fn read_known(value: &Value) -> Option<Part> {
    let mut fields = Fields::new(value.as_object()?);
    let kind = fields.take_string("type")?;
    Some(match kind.as_str() {
        "text" => {
            let text = fields.take_text("text")?;
            Part::Text { text, extras: fields.into_extras(FORMAT, &["type", "text"]) }
        }
        "reasoning" => {
            let text = fields.take_text("text")?;
            let mut out = Reasoning::default();
            // The data that a provider requires back is in its options. It is read for other formats; in this format it
            // is written from the template.
            let option = |path: &str| {
                value.pointer(&format!("/providerOptions/{path}")).and_then(Value::as_str).map(Text::from)
            };
            out.redacted = option("anthropic/redactedData").is_some();
            out.signature = option("anthropic/redactedData").or_else(|| option("anthropic/signature"));
            out.encrypted = option("openai/reasoningEncryptedContent");
            out.id = option("openai/itemId").map(|id| id.to_string());
            match out.id.is_some() || out.encrypted.is_some() {
                true if text.is_empty() => {} // the text that OpenAI shows of its reasoning is a summary
                true => out.summary.push(text),
                false if out.redacted && text.is_empty() => {}
                false => out.text = Some(text),
            }
            out.extras = Extras::new(FORMAT, fields.into_template());
            Part::from(out)
        }
        "tool-call" => {
            let id = fields.take_string("toolCallId")?;
            let name = fields.take_string("toolName")?;
            let input = take_json(&mut fields, "input").unwrap_or_else(|| "null".to_owned());
            let mut call = ToolCall::function(id, name, input);
            call.hosted = fields.get("providerExecuted") == Some(&Value::Bool(true));
            call.extras = fields.into_extras(FORMAT, &["type", "toolCallId", "toolName", "input"]);
            Part::from(call)
        }
        "image" | "file" => Part::Media(media(fields, &kind)?.into()),
        _ => return None,
    })
}

/// What a file is. The SDK also takes the bare kind as its type, `image`.
pub(super) fn kind_of(media_type: Option<&str>) -> MediaKind {
    match media_type.and_then(|name| name.split('/').next()) {
        Some("image") => MediaKind::Image,
        Some("audio") => MediaKind::Audio,
        _ => MediaKind::Document,
    }
}

/// Whether a media type is only a kind: `image`, or `image/*`.
fn is_bare(media_type: &str) -> bool {
    media_type.split_once('/').is_none_or(|(_, subtype)| subtype == "*")
}

fn media(mut fields: Fields, kind: &str) -> Option<Media> {
    let media_type = fields.take_string("mediaType");
    let mut media =
        Media::new(if kind == "image" { MediaKind::Image } else { kind_of(media_type.as_deref()) });
    match media_type {
        // It names only the kind, and the SDK finds out the rest: it stays in the template, and no other format would take it.
        Some(kind) if is_bare(&kind) => fields.restore("mediaType", Value::String(kind)),
        named => media.media_type = named,
    }
    media.filename = fields.take_string("filename");
    let options = fields.get("providerOptions").and_then(|options| options.pointer("/openai/imageDetail"));
    media.detail = options.and_then(Value::as_str).map(str::to_owned);
    let key = if kind == "image" { "image" } else { "data" };
    if let Some(text) = fields.take_text(key) {
        let typed = media.media_type.is_some();
        if source(&mut media, &text) {
            fields.mark(DATA_URL, Value::Bool(typed));
        }
    } else if let Some(Value::Object(map)) = fields.get(key) {
        let mut inner = Fields::new(map);
        match inner.get("type").and_then(Value::as_str) {
            Some("data") => media.data = Some(inner.take_text("data")?),
            Some("url") => media.url = Some(inner.take_string("url")?),
            _ => {} // bytes, or a reference to a provider's file: it stays in the template
        }
        fields.take(key);
        fields.nest(key, inner, &[]);
    }
    media.extras = Extras::new(FORMAT, fields.into_template());
    Some(media)
}

/// Sets the data or address from a string, which is a URL, a data URL, or base64 data. Returns whether it was a data
/// URL.
fn source(media: &mut Media, text: &Text) -> bool {
    match split_data_url(text) {
        // the declared type takes precedence; if they differ, the data URL is kept as a URL so that its own type is not
        // lost
        Some((media_type, data)) if media.media_type.as_deref().is_none_or(|t| t == media_type) => {
            media.media_type = Some(media_type.to_owned());
            media.data = Some(data.into());
            return true;
        }
        _ if text.contains("://") || text.starts_with("data:") => media.url = Some(text.to_string()),
        _ => media.data = Some(text.clone()),
    }
    false
}

/// Whether an assistant message may have this part: media must be files, and some providers refuse blank texts.
pub(super) fn fits_assistant(part: &Part) -> bool {
    match part {
        Part::Media(media) => !media.extras.has(FORMAT, "image"),
        Part::Text { text, .. } => !is_blank(text),
        _ => true,
    }
}

/// Writes a part of an assistant message, in which media are files.
pub(super) fn write_made(part: &Part, notes: &mut Vec<Note>) -> Option<Value> {
    match part {
        Part::Media(media) => write_media(media, true, notes),
        part => write(part, notes),
    }
}

/// Writes a part, or adds a note and returns `None` if the format cannot express it.
pub(super) fn write(part: &Part, notes: &mut Vec<Note>) -> Option<Value> {
    match part {
        Part::Text { text, extras } => {
            let mut out = Object::of(extras, FORMAT);
            out.set("type", "text").set("text", fields::json(text));
            set_item_id(&mut out, part);
            Some(out.into_value())
        }
        Part::Refusal { text, .. } => {
            notes.push(Note::new("a refusal is written as text"));
            Some(json!({ "type": "text", "text": text.as_ref() }))
        }
        Part::Media(media) => write_media(media, false, notes),
        Part::Reasoning(reasoning) if reasoning.is_cut_off() && !reasoning.extras.came_in(FORMAT) => {
            notes.push(Note::new("thinking without a signature is left out: its stream was cut off"));
            None
        }
        Part::Reasoning(reasoning) => Some(write_reasoning(reasoning, notes)),
        Part::ToolCall(call) => {
            let mut out = tool_call(call, notes)?;
            set_item_id(&mut out, part);
            Some(out.into_value())
        }
        Part::Opaque { format: FORMAT, raw } => Some(raw.as_ref().clone()),
        Part::Opaque { format, raw } => write(&as_text(*format, raw, notes)?, notes),
        Part::ToolOutput(_) => None,
    }
}

/// The data or address as a string, in its original form.
fn source_of(media: &Media, was_data_url: bool) -> Option<String> {
    match (&media.data, &media.url) {
        (Some(data), _) if was_data_url => {
            Some(format!("data:{};base64,{data}", media.media_type.as_deref().unwrap_or_default()))
        }
        (Some(data), _) => Some(data.to_string()),
        (None, url) => url.clone(),
    }
}

fn write_media(media: &Media, as_file: bool, notes: &mut Vec<Note>) -> Option<Value> {
    let is_own = media.extras.came_in(FORMAT);
    let mut out = Object::of(&media.extras, FORMAT);
    let is_image = if is_own {
        out.has("image") || !out.has("data")
    } else {
        media.kind == MediaKind::Image && !as_file
    };
    let key = if is_image { "image" } else { "data" };
    out.set("type", if is_image { "image" } else { "file" });
    let default = match media.kind {
        MediaKind::Image => as_file.then_some("image/png"),
        MediaKind::Document => Some("application/pdf"),
        MediaKind::Audio => Some("audio/wav"),
    };
    let source_key = if media.data.is_some() { "data" } else { "url" };
    let other = if is_image { "detail" } else { "filename" };
    note_lost(media, FORMAT, &[source_key, "media_type", other], default, notes);
    if let Some(mut inner) = out.nested(key) {
        let (has_data, has_url) = (inner.has("data"), inner.has("url"));
        inner.set_or_remove("data", media.data.as_deref().filter(|_| has_data));
        inner.set_or_remove("url", media.url.as_deref().filter(|_| has_url));
        out.set(key, inner.into_value());
    } else if !is_own || out.get(key).is_some_and(Value::is_string) {
        let Some(source) = source_of(media, out.has(DATA_URL)) else {
            notes.push(Note::new("a file that is stored with another provider is left out"));
            return None;
        };
        out.set(key, source);
    }
    // A data URL without a declared type already contains the type.
    let untyped = out.get(DATA_URL) == Some(&Value::Bool(false));
    out.remove(DATA_URL);
    let names_kind = out.get("mediaType").and_then(Value::as_str).is_some_and(|kind| !kind.is_empty());
    if !untyped && !names_kind {
        out.set_or_remove("mediaType", media.media_type.as_deref().or(default.filter(|_| !is_own)));
    }
    out.set_or_remove("filename", media.filename.as_deref().filter(|_| !is_image || is_own));
    if let Some(detail) = media.detail.as_deref().filter(|_| is_image && !is_own) {
        out.set("providerOptions", json!({ "openai": { "imageDetail": detail } }));
    }
    Some(out.into_value())
}

/// The key in a medium's extras that says that its data came as a data URL. The value is whether a type was declared as
/// well.
const DATA_URL: &str = "data_url";

fn write_reasoning(reasoning: &Reasoning, notes: &mut Vec<Note>) -> Value {
    let said = if reasoning.text.is_some() { "text" } else { "summary" };
    thinking::note_lost(reasoning, FORMAT, &["id", "signature", "encrypted", said], notes);
    if said == "summary" && reasoning.summary.len() > 1 {
        notes.push(Note::new("several summaries of reasoning are joined into one"));
    }
    let mut out = Object::of(&reasoning.extras, FORMAT);
    let text = reasoning.text.as_deref().map_or_else(|| reasoning.summary.join("\n"), str::to_owned);
    out.set("type", "reasoning").set("text", text);
    if !reasoning.extras.came_in(FORMAT) {
        let mut options = Map::new();
        if let Some(signature) = &reasoning.signature {
            let key = if reasoning.redacted { "redactedData" } else { "signature" };
            options.insert("anthropic".to_owned(), json!({ key: signature.as_ref() }));
        }
        let mut openai = Object::default();
        openai.set_or_remove("itemId", reasoning.id.as_deref());
        openai.set_or_remove("reasoningEncryptedContent", reasoning.encrypted.as_deref());
        if reasoning.id.is_some() || reasoning.encrypted.is_some() {
            options.insert("openai".to_owned(), openai.into_value());
        }
        if !options.is_empty() {
            out.set("providerOptions", options);
        }
    }
    out.into_value()
}

fn tool_call(call: &ToolCall, notes: &mut Vec<Note>) -> Option<Object> {
    if !can_express(call, FORMAT, notes) {
        return None;
    }
    let is_own = call.extras.came_in(FORMAT);
    let mut out = Object::of(&call.extras, FORMAT);
    let kept = out.get("input").filter(|v| v.to_string() == *call.input).cloned();
    let input = kept.unwrap_or_else(|| match &call.kind {
        CallKind::Custom => fields::json(&call.input),
        _ => match json_input(call, notes) {
            Value::Null if !is_own => Value::Object(Map::new()),
            Value::String(text) if *text == *call.input => {
                notes.push(Note::new(format!(
                    "the input of `{}` is not JSON and is written as a string",
                    call.name
                )));
                Value::String(text)
            }
            input => input,
        },
    });
    out.set("type", "tool-call").set("toolCallId", call.id.as_str()).set("toolName", call.name.as_str());
    if !is_own || out.has("input") {
        out.set("input", input);
    }
    Some(out)
}

/// An item that came with an `OpenAI` id keeps it, and so does the reasoning before it: the API accepts either both ids
/// or none.
fn set_item_id(out: &mut Object, part: &Part) {
    if part.extras().is_none_or(|extras| !extras.came_in(FORMAT))
        && let Some(id) = item_ids::of_responses(part)
    {
        out.set("providerOptions", item_ids::ai_sdk_options(&id));
    }
}
