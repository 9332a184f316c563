//! Ephemeral messages that stand in a view: those that newer ones may outlive.

use std::collections::BTreeSet;

use super::node::{NodeIndex, NodeSet};
use super::view::{Slot, View};
use crate::saved::saved;

/// The ephemeral messages that have not been outlived, and whether one of them came since they were last looked at.
#[derive(Debug, Clone, Default)]
pub(super) struct Ephemeral {
    nodes: BTreeSet<NodeIndex>,
    has_news: bool,
}

saved!(struct Ephemeral { nodes, has_news });

impl Ephemeral {
    /// A slot enters the view, or comes back.
    pub fn enter(&mut self, slot: &Slot) {
        if slot.message.meta.ephemeral.is_some() {
            self.nodes.insert(slot.node);
            self.has_news = true;
        }
    }
}

impl View {
    /// Whether an ephemeral message came since [`View::settle_ephemeral`]: only then may one be outlived.
    pub fn has_ephemeral_news(&self) -> bool {
        self.ephemeral.has_news
    }

    /// The body positions of ephemeral messages, in order: as far back as any is that has not been outlived.
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

    /// These are all the ephemeral messages that newer ones may still outlive. `has_news`: one of them would be outlived
    /// already, but may not go yet.
    pub fn settle_ephemeral(&mut self, staying: &NodeSet, has_news: bool) {
        self.ephemeral.nodes.retain(|node| staying.contains(node));
        self.ephemeral.has_news = has_news;
    }

    /// The message may be outlived again.
    pub(super) fn watch_ephemeral(&mut self, node: NodeIndex) {
        if let Some(at) = self.position(node) {
            let slot = &self.body()[at].clone();
            self.ephemeral.enter(slot);
        }
    }
}
