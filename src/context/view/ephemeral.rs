//! Ephemeral messages in a view that may go once there are enough newer ones of their kind.

use super::View;
use crate::context::node::{NodeIndex, NodeSet};
use crate::context::slot::Slot;
use crate::saved::saved;
use crate::sorted::SortedSet;

/// The ephemeral messages that do not have enough newer ones yet, and whether one was added since they were last checked.
#[derive(Debug, Clone, Default)]
pub(super) struct Ephemeral {
    nodes: SortedSet<NodeIndex>,
    has_news: bool,
}

saved!(struct Ephemeral { nodes, has_news });

impl Ephemeral {
    /// Records a slot that enters the view or comes back.
    pub fn enter(&mut self, slot: &Slot) {
        if slot.message.meta.ephemeral.is_some() {
            self.nodes.insert(slot.node);
            self.has_news = true;
        }
    }
}

impl View {
    /// Whether an ephemeral message came since [`View::set_ephemeral`]. Otherwise none can have become outdated.
    pub fn has_ephemeral_news(&self) -> bool {
        self.ephemeral.has_news
    }

    /// The body positions of ephemeral messages, in order, back to the oldest one that is not outdated.
    pub fn ephemeral(&self) -> Vec<usize> {
        let mut left = self.ephemeral.nodes.len();
        let mut found = Vec::new();
        for (at, slot) in self.body().iter().enumerate().rev() {
            if left == 0 {
                break;
            }
            if slot.message.meta.ephemeral.is_some() {
                found.push(at);
                left -= usize::from(self.ephemeral.nodes.contains(&slot.node));
            }
        }
        found.reverse();
        found
    }

    /// Sets the ephemeral messages that may still become outdated. `has_news`: one of them is already outdated, but must not
    /// go yet.
    pub fn set_ephemeral(&mut self, staying: &NodeSet, has_news: bool) {
        self.ephemeral.nodes.retain(|node| staying.contains(node));
        self.ephemeral.has_news = has_news;
    }

    /// Checks the message again, since it may be outdated.
    pub(in crate::context) fn recheck_ephemeral(&mut self, node: NodeIndex) {
        if let Some(at) = self.position(node) {
            let slot = &self.body()[at].clone();
            self.ephemeral.enter(slot);
        }
    }
}
