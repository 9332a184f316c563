//! What changed in a view since the session was last saved.

use std::collections::VecDeque;
use std::sync::Arc;

use super::View;
use super::snapshot::Snapshot;
use crate::context::history::History;
use crate::context::node::NodeIndex;
use crate::context::part_name::PartName;
use crate::context::shared::Shared;
use crate::context::slot::{Form, Slot};
use crate::context::tally::Tally;
use crate::message::Message;
use crate::saved::{ListEdit, MapEdit, saved};
use crate::sorted::SortedMap;

/// A saved view, as far as it is needed to find out what changed since. Messages are compared by reference.
#[derive(Debug, Default)]
pub struct ViewMark {
    slots: Snapshot,
    header: usize,
    parts: usize,
    order: Vec<NodeIndex>,
    dropped: Shared<SortedMap<NodeIndex, Slot>>,
    pruned: SortedMap<NodeIndex, Slot>,
    hidden_parts: Vec<Slot>,
    outputs: Vec<usize>,
}

/// A slot as it is saved. If its message is that of its node, the message is not written again.
#[derive(Debug, Clone)]
pub struct SlotChange {
    node: NodeIndex,
    /// `None`: the node's own message.
    message: Option<Arc<Message>>,
    tally: Tally,
    part: PartName,
    form: Form,
}

saved!(struct SlotChange { node, message, tally, part, form });

/// What changed in a view.
#[derive(Debug)]
pub struct ViewChanges {
    header: ListEdit<SlotChange>,
    parts: ListEdit<SlotChange>,
    hidden_parts: ListEdit<SlotChange>,
    body: ListEdit<SlotChange>,
    order: ListEdit<NodeIndex>,
    dropped: MapEdit<NodeIndex, SlotChange>,
    pruned: MapEdit<NodeIndex, SlotChange>,
    outputs: ListEdit<usize>,
}

saved!(struct ViewChanges { header, parts, hidden_parts, body, order, dropped, pruned, outputs });

impl SlotChange {
    pub fn of(slot: &Slot, history: &History) -> Self {
        let is_nodes = Arc::ptr_eq(&slot.message, &history.node(slot.node).message);
        Self {
            node: slot.node,
            message: (!is_nodes).then(|| slot.message.clone()),
            tally: slot.tally,
            part: slot.part,
            form: slot.form,
        }
    }

    /// The slot; `None` if its node does not exist.
    pub fn slot(self, history: &History) -> Option<Slot> {
        let Self { node, message, tally, part, form } = self;
        let known = history.nodes().get(node.get())?;
        Some(Slot { node, message: message.unwrap_or_else(|| known.message.clone()), tally, part, form })
    }
}

impl ViewChanges {
    /// Whether anything changed.
    pub fn is_any(&self) -> bool {
        let Self { header, parts, hidden_parts, body, order, dropped, pruned, outputs } = self;
        let slots = [header, parts, hidden_parts, body].into_iter().all(ListEdit::is_empty);
        let others = order.is_empty() && outputs.is_empty();
        !(slots && others && dropped.is_empty() && pruned.is_empty())
    }
}

/// Whether a slot is unchanged.
fn same(before: &Slot, now: &Slot) -> bool {
    before.node == now.node
        && Arc::ptr_eq(&before.message, &now.message)
        && (before.tally, before.part, before.form) == (now.tally, now.part, now.form)
}

impl View {
    /// The view as it is saved now.
    pub(in crate::context) fn mark_saved(&self) -> ViewMark {
        ViewMark {
            slots: self.snapshot(),
            header: self.header.len(),
            parts: self.parts.len(),
            order: self.order.to_vec(),
            dropped: self.dropped.clone(),
            pruned: self.pruned.clone(),
            hidden_parts: self.hidden_parts.clone(),
            outputs: self.outputs.iter().copied().collect(),
        }
    }

    /// What changed since the view was saved.
    pub(in crate::context) fn changes_since(&self, mark: &ViewMark, history: &History) -> ViewChanges {
        let change = |slot: &Slot| SlotChange::of(slot, history);
        let edit = |before: &[Slot], now: &[Slot]| ListEdit::between(before, now, same).map(change);
        let before_body = mark.header + mark.parts;
        let (header, parts, body) = if self.was_appended_to(&mark.slots) && self.before_body() == before_body
        {
            let known = mark.slots.len - before_body;
            let appended =
                |len: usize, all: &[Slot]| ListEdit::append(len, all[len..].iter().map(change).collect());
            (
                appended(mark.header, &self.header),
                appended(mark.parts, &self.parts),
                appended(known, &self.body),
            )
        } else {
            let before = self.slots_at(&mark.slots);
            let (fixed, body) = before.split_at(before_body);
            let (header, parts) = fixed.split_at(mark.header);
            (edit(header, &self.header), edit(parts, &self.parts), edit(body, &self.body))
        };
        let dropped = if self.dropped.is(&mark.dropped) {
            MapEdit::none()
        } else {
            MapEdit::between(&mark.dropped, &self.dropped, same)
        };
        let outputs: Vec<usize> = self.outputs.iter().copied().collect();
        ViewChanges {
            header,
            parts,
            hidden_parts: edit(&mark.hidden_parts, &self.hidden_parts),
            body,
            order: ListEdit::from_to(&mark.order, &self.order),
            dropped: dropped.map(change),
            pruned: MapEdit::between(&mark.pruned, &self.pruned, same).map(change),
            outputs: ListEdit::from_to(&mark.outputs, &outputs),
        }
    }

    /// Whether changes only append messages.
    pub(in crate::context) fn only_grows(&self, changes: &ViewChanges) -> bool {
        let ViewChanges { header, parts, hidden_parts, body, order, dropped, pruned, outputs: _ } = changes;
        let grows = body.appends_to(self.body.len()) && order.appends_to(self.order.len());
        let others = [header, parts, hidden_parts].into_iter().all(ListEdit::is_empty);
        grows && others && dropped.is_empty() && pruned.is_empty()
    }

    /// Applies changes; [`View::complete`] then derives the rest. `None` if they belong to another view.
    pub(in crate::context) fn put_changes(&mut self, changes: ViewChanges, history: &History) -> Option<()> {
        let ViewChanges { header, parts, hidden_parts, body, order, dropped, pruned, outputs } = changes;
        let slot = |change: SlotChange| change.slot(history);
        if !(header.is_empty() && parts.is_empty()) {
            self.changes.edit_header();
        }
        self.changes.edit(body.front());
        let mut positions: Vec<usize> = self.outputs.take().into();
        let fits = header.try_map(slot)?.apply(&mut self.header)
            && parts.try_map(slot)?.apply(&mut self.parts)
            && hidden_parts.try_map(slot)?.apply(&mut self.hidden_parts)
            && body.try_map(slot)?.apply(&mut self.body)
            && order.apply(&mut self.order)
            && outputs.apply(&mut positions);
        self.outputs = Shared::from(VecDeque::from(positions));
        dropped.try_map(slot)?.apply(&mut self.dropped);
        pruned.try_map(slot)?.apply(&mut self.pruned);
        fits.then_some(())
    }
}
