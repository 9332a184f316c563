//! Redaction: a callback that sees every text on its way to the summariser or to the ledger.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::error::Result;
use crate::hashing::hash;
use crate::message::{CallKind, Extras, Message, Part, Text};

/// `compaction.redact` (COMP-21): returns each text without its secrets. An error ends the compaction and leaves everything unchanged. The
/// function should be fast and must depend on nothing but the text, because it is called again for the same text.
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

    /// Whether both are the same function.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The redacted text.
    pub fn text(&self, text: &str) -> Result<String> {
        if text.is_empty() { Ok(String::new()) } else { (self.0)(text) }
    }

    /// The redacted message: texts, outputs, arguments and their keys (JSON stays JSON), names, titles, addresses, the extra fields of its
    /// format, and parts of unknown type. An id that would change is replaced by the same new id everywhere. Media whose address would
    /// change are replaced by their kind, e.g. `[image]`. Reasoning is signed and is left out.
    pub fn message(&self, message: &Message) -> Result<Message> {
        let mut message = message.clone();
        let mut parts = Vec::with_capacity(message.parts.len());
        for part in message.parts {
            parts.extend(self.part(part)?);
        }
        message.parts = parts;
        message.extras = self.extras(&message.extras)?;
        message.meta.id = message.meta.id.as_deref().map(|id| self.id(id)).transpose()?;
        Ok(message)
    }

    fn part(&self, mut part: Part) -> Result<Option<Part>> {
        match &mut part {
            Part::Text { text, extras } | Part::Refusal { text, extras } => {
                *text = self.text(text)?.into();
                *extras = self.extras(extras)?;
            }
            Part::ToolOutput(output) => {
                let content = std::mem::take(&mut output.content);
                for inner in content {
                    output.content.extend(self.part(inner)?);
                }
                output.call_id = self.id(&output.call_id)?;
                output.extras = self.extras(&output.extras)?;
            }
            Part::ToolCall(call) => {
                if let CallKind::Other { raw, .. } = &mut call.kind {
                    *raw = Arc::new(self.value(raw)?);
                }
                call.input = self.arguments(&call.input)?;
                call.id = self.id(&call.id)?;
                call.extras = self.extras(&call.extras)?;
                if self.text(&call.name)? != call.name {
                    "redacted".clone_into(&mut call.name); // providers allow few characters in names
                }
            }
            Part::Opaque { raw, .. } => *raw = Arc::new(self.value(raw)?),
            Part::Reasoning(_) => return Ok(None),
            Part::Media(media) => {
                let is_address = |url: &&String| !url.starts_with("data:");
                for said in
                    [media.url.as_ref().filter(is_address), media.file_id.as_ref()].into_iter().flatten()
                {
                    if self.text(said)? != *said {
                        return Ok(Some(Part::text(format!("[{}]", media.kind.as_str()))));
                    }
                }
                if let Some(name) = &mut media.filename {
                    *name = self.text(name)?;
                }
                media.extras = self.extras(&media.extras)?;
            }
        }
        Ok(Some(part))
    }

    /// The redacted extra fields of all formats. A participant's name that would change is left out.
    fn extras(&self, extras: &Extras) -> Result<Extras> {
        let mut out = extras.clone();
        for (format, fields) in extras.all() {
            let mut redacted = Map::new();
            for (key, value) in fields.clone() {
                let seen = self.field(&key, &value)?;
                if key != "name" || seen == value {
                    redacted.insert(self.text(&key)?, seen);
                }
            }
            if redacted != fields {
                out = out.with(format, redacted);
            }
        }
        Ok(out)
    }

    /// Replaces an id that the callback would change. Equal ids get equal replacements, so that calls and outputs stay together.
    fn id(&self, id: &str) -> Result<String> {
        if self.text(id)? == id {
            return Ok(id.to_owned());
        }
        Ok(format!("redacted_{:016x}", hash(id.as_bytes())))
    }

    /// Arguments that were JSON are still JSON afterwards (INV-12).
    fn arguments(&self, input: &Text) -> Result<Text> {
        match serde_json::from_str::<Value>(input) {
            Ok(value) => {
                let redacted = self.value(&value)?;
                Ok(if redacted == value { input.clone() } else { redacted.to_string().into() })
            }
            Err(_) => Ok(self.text(input)?.into()),
        }
    }

    /// Redacts every string in a value. The recursion is safe: parsers accept at most a hundred levels.
    fn value(&self, value: &Value) -> Result<Value> {
        Ok(match value {
            Value::String(text) => Value::String(self.text(text)?),
            Value::Array(list) => Value::Array(list.iter().map(|v| self.value(v)).collect::<Result<_>>()?),
            Value::Object(map) => {
                let mut redacted = Map::new();
                for (key, value) in map {
                    let value = self.field(key, value)?;
                    let mut key = self.text(key)?;
                    while redacted.contains_key(&key) {
                        key.push('_'); // two keys became the same
                    }
                    redacted.insert(key, value);
                }
                Value::Object(redacted)
            }
            other => other.clone(),
        })
    }

    fn field(&self, key: &str, value: &Value) -> Result<Value> {
        match value {
            Value::String(id)
                if ["id", "call_id", "tool_call_id", "tool_use_id", "toolCallId"].contains(&key) =>
            {
                Ok(Value::String(self.id(id)?))
            }
            other => self.value(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Format, Media, MediaKind, Reasoning, Role, ToolCall};

    #[test]
    fn every_text_is_redacted_and_json_stays_json() {
        let redact = Redact::new(|text| Ok(text.replace("hunter2", "\"…\"")));
        let call = ToolCall::function("c", "login", r#"{"user":{"password":["hunter2"]},"n":1}"#);
        let thought = Part::from(Reasoning { text: Some("hunter2".into()), ..Reasoning::default() });
        let message =
            Message::new(Role::Assistant, vec![thought, Part::text("it is hunter2"), Part::from(call)]);
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
    fn ids_names_keys_and_urls_are_redacted_too() {
        let redact = Redact::new(|text| Ok(text.replace("hunter2", "[X]")));
        let call = ToolCall::function("c-hunter2", "hunter2", r#"{"hunter2":1,"[X]":2}"#);
        let mut image = Media::new(MediaKind::Image);
        image.url = Some("https://x.example/?sig=hunter2".into());
        let mut document = Media::new(MediaKind::Document);
        document.filename = Some("hunter2.txt".into());
        let fields =
            |key: &str| serde_json::json!({ key: "of hunter2", "kept": 1 }).as_object().cloned().unwrap();
        document.extras = Extras::new(Format::Anthropic, fields("title"));
        let media = |m: &Media| Part::Media(Box::new(m.clone()));
        let mut said = Message::new(Role::Assistant, vec![media(&image), media(&document), Part::from(call)]);
        said.extras = Extras::new(Format::OpenaiChat, fields("name"));
        said.meta.id = Some("m-hunter2".into());
        let said = redact.message(&said).unwrap();
        let answer = redact.message(&Message::tool("c-hunter2", "done")).unwrap();
        assert!(!format!("{said:?}{answer:?}").contains("hunter2"), "{said:?}");
        let call = said.tool_calls().next().unwrap();
        assert_eq!(answer.tool_outputs().next().unwrap().call_id, call.id);
        assert_eq!(
            serde_json::from_str::<Value>(&call.input).unwrap(),
            serde_json::json!({ "[X]": 1, "[X]_": 2 })
        );
        assert_eq!(said.extras.of(Format::OpenaiChat).unwrap().len(), 1);
        let plain = Message::new(Role::User, vec![media(&Media::new(MediaKind::Image))]);
        assert_eq!(redact.message(&plain).unwrap(), plain);
    }
}
