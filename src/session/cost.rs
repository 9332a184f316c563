//! What each call cost, kept with the node that answers it: `context_cost` of the ladder document (GRAPH-8).

use super::facade::Session;
use crate::context::{ContextCost, NodeIndex};

impl Session {
    /// What the next call costs, by the last run that was to make it fit; where that run failed, what was tried. For the metadata
    /// of the node that answers, which is marked errored where nothing fitted.
    pub fn context_cost(&self) -> Option<&ContextCost> {
        self.report().and_then(|report| report.context_cost.as_ref())
    }

    /// The nodes that answered a call under the ladder document, each with what its call cost; in order.
    pub fn costs(&self) -> &[(NodeIndex, ContextCost)] {
        &self.costs
    }

    /// No view fitted: the call that was to be made failed. Another try of the same call takes its place.
    pub(super) fn call_failed(&mut self, cost: Option<ContextCost>) {
        let Some(cost) = cost.filter(|_| self.config.ladder.builds_from_turns()) else { return };
        let entered = self.context.history.len();
        self.failed_calls.retain(|(at, _)| *at != entered);
        self.failed_calls.push((entered, cost));
    }

    /// The model answered: the cost of the call, where a run told it, is this node's.
    pub(super) fn answered_by(&mut self, node: NodeIndex) {
        if self.config.ladder.builds_from_turns()
            && let Some(cost) = self.unanswered_cost.take()
        {
            self.costs.push((node, cost));
        }
    }
}
