//! `OpenAI` Responses: input items and output items.
//!
//! One item is one message, with one exception: a run of reasoning, messages and calls that the model made becomes one
//! assistant message with ordered parts, and is written back as separate items.

mod answered;
mod content;
mod foreign;
pub(super) mod kinds;
mod outputs;
mod read;
mod write;

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Value};

use super::{Calls, Note, Provider, Written};
use crate::error::Result;
use crate::message::{Extras, Format, Message, Part, Role};
pub use answered::{answer_by_item_id, claim_stored_call, count_stored_calls, is_answer_by_id};
use kinds::written_id;
use read::SUMMARY;
use write::HEAD;

/// Format `"openai-responses"`.
pub(super) struct Responses;

impl Provider for Responses {
    fn format(&self) -> Format {
        Format::OpenaiResponses
    }

    fn read_head(&self, body: &Value) -> Option<Message> {
        // A response repeats the instructions of its request; they are not part of its content.
        head(body.get("instructions").filter(|_| body.get("output").is_none())?)
    }

    fn read_list(&self, list: &[Value]) -> Result<Vec<(Message, Range<usize>)>> {
        let mut out = Vec::new();
        read::items(list, &mut out)?;
        Ok(out)
    }

    fn write_run(&self, run: &[&Message], calls: &Calls<'_>, notes: &mut Vec<Note>) -> Vec<Value> {
        let mut out = Vec::new();
        for message in run {
            let Some((entries, beside)) = message.provider_summary(Format::OpenaiResponses) else {
                write::message(message, calls, &mut out, notes);
                continue;
            };
            out.extend(entries);
            if let Some(beside) = beside {
                write::message(&beside, calls, &mut out, notes);
            }
        }
        out
    }

    fn corrected(&self, message: &Message, notes: &mut Vec<Note>) -> Option<Message> {
        let is_long = |id: &str| matches!(written_id(id), Cow::Owned(_));
        // A message that is written without its template has a summary, and ids that the API accepts.
        let what = message.parts.iter().find_map(|part| match part {
            Part::ToolCall(call) if !call.hosted && is_long(&call.id) => {
                Some("the id of a call is shortened: the API rejects longer ones")
            }
            Part::ToolOutput(output) if is_long(&output.call_id) => {
                Some("the id of a call is shortened: the API rejects longer ones")
            }
            Part::Reasoning(reasoning) => {
                let extras = &reasoning.extras;
                let lacks =
                    extras.came_in(Format::OpenaiResponses) && !extras.has(Format::OpenaiResponses, SUMMARY);
                lacks.then_some("reasoning gets an empty summary: the API rejects it otherwise")
            }
            _ => None,
        })?;
        notes.push(Note::new(what));
        Some(message.clone())
    }

    fn is_head(&self, message: &Message, leading: bool) -> bool {
        leading && message.extras.has(Format::OpenaiResponses, HEAD)
    }

    fn write_head(&self, head: &[&Message], _notes: &mut Vec<Note>) -> Option<Value> {
        match head {
            [] => None,
            [message] => match message.parts.as_slice() {
                [Part::Opaque { format: Format::OpenaiResponses, raw }] => Some(raw.as_ref().clone()),
                _ => Some(Value::String(message.plain_text())),
            },
            many => Some(Value::String(many.iter().map(|m| m.plain_text()).collect::<Vec<_>>().join("\n\n"))),
        }
    }

    fn body(&self, written: Written) -> Value {
        written.into_body("instructions", "input")
    }
}

/// The message for `instructions`.
fn head(instructions: &Value) -> Option<Message> {
    let part = match instructions {
        Value::Null => return None,
        Value::String(text) => Part::text(text.as_str()),
        other => Part::Opaque { format: Format::OpenaiResponses, raw: other.clone().into() },
    };
    let mut message = Message::new(Role::System, vec![part]);
    message.extras =
        Extras::new(Format::OpenaiResponses, Map::from_iter([(HEAD.to_owned(), Value::Bool(true))]));
    Some(message)
}
