//! A past that the caller rewrote or rewound.

use std::collections::HashSet;

use super::History;
use super::open_calls::{OpenCall, OpenCalls};
use crate::context::node::{NodeIndex, NodeKind};

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
        let nodes: Vec<NodeIndex> = removed.iter().copied().filter(|n| !self.is_superseded(*n)).collect();
        self.superseded.extend(nodes.iter().map(|n| (*n, now)));
        self.touched.extend(nodes.iter().copied());
        let before = Superseded { nodes, open_calls: self.open_calls.clone() };
        self.open_calls.retain(|_, call| !self.superseded.contains_key(&call.caller));
        // If, among these nodes, a call's output comes before any call with that id, the call itself was made earlier.
        let mut in_time = removed.to_vec();
        crate::sorting::sort(&mut in_time);
        let mut seen: HashSet<&str> = HashSet::new();
        let mut reopened: HashSet<&str> = HashSet::new();
        for message in in_time.iter().map(|n| &self.nodes[n.get()].message) {
            let answered = message.tool_outputs().map(|o| o.call_id.as_str());
            reopened.extend(answered.filter(|id| seen.insert(id)));
            seen.extend(message.tool_calls().filter(|c| !c.hosted).map(|c| c.id.as_str()));
        }
        let mut open = Vec::new();
        for (i, node) in self.nodes.iter().enumerate().rev() {
            if reopened.is_empty() {
                break;
            }
            let caller = NodeIndex(i as u32);
            if self.is_superseded(caller) {
                continue;
            }
            // If another output answers the call and stays, the call does not wait again.
            for output in node.message.tool_outputs().filter(|_| node.kind != NodeKind::StandIn) {
                reopened.remove(output.call_id.as_str());
            }
            for call in node.message.tool_calls().filter(|c| !c.hosted) {
                if reopened.remove(call.id.as_str()) {
                    open.push((call.id.clone(), OpenCall { caller, stand_in: None }));
                }
            }
        }
        self.open_calls.extend(open);
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
        }
        self.open_calls = before.open_calls;
    }
}
