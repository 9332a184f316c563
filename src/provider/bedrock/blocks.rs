//! Content blocks.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::super::anthropic::{fitting, is_blank};
use super::super::call_ids;
use super::super::fields::{self, Fields, Object, drop_needless_template, opaque};
use super::super::media::{BYTES, note_lost};
use super::super::note::Note;
use super::super::opaque::{as_text, can_express, json_input, object_arguments, opaque_call, take_json};
use super::super::{thinking, tool_names};
use super::documents;
use super::write::{self, Place};
use crate::message::{
    CallKind, Extras, Format, Media, MediaKind, Part, Reasoning, Text, ToolCall, ToolOutput,
};

const FORMAT: Format = Format::BedrockConverse;

/// The maximum length of tool names and call ids.
pub(in crate::provider) const MAX_ID_CHARS: usize = 64;

/// The block that marks the end of a prompt cache. It is kept as a second key of the block before it.
pub const CACHE_POINT: &str = "cachePoint";

/// Kinds of media, by the key of their blocks. Videos count as documents.
const MEDIA: [(&str, MediaKind); 4] = [
    ("image", MediaKind::Image),
    ("document", MediaKind::Document),
    ("audio", MediaKind::Audio),
    ("video", MediaKind::Document),
];

/// Blocks that contain a text and more, with the path of the text. They are written unchanged as long as the text is
/// the same.
const WRAPPED: [(&str, &str); 2] =
    [("guardContent", "/guardContent/text/text"), ("citationsContent", "/citationsContent/content/0/text")];

/// Reads blocks. A block that is not understood is carried unchanged.
pub fn read_all(blocks: &[Value]) -> Vec<Part> {
    let mut marked: Vec<Cow<'_, Value>> = Vec::new();
    for block in blocks {
        let mark =
            block.as_object().filter(|block| block.len() == 1).and_then(|block| block.get(CACHE_POINT));
        let before = marked.last_mut().filter(|last| last.is_object() && last.get(CACHE_POINT).is_none());
        match (mark, before) {
            (Some(mark), Some(before)) => before.to_mut()[CACHE_POINT] = mark.clone(),
            _ => marked.push(Cow::Borrowed(block)),
        }
    }
    marked.iter().map(|block| read(block)).collect()
}

fn read(value: &Value) -> Part {
    let mut part = read_known(value).unwrap_or_else(|| opaque(FORMAT, value));
    if matches!(part, Part::Reasoning(_)) {
        drop_needless_template(&mut part, value, |part| write(part, Place::Message, &mut Vec::new()));
    }
    part
}

fn read_known(value: &Value) -> Option<Part> {
    let map = value.as_object()?;
    let key = map.keys().find(|key| *key != CACHE_POINT && !map[*key].is_null())?.as_str();
    if let Some((_, path)) = WRAPPED.iter().find(|(wrapper, _)| *wrapper == key) {
        let is_one = value.pointer("/citationsContent/content/1").is_none();
        let text = value.pointer(path)?.as_str().filter(|_| is_one)?;
        return Some(Part::Text { text: text.into(), extras: Extras::new(FORMAT, map.clone()) });
    }
    let mut block = Fields::new(map);
    if key == "text" {
        let text = block.take_text(key)?;
        let usual = !is_blank(&text); // without extras, an empty text would be left out
        let extras = block.into_extras_if_unusual(usual, FORMAT, &[key]);
        return Some(Part::Text { text, extras });
    }
    if key == "json" {
        let text = take_json(&mut block, key)?;
        return Some(Part::Text { text: text.into(), extras: Extras::new(FORMAT, block.into_template()) });
    }
    let mut body = Fields::new(map.get(key)?.as_object()?);
    if let Some((_, kind)) = MEDIA.iter().find(|(media, _)| *media == key) {
        return Some(Part::Media(media(block, body, key, *kind)?.into()));
    }
    Some(match key {
        "toolUse" => {
            let id = body.take_string("toolUseId")?;
            if body.get("type").is_some_and(|kind| !kind.is_null()) {
                let mut call = opaque_call(id, FORMAT, value.clone().into());
                call.hosted = true; // the provider runs it, and reports the result in the same message
                return Some(Part::from(call));
            }
            let name = body.take_string("name")?;
            let input = take_json(&mut body, "input").unwrap_or_else(|| "null".to_owned());
            // Without extras, an id or a name that the API does not accept would be rewritten.
            let usual = tool_id(&id) == id && tool_names::fits(&name, MAX_ID_CHARS);
            let mut call = ToolCall::function(id, name, input);
            call.extras = closed(usual, block, key, body, &["toolUseId", "name", "input"]);
            Part::from(call)
        }
        "toolResult" => {
            if body.get("type").is_some_and(|kind| !kind.is_null()) {
                return None; // the result of a tool that the provider runs
            }
            let call_id = body.take_string("toolUseId")?;
            let holds = body.get("content").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
            // An empty list is not taken, because without a template it would be written with a text.
            let content = match if holds { body.take("content") } else { None } {
                Some(Value::Array(list)) => read_all(&list),
                _ => Vec::new(),
            };
            let is_error = body.get("status").and_then(Value::as_str) == Some("error");
            if is_error {
                body.take("status");
            }
            let usual = tool_id(&call_id) == call_id;
            let extras = closed(usual, block, key, body, &["toolUseId", "content", "status"]);
            Part::from(ToolOutput { content, is_error, extras, ..ToolOutput::text(call_id, "") })
        }
        "reasoningContent" => {
            let mut out = Reasoning::default();
            if let Some(data) = take_bytes(&mut body, "redactedContent") {
                (out.signature, out.redacted) = (Some(data), true);
            } else {
                let mut text_fields = Fields::new(body.get("reasoningText")?.as_object()?);
                out.text = Some(text_fields.take_text("text")?);
                out.signature = text_fields.take_text("signature");
                body.take("reasoningText");
                body.nest("reasoningText", text_fields, &["text", "signature"]);
            }
            block.take(key);
            block.nest(key, body, &["reasoningText", "redactedContent"]);
            out.extras = Extras::new(FORMAT, block.into_template());
            Part::from(out)
        }
        _ => return None,
    })
}

