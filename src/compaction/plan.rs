//! Which part of the view a compaction folds, and which stays.

use std::collections::HashSet;

use crate::context::{Context, NodeIndex, NodeKind, Slot};
use crate::message::steps;

/// What a compaction would fold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoldPlan {
    /// The nodes to fold, in view order; earlier summaries among them.
    pub members: Vec<NodeIndex>,
    /// Their tokens, as they stand in the view.
    pub tokens: u64,
    /// Those of them that are no earlier summary's.
    pub new_tokens: u64,
    /// A retained turn was cut at a step boundary (COMP-7b).
    pub cut_within_turn: bool,
}

/// How much of a conversation's end stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// Turns that stay whole (COMP-7).
    pub turns: u64,
    /// The view's tokens after the fold, where there is a target. If the retained turns alone exceed it, the oldest of
    /// them lose their earlier steps (COMP-7b).
    pub target: Option<u64>,
    /// Keep as much as the target has room for, instead of the last turns alone (PASS-14): for one-shot calls.
    pub fill: bool,
}

/// An atomic run of the view: a step, or a message that is part of none.
struct Unit<'a> {
    slots: &'a [Slot],
    tokens: u64,
    opens_turn: bool,
    /// It may not be folded: a call in it is being executed, or it holds a pin.
    fixed: bool,
    fold: bool,
}

/// Plans a fold of everything but what `keep` asks for. `None`: there is nothing to fold.
///
/// Never folded: the newest user message, steps with a call that is still being executed, steps with a pinned message,
/// and the newest step of a turn that is cut.
pub fn plan(context: &Context, keep: Keep) -> Option<FoldPlan> {
    let mut units = units(context);
    let mut turns: Vec<usize> = (0..units.len()).filter(|i| units[*i].opens_turn).collect();
    if turns.is_empty() {
        turns.push(0); // an agent that was never spoken to: all of it is one turn
    }
    let kept_turns = &turns[turns.len().saturating_sub(keep.turns as usize)..];
    let keep_from = kept_turns.first().copied().unwrap_or(units.len());
    let newest_user = units.iter().rposition(|u| u.opens_turn);
    let cut_within_turn = if let Some(target) = keep.target.filter(|_| keep.fill) {
        fold_oldest(&mut units, &turns, keep_from, context, target)
    } else {
        for (i, unit) in units.iter_mut().enumerate().take(keep_from) {
            unit.fold = !unit.fixed && Some(i) != newest_user;
        }
        keep.target.is_some_and(|target| cut_turns(&mut units, kept_turns, context, target))
    };
    let folded = units.iter().filter(|u| u.fold);
    let members: Vec<NodeIndex> = folded.clone().flat_map(|u| u.slots).map(|s| s.node).collect();
    let is_new = |s: &&Slot| context.history.node(s.node).kind == NodeKind::Message;
    let new: Vec<&Slot> = folded.clone().flat_map(|u| u.slots).filter(is_new).collect();
    (!new.is_empty()).then(|| FoldPlan {
        members,
        tokens: folded.map(|u| u.tokens).sum(),
        new_tokens: new.into_iter().map(Slot::tokens).sum(),
        cut_within_turn,
    })
}

fn units(context: &Context) -> Vec<Unit<'_>> {
    let body = context.view.body();
    let live: HashSet<NodeIndex> =
        context.history.unanswered().into_iter().map(|(_, caller)| caller).collect();
    steps(body.iter().map(|s| &*s.message))
        .into_iter()
        .map(|step| {
            let slots = &body[step.range];
            Unit {
                slots,
                tokens: slots.iter().map(Slot::tokens).sum(),
                opens_turn: slots.iter().any(|s| s.message.opens_turn()),
                fixed: slots.iter().any(|s| live.contains(&s.node) || context.history.node(s.node).pinned),
                fold: false,
            }
        })
        .collect()
}

/// Folds the oldest steps, and a turn's user message once all its steps are folded, until the rest fits. True if a turn
/// was cut. The user messages of the turns from `keep_from` on stay.
fn fold_oldest(
    units: &mut [Unit<'_>],
    turns: &[usize],
    keep_from: usize,
    context: &Context,
    target: u64,
) -> bool {
    let mut tokens =
        context.view.fixed_tokens() + units.iter().map(|u| u.tokens).sum::<u64>() + summary_reserve(target);
    let newest = units.len().saturating_sub(1);
    let starts = std::iter::once(0).chain(turns.iter().copied().filter(|t| *t > 0));
    let ends = turns.iter().copied().filter(|t| *t > 0).chain([units.len()]);
    for (start, end) in starts.zip(ends) {
        let mut cut = false;
        let steps_then_request =
            (start..end).filter(|i| !units[*i].opens_turn).chain(start..end).collect::<Vec<_>>();
        for i in steps_then_request {
            if tokens <= target {
                return cut;
            }
            let stays =
                units[i].fixed || units[i].fold || i == newest || (units[i].opens_turn && i >= keep_from);
            if !stays {
                units[i].fold = true;
                tokens = tokens.saturating_sub(units[i].tokens);
                cut = !units[i].opens_turn;
            }
        }
    }
    units[keep_from.min(newest)..].iter().any(|u| u.fold)
}

/// Folds the earlier steps of the retained turns, oldest turn first, until the rest fits. True if any was folded.
fn cut_turns(units: &mut [Unit<'_>], kept_turns: &[usize], context: &Context, target: u64) -> bool {
    let kept: u64 = units.iter().filter(|u| !u.fold).map(|u| u.tokens).sum();
    let mut tokens = context.view.fixed_tokens() + kept + summary_reserve(target);
    let newest = units.len().saturating_sub(1);
    let mut cut = false;
    let from = kept_turns.first().copied().unwrap_or(units.len());
    for unit in &mut units[from.min(newest)..newest] {
        if tokens <= target {
            break;
        }
        if !unit.fold && !unit.fixed && !unit.opens_turn {
            unit.fold = true;
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
