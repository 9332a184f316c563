//! How much of a view is unchanged: for the prompt cache, and for readers that cache what they derived from it.

use super::View;
use crate::context::node::NodeIndex;
use crate::context::slot::Slot;

impl View {
    /// The first body position after an edit since this was last called.
    pub fn take_edited(&mut self) -> Option<usize> {
        self.edited.take()
    }

    /// Makes an edit that leaves later thinking valid.
    pub(in crate::context) fn edit_keeping_thinking(&mut self, edit: impl FnOnce(&mut Self)) {
        let edited = self.edited;
        edit(self);
        self.edited = edited.map(|at| at.min(self.body.len()));
    }

    /// Notes that what stands before this node is not what stood there when it was written.
    pub fn note_edit_before(&mut self, node: NodeIndex) {
        if let Some(at) = self.position(node) {
            self.edited = Some(self.edited.map_or(at, |from| from.min(at)));
        }
    }

    /// From now on, [`View::stable_prefix_tokens`] reports how much is still as it is now.
    pub fn mark(&mut self) {
        self.changed_from = None;
        self.fixed_changed = false;
        self.parts_changed_from = None;
        self.marked_tokens = self.tokens();
        self.marked_body = self.body.len();
    }

    /// The view's tokens at the last [`View::mark`].
    pub fn marked_tokens(&self) -> u64 {
        self.marked_tokens
    }

    /// Tokens at the beginning that are as they were at the last [`View::mark`].
    pub fn stable_prefix_tokens(&self) -> u64 {
        if let Some(at) = self.parts_changed_from.filter(|_| !self.fixed_changed) {
            let before = self.header.iter().chain(&self.parts[..at]).map(Slot::tokens).sum::<u64>();
            return (before + self.tools).min(self.marked_tokens);
        }
        match self.changed_from {
            _ if self.fixed_changed => 0,
            None => self.marked_tokens,
            Some(at) => self.tokens_before(at).min(self.marked_tokens), // the change may be in a message that entered after the mark
        }
    }

    /// How many messages at the beginning of the body are unchanged since the last [`View::mark`]; 0 if anything before the
    /// body changed.
    pub fn unchanged_in_body(&self) -> usize {
        if self.fixed_changed || self.parts_changed_from.is_some() {
            return 0;
        }
        self.changed_from.unwrap_or(self.marked_body).min(self.marked_body)
    }

    /// Tokens of everything before body position `at`. Sums up the shorter side.
    fn tokens_before(&self, at: usize) -> u64 {
        let of = |slots: &[Slot]| slots.iter().map(Slot::tokens).sum::<u64>();
        let (before, behind) = self.body.split_at(at.min(self.body.len()));
        if before.len() < behind.len() {
            self.fixed_tokens() + of(before)
        } else {
            self.tokens().saturating_sub(of(behind))
        }
    }

    pub(super) fn before_edit_in_body(&mut self, at: usize) {
        self.before_edit(self.before_body() + at);
    }

    pub(super) fn touch(&mut self, at: usize) {
        self.changed_from = Some(self.changed_from.map_or(at, |from| from.min(at)));
        self.edited = Some(self.edited.map_or(at, |from| from.min(at)));
        self.changes.edit(at);
    }
}
