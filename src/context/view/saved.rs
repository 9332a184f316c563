//! A view in a snapshot. The message of a slot that is whole is written only once, with the history.

use std::cell::RefCell;

use super::View;
use super::changes::Changes;
use super::snapshot::Epochs;
use super::sums::Sums;
use crate::context::slot::Slot;
use crate::error::Result;
use crate::saved::{Reader, saved};

// Fields that are made afresh are derived again. Epochs and changes matter only to readers of this view in memory.
saved!(struct View {
    header, body, dropped, order, tools, outputs, changed_from, edited, fixed_changed, marked_tokens, parts, hidden_parts,
    parts_changed_from, marked_body, merged, pruned, ephemeral, cut_to,
} fresh {
    dropped_tokens: 0,
    hides_requests: false,
    sums: Sums::default(),
    epochs: Epochs::default(),
    changes: Changes::default(),
    exchanges: RefCell::default(),
});
saved!(rest of View {
    tools, changed_from, edited, fixed_changed, marked_tokens, parts_changed_from, marked_body, merged, ephemeral, cut_to,
});

impl View {
    /// Checks what was read, and updates the sums for everything behind the first `known` messages.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub(in crate::context) fn complete(&mut self, from: &Reader<'_>, known: usize) -> Result<()> {
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
