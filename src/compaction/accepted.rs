use super::ledger::OmittedFacts;
use crate::message::{Message, ProviderSummary};

/// A summary that passed all checks and can be put into the view.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// The summary's text, without its ledger.
    pub text: String,
    /// The summary's message.
    pub summary: Message,
    /// The message with the retained text.
    pub retain: Option<Message>,
    /// Tokens of all messages that replace the fold.
    pub tokens: u64,
    /// A summary in its provider's own format, which replaces the text for that provider, and the message with its ledger.
    pub by_provider: Option<(ProviderSummary, Option<Message>)>,
    /// Tokens of the carry-over ledger at the end of the summary.
    pub ledger_tokens: u64,
    /// Facts that found no room in the ledger.
    pub omitted: OmittedFacts,
    /// What was done instead of what was asked for.
    pub fallback: Option<String>,
}

impl Accepted {
    /// Appends to `fallback`.
    pub fn note(&mut self, note: &str) {
        self.fallback = Some(match self.fallback.take() {
            Some(before) => format!("{before}; {note}"),
            None => note.to_owned(),
        });
    }
}
