//! Compactions made by the provider: it reads nothing before its newest one, so nothing before it is sent.
//!
//! What comes before it leaves the view as if a pass had dropped it: it keeps its place, so that a rewind or a pin brings it
//! back. No pass and no summary takes the newest compaction, and nothing that it covers is folded. Folds come behind it. The
//! usage reported for that call is not used for calibration.

use super::core::Context;
use super::node::{NodeIndex, NodeSet};
use super::slot::Slot;
use super::units::{Place, Unit};
use crate::message::{ProviderCompaction, Role};

const WHY: &str =
    "the provider's own compaction replaces it: the provider ignores everything before that compaction";

impl Context {
    /// The body position of the message with the provider's newest compaction.
    pub fn compaction(&self) -> Option<usize> {
        let mut newest = self.history.compactions().iter().rev();
        newest.find_map(|node| self.view.position(*node))
    }

    /// The message with the provider's newest compaction, if it is in the view.
    pub(super) fn newest_compaction(&self) -> Option<NodeIndex> {
        self.compaction().map(|at| self.view.body()[at].node)
    }

    /// Whether this is a message with a provider's compaction.
    pub(super) fn is_compaction(&self, node: NodeIndex) -> bool {
        self.history.compactions().contains(&node)
    }

    /// What left the view and comes before the provider's newest compaction, which covers it.
    pub fn covered_by_compaction(&self) -> NodeSet {
        let Some(compaction) = self.newest_compaction() else { return NodeSet::default() };
        let order = self.view.order();
        let before = order.iter().take_while(|n| **n != compaction);
        before.filter(|n| self.view.dropped(**n).is_some()).copied().collect()
    }

    /// Takes everything before the provider's newest compaction out of the view, except for pins and calls that are being
    /// executed. Later thinking stays valid, since the provider allows this edit. Returns what was taken out.
    pub fn drop_compacted(&mut self) -> Vec<NodeIndex> {
        let Some(at) = self.compaction().filter(|at| *at > 0) else { return Vec::new() };
        let (before, compaction) = (&self.view.body()[..at], &self.view.body()[at]);
        let of = self.history.node(compaction.node).message.provider_compaction();
        let answers = |s: &Slot| matches!(s.role(), Role::Assistant | Role::Tool);
        if of != Some(ProviderCompaction::ReplacesAll) && !before.iter().any(answers) {
            return Vec::new();
        }
        let node = compaction.node;
        let is_covered = |unit: &Unit| unit.place == Place::Shown && !unit.fixed;
        let units = self.units();
        let before = units.iter().take_while(|unit| !unit.nodes.contains(&node));
        let shown = |n: &NodeIndex| self.view.dropped(*n).is_none();
        let covered = before.filter(|u| is_covered(u)).flat_map(|u| u.nodes.iter().copied());
        // If items came one by one, some of the compaction's own step may come before it.
        let own_step = units.iter().find(|unit| unit.nodes.contains(&node));
        let own_step = own_step.into_iter().flat_map(|unit| unit.nodes.iter().copied());
        let may_leave = |n: &NodeIndex| {
            let node = self.history.node(*n);
            !node.pinned && node.message.role == Role::Assistant && node.message.tool_calls().next().is_none()
        };
        let own_step = own_step.take_while(|n| *n != node).filter(may_leave);
        let covered: Vec<NodeIndex> = covered.chain(own_step).filter(shown).collect();
        self.view.edit_keeping_thinking(|view| view.drop_nodes(&covered.iter().copied().collect()));
        for node in &covered {
            self.note_left_out(*node, WHY, None);
        }
        covered
    }

    /// The message that a fold of these nodes has to follow, and its position among what stays: the end of the step with the
    /// provider's newest compaction, if any of the nodes come after it. Otherwise the provider would not read the summary.
    pub(super) fn last_compacted(&self, folded: &NodeSet) -> Option<(usize, NodeIndex)> {
        let (body, at) = (self.view.body(), self.compaction()?);
        let is_folded = |s: &Slot| folded.contains(&s.node);
        if is_folded(&body[at]) || !body[at..].iter().any(is_folded) {
            return None;
        }
        // A call before the compaction may be answered by an output behind later calls.
        let compaction = body[at].node;
        let step = self.units().into_iter().find(|unit| unit.nodes.contains(&compaction))?;
        let end = body.iter().rposition(|slot| step.nodes.contains(&slot.node))?;
        let stays = body[..=end].iter().filter(|s| !is_folded(s));
        stays.map(|s| s.node).enumerate().last()
    }

    /// What left the view because of compactions that are in `removed`.
    pub(super) fn dropped_for_compactions(&self, removed: &[NodeIndex]) -> NodeSet {
        if !removed.iter().any(|node| self.is_compaction(*node)) {
            return NodeSet::default();
        }
        let order = self.view.order();
        let last = order.iter().rposition(|n| removed.contains(n) && self.is_compaction(*n));
        let before = order[..last.unwrap_or_default()].iter();
        before.filter(|n| self.view.dropped(**n).is_some()).copied().collect()
    }

    /// Brings back what left the view because of a compaction that is gone.
    pub(super) fn bring_back_covered(&mut self, covered: &NodeSet) {
        if !covered.is_empty() {
            self.show_dropped(covered);
            self.drop_compacted();
        }
    }
}
