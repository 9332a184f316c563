//! The place of a node among all others, whether the view shows them or not.
//!
//! Every node has one place: where it entered; before everything else if it represents a fold; behind its call if it is an
//! output that came late. A fold remembers the form of members that were not whole. So unfolding puts everything back where
//! it was, in any order of folds and unfolds. Rewinding and rewriting the past undo folds in the same way.

use super::History;
use crate::context::node::{NodeIndex, NodeKind};

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
