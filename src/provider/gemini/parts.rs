//! The parts of a content.

use serde_json::{Map, Value};

use super::super::Calls;
use super::super::fields::{self, Fields, Object, drop_needless_template};
use super::super::media::{note_lost, split_data_url};
use super::super::note::Note;
use super::super::opaque::{as_text, can_express, object_arguments, take_json};
use super::super::tool_names;
use super::pairs::Named;
use super::{NO_SIGNATURE, outputs};
use crate::message::{CallKind, Extras, Format, Media, MediaKind, Part, Reasoning, ToolCall};

const FORMAT: Format = Format::Gemini;

/// Keys of a part that are not its data, but say more about it.
const METADATA_KEYS: [&str; 10] = [
    "thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata", "partMetadata",
    "part_metadata", "mediaResolution", "mediaProcessing", "speechMetadata",
];

/// The name of a field in an object: the API accepts `inline_data` for `inlineData`.
pub(super) fn key_in(has: &dyn Fn(&str) -> bool, camel: &'static str) -> &'static str {
    let snake = match camel {
        "functionCall" => "function_call",
        "functionResponse" => "function_response",
        "inlineData" => "inline_data",
        "fileData" => "file_data",
        "mimeType" => "mime_type",
        "fileUri" => "file_uri",
        "displayName" => "display_name",
        "thoughtSignature" => "thought_signature",
        "systemInstruction" => "system_instruction",
        other => other,
    };
    if has(snake) { snake } else { camel }
}

/// The field of an object, under either of its names.
pub(in crate::provider) fn field<'v>(value: &'v Value, camel: &'static str) -> Option<&'v Value> {
    let map = value.as_object()?;
    map.get(key_in(&|key| map.contains_key(key), camel)).filter(|value| !value.is_null())
}

/// Whether the API refuses a part because it has no data, or is a call or an output without a name.
pub(in crate::provider) fn says_nothing(part: &Value) -> bool {
    let Some(map) = part.as_object() else { return true };
    let nameless = |key| field(part, key).is_some_and(|inner| name_of(inner).is_empty());
    let is_data =
        |(key, value): (&String, &Value)| !METADATA_KEYS.contains(&key.as_str()) && !value.is_null();
    let signed = field(part, "thoughtSignature").is_some();
    nameless("functionCall")
        || nameless("functionResponse")
        || !map.iter().any(is_data)
        || part.get("text").and_then(Value::as_str) == Some("")
            && !signed
            && map.keys().all(|key| key == "text" || METADATA_KEYS.contains(&key.as_str()))
}

/// The name of a call or an output.
pub(super) fn name_of(inner: &Value) -> &str {
    inner.get("name").and_then(Value::as_str).unwrap_or_default()
}

/// The name of a call or an output, with its id if it has one.
pub(in crate::provider) fn named(inner: &Value) -> Named<'_> {
    Named { id: inner.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()), name: name_of(inner) }
}

/// Whether a part came with a thought signature.
pub(super) fn is_signed(extras: &Extras) -> bool {
    extras.has(FORMAT, "thoughtSignature") || extras.has(FORMAT, "thought_signature")
}

/// Whether a call came without an id.
pub(super) fn had_no_id(call: &ToolCall) -> bool {
    let Some(map) = call.extras.of(FORMAT) else { return false };
    let inner = map.get(key_in(&|key| map.contains_key(key), "functionCall")).and_then(Value::as_object);
    inner.is_some_and(|inner| !inner.is_empty() && !inner.contains_key("id"))
}

/// Reads a part; `None` if it is not understood. `made`: the assigned id, for a call.
pub(super) fn read(value: &Value, made: Option<String>) -> Option<Part> {
    let mut fields = Fields::new(value.as_object()?);
    if let Some(text) = fields.take_text("text") {
        if value.get("thought") == Some(&Value::Bool(true)) {
            let extras = Extras::new(FORMAT, fields.into_template());
            return Some(Part::from(Reasoning { text: Some(text), extras, ..Reasoning::default() }));
        }
        let usual = !text.is_empty(); // without extras, an empty text would be left out
        let extras = fields.into_extras_if_unusual(usual, FORMAT, &["text"]);
        return Some(Part::Text { text, extras });
    }
    match made {
        Some(made) => call(fields, made).map(Part::from),
        None => media(fields).map(|media| without_needless_template(media, value)),
    }
}

