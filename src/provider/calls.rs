use std::collections::HashMap;

use crate::message::{Message, ToolCall};

/// The tool calls that stand before a message, by id: an output is written in its call's own kind.
#[derive(Debug, Default, Clone)]
pub struct Calls<'a>(HashMap<&'a str, &'a ToolCall>);

impl<'a> Calls<'a> {
    /// The calls in `messages`.
    pub fn of(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        let mut calls = Self::default();
        for message in messages {
            calls.add(message);
        }
        calls
    }

    /// Adds the calls of the next message. A call id that is used again means the newer call from here on.
    pub fn add(&mut self, message: &'a Message) {
        self.0.extend(message.tool_calls().map(|call| (call.id.as_str(), call)));
    }

    /// The call of this id.
    pub fn get(&self, id: &str) -> Option<&'a ToolCall> {
        self.0.get(id).copied()
    }
}
