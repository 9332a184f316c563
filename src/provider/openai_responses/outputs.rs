//! Tool outputs: eight kinds of items, which become the same part.

use serde_json::{Map, Value, json};

use super::super::fields::{self, Fields, Object};
use super::super::media::{set_url, url_of};
use super::super::note::Note;
use super::content;
use super::kinds::{self, APPROVAL, TAKES_FUNCTION_OUTPUT, written_id};
use crate::error::{Error, Result};
use crate::message::{CallKind, Extras, Format, Media, MediaKind, Part, ToolCall, ToolOutput};

const FORMAT: Format = Format::OpenaiResponses;

/// The smallest possible image. It replaces a trimmed screenshot, because no text is allowed there.
const BLANK_IMAGE: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// The key in the extras of a shell output's text for the template of the chunk that begins with it.
const CHUNK: &str = "chunk";

/// The key in the extras of a shell output's text that came from the error stream.
const STDERR: &str = "stderr";

/// Whether an item is the output of a call that the caller executes.
pub(super) fn is_client_output(item: &Map<String, Value>) -> bool {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    match text("type") {
        Some("tool_search_output") => text("execution") == Some("client") && text("call_id").is_some(),
        Some(kind) => kinds::output_kind(kind).is_some() || kind == APPROVAL.output,
        None => false,
    }
}

/// Reads an output.
pub(super) fn read(item: &Map<String, Value>, index: usize) -> Result<ToolOutput> {
    let mut fields = Fields::new(item);
    let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
    let key = id_key(item);
    let Some(id) = fields.take_string(key) else {
        return Err(Error::message_at(index, format!("a {kind} needs `{key}`")));
    };
    let mut out = ToolOutput { content: Vec::new(), ..ToolOutput::text(id, "") };
    let mut usual = false;
    match kind {
        "computer_call_output" => out.content.extend(fields.get("output").and_then(screenshot)),
        "shell_call_output" => {
            if let Some(parts) = fields.get("output").and_then(chunks) {
                fields.take("output");
                out.content = parts;
            }
        }
        "tool_search_output" => out.content.extend(fields.take("tools").map(opaque)),
        "mcp_approval_response" => out.content.extend(fields.take_text("reason").map(Part::text)),
        _ => match fields.take("output") {
            Some(Value::String(text)) => {
                out.content.push(Part::text(text));
                usual = true;
            }
            Some(Value::Array(list)) => {
                out.content = list.iter().map(|p| content::read(p, "input_text")).collect();
            }
            Some(other) => out.content.push(opaque(other)),
            None => {}
        },
    }
    if kind == "computer_call_output" && !out.content.is_empty() {
        fields.take("output");
    }
    if kind == "function_call_output" {
        fields.take("type");
    }
    if !(usual && fields.is_plain(&["type", "call_id", "output"])) {
        out.extras = Extras::new(FORMAT, fields.into_template());
    }
    Ok(out)
}

/// Removes the template of an output that is written the same without one. `call`: finds a call by its id.
pub(super) fn drop_needless_template<'c>(
    output: &mut Part,
    item: &Value,
    call: impl Fn(&str) -> Option<&'c ToolCall>,
) {
    // Only these hold nothing but the content.
    let kind = item.get("type").and_then(Value::as_str);
    if matches!(kind, Some("function_call_output" | "custom_tool_call_output")) {
        fields::drop_needless_template(output, item, |part| {
            let output = part.as_tool_output()?;
            Some(write(output, call(&output.call_id), &mut Vec::new()))
        });
    }
}

/// The key of the id of the answered call.
fn id_key(item: &Map<String, Value>) -> &'static str {
    match item.get("type").and_then(Value::as_str) {
        Some("mcp_approval_response") => "approval_request_id",
        Some("local_shell_call_output") if !item.contains_key("call_id") => "id",
        _ => "call_id",
    }
}

fn opaque(raw: Value) -> Part {
    Part::Opaque { format: FORMAT, raw: raw.into() }
}

fn screenshot(output: &Value) -> Option<Part> {
    let mut fields = Fields::new(output.as_object()?);
    let mut media = Media::new(MediaKind::Image);
    if let Some(url) = fields.take_text("image_url") {
        set_url(&mut media, &url);
    }
    media.file_id = fields.take_string("file_id");
    media.extras = Extras::new(FORMAT, fields.into_template());
    Some(Part::Media(media.into()))
}

/// The chunks of a shell output as texts; `None` if a chunk's shape is not the documented one.
fn chunks(output: &Value) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    for chunk in output.as_array()? {
        let mut fields = Fields::new(chunk.as_object()?);
        let stdout = fields.take_text("stdout")?;
        let stderr = fields.take_text("stderr")?;
        let map = Map::from_iter([(CHUNK.to_owned(), Value::Object(fields.into_template()))]);
        parts.push(Part::Text { text: stdout, extras: Extras::new(FORMAT, map) });
        if !stderr.is_empty() {
            let map = Map::from_iter([(STDERR.to_owned(), Value::Bool(true))]);
            parts.push(Part::Text { text: stderr, extras: Extras::new(FORMAT, map) });
        }
    }
    Some(parts)
}

