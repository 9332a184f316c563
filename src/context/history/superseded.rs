//! A past that the caller rewrote or rewound.

use super::History;
use super::open_calls::{OpenCall, OpenCalls};
use crate::context::node::{Node, NodeIndex, NodeKind};

/// What [`History::supersede`] changed.
#[derive(Debug)]
pub struct Superseded {
    nodes: Vec<NodeIndex>,
    open_calls: OpenCalls,
}

impl History {
    /// Marks nodes of a past that the caller rewrites: their ids may be used again, their calls no longer wait, and earlier
    /// calls that only they answered wait again.
    pub fn supersede(&mut self, removed: &[NodeIndex]) -> Superseded {
        let now = self.nodes.len();
        let mut nodes: Vec<NodeIndex> = removed.iter().copied().filter(|n| !self.is_superseded(*n)).collect();
        crate::sorting::sort(&mut nodes);
        nodes.dedup();
        self.pushed_tokens -= nodes.iter().map(|n| self.pushed_tokens_of(*n)).sum::<u64>();
        self.superseded.extend(nodes.iter().map(|n| (*n, now)));
        self.touched.extend(nodes.iter().copied());
        let before = Superseded { nodes, open_calls: self.open_calls.clone() };
        self.open_calls.retain(|call| !self.superseded.contains_key(&call.caller));
        for node in &before.nodes {
            let Some(caller) = self.caller(*node).filter(|caller| !self.is_superseded(*caller)) else {
                continue;
            };
            let Node { kind, message, .. } = &self.nodes[node.get()];
            for output in message.tool_outputs() {
                let open = OpenCall::of(caller);
                if *kind != NodeKind::StandIn {
                    self.open_calls.insert(output.call_id.clone(), open);
                } else if let Some(call) = self.open_calls.get_mut(&output.call_id)
                    && call.caller == caller
                {
                    *call = open; // the stand-in's output may have come, and stay
                }
            }
        }
        before
    }

    /// Whether the node belongs to a past that the caller rewrote or rewound.
    pub fn is_superseded(&self, index: NodeIndex) -> bool {
        self.superseded.contains_key(&index)
    }

    /// How many nodes there were when the node was superseded.
    pub fn superseded_at(&self, index: NodeIndex) -> Option<usize> {
        self.superseded.get(&index).copied()
    }

    /// Undoes [`History::supersede`].
    pub fn reinstate(&mut self, before: Superseded) {
        self.touched.extend(before.nodes.iter().copied());
        for node in before.nodes {
            self.superseded.remove(&node);
            self.pushed_tokens += self.pushed_tokens_of(node);
        }
        self.open_calls = before.open_calls;
    }
}
