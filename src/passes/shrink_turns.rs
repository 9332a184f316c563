//! Limits the view to the last turns. One look at the untrimmed view tells how large it is with each smaller number of
//! turns, pruned and not. The first number that fits is applied. Each try is reported as a decision, but the view is edited
//! only once.

use super::PruneToolOutputs;
use super::options::options;
use super::pass::{Aim, Outcome, Pass, Step};
use crate::config::{Keys, size};
use crate::context::{Context, NodeIndex, Unit, begin_with_user, is_instruction};
use crate::error::Result;
use crate::message::Role;

const WHY: &str = "it came before the turns that the view is limited to";

options! {
    /// Limits the view to the last turns: one turn fewer with each try, always starting from the untrimmed view, until it fits
    /// (PASS-4). If a try does not fit, tool outputs in what is left are pruned as well. Instructions and summaries stay.
    ///
    /// A ladder with this pass follows the ladder document: it acts at the limit, later instructions are merged into the base
    /// prompt, and if the last turn alone is too large, it fails with `CONTEXT_WINDOW_EXCEEDED` and no message is shortened.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ShrinkTurns {
        /// The number of turns to try first; `None`: one fewer than there are.
        "from": u64_or_null(1..) => from: Option<u64> = None,
        /// The smallest number of turns to try.
        "to": u64_in(1..) => to: u64 = 1,
        besides {
            /// How tool outputs are pruned: taken from the pruning pass before this one.
            prune: Option<PruneToolOutputs> = None,
        }
    }
}

impl ShrinkTurns {
    /// The number of turns to try next if there are `there` turns; `None` if that would be below the minimum.
    fn next(self, there: usize) -> Option<usize> {
        let next = there.checked_sub(1)?.min(self.from.map_or(usize::MAX, size));
        (next >= size(self.to)).then_some(next)
    }
}

/// Sizes of the untrimmed view when it is limited to any number of turns.
struct Figures {
    units: Vec<Unit>,
    /// Whether each unit goes with its turn.
    removable: Vec<bool>,
    /// For each unit, the tokens of all earlier units that would go.
    removable_before: Vec<u64>,
    /// A unit that has to stay may need the user message before it to stay, too.
    holds_back: bool,
    /// The units at which turns begin, with their body positions.
    turns: Vec<(usize, usize)>,
    /// Tokens of the view.
    tokens: u64,
    /// Outputs that may be pruned: body position, tokens, and tokens that a placeholder saves.
    prunable: Vec<(usize, u64, u64)>,
    least_reclaim: u64,
}

impl Figures {
    fn of(context: &Context, prune: Option<PruneToolOutputs>) -> Self {
        let units: Vec<Unit> = context.units().into_iter().filter(Unit::stays).collect();
        let first_message = |unit: &Unit| unit.nodes.first().map(|n| &context.history.node(*n).message);
        let stays = |unit: &Unit| {
            unit.fixed || unit.is_fold() || first_message(unit).is_some_and(|m| is_instruction(m))
        };
        let removable: Vec<bool> = units.iter().map(|unit| !stays(unit)).collect();
        let mut sum = 0;
        let each =
            units.iter().zip(&removable).map(|(unit, removable)| if *removable { unit.tokens } else { 0 });
        let before = |tokens: u64| {
            sum += tokens;
            sum - tokens
        };
        let removable_before = each.map(before).collect();
        let answers = |unit: &Unit| unit.fixed && matches!(unit.role, Role::Assistant | Role::Tool);
        let places = turn_places(context);
        let requests = units.iter().enumerate().filter(|(_, unit)| unit.opens_turn()).map(|(at, _)| at);
        let body = context.view.body();
        let prunable = prune.map_or_else(Vec::new, |prune| prune.prunable(context).collect());
        Self {
            turns: requests.zip(places).collect(),
            holds_back: units.iter().any(answers),
            removable_before,
            removable,
            units,
            tokens: context.view.tokens(),
            prunable: prunable
                .into_iter()
                .map(|at| (at, body[at].tokens(), context.prunable_tokens(at)))
                .collect(),
            least_reclaim: prune.map_or(0, |prune| prune.min_reclaim_tokens),
        }
    }

    /// The unit and the body position at which the last `turns` turns begin.
    fn cut(&self, turns: usize) -> (usize, usize) {
        self.turns.get(self.turns.len() - turns).copied().unwrap_or((0, 0))
    }

    /// The units, with those before `cut` marked to go.
    fn without(&self, cut: usize) -> Vec<Unit> {
        let mut units = self.units.clone();
        for (unit, _) in units.iter_mut().zip(&self.removable).take(cut).filter(|(_, removable)| **removable)
        {
            unit.mark_removed();
        }
        begin_with_user(&mut units, 0);
        units
    }

