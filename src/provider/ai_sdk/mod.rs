//! AI SDK `ModelMessage`s, in the shapes of versions 6 and 7.
//!
//! One tool message holds the results of several calls. We read each result as a message of its own, and join it to the
//! one before it when writing.

mod outputs;
mod parts;
mod read;
mod write;

use std::ops::Range;

use serde_json::{Value, json};

use super::anthropic::BEGINNING;
use super::format::several_by_one;
use super::{Calls, Note, Provider};
use crate::error::Result;
use crate::message::{Extras, Format, Message, Part, Role};

/// Format `"ai-sdk"`.
pub(super) struct AiSdk;

/// The key that marks a message as part of the same entry as the message before it.
const JOINS: &str = "joins";

/// The key that marks a part of a tool message that is not a result: an answer to an approval request.
const IN_TOOL_MESSAGE: &str = "in_tool_message";

/// Whether a message is written into a tool message.
fn in_tool_message(message: &Message) -> bool {
    message.role == Role::Tool || message.extras.has(Format::AiSdk, IN_TOOL_MESSAGE)
}

impl Provider for AiSdk {
    fn format(&self) -> Format {
        Format::AiSdk
    }

    fn read_head(&self, body: &Value) -> Option<Message> {
        let system = body.get("system").or_else(|| body.get("instructions"))?.as_str()?;
        Some(Message::text(Role::System, system))
    }

    fn read_list(&self, list: &[Value]) -> Result<Vec<(Message, Range<usize>)>> {
        several_by_one(list, read::message)
    }

    fn write_run(&self, run: &[&Message], calls: &Calls<'_>, notes: &mut Vec<Note>) -> Vec<Value> {
        write::run(run, calls, notes).into_iter().collect()
    }

    /// The SDK's providers for Anthropic and Google send the first message as it is, and their APIs require a user
    /// message there.
    fn opening(&self, first: Role) -> Option<Value> {
        (first == Role::Assistant)
            .then(|| json!({ "role": "user", "content": [{ "type": "text", "text": BEGINNING }] }))
    }

    fn corrected(&self, message: &Message, notes: &mut Vec<Note>) -> Option<Message> {
        let refused = |part: &&Part| !parts::fits_assistant(part);
        if message.role != Role::Assistant || !message.parts.iter().any(|part| refused(&part)) {
            return None;
        }
        let mut corrected = message.clone();
        corrected.parts.retain_mut(|part| match part {
            Part::Text { .. } => parts::fits_assistant(part),
            Part::Media(media) if media.data.is_some() || media.url.is_some() => {
                media.extras = Extras::default();
                true
            }
            _ => true,
        });
        let what = "blank texts are left out and images are written as files: the provider would reject it otherwise";
        notes.push(Note::new(what));
        Some(corrected)
    }

    /// The messages of a step are joined: some providers allow nothing between calls and their results.
    fn joins(&self, run: &[&Message], message: &Message) -> bool {
        let calls = |m: &&Message| m.tool_calls().any(|call| !call.hosted);
        let is_answer = |m: &&Message| m.role == Role::Assistant && !m.extras.came_in(Format::AiSdk);
        if is_answer(&message) && run.iter().all(is_answer) && run.iter().any(calls) {
            return true;
        }
        run.last().is_some_and(|previous| in_tool_message(previous))
            && in_tool_message(message)
            && (!message.extras.came_in(Format::AiSdk) || message.extras.has(Format::AiSdk, JOINS))
    }
}
