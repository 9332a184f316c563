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
    /// Header and context parts, if they changed.
    fixed: Option<(Vec<SlotChange>, Vec<SlotChange>)>,
    hidden_parts: Option<Vec<SlotChange>>,
    body: ListEdit<SlotChange>,
    order: ListEdit<NodeIndex>,
    dropped: MapEdit<NodeIndex, SlotChange>,
    pruned: MapEdit<NodeIndex, SlotChange>,
    outputs: ListEdit<usize>,
}

saved!(struct ViewChanges { fixed, hidden_parts, body, order, dropped, pruned, outputs });

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
        let Self { fixed, hidden_parts, body, order, dropped, pruned, outputs } = self;
        fixed.is_some()
            || hidden_parts.is_some()
            || !(body.is_empty() && order.is_empty() && dropped.is_empty())
            || !(pruned.is_empty() && outputs.is_empty())
    }
}

/// Whether a slot is unchanged.
fn same(before: &Slot, now: &Slot) -> bool {
    before.node == now.node
        && Arc::ptr_eq(&before.message, &now.message)
        && (before.tally, before.part, before.form) == (now.tally, now.part, now.form)
}

fn all_same(before: &[Slot], now: &[Slot]) -> bool {
    before.len() == now.len() && before.iter().zip(now).all(|(before, now)| same(before, now))
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
        let change = |slot: Slot| SlotChange::of(&slot, history);
        let all_told = |slots: &[Slot]| slots.iter().map(|slot| SlotChange::of(slot, history)).collect();
        let (before_body, grown) = (mark.header + mark.parts, self.before_body() != mark.header + mark.parts);
        let (fixed, body) = if self.was_appended_to(&mark.slots) && !grown {
            let known = mark.slots.len - before_body;
            (None, ListEdit::append(known, self.body[known..].to_vec()))
        } else {
            let before = self.slots_at(&mark.slots);
            let (fixed, body) = before.split_at(before_body);
            let (header, parts) = fixed.split_at(mark.header);
            let others = !all_same(header, &self.header) || !all_same(parts, &self.parts);
            let fixed = others.then(|| (all_told(&self.header), all_told(&self.parts)));
            (fixed, ListEdit::between(body, &self.body, same))
        };
        let hidden = !all_same(&mark.hidden_parts, &self.hidden_parts);
        let dropped = if self.dropped.is(&mark.dropped) {
            MapEdit::none()
        } else {
            MapEdit::between(&mark.dropped, &self.dropped, same)
        };
        let outputs: Vec<usize> = self.outputs.iter().copied().collect();
        ViewChanges {
            fixed,
            hidden_parts: hidden.then(|| all_told(&self.hidden_parts)),
            body: body.map(change),
            order: ListEdit::between(&mark.order, &self.order, |before, now| before == now),
            dropped: dropped.map(change),
            pruned: MapEdit::between(&mark.pruned, &self.pruned, same).map(change),
            outputs: ListEdit::between(&mark.outputs, &outputs, |before, now| before == now),
        }
    }

    /// Whether changes only append messages.
    pub(in crate::context) fn only_grows(&self, changes: &ViewChanges) -> bool {
        let ViewChanges { fixed, hidden_parts, body, order, dropped, pruned, outputs: _ } = changes;
        let grows = body.appends_to(self.body.len()) && order.appends_to(self.order.len());
        grows && fixed.is_none() && hidden_parts.is_none() && dropped.is_empty() && pruned.is_empty()
    }

    /// Applies changes; [`View::complete`] then derives the rest. `None` if they belong to another view.
    pub(in crate::context) fn put_changes(&mut self, changes: ViewChanges, history: &History) -> Option<()> {
        let ViewChanges { fixed, hidden_parts, body, order, dropped, pruned, outputs } = changes;
        let slot = |change: SlotChange| change.slot(history);
        let slots = |changes: Vec<SlotChange>| changes.into_iter().map(slot).collect::<Option<Vec<Slot>>>();
        if fixed.is_some() {
            self.changes.edit_header();
        }
        self.changes.edit(body.front());
        if let Some((header, parts)) = fixed {
            (self.header, self.parts) = (slots(header)?, slots(parts)?);
        }
        if let Some(hidden) = hidden_parts {
            self.hidden_parts = slots(hidden)?;
        }
        let mut positions: Vec<usize> = self.outputs.take().into();
        let fits = body.try_map(slot)?.apply(&mut self.body)
            && order.apply(&mut self.order)
            && outputs.apply(&mut positions);
        self.outputs = Shared::from(VecDeque::from(positions));
        dropped.try_map(slot)?.apply(&mut self.dropped);
        pruned.try_map(slot)?.apply(&mut self.pruned);
        fits.then_some(())
    }
}
