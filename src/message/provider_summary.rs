//! A summary that a provider wrote itself, in entries that only its own format takes.

use serde_json::{Map, Value};

use super::{Extras, Format, ItemType, Message};

/// The key in a summary's extras.
const KEY: &str = "compaction";

/// A provider's own compaction of the messages that a summary stands for: in the provider's format its entries stand in the place
/// of the summary's words, and every other format has the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderSummary {
    /// The provider's format.
    pub format: Format,
    /// The entries, as the provider gave them: they go back unchanged.
    pub entries: Vec<Value>,
}

impl ProviderSummary {
    /// Whether the entries are what the provider gives.
    pub fn is_whole(&self) -> bool {
        let is = |value: &Value, path: &str, of: &str| {
            value.pointer(path).and_then(Value::as_str).is_some_and(|said| said == of)
        };
        let is_item = |item: &Value| is(item, "/type", "compaction");
        let is_said = |item: &Value| item.get("role").is_some_and(Value::is_string);
        match (self.format, self.entries.as_slice()) {
            (Format::Anthropic, [entry]) => {
                let blocks = entry.get("content").and_then(Value::as_array);
                is(entry, "/role", "assistant") && blocks.is_some_and(|b| b.len() == 1) && has_block(entry)
            }
            (Format::OpenaiResponses, items) => {
                items.iter().any(is_item) && items.iter().all(|item| is_item(item) || is_said(item))
            }
            _ => false,
        }
    }
}

/// Whether an entry of Anthropic's holds a compaction that says something.
fn has_block(entry: &Value) -> bool {
    entry.pointer("/content/0/type").and_then(Value::as_str) == Some("compaction")
        && entry.pointer("/content/0/content").is_some_and(Value::is_string)
}

impl Message {
    /// Lets the entries stand in the place of this summary's words, with a text of ours `beside` them, which may be empty.
    pub fn set_provider_summary(&mut self, summary: ProviderSummary, beside: String) {
        let fields = Map::from_iter([
            ("entries".to_owned(), Value::Array(summary.entries)),
            ("beside".to_owned(), Value::String(beside)),
        ]);
        self.extras = Extras::new(summary.format, Map::from_iter([(KEY.to_owned(), Value::Object(fields))]));
    }

    /// What the entries of a provider's own compaction say beyond the summary's words: messages of the user's that `OpenAI` keeps, as
    /// JSON, and what Anthropic's says where that is other than the words. `OpenAI`'s is encrypted, and taken to be as long as they are.
    pub fn kept_by_provider(&self) -> Vec<String> {
        let formats = [Format::Anthropic, Format::OpenaiResponses].into_iter();
        let entries =
            formats.filter_map(|format| self.provider_summary(format)).flat_map(|(entries, _)| entries);
        let is_compaction = |entry: &Value| {
            let of = |value: Option<&Value>| value.and_then(Value::as_str) == Some("compaction");
            of(entry.get("type")) || of(entry.pointer("/content/0/type"))
        };
        let words = self.plain_text();
        let beyond = |entry: Value| match entry.pointer("/content/0/content").and_then(Value::as_str) {
            Some(said) => (!words.contains(said.trim())).then(|| said.to_owned()),
            None => (!is_compaction(&entry)).then(|| entry.to_string()),
        };
        entries.filter_map(beyond).collect()
    }

    /// The entries that stand in the place of this summary in a format, and what is said beside them.
    pub fn provider_summary(&self, format: Format) -> Option<(Vec<Value>, Option<Message>)> {
        if self.meta.item_type != Some(ItemType::CompactionSummary) {
            return None; // a key of the caller's own
        }
        let Value::Object(mut fields) = self.extras.field(format, KEY)? else { return None };
        let Some(Value::Array(entries)) = fields.remove("entries") else { return None };
        let beside = fields.remove("beside").and_then(|text| text.as_str().map(str::to_owned));
        let beside = beside.filter(|text| !text.is_empty()).map(|text| Message::text(self.role, text));
        Some((entries, beside))
    }
}
