//! The lines that tell what the user said.

use crate::context::NodeIndex;

/// Where the user said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub message: NodeIndex,
    /// The entry, if the message is the record of an earlier conversation.
    pub entry: usize,
}

impl Place {
    /// A message that the user wrote.
    pub const fn of(message: NodeIndex) -> Self {
        Self { message, entry: 0 }
    }
}

/// A line that tells a message of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SaidLine {
    pub at: Place,
    pub text: String,
}