/// The medium as a part, without its template if it is written the same without one.
pub(super) fn without_needless_template(media: Media, value: &Value) -> Part {
    let mut part = Part::Media(media.into());
    drop_needless_template(&mut part, value, |part| write(part, &Calls::default(), &mut Vec::new()));
    part
}

fn call(mut fields: Fields, made: String) -> Option<ToolCall> {
    let key = key_in(&|key| fields.get(key).is_some(), "functionCall");
    let Some(Value::Object(map)) = fields.take(key) else { return None };
    let mut inner = Fields::new(&map);
    let id = inner.take_string("id");
    let name = inner.take_string("name").filter(|name| !name.is_empty())?;
    let args = take_json(&mut inner, "args");
    let usual = id.as_deref().is_some_and(|id| !id.is_empty()) && args.is_some();
    let id = id.filter(|id| !id.is_empty()).unwrap_or(made);
    let mut call = ToolCall::function(id, name, args.unwrap_or_else(|| "{}".to_owned()));
    if usual {
        fields.nest(key, inner, &["id", "name", "args"]);
    } else {
        fields.mark(key, Value::Object(inner.into_template()));
    }
    // A call without extras was made by another model, and gets a value in place of a signature.
    call.extras = Extras::new(FORMAT, fields.into_template());
    Some(call)
}

/// Reads `inlineData` or `fileData`, in a part or in an output.
pub(super) fn media(mut fields: Fields) -> Option<Media> {
    let has = |key: &str| fields.get(key).is_some_and(Value::is_object);
    let (inline, file) = (key_in(&has, "inlineData"), key_in(&has, "fileData"));
    let key = if has(inline) { inline } else { file };
    let Some(Value::Object(map)) = fields.take(key) else { return None };
    let mut inner = Fields::new(&map);
    let mime = inner.take_string(key_in(&|key| map.contains_key(key), "mimeType"));
    let is = |what: &str| mime.as_deref().is_some_and(|mime| mime.starts_with(what));
    let mut media = Media::new(match () {
        () if is("image/") => MediaKind::Image,
        () if is("audio/") => MediaKind::Audio,
        () => MediaKind::Document,
    });
    media.media_type = mime;
    if key == inline {
        media.data = Some(inner.take_text("data")?);
    } else {
        let uri = inner.take_string(key_in(&|key| map.contains_key(key), "fileUri"))?;
        // Only Google can read files that are stored with Google.
        let of_google = uri.starts_with("gs://") || uri.contains("generativelanguage.googleapis.com/");
        *(if of_google { &mut media.file_id } else { &mut media.url }) = Some(uri);
    }
    media.filename = inner.take_string(key_in(&|key| map.contains_key(key), "displayName"));
    fields.mark(key, Value::Object(inner.into_template()));
    media.extras = Extras::new(FORMAT, fields.into_template());
    Some(media)
}

/// Writes a part, or adds a note and returns `None` if the format cannot express it.
pub(super) fn write(part: &Part, calls: &Calls<'_>, notes: &mut Vec<Note>) -> Option<Value> {
    match part {
        Part::Text { text, extras } | Part::Refusal { text, extras } => {
            if text.is_empty() && !extras.came_in(FORMAT) {
                return None; // the API refuses it, and nothing is lost
            }
            if matches!(part, Part::Refusal { .. }) {
                notes.push(Note::new("a refusal is written as text"));
            }
            let mut out = Object::of(extras, FORMAT);
            out.set("text", fields::json(text));
            Some(out.into_value())
        }
        Part::Media(media) => write_media(media, notes),
        Part::Reasoning(reasoning) if reasoning.extras.came_in(FORMAT) => {
            let mut out = Object::of(&reasoning.extras, FORMAT);
            out.set("text", fields::json(reasoning.text.as_deref().unwrap_or_default()));
            Some(out.into_value())
        }
        Part::Reasoning(_) => {
            notes.push(Note::new("reasoning is left out: another provider made it"));
            None
        }
        Part::ToolCall(call) => write_call(call, notes),
        Part::ToolOutput(output) => Some(outputs::write(output, calls, notes)),
        Part::Opaque { format: FORMAT, raw } => Some(raw.as_ref().clone()),
        Part::Opaque { format, raw } => write(&as_text(*format, raw, notes)?, calls, notes),
    }
}

