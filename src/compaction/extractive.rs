//! A summary without a model: the facts of a conversation, sorted under headings (COMP-16).

mod collect;
mod deeds;
mod draft;
mod earlier;
mod fit;
mod places;
mod references;

pub use fit::nothing;

use crate::message::Message;
use crate::tokens::{TokenCounter, count_message};

/// How the extractive summariser works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractiveOptions {
    /// The summary's upper limit, in tokens, its tags included.
    pub max_tokens: u64,
    /// The refs of tool outputs stand in it.
    pub refs: bool,
}

impl Default for ExtractiveOptions {
    fn default() -> Self {
        Self { max_tokens: 2000, refs: true }
    }
}

/// A conversation shorter than this is not worth a share of its own length.
const SHORTEST: u64 = 48;

/// Sums `messages` up between `<summary>` tags: the user's requests and rules, what is open, what was done, decided,
/// found, run, changed and read, word for word where words matter.
///
/// The same messages give the same text. It costs time in proportion to their length and never exceeds
/// `max_tokens` or, so that it shrinks what it replaces, three quarters of the messages' own tokens; where not even
/// one line fits, it only says that messages were left out, and where that does not fit either, it is empty. A summary of an earlier compaction among the messages is merged section by section.
pub fn summarize(messages: &[Message], counter: &dyn TokenCounter, options: ExtractiveOptions) -> String {
    let budget = options.max_tokens.min(shrunk(messages, counter, options.max_tokens));
    let draft = collect::collect(messages, options.refs);
    fit::fit(draft, counter, budget)
}

/// Three quarters of the messages' tokens; not counted to the end where they are clearly more than `limit`.
fn shrunk(messages: &[Message], counter: &dyn TokenCounter, limit: u64) -> u64 {
    let mut total = 0;
    for message in messages {
        total += count_message(message, counter);
        if total > limit.saturating_mul(2) {
            return limit;
        }
    }
    (total * 3 / 4).max(SHORTEST)
}

#[cfg(test)]
mod tests;
