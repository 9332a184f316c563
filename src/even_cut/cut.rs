//! Chooses which steps stay whole, and the level to which all others are cut.

use std::ops::RangeInclusive;

use super::steps::Steps;
use super::{Level, Names};
use crate::context::Context;

/// How much of the room whole steps may take, as shares from 0 to 1, and how much names may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// For what the newest user message answers: the step before it, and, as long as at most one step follows the message, the
    /// other steps back to the previous user message.
    pub answered: f64,
    /// For all whole steps together.
    pub verbatim: f64,
    /// Of these, for older steps to whose outputs newer ones go back.
    pub in_use: f64,
    /// Tokens that all marks together may spend on names of what is left out.
    pub names: u64,
}

impl Default for Share {
    fn default() -> Self {
        Self { answered: 0.8, verbatim: 0.5, in_use: 0.5, names: 0 }
    }
}

impl Share {
    pub(super) fn of(share: f64, room: u64) -> u64 {
        (room as f64 * share) as u64
    }
}

/// How to cut a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Whether each unit stays whole.
    pub whole: Vec<bool>,
    /// The level of all others.
    pub level: Level,
}

impl Steps {
    /// How to cut the view to about `target` tokens; `None` if it does not fit even at the smallest level.
    pub fn cut(&self, context: &Context, target: u64, share: Share) -> Option<Cut> {
        let room = target.checked_sub(self.fixed())?;
        let mut whole = self.whole(room, share);
        let mut left = room.checked_sub(self.whole_tokens(&whole))?;
        let level = self.filling_level(&mut whole, &mut left, share.names)?;
        if level < Level::LEAST.times(2) && self.least_of(context, &whole, share.names) > left {
            return None; // the estimate is close, but slightly off
        }
        Some(Cut { whole, level })
    }

    /// How to cut a view that does not fit with the share that whole steps usually have: with as many of them whole as fit at the smallest
    /// level, newest first. What those that are cut leave free is filled. `None` if it does not fit with none of them whole.
    pub fn cut_with_fewer_whole(&self, context: &Context, target: u64, share: Share) -> Option<Cut> {
        let room = target.checked_sub(self.fixed())?;
        let mut whole = self.whole(room, share);
        let least = self.least_of(context, &whole, share.names);
        let mut missing = (self.whole_tokens(&whole) + least).saturating_sub(room);
        let facts = context.facts();
        for (at, whole) in whole.iter_mut().enumerate() {
            if missing > 0 && *whole && !self.is_fixed(at) {
                *whole = false;
                let least = self.at_least(context, at, &mut Names::new(&facts, 0));
                missing = missing.saturating_sub(self.sizes[at].whole.saturating_sub(least));
            }
        }
        let mut left = room.saturating_sub(self.whole_tokens(&whole));
        let level = self.filling_level(&mut whole, &mut left, share.names).unwrap_or(Level::LEAST);
        (missing == 0).then_some(Cut { whole, level })
    }

    /// Which units stay whole in a view of `target` tokens.
    pub fn newest_whole(&self, target: u64, share: Share) -> Vec<bool> {
        self.whole(target.saturating_sub(self.fixed()), share)
    }

    /// A level that brings a view closer to `target`, given that it takes `tokens` at this level.
    pub fn corrected_level(&self, whole: &[bool], level: Level, tokens: u64, target: u64) -> Level {
        let cut = (0..whole.len()).filter(|at| !whole[*at]);
        let takes: u64 = cut.map(|at| self.tokens_at(at, level)).sum();
        let room = (takes + target).saturating_sub(tokens);
        self.level(whole, room, 0, Level::LEAST..=self.longest()).unwrap_or(Level::LEAST)
    }

    /// Which units stay whole: those that have to, then what the newest user message answers, then the newest and those that are in
    /// use.
    pub(super) fn whole(&self, room: u64, share: Share) -> Vec<bool> {
        let mut chosen = Chosen { whole: self.sizes.iter().map(|size| size.fixed).collect(), used: 0 };
        let answered = Share::of(share.answered, room);
        let newest_user = self.newest_user.unwrap_or(0);
        let is_taken_up = (newest_user + 1..self.units.len()).filter(|at| self.is_shown(*at)).count() > 1;
        for at in (0..newest_user).rev().filter(|at| self.is_shown(*at)) {
            let taken = chosen.whole[at] || self.sizes[at].cut.is_none() && chosen.take(self, at, answered);
            if !taken || is_taken_up || self.units[at].opens_turn() {
                break;
            }
        }
        let verbatim = Share::of(share.verbatim, room);
        let in_use = Share::of(share.in_use, verbatim.saturating_sub(chosen.used));
        chosen.take_newest(self, verbatim.saturating_sub(in_use));
        let most = verbatim.min(chosen.used + in_use);
        for at in self.in_use.iter().copied().filter(|at| self.sizes[*at].cut.is_none()) {
            chosen.take(self, at, most);
        }
        chosen.take_newest(self, verbatim);
        chosen.whole
    }

