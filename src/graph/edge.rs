use serde::{Deserialize, Serialize};

/// What an edge between two nodes means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgeKind {
    /// The second node follows the first in the conversation. Blocking.
    Sequence,
    /// The second node needs the first. Blocking. A view that contains the second always contains the first, even if its
    /// turn limit is reached.
    Dependency,
    /// The second node begins a lane that was forked from the first, or receives the result of that lane. Not blocking.
    Branch,
}

impl EdgeKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Sequence, Self::Dependency, Self::Branch];

    /// The kind's name in the public API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sequence => "sequence",
            Self::Dependency => "dependency",
            Self::Branch => "branch",
        }
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.as_str() == name)
    }

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
