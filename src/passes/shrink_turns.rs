//! One look at the untrimmed view says what each smaller number of turns takes, pruned and not. The first that fits is applied.
//! Each try is a decision; the view is edited once.

use serde_json::{Value, json};

use super::PruneToolOutputs;
use super::pass::{Aim, Outcome, Pass, Step};
use crate::config::{Keys, size};
use crate::context::{Context, NodeIndex, Unit, begin_with_user, is_instruction};
use crate::error::Result;
use crate::message::Role;

const WHY: &str = "it stands before the turns that the view is limited to";

/// Limits the view to the last turns: one fewer each time, from the untrimmed view again, until it fits (PASS-4). Where it
/// does not fit yet, the tool outputs of what is left are pruned once more. Instructions and summaries stay.
///
/// A ladder with this pass is the document's: it acts at the limit, later instructions are merged into the base prompt, and
/// where the last turn alone is too large it ends in `CONTEXT_WINDOW_EXCEEDED`, with no message shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShrinkTurns {
    /// The most turns that are tried; `None`: one fewer than there are.
    pub from: Option<u64>,
    /// The fewest.
    pub to: u64,
    /// How tool outputs are pruned: as the ladder's pass before this one does it.
    prune: Option<PruneToolOutputs>,
}

impl Default for ShrinkTurns {
    fn default() -> Self {
        Self { from: None, to: 1, prune: None }
    }
}

impl ShrinkTurns {
    pub(super) fn read(keys: &mut Keys<'_>) -> Result<Box<dyn Pass>> {
        let from = keys.or_null("from", |k, key| k.u64_in(key, 1..))?.flatten();
        let to = keys.u64_in("to", 1..)?.unwrap_or(Self::default().to);
        if let Some(from) = from.filter(|from| *from < to) {
            return Err(keys.error("from", format!("must be at least `to` ({to}), got {from}")));
        }
        Ok(Box::new(Self { from, to, prune: None }))
    }

    /// The most turns of `there` that are tried next, if there are any to leave out.
    fn next(self, there: usize) -> Option<usize> {
        let next = there.checked_sub(1)?.min(self.from.map_or(usize::MAX, size));
        (next >= size(self.to)).then_some(next)
    }
}

/// The untrimmed view in figures: what it takes, limited to any number of turns.
struct Figures {
    units: Vec<Unit>,
    /// Whether the unit goes with its turn.
    goes: Vec<bool>,
    /// Tokens of what goes before each unit.
    gone: Vec<u64>,
    /// Something that stays may want its question before it.
    holds_back: bool,
    /// Units at which turns begin, and their body positions.
    turns: Vec<(usize, usize)>,
    /// Tokens of the view.
    tokens: u64,
    /// What may be pruned: body position, tokens, and what a placeholder saves.
    prunable: Vec<(usize, u64, u64)>,
    least_reclaim: u64,
}

impl Figures {
    fn of(context: &Context, prune: Option<PruneToolOutputs>) -> Self {
        let units: Vec<Unit> = context.units().into_iter().filter(Unit::stays).collect();
        let said = |unit: &Unit| unit.nodes.first().map(|n| &context.history.node(*n).message);
        let stays =
            |unit: &Unit| unit.fixed || unit.is_fold() || said(unit).is_some_and(|m| is_instruction(m));
        let goes: Vec<bool> = units.iter().map(|unit| !stays(unit)).collect();
        let mut sum = 0;
        let each = units.iter().zip(&goes).map(|(unit, goes)| if *goes { unit.tokens } else { 0 });
        let before = |tokens: u64| {
            sum += tokens;
            sum - tokens
        };
        let gone = each.map(before).collect();
        let answers = |unit: &Unit| unit.fixed && matches!(unit.speaker, Role::Assistant | Role::Tool);
        let places = turn_places(context);
        let requests = units.iter().enumerate().filter(|(_, unit)| unit.opens_turn()).map(|(at, _)| at);
        let body = context.view.body();
        let prunable = prune.map_or_else(Vec::new, |prune| prune.prunable(context).collect());
        Self {
            turns: requests.zip(places).collect(),
            holds_back: units.iter().any(answers),
            gone,
            goes,
            units,
            tokens: context.view.tokens(),
            prunable: prunable
                .into_iter()
                .map(|at| (at, body[at].tokens(), context.prunable_tokens(at)))
                .collect(),
            least_reclaim: prune.map_or(0, |prune| prune.min_reclaim_tokens),
        }
    }

    /// The unit and the body position at which the last `turns` begin.
    fn cut(&self, turns: usize) -> (usize, usize) {
        self.turns.get(self.turns.len() - turns).copied().unwrap_or((0, 0))
    }

    /// The units with those before a cut going.
    fn without(&self, cut: usize) -> Vec<Unit> {
        let mut units = self.units.clone();
        for (unit, _) in units.iter_mut().zip(&self.goes).take(cut).filter(|(_, goes)| **goes) {
            unit.go();
        }
        begin_with_user(&mut units, 0);
        units
    }

