//! The cost of each call, kept with the node that answers it: `context_cost` of the ladder document (GRAPH-8).

use super::state::Session;
use crate::context::{ContextCost, NodeIndex};

impl Session {
    /// The cost of the next call, from the last run that was to make its view fit; if that run failed, what was tried. It belongs in
    /// the metadata of the node that answers, which is marked errored if nothing fitted.
    pub fn context_cost(&self) -> Option<&ContextCost> {
        self.report().and_then(|report| report.context_cost.as_ref())
    }

    /// The nodes that answered a call under the ladder document, each with the cost of its call, in order.
    pub fn costs(&self) -> &[(NodeIndex, ContextCost)] {
        &self.costs.answered
    }

    /// Records a call that failed because no view fitted. Another try of the same call replaces it.
    pub(super) fn call_failed(&mut self, cost: Option<ContextCost>) {
        let Some(cost) = cost.filter(|_| self.config.ladder.builds_from_turns()) else { return };
        let entered = self.context.history.len();
        self.costs.failed.retain(|(at, _)| *at != entered);
        self.costs.failed.push((entered, cost));
    }

    /// The model answered: assigns the cost of the call to this node, if a run reported one.
    pub(super) fn set_cost_of(&mut self, node: NodeIndex) {
        if self.config.ladder.builds_from_turns()
            && let Some(cost) = self.costs.unanswered.take()
        {
            self.costs.answered.push((node, cost));
        }
    }
}
