//! Google Gemini: `contents` of `parts`, with `systemInstruction` separate.
//!
//! One user content holds the outputs of all calls in the model's content before it. We read each output as a message
//! of its own, and join it to the one before it when writing. An answer may go on in further contents (its SDK keeps each
//! chunk of a stream as one): if something follows a call there, they become one message, because the outputs come behind
//! all of them. Older APIs have no ids for calls: we assign ids, which are never sent.

mod outputs;
mod pairs;
mod parts;
mod read;
mod write;

use std::ops::Range;
use std::sync::Arc;

use serde_json::{Value, json};

use super::anthropic::BEGINNING;
use super::format::several_by_one;
use super::opaque::{has_non_object_input, wrap_input};
use super::results::JOINS;
use super::{Calls, Note, Provider, Written};
use crate::error::Result;
use crate::message::{Format, Message, Part, Role};

pub(super) use pairs::{Named, match_outputs};
pub(super) use parts::{field, named, says_nothing};
pub(super) use read::system_of;

/// Format `"gemini"`.
pub(super) struct Gemini;

/// The text for a content that would be empty, which the API refuses.
const BLANK: &str = "(no text)";

/// The key that lists the contents that became one message: where the parts of each end, and its template.
const CONTENTS: &str = "answer_contents";

/// The thought signature for a call that Gemini did not make: its models refuse a call of the current turn without a
/// signature, and accept this value instead. Source: Google, "Thought signatures", on calls that were not made by the
/// API.
pub(super) const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// Whether it is a part that the API refuses: an empty text, or no data at all.
pub(super) fn is_refused(part: &Part) -> bool {
    match part {
        Part::Text { text, extras } => text.is_empty() && !parts::is_signed(extras),
        Part::Reasoning(reasoning) => {
            reasoning.text.as_deref().is_some_and(str::is_empty) && !parts::is_signed(&reasoning.extras)
        }
        Part::Opaque { format: Format::Gemini, raw } => says_nothing(raw),
        _ => false,
    }
}

/// A call whose arguments are not an object, or an output whose response is not an object.
fn has_non_object(part: &Part) -> bool {
    match part {
        Part::ToolCall(call) => has_non_object_input(call),
        Part::ToolOutput(output) => outputs::has_non_object_response(output),
        _ => false,
    }
}

/// Wraps these in objects. Returns whether there were any.
pub(super) fn wrap_non_objects(message: &mut Message) -> bool {
    let mut done = false;
    for part in message.parts.iter_mut().filter(|part| has_non_object(part)) {
        done = true;
        match part {
            Part::ToolCall(call) => wrap_input(call),
            Part::ToolOutput(output) => outputs::wrap_response(output),
            _ => {}
        }
    }
    done
}

impl Provider for Gemini {
    fn format(&self) -> Format {
        Format::Gemini
    }

    fn read_head(&self, body: &Value) -> Option<Message> {
        read::head(system_of(body)?)
    }

    fn read_list(&self, list: &[Value]) -> Result<Vec<(Message, Range<usize>)>> {
        self.read_behind(&[], list)
    }

    fn read_behind(&self, before: &[Arc<Message>], list: &[Value]) -> Result<Vec<(Message, Range<usize>)>> {
        let read =
            |entry: &Value, index: usize, out: &mut Vec<Message>| read::message(before, entry, index, out);
        Ok(read::joined(several_by_one(list, read)?))
    }

    fn continues(&self, list: &[Value]) -> bool {
        list.iter().any(read::lacks_id)
    }

    fn write_run(&self, run: &[&Message], calls: &Calls<'_>, notes: &mut Vec<Note>) -> Vec<Value> {
        write::run(run, calls, notes)
    }

    fn joins(&self, run: &[&Message], message: &Message) -> bool {
        let Some(previous) = run.last() else { return false };
        if write::role(previous.role) != write::role(message.role) {
            return false;
        }
        match message.role {
            // The API requires the outputs of parallel calls in one content.
            Role::Tool if previous.role == Role::Tool => true,
            // Several model contents in a row count as one turn, so those that came in this format stay separate.
            Role::Assistant if !message.extras.came_in(Format::Gemini) => true,
            _ => message.extras.has(Format::Gemini, JOINS),
        }
    }

    fn is_head(&self, message: &Message, _leading: bool) -> bool {
        message.role.is_instruction()
    }

    fn write_head(&self, head: &[&Message], notes: &mut Vec<Note>) -> Option<Value> {
        write::head(head, notes)
    }

    fn opening(&self, first: Role) -> Option<Value> {
        (first == Role::Assistant).then(|| json!({ "role": "user", "parts": [{ "text": BEGINNING }] }))
    }

    fn corrected(&self, message: &Message, notes: &mut Vec<Note>) -> Option<Message> {
        let is_odd = message.parts.iter().any(has_non_object);
        if !is_odd && !message.parts.iter().any(is_refused) {
            return None;
        }
        let mut corrected = message.clone();
        if is_odd {
            wrap_non_objects(&mut corrected);
            notes.push(Note::new(
                "a value that is not an object is wrapped in one: the API rejects it otherwise",
            ));
        }
        corrected.parts.retain(|part| !is_refused(part));
        if corrected.parts.is_empty() && !message.role.is_instruction() {
            corrected.parts.push(Part::text(BLANK));
        }
        if corrected.parts.len() < message.parts.len() {
            notes.push(Note::new("an empty part is left out: the API rejects it"));
        }
        Some(corrected)
    }

    fn body(&self, written: Written) -> Value {
        written.into_body("systemInstruction", "contents")
    }
}
