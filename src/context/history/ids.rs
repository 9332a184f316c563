//! Nodes by id. The ids stand in the nodes: a table that held them, too, would take as much again as a short message says.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use crate::context::node::{Node, NodeIndex};

/// Finds nodes by id, of a list that it is asked with.
#[derive(Debug, Clone, Default)]
pub(in crate::context) struct Ids {
    table: HashTable<NodeIndex>,
    hasher: RandomState,
}

impl Ids {
    /// Those of the nodes behind the first `known`, too; who came later stands for an id that was given twice.
    pub fn go_on(&mut self, nodes: &[Node], known: usize) {
        for at in known..nodes.len() {
            self.insert(nodes, NodeIndex(at as u32));
        }
    }

    /// The node that has an id.
    pub fn find(&self, nodes: &[Node], id: &str) -> Option<NodeIndex> {
        let is_it = |node: &NodeIndex| *nodes[node.get()].id == *id;
        self.table.find(self.hasher.hash_one(id), is_it).copied()
    }

    /// From now on this node stands for its id.
    pub fn insert(&mut self, nodes: &[Node], node: NodeIndex) {
        let id = |node: &NodeIndex| &*nodes[node.get()].id;
        let hash = |node: &NodeIndex| self.hasher.hash_one(id(node));
        self.table.entry(hash(&node), |other| id(other) == id(&node), hash).insert(node);
    }
}
