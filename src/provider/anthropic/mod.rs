//! Anthropic Messages, with `system` apart.
//!
//! One user message holds the results of all tools and what the user says after them; here each result is a message
//! of its own that joins the one before it when it is written.

mod blocks;
mod read;
mod write;

pub(super) use write::{is_white_space, role};

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::results::JOINS;
use super::{Calls, Note, Provider, Written, several_by_one};
use crate::error::Result;
use crate::message::{Extras, Format, Message, Part, Role, ToolOutput};

/// Format `"anthropic"`.
pub(super) struct Anthropic;

/// What a conversation begins with where its own first message is an assistant's: the API wants a user's.
pub(super) const BEGINNING: &str = "(The conversation begins with the assistant.)";

/// What is said where only white space was: the API refuses texts of nothing else.
pub(super) const BLANK: &str = "(no text)";

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

/// Whether a tool's output may hold a part: one that failed says texts, and nothing else.
pub(super) fn fits_result(output: &ToolOutput, part: &Part) -> bool {
    !output.is_error || matches!(part, Part::Text { .. })
}

/// What is noted of an error that holds anything else.
pub(super) const ERROR_NOT_TEXT: &str = "what is no text is left out of an error: the API refuses it there";

/// Takes out of a message's parts what the API refuses wherever they stand, each told to `gone` with its rule: blank texts, and
/// what is no text in a tool's error.
pub(super) fn drop_refused(parts: &mut Vec<Part>, mut gone: impl FnMut(&'static str, &str)) {
    parts.retain_mut(|part| match part {
        part if is_blank_text(part) => {
            gone("A-empty-text", "an empty text");
            false
        }
        Part::ToolOutput(output) => {
            let mut content = std::mem::take(&mut output.content);
            let before = content.len();
            content.retain(|part| fits_result(output, part));
            if content.len() < before {
                gone("A-error-content", "what is no text in an error");
            }
            let before = content.len();
            content.retain(|part| !is_blank_text(part));
            if content.len() < before {
                gone("A-empty-text", "an empty text in a tool result");
            }
            output.content = content;
            true
        }
        _ => true,
    });
}

/// Whether the API refuses a part wherever it stands, or something in it.
pub(super) fn is_refused(part: &Part) -> bool {
    match part {
        Part::ToolOutput(output) => {
            let refused = |part: &Part| is_blank_text(part) || !fits_result(output, part);
            output.is_error && output.content.is_empty() || output.content.iter().any(refused)
        }
        part => is_blank_text(part),
    }
}

/// The message without all that.
pub(super) fn without_refused(message: &Message, notes: &mut Vec<Note>) -> Message {
    let mut mended = message.clone();
    drop_refused(&mut mended.parts, |rule, _| {
        notes.push(Note::new(match rule {
            "A-error-content" => ERROR_NOT_TEXT,
            _ => "a text of white space alone is left out: the API refuses it",
        }));
    });
    if mended.parts.is_empty() && !message.role.is_instruction() {
        mended.parts.push(Part::text(BLANK));
    }
    mended
}

/// Marks a message that came as `system` blocks.
const HEAD: &str = "system";

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
        let own = run.first().and_then(|first| first.provider_summary(Format::Anthropic));
        let Some((entries, beside)) = own else { return write::run(run, notes).into_iter().collect() };
        let rest: Vec<&Message> = beside.iter().chain(run[1..].iter().copied()).collect();
        entries.into_iter().chain(write::run(&rest, notes)).collect()
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
        message.parts.iter().any(is_refused).then(|| without_refused(message, notes))
    }

    fn body(&self, written: Written) -> Value {
        written.into_body("system", "messages")
    }
}

/// The message that stands for `system`. A text needs no mark: any other instructions are written so, too.
fn head(system: &Value) -> Option<Message> {
    match system {
        Value::String(text) => Some(Message::text(Role::System, text.as_str())),
        Value::Array(list) => {
            let mut message = Message::new(Role::System, list.iter().map(blocks::read).collect());
            let mark = (HEAD.to_owned(), Value::Array(Vec::new()));
            message.extras = Extras::new(Format::Anthropic, Map::from_iter([mark]));
            Some(message)
        }
        _ => None,
    }
}