fn write_call(call: &ToolCall, notes: &mut Vec<Note>) -> Option<Value> {
    if let CallKind::Other { format: FORMAT, raw } = &call.kind {
        return Some(raw.as_ref().clone());
    }
    if !can_express(call, FORMAT, notes) {
        return None;
    }
    let own = call.extras.came_in(FORMAT);
    let mut out = Object::of(&call.extras, FORMAT);
    let key = key_in(&|key| out.has(key), "functionCall");
    let mut inner = out.nested(key).unwrap_or_default();
    let came_without = |key: &str| own && inner.has("name") && !inner.has(key);
    let (idless, argless) =
        (came_without("id"), inner.get("args").is_none_or(Value::is_null) && inner.has("name"));
    let args = object_arguments(call, inner.get("args"), notes);
    if !idless {
        inner.set("id", call.id.as_str());
    }
    inner.set("name", &*tool_names::name_of(call, FORMAT, tool_names::MAX_NAME_CHARS, notes));
    if !(argless && args.as_object().is_some_and(Map::is_empty)) {
        inner.set("args", args);
    }
    out.set(key, inner.into_value());
    if let Some(signature) = foreign_signature(call) {
        out.set("thoughtSignature", signature);
    }
    Some(out.into_value())
}

/// The thought signature of a call that Gemini made and that came in another format.
fn foreign_signature(call: &ToolCall) -> Option<String> {
    if call.extras.came_in(FORMAT) {
        return None;
    }
    let of =
        |format, key, path: &str| Some(call.extras.field(format, key)?.pointer(path)?.as_str()?.to_owned());
    of(Format::OpenaiChat, "extra_content", "/google/thought_signature")
        .or_else(|| of(Format::AiSdk, "providerOptions", "/google/thoughtSignature"))
        .or_else(|| of(Format::AiSdk, "providerOptions", "/vertex/thoughtSignature"))
}

/// Removes the template of a call that is written the same without one. `is_first`: it is the first of its content, so
/// that it may have a value in place of a signature.
pub(super) fn drop_template_of_call(part: &mut Part, value: &Value, is_first: bool) {
    drop_needless_template(part, value, |part| {
        let Part::ToolCall(call) = part else { return None };
        let mut written = write_call(call, &mut Vec::new())?;
        if is_first {
            sign(&mut written, call);
        }
        Some(written)
    });
}

/// Gives the first call of a content a value in place of a signature, unless it came from Gemini.
pub(super) fn sign(value: &mut Value, call: &ToolCall) {
    if let Some(map) = value.as_object_mut().filter(|_| !call.extras.came_in(FORMAT)) {
        map.entry("thoughtSignature").or_insert_with(|| NO_SIGNATURE.into());
    }
}

/// Writes a medium as a part, of a content or of an output.
pub(super) fn write_media(media: &Media, notes: &mut Vec<Note>) -> Option<Value> {
    let own = media.extras.came_in(FORMAT);
    let mut out = Object::of(&media.extras, FORMAT);
    let from_url = media.url.as_deref().and_then(split_data_url);
    let data = media.data.as_deref().or(from_url.map(|(_, data)| data));
    let key = key_in(&|key| out.has(key), if data.is_some() { "inlineData" } else { "fileData" });
    let mut inner = out.nested(key).unwrap_or_default();
    let default = match media.kind {
        MediaKind::Image => "image/png",
        MediaKind::Document => "application/pdf",
        MediaKind::Audio => "audio/wav",
    };
    let mime = media.media_type.as_deref().or(from_url.map(|(mime, _)| mime));
    let mime_key = key_in(&|key| inner.has(key), "mimeType");
    let name_key = key_in(&|key| inner.has(key), "displayName");
    let source_key = if data.is_some() && media.data.is_some() { "data" } else { "url" };
    let assumed = mime.is_none().then_some(default);
    note_lost(media, FORMAT, &[source_key, "media_type"], assumed, notes);
    inner.set_or_remove(mime_key, mime.or((!own).then_some(default)));
    if let Some(data) = data {
        inner.set("data", fields::json(data));
    } else if let Some(uri) = media.url.as_deref().or(media.file_id.as_deref().filter(|_| own)) {
        inner.set(key_in(&|key| inner.has(key), "fileUri"), uri);
    } else {
        notes.push(Note::new("a file that is stored with another provider is left out"));
        return None;
    }
    inner.set_or_remove(name_key, media.filename.as_deref().filter(|_| own));
    out.set(key, inner.into_value());
    Some(out.into_value())
}
