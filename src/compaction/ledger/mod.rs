//! The carry-over ledger (COMP-11): facts that must survive a fold, whatever the summariser writes.
//!
//! [`CarriedFacts`] collects them without a model, over all earlier folds. [`write()`] lists those that neither the summary nor the rest of the
//! view contains, best first, within a token budget.

mod already_shown;
mod asked;
mod carried;
mod choose;
mod draft;
mod habits;
mod literals;
mod memo;
mod message_facts;
mod missing;
mod open;
mod requests;
mod said;
mod sightings;
mod user_list;
mod user_words;
mod write;

pub use already_shown::AlreadyShown;
pub use carried::CarriedFacts;
pub use draft::{COMMANDS_TITLE, FOLDER_LABEL, OFTEN_TITLE, OPEN_TITLE, OmittedFacts, Room, names_of_line};
pub use memo::Memo;
pub use open::{ANSWERED, ASKED_USER, USER_ASKED};
pub use write::write;

use choose::Choices;
use message_facts::{with_facts, with_redacted_facts};
use missing::Missing;

use super::Redact;
use crate::context::{Context, Form, NodeIndex, NodeSet};
use crate::error::Result;
use crate::even_cut::fixed_tokens;

/// The share of the room beside the header that facts may take, in ledgers and in marks, if the caller set no budget. The facts of recorded
/// sessions cost 1 to 7 % of their tokens, so in a session that goes on this share holds the facts of all but the densest.
const SHARE: f64 = 0.3;

/// The share of the room beside everything that must stay, for a view that is made only once and may be filled. With a view of a tenth of
/// the session's tokens, two fifths hold 85 % of the facts of a session full of checksums. The first `FOR_STEPS` tokens of the room are
/// reserved for the newest steps and the user's rules.
const SHARE_ONCE: f64 = 0.4;
const FOR_STEPS: u64 = 300;

/// There, the user's rules may take at least this fraction (1/8) of the room beside the header.
const LEAST_FOR_RULES: u64 = 8;

/// A conversation of more tokens than this many windows has more names than its view has room for, and most of them are old. The larger it
/// is beyond that, the smaller is the part of the ledger's budget that names may take from the newest steps, down to a quarter.
const WINDOWS: f64 = 10.0;
const LEAST_PART: f64 = 0.25;

/// Enough for the user's rules and a path or two in the smallest room.
const LEAST: u64 = 16;

/// The ledger's budget, in tokens, if no window is known.
const WITHOUT_WINDOW: u64 = 4_000;

/// How much of the view's room the ledger may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// The caller's budget, in tokens.
    pub configured: Option<u64>,
    /// The conversation does not continue after the fold.
    pub once: bool,
}

impl Allowance {
    /// No ledger.
    pub const NONE: Self = Self { configured: Some(0), once: false };

    /// Whether there is no ledger.
    pub fn is_none(self) -> bool {
        self.configured == Some(0)
    }

    /// The budget in a view that is cut to `low` tokens of a `window`: the caller's, or a share of the room beside the header. A view that
    /// is made once only serves the next step, so its room is what is left beside everything that must stay, and facts leave room for
    /// steps.
    pub fn budget(self, context: &Context, low: u64, window: u64) -> Budget {
        let fixed = if self.once { fixed_tokens(context) } else { context.view.fixed_tokens() };
        let room = (low < u64::MAX).then(|| low.saturating_sub(fixed));
        let mut budget = Budget::of(self.configured, room, self.once);
        if self.once && self.configured.is_none() && low < u64::MAX {
            // If what must stay takes more than the view has, it will be cut anyway.
            let beside_header = low.saturating_sub(context.view.fixed_tokens());
            budget.rules = budget.rules.max(beside_header / LEAST_FOR_RULES);
        }
        if self.configured.is_some() || room.is_none() {
            return budget;
        }
        let windows = context.history.pushed_tokens() as f64 / window.max(1) as f64;
        let part = (WINDOWS / windows.max(WINDOWS)).max(LEAST_PART);
        Budget { names: (budget.tokens as f64 * part) as u64, ..budget }
    }
}

/// The tokens that a ledger may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// For everything except the user's rules.
    pub tokens: u64,
    /// Of these, for paths, URLs, ids and error codes; of which the user's other remarks get their share.
    pub names: u64,
    /// For the rules alone; `u64::MAX`: as much as the view has room for.
    pub rules: u64,
}

impl Budget {
    /// No ledger.
    pub const NONE: Self = Self { tokens: 0, names: 0, rules: 0 };

