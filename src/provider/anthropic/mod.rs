//! Anthropic Messages, with `system` separate.
//!
//! One user message holds the results of all tools, followed by what the user says. We read each result as a message of
//! its own, and join it to the one before it when writing.

mod blocks;
mod read;
mod refused;
mod write;

pub(super) use refused::{
    BLANK, NO_ERROR_TEXT, drop_refused, fitting, is_blank, is_refused, without_refused,
};
pub(super) use write::{is_white_space, role, trim_end};

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::format::several_by_one;
use super::results::JOINS;
use super::{Calls, Note, Provider, Written};
use crate::error::Result;
use crate::message::{Extras, Format, Message, Part, Role};
use write::HEAD;

/// Format `"anthropic"`.
pub(super) struct Anthropic;

/// The first message if the conversation begins with an assistant message: the API requires a user message there.
pub(super) const BEGINNING: &str = "(The conversation begins with the assistant.)";

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
            // Written by the engine or read from another format. The API itself would join adjacent messages of one
            // role, but some gateways refuse them.
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
        if write::trim_end(items, write::last_text) {
            notes.push(Note::new(
                "trailing white space is removed: the API rejects it in a final assistant message",
            ));
        }
    }

    fn corrected(&self, message: &Message, notes: &mut Vec<Note>) -> Option<Message> {
        message.parts.iter().any(is_refused).then(|| without_refused(message, notes))
    }

    fn body(&self, written: Written) -> Value {
        written.into_body("system", "messages")
    }
}

/// The message for `system`. A string needs no mark, because other instructions are written as a string, too.
fn head(system: &Value) -> Option<Message> {
    match system {
        Value::String(text) => Some(Message::text(Role::System, text.as_str())),
        Value::Array(list) => {
            let mut message = Message::new(Role::System, list.iter().map(blocks::read).collect());
            // Several blocks are written as a list anyway.
            if list.len() < 2 {
                let mark = (HEAD.to_owned(), Value::Array(Vec::new()));
                message.extras = Extras::new(Format::Anthropic, Map::from_iter([mark]));
            }
            Some(message)
        }
        _ => None,
    }
}
