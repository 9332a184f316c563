//! What a provider compacted itself.

use serde_json::Value;

use super::{Extras, Format, Message, Part};

/// A provider's own compaction: it stands for what was said before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderCompaction {
    /// Anthropic's: the provider reads nothing of what stands before it.
    OfAll,
    /// `OpenAI`'s: its compact endpoint keeps the user's messages before it, and wants them back; in a list that the model
    /// itself compacted on its way, answers stand before it, and nothing of that is read.
    OfAnswers,
}

impl Message {
    /// The provider's own compaction in it, if there is one.
    pub fn provider_compaction(&self) -> Option<ProviderCompaction> {
        self.parts.iter().find_map(Part::provider_compaction)
    }
}

impl Part {
    /// The provider's own compaction, if it is one.
    pub fn provider_compaction(&self) -> Option<ProviderCompaction> {
        match self {
            Self::Opaque { raw, .. } => of_item(raw),
            Self::Text { extras, .. } if extras.came_in(Format::AiSdk) => of_text(extras),
            _ => None,
        }
    }
}

/// Of an item or block. Anthropic's whose summary could not be written has no content: it stands for nothing.
fn of_item(raw: &Value) -> Option<ProviderCompaction> {
    let text = |key: &str| raw.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    match text("type")? {
        "compaction" | "compaction_summary" if text("encrypted_content").is_some() => {
            Some(ProviderCompaction::OfAnswers)
        }
        "compaction" => text("content").map(|_| ProviderCompaction::OfAll),
        "custom" if text("kind") == Some("openai.compaction") => Some(ProviderCompaction::OfAnswers),
        _ => None,
    }
}

/// Of a text of the AI SDK's, which carries Anthropic's compactions so.
fn of_text(extras: &Extras) -> Option<ProviderCompaction> {
    let options = extras.field(Format::AiSdk, "providerOptions")?;
    let kind = options.pointer("/anthropic/type")?.as_str()?;
    (kind == "compaction").then_some(ProviderCompaction::OfAll)
}
