//! Writes a summary without a model: facts of the conversation, sorted under headings (COMP-16).

mod actions;
mod answers;
mod collect;
mod draft;
mod earlier;
mod fit;
mod options;
mod places;
mod references;

pub use fit::empty_summary;
pub use options::ExtractiveOptions;

use crate::message::Message;
use crate::tokens::{TokenCounter, count_message};

/// The budget, in tokens, for conversations too short for a share of their length.
const SHORTEST: u64 = 48;

/// Sums up `messages` in `<summary>` tags: the user's requests and rules, open work, and what was done, decided, found, run, changed and
/// read. Quotes verbatim where the wording matters.
///
/// The result is deterministic and takes time proportional to the messages' length. It never exceeds `max_tokens` or three quarters of the
/// messages' own tokens (at least 48), so that it is smaller than what it replaces. If not even one line fits, it only says that messages
/// were left out; if that does not fit either, it is empty. The summary of an earlier compaction among the messages is merged section by
/// section.
pub fn summarize(messages: &[Message], counter: &dyn TokenCounter, options: ExtractiveOptions) -> String {
    let budget = options.max_tokens.min(default_budget(messages, counter, options.max_tokens));
    let mut draft = collect::collect(messages, options);
    if options.beside_ledger {
        draft.leave_to_ledger();
    }
    fit::fit(draft, counter, budget)
}

/// Three quarters of the messages' tokens. Stops counting once they are clearly above `limit`.
fn default_budget(messages: &[Message], counter: &dyn TokenCounter, limit: u64) -> u64 {
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
