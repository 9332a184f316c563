//! A summary that a provider wrote itself, in entries that only its own format takes.

use serde_json::{Map, Value};

use super::{Extras, Format, Message};

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

impl Message {
    /// Lets the entries stand in the place of this summary's words, with a text of ours `beside` them, which may be empty.
    pub fn set_provider_summary(&mut self, summary: ProviderSummary, beside: String) {
        let fields = Map::from_iter([
            ("entries".to_owned(), Value::Array(summary.entries)),
            ("beside".to_owned(), Value::String(beside)),
        ]);
        self.extras = Extras::new(summary.format, Map::from_iter([(KEY.to_owned(), Value::Object(fields))]));
    }

    /// The messages among the entries of a provider's own compaction, as JSON: `OpenAI`'s has the user's as they were. The
    /// compaction itself is taken to be as long as the summary's words.
    pub fn kept_by_provider(&self) -> Vec<String> {
        let formats = [Format::Anthropic, Format::OpenaiResponses].into_iter();
        let entries =
            formats.filter_map(|format| self.provider_summary(format)).flat_map(|(entries, _)| entries);
        let is_compaction = |entry: &Value| {
            let of = |value: Option<&Value>| value.and_then(Value::as_str) == Some("compaction");
            of(entry.get("type")) || of(entry.pointer("/content/0/type"))
        };
        entries.filter(|entry| !is_compaction(entry)).map(|entry| entry.to_string()).collect()
    }

    /// The entries that stand in the place of this summary in a format, and what is said beside them.
    pub fn provider_summary(&self, format: Format) -> Option<(Vec<Value>, Option<Message>)> {
        let Value::Object(mut fields) = self.extras.field(format, KEY)? else { return None };
        let Some(Value::Array(entries)) = fields.remove("entries") else { return None };
        let beside = fields.remove("beside").and_then(|text| text.as_str().map(str::to_owned));
        let beside = beside.filter(|text| !text.is_empty()).map(|text| Message::text(self.role, text));
        Some((entries, beside))
    }
}
