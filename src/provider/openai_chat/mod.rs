//! `OpenAI` Chat Completions, and the many providers that speak it.

mod content;
mod read;
mod write;

use std::ops::Range;

use serde_json::Value;

use super::{Calls, Note, Provider, one_by_one};
use crate::error::Result;
use crate::message::{Format, Message, Role};

/// Format `"openai-chat"`.
pub(super) struct Chat;

/// In the extras of reasoning and of a refusal: the field of the message in which it stood.
const FIELD: &str = "field";

/// In the extras of a call: it came as `function_call`, before there were `tool_calls`.
const LEGACY: &str = "function_call";

/// The field of an assistant's calls.
const CALLS: &str = "tool_calls";

/// The fields in which providers put the reasoning's text.
const REASONING_FIELDS: [&str; 2] = ["reasoning_content", "reasoning"];

impl Provider for Chat {
    fn format(&self) -> Format {
        Format::OpenaiChat
    }

    fn read_list(&self, list: &[Value]) -> Result<Vec<(Message, Range<usize>)>> {
        one_by_one(list, read::message)
    }

    fn write_run(&self, run: &[&Message], _calls: &Calls<'_>, notes: &mut Vec<Note>) -> Vec<Value> {
        let one = match run {
            [message] => write::message(message, notes),
            [first, rest @ ..] => {
                let mut whole = Message::clone(first);
                whole.parts.extend(rest.iter().flat_map(|message| message.parts.iter().cloned()));
                write::message(&whole, notes)
            }
            [] => None,
        };
        one.into_iter().collect()
    }

    fn mended(&self, message: &Message, notes: &mut Vec<Note>) -> Option<Message> {
        let mended = without_empty_calls(message)?;
        notes.push(Note::new("an empty list of tool calls is left out: the API refuses it"));
        Some(mended)
    }

    /// Nothing may stand between calls and their outputs: what else the same answer says stands in the message that calls.
    fn joins(&self, run: &[&Message], message: &Message) -> bool {
        let calls = |m: &&Message| m.tool_calls().any(|call| !call.hosted);
        let is_answer = |m: &&Message| m.role == Role::Assistant;
        message.role == Role::Assistant && run.iter().all(is_answer) && run.iter().any(calls)
    }
}

/// The message without an empty list of tool calls, where it came with one.
pub(super) fn without_empty_calls(message: &Message) -> Option<Message> {
    let mut fields = message
        .extras
        .of(Format::OpenaiChat)
        .filter(|fields| fields.get(CALLS).and_then(Value::as_array).is_some_and(Vec::is_empty))?;
    fields.shift_remove(CALLS);
    let mut mended = message.clone();
    mended.extras = message.extras.with(Format::OpenaiChat, fields);
    Some(mended)
}
