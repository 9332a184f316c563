//! Anthropic Messages, with `system` apart.
//!
//! One user message holds the results of all tools and what the user says after them; here each result is a message
//! of its own that joins the one before it when it is written.

mod blocks;
mod read;
mod write;

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::{Calls, Note, Provider, Written, several_by_one};
use crate::error::Result;
use crate::message::{Extras, Format, Message, Part, Role};

/// Format `"anthropic"`.
pub(super) struct Anthropic;

/// What a conversation begins with where its own first message is an assistant's: the API wants a user's.
pub(super) const BEGINNING: &str = "(The conversation begins with the assistant.)";

/// What is said where only white space was: the API refuses texts of nothing else.
const BLANK: &str = "(no text)";

/// What a tool's error says that came without a word: the API refuses it so.
pub(super) const NO_ERROR_TEXT: &str = "[the tool failed and said nothing]";

/// Whether the API refuses a text as empty.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Whether it is a text that the API refuses as empty.
pub(super) fn is_blank_text(part: &Part) -> bool {
    matches!(part, Part::Text { text, .. } if is_blank(text))
}

/// Takes the blank texts out of parts and of the tool outputs among them, each told to `gone`.
pub(super) fn drop_blank_texts(parts: &mut Vec<Part>, mut gone: impl FnMut(&str)) {
    parts.retain_mut(|part| match part {
        part if is_blank_text(part) => {
            gone("an empty text");
            false
        }
        Part::ToolOutput(output) => {
            let before = output.content.len();
            output.content.retain(|part| !is_blank_text(part));
            if output.content.len() < before {
                gone("an empty text in a tool result");
            }
            true
        }
        _ => true,
    });
}

/// Marks a message that came as `system`: `true` for a string, a list for blocks.
const HEAD: &str = "system";

/// Marks a message that stood in the same entry as the one before it.
const JOINS: &str = "joins";

impl Provider for Anthropic {
    fn format(&self) -> Format {
        Format::Anthropic
    }

    fn read_head(&self, body: &Value) -> Option<Message> {
        head(body.get("system")?)
    }

    fn read_list(&self, list: &[Value]) -> Result<Vec<(Message, Range<usize>)>> {
        several_by_one(list, read::message)
    }

    fn write_run(&self, run: &[&Message], _calls: &Calls<'_>, notes: &mut Vec<Note>) -> Vec<Value> {
        write::run(run, notes).into_iter().collect()
    }

    fn joins(&self, run: &[&Message], message: &Message) -> bool {
        let Some(previous) = run.last() else { return false };
        match message.extras.came_in(Format::Anthropic) {
            _ if write::role(previous.role) != write::role(message.role) => false,
            true => message.extras.has(Format::Anthropic, JOINS),
            // The engine's own, or another format's: the API would join them, some gateways refuse to.
            false => !message.role.is_instruction(),
        }
    }

    fn is_head(&self, message: &Message, _leading: bool) -> bool {
        message.role.is_instruction()
            && (!message.extras.came_in(Format::Anthropic) || message.extras.has(Format::Anthropic, HEAD))
    }

    fn write_head(&self, head: &[&Message], notes: &mut Vec<Note>) -> Option<Value> {
        let as_list = |m: &Message| m.extras.field(Format::Anthropic, HEAD).is_some_and(|v| v.is_array());
        if let [message] = head
            && !as_list(message)
            && let [Part::Text { text, extras }] = message.parts.as_slice()
            && !extras.came_in(Format::Anthropic)
        {
            return Some(Value::String(text.to_string()));
        }
        let blocks: Vec<Value> =
            head.iter().flat_map(|m| &m.parts).filter_map(|part| blocks::write(part, true, notes)).collect();
        (!blocks.is_empty() || head.iter().any(|m| as_list(m))).then_some(Value::Array(blocks))
    }

    fn opening(&self, first: Role) -> Option<Value> {
        (first == Role::Assistant).then(|| json!({ "role": "user", "content": BEGINNING }))
    }

    fn finish(&self, items: &mut Vec<Value>, notes: &mut Vec<Note>) {
        if write::trim_end(items) {
            notes
                .push(Note::new("white space at the end is taken off: the API refuses it in a final answer"));
        }
    }

    fn mended(&self, message: &Message, notes: &mut Vec<Note>) -> Option<Message> {
        let is_blank = |part: &Part| match part {
            Part::ToolOutput(output) => output.content.iter().any(is_blank_text),
            part => is_blank_text(part),
        };
        if message.role.is_instruction() || !message.parts.iter().any(is_blank) {
            return None;
        }
        let mut mended = message.clone();
        drop_blank_texts(&mut mended.parts, |_| ());
        if mended.parts.is_empty() {
            mended.parts.push(Part::text(BLANK));
        }
        notes.push(Note::new("a text of white space alone is left out: the API refuses it"));
        Some(mended)
    }

    fn body(&self, written: Written) -> Value {
        let mut body = Map::new();
        if let Some(head) = written.head {
            body.insert("system".to_owned(), head);
        }
        body.insert("messages".to_owned(), Value::Array(written.items));
        Value::Object(body)
    }
}

/// The message that stands for `system`.
fn head(system: &Value) -> Option<Message> {
    let (parts, mark) = match system {
        Value::String(text) => (vec![Part::text(text.as_str())], Value::Bool(true)),
        Value::Array(list) => (list.iter().map(blocks::read).collect(), Value::Array(Vec::new())),
        _ => return None,
    };
    let mut message = Message::new(Role::System, parts);
    message.extras = Extras::new(Format::Anthropic, Map::from_iter([(HEAD.to_owned(), mark)]));
    Some(message)
}
