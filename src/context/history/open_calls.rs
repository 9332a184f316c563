//! Calls that wait for their outputs.

use crate::context::node::NodeIndex;
use crate::context::renumbering::Renumbering;
use crate::saved::saved;
use crate::sorted::SortedMap;

/// A call that waits for its output.
#[derive(Debug, Clone, Copy)]
pub struct OpenCall {
    pub(super) caller: NodeIndex,
    pub(super) stand_in: Option<NodeIndex>,
}

impl OpenCall {
    /// The same call in a branch of the conversation; `None` if it was not made there.
    pub fn renumbered(self, new: &Renumbering) -> Option<Self> {
        let caller = new.of(self.caller)?;
        Some(Self { caller, stand_in: self.stand_in.and_then(|n| new.of(n)) })
    }
}

saved!(struct OpenCall { caller, stand_in });

/// Waiting calls by their id.
pub type OpenCalls = SortedMap<String, OpenCall>;
