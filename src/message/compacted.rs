//! Compactions that a provider made itself.

use serde_json::Value;

use super::{Extras, Format, Message, Part};

/// A provider's own compaction. It replaces what came before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderCompaction {
    /// Anthropic's: the provider reads nothing that precedes it.
    ReplacesAll,
    /// `OpenAI`'s. Its compact endpoint keeps the user messages before it and expects them back. If the model itself
    /// compacted while answering, there are answers before it, which are not read.
    ReplacesAnswers,
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

/// The compaction in an item or block. Anthropic's block has no content if the summary could not be written: then it
/// replaces nothing.
fn of_item(raw: &Value) -> Option<ProviderCompaction> {
    let text = |key: &str| raw.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    match text("type")? {
        "compaction" | "compaction_summary" if text("encrypted_content").is_some() => {
            Some(ProviderCompaction::ReplacesAnswers)
        }
        "compaction" => text("content").map(|_| ProviderCompaction::ReplacesAll),
        "custom" if text("kind") == Some("openai.compaction") => Some(ProviderCompaction::ReplacesAnswers),
        _ => None,
    }
}

/// The compaction in a text of the AI SDK, which carries Anthropic's compactions in texts.
fn of_text(extras: &Extras) -> Option<ProviderCompaction> {
    let options = extras.field(Format::AiSdk, "providerOptions")?;
    let kind = options.pointer("/anthropic/type")?.as_str()?;
    (kind == "compaction").then_some(ProviderCompaction::ReplacesAll)
}
