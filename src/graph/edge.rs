use crate::names::names;
use serde::{Deserialize, Serialize};

names! {
    /// What an edge between two nodes means.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum EdgeKind {
        /// The second node follows the first in the conversation. Blocking.
        Sequence = "sequence",
        /// The second node needs the first. Blocking. A view that contains the second always contains the first, even if its
        /// turn limit is reached.
        Dependency = "dependency",
        /// The second node begins a lane that was forked from the first, or receives the result of that lane. Not blocking.
        Branch = "branch",
    }
}

impl EdgeKind {
    /// Whether the second node has to wait for the first.
    pub const fn is_blocking(self) -> bool {
        matches!(self, Self::Sequence | Self::Dependency)
    }
}

/// An edge between two nodes. A summary has no edges of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    pub from: u32,
    pub to: u32,
    pub kind: EdgeKind,
}
