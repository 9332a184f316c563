//! What may not leave the conversation: a callback that sees every text on its way to the summariser or to the ledger.

use std::sync::Arc;

use serde_json::Value;

use crate::error::Result;
use crate::message::{CallKind, Message, Part, Text};

/// `compaction.redact` (COMP-21): gives each text without its secrets. An error ends the compaction; nothing has changed
/// then. It should be fast and must be a function of the text alone: it is called again for the same text.
#[derive(Clone)]
pub struct Redact(Arc<Callback>);

type Callback = dyn Fn(&str) -> Result<String>;

impl std::fmt::Debug for Redact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Redact")
    }
}

impl Redact {
    /// Redacts with this function.
    #[allow(clippy::arc_with_non_send_sync, reason = "the host's function lives on the host's thread")]
    pub fn new(redact: impl Fn(&str) -> Result<String> + 'static) -> Self {
        Self(Arc::new(redact))
    }

    /// A text without what may not leave.
    pub fn text(&self, text: &str) -> Result<String> {
        if text.is_empty() { Ok(String::new()) } else { (self.0)(text) }
    }

    /// A message without what may not leave: its texts, outputs, arguments (JSON stays JSON) and what is not understood.
    /// Reasoning is signed and goes with whatever it holds.
    pub fn message(&self, message: &Message) -> Result<Message> {
        let mut message = message.clone();
        let mut parts = Vec::with_capacity(message.parts.len());
        for part in message.parts {
            parts.extend(self.part(part)?);
        }
        message.parts = parts;
        Ok(message)
    }

    fn part(&self, mut part: Part) -> Result<Option<Part>> {
        match &mut part {
            Part::Text { text, .. } | Part::Refusal { text, .. } => *text = self.text(text)?.into(),
            Part::ToolOutput(output) => {
                for inner in &mut output.content {
                    match inner {
                        Part::Text { text, .. } | Part::Refusal { text, .. } => {
                            *text = self.text(text)?.into();
                        }
                        Part::Opaque { raw, .. } => *raw = Arc::new(self.value(raw)?),
                        _ => {}
                    }
                }
            }
            Part::ToolCall(call) => {
                if let CallKind::Other { raw, .. } = &mut call.kind {
                    *raw = Arc::new(self.value(raw)?);
                }
                call.input = self.arguments(&call.input)?;
            }
            Part::Opaque { raw, .. } => *raw = Arc::new(self.value(raw)?),
            Part::Reasoning(_) => return Ok(None),
            Part::Media(_) => {}
        }
        Ok(Some(part))
    }

    /// Arguments that were JSON are JSON afterwards (INV-12).
    fn arguments(&self, input: &Text) -> Result<Text> {
        match serde_json::from_str::<Value>(input) {
            Ok(value) => {
                let redacted = self.value(&value)?;
                Ok(if redacted == value { input.clone() } else { redacted.to_string().into() })
            }
            Err(_) => Ok(self.text(input)?.into()),
        }
    }

    /// Every string of a value. What a parser took is nested a hundred levels at most.
    fn value(&self, value: &Value) -> Result<Value> {
        Ok(match value {
            Value::String(text) => Value::String(self.text(text)?),
            Value::Array(list) => Value::Array(list.iter().map(|v| self.value(v)).collect::<Result<_>>()?),
            Value::Object(map) => {
                let redacted = map.iter().map(|(key, v)| Ok((key.clone(), self.value(v)?)));
                Value::Object(redacted.collect::<Result<_>>()?)
            }
            other => other.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorCode};
    use crate::message::{Reasoning, Role, ToolCall};

    #[test]
    fn every_text_is_seen_and_json_stays_json() {
        let redact = Redact::new(|text| Ok(text.replace("hunter2", "\"…\"")));
        let call = ToolCall::function("c", "login", r#"{"user":{"password":["hunter2"]},"n":1}"#);
        let thought = Part::Reasoning(Reasoning { text: Some("hunter2".into()), ..Reasoning::default() });
        let message =
            Message::new(Role::Assistant, vec![thought, Part::text("it is hunter2"), Part::ToolCall(call)]);
        let redacted = redact.message(&message).unwrap();
        assert_eq!(redacted.parts.len(), 2);
        assert_eq!(redacted.plain_text(), "it is \"…\"");
        let input = &redacted.tool_calls().next().unwrap().input;
        let parsed: Value = serde_json::from_str(input).unwrap();
        assert_eq!(parsed["user"]["password"][0], "\"…\"");
        let output = redact.message(&Message::tool("c", "hunter2 is right")).unwrap();
        assert_eq!(output.plain_text(), "\"…\" is right");
    }

    #[test]
    fn an_error_is_the_callers() {
        let redact = Redact::new(|_| Err(Error::new(ErrorCode::SummaryFailed, "no")));
        assert_eq!(
            redact.message(&Message::text(Role::User, "x")).unwrap_err().code(),
            ErrorCode::SummaryFailed
        );
    }
}
