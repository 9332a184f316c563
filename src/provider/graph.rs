use serde_json::Value;

use super::provider;
use crate::error::{Error, Result};
use crate::graph::MessageCodec;
use crate::message::{Format, Message};

/// Writes the messages in a graph's snapshot in the package's own format.
#[derive(Debug, Clone, Copy, Default)]
pub struct GraphMessages;

impl MessageCodec for GraphMessages {
    fn write(&self, message: &Message) -> Value {
        provider(Format::Messages).write(&[message]).items.into_iter().next().unwrap_or_default()
    }

    fn read(&self, value: Value) -> Result<Message> {
        let read = provider(Format::Messages).read(&Value::Array(vec![value]))?;
        read.into_iter().next().ok_or_else(|| Error::argument("a message is missing"))
    }
}