/// Writes an output in the kind of its call.
pub(super) fn write(output: &ToolOutput, call: Option<&ToolCall>, notes: &mut Vec<Note>) -> Value {
    if has_lost_its_kind(output, call) {
        return write(&of_a_function(output), call, notes);
    }
    let template = output.extras.of(FORMAT);
    let is_own = template.is_some();
    let key = template.as_ref().map_or("call_id", id_key);
    let mut out = Object::from(template.unwrap_or_default());
    let kind = match out.get("type").and_then(Value::as_str).unwrap_or_default() {
        _ if !is_own => output_type(call),
        "" => "function_call_output",
        other => other,
    };
    let kind = kind.to_owned();
    out.set("type", kind.as_str());
    let names_item = key == "id" && out.get(key).and_then(Value::as_str).is_some_and(|id| !id.is_empty());
    if !names_item {
        let key = if kind == APPROVAL.output { "approval_request_id" } else { key };
        out.set(key, &*written_id(&output.call_id));
    }
    match kind.as_str() {
        "computer_call_output" => computer(&mut out, output),
        "shell_call_output" => {
            if !is_own || out.had_array("output") {
                out.set("output", shell(&output.content));
            }
        }
        "tool_search_output" => {
            if !is_own {
                out.set("execution", "client");
            }
            let tools = output.content.iter().find_map(raw_list).unwrap_or_else(|| json!([]));
            out.set("tools", tools);
        }
        "mcp_approval_response" => {
            if !is_own {
                out.set("approve", false); // only the user may approve, and that answer came in this format
                notes.push(Note::new("a request for approval that the user has not answered is denied: the API requires an answer"));
            }
            out.set_or_remove("reason", text_of(output));
        }
        "local_shell_call_output" => {
            out.set("output", text_of(output).unwrap_or_default());
        }
        "apply_patch_call_output" => {
            if !is_own {
                out.set("status", if output.is_error { "failed" } else { "completed" });
            }
            out.set_or_remove("output", text_of(output));
        }
        _ => {
            let value = match output.content.as_slice() {
                [Part::Opaque { format: FORMAT, raw }] if !out.had_array("output") => raw.as_ref().clone(),
                [] if !out.had_array("output") => fields::json(""),
                parts => content::write_all(parts, out.had_array("output"), "input_text", notes),
            };
            out.set("output", value);
        }
    }
    out.into_value()
}

/// Whether an output was of another kind than its call is now: an erased call of another kind becomes a function call.
fn has_lost_its_kind(output: &ToolOutput, call: Option<&ToolCall>) -> bool {
    let is_function =
        |call: &ToolCall| matches!(call.kind, CallKind::Function) && !call.extras.came_in(FORMAT);
    let kind = output.extras.field(FORMAT, "type");
    let kind = kind.as_ref().and_then(Value::as_str).filter(|kind| !kind.is_empty());
    kind.is_some_and(|kind| kind != "function_call_output") && call.is_some_and(is_function)
}

/// The same output without anything that only its own kind has.
fn of_a_function(output: &ToolOutput) -> ToolOutput {
    let mut output = ToolOutput { extras: Extras::default(), ..output.clone() };
    for part in &mut output.content {
        if let Part::Opaque { raw, .. } = part {
            *part = Part::text(raw.to_string());
        } else if let Some(extras) = part.extras_mut() {
            *extras = Extras::default();
        }
    }
    output
}

/// The type of the output for a call, which may have been made in another format.
fn output_type(call: Option<&ToolCall>) -> &'static str {
    match call.map(|c| &c.kind) {
        Some(CallKind::Custom) => "custom_tool_call_output",
        Some(CallKind::Other { format: FORMAT, raw }) => {
            let kind = raw.get("type").and_then(Value::as_str).unwrap_or_default();
            match kinds::call_kind(kind) {
                // These calls also accept a plain output, which can hold any text.
                Some(_) if TAKES_FUNCTION_OUTPUT.contains(&kind) => "function_call_output",
                Some(kind) => kind.output,
                None if kind == APPROVAL.call => APPROVAL.output,
                None => "function_call_output",
            }
        }
        _ => "function_call_output",
    }
}

/// All text of an output; `None` if it has no text part.
fn text_of(output: &ToolOutput) -> Option<String> {
    let texts = output.content.iter().filter_map(Part::as_text_or_refusal);
    let texts: Vec<&str> = texts.map(|text| &**text).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn raw_list(part: &Part) -> Option<Value> {
    match part {
        Part::Opaque { format: FORMAT, raw } if raw.is_array() => Some(raw.as_ref().clone()),
        _ => None,
    }
}

fn computer(out: &mut Object, output: &ToolOutput) {
    match output.content.first() {
        Some(Part::Media(media)) => {
            let mut picture = Object::of(&media.extras, FORMAT);
            if !media.extras.came_in(FORMAT) {
                picture.set("type", "computer_screenshot");
            }
            picture.set_or_remove("image_url", url_of(media, "image/png"));
            picture.set_or_remove("file_id", media.file_id.as_deref());
            out.set("output", picture.into_value());
        }
        None if out.get("output").is_some() => {}
        _ => {
            out.set("output", json!({ "type": "computer_screenshot", "image_url": BLANK_IMAGE }));
        }
    }
}

fn shell(parts: &[Part]) -> Value {
    let mut chunks: Vec<Object> = Vec::new();
    for part in parts {
        let Part::Text { text, extras } = part else { continue };
        if let (true, Some(chunk)) = (extras.has(FORMAT, STDERR), chunks.last_mut()) {
            chunk.set("stderr", fields::json(text));
            continue;
        }
        let template = Object::of(extras, FORMAT).nested(CHUNK);
        let is_new = template.is_none();
        let mut chunk = template.unwrap_or_default();
        chunk.set("stdout", fields::json(text));
        if is_new {
            chunk.set("stderr", "").set("outcome", json!({ "type": "exit", "exit_code": 0 }));
        }
        chunks.push(chunk);
    }
    chunks.into_iter().map(Object::into_value).collect()
}
