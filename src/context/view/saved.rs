//! A view in a snapshot. The message of a slot that is whole is written only once, with the history.

use std::cell::RefCell;

use super::View;
use super::sums::Sums;
use crate::context::slot::Slot;
use crate::error::Result;
use crate::saved::{Reader, Saved, Writer};

impl Saved for View {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        // Skipped fields are derived again. Epochs and changes matter only to readers of this view in memory.
        let Self {
            header,
            body,
            order,
            dropped,
            dropped_tokens: _,
            hides_requests: _,
            sums: _,
            tools,
            outputs,
            changed_from,
            edited,
            fixed_changed,
            marked_tokens,
            epochs: _,
            changes: _,
            exchanges: _,
            ephemeral,
            parts,
            hidden_parts,
            parts_changed_from,
            marked_body,
            merged,
            pruned,
            cut_to,
        } = self;
        header.save(out);
        body.save(out);
        dropped.save(out);
        order.save(out);
        tools.save(out);
        outputs.save(out);
        changed_from.save(out);
        edited.save(out);
        fixed_changed.save(out);
        marked_tokens.save(out);
        parts.save(out);
        hidden_parts.save(out);
        parts_changed_from.save(out);
        marked_body.save(out);
        merged.save(out);
        pruned.save(out);
        ephemeral.save(out);
        cut_to.save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        let (header, body, dropped) = (Saved::load(from)?, Saved::load(from)?, Saved::load(from)?);
        Ok(Self {
            header,
            body,
            dropped,
            order: Saved::load(from)?,
            tools: Saved::load(from)?,
            outputs: Saved::load(from)?,
            changed_from: Saved::load(from)?,
            edited: Saved::load(from)?,
            fixed_changed: Saved::load(from)?,
            marked_tokens: Saved::load(from)?,
            parts: Saved::load(from)?,
            hidden_parts: Saved::load(from)?,
            parts_changed_from: Saved::load(from)?,
            marked_body: Saved::load(from)?,
            merged: Saved::load(from)?,
            pruned: Saved::load(from)?,
            ephemeral: Saved::load(from)?,
            cut_to: from.since(3)?,
            ..Self::default()
        })
    }
}

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
