//! What changed in a history since the session was last saved.

use std::sync::Arc;

use super::History;
use super::away::Away;
use crate::context::node::{Node, NodeIndex};
use crate::context::tally::Tally;
use crate::message::Message;
use crate::saved::saved;

/// The current metadata of a node, and its message if that was replaced.
#[derive(Debug, Clone)]
pub struct NodeChange {
    node: NodeIndex,
    pinned: bool,
    folded_by: Option<NodeIndex>,
    superseded: Option<usize>,
    tally: Tally,
    away: Option<Box<Away>>,
    message: Option<Arc<Message>>,
}

saved!(struct NodeChange { node, pinned, folded_by, superseded, tally, away, message });

impl History {
    /// Marks everything as saved.
    pub(in crate::context) fn mark_saved(&mut self) {
        self.touched.clear();
        self.rewritten.clear();
    }

    /// Nodes whose metadata or message changed since the session was saved, and of those from position `known` on the ones of which
    /// the nodes themselves do not say everything.
    fn changed_nodes(&self, known: usize) -> impl Iterator<Item = NodeIndex> + '_ {
        let rewritten = self.rewritten.iter().filter(|node| !self.touched.contains(node));
        let changed = self.touched.iter().chain(rewritten).filter(move |node| node.get() < known);
        let new = self.nodes_from(known).map(|(node, _)| node);
        changed.chain(new.filter(|node| self.is_superseded(*node) || self.is_away(*node)))
    }

    /// The same with their current values. Messages of nodes from position `known` on are not included: they are saved with
    /// the new nodes.
    pub(in crate::context) fn node_changes(&self, known: usize) -> Vec<NodeChange> {
        let change = |index: NodeIndex| {
            let node = self.node(index);
            let is_told = index.get() >= known || !self.rewritten.contains(&index);
            NodeChange {
                node: index,
                pinned: node.pinned,
                folded_by: node.folded_by,
                superseded: self.superseded_at(index),
                tally: node.tally,
                away: self.away.get(&index).cloned(),
                message: (!is_told).then(|| node.message.clone()),
            }
        };
        self.changed_nodes(known).map(change).collect()
    }

    /// Whether changes only affect metadata, and neither messages nor which nodes belong to the conversation.
    pub(in crate::context) fn only_metadata(&self, changes: &[NodeChange]) -> bool {
        changes.iter().all(|change| {
            let is_away = self.away.contains_key(&change.node);
            change.message.is_none()
                && change.superseded == self.superseded_at(change.node)
                && change.away.is_some() == is_away
                && self.nodes.get(change.node.get()).is_none_or(|node| node.tally == change.tally)
        })
    }

    /// Applies changes; [`History::complete`] then derives the rest. False if a node does not exist.
    pub(in crate::context) fn put_changes(&mut self, new: Vec<Node>, changes: Vec<NodeChange>) -> bool {
        self.nodes.extend(new);
        changes.into_iter().all(|change| {
            let index = change.node;
            let Some(node) = self.nodes.get_mut(index.get()) else { return false };
            (node.pinned, node.folded_by, node.tally) = (change.pinned, change.folded_by, change.tally);
            node.message = change.message.unwrap_or_else(|| node.message.clone());
            match change.superseded {
                Some(at) => self.superseded.insert(index, at),
                None => self.superseded.remove(&index),
            };
            match change.away {
                Some(away) => self.away.insert(index, away),
                None => self.away.remove(&index),
            };
            true
        })
    }
}
