//! Which part of the view a compaction folds, and which stays.

use super::layout::{Layout, SummaryRole};
use super::ledger::Budget;
use super::{Profile, ledger};
use crate::config::size;
use crate::context::{Context, FoldMessages, NodeIndex, NodeKind, Place, Unit, begin_with_user};
use crate::message::Message;
use crate::sorting::sort_by_key;

/// What a compaction would fold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldPlan {
    /// The nodes to fold, in view order; earlier summaries among them.
    pub members: Vec<NodeIndex>,
    /// What they take in the view.
    pub tokens: u64,
    /// What those of them took that passes have left out of the view.
    pub hidden_tokens: u64,
    /// The summary is to stand for those, too: else it must be smaller than what it takes out of the view.
    pub hidden_too: bool,
    /// Those of them that are no earlier summary's.
    pub new_tokens: u64,
    /// A retained turn was cut at a step boundary (COMP-7b).
    pub cut_within_turn: bool,
    /// How the fold is to stand.
    pub layout: Layout,
    /// What the summary is asked for.
    pub profile: Profile,
    /// Whose words the summary is to be, where the caller says so.
    pub role: Option<SummaryRole>,
    /// The tokens that were left for the summary, where there is a target.
    pub room: Option<u64>,
    /// The view may have so many tokens after the fold, where that can be had.
    pub most_after: Option<u64>,
}

impl FoldPlan {
    /// What the summary must be smaller than.
    pub fn stands_for(&self) -> u64 {
        self.tokens + if self.hidden_too { self.hidden_tokens } else { 0 }
    }

    /// The size that the summary is asked for, in tokens.
    pub fn size(&self) -> Option<u64> {
        [self.room, self.profile.max_tokens()].into_iter().flatten().min()
    }

    /// The messages that stand for the fold.
    pub fn messages(&self, retain: Option<Message>, summary: Message) -> FoldMessages {
        let ask = if self.profile == Profile::Default { Layout::ASK } else { self.profile.prompt() };
        self.layout.with_role(self.role).messages(retain, summary, ask)
    }
}

/// How much of a conversation's end stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Turns that stay whole (COMP-7).
    pub turns: u64,
    /// The view's tokens after the fold, where there is a target.
    pub target: Option<u64>,
    /// If the retained turns alone exceed the target, the oldest of them lose their earlier steps (COMP-7b).
    pub cut_within_turn: bool,
    /// Tokens that the fold's carry-over ledger may take.
    pub ledger: Budget,
    /// Keep as much as the target has room for, instead of the last turns alone (PASS-14).
    pub fill: bool,
    /// Fold what passes left out of the view as well.
    pub hidden_too: bool,
    /// Tokens to leave for the summary; `None`: a quarter of the target, at most 2,000.
    pub summary: Option<u64>,
    /// Whose words the summary is to be, where the caller says so.
    pub role: Option<SummaryRole>,
}

impl Keep {
    /// The last turns, cut where they exceed the target.
    pub const fn last(turns: u64, target: Option<u64>) -> Self {
        Self {
            turns,
            target,
            cut_within_turn: true,
            ledger: Budget::NONE,
            fill: false,
            hidden_too: false,
            summary: None,
            role: None,
        }
    }
}

