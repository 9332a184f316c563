use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::encoded_fields::{EncodedFields, Fields};
use crate::error::Result;
use crate::names::names;
use crate::saved::{Reader, Saved, Writer};

names! {
    /// A format in which a conversation is written.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
    pub enum Format {
        /// This package's own `Message` objects.
        #[serde(rename = "messages")]
        Messages = "messages",
        /// `OpenAI` Responses input items.
        #[serde(rename = "openai-responses")]
        OpenaiResponses = "openai-responses",
        /// `OpenAI` Chat Completions messages.
        #[serde(rename = "openai-chat")]
        OpenaiChat = "openai-chat",
        /// Anthropic Messages, with `system` separate.
        #[serde(rename = "anthropic")]
        Anthropic = "anthropic",
        /// AI SDK `ModelMessage`s.
        #[serde(rename = "ai-sdk")]
        AiSdk = "ai-sdk",
        /// Google Gemini `contents`, with `systemInstruction` separate.
        #[serde(rename = "gemini")]
        Gemini = "gemini",
        /// Amazon Bedrock Converse messages, with `system` separate.
        #[serde(rename = "bedrock-converse")]
        BedrockConverse = "bedrock-converse",
    }
}

/// Fields of provider formats that [`Message`](super::Message) has no field for, kept unchanged (INV-9).
///
/// Empty, and without an allocation, for plain messages that the engine or a caller made. Usually the fields of one
/// format; several if a caller's `Message` has `extras` of several formats. Cloning is cheap; reading decodes the
/// fields.
#[derive(Debug, Clone, Default)]
pub struct Extras(Option<Arc<EncodedFields>>);

impl Extras {
    /// The fields that came in `format`. An empty map is kept, too: it marks the format that the part came in.
    pub fn new(format: Format, fields: Map<String, Value>) -> Self {
        Self::of_all(&[(format, fields)])
    }

    fn of_all(carried: &[(Format, Map<String, Value>)]) -> Self {
        Self(Some(Arc::new(EncodedFields::of(carried))))
    }

    fn by_format(&self) -> impl Iterator<Item = (Format, Fields<'_>)> {
        self.0.iter().flat_map(|lean| lean.by_format())
    }

    fn fields_of(&self, format: Format) -> Option<Fields<'_>> {
        self.by_format().find(|(f, _)| *f == format).map(|(_, fields)| fields)
    }

    /// Whether there are fields of `format`, possibly none: then the part came in that format.
    pub fn came_in(&self, format: Format) -> bool {
        self.fields_of(format).is_some()
    }

    /// Whether there is such a field of `format`.
    pub fn has(&self, format: Format, key: &str) -> bool {
        self.fields_of(format).is_some_and(|fields| fields.has(key))
    }

    /// The field of `format` with this key, if there is one.
    pub fn field(&self, format: Format, key: &str) -> Option<Value> {
        self.fields_of(format)?.get(key)
    }

    /// The fields of `format`, if it came in that format.
    pub fn of(&self, format: Format) -> Option<Map<String, Value>> {
        self.fields_of(format).map(Fields::to_map)
    }

    /// All formats with their fields.
    pub fn all(&self) -> Vec<(Format, Map<String, Value>)> {
        self.by_format().map(|(format, fields)| (format, fields.to_map())).collect()
    }

    /// A copy in which the fields of `format` are `fields`.
    #[must_use]
    pub fn with(&self, format: Format, fields: Map<String, Value>) -> Self {
        let mut all = self.all();
        match all.iter_mut().find(|(f, _)| *f == format) {
            Some((_, map)) => *map = fields,
            None => all.push((format, fields)),
        }
        Self::of_all(&all)
    }

    /// Whether it came in no format.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

/// The order of fields does not matter.
impl PartialEq for Extras {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.is_empty() == other.is_empty() && self.all() == other.all()
    }
}

impl Saved for Extras {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        self.0.save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        Saved::load(from).map(Self)
    }
}
