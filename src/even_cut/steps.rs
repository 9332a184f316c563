//! Chooses which steps stay whole, and the level to which all others are cut.

use std::ops::{Range, RangeInclusive};

use super::sizes::{self, Size};
use super::{Level, Names, cut_slot};
use crate::context::{Context, Form, NodeIndex, NodeKind, Place, Slot, Unit};
use crate::message::Role;

/// How much of the room whole steps may take, as shares from 0 to 1, and how much names may take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// For the steps that the newest user message answers: those before it, back to the previous user message.
    pub answered: f64,
    /// For all whole steps together.
    pub verbatim: f64,
    /// Tokens that all marks together may spend on names of what is left out.
    pub names: u64,
}

impl Default for Share {
    fn default() -> Self {
        Self { answered: 0.8, verbatim: 0.5, names: 0 }
    }
}

impl Share {
    fn of(share: f64, room: u64) -> u64 {
        (room as f64 * share) as u64
    }
}

/// The steps of a view's body, measured.
pub struct Steps {
    units: Vec<Unit>,
    sizes: Vec<Measured>,
    texts: Vec<Size>,
    /// The unit of the newest user message.
    newest_user: Option<usize>,
    /// Tokens of everything before the body.
    before: u64,
}

/// One part in this many of the room stays free when steps are chosen: which names a mark lists depends on the rest of the
/// view.
const SLACK: u64 = 32;

/// No step takes fewer tokens.
const LEAST_STEP: u64 = 8;

/// A step's size, in tokens.
#[derive(Debug, Clone)]
struct Measured {
    /// The whole step.
    whole: u64,
    /// Everything in it that no level cuts.
    rest: u64,
    /// Its texts that can be cut, as a range of `Steps::texts`.
    texts: Range<usize>,
    /// Roughly the names that no newer step contains.
    names: u64,
    /// Roughly the user's rules in it, which marks always list.
    rules: u64,
    /// Set if an earlier cut of this step was already sent, so that it should not become longer again.
    cut: Option<EarlierCut>,
    /// It stays whole, however little room there is.
    fixed: bool,
    /// Body positions of its messages.
    body: Range<usize>,
}

/// The tokens of a step as an earlier cut left it, and of the names that its marks list.
#[derive(Debug, Clone, Copy)]
struct EarlierCut {
    tokens: u64,
    names: u64,
}