/// The template of a block whose body was taken. A block that is not `usual` is written differently without one.
fn closed(usual: bool, mut block: Fields, key: &str, body: Fields, order: &[&str]) -> Extras {
    block.take(key);
    block.nest(key, body, order);
    block.into_extras_if_unusual(usual, FORMAT, &[key])
}

/// Takes bytes as base64: from an object that represents the SDK's bytes (also written without a template), or from a
/// string.
fn take_bytes(fields: &mut Fields, key: &str) -> Option<Text> {
    let value = fields.get(key)?;
    if let Some(text) = value.as_str() {
        let text = text.into();
        fields.mark(key, json!("")); // not taken: the template records that it was a string
        return Some(text);
    }
    let text = value.get(BYTES)?.as_str()?.into();
    fields.take(key);
    Some(text)
}

/// Sets bytes in their original shape; without a template in the SDK's shape.
fn set_bytes(out: &mut Object, key: &str, data: &str) {
    let was_text = out.get(key).is_some_and(Value::is_string);
    out.set(key, if was_text { fields::json(data) } else { json!({ BYTES: data }) });
}

fn media(block: Fields, mut body: Fields, key: &str, kind: MediaKind) -> Option<Media> {
    let mut source = Fields::new(body.get("source")?.as_object()?);
    let mut media = Media::new(kind);
    media.data = take_bytes(&mut source, "bytes");
    if media.data.is_none() {
        let mut place = Fields::new(source.get("s3Location")?.as_object()?);
        media.file_id = Some(place.take_string("uri")?);
        source.take("s3Location");
        source.nest("s3Location", place, &["uri"]);
    }
    let format = body.get("format").and_then(Value::as_str).unwrap_or_default();
    if !format.is_empty() {
        let media_type = documents::media_type(key, format);
        if documents::format(key, &media_type) == Some(format) {
            body.take("format");
        }
        media.media_type = Some(media_type);
    }
    let name = body.take_string("name");
    body.take("source");
    body.nest("source", source, &["bytes", "s3Location"]);
    // Whether it would be written differently without a template.
    let is_unusual = key == "video" || key == "document" && !name.as_deref().is_none_or(documents::is_name);
    let extras = closed(true, block, key, body, &["format", "name", "source"]);
    // With a template, no name means that it had none.
    media.filename = name.filter(|name| name != documents::UNNAMED || !extras.is_empty());
    media.extras = if is_unusual && extras.is_empty() {
        Extras::new(FORMAT, Map::from_iter([(key.to_owned(), json!({}))]))
    } else {
        extras
    };
    Some(media)
}

