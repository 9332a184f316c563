use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::lean::{Fields, Lean};
use crate::error::Result;
use crate::saved::{Reader, Saved, Writer};

/// A shape in which a conversation is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub enum Format {
    /// This package's own `Message`s.
    #[serde(rename = "messages")]
    Messages,
    /// `OpenAI` Responses input items.
    #[serde(rename = "openai-responses")]
    OpenaiResponses,
    /// `OpenAI` Chat Completions messages.
    #[serde(rename = "openai-chat")]
    OpenaiChat,
    /// Anthropic Messages, with `system` apart.
    #[serde(rename = "anthropic")]
    Anthropic,
    /// AI SDK `ModelMessage`s.
    #[serde(rename = "ai-sdk")]
    AiSdk,
    /// Google Gemini `contents`, with `systemInstruction` apart.
    #[serde(rename = "gemini")]
    Gemini,
    /// Amazon Bedrock Converse messages, with `system` apart.
    #[serde(rename = "bedrock-converse")]
    BedrockConverse,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 7] = [
        Self::Messages,
        Self::OpenaiResponses,
        Self::OpenaiChat,
        Self::Anthropic,
        Self::AiSdk,
        Self::Gemini,
        Self::BedrockConverse,
    ];

    /// The format's name in the public API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::OpenaiResponses => "openai-responses",
            Self::OpenaiChat => "openai-chat",
            Self::Anthropic => "anthropic",
            Self::AiSdk => "ai-sdk",
            Self::Gemini => "gemini",
            Self::BedrockConverse => "bedrock-converse",
        }
    }

    /// The format of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.as_str() == name)
    }
}

/// What formats carry that the model does not name, kept as it came (INV-9).
///
/// Empty for what the engine or a caller made in plain messages: no allocation then. Mostly one format; several
/// where a caller's `Message` says in its `extras` what other formats carried. Cloning is cheap, reading is not free.
#[derive(Debug, Clone, Default)]
pub struct Extras(Option<Arc<Lean>>);

impl Extras {
    /// Fields that `format` carried. An empty map is still remembered: it marks where the part came from.
    pub fn new(format: Format, fields: Map<String, Value>) -> Self {
        Self::of_all(&[(format, fields)])
    }

    fn of_all(carried: &[(Format, Map<String, Value>)]) -> Self {
        Self(Some(Arc::new(Lean::of(carried))))
    }

    fn carried(&self) -> impl Iterator<Item = (Format, Fields<'_>)> {
        self.0.iter().flat_map(|lean| lean.carried())
    }

    fn told(&self, format: Format) -> Option<Fields<'_>> {
        self.carried().find(|(f, _)| *f == format).map(|(_, fields)| fields)
    }

    /// Whether they came in `format`.
    pub fn came_in(&self, format: Format) -> bool {
        self.told(format).is_some()
    }

    /// Whether they came in `format`, with such a field.
    pub fn has(&self, format: Format, key: &str) -> bool {
        self.told(format).is_some_and(|fields| fields.has(key))
    }

    /// Such a field, if they came in `format`.
    pub fn field(&self, format: Format, key: &str) -> Option<Value> {
        self.told(format)?.get(key)
    }

    /// The fields, if they came in `format`.
    pub fn of(&self, format: Format) -> Option<Map<String, Value>> {
        self.told(format).map(Fields::to_map)
    }

    /// Every format, and the fields.
    pub fn all(&self) -> Vec<(Format, Map<String, Value>)> {
        self.carried().map(|(format, fields)| (format, fields.to_map())).collect()
    }

    /// The same with the fields of `format` set to `fields`.
    #[must_use]
    pub fn with(&self, format: Format, fields: Map<String, Value>) -> Self {
        let mut all = self.all();
        match all.iter_mut().find(|(f, _)| *f == format) {
            Some((_, map)) => *map = fields,
            None => all.push((format, fields)),
        }
        Self::of_all(&all)
    }

    /// Nothing is carried.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

/// In whatever order an object's fields stand.
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