    fn of(configured: Option<u64>, room: Option<u64>, once: bool) -> Self {
        let share = |room: u64, share: f64| (room as f64 * share) as u64;
        let (tokens, rules) = match (configured, room) {
            (Some(tokens), _) => (tokens, tokens),
            (None, None) => (WITHOUT_WINDOW, u64::MAX),
            (None, Some(room)) if once => {
                (share(room.saturating_sub(FOR_STEPS), SHARE_ONCE), share(room, SHARE_ONCE))
            }
            (None, Some(room)) => (share(room, SHARE).max(LEAST), u64::MAX),
        };
        Self { tokens, names: tokens, rules }
    }

    /// With this much more for facts.
    #[must_use]
    pub const fn and_spare(self, tokens: u64) -> Self {
        Self { tokens: self.tokens + tokens, names: self.names + tokens, ..self }
    }

    /// Whether there is no ledger.
    pub fn is_none(self) -> bool {
        self.tokens == 0 && self.rules == 0
    }
}

/// What the user said in one message is long if it has more bytes.
const LONG: usize = 240;

/// Tokens of a ledger of everything in the view except the messages `whole`, which stay whole. A plan keeps this many free for the ledger
/// in a view of `target` tokens.
pub fn tokens_needed(context: &Context, budget: Budget, target: u64, whole: &[NodeIndex]) -> u64 {
    if budget.is_none() {
        return 0;
    }
    let rules = budget.rules.min(budget.tokens.max(target));
    let room = Room { all: rules, rules, facts: budget.tokens, names: budget.names, shared: budget.tokens };
    let mut all = CarriedFacts::default();
    let stay: NodeSet = whole.iter().copied().collect();
    let body = context.view.body().iter().map(|s| s.node);
    let body: Vec<NodeIndex> = body.filter(|node| !stay.contains(node)).collect();
    let read = with_facts(context, &body);
    let sightings = all.add_returning_literals(&read);
    for fold in context.folds.iter().filter(|fold| body.contains(&fold.summary)) {
        all.add_recorded_rules(&fold.text);
    }
    let rules = all.rules.keys();
    all.said = user_words::user_words(context, read.facts(), &body, &[], rules, None).unwrap_or_default();
    // A long message needs its room only if it is folded.
    all.said.remarks.retain(|remark| remark.lines.iter().all(|line| line.text.len() <= LONG));
    if !context.wording.names_refs() {
        all.remove_refs();
    }
    let shown = AlreadyShown::of(context.view.header().iter().map(|s| &*s.message)).and_whole(context, whole);
    let literals = Choices::of_sightings(&sightings, &shown);
    write::tokens_of(&Missing::of(&all, literals, &shown), room)
}

/// The facts of a fold, adjusted to what stays in the view. Adds facts of messages that stay only in part (or in whole, if they are about
/// to be cut), and removes what messages that stay finished or ran again. Fails if `redact` does.
pub fn adjusted_to_view(
    context: &Context,
    members: &[NodeIndex],
    carried: &CarriedFacts,
    cut: &dyn Fn(NodeIndex) -> bool,
    redact: Option<&Redact>,
) -> Result<CarriedFacts> {
    let mut adjusted = carried.clone();
    let folded: NodeSet = members.iter().copied().collect();
    let hidden = |node: NodeIndex| context.view.dropped(node).is_some();
    let stays = context.view.with_dropped().into_iter().filter(|s| !folded.contains(&s.node));
    let (mut staying, mut in_part) = (Vec::new(), Vec::new());
    for slot in stays {
        staying.push(slot.node);
        in_part.push(cut(slot.node) || slot.form != Form::Whole || hidden(slot.node));
    }
    with_redacted_facts(context, &staying, redact, |read| {
        adjusted.add_facts(&read.only(&in_part));
        adjusted.apply_later(read, |place| !in_part[place]);
    })?;
    let question =
        carried.open.question().filter(|_| asked::begins_with_short_answer(context, members, &staying));
    if let Some(question) = question {
        adjusted.open.is_answered_in_view(question.clone());
    }
    staying.retain(|node| !cut(*node));
    adjusted.asked = asked::asked(context, members, &staying, redact)?;
    let facts = context.facts();
    let (asked, rules) = (&adjusted.asked, adjusted.rules.keys());
    adjusted.said = user_words::user_words(context, &facts, members, asked, rules, redact)?;
    if !context.wording.names_refs() {
        adjusted.remove_refs();
    }
    Ok(adjusted)
}

#[cfg(test)]
mod tests;
