//! Chooses which steps stay in the view if not all of them fit even at the smallest level.

use super::cut::Share;
use super::steps::Steps;
use super::{Level, Names};
use crate::context::Context;
use crate::message::Role;

/// One part in this many of the room stays free when steps are chosen: which names a mark lists depends on the rest of the
/// view.
const SLACK: u64 = 32;

/// Which units stay in the view if not all of them can.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staying {
    /// Whether each unit stays at all; a summary has to replace the others.
    pub stays: Vec<bool>,
    /// Whether each unit is cut once the units that stay fill the view.
    pub cut: Vec<bool>,
    /// Roughly what everything that stays takes at the smallest level, in tokens.
    pub tokens: u64,
}

impl Steps {
    /// Which units stay if not all of them fit at the smallest level: first those that have to stay and those that the
    /// newest user message answers, then the newest. From the first step that does not fit, everything older is folded, so that
    /// the conversation has no gaps. Earlier summaries are not counted, since a new one replaces them.
    /// Units for which `anyway` is true stay in any case.
    pub fn staying(
        &self,
        context: &Context,
        target: u64,
        share: Share,
        anyway: impl Fn(usize) -> bool,
    ) -> Staying {
        let folds = self.units.iter().zip(&self.sizes).filter(|(unit, _)| unit.is_fold());
        let folds = folds.map(|(_, size)| size.whole).sum::<u64>();
        let fixed = self.fixed() - folds;
        let room = target.saturating_sub(fixed);
        // Newest first, so that a fold leaves no gaps; what is in use is only chosen among the units that stay.
        let whole = self.whole(room, Share { in_use: 0.0, ..share });
        let mut left = room.saturating_sub(self.whole_tokens(&whole) + room / SLACK);
        let mut stays = whole.clone();
        let facts = context.facts();
        let mut names = Names::new(&facts, share.names);
        self.record_whole(context, &whole, &mut names);
        let others = || (0..whole.len()).rev().filter(|at| !whole[*at] && self.is_shown(*at));
        for at in others().filter(|at| anyway(*at)) {
            left = left.saturating_sub(self.at_least(context, at, &mut names));
            stays[at] = true;
        }
        for at in (0..whole.len()).rev().filter(|at| self.is_shown(*at)) {
            if stays[at] {
                continue;
            }
            let Some(rest) = left.checked_sub(self.at_least(context, at, &mut names)) else { break };
            left = rest;
            stays[at] = true;
        }
        // A unit that stays in any case may be an answer that a newer step would now directly follow.
        let mut before: Option<usize> = None;
        for (at, stays) in stays.iter_mut().enumerate() {
            let follows_answer =
                before.is_some_and(|before| self.follows_answer_directly(context, before, at));
            *stays &= !follows_answer || self.sizes[at].fixed || anyway(at);
            before = Some(at).filter(|_| *stays).or(before);
        }
        let tokens = fixed + room - left;
        let chosen = self.whole(room, share).into_iter().zip(&stays);
        let whole: Vec<bool> = chosen.map(|(whole, stays)| whole && *stays).collect();
        let mut at_once: Vec<bool> =
            whole.iter().zip(&stays).map(|(whole, stays)| *whole || !stays).collect();
        let mut room_left = room.saturating_sub(self.whole_tokens(&whole) + room / SLACK);
        let level = self.filling_level(&mut at_once, &mut room_left, share.names).unwrap_or(Level::LEAST);
        let is_cut = |at: usize| !at_once[at] && self.tokens_at(at, level) < self.sizes[at].whole;
        Staying { cut: (0..stays.len()).map(is_cut).collect(), stays, tokens }
    }

    /// Whether another step of the model would directly follow an answer because the user's message between them is gone.
    /// Some providers refuse a call after an answer.
    fn follows_answer_directly(&self, context: &Context, at: usize, next: usize) -> bool {
        let ends_with = self.units[at].nodes.iter().last().map(|n| context.history.node(*n).message.role);
        let is_answer = self.units[at].role == Role::Assistant && ends_with == Some(Role::Assistant);
        is_answer && next > at + 1 && self.units[next].role == Role::Assistant
    }
}
