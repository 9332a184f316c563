use std::collections::BTreeMap;
use std::sync::Arc;

use super::node::Place;

/// An append-only sequence of nodes: one line of a conversation.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    pub name: Arc<str>,
    /// The node at which it was forked off.
    pub origin: Option<u32>,
    /// Its nodes in their time.
    pub nodes: Vec<u32>,
    /// What stands in every view, as it is seen under the folds: by position, a summary at its first node's.
    pub pinned: BTreeMap<u32, Place>,
    /// The edges that a view follows into other lanes: position of the node here, and the node there. In order.
    pub inflows: Vec<(u32, u32)>,
}

impl Lane {
    pub(super) fn new(name: Arc<str>, origin: Option<u32>) -> Self {
        Self { name, origin, nodes: Vec::new(), pinned: BTreeMap::new(), inflows: Vec::new() }
    }
}
