//! The steps of a view, measured: what each takes whole, and what it takes once its texts are cut to a level.

use std::ops::Range;

use super::in_use::in_use;
use super::sizes::{self, Size};
use super::{Level, Names, cut_slot};
use crate::context::{Context, Form, NodeIndex, NodeKind, Place, Slot, Unit};
use crate::facts::is_record;
use crate::message::{Part, Role};

/// The steps of a view's body, measured.
pub struct Steps {
    pub(super) units: Vec<Unit>,
    pub(super) sizes: Vec<Measured>,
    pub(super) texts: Vec<Size>,
    /// The unit of the newest user message.
    pub(super) newest_user: Option<usize>,
    /// The step that opens the running turn: the first one behind the newest user message.
    opening: Option<usize>,
    /// The units to whose outputs later ones go back, the most recently used first.
    pub(super) in_use: Vec<usize>,
    /// Tokens of everything before the body.
    pub(super) before: u64,
}

/// A step's size, in tokens.
#[derive(Debug, Clone)]
pub(super) struct Measured {
    /// The whole step.
    pub whole: u64,
    /// Everything in it that no level cuts.
    pub rest: u64,
    /// Its texts that can be cut, as a range of `Steps::texts`.
    pub texts: Range<usize>,
    /// Roughly the names that no newer step contains.
    pub names: u64,
    /// Roughly the user's rules in it, which marks always list.
    pub rules: u64,
    /// Set if an earlier cut of this step was already sent, so that it should not become longer again.
    pub cut: Option<EarlierCut>,
    /// It stays whole, however little room there is.
    pub fixed: bool,
    /// Body positions of its messages.
    pub body: Range<usize>,
}