/// Writes a block, or adds a note and returns `None` if the format cannot express it, or not in this place.
pub fn write(part: &Part, place: Place, notes: &mut Vec<Note>) -> Option<Value> {
    match part {
        Part::Text { text, extras } | Part::Refusal { text, extras } => {
            if is_blank(text) && !extras.came_in(FORMAT) {
                return None; // the API refuses empty texts, and nothing is lost
            }
            if matches!(part, Part::Refusal { .. }) {
                notes.push(Note::new("a refusal is written as text"));
            }
            Some(text_block(text, extras))
        }
        Part::Media(media) => write_media(media, place, notes),
        Part::Reasoning(reasoning) => write_thinking(reasoning, notes),
        Part::ToolCall(call) => tool_use(call, notes),
        Part::ToolOutput(output) => Some(tool_result(output, notes)),
        Part::Opaque { format: FORMAT, raw } => Some(raw.as_ref().clone()),
        Part::Opaque { format, raw } => write(&as_text(*format, raw, notes)?, place, notes),
    }
}

/// Whether the text is the JSON of this value.
fn is_json_of(value: &Value, text: &str) -> bool {
    let json = value.to_string();
    json == text
}

/// Writes a text in the kind of block that it came in.
fn text_block(text: &Text, extras: &Extras) -> Value {
    let mut out = Object::of(extras, FORMAT);
    for (wrapper, path) in WRAPPED {
        if out.has(wrapper) {
            let mut block = out.into_value();
            if let Some(slot) = block.pointer_mut(path).filter(|slot| slot.as_str() != Some(text)) {
                *slot = fields::json(text);
                if let Some(body) = block.get_mut(wrapper).and_then(Value::as_object_mut) {
                    body.shift_remove("citations"); // they refer to positions in the old text
                }
            }
            return block;
        }
    }
    if let Some(came) = out.get("json") {
        let kept = is_json_of(came, text);
        let was_object = came.is_object();
        match serde_json::from_str::<Value>(text) {
            Ok(_) if kept => return out.into_value(),
            Ok(value) if value.is_object() || !was_object => {
                out.set("json", value);
                return out.into_value();
            }
            _ => out.remove("json"),
        }
    }
    out.set("text", fields::json(text));
    out.into_value()
}

fn write_media(media: &Media, place: Place, notes: &mut Vec<Note>) -> Option<Value> {
    let mut block = Object::of(&media.extras, FORMAT);
    let own = MEDIA.iter().map(|(key, _)| *key).find(|key| block.has(key));
    let key = own.unwrap_or(media.kind.as_str());
    let mut body = block.nested(key).unwrap_or_default();
    let mut source = body.nested("source").unwrap_or_default();
    let what = format!("media of the kind `{key}` is left out");
    let mut none = |why: &str| {
        notes.push(Note::new(format!("{what}: {why}")));
        None
    };
    if place == Place::System || place == Place::Result && key == "audio" {
        return none("none is allowed here");
    }
    let location = media.file_id.as_deref().filter(|uri| uri.starts_with("s3://"));
    let came_so = source.has("s3Location");
    if let Some(data) = &media.data {
        set_bytes(&mut source, "bytes", data);
    } else if let Some(uri) = location.or(media.file_id.as_deref().filter(|_| came_so)) {
        let mut place = source.nested("s3Location").unwrap_or_default();
        place.set("uri", uri);
        source.set("s3Location", place.into_value());
    } else {
        return none("the API accepts only bytes or S3 locations");
    }
    let has_format = body.get("format").and_then(Value::as_str).is_some_and(|format| !format.is_empty());
    let default = if key == "image" { "image/png" } else { "application/pdf" };
    let media_type = media.media_type.as_deref().or_else(|| own.is_none().then_some(default));
    if let Some(media_type) = media_type.filter(|_| !has_format) {
        let Some(format) = documents::format(key, media_type) else {
            return none("the API does not accept its type");
        };
        body.set("format", format);
    }
    let name: &[&str] = if key == "document" { &["filename"] } else { &[] };
    let source_key = if media.data.is_some() { "data" } else { "file_id" };
    note_lost(media, FORMAT, &[&[source_key, "media_type"], name].concat(), Some(default), notes);
    if key == "document" {
        if let Some(name) =
            media.filename.as_deref().filter(|name| own.is_none() && !documents::is_name(name))
        {
            let written = documents::name_of(name);
            notes.push(Note::new(format!("the name `{name}` of a document is written `{written}`")));
        }
        match &media.filename {
            Some(name) if own.is_some() => body.set("name", name.as_str()),
            Some(name) => body.set("name", documents::name_of(name)),
            None if own.is_none() => body.set("name", documents::UNNAMED),
            None => body.set_or_remove("name", None::<&str>),
        };
    }
    body.set("source", source.into_value());
    block.set(key, body.into_value());
    Some(block.into_value())
}

