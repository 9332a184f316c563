//! `OpenAI` Chat Completions, and the many providers that speak it.

mod content;
mod read;
mod write;

use std::ops::Range;

use serde_json::{Map, Value};

use super::format::one_by_one;
use super::{Calls, Note, Provider};
use crate::error::Result;
use crate::message::{Extras, Format, Message, Part, Reasoning, Role};

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

/// The fields in which they put it as signed blocks, which go back as they came.
const REASONING_BLOCKS: [&str; 2] = ["reasoning_details", "thinking_blocks"];

/// What stands for reasoning whose text is gone: some providers refuse calls without any, and an empty text as well.
pub(super) const NO_REASONING: &str = "…";

/// Whether it is reasoning that came in a field of its message: beside calls, some providers refuse the message without.
pub fn has_reasoning_field(part: &Part) -> bool {
    matches!(part, Part::Reasoning(reasoning) if reasoning.extras.has(Format::OpenaiChat, FIELD))
}

/// Takes the text out of such reasoning, and leaves the field. Whether there was more.
pub fn empty_reasoning(part: &mut Part) -> bool {
    let Part::Reasoning(reasoning) = part else { return false };
    let text = reasoning.text.get_or_insert_default();
    let is_longer = text.len() > NO_REASONING.len();
    if is_longer {
        *text = NO_REASONING.into();
    }
    is_longer
}

/// Reasoning that says nothing, for a provider that refuses calls without.
pub(super) fn no_reasoning(field: &'static str) -> Part {
    let extras = Extras::new(Format::OpenaiChat, Map::from_iter([(FIELD.to_owned(), Value::from(field))]));
    Part::from(Reasoning { text: Some(NO_REASONING.into()), extras, ..Reasoning::default() })
}

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
                join_blocks(&mut whole, rest);
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

/// Puts the signed blocks of all of a run into its first message.
fn join_blocks(whole: &mut Message, rest: &[&Message]) {
    for key in REASONING_BLOCKS {
        let blocks = |message: &Message| -> Vec<Value> {
            let field = message.extras.field(Format::OpenaiChat, key);
            field.as_ref().and_then(Value::as_array).cloned().unwrap_or_default()
        };
        let more: Vec<Value> = rest.iter().flat_map(|message| blocks(message)).collect();
        if !more.is_empty() {
            let mut fields = whole.extras.of(Format::OpenaiChat).unwrap_or_default();
            fields.insert(key.to_owned(), blocks(whole).into_iter().chain(more).collect());
            whole.extras = whole.extras.with(Format::OpenaiChat, fields);
        }
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
