use super::ledger::Missed;
use crate::message::{Message, ProviderSummary};

/// A summary that may be put in.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// The summary's text, without its ledger.
    pub text: String,
    /// The summary's message.
    pub summary: Message,
    /// The retained text's message.
    pub retain: Option<Message>,
    /// Tokens of all messages that stand for the fold.
    pub tokens: u64,
    /// What stands in the place of the text in the format of the provider that wrote it, and the ledger beside it.
    pub by_provider: Option<(ProviderSummary, Option<Message>)>,
    /// Tokens of the carry-over ledger at the end of the summary.
    pub ledger_tokens: u64,
    /// What found no room in it.
    pub missed: Missed,
    /// What was done instead of what was asked.
    pub fallback: Option<String>,
}

impl Accepted {
    /// Adds to what was done instead of what was asked.
    pub fn note(&mut self, note: &str) {
        self.fallback = Some(match self.fallback.take() {
            Some(before) => format!("{before}; {note}"),
            None => note.to_owned(),
        });
    }
}