/// The tokens of a step as an earlier cut left it, and of the names that its marks list.
#[derive(Debug, Clone, Copy)]
pub(super) struct EarlierCut {
    tokens: u64,
    names: u64,
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
            let fixed = unit.is_fold() || has_to_stay(context, unit, i, (newest_user, last));
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
        let in_use = in_use(context, &units);
        let answer = context.opening_of_running_turn();
        let opening = answer.and_then(|answer| sizes.iter().position(|size| size.body.contains(&answer)));
        let mut steps = Self { units, sizes, texts, newest_user, opening, in_use, before };
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
        let opening = steps.opening;
        for (at, size) in steps.sizes.iter_mut().enumerate() {
            if size.fixed || size.body.end > sent {
                continue;
            }
            let slots = &body[size.body.clone()];
            let lacks_thinking = Some(at) == opening && slots.iter().any(|slot| context.lost_thinking(slot));
            let is_cut = !lacks_thinking && slots.iter().any(|slot| slot.form == Form::Shortened);
            size.cut = is_cut.then(|| EarlierCut {
                tokens: slots.iter().map(Slot::tokens).sum(),
                names: slots.iter().map(|slot| names.tokens_listed_in(slot)).sum(),
            });
        }
        steps
    }

    /// From now on, a step that was sent cut may be cut in any way.
    pub fn forget_what_was_sent(&mut self) {
        self.sizes.iter_mut().for_each(|size| size.cut = None);
    }

    /// Whether a step that is not whole stays as it is at this level, because it is already cut at least as short.
    pub fn keeps_earlier_cut(&self, at: usize, level: Level) -> bool {
        self.sizes[at].cut.is_some_and(|cut| cut.tokens <= self.tokens_if_recut(at, level) + cut.names)
    }

    /// Measures, for each step, the names and the user's rules that no newer step contains.
    fn measure_names(&mut self, context: &Context) {
        let facts = context.facts();
        let mut names = Names::new(&facts, 0);
        for (unit, size) in self.units.iter().zip(&mut self.sizes).rev() {
            if unit.place != Place::Hidden {
                size.names = unit.nodes.iter().map(|node| names.cost(*node)).sum();
                let rules: Vec<&str> = unit.nodes.iter().flat_map(|node| names.new_rules(*node)).collect();
                if !size.texts.is_empty() {
                    size.rules = rules.iter().map(|rule| context.counter.count(rule) + 2).sum();
                }
            }
        }
    }

    /// Whether a unit opens the running turn: its thinking stays.
    pub fn opens_running_turn(&self, at: usize) -> bool {
        self.opening == Some(at)
    }

    /// Body positions of the step that opens the running turn.
    pub fn opening_body(&self) -> Range<usize> {
        self.opening.map_or(0..0, |at| self.body(at))
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

    /// Records the names in everything that stays whole: what comes before the body, and the units that are `true` in
    /// `whole`.
    pub fn record_whole(&self, context: &Context, whole: &[bool], names: &mut Names<'_>) {
        for slot in context.view.header().iter().chain(context.view.parts()) {
            names.record_whole(slot.node);
        }
        let body = context.view.body();
        for at in (0..whole.len()).filter(|at| whole[*at]) {
            body[self.body(at)].iter().for_each(|slot| names.record_as_shown(slot));
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
    pub(super) fn least_of(&self, context: &Context, whole: &[bool], names: u64) -> u64 {
        let facts = context.facts();
        let mut names = Names::new(&facts, names);
        self.record_whole(context, whole, &mut names);
        let cut = (0..whole.len()).rev().filter(|at| !whole[*at]);
        cut.map(|at| self.at_least(context, at, &mut names)).sum()
    }

    /// The counted tokens of a unit at the smallest level.
    pub(super) fn at_least(&self, context: &Context, at: usize, names: &mut Names<'_>) -> u64 {
        let tokens = |slot: &Slot| {
            if !can_be_cut(context, slot) {
                return slot.tokens();
            }
            let whole = uncut(context, slot);
            let whole = whole.as_ref().unwrap_or(slot);
            let cut = cut_slot(context, whole, Level::LEAST, self.opens_running_turn(at), names);
            cut.map_or_else(|| whole.tokens(), |cut| cut.tokens())
        };
        context.view.body()[self.body(at)].iter().rev().map(tokens).sum()
    }

    pub(super) fn is_shown(&self, at: usize) -> bool {
        self.units[at].place != Place::Hidden
    }

    /// Roughly what a unit takes at a level, without names.
    pub(super) fn tokens_at(&self, at: usize, level: Level) -> u64 {
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
    let is_fixed =
        |(at, unit): &(usize, &Unit)| has_to_stay(context, unit, *at, (newest_user, last)) && !unit.is_fold();
    let fixed = units.iter().enumerate().filter(is_fixed).map(|(_, unit)| unit.tokens);
    context.view.fixed_tokens() + fixed.sum::<u64>()
}

/// The positions of the newest user message and of the last step, which a reminder may follow.
fn ends(units: &[Unit]) -> (Option<usize>, Option<usize>) {
    let newest_user = units.iter().rposition(|u| u.opens_turn() && u.place != Place::Hidden);
    let is_said = |u: &Unit| u.place != Place::Hidden && !u.role.is_instruction();
    let is_beside = |u: &Unit| u.role == Role::User && !u.opens_turn() && !u.is_fold();
    let last = units.iter().rposition(|u| is_said(u) && !is_beside(u));
    (newest_user, last.or_else(|| units.iter().rposition(is_said)))
}

/// Whether a unit stays whole, however little room there is. Instructions do if nothing follows them yet, or if they are not in words: a list
/// of more tools, say.
fn has_to_stay(
    context: &Context,
    unit: &Unit,
    at: usize,
    (newest_user, last): (Option<usize>, Option<usize>),
) -> bool {
    let is_opaque = |node: &NodeIndex| {
        context.history.node(*node).message.parts.iter().all(|part| matches!(part, Part::Opaque { .. }))
    };
    unit.fixed
        || Some(at) == newest_user
        || Some(at) >= last
        || unit.role.is_instruction() && unit.nodes.iter().all(is_opaque)
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
    let full = in_full(context, whole);
    let full = full.as_ref().unwrap_or(whole);
    let mut rest = full.tokens();
    sizes::each(&full.message, &full.tally, &*context.counter, &mut |size| {
        rest = rest.saturating_sub(size.tokens);
        texts.push(size);
    });
    (tokens, rest)
}

/// Whether a message's texts may be cut: it was pushed, is not pinned, and the view shows its texts. An output that is in the host's store
/// is cut from what the view shows of it. A record from elsewhere is not cut, as little as our own: the next fold takes it.
pub fn can_be_cut(context: &Context, slot: &Slot) -> bool {
    let node = context.history.node(slot.node);
    node.kind == NodeKind::Message
        && !node.pinned
        && matches!(slot.form, Form::Whole | Form::Cut | Form::Shortened | Form::Unbound | Form::Pointer)
        && (slot.form != Form::Pointer || !context.history.is_away(slot.node))
        && !context.keeps_output(slot.node)
        && !is_record(&node.message)
}

/// A cut or shortened message as it would be whole; `None` if it is not cut.
pub fn uncut(context: &Context, slot: &Slot) -> Option<Slot> {
    let is_cut = matches!(slot.form, Form::Shortened | Form::Pointer) && !context.history.is_away(slot.node);
    is_cut.then(|| context.slot_on_entry(slot.node))
}

/// The output in full, if the view shows it cut as it entered. It is cut from there, so that no mark is cut by another, JSON
/// is still JSON, and a mark counts what is really left out.
pub(super) fn in_full(context: &Context, whole: &Slot) -> Option<Slot> {
    let is_here = whole.form == Form::Cut && !context.history.is_away(whole.node);
    is_here.then(|| Slot::whole(&context.history, whole.node))
}