fn write_thinking(reasoning: &Reasoning, notes: &mut Vec<Note>) -> Option<Value> {
    let own = reasoning.extras.came_in(FORMAT);
    if !own && (reasoning.is_cut_off() || reasoning.signature.is_none()) {
        notes.push(Note::new(
            "reasoning without a signature is left out: another provider made it, or its stream was cut off",
        ));
        return None;
    }
    let kept: &[&str] = if reasoning.redacted { &["signature"] } else { &["text", "signature"] };
    thinking::note_lost(reasoning, FORMAT, kept, notes);
    let mut block = Object::of(&reasoning.extras, FORMAT);
    let mut body = block.nested("reasoningContent").unwrap_or_default();
    match &reasoning.signature {
        Some(data) if reasoning.redacted => set_bytes(&mut body, "redactedContent", data),
        signature => {
            let mut text_fields = body.nested("reasoningText").unwrap_or_default();
            text_fields.set("text", fields::json(reasoning.text.as_deref().unwrap_or_default()));
            text_fields.set_or_remove("signature", signature.as_deref());
            body.set("reasoningText", text_fields.into_value());
        }
    }
    block.set("reasoningContent", body.into_value());
    Some(block.into_value())
}

/// Whether the API accepts a character in the id of a call. It accepts more than its documentation says.
pub fn is_call_id(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')
}

/// An id as the API accepts it.
pub fn tool_id(id: &str) -> Cow<'_, str> {
    call_ids::acceptable_id(id, MAX_ID_CHARS, |c| is_call_id(c) && c != '.' && c != ':')
}

/// Changes the id of a call or an output if the API does not accept it.
pub fn set_id(id: &mut String, done: &mut impl FnMut(&'static str, &'static str)) {
    if id.is_empty() || id.len() > MAX_ID_CHARS || !id.chars().all(is_call_id) {
        *id = tool_id(id).into_owned();
        done("B-id", "the call's id was rewritten with characters that the API allows");
    }
}

fn tool_use(call: &ToolCall, notes: &mut Vec<Note>) -> Option<Value> {
    if let CallKind::Other { format: FORMAT, raw } = &call.kind {
        return Some(raw.as_ref().clone());
    }
    if !can_express(call, FORMAT, notes) {
        return None;
    }
    let own = call.extras.came_in(FORMAT);
    let mut block = Object::of(&call.extras, FORMAT);
    let mut body = block.nested("toolUse").unwrap_or_default();
    let id = if own { Cow::from(&call.id) } else { tool_id(&call.id) };
    if id != call.id {
        notes.push(Note::new(format!(
            "the call id `{}` is written `{id}`: the API rejects the original",
            call.id
        )));
    }
    let name = tool_names::name_of(call, FORMAT, MAX_ID_CHARS, notes);
    body.set("toolUseId", &*id).set("name", &*name);
    let kept = match body.get("input") {
        Some(input) => is_json_of(input, &call.input),
        None => own && *call.input == *"null",
    };
    if !kept {
        let input = match own.then(|| json_input(call, notes)) {
            Some(Value::Null) => Value::Object(Map::new()),
            Some(input) => input,
            None => object_arguments(call, None, notes),
        };
        body.set("input", input);
    }
    block.set("toolUse", body.into_value());
    Some(block.into_value())
}

fn tool_result(output: &ToolOutput, notes: &mut Vec<Note>) -> Value {
    let mut block = Object::of(&output.extras, FORMAT);
    let mut body = block.nested("toolResult").unwrap_or_default();
    let own = output.extras.came_in(FORMAT);
    let id = if own { Cow::from(&output.call_id) } else { tool_id(&output.call_id) };
    body.set("toolUseId", &*id);
    let had_none = body.had_empty_list("content");
    let mut content = write::blocks(fitting(output, notes), Place::Result, notes);
    if content.is_empty() && (output.is_error || !(had_none && output.content.is_empty())) {
        notes.push(Note::new("an empty tool output gets a text: models reject it otherwise"));
        content.push(json!({ "text": write::text_of_empty_result(output.is_error) }));
    }
    body.set("content", content);
    let said_error = body.get("status").is_some_and(|status| status.as_str() == Some(""));
    if output.is_error {
        body.set("status", "error");
    } else if said_error {
        body.remove("status");
    }
    block.set("toolResult", body.into_value());
    block.into_value()
}
