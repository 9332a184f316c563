//! The place of a node among all others, whether the view shows them or not.
//!
//! Every node has one place: where it entered; before everything else if it represents a fold; behind its call if it is an
//! output that came late. A fold remembers the form of members that were not whole. So unfolding puts everything back where
//! it was, in any order of folds and unfolds. Rewinding and rewriting the past undo folds in the same way.

use super::History;
use crate::context::node::{NodeIndex, NodeKind};
use crate::context::renumbering::Renumbering;
use crate::error::Result;
use crate::hashing::HashMap;
use crate::saved::{Reader, Saved, Writer};
use crate::sorted::SortedMap;

/// A node's place. Places compare in the order of the nodes.
pub(in crate::context) type NodePlace = (i64, u32, usize);

impl History {
    /// A node's place: summaries, pinned texts and context parts come before everything else, newest first; any other node
    /// is where it entered.
    pub(in crate::context) fn place(&self, node: NodeIndex) -> NodePlace {
        let root = self.inserted.root(node);
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
        (entered, root.0, self.inserted.rank(node))
    }
}

/// Nodes that were not added at the end: an output that came late belongs to its call, and a summary may come behind another
/// one.
#[derive(Debug, Clone, Default)]
pub(super) struct InsertedNodes {
    /// Inserted nodes in order, by the regular node that they follow, directly or through other inserted nodes (their root).
    behind: SortedMap<NodeIndex, Vec<NodeIndex>>,
    root: HashMap<NodeIndex, NodeIndex>,
}

impl Saved for InsertedNodes {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        let Self { behind, root: _ } = self;
        behind.save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let behind: SortedMap<NodeIndex, Vec<NodeIndex>> = Saved::load(from)?;
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
        let (root, at) = (self.root(other), self.rank(other));
        self.behind.or_default(root).insert(at, node);
        self.root.insert(node, root);
    }

    /// The regular node that this one follows; the node itself if it was not inserted.
    pub fn root(&self, node: NodeIndex) -> NodeIndex {
        self.root.get(&node).copied().unwrap_or(node)
    }

    /// How many inserted nodes follow the same regular node before this one, plus one; 0 if it was not inserted itself.
    pub fn rank(&self, node: NodeIndex) -> usize {
        let root = self.root(node);
        let followers = self.behind.get(&root).filter(|_| root != node);
        followers.and_then(|nodes| nodes.iter().position(|n| *n == node)).map_or(0, |at| at + 1)
    }

    /// The same in a branch of the conversation.
    pub fn renumbered(&self, new: &Renumbering) -> Self {
        let mut renumbered = Self::default();
        for (root, followers) in &self.behind {
            let Some(root) = new.of(*root) else { continue };
            let followers: Vec<NodeIndex> = followers.iter().filter_map(|n| new.of(*n)).collect();
            renumbered.root.extend(followers.iter().map(|n| (*n, root)));
            renumbered.behind.insert(root, followers);
        }
        renumbered
    }
}
