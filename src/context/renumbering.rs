use super::node::{NodeIndex, NodeSet};

/// Maps the nodes of a conversation to those of its branch.
#[derive(Debug, Clone, Default)]
pub struct Renumbering(Vec<Option<NodeIndex>>);

impl Renumbering {
    /// Numbers the nodes that are taken along, in their order.
    pub(super) fn keeping(nodes: &NodeSet) -> Self {
        let mut numbers = Vec::new();
        for (node, number) in nodes.iter().zip(0..) {
            numbers.resize(node.get(), None);
            numbers.push(Some(NodeIndex(number)));
        }
        Self(numbers)
    }

    /// The node's number in the branch, if it was taken along.
    pub fn of(&self, node: NodeIndex) -> Option<NodeIndex> {
        self.0.get(node.get()).copied().flatten()
    }
}
