//! Finds nodes by id. The table does not hold the ids themselves, which would take as much memory as a short message.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::context::node::{Node, NodeIndex};

/// Finds nodes by id in a list that each call passes in.
#[derive(Debug, Clone, Default)]
pub(super) struct Ids {
    table: HashTable<NodeIndex>,
    hasher: RandomState,
}

impl Ids {
    /// Adds the ids of the nodes from position `known` on. If an id was given twice, the later node gets it.
    pub fn catch_up(&mut self, nodes: &[Node], known: usize) {
        for at in known..nodes.len() {
            self.insert(nodes, NodeIndex(at as u32));
        }
    }

    /// The node with an id.
    pub fn find(&self, nodes: &[Node], id: &str) -> Option<NodeIndex> {
        let is_it = |node: &NodeIndex| *nodes[node.get()].id == *id;
        self.table.find(self.hasher.hash_one(id), is_it).copied()
    }

    /// Makes this node the one that its id refers to.
    pub fn insert(&mut self, nodes: &[Node], node: NodeIndex) {
        let id = |node: &NodeIndex| &*nodes[node.get()].id;
        let hash = |node: &NodeIndex| self.hasher.hash_one(id(node));
        self.table.entry(hash(&node), |other| id(other) == id(&node), hash).insert(node);
    }
}
