//! Adjusts a plan to what happened while its summary was written.

use super::run::Pending;
use super::state::Session;
use crate::compaction::FoldPlan;
use crate::context::{NodeIndex, NodeKind, NodeSet, Slot};
use crate::error::{Error, ErrorCode, Result};
use crate::message::{Role, steps_of};

pub(super) const NOTHING_LEFT: &str = "nothing is left to fold: every message that this summary was meant to replace has since been pinned, compacted by the provider, or returned to by a rewind";

impl Session {
    /// Refreshes the plan of a waiting run; `STALE_PLAN` if nothing of it is left to fold.
    pub(super) fn still_wanted(&mut self, mut pending: Pending) -> Result<Pending> {
        let plan = &pending.question.plan;
        let revision = pending.question.run.revision;
        let why = if revision < self.runs.stale_before {
            "the ladder was changed, or a message erased, while this summary was being written; request it again"
        } else if revision == self.runs.revision || self.is_still_foldable(plan) {
            self.refresh(&mut pending.question.plan);
            // Limits and the counter's accuracy may have changed since the summary was asked for.
            pending.question.run.aim = self.updated_aim(&pending.question.run.aim);
            if !pending.question.plan.members.is_empty() {
                return Ok(pending);
            }
            NOTHING_LEFT
        } else {
            "the history was folded or rewritten while this summary was being written; request it again"
        };
        Err(self.fail(pending.question, Error::new(ErrorCode::StalePlan, why)))
    }

    /// Whether everything that a plan folds is still in the view or was only dropped from it, whatever else was rewritten. A
    /// stand-in may have been replaced by its output.
    pub(super) fn is_still_foldable(&self, plan: &FoldPlan) -> bool {
        let there: NodeSet = self.context.view.with_dropped().iter().map(|s| s.node).collect();
        let stands =
            |n: &NodeIndex| there.contains(n) || self.context.history.node(*n).kind == NodeKind::StandIn;
        plan.members.iter().all(stands)
    }

    /// Adjusts the plan to what happened while its summary was written. An output that arrived joins its call. These stay out
    /// of the fold: a step in which something was pinned; after a rewind, the message that is now the newest user message,
    /// or a call that is being executed; what the provider compacted; and everything else that is new (COMP-14).
    pub(super) fn refresh(&self, plan: &mut FoldPlan) {
        let planned: NodeSet = std::mem::take(&mut plan.members).into_iter().collect();
        (plan.tokens, plan.hidden_tokens) = (0, 0);
        let slots = self.context.view.with_dropped();
        let live: Vec<NodeIndex> = self.context.history.unanswered().into_iter().map(|(_, n)| n).collect();
        let newest_user = slots.iter().rfind(|s| s.opens_turn()).map(|s| s.node);
        let covered = self.context.covered_by_compaction();
        let stays = |node: NodeIndex| {
            self.context.history.node(node).pinned
                || Some(node) == newest_user
                || live.contains(&node)
                || covered.contains(&node)
        };
        // Use the messages as they were pushed: a pass may have removed calls from what the view shows.
        let mut came = self.context.linked_messages(&slots);
        for (seen, slot) in came.iter_mut().zip(&slots) {
            let node = self.context.history.node(slot.node);
            (seen.calls, seen.message) = (node.tally.calls() > 0, &node.message);
        }
        for step in steps_of(&came) {
            let (slots, came) = (&slots[step.range.clone()], &came[step.range]);
            let is_planned = |s: &&&Slot| planned.contains(&s.node);
            if !slots.iter().any(|s| is_planned(&s)) || slots.iter().any(|s| stays(s.node)) {
                continue;
            }
            let calling = slots.iter().zip(came).filter(|(slot, seen)| seen.calls && is_planned(slot));
            let calls: Vec<&str> =
                calling.flat_map(|(_, seen)| seen.message.tool_calls()).map(|c| c.id.as_str()).collect();
            let answers = |s: &&&Slot| s.message.tool_outputs().any(|o| calls.contains(&o.call_id.as_str()));
            for slot in slots.iter().filter(|s| is_planned(s) || answers(s)) {
                plan.members.push(slot.node);
                match self.context.view.dropped(slot.node) {
                    Some(hidden) => plan.hidden_tokens += hidden.tokens(),
                    None => plan.tokens += slot.tokens(),
                }
            }
        }
    }

    /// If the messages after the fold would begin with a step of the model, keeps the user message that led to it: something in
    /// that step may have been pinned since. Call it on the view that the passes before the fold leave; earlier it cannot be known.
    pub(super) fn keep_asking_message(&self, plan: &mut FoldPlan) {
        if !plan.layout.with_role(plan.role).needs_user_behind() {
            return;
        }
        let going: NodeSet = plan.members.iter().copied().collect();
        let mut asked: Option<&Slot> = None;
        let mut earlier: Option<&Slot> = None; // of an earlier fold, in the user's place
        for slot in self.context.view.body().iter().filter(|s| !s.message.role.is_instruction()) {
            let is_request = slot.message.role == Role::User;
            if going.contains(&slot.node) {
                if is_request && self.context.history.node(slot.node).is_fold() {
                    earlier = earlier.or(Some(slot));
                } else if is_request {
                    asked = Some(slot);
                }
                continue;
            }
            // If no user message was folded, what an earlier fold shows will do, but only before a step that must stay.
            let asked = asked.or(earlier.filter(|_| !is_request && self.must_stay(slot.node)));
            if let Some(asked) = asked.filter(|_| !is_request) {
                plan.members.retain(|n| *n != asked.node);
                plan.tokens -= asked.tokens();
            }
            return;
        }
    }

    /// Whether a message belongs to a step that no fold may take.
    fn must_stay(&self, node: NodeIndex) -> bool {
        self.context.units().iter().any(|unit| unit.fixed && unit.nodes.contains(&node))
    }
}
