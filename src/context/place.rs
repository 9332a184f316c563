//! The place of a node among all others, whether the view shows them or not.
//!
//! Every node has one place: where it entered; before everything else if it represents a fold; behind its call if it is an
//! output that came late. A fold remembers the form of members that were not whole. So unfolding puts everything back where
//! it was, in any order of folds and unfolds. Rewinding and rewriting the past undo folds in the same way.

use std::collections::{BTreeMap, HashMap};

use super::history::History;
use super::node::{NodeIndex, NodeKind};
use crate::error::Result;
use crate::saved::{Reader, Saved, Writer};

/// Nodes that were not added at the end: an output that came late belongs to its call, and a summary may come behind another
/// one.
#[derive(Debug, Clone, Default)]
pub(super) struct InsertedNodes {
    /// Inserted nodes in order, by the regular node that they follow, directly or through other inserted nodes (their root).
    behind: BTreeMap<NodeIndex, Vec<NodeIndex>>,
    root: HashMap<NodeIndex, NodeIndex>,
}

/// A node's place. Places compare in the order of the nodes.
pub(super) type NodePlace = (i64, u32, usize);

impl Saved for InsertedNodes {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        let Self { behind, root: _ } = self;
        behind.save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let behind: BTreeMap<NodeIndex, Vec<NodeIndex>> = Saved::load(from)?;
        let followers = |(root, nodes): (&NodeIndex, &Vec<NodeIndex>)| {
            nodes.iter().map(|node| (*node, *root)).collect::<Vec<_>>()
        };
        let root = behind.iter().flat_map(followers).collect();
        Ok(Self { behind, root })
    }
}

impl InsertedNodes {
    /// Every node that it mentions.
    pub fn nodes(&self) -> impl Iterator<Item = &NodeIndex> {
        self.behind.iter().flat_map(|(root, followers)| std::iter::once(root).chain(followers))
    }

    /// Records that `node` was inserted directly behind `other`.
    pub fn enter(&mut self, node: NodeIndex, other: NodeIndex) {
        let root = self.root(other);
        let followers = self.behind.entry(root).or_default();
        let at = followers.iter().position(|n| *n == other).map_or(0, |at| at + 1);
        followers.insert(at, node);
        self.root.insert(node, root);
    }

    /// The regular node that this one follows; the node itself if it was not inserted.
    pub fn root(&self, node: NodeIndex) -> NodeIndex {
        self.root.get(&node).copied().unwrap_or(node)
    }

    /// The same with the nodes renumbered.
    pub fn renumbered(&self, new: impl Fn(NodeIndex) -> Option<NodeIndex>) -> Self {
        let mut renumbered = Self::default();
        for (root, followers) in &self.behind {
            let Some(root) = new(*root) else { continue };
            let followers: Vec<NodeIndex> = followers.iter().filter_map(|n| new(*n)).collect();
            renumbered.root.extend(followers.iter().map(|n| (*n, root)));
            renumbered.behind.insert(root, followers);
        }
        renumbered
    }
}

impl History {
    /// A node's place: summaries, pinned texts and context parts come before everything else, newest first; any other node
    /// is where it entered.
    pub(super) fn place(&self, node: NodeIndex) -> NodePlace {
        let root = self.inserted.root(node);
        let follower = match self.inserted.behind.get(&root) {
            Some(followers) if root != node => {
                followers.iter().position(|n| *n == node).map_or(0, |at| at + 1)
            }
            _ => 0,
        };
        let stands_for_fold = |n: &NodeIndex| self.node(*n).kind == NodeKind::Summary;
        let entered = match self.node(root).kind {
            NodeKind::Message | NodeKind::StandIn => i64::from(root.0),
            NodeKind::Summary | NodeKind::Pin | NodeKind::Part => -1 - i64::from(root.0),
            // Messages shown with a summary entered directly before it, and share its place.
            NodeKind::Retain | NodeKind::Ask => {
                let summary = (root.0..self.len() as u32).take(3).map(NodeIndex).find(stands_for_fold);
                -1 - i64::from(summary.unwrap_or(root).0)
            }
        };
        (entered, root.0, follower)
    }
}
