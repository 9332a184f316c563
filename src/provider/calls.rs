use std::fmt;

use crate::hashing::HashMap;
use crate::message::{Message, ToolCall};

/// Finds a call by its id.
type Find<'a> = dyn Fn(&str) -> Option<&'a ToolCall> + 'a;

/// The tool calls before a message, by id. An output is written in the kind of its call.
#[derive(Default, Clone)]
pub struct Calls<'a> {
    known: HashMap<&'a str, &'a ToolCall>,
    looked_up: Option<&'a Find<'a>>,
}

impl<'a> Calls<'a> {
    /// The calls in `messages`.
    pub fn of(messages: impl IntoIterator<Item = &'a Message>) -> Self {
        let mut calls = Self::default();
        for message in messages {
            calls.add(message);
        }
        calls
    }

    /// Finds calls only on demand, for when only a few calls of a long list are needed.
    pub fn with_lookup(find: &'a Find<'a>) -> Self {
        Self { looked_up: Some(find), ..Self::default() }
    }

    /// Adds the calls of the next message. If a call id is used again, it refers to the newer call from here on.
    pub fn add(&mut self, message: &'a Message) {
        self.known.extend(message.tool_calls().map(|call| (call.id.as_str(), call)));
    }

    /// The call with this id.
    pub fn get(&self, id: &str) -> Option<&'a ToolCall> {
        self.known.get(id).copied().or_else(|| self.looked_up?(id))
    }
}

impl fmt::Debug for Calls<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(&self.known).finish()
    }
}
