//! The size of the conversation, kept as a sum because each cut asks for it.

use super::History;
use crate::context::node::{NodeIndex, NodeKind};

impl History {
    /// Tokens of all messages that were pushed and are not rewound, as they were pushed.
    pub fn pushed_tokens(&self) -> u64 {
        debug_assert_eq!(self.pushed_tokens, self.all_pushed_tokens());
        self.pushed_tokens
    }

    /// What a node adds to the sum.
    pub(super) fn pushed_tokens_of(&self, index: NodeIndex) -> u64 {
        let counts = self.node(index).kind == NodeKind::Message && !self.is_superseded(index);
        if counts { self.tally_as_pushed(index).total() } else { 0 }
    }

    /// Adds all up again, after many nodes have changed.
    pub(super) fn add_up_pushed_tokens(&mut self) {
        self.pushed_tokens = self.all_pushed_tokens();
    }

    fn all_pushed_tokens(&self) -> u64 {
        (0..self.nodes.len() as u32).map(|at| self.pushed_tokens_of(NodeIndex(at))).sum()
    }
}
