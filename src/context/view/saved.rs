//! A view in a snapshot. A message that stands as it was pushed was written with the history, and is the same one again.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::{Form, Slot, View};
use crate::context::changes::Changes;
use crate::context::node::NodeIndex;
use crate::context::shared::Shared;
use crate::context::snapshot::Epochs;
use crate::context::tally::Sums;
use crate::error::Result;
use crate::saved::{Reader, Saved, Writer, saved};

saved!(
    enum Form {
        Whole,
        Cut,
        Placeholder,
        Shortened,
        Compressed,
        Stripped,
        Truncated,
        Pointer,
        Unbound,
        Merged,
        MediaTrimmed,
    }
);

saved!(struct Slot { node, message, tally, part, form });

impl Saved for View {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        // What is not saved is summed up anew. Epochs and changes are for those who look at the view now.
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
        let header: Vec<Slot> = Saved::load(from)?;
        let body: Shared<Vec<Slot>> = Saved::load(from)?;
        let dropped: Shared<BTreeMap<NodeIndex, Slot>> = Saved::load(from)?;
        let mut view = Self {
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
            dropped_tokens: dropped.values().map(Slot::tokens).sum(),
            hides_requests: dropped.values().any(Slot::opens_turn),
            sums: Sums::default(),
            epochs: Epochs::default(),
            changes: Changes::default(),
            exchanges: RefCell::default(),
            header,
            body,
            dropped,
        };
        for slot in view.header.iter().chain(&view.parts).chain(view.body.iter()) {
            view.sums.add(slot);
        }
        let len = view.body.len();
        let within = |at: &Option<usize>| at.is_none_or(|at| at <= len);
        let positions =
            within(&view.changed_from) && within(&view.edited) && view.outputs.iter().all(|at| *at < len);
        let parts = view.parts_changed_from.is_none_or(|at| at <= view.parts.len());
        from.require(positions && parts && view.tools < 1 << 40, "a place in the view is not there")?;
        let mut shown = view.body.iter().map(|s| s.node).peekable();
        let in_order =
            view.order.iter().all(|n| view.dropped.contains_key(n) || shown.next_if_eq(n).is_some());
        let all = shown.peek().is_none() && view.order.len() == len + view.dropped.len();
        from.require(in_order && all, "the view's order is not that of its messages")?;
        Ok(view)
    }
}
