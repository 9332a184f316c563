use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 5] =
        [Self::Messages, Self::OpenaiResponses, Self::OpenaiChat, Self::Anthropic, Self::AiSdk];

    /// The format's name in the public API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::OpenaiResponses => "openai-responses",
            Self::OpenaiChat => "openai-chat",
            Self::Anthropic => "anthropic",
            Self::AiSdk => "ai-sdk",
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
/// where a caller's `Message` says in its `extras` what other formats carried. Cloning is cheap.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extras(Option<Arc<Vec<Carried>>>);

/// What one format carries.
type Carried = (Format, Map<String, Value>);

impl Extras {
    /// Fields that `format` carried. An empty map is still remembered: it marks where the part came from.
    pub fn new(format: Format, fields: Map<String, Value>) -> Self {
        Self(Some(Arc::new(vec![(format, fields)])))
    }

    /// The fields, if they came in `format`.
    pub fn of(&self, format: Format) -> Option<&Map<String, Value>> {
        self.iter().find(|(f, _)| *f == format).map(|(_, map)| map)
    }

    /// The first format they came in, and the fields.
    pub fn get(&self) -> Option<(Format, &Map<String, Value>)> {
        self.iter().next()
    }

    /// Every format, and the fields.
    pub fn iter(&self) -> impl Iterator<Item = (Format, &Map<String, Value>)> {
        self.0.as_deref().map_or(&[][..], Vec::as_slice).iter().map(|(f, map)| (*f, map))
    }

    /// The same with the fields of `format` set to `fields`.
    #[must_use]
    pub fn with(&self, format: Format, fields: Map<String, Value>) -> Self {
        let mut all = self.0.as_deref().cloned().unwrap_or_default();
        match all.iter_mut().find(|(f, _)| *f == format) {
            Some((_, map)) => *map = fields,
            None => all.push((format, fields)),
        }
        Self(Some(Arc::new(all)))
    }

    /// Nothing is carried.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
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