    /// The view's tokens without the units that go before `cut`.
    fn tokens_behind(&self, cut: usize) -> u64 {
        if !self.holds_back {
            return self.tokens - self.removable_before.get(cut).copied().unwrap_or(0);
        }
        self.tokens
            - self.without(cut).iter().filter(|unit| unit.is_removed()).map(|unit| unit.tokens).sum::<u64>()
    }

    /// The nodes that leave between two cuts.
    fn nodes(&self, from: usize, to: usize) -> Vec<NodeIndex> {
        let going = (from..to).filter(|at| self.removable[*at]);
        going.flat_map(|at| self.units[at].nodes.iter().copied()).collect()
    }

    /// The view's tokens once outputs from `position` on are pruned, and how many outputs that takes.
    fn pruned(&self, position: usize, tokens: u64, target: u64) -> Option<(u64, usize)> {
        let from = self.prunable.partition_point(|(at, ..)| *at < position);
        let left = &self.prunable[from..];
        if left.iter().map(|(_, tokens, _)| tokens).sum::<u64>() < self.least_reclaim {
            return None;
        }
        let (mut after, mut outputs) = (tokens, 0);
        for (_, _, saves) in left {
            if after <= target {
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
    /// Removes what comes before the last `turns` turns, and prunes if that is not enough.
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
        let removed =
            units.iter().filter(|unit| unit.is_removed()).flat_map(|unit| unit.nodes.iter().copied());
        let removed: Vec<NodeIndex> = removed.filter(shown).collect();
        context.drop_from_view(&removed, WHY);
        if let Some(step) = steps.last_mut() {
            step.tokens_after = context.view.tokens();
            step.items.retain(|node| context.view.dropped(*node).is_some());
        }
        if context.view.tokens() > aim.limit
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

    fn check(&self, keys: &mut Keys<'_>) -> Result<()> {
        let to = self.to;
        match self.from.filter(|from| *from < to) {
            Some(from) => Err(keys.error("from", format!("must be at least `to` ({to}), got {from}"))),
            None => Ok(()),
        }
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        context.view.tokens() > aim.limit
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        let Some(first) = self.next(turn_places(context).len()) else { return Ok(Outcome::Unchanged) };
        context.restore_pruned();
        let figures = Figures::of(context, self.prune);
        let fresh = (context.view.clone(), context.left_out.len(), context.events.len());
        let mut steps: Vec<Step> = Vec::new();
        let (mut reported_cut, mut tokens_before) = (0, figures.tokens);
        for turns in (size(self.to)..=first).rev() {
            let (cut, position) = figures.cut(turns);
            let tokens_after = figures.tokens_behind(cut);
            let pruned =
                figures.pruned(position, tokens_after, aim.target).filter(|_| tokens_after > aim.limit);
            let last = turns == size(self.to);
            let fits = tokens_after <= aim.limit || pruned.is_some_and(|(tokens, _)| tokens <= aim.limit);
            if !fits && !last && pruned.is_none() {
                continue; // reported with the next try
            }
            let items = figures.nodes(reported_cut, cut);
            let why = format!("limit_turns = {turns}, from the untrimmed view");
            steps.push(Step { pass: self.name(), tokens_before, tokens_after, items, why });
            (reported_cut, tokens_before) = (cut, tokens_after);
            if fits || last {
                self.apply(context, aim, &figures, turns, &mut steps)?;
                if last || context.view.tokens() <= aim.limit {
                    break;
                }
                // A pin kept more in the view than the figures say.
                context.view.restore_from(fresh.0.clone());
                context.left_out.truncate(fresh.1);
                context.events.truncate(fresh.2);
            } else if let (Some((tokens, outputs)), Some(prune)) = (pruned, self.prune) {
                let why = format!(
                    "{outputs} tool outputs at limit_turns = {turns}: still too large, so this was undone"
                );
                let (pass, items) = (prune.name(), Vec::new());
                steps.push(Step { pass, tokens_before: tokens_after, tokens_after: tokens, items, why });
            }
        }
        Ok(Outcome::Steps(steps))
    }

    fn set_neighbours(&mut self, before: &[Box<dyn Pass>], _: &[Box<dyn Pass>]) {
        self.prune = before.iter().rev().find_map(|pass| pass.as_a().copied());
    }

    fn builds_from_turns(&self) -> bool {
        true
    }

    fn has_more(&self, context: &Context) -> bool {
        self.next(turn_places(context).len()).is_some()
    }
}
