//! Branches: another conversation with the same beginning.

use super::core::Context;
use super::fold::Fold;
use super::history::{History, compactions, reasons};
use super::node::{NodeIndex, NodeKind, NodeSet};
use super::on_entry::OnEntry;
use super::slot::{PlacedSlot, Slot};
use crate::hashing::HashMap;

/// Maps the nodes of a conversation to those of its branch.
#[derive(Debug, Clone, Default)]
pub struct Renumbering(Vec<Option<NodeIndex>>);

impl Renumbering {
    /// The node's number in the branch, if it was taken along.
    pub fn of(&self, node: NodeIndex) -> Option<NodeIndex> {
        self.0.get(node.get()).copied().flatten()
    }
}

impl Context {
    /// A conversation that begins with the history up to and including `at`, with the view that a [`Context::rewind`] to it
    /// leaves. Messages and outputs are shared.
    pub fn branch(&self, at: NodeIndex) -> (Self, Renumbering) {
        let mut branch = self.clone();
        branch.rewind(at);
        branch.events = Vec::new();
        branch.left_out = Vec::new();
        branch.on_entry = OnEntry::default();
        branch.folds_changed = 0;
        let kept = branch.kept_nodes(at);
        let mut next = 0;
        let numbers = (0..branch.history.len()).map(|n| {
            kept.contains(&NodeIndex(n as u32)).then(|| {
                next += 1;
                NodeIndex(next - 1)
            })
        });
        let renumbering = Renumbering(numbers.collect());
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
        let roots: Vec<NodeIndex> = kept.iter().map(|n| self.history.inserted.root(n)).collect();
        kept.extend(roots);
        kept
    }

    /// Removes the nodes that have no new number.
    fn renumber(&mut self, new: &Renumbering) {
        self.forget_all_facts();
        self.history.renumber(new);
        self.view.renumber(new);
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

impl History {
    fn renumber(&mut self, new: &Renumbering) {
        let old = std::mem::take(self);
        self.inserted = old.inserted.renumbered(|n| new.of(n));
        self.away = old.away.into_iter().filter_map(|(n, away)| Some((new.of(n)?, away))).collect();
        self.generated = old.generated;
        for (index, mut node) in old.nodes.into_iter().enumerate() {
            let Some(own) = new.of(NodeIndex(index as u32)) else { continue };
            node.folded_by = node.folded_by.and_then(|by| new.of(by));
            // If two nodes have the same id, it refers to the later one; but a message's own id wins over one that the
            // engine made.
            let stands_for_its_id = node.kind == NodeKind::Message || self.find(&node.id).is_none();
            self.has_reasoning |= reasons(&node.message);
            self.nodes.push(node);
            if stands_for_its_id {
                self.ids.insert(&self.nodes, own);
            }
        }
        self.compactions = compactions(&self.nodes, 0).collect();
        self.links.catch_up(&self.nodes, &HashMap::default(), HashMap::default()); // none of them left the conversation
        for (id, call) in old.open_calls {
            if let Some(call) = call.renumbered(new) {
                self.open_calls.insert(id, call);
            }
        }
    }
}