    /// The largest of these levels at which everything that is not whole takes at most `room`, with up to `names` tokens of
    /// names.
    fn level(&self, whole: &[bool], room: u64, names: u64, levels: RangeInclusive<Level>) -> Option<Level> {
        let cut: Vec<usize> = (0..whole.len()).filter(|at| !whole[*at]).collect();
        let for_names = cut.iter().map(|at| self.sizes[*at].names).sum::<u64>().min(names);
        let takes =
            |tokens| for_names + cut.iter().map(|at| self.tokens_at(*at, Level::of(tokens))).sum::<u64>();
        let (mut least, mut most) = (levels.start().tokens(), levels.end().tokens());
        if takes(least) > room {
            return None;
        }
        while least < most {
            let middle = (least + most).div_ceil(2);
            if takes(middle) <= room { least = middle } else { most = middle - 1 }
        }
        Some(Level::of(least))
    }

    /// The level at which everything that is not whole fills the room left. If it would exceed the largest level, more units
    /// stay whole.
    pub(super) fn filling_level(&self, whole: &mut [bool], left: &mut u64, names: u64) -> Option<Level> {
        let level = self.level(whole, *left, names, Level::LEAST..=Level::MOST)?;
        if level < Level::MOST {
            return Some(level);
        }
        self.keep_more_whole(whole, left);
        let longest = self.longest().max(Level::MOST);
        Some(self.level(whole, *left, names, Level::MOST..=longest).unwrap_or(level))
    }

    /// If there is room beyond the largest level, the newest of the cut units stay whole, too.
    fn keep_more_whole(&self, whole: &mut [bool], left: &mut u64) {
        let cut = |whole: &[bool]| (0..whole.len()).filter(|at| !whole[*at]).collect::<Vec<_>>();
        let at_most = |at: usize| self.tokens_at(at, Level::MOST);
        let mut free = left.saturating_sub(cut(whole).into_iter().map(at_most).sum());
        for at in cut(whole).into_iter().rev().take_while(|at| self.sizes[*at].cut.is_none()) {
            let Some(rest) = free.checked_sub(self.sizes[at].whole - at_most(at)) else { break };
            free = rest;
            *left = left.saturating_sub(self.sizes[at].whole);
            whole[at] = true;
        }
    }

    /// The level that cuts nothing.
    fn longest(&self) -> Level {
        Level::of(self.texts.iter().map(|text| text.tokens).max().unwrap_or(0))
    }

    pub(super) fn whole_tokens(&self, whole: &[bool]) -> u64 {
        let chosen = self.sizes.iter().zip(whole).filter(|(size, whole)| **whole && !size.fixed);
        chosen.map(|(size, _)| size.whole).sum()
    }
}

/// The units that stay whole, while they are being chosen.
struct Chosen {
    whole: Vec<bool>,
    /// The tokens of those that do not have to.
    used: u64,
}

impl Chosen {
    /// Keeps a unit whole if all chosen ones then take at most `limit` tokens. Returns whether it is whole.
    fn take(&mut self, steps: &Steps, at: usize, limit: u64) -> bool {
        let tokens = steps.sizes[at].whole;
        if !self.whole[at] && self.used + tokens <= limit {
            self.used += tokens;
            self.whole[at] = true;
        }
        self.whole[at]
    }

    /// Keeps the newest units whole, up to the first that does not fit or was cut before.
    fn take_newest(&mut self, steps: &Steps, limit: u64) {
        for at in (0..self.whole.len()).rev().filter(|at| steps.is_shown(*at)) {
            if !self.whole[at] && (steps.sizes[at].cut.is_some() || !self.take(steps, at, limit)) {
                break;
            }
        }
    }
}
