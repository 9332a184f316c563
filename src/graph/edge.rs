use serde::{Deserialize, Serialize};

/// What an edge between two nodes says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgeKind {
    /// The second comes after the first in the conversation. Blocking.
    Sequence,
    /// The second needs the first. Blocking; a view that has the second has the first, however few turns it may take.
    Dependency,
    /// The second begins a lane that was forked off at the first, or is what came back from such a lane. Not blocking.
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

    /// Whether the second node waits for the first.
    pub const fn is_blocking(self) -> bool {
        matches!(self, Self::Sequence | Self::Dependency)
    }
}

/// An edge between two nodes; never one of a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    pub from: u32,
    pub to: u32,
    pub kind: EdgeKind,
}
