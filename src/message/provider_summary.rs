//! A summary that a provider wrote itself, as entries that only its own format accepts.
//!
//! The entries are kept in the extras of the summary's message, and only the writer of that provider's format reads
//! them. So snapshots, unfolding and other formats need no special case. If the message is not the first one,
//! `provider::position` removes the entries.

use serde_json::{Map, Value};

use super::{Extras, Format, ItemType, Message};

/// The key in a summary's extras.
const KEY: &str = "compaction";

/// A provider's own compaction of the messages that a summary replaces. In the provider's format its entries are sent
/// instead of the summary's words; every other format sends the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSummary {
    /// The provider's format.
    pub format: Format,
    /// The entries as the provider returned them. They are sent back unchanged.
    pub entries: Vec<Value>,
}

impl ProviderSummary {
    /// Whether the entries have the shape that the provider returns: for Anthropic one message that has only the
    /// compaction block, for `OpenAI` items of which at least one is the compaction.
    pub fn is_whole(&self) -> bool {
        let is_said = |item: &Value| item.get("role").is_some_and(Value::is_string);
        match (self.format, self.entries.as_slice()) {
            (Format::Anthropic, [entry]) => {
                let blocks = entry.get("content").and_then(Value::as_array);
                entry.get("role").is_some_and(|role| role == "assistant")
                    && matches!(blocks.map(Vec::as_slice), Some([block]) if is_compaction(block) && block.get("content").is_some_and(Value::is_string))
            }
            (Format::OpenaiResponses, items) => {
                items.iter().any(is_compaction)
                    && items.iter().all(|item| is_compaction(item) || is_said(item))
            }
            _ => false,
        }
    }
}

fn is_compaction(item: &Value) -> bool {
    item.get("type").is_some_and(|kind| kind == "compaction")
}

impl Message {
    /// Makes `entries` replace this summary's words, with a text of our own `beside` them (which may be empty).
    pub fn set_provider_summary(&mut self, summary: ProviderSummary, beside: String) {
        let fields = Map::from_iter([
            ("entries".to_owned(), Value::Array(summary.entries)),
            ("beside".to_owned(), Value::String(beside)),
        ]);
        self.extras = Extras::new(summary.format, Map::from_iter([(KEY.to_owned(), Value::Object(fields))]));
    }

    /// What the entries of a provider's own compaction say beyond the summary's words: user messages that `OpenAI`
    /// keeps, as JSON, and the text of Anthropic's block if it differs from the words. `OpenAI`'s compaction is
    /// encrypted, and assumed to be as long as the words.
    pub fn kept_by_provider(&self) -> Vec<String> {
        let formats = [Format::Anthropic, Format::OpenaiResponses].into_iter();
        let entries =
            formats.filter_map(|format| self.provider_summary(format)).flat_map(|(entries, _)| entries);
        let words = self.plain_text();
        let beyond = |entry: Value| match entry.pointer("/content/0/content").and_then(Value::as_str) {
            Some(said) => (!words.contains(said.trim())).then(|| said.to_owned()),
            None => (!is_compaction(&entry)).then(|| entry.to_string()),
        };
        entries.filter_map(beyond).collect()
    }

    /// Whether entries replace this message in a format. In a message that is not a summary, the key belongs to the
    /// caller.
    pub fn has_provider_summary(&self, format: Format) -> bool {
        self.meta.item_type == Some(ItemType::CompactionSummary) && self.extras.has(format, KEY)
    }

    /// The entries that replace this summary in a format, and the text beside them as a message.
    pub fn provider_summary(&self, format: Format) -> Option<(Vec<Value>, Option<Message>)> {
        if !self.has_provider_summary(format) {
            return None;
        }
        let Value::Object(mut fields) = self.extras.field(format, KEY)? else { return None };
        let Some(Value::Array(entries)) = fields.remove("entries") else { return None };
        let beside = fields.remove("beside").and_then(|text| text.as_str().map(str::to_owned));
        let beside = beside.filter(|text| !text.is_empty()).map(|text| Message::text(self.role, text));
        Some((entries, beside))
    }
}