/// How to cut a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Whether each unit stays whole.
    pub whole: Vec<bool>,
    /// The level of all others.
    pub level: Level,
}

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
    /// Measures a view.
    pub fn of(context: &Context) -> Self {
        let (before, units) = (context.view.fixed_tokens(), context.units());
        let slots = context.view.body();
        let (newest_user, last) = ends(&units);
        let mut at = 0;
        let mut texts = Vec::new();
        let sizes = units.iter().enumerate().map(|(i, unit)| {
            let fixed = unit.fixed || unit.is_fold() || unit.role.is_instruction();
            let fixed = fixed || Some(i) == newest_user || Some(i) == last;
            let (first, begins) = (texts.len(), at);
            let (mut whole, mut rest) = (0, 0);
            for node in unit.nodes.iter() {
                let Some(slot) = slots.get(at).filter(|slot| slot.node == *node) else { continue };
                at += 1;
                let (tokens, kept) = measure(context, slot, !fixed, &mut texts);
                whole += tokens;
                rest += kept;
            }
            let (texts, body) = (first..texts.len(), begins..at);
            Measured { whole, rest, texts, names: 0, rules: 0, cut: None, fixed, body }
        });
        let sizes: Vec<Measured> = sizes.collect();
        let mut steps = Self { units, sizes, texts, newest_user, before };
        steps.measure_names(context);
        steps
    }

    /// Measures a view whose beginning is still in the provider's prompt cache, up to its first change since it was sent. A
    /// step that is cut there may be cut shorter, but is never lengthened, so that it and everything before it stay cached.
    /// The older a step, the shorter it therefore becomes.
    pub fn as_sent(context: &Context) -> Self {
        let mut steps = Self::of(context);
        let body = context.view.body();
        let sent = context.view.unchanged_in_body();
        let facts = context.facts();
        let names = Names::new(&facts, 0);
        for size in steps.sizes.iter_mut().filter(|size| !size.fixed && size.body.end <= sent) {
            let slots = &body[size.body.clone()];
            let is_cut = slots.iter().any(|slot| slot.form == Form::Shortened);
            size.cut = is_cut.then(|| EarlierCut {
                tokens: slots.iter().map(Slot::tokens).sum(),
                names: slots.iter().map(|slot| names.tokens_listed_in(slot)).sum(),
            });
        }
        steps
    }

    /// Whether a step that is not whole stays as it is at this level, because it is already cut at least as short.
    pub fn keeps_earlier_cut(&self, at: usize, level: Level) -> bool {
        self.sizes[at].cut.is_some_and(|cut| cut.tokens <= self.tokens_if_recut(at, level) + cut.names)
    }

    /// Measures, for each step, the names that no newer step contains, and the user's rules.
    fn measure_names(&mut self, context: &Context) {
        let facts = context.facts();
        let mut names = Names::new(&facts, 0);
        for (unit, size) in self.units.iter().zip(&mut self.sizes).rev() {
            if unit.place != Place::Hidden {
                size.names = unit.nodes.iter().map(|node| names.cost(*node)).sum();
                if unit.role == Role::User && !size.texts.is_empty() {
                    let rules = unit.nodes.iter().flat_map(|node| names.rules(*node));
                    size.rules = rules.map(|rule| context.counter.count(rule) + 2).sum();
                }
            }
        }
    }

    /// The units, in order.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Body positions of a unit's messages.
    pub fn body(&self, at: usize) -> Range<usize> {
        self.sizes[at].body.clone()
    }

    /// Whether a unit stays whole, however little room there is.
    pub fn is_fixed(&self, at: usize) -> bool {
        self.sizes[at].fixed
    }

    /// The messages that stay whole however little room there is, without earlier summaries.
    pub fn fixed_nodes(&self) -> Vec<NodeIndex> {
        let units = self.units.iter().zip(&self.sizes);
        let fixed = units.filter(|(unit, size)| size.fixed && !unit.is_fold());
        fixed.flat_map(|(unit, _)| unit.nodes.iter().copied()).collect()
    }

    /// Tokens of everything that has to stay whole.
    pub fn fixed(&self) -> u64 {
        self.before + self.sizes.iter().filter(|size| size.fixed).map(|size| size.whole).sum::<u64>()
    }

    /// The size that a cut aims at. It is raised if a long last step would otherwise take the room of the steps before it.
    pub fn target(&self, target: u64, limit: u64) -> u64 {
        target_beside_fixed(self.fixed(), target, limit)
    }

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

    /// How to cut a view that does not fit with the share that whole steps usually have: to the smallest level, with as many of
    /// them whole as fit, newest first. `None` if it does not fit with none of them whole.
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
        (missing == 0).then_some(Cut { whole, level: Level::LEAST })
    }

    /// Which units stay if not all of them fit at the smallest level: first those that have to stay and those that the
    /// newest user message answers, then the newest. If a step does not fit, smaller older ones still may. Earlier summaries
    /// are not counted, since a new one replaces them. Units for which `anyway` is true stay in any case.
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
        let whole = self.whole(room, share);
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
        let mut next = None;
        for at in (0..whole.len()).rev().filter(|at| self.is_shown(*at)) {
            if stays[at] {
                next = Some(at);
                continue;
            }
            if left < LEAST_STEP {
                break;
            }
            if self.sizes[at].rest > left
                || next.is_some_and(|next| self.follows_answer_directly(context, at, next))
            {
                continue;
            }
            if let Some(rest) = left.checked_sub(self.at_least(context, at, &mut names)) {
                left = rest;
                stays[at] = true;
                next = Some(at);
            }
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

    /// Records the names in everything that stays whole: what comes before the body, and the units that are `true` in
    /// `whole`.
    pub fn record_whole(&self, context: &Context, whole: &[bool], names: &mut Names<'_>) {
        for slot in context.view.header().iter().chain(context.view.parts()) {
            names.record_whole(slot.node);
        }
        let body = context.view.body();
        for at in (0..whole.len()).filter(|at| whole[*at]) {
            body[self.body(at)].iter().for_each(|slot| names.record_whole(slot.node));
        }
    }

    /// Records the names in the steps that stay cut as they are at this level.
    pub fn record_cut(&self, context: &Context, whole: &[bool], level: Level, names: &mut Names<'_>) {
        for at in (0..whole.len()).filter(|at| !whole[*at] && self.keeps_earlier_cut(*at, level)) {
            names.spend(self.sizes[at].cut.map_or(0, |cut| cut.names));
            context.view.body()[self.body(at)].iter().for_each(|slot| names.record_as_shown(slot));
        }
    }

    /// The counted tokens of all other units at the smallest level, with up to `names` tokens of names.
    fn least_of(&self, context: &Context, whole: &[bool], names: u64) -> u64 {
        let facts = context.facts();
        let mut names = Names::new(&facts, names);
        self.record_whole(context, whole, &mut names);
        let cut = (0..whole.len()).rev().filter(|at| !whole[*at]);
        cut.map(|at| self.at_least(context, at, &mut names)).sum()
    }

    /// The counted tokens of a unit at the smallest level.
    fn at_least(&self, context: &Context, at: usize, names: &mut Names<'_>) -> u64 {
        let tokens = |slot: &Slot| {
            if !can_be_cut(context, slot) {
                return slot.tokens();
            }
            let whole = uncut(context, slot);
            let whole = whole.as_ref().unwrap_or(slot);
            let cut = cut_slot(context, whole, Level::LEAST, names);
            cut.map_or_else(|| whole.tokens(), |cut| cut.tokens())
        };
        context.view.body()[self.body(at)].iter().rev().map(tokens).sum()
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

    /// Which units stay whole: those that have to, then those that the newest user message answers, then the newest.
    fn whole(&self, room: u64, share: Share) -> Vec<bool> {
        let mut whole: Vec<bool> = self.sizes.iter().map(|size| size.fixed).collect();
        let mut used = 0;
        let mut take = |at: usize, limit: u64, whole: &mut Vec<bool>| {
            let fits = used + self.sizes[at].whole <= limit;
            if fits && !whole[at] {
                used += self.sizes[at].whole;
                whole[at] = true;
            }
            fits
        };
        let answered = Share::of(share.answered, room);
        for at in (0..self.newest_user.unwrap_or(0)).rev().filter(|at| self.is_shown(*at)) {
            let taken = whole[at] || self.sizes[at].cut.is_none() && take(at, answered, &mut whole);
            if !taken || self.units[at].opens_turn() {
                break;
            }
        }
        let verbatim = Share::of(share.verbatim, room);
        for at in (0..whole.len()).rev().filter(|at| self.is_shown(*at)) {
            if !whole[at] && (self.sizes[at].cut.is_some() || !take(at, verbatim, &mut whole)) {
                break;
            }
        }
        whole
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
    fn filling_level(&self, whole: &mut [bool], left: &mut u64, names: u64) -> Option<Level> {
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

    fn is_shown(&self, at: usize) -> bool {
        self.units[at].place != Place::Hidden
    }

    fn whole_tokens(&self, whole: &[bool]) -> u64 {
        let chosen = self.sizes.iter().zip(whole).filter(|(size, whole)| **whole && !size.fixed);
        chosen.map(|(size, _)| size.whole).sum()
    }

    /// Roughly what a unit takes at a level, without names.
    fn tokens_at(&self, at: usize, level: Level) -> u64 {
        let cut = self.sizes[at].cut.filter(|_| self.keeps_earlier_cut(at, level));
        cut.map_or_else(|| self.tokens_if_recut(at, level), |cut| cut.tokens)
    }

    /// The same, if it is cut again.
    fn tokens_if_recut(&self, at: usize, level: Level) -> u64 {
        let size = &self.sizes[at];
        let texts = self.texts[size.texts.clone()].iter().map(|text| text.tokens_at(level)).sum::<u64>();
        (size.rest + texts + size.rules).min(size.whole)
    }
}

/// Tokens of everything that has to stay in a view, as exactly as they are known without measuring the view.
pub fn fixed_tokens(context: &Context) -> u64 {
    let units = context.units();
    let (newest_user, last) = ends(&units);
    let is_fixed = |(at, unit): &(usize, &Unit)| {
        let has_to =
            unit.fixed || unit.role.is_instruction() || Some(*at) == newest_user || Some(*at) == last;
        has_to && !unit.is_fold()
    };
    let fixed = units.iter().enumerate().filter(is_fixed).map(|(_, unit)| unit.tokens);
    context.view.fixed_tokens() + fixed.sum::<u64>()
}

/// The positions of the newest user message and of the last step.
fn ends(units: &[Unit]) -> (Option<usize>, Option<usize>) {
    let newest_user = units.iter().rposition(|u| u.opens_turn() && u.place != Place::Hidden);
    let last = units.iter().rposition(|u| u.place != Place::Hidden && !u.role.is_instruction());
    (newest_user, last)
}

/// The target of a view in which no pass can free `fixed` tokens. It is raised if it would otherwise leave the rest of the
/// view less than half the share that it has in a view without them.
pub fn target_beside_fixed(fixed: u64, target: u64, limit: u64) -> u64 {
    if limit == u64::MAX {
        return target;
    }
    let room = limit.saturating_sub(fixed);
    let ratio = target as f64 / limit.max(1) as f64;
    target.max(fixed + (room as f64 * ratio / 2.0) as u64).min(limit)
}

/// A slot's tokens when whole, and those of them that no level cuts. Appends its texts to `texts`.
fn measure(context: &Context, slot: &Slot, may_be_cut: bool, texts: &mut Vec<Size>) -> (u64, u64) {
    let whole = uncut(context, slot);
    let whole = whole.as_ref().unwrap_or(slot);
    let tokens = whole.tokens();
    if !may_be_cut || !can_be_cut(context, slot) {
        return (tokens, tokens);
    }
    let mut rest = tokens;
    sizes::each(&whole.message, &whole.tally, &*context.counter, &mut |size| {
        rest = rest.saturating_sub(size.tokens);
        texts.push(size);
    });
    (tokens, rest)
}

/// Whether a message's texts may be cut: it was pushed, is not pinned, and the view shows its texts.
pub fn can_be_cut(context: &Context, slot: &Slot) -> bool {
    let node = context.history.node(slot.node);
    node.kind == NodeKind::Message
        && !node.pinned
        && matches!(slot.form, Form::Whole | Form::Cut | Form::Shortened | Form::Unbound | Form::Pointer)
        && !context.history.is_away(slot.node)
        && !context.keeps_output(slot.node)
}

/// A cut or shortened message as it would be whole; `None` if it is not cut.
pub fn uncut(context: &Context, slot: &Slot) -> Option<Slot> {
    let is_cut = matches!(slot.form, Form::Shortened | Form::Pointer) && !context.history.is_away(slot.node);
    is_cut.then(|| context.slot_on_entry(slot.node))
}
