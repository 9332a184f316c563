//! Outputs of calls.

use serde_json::{Map, Value, json};

use super::super::Calls;
use super::super::fields::{Fields, Object, drop_needless_template, json as text_value, opaque};
use super::super::media::split_data_url;
use super::super::note::Note;
use super::super::opaque::take_json;
use super::super::tool_names;
use super::parts::{had_no_id, key_in, media, without_needless_template, write_media};
use crate::message::{Extras, Format, Media, Part, ToolOutput};

const FORMAT: Format = Format::Gemini;

/// Keys of a response that consists of one text. The first two are defined by the API.
const TEXTS: [&str; 4] = ["output", "error", "result", "content"];

/// Reads a `functionResponse` as the output of the call with this id; `None` if it has no name. `calls`: those before
/// it.
pub(super) fn read(value: &Value, id: String, calls: &Calls<'_>) -> Option<Part> {
    let mut fields = Fields::new(value.as_object()?);
    let key = key_in(&|key| fields.get(key).is_some(), "functionResponse");
    let Some(Value::Object(map)) = fields.take(key) else { return None };
    let mut inner = Fields::new(&map);
    map.get("name")?.as_str().filter(|name| !name.is_empty())?; // it stays in the template
    let own_id = map.get("id").and_then(Value::as_str);
    if own_id == Some(&id) {
        inner.take("id");
    }
    let mut output = ToolOutput::text(id, "");
    output.content.clear();
    if let Some(Value::Object(response)) = map.get("response") {
        let only =
            TEXTS.iter().find(|key| response.len() == 1 && response.get(**key).is_some_and(Value::is_string));
        if let Some(only) = only {
            let mut response_fields = Fields::new(response);
            output.content.extend(response_fields.take_text(only).map(Part::text));
            output.is_error = *only == "error";
            inner.mark("response", Value::Object(response_fields.into_template()));
        } else {
            output.content.extend(take_json(&mut inner, "response").map(Part::text));
        }
    }
    if let Some(Value::Array(list)) = inner.get("parts").cloned().filter(|list| list != &json!([])) {
        inner.take("parts");
        output.content.extend(list.iter().map(read_part));
    }
    fields.mark(key, Value::Object(inner.into_template()));
    output.extras = Extras::new(FORMAT, fields.into_template());
    let mut output = Part::from(output);
    drop_needless_template(&mut output, value, |output| {
        Some(write(output.as_tool_output()?, calls, &mut Vec::new()))
    });
    Some(output)
}

fn read_part(value: &Value) -> Part {
    let read = || media(Fields::new(value.as_object()?));
    read().map_or_else(|| opaque(FORMAT, value), |media| without_needless_template(media, value))
}

/// Writes the output of a call.
pub(super) fn write(output: &ToolOutput, calls: &Calls<'_>, notes: &mut Vec<Note>) -> Value {
    let mut out = Object::of(&output.extras, FORMAT);
    let key = key_in(&|key| out.has(key), "functionResponse");
    let mut inner = out.nested(key).unwrap_or_default();
    let own = inner.has("name");
    // An id that differs from the call's, or is missing, stays as it came.
    let has_id = !calls.get(&output.call_id).is_some_and(had_no_id);
    if has_id && !own || inner.get("id") == Some(&Value::from("")) {
        inner.set("id", output.call_id.as_str());
    }
    if !own {
        let name = calls.get(&output.call_id).map_or("unknown", |call| call.name.as_str());
        inner.set(
            "name",
            tool_names::acceptable_name(name, tool_names::MAX_NAME_CHARS, &mut Vec::new()).as_ref(),
        );
    }
    let mut texts: Vec<&str> = Vec::new();
    let mut parts = Vec::new();
    for part in &output.content {
        match part {
            Part::Text { text, .. } | Part::Refusal { text, .. } => texts.push(text),
            Part::Media(media) if has_data(media) || media.extras.came_in(FORMAT) => {
                parts.extend(write_media(media, notes));
            }
            Part::Media(_) => {
                notes.push(Note::new("media given by URL is left out of a tool output"));
            }
            Part::Opaque { format: FORMAT, raw } => parts.push(raw.as_ref().clone()),
            _ => notes.push(Note::new("a part that this format does not support is left out")),
        }
    }
    if texts.len() > 1 && !own {
        notes.push(Note::new("the texts of a tool output are joined into one"));
    }
    if !(texts.is_empty() && own && !inner.get("response").is_some_and(is_text)) {
        let response = response(&texts.join("\n"), inner.get("response"), output.is_error);
        inner.set("response", response);
    }
    if parts.is_empty() && inner.get("parts") == Some(&json!([null])) {
        inner.remove("parts");
    } else if !parts.is_empty() {
        inner.set("parts", parts);
    }
    out.set(key, inner.into_value());
    out.into_value()
}

/// The template of an output's `functionResponse`, with the key under which it came.
fn template(output: &ToolOutput) -> Option<(&'static str, Map<String, Value>)> {
    let fields = output.extras.of(FORMAT)?;
    let key = key_in(&|key| fields.contains_key(key), "functionResponse");
    Some((key, fields.get(key)?.as_object()?.clone()))
}

/// Whether an output came with a response that is not an object.
pub(super) fn has_non_object_response(output: &ToolOutput) -> bool {
    let is_said = output.content.iter().any(|part| matches!(part, Part::Text { .. }));
    !is_said
        && template(output).is_some_and(|(_, inner)| !inner.get("response").is_some_and(Value::is_object))
}

/// Turns such a response into a text.
pub(super) fn wrap_response(output: &mut ToolOutput) {
    let (Some((key, mut inner)), Some(mut fields)) = (template(output), output.extras.of(FORMAT)) else {
        return;
    };
    let response_text = match inner.shift_remove("response") {
        Some(Value::String(response_text)) => response_text,
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    };
    output.content.insert(0, Part::text(response_text));
    fields.insert(key.to_owned(), Value::Object(inner));
    output.extras = output.extras.with(FORMAT, fields);
}

/// Whether the bytes of a medium are available: the API accepts no address in an output.
fn has_data(media: &Media) -> bool {
    media.data.is_some() || media.url.as_deref().and_then(split_data_url).is_some()
}

/// Whether it is the template of a response that consists of one text.
fn is_text(template: &Value) -> bool {
    template.as_object().is_some_and(|map| map.keys().any(|key| TEXTS.contains(&key.as_str())))
}

fn is_json(map: &Map<String, Value>, text: &str) -> bool {
    let json = Value::Object(map.clone()).to_string();
    json == text
}

/// The response for a text, in the form in which it came.
fn response(text: &str, template: Option<&Value>, is_error: bool) -> Value {
    let key = if is_error { "error" } else { "output" };
    match template.and_then(Value::as_object) {
        // It was kept as a whole, because its numbers could change when written again.
        Some(kept) if !kept.is_empty() && is_json(kept, text) => Value::Object(kept.clone()),
        Some(map) if map.len() == 1 && map.values().all(|value| value == "") && is_text(&json!(map)) => {
            map.keys().map(|key| (key.clone(), text_value(text))).collect()
        }
        Some(_) => match serde_json::from_str(text) {
            Ok(Value::Object(map)) => Value::Object(map),
            _ => json!({ key: text }),
        },
        None => json!({ key: text }),
    }
}
