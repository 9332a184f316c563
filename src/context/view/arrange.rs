//! Changes to the body: another form of a message, a fold, another order.

use std::sync::Arc;

use super::View;
use crate::context::node::NodeSet;
use crate::context::slot::{Form, PlacedSlot, Slot};
use crate::context::tally::Tally;
use crate::message::Message;

impl View {
    /// Shows the slot at body position `at` in another form.
    pub fn replace(&mut self, at: usize, message: Arc<Message>, tally: Tally, form: Form) {
        self.before_edit_in_body(at);
        let slot = &mut self.body[at];
        self.sums.remove(slot);
        slot.message = message;
        slot.tally = tally;
        slot.form = form;
        self.sums.add(slot);
        self.touch(at);
    }

    /// Replaces a message in header or body with the same message with other metadata.
    pub(in crate::context) fn show_renewed(&mut self, at: usize, message: Arc<Message>) {
        self.before_edit(at);
        if let Some(slot) = self.header.get_mut(at) {
            slot.message = message;
            self.changes.edit_header();
        } else if let Some(at) = at.checked_sub(self.before_body())
            && at < self.body.len()
        {
            self.body[at].message = message;
            self.changes.edit(at);
        }
    }

    /// The body including what was dropped from it, in order, in its current form.
    pub fn placed_slots(&self) -> impl Iterator<Item = PlacedSlot> + '_ {
        self.placed_slots_of(|_| true)
    }

    /// Those of these nodes whose form cannot be derived from the history alone.
    pub fn altered<'a>(&'a self, nodes: &'a NodeSet) -> impl Iterator<Item = PlacedSlot> + 'a {
        let is_shown_whole = |s: &Slot| s.form == Form::Whole && !self.dropped.contains_key(&s.node);
        self.placed_slots_of(move |slot| nodes.contains(&slot.node) && !is_shown_whole(slot))
    }

    fn placed_slots_of<'a>(
        &'a self,
        which: impl Fn(&Slot) -> bool + 'a,
    ) -> impl Iterator<Item = PlacedSlot> + 'a {
        let shown = |slot: &Slot| !self.dropped.contains_key(&slot.node);
        let slots = self.with_dropped().into_iter().filter(move |slot| which(slot));
        slots.map(move |slot| PlacedSlot { slot: slot.clone(), shown: shown(slot) })
    }

    /// Replaces the body and the dropped messages with these, in this order.
    pub fn arrange(&mut self, placed: Vec<PlacedSlot>) {
        self.order = placed.iter().map(|s| s.slot.node).collect();
        let (shown, dropped): (Vec<PlacedSlot>, Vec<PlacedSlot>) = placed.into_iter().partition(|s| s.shown);
        self.dropped = dropped.into_iter().map(|s| (s.slot.node, s.slot)).collect();
        self.hides_requests |= self.dropped.values().any(Slot::opens_turn);
        self.dropped_tokens = self.dropped.values().map(Slot::tokens).sum();
        let is_same = |(old, new): &(&Slot, &PlacedSlot)| {
            old.node == new.slot.node && Arc::ptr_eq(&old.message, &new.slot.message)
        };
        let same = self.body.iter().zip(&shown).take_while(is_same).count();
        let changed = same < self.body.len().max(shown.len());
        self.before_edit_in_body(same);
        for slot in self.body.drain(same..) {
            self.sums.remove(&slot);
        }
        for PlacedSlot { slot, .. } in shown.into_iter().skip(same) {
            self.sums.add(&slot);
            self.ephemeral.enter(&slot);
            self.body.push(slot);
        }
        if changed {
            self.list_trimmable_from(same);
            self.touch(same);
        }
    }

    /// Removes the `folded` nodes and inserts `with` at position `at` of what is left: before everything else (COMP-7), so
    /// that a view that begins with a fold begins with a user message; or behind earlier folds.
    pub fn fold(&mut self, folded: &NodeSet, with: Vec<Slot>, at: usize) {
        let first = self.body.iter().position(|s| folded.contains(&s.node)).unwrap_or(self.body.len());
        self.before_edit_in_body(first.min(at));
        for slot in self.body.iter().filter(|s| folded.contains(&s.node)) {
            self.sums.remove(slot);
        }
        for slot in &with {
            self.sums.add(slot);
        }
        self.order.retain(|n| !folded.contains(n));
        self.dropped.retain(|n, _| !folded.contains(n));
        self.dropped_tokens = self.dropped.values().map(Slot::tokens).sum();
        self.body.retain(|s| !folded.contains(&s.node));
        let place = self.place_after(at);
        self.order.splice(place..place, with.iter().map(|s| s.node));
        self.body.splice(at..at, with);
        self.list_trimmable_from(first.min(at));
        self.touch(first.min(at));
    }

    /// The position in the order directly before body position `at`.
    pub(super) fn place_before(&self, at: usize) -> usize {
        let node = self.body.get(at).map(|s| s.node);
        node.and_then(|node| self.order.iter().rposition(|n| *n == node)).unwrap_or(self.order.len())
    }

    /// The position in the order directly behind the slot before body position `at`.
    pub(super) fn place_after(&self, at: usize) -> usize {
        let node = at.checked_sub(1).and_then(|before| self.body.get(before)).map(|s| s.node);
        node.and_then(|node| self.order.iter().rposition(|n| *n == node)).map_or(0, |place| place + 1)
    }
}
