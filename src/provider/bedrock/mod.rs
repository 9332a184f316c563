//! Amazon Bedrock Converse: messages of content blocks, with `system` separate.
//!
//! A block is an object with one key, which is its type. Bytes are base64 strings, as in the HTTP API, or objects with
//! the only key [`BYTES`](super::media::BYTES) if they came from the SDK. A cache point belongs to the block before it
//! and stays with it.

mod blocks;
mod documents;
mod write;

use std::ops::Range;

use serde_json::{Value, json};

use super::anthropic::{self, BEGINNING, role};
use super::fields::{Fields, each};
use super::format::{object, several_by_one};
use super::opaque::{has_non_object_input, wrap_input};
use super::results::split;
use super::{Calls, Note, Provider, Written, tool_names};
use crate::error::{Error, Result};
use crate::message::{Extras, Format, Message, Part, Role};

use write::{DOCUMENT, lacks_text};

pub use blocks::CACHE_POINT;
pub(super) use blocks::{MAX_ID_CHARS, is_call_id};
pub(super) use documents::{each_name, is_name, name_of, rename};

/// Format `"bedrock-converse"`.
pub(super) struct Bedrock;

const FORMAT: Format = Format::BedrockConverse;

impl Provider for Bedrock {
    fn format(&self) -> Format {
        FORMAT
    }

    fn read_head(&self, body: &Value) -> Option<Message> {
        let blocks = body.get("system")?.as_array()?;
        Some(Message::new(Role::System, blocks::read_all(blocks)))
    }

    fn read_list(&self, list: &[Value]) -> Result<Vec<(Message, Range<usize>)>> {
        several_by_one(list, read)
    }

    fn write_run(&self, run: &[&Message], _calls: &Calls<'_>, notes: &mut Vec<Note>) -> Vec<Value> {
        write::run(run, notes).into_iter().collect()
    }

    /// The API requires alternating roles. A message of which nothing can be expressed is ignored.
    fn joins(&self, run: &[&Message], message: &Message) -> bool {
        run.first().is_some_and(|first| role(first.role) == role(message.role))
            || !message.role.is_instruction() && write::writes_nothing(message)
    }

    fn is_head(&self, message: &Message, _leading: bool) -> bool {
        message.role.is_instruction()
    }

    fn write_head(&self, head: &[&Message], notes: &mut Vec<Note>) -> Option<Value> {
        let blocks = write::blocks(head.iter().flat_map(|m| &m.parts), write::Place::System, notes);
        (!blocks.is_empty()).then_some(Value::Array(blocks))
    }

    fn opening(&self, first: Role) -> Option<Value> {
        (first == Role::Assistant).then(|| json!({ "role": "user", "content": [{ "text": BEGINNING }] }))
    }

    fn finish(&self, items: &mut Vec<Value>, notes: &mut Vec<Note>) {
        if anthropic::trim_end(items, write::last_block) {
            notes.push(Note::new(
                "trailing white space is removed: Anthropic's models reject it in a final assistant message",
            ));
        }
    }

    fn corrected(&self, message: &Message, notes: &mut Vec<Note>) -> Option<Message> {
        let is_refused = message.parts.iter().any(anthropic::is_refused);
        let mut corrected = if is_refused {
            anthropic::without_refused(message, notes)
        } else if needs_fix(message) {
            message.clone()
        } else {
            return None;
        };
        fix(&mut corrected, |_, what| notes.push(Note::new(what)));
        Some(corrected)
    }

    fn body(&self, written: Written) -> Value {
        written.into_body("system", "messages")
    }
}

/// A call whose input is not an object, or an output with JSON that is not an object.
fn has_non_object(part: &Part) -> bool {
    match part {
        Part::ToolCall(call) => has_non_object_input(call),
        Part::ToolOutput(output) => output.content.iter().any(is_non_object_json),
        _ => false,
    }
}

fn is_non_object_json(part: &Part) -> bool {
    matches!(part, Part::Text { text, extras } if extras.has(FORMAT, "json") && !text.starts_with('{'))
}

/// Whether [`fix`] would do anything.
fn needs_fix(message: &Message) -> bool {
    if message.parts.iter().any(has_non_object) {
        return true;
    }
    let mut is_good = true;
    each_name(message, &mut |name| is_good &= is_name(name));
    !is_good
        || leading_marks(message) > 0
        || message.parts.iter().any(is_marked_reasoning)
        || lacks_text(message)
}

/// The number of cache points at the beginning of a message, which follow no block.
fn leading_marks(message: &Message) -> usize {
    message.parts.iter().take_while(|part| write::is_mark(part)).count()
}

