//! A view that was read.

use std::cell::RefCell;

use super::View;
use super::sums::Sums;
use crate::context::slot::Slot;
use crate::error::Result;
use crate::saved::{Kind, saved};

saved!(place View {
    tools, changed_from, edited, fixed_changed, marked_tokens, parts_changed_from, marked_body, merged, ephemeral, cut_to,
} but {
    header, parts, hidden_parts, body, order, dropped, outputs, pruned, // as edits: see `ViewChanges`
    dropped_tokens, hides_requests, sums, exchanges, // derived from these
    epochs, changes, // matter only to readers of this view in memory
});

impl View {
    /// Checks what was read, and updates the sums for everything behind the first `known` messages.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub(in crate::context) fn complete(&mut self, from: &Kind, known: usize) -> Result<()> {
        self.dropped_tokens = self.dropped.values().map(Slot::tokens).sum();
        self.hides_requests = self.dropped.values().any(Slot::opens_turn);
        self.exchanges = RefCell::default();
        if known == 0 {
            self.sums = Sums::over(self.header.iter().chain(&self.parts));
        }
        for slot in &self.body[known..] {
            self.sums.add(slot);
        }
        let len = self.body.len();
        let within = |at: &Option<usize>| at.is_none_or(|at| at <= len);
        let positions =
            within(&self.changed_from) && within(&self.edited) && self.outputs.iter().all(|at| *at < len);
        let parts = self.parts_changed_from.is_none_or(|at| at <= self.parts.len());
        from.require(positions && parts && self.tools < 1 << 40, "a place in the view does not exist")?;
        let mut shown = self.body.iter().map(|s| s.node).peekable();
        let in_order =
            self.order.iter().all(|n| self.dropped.contains_key(n) || shown.next_if_eq(n).is_some());
        let all = shown.peek().is_none() && self.order.len() == len + self.dropped.len();
        from.require(in_order && all, "the view's order does not match its messages")
    }
}
