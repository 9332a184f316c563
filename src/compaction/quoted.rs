//! Messages as a request for a summary quotes them.

use std::sync::Arc;

use super::inert::inert;
use crate::message::{Message, Part, ToolOutput};
use crate::tool_output::{PLACEHOLDER, placeholder};

/// A message of a request. A placeholder for the text of a tool output is written when it is read: there may be thousands of
/// them, and not every callback reads them.
#[derive(Debug, Clone)]
pub struct Quoted {
    message: Arc<Message>,
    without_output: bool,
}

impl Quoted {
    /// A message as it is.
    pub fn whole(message: Arc<Message>) -> Self {
        Self { message, without_output: false }
    }

    /// A message with a placeholder for the output in it.
    pub fn without_output(message: &Arc<Message>) -> Self {
        let without_output = matches!(&message.parts[..], [Part::ToolOutput(_)]);
        Self { message: message.clone(), without_output }
    }

    /// What is quoted, the text of an output aside: that may be left out.
    pub fn of(&self) -> &Message {
        &self.message
    }

    /// The message as it is read.
    pub fn message(&self) -> Arc<Message> {
        if self.without_output { Arc::new(without_output(&self.message)) } else { self.message.clone() }
    }

    /// What it takes, as messages are counted.
    pub fn tokens(&self, count: impl Fn(&Message) -> u64) -> u64 {
        match self.message.tool_outputs().last().filter(|_| self.without_output) {
            Some(output) => count(&Message::tool("", placeholder_of(output))),
            None => count(&self.message),
        }
    }

    /// Whether it is this very message.
    pub fn is(&self, message: &Arc<Message>) -> bool {
        !self.without_output && Arc::ptr_eq(&self.message, message)
    }

    /// The same with the tags in it made inert (COMP-17).
    pub fn make_inert(&mut self) {
        let is_ref = |message: &Message| {
            message.tool_outputs().all(|o| o.output_ref.iter().all(|r| !r.id.contains('<')))
        };
        if self.without_output && is_ref(&self.message) {
            return; // a placeholder says no more than its ref
        }
        if let Some(inert) = inert(&self.message()) {
            *self = Self::whole(Arc::new(inert));
        }
    }
}

fn placeholder_of(output: &ToolOutput) -> String {
    output.output_ref.as_ref().map_or_else(|| PLACEHOLDER.to_owned(), |known| placeholder(&known.id))
}

fn without_output(message: &Message) -> Message {
    let Message { role, parts, meta, extras } = message;
    let without = |part: &Part| {
        let Part::ToolOutput(output) = part else { return part.clone() };
        Part::from(ToolOutput {
            call_id: output.call_id.clone(),
            content: vec![Part::text(placeholder_of(output))],
            is_error: output.is_error,
            output_ref: output.output_ref.clone(),
            extras: output.extras.clone(),
        })
    };
    let parts = parts.iter().map(without).collect();
    Message { role: *role, parts, meta: meta.clone(), extras: extras.clone() }
}
