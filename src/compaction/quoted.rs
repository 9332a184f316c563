//! Messages as they appear in a request for a summary.

use std::sync::Arc;

use super::inert::inert;
use crate::message::{Message, Part, ToolOutput};
use crate::tool_output::{PLACEHOLDER, placeholder};

/// A message of a request. A placeholder for a tool output is only built when it is read: there may be thousands, and not every callback
/// reads them.
#[derive(Debug, Clone)]
pub struct Quoted {
    message: Arc<Message>,
    without_output: bool,
}

impl Quoted {
    /// A message quoted unchanged.
    pub fn whole(message: Arc<Message>) -> Self {
        Self { message, without_output: false }
    }

    /// A message whose tool output is replaced by a placeholder.
    pub fn without_output(message: &Arc<Message>) -> Self {
        let without_output = matches!(&message.parts[..], [Part::ToolOutput(_)]);
        Self { message: message.clone(), without_output }
    }

    /// The original message. It still holds the tool output, even if that is left out of the quote.
    pub fn original(&self) -> &Message {
        &self.message
    }

    /// The message as the summariser gets it.
    pub fn message(&self) -> Arc<Message> {
        if self.without_output { Arc::new(without_output(&self.message)) } else { self.message.clone() }
    }

    /// The tokens of the message as the summariser gets it.
    pub fn tokens(&self, count: impl Fn(&Message) -> u64) -> u64 {
        match self.message.tool_outputs().last().filter(|_| self.without_output) {
            Some(output) => count(&Message::tool("", placeholder_of(output))),
            None => count(&self.message),
        }
    }

    /// Whether this quotes exactly `message`, unchanged.
    pub fn quotes(&self, message: &Arc<Message>) -> bool {
        !self.without_output && Arc::ptr_eq(&self.message, message)
    }

    /// Makes the tags in it inert (COMP-17).
    pub fn make_inert(&mut self) {
        let is_ref = |message: &Message| {
            message.tool_outputs().all(|o| o.output_ref.iter().all(|r| !r.id.contains('<')))
        };
        if self.without_output && is_ref(&self.message) {
            return; // a placeholder contains nothing but the ref
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
    let mut message = message.clone();
    for output in message.tool_outputs_mut() {
        output.content = vec![Part::text(placeholder_of(output))];
    }
    message
}
