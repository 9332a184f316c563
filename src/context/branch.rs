//! Branches: another conversation with the same beginning.

use super::core::Context;
use super::fold::Fold;
use super::node::{NodeIndex, NodeSet};
use super::on_entry::OnEntry;
use super::renumbering::Renumbering;
use super::slot::{PlacedSlot, Slot};

impl Context {
    /// A conversation that begins with the history up to and including `at`, with the view that a [`Context::rewind`] to it
    /// leaves. Messages and outputs are shared.
    pub fn branch(&self, at: NodeIndex) -> (Self, Renumbering) {
        let mut branch = self.clone();
        branch.rewind(Some(at));
        branch.events = Vec::new();
        branch.left_out = Vec::new();
        branch.on_entry = OnEntry::default();
        branch.folds_changed = 0;
        let kept = branch.kept_nodes(at);
        let renumbering = Renumbering::keeping(&kept);
        branch.renumber(&renumbering);
        (branch, renumbering)
    }

    /// The messages up to `at`, the header, and everything in the view or in a fold.
    fn kept_nodes(&self, at: NodeIndex) -> NodeSet {
        let mut kept: NodeSet = (0..=at.0).map(NodeIndex).filter(|n| self.is_in_conversation(*n)).collect();
        kept.extend(self.view.slots().chain(&self.view.hidden_parts).map(|s| s.node));
        kept.extend(self.view.dropped_nodes());
        kept.extend(self.view.merged.iter().copied());
        for fold in &self.folds {
            kept.extend(fold.members.iter().copied());
            kept.extend([Some(fold.summary), fold.retain, fold.ask].into_iter().flatten());
        }
        let roots: Vec<NodeIndex> = kept.iter().map(|n| self.history.root(n)).collect();
        kept.extend(roots);
        kept
    }

    /// Removes the nodes that have no new number.
    fn renumber(&mut self, new: &Renumbering) {
        self.forget_all_facts();
        self.history.renumber(new);
        self.view.renumber(new);
        self.outputs.renumber_copies(|of| new.of(NodeIndex(of)).map(|node| node.0));
        let placed = |s: PlacedSlot| {
            Some(PlacedSlot { slot: Slot { node: new.of(s.slot.node)?, ..s.slot }, shown: s.shown })
        };
        let pair = |(a, b): (NodeIndex, NodeIndex)| Some((new.of(a)?, new.of(b)?));
        self.pointers = std::mem::take(&mut self.pointers).into_iter().filter_map(pair).collect();
        let fold = |fold: Fold| {
            Some(Fold {
                members: fold.members.iter().filter_map(|n| new.of(*n)).collect(),
                summary: new.of(fold.summary)?,
                retain: fold.retain.and_then(|n| new.of(n)),
                ask: fold.ask.and_then(|n| new.of(n)),
                altered: fold.altered.into_iter().filter_map(placed).collect(),
                pointers: fold.pointers.into_iter().filter_map(pair).collect(),
                ..fold
            })
        };
        self.folds = std::mem::take(&mut self.folds).into_iter().filter_map(fold).collect();
        let history = &self.history;
        self.reported.retain(|line| history.find(&line.id).is_some());
        self.results = self.results.iter().filter_map(|n| new.of(n)).collect();
    }
}