    /// The view's tokens without what goes before a cut.
    fn tokens_behind(&self, cut: usize) -> u64 {
        if !self.holds_back {
            return self.tokens - self.gone.get(cut).copied().unwrap_or(0);
        }
        self.tokens - self.without(cut).iter().filter(|unit| unit.goes()).map(|unit| unit.tokens).sum::<u64>()
    }

    /// The nodes that leave between two cuts.
    fn nodes(&self, from: usize, to: usize) -> Vec<NodeIndex> {
        let going = (from..to).filter(|at| self.goes[*at]);
        going.flat_map(|at| self.units[at].nodes.iter().copied()).collect()
    }

    /// The view's tokens behind a cut, and how many outputs make it how small where they are pruned.
    fn pruned(&self, position: usize, tokens: u64, enough: u64) -> Option<(u64, usize)> {
        let from = self.prunable.partition_point(|(at, ..)| *at < position);
        let left = &self.prunable[from..];
        if left.iter().map(|(_, tokens, _)| tokens).sum::<u64>() < self.least_reclaim {
            return None;
        }
        let (mut after, mut outputs) = (tokens, 0);
        for (_, _, saves) in left {
            if after <= enough {
                break;
            }
            after -= saves;
            outputs += usize::from(*saves > 0);
        }
        (outputs > 0).then_some((after, outputs))
    }
}

/// Body positions of the messages that open turns.
fn turn_places(context: &Context) -> Vec<usize> {
    let body = context.view.body().iter().enumerate();
    body.filter(|(_, slot)| slot.message.opens_turn()).map(|(at, _)| at).collect()
}

impl ShrinkTurns {
    /// Leaves out what stands before the last `turns`, and prunes where that is not enough.
    fn apply(
        &self,
        context: &mut Context,
        aim: &Aim,
        figures: &Figures,
        turns: usize,
        steps: &mut Vec<Step>,
    ) -> Result<()> {
        let units = figures.without(figures.cut(turns).0);
        let shown = |n: &NodeIndex| context.view.dropped(*n).is_none();
        let goes = units.iter().filter(|unit| unit.goes()).flat_map(|unit| unit.nodes.iter().copied());
        let goes: Vec<NodeIndex> = goes.filter(shown).collect();
        context.drop_from_view(&goes, WHY);
        if let Some(step) = steps.last_mut() {
            step.tokens_after = context.view.tokens();
            step.items.retain(|node| context.view.dropped(*node).is_some());
        }
        if context.view.tokens() > aim.most
            && let Some(prune) = self.prune
        {
            let tokens_before = context.view.tokens();
            if let Outcome::Changed { items, why } = prune.run(context, aim)? {
                let tokens_after = context.view.tokens();
                steps.push(Step { pass: prune.name(), tokens_before, tokens_after, items, why });
            }
        }
        Ok(())
    }
}

impl Pass for ShrinkTurns {
    fn name(&self) -> &'static str {
        "shrink_turns"
    }

    fn options(&self) -> Value {
        json!({ "from": self.from, "to": self.to })
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        context.view.tokens() > aim.most
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        let Some(first) = self.next(turn_places(context).len()) else { return Ok(Outcome::Unchanged) };
        context.restore_pruned();
        let figures = Figures::of(context, self.prune);
        let fresh = (context.view.clone(), context.left_out.len(), context.events.len());
        let mut steps: Vec<Step> = Vec::new();
        let (mut told, mut tokens_before) = (0, figures.tokens);
        for turns in (size(self.to)..=first).rev() {
            let (cut, position) = figures.cut(turns);
            let tokens_after = figures.tokens_behind(cut);
            let pruned = figures.pruned(position, tokens_after, aim.low).filter(|_| tokens_after > aim.most);
            let last = turns == size(self.to);
            let fits = tokens_after <= aim.most || pruned.is_some_and(|(tokens, _)| tokens <= aim.most);
            if !fits && !last && pruned.is_none() {
                continue; // told with the next
            }
            let items = figures.nodes(told, cut);
            let why = format!("limit_turns = {turns}, from the untrimmed view");
            steps.push(Step { pass: self.name(), tokens_before, tokens_after, items, why });
            (told, tokens_before) = (cut, tokens_after);
            if fits || last {
                self.apply(context, aim, &figures, turns, &mut steps)?;
                if last || context.view.tokens() <= aim.most {
                    break;
                }
                // Something that is pinned held more back than the figures say.
                context.view.go_back_to(fresh.0.clone());
                context.left_out.truncate(fresh.1);
                context.events.truncate(fresh.2);
            } else if let (Some((tokens, outputs)), Some(prune)) = (pruned, self.prune) {
                let why = format!(
                    "{outputs} tool outputs at limit_turns = {turns}: still too large, and taken back"
                );
                let (pass, items) = (prune.name(), Vec::new());
                steps.push(Step { pass, tokens_before: tokens_after, tokens_after: tokens, items, why });
            }
        }
        Ok(Outcome::Steps(steps))
    }

    fn stands_between(&mut self, before: &[Box<dyn Pass>], _: &[Box<dyn Pass>]) {
        self.prune = before.iter().rev().find_map(|pass| pass.prunes());
    }

    fn builds_from_turns(&self) -> bool {
        true
    }

    fn has_more(&self, context: &Context) -> bool {
        self.next(turn_places(context).len()).is_some()
    }
}
