//! Where a node stands among all others, whether the view shows them now or not.
//!
//! Every node has one place: where it entered; before everything else if it stands for a fold; behind its call if it is an
//! output that came late. A fold remembers how its members stood if they were not whole. So unfolding puts everything back
//! where it stood, in any order of folds and unfolds, and a rewind or a rewritten past undoes folds in the same way.

use std::collections::{BTreeMap, HashMap};

use super::history::History;
use super::node::{NodeIndex, NodeKind};
use crate::error::Result;
use crate::saved::{Reader, Saved, Writer};

/// Nodes that did not enter behind all others: an output that came late goes to its call, a summary may stand behind another.
#[derive(Debug, Clone, Default)]
pub(super) struct Late {
    /// In their order, by the node that was last of its own accord before them.
    behind: BTreeMap<NodeIndex, Vec<NodeIndex>>,
    root: HashMap<NodeIndex, NodeIndex>,
}

/// A node's place: these compare as the nodes stand.
pub(super) type NodePlace = (i64, u32, usize);

impl Saved for Late {
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

impl Late {
    /// Every node that it tells of.
    pub fn nodes(&self) -> impl Iterator<Item = &NodeIndex> {
        self.behind.iter().flat_map(|(root, followers)| std::iter::once(root).chain(followers))
    }

    /// Remembers that `node` entered right behind `other`.
    pub fn enter(&mut self, node: NodeIndex, other: NodeIndex) {
        let root = self.root(other);
        let followers = self.behind.entry(root).or_default();
        let at = followers.iter().position(|n| *n == other).map_or(0, |at| at + 1);
        followers.insert(at, node);
        self.root.insert(node, root);
    }

    /// The node of whose own accord this one stands where it stands.
    pub fn root(&self, node: NodeIndex) -> NodeIndex {
        self.root.get(&node).copied().unwrap_or(node)
    }

    /// The same nodes under other numbers.
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
    /// Where a node stands: what stands for a fold, and pinned texts, before all else and the newest first; anything else
    /// where it entered.
    pub(super) fn place(&self, node: NodeIndex) -> NodePlace {
        let root = self.late.root(node);
        let follower = match self.late.behind.get(&root) {
            Some(followers) if root != node => {
                followers.iter().position(|n| *n == node).map_or(0, |at| at + 1)
            }
            _ => 0,
        };
        let stands_for_fold = |n: &NodeIndex| self.node(*n).kind == NodeKind::Summary;
        let entered = match self.node(root).kind {
            NodeKind::Message | NodeKind::StandIn => i64::from(root.0),
            NodeKind::Summary | NodeKind::Pin | NodeKind::Part => -1 - i64::from(root.0),
            // What stands beside a summary entered right before it.
            NodeKind::Retain | NodeKind::Ask => {
                let beside = (root.0..self.len() as u32).take(3).map(NodeIndex).find(stands_for_fold);
                -1 - i64::from(beside.unwrap_or(root).0)
            }
        };
        (entered, root.0, follower)
    }
}