/// Plans a fold of everything but what `keep` asks for. `None`: there is nothing to fold.
///
/// Never folded: the newest user message, steps with a call that is still being executed, steps with a pinned message,
/// and the newest step of a turn that is cut.
pub fn plan(context: &Context, keep: Keep, layout: Layout) -> Option<FoldPlan> {
    let (hidden, shown): (Vec<_>, Vec<_>) =
        context.units().into_iter().enumerate().partition(|(_, unit)| unit.place == Place::Hidden);
    let (places, mut units): (Vec<usize>, Vec<Unit>) = shown.into_iter().unzip();
    let mut turns: Vec<usize> = (0..units.len()).filter(|i| units[*i].opens_turn()).collect();
    if turns.is_empty() {
        turns.push(0); // an agent that was never spoken to: all of it is one turn
    }
    let kept_turns = &turns[turns.len().saturating_sub(size(keep.turns))..];
    let keep_from = kept_turns.first().copied().unwrap_or(units.len());
    let newest_user = units.iter().rposition(Unit::opens_turn);
    let room = |target: u64| keep.summary.unwrap_or_else(|| summary_reserve(target));
    let reserve = |target: u64| room(target) + ledger::need(context, keep.ledger, target);
    let cut_within_turn = if let Some(target) = keep.target.filter(|_| keep.fill) {
        fold_oldest(&mut units, &turns, keep_from, context, target, reserve(target))
    } else {
        for (i, unit) in units.iter_mut().enumerate().take(keep_from) {
            if !unit.fixed && Some(i) != newest_user {
                unit.go();
            }
        }
        let target = keep.target.filter(|_| keep.cut_within_turn);
        target.is_some_and(|target| cut_turns(&mut units, kept_turns, context, target, reserve(target)))
    };
    if layout.with_role(keep.role).needs_user_behind() {
        begin_with_user(&mut units, 0);
    }
    let mut going: Vec<(usize, &Unit)> = places.into_iter().zip(&units).filter(|(_, u)| u.goes()).collect();
    if keep.hidden_too {
        going.extend(hidden.iter().filter(|(_, u)| !u.fixed).map(|(place, u)| (*place, u)));
        sort_by_key(&mut going, |(place, _)| *place);
    }
    let folded: Vec<&Unit> = going.into_iter().map(|(_, unit)| unit).collect();
    let members: Vec<NodeIndex> = folded.iter().flat_map(|u| u.nodes.iter().copied()).collect();
    let is_new = |u: &&&Unit| u.nodes.iter().any(|n| context.history.node(*n).kind == NodeKind::Message);
    let tokens = |u: &Unit| u.tokens + if keep.hidden_too { u.hidden_tokens } else { 0 };
    let new: Vec<&&Unit> = folded.iter().filter(is_new).collect();
    (!new.is_empty()).then(|| FoldPlan {
        members,
        tokens: folded.iter().map(|u| u.tokens).sum(),
        hidden_tokens: folded.iter().map(|u| u.hidden_tokens).sum(),
        hidden_too: keep.hidden_too,
        new_tokens: new.iter().map(|u| tokens(u)).sum(),
        cut_within_turn,
        layout,
        profile: Profile::Default,
        role: keep.role,
        room: keep.target.map(room),
        most_after: None,
    })
}

/// Folds the oldest steps, and a turn's user message once all its steps are folded, until the rest fits. True if a turn
/// was cut. The user messages of the turns from `keep_from` on stay.
fn fold_oldest(
    units: &mut [Unit],
    turns: &[usize],
    keep_from: usize,
    context: &Context,
    target: u64,
    reserve: u64,
) -> bool {
    let mut tokens = context.view.fixed_tokens() + units.iter().map(|u| u.tokens).sum::<u64>() + reserve;
    // A view of instructions alone is none: what was last said stays.
    let newest = units.iter().rposition(|u| !u.speaker.is_instruction()).unwrap_or(0);
    let newest_user = units.iter().rposition(Unit::opens_turn);
    let starts = std::iter::once(0).chain(turns.iter().copied().filter(|t| *t > 0));
    let ends = turns.iter().copied().filter(|t| *t > 0).chain([units.len()]);
    for (start, end) in starts.zip(ends) {
        let mut cut = false;
        let steps_then_request =
            (start..end).filter(|i| !units[*i].opens_turn()).chain(start..end).collect::<Vec<_>>();
        for i in steps_then_request {
            if tokens <= target && !(units[i].opens_turn() && is_answered_by_fold(&units[start..end])) {
                return cut;
            }
            let is_asked = Some(i) == newest_user || (units[i].opens_turn() && i >= keep_from);
            let stays = units[i].fixed || units[i].goes() || i == newest || is_asked;
            if !stays {
                units[i].go();
                tokens = tokens.saturating_sub(units[i].tokens);
                cut = !units[i].opens_turn();
            }
        }
    }
    units[keep_from.min(newest)..].iter().any(Unit::goes)
}

/// Whether all that followed a turn's user message is folded: alone, it would stand there as if nobody had answered.
fn is_answered_by_fold(turn: &[Unit]) -> bool {
    let mut steps = turn.iter().filter(|u| !u.opens_turn()).peekable();
    steps.peek().is_some() && steps.all(Unit::goes)
}

/// Folds the earlier steps of the retained turns, oldest turn first, until the rest fits. True if any was folded.
fn cut_turns(units: &mut [Unit], kept_turns: &[usize], context: &Context, target: u64, reserve: u64) -> bool {
    let kept: u64 = units.iter().filter(|u| !u.goes()).map(|u| u.tokens).sum();
    let mut tokens = context.view.fixed_tokens() + kept + reserve;
    let newest = units.len().saturating_sub(1);
    let mut cut = false;
    let from = kept_turns.first().copied().unwrap_or(units.len());
    for unit in &mut units[from.min(newest)..newest] {
        if tokens <= target {
            break;
        }
        if !unit.goes() && !unit.fixed && !unit.opens_turn() {
            unit.go();
            tokens -= unit.tokens;
            cut = true;
        }
    }
    cut
}

/// Room left for a summary that is not written yet.
fn summary_reserve(target: u64) -> u64 {
    (target / 4).min(2_000)
}