/// Whether it is reasoning with a cache point after it.
fn is_marked_reasoning(part: &Part) -> bool {
    matches!(part, Part::Reasoning(reasoning) if reasoning.extras.has(FORMAT, CACHE_POINT))
}

/// Corrects what only this API refuses in a message. Reports each correction to `done` with its rule.
pub(super) fn fix(message: &mut Message, mut done: impl FnMut(&'static str, &'static str)) {
    documents::set_names(message, &mut |_, name| {
        let fitting = name_of(name);
        (fitting != name).then(|| {
            done("B-doc-name", "a document's name is rewritten with characters that the API allows");
            fitting
        })
    });
    let leading = leading_marks(message);
    message.parts.drain(..leading);
    let mut is_off = leading > 0;
    for part in &mut message.parts {
        if is_marked_reasoning(part)
            && let Part::Reasoning(reasoning) = part
            && let Some(mut fields) = reasoning.extras.of(FORMAT)
        {
            fields.shift_remove(CACHE_POINT);
            reasoning.extras = reasoning.extras.with(FORMAT, fields);
            is_off = true;
        }
    }
    if is_off {
        done("B-cache-place", "a cache point that follows no text or tool block is left out");
    }
    for part in &mut message.parts {
        match part {
            Part::ToolCall(call) if has_non_object_input(call) => {
                wrap_input(call);
                done("B-input", "an input that is not an object is wrapped in one");
            }
            Part::ToolOutput(output) => {
                for inner in output.content.iter_mut().filter(|inner| is_non_object_json(inner)) {
                    if let Part::Text { extras, .. } = inner {
                        *extras = Extras::default();
                        done("B-json", "JSON that is not an object is written as text");
                    }
                }
            }
            _ => {}
        }
    }
    if lacks_text(message) {
        message.parts.push(Part::text(DOCUMENT));
        done("B-doc-text", "a text is added next to a document: the API requires one");
    }
}

/// Does the same as [`fix`], and corrects what only `repair` does: ids and names that the API does not accept, and
/// JSON that is not an object.
pub(super) fn fix_for_repair(message: &mut Message, mut done: impl FnMut(&'static str, &'static str)) {
    for part in &mut message.parts {
        match part {
            Part::ToolCall(call) if !call.hosted => {
                blocks::set_id(&mut call.id, &mut done);
                let name =
                    tool_names::acceptable_name(&call.name, MAX_ID_CHARS, &mut Vec::new()).into_owned();
                if name != call.name {
                    call.name = name;
                    done("B-name", "the tool's name was rewritten with characters that the API allows");
                }
            }
            Part::ToolOutput(output) => {
                blocks::set_id(&mut output.call_id, &mut done);
            }
            _ => {}
        }
    }
    fix(message, done);
}

/// Defines the tools that were called, if the request defines none. Returns the index of the first message with calls
/// or outputs.
pub(super) fn define_tools(body: &mut Value) -> Option<usize> {
    let has = |key: &str| body.get(key).is_some_and(|value| !value.is_null());
    if !has("modelId") || has("toolConfig") {
        return None;
    }
    let mut names: Vec<&str> = Vec::new();
    let mut first = None;
    for (i, message) in body.get("messages")?.as_array()?.iter().enumerate() {
        for block in each(message, "content") {
            let name = block.pointer("/toolUse/name").and_then(Value::as_str);
            first = first.or(name.map(|_| i));
            names.extend(name);
        }
    }
    let tools = tool_names::tools_called(&names, FORMAT);
    first?;
    body["toolConfig"] = json!({ "tools": tools });
    first
}

/// The definition of a tool of which only the name is known.
pub(super) fn tool_called(name: &str) -> Value {
    let name = tool_names::acceptable_name(name, MAX_ID_CHARS, &mut Vec::new());
    json!({ "toolSpec": { "name": name, "inputSchema": { "json": { "type": "object" } } } })
}

/// Reads the entry at `index`: one message, or several if it holds tool results.
fn read(entry: &Value, index: usize, out: &mut Vec<Message>) -> Result<()> {
    let mut fields = Fields::new(object(entry, index)?);
    let role = fields.take_role(index, &[Role::User, Role::Assistant])?;
    let Some(Value::Array(blocks)) = fields.take("content") else {
        return Err(Error::message_at(index, "`content` is not a list of blocks"));
    };
    let parts = blocks::read_all(&blocks);
    let mut message = Message::new(role, parts);
    // Whether it would be written the same without a template.
    let is_usual = !blocks.is_empty() && !lacks_text(&message);
    let extras = fields.into_extras_if_unusual(is_usual, FORMAT, &["role", "content"]);
    if role == Role::User {
        split(FORMAT, message.parts, &extras, true, out);
    } else {
        message.extras = extras;
        out.push(message);
    }
    Ok(())
}
