use std::sync::Arc;

use super::node::Place;
use crate::sorted::SortedMap;

/// An append-only sequence of nodes: one branch of a conversation.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    pub name: Arc<str>,
    /// The node that it was forked from.
    pub origin: Option<u32>,
    /// Its nodes, in the order in which they were appended.
    pub nodes: Vec<u32>,
    /// The visible places of pinned types, by position in the lane. A summary is at the position of the first node it hides.
    pub pinned: SortedMap<u32, Place>,
    /// The edges from other lanes that a view follows: the position of the target in this lane, and the source node. Sorted
    /// by position.
    pub inflows: Vec<(u32, u32)>,
}

impl Lane {
    pub(super) fn new(name: Arc<str>, origin: Option<u32>) -> Self {
        Self { name, origin, nodes: Vec::new(), pinned: SortedMap::new(), inflows: Vec::new() }
    }
}
