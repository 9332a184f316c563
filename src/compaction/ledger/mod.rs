//! The carry-over ledger (COMP-11): what a folded part holds that must not depend on the summariser's mood.
//!
//! [`Carried`] gathers it without a model, over all folds that came before; [`write()`] makes of it what neither the
//! summary nor the rest of the view says, best first, within a budget of tokens.

mod carried;
mod choose;
mod command;
mod memo;
mod open;
mod write;

pub use carried::Carried;
pub use memo::Memo;
pub use write::{Room, write};

use std::collections::HashSet;

use super::Redact;
use crate::context::{Context, Form, NodeIndex};
use crate::error::Result;
use crate::message::Message;
use crate::tokens::{Estimate, TokenCounter};

/// The share of the low mark that a ledger may take where the caller set no figure. The facts of recorded sessions cost 1
/// to 7 % of their tokens. In a session that goes on, a quarter holds those of all but the most crowded.
const SHARE: f64 = 0.25;

/// The same for a view that is made once, as full as it may be: at a tenth of a session's tokens, two fifths hold 85 % of
/// the facts of one that is full of checksums.
const SHARE_ONCE: f64 = 0.4;

/// The ledger's budget where no window is known.
const WITHOUT_WINDOW: u64 = 4_000;

/// The budget in tokens: the caller's, or a share of the mark that a compaction aims at.
/// `once`: the conversation does not go on after it.
pub fn budget(configured: Option<u64>, low: Option<u64>, once: bool) -> u64 {
    let share = if once { SHARE_ONCE } else { SHARE };
    configured.unwrap_or_else(|| low.map_or(WITHOUT_WINDOW, |low| (low as f64 * share) as u64))
}

/// The tokens of a ledger of all that stands in the view: what a plan keeps free for it.
pub fn need(context: &Context, budget: u64) -> u64 {
    if budget == 0 {
        return 0;
    }
    let mut all = Carried::default();
    let body: Vec<Message> = context.view.body().iter().map(|s| whole(context, s.node)).collect();
    all.add(&body);
    let header = context.view.header().iter().map(|s| &*s.message);
    write(&all, header, Room { all: budget, rules: budget }, &Estimate).map_or(0, |(_, tokens)| tokens)
}

/// What a fold carries, seen beside what stays in the view: facts of what stands there only in part (all of it, if it is
/// about to be cut) are carried, too; what was finished or run again there is settled. Fails where `redact` does.
pub(super) fn beside(
    context: &Context,
    folded: &HashSet<NodeIndex>,
    carried: &Carried,
    cut: bool,
    redact: Option<&Redact>,
) -> Result<Carried> {
    let mut beside = carried.clone();
    let mut staying = Vec::new();
    let shown: HashSet<NodeIndex> = context.view.body().iter().map(|s| s.node).collect();
    for slot in context.view.with_dropped().into_iter().filter(|s| !folded.contains(&s.node)) {
        let message = match redact {
            Some(redact) => redact.message(&context.history.node(slot.node).message)?,
            None => whole(context, slot.node),
        };
        if cut || slot.form != Form::Whole || !shown.contains(&slot.node) {
            beside.add_facts(&message);
        }
        staying.push(message);
    }
    beside.settle(&staying);
    Ok(beside)
}

fn whole(context: &Context, index: NodeIndex) -> Message {
    Message::clone(&context.history.node(index).message)
}

#[cfg(test)]
mod tests;

/// Tokens by the estimate, which costs next to nothing: the whole is counted by the session's counter.
fn cost(text: &str) -> u64 {
    Estimate.count(text)
}
