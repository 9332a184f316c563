//! What of a history is new since a session was last saved.

use std::sync::Arc;

use super::History;
use super::away::Away;
use crate::context::node::{Node, NodeIndex};
use crate::context::tally::Tally;
use crate::message::Message;
use crate::saved::{Reader, Saved, Writer, saved};

/// A node as it is marked now, and its message where it holds another one.
#[derive(Debug, Clone)]
pub struct NodeChange {
    node: NodeIndex,
    pinned: bool,
    folded_by: Option<NodeIndex>,
    superseded: Option<usize>,
    tally: Tally,
    away: Option<Away>,
    message: Option<Arc<Message>>,
}

saved!(struct NodeChange { node, pinned, folded_by, superseded, tally, away, message });

impl History {
    /// All that is there now is saved.
    pub(in crate::context) fn mark_saved(&mut self) {
        self.touched.clear();
        self.rewritten.clear();
    }

    /// The nodes behind the first `known`.
    pub(in crate::context) fn new_nodes(&self, known: usize) -> Vec<Node> {
        self.nodes.get(known..).unwrap_or_default().to_vec()
    }

    /// Nodes that are marked otherwise than when the session was saved, or hold another message.
    pub fn changed_nodes(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        let rewritten = self.rewritten.iter().filter(|node| !self.touched.contains(node));
        self.touched.iter().chain(rewritten)
    }

    /// The same as they are now. Messages of the nodes behind the first `known` are told with these.
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
        self.changed_nodes().map(change).collect()
    }

    /// Whether changes mark nodes, and leave their messages and their places in the conversation as they are.
    pub(in crate::context) fn are_marks(&self, changes: &[NodeChange]) -> bool {
        changes.iter().all(|change| {
            let is_away = self.away.contains_key(&change.node);
            change.message.is_none()
                && change.superseded == self.superseded_at(change.node)
                && change.away.is_some() == is_away
                && self.nodes.get(change.node.get()).is_none_or(|node| node.tally == change.tally)
        })
    }

    /// Puts in what is new. What follows from it is found by [`History::complete`]. False where a node is not there.
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

    /// What else a history holds: it is little, and told whole.
    pub(in crate::context) fn save_rest<'s>(&'s self, out: &mut Writer<'s>) {
        self.open_calls.save(out);
        self.generated.save(out);
        self.late.save(out);
    }

    /// Reads that.
    pub(in crate::context) fn load_rest(&mut self, from: &mut Reader<'_>) -> crate::error::Result<()> {
        self.open_calls = Saved::load(from)?;
        self.generated = Saved::load(from)?;
        self.late = Saved::load(from)?;
        Ok(())
    }
}
