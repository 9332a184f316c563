//! `OpenAI` Chat Completions, which many other providers use, too.

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

/// The key in the extras of reasoning for the field of the message that it came in.
const FIELD: &str = "field";

/// The key in the extras of a call that came as `function_call`, the predecessor of `tool_calls`.
const LEGACY: &str = "function_call";

/// The field of an assistant message for a spoken answer, and the key in the extras of a part that came in it.
const SPOKEN: &str = "audio";

/// The field with an assistant message's calls.
const CALLS: &str = "tool_calls";

const CONTENT: &str = "content";

/// The fields that providers use for the text of the reasoning.
const REASONING_FIELDS: [&str; 2] = ["reasoning_content", "reasoning"];

/// The fields that they use for signed blocks of reasoning, which are sent back unchanged.
const REASONING_BLOCKS: [&str; 2] = ["reasoning_details", "thinking_blocks"];

/// Replaces reasoning whose text was removed: some providers refuse calls without reasoning, and an empty text as well.
pub(super) const NO_REASONING: &str = "…";

/// Whether it is reasoning that came in a field of its message. Some providers refuse calls without this field.
pub fn has_reasoning_field(part: &Part) -> bool {
    matches!(part, Part::Reasoning(reasoning) if reasoning.extras.has(Format::OpenaiChat, FIELD))
}

/// Replaces the text of such reasoning by a minimal one and keeps the field. Returns whether the text was longer.
pub fn empty_reasoning(part: &mut Part) -> bool {
    let Part::Reasoning(reasoning) = part else { return false };
    let text = reasoning.text.get_or_insert_default();
    let is_longer = text.len() > NO_REASONING.len();
    if is_longer {
        *text = NO_REASONING.into();
    }
    is_longer
}

/// The same reasoning without its content, if it came in a field of its message.
pub fn erased_reasoning(part: &Part) -> Option<Part> {
    let Part::Reasoning(reasoning) = part else { return None };
    reasoning.extras.field(Format::OpenaiChat, FIELD)?.as_str().map(no_reasoning)
}

/// Reasoning without content, for a provider that refuses calls without reasoning.
pub(super) fn no_reasoning(field: &str) -> Part {
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

    fn write_run(&self, run: &[&Message], calls: &Calls<'_>, notes: &mut Vec<Note>) -> Vec<Value> {
        let one = match run {
            [message] => write::message(message, calls, notes),
            [first, rest @ ..] => {
                let mut whole = Message::clone(first);
                whole.parts.extend(rest.iter().flat_map(|message| message.parts.iter().cloned()));
                join_blocks(&mut whole, rest);
                write::message(&whole, calls, notes)
            }
            [] => None,
        };
        one.into_iter().collect()
    }

    fn corrected(&self, message: &Message, notes: &mut Vec<Note>) -> Option<Message> {
        let corrected = without_empty_lists(message)?;
        notes.push(Note::new("an empty list of tool calls or of content is left out: the API rejects it"));
        Some(corrected)
    }

    /// Nothing may come between calls and their outputs: everything else in the same answer goes into the message with
    /// the calls.
    fn joins(&self, run: &[&Message], message: &Message) -> bool {
        let calls = |m: &&Message| m.tool_calls().any(|call| !call.hosted);
        let is_answer = |m: &&Message| m.role == Role::Assistant;
        message.role == Role::Assistant && run.iter().all(is_answer) && run.iter().any(calls)
    }
}

/// Puts the signed blocks of the whole run into its first message.
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

/// Whether a field of the message is an empty list that the API refuses.
fn has_empty_list(message: &Message, key: &str) -> bool {
    let came_empty = message.extras.field(Format::OpenaiChat, key);
    came_empty.is_some_and(|value| value.as_array().is_some_and(Vec::is_empty))
}

/// The message without its empty list of tool calls, and with `null` instead of an empty list of content; `None` if it has neither.
pub(super) fn without_empty_lists(message: &Message) -> Option<Message> {
    let (no_calls, no_content) = (has_empty_list(message, CALLS), has_no_content(message));
    let mut fields = message.extras.of(Format::OpenaiChat).filter(|_| no_calls || no_content)?;
    if no_calls {
        fields.shift_remove(CALLS);
    }
    if no_content {
        fields.insert(CONTENT.to_owned(), Value::Null);
    }
    let mut corrected = message.clone();
    corrected.extras = message.extras.with(Format::OpenaiChat, fields);
    Some(corrected)
}

/// Whether it is an answer without calls whose content is an empty list. Beside calls, the API takes it.
pub(super) fn has_no_content(message: &Message) -> bool {
    message.role == Role::Assistant
        && message.tool_calls().next().is_none()
        && has_empty_list(message, CONTENT)
}
