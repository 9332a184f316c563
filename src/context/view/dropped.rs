//! What passes took out of the body without a fold.

use std::sync::Arc;

use super::View;
use crate::context::history::History;
use crate::context::node::{NodeIndex, NodeSet};
use crate::context::shared::Shared;
use crate::context::slot::Slot;
use crate::message::Message;

impl View {
    /// Takes nodes out of the body and remembers their places.
    pub fn drop_nodes(&mut self, nodes: &NodeSet) {
        let dropped = self.take_from_body(nodes);
        if dropped.is_empty() {
            return;
        }
        for slot in &dropped {
            self.dropped_tokens += slot.tokens();
            self.hides_requests |= slot.opens_turn();
        }
        self.dropped.extend(dropped.into_iter().map(|slot| (slot.node, slot)));
    }

    /// Takes nodes out of the body.
    pub(super) fn take_from_body(&mut self, nodes: &NodeSet) -> Vec<Slot> {
        let mut taken = Vec::new();
        let Some(first) = self.first_position(nodes) else { return taken };
        self.before_edit_in_body(first);
        for slot in self.body.split_off(first) {
            if nodes.contains(&slot.node) {
                self.sums.remove(&slot);
                taken.push(slot);
            } else {
                self.body.push(slot);
            }
        }
        self.list_trimmable_from(first);
        self.touch(first);
        taken
    }

    /// Adds an output directly to the dropped messages, at the end of the step of `caller`, whose calls are not shown.
    /// Returns the message it was inserted after, or `None` if it went to the end.
    pub fn enter_dropped(&mut self, slot: Slot, caller: NodeIndex, history: &History) -> Option<NodeIndex> {
        let step = self.end_of_step_in_order(caller, history);
        let (place, answer) = step.unwrap_or((self.order.len(), slot.node));
        let is_last = place == self.order.len();
        let behind = place.checked_sub(1).map(|before| self.order[before]);
        let behind = behind.filter(|_| !is_last || self.message_between(answer, slot.node, history));
        self.order.insert(place, slot.node);
        self.dropped_tokens += slot.tokens();
        self.dropped.insert(slot.node, slot);
        behind
    }

    /// Brings dropped nodes back to their places.
    pub fn restore(&mut self, nodes: &NodeSet) {
        self.before_edit_in_body(0);
        let mut body = self.body.take().into_iter();
        for node in self.order.iter() {
            let Some(slot) = self.dropped.get(node) else {
                self.body.extend(body.next());
                continue;
            };
            if nodes.contains(node) {
                self.sums.add(slot);
                self.ephemeral.enter(slot);
                self.dropped_tokens -= slot.tokens();
                self.body.push(slot.clone());
            }
        }
        self.dropped.retain(|node, _| !nodes.contains(node));
        let first = self.body.iter().position(|s| nodes.contains(&s.node)).unwrap_or(self.body.len());
        self.list_trimmable();
        self.touch(first);
    }

    /// Replaces the slot of a dropped message if its message is still `before`.
    pub(in crate::context) fn replace_dropped(&mut self, slot: Slot, before: &Arc<Message>) {
        if let Some(there) = self.dropped.get_mut(&slot.node)
            && Arc::ptr_eq(&there.message, before)
        {
            self.dropped_tokens = self.dropped_tokens - there.tokens() + slot.tokens();
            *there = slot;
        }
    }

    /// Replaces every stored copy of an erased message with `slot`, if `was` accepts it.
    pub(in crate::context) fn erase_kept(&mut self, slot: &Slot, was: &dyn Fn(&Slot) -> bool) {
        if let Some(there) = self.dropped.get(&slot.node).filter(|there| was(there)) {
            self.dropped_tokens = self.dropped_tokens - there.tokens() + slot.tokens();
            self.dropped.insert(slot.node, slot.clone());
        }
        if self.pruned.get(&slot.node).is_some_and(was) {
            self.pruned.remove(&slot.node);
        }
        for hidden in self.hidden_parts.iter_mut().filter(|hidden| hidden.node == slot.node) {
            *hidden = slot.clone();
        }
    }

    /// The slot of a node that a pass took out of the body.
    pub fn dropped(&self, node: NodeIndex) -> Option<&Slot> {
        self.dropped.get(&node)
    }

    /// Every node that a pass took out of the body and that no fold replaced.
    pub fn dropped_nodes(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        self.dropped.keys().copied()
    }

    /// Tokens of what passes took out of the body, in the form it had there.
    pub fn dropped_tokens(&self) -> u64 {
        self.dropped_tokens
    }

    /// The nodes of [`View::with_dropped`], in order.
    pub(in crate::context) fn order(&self) -> &Shared<Vec<NodeIndex>> {
        &self.order
    }

    /// The body including what was dropped from it, in order.
    pub fn with_dropped(&self) -> Vec<&Slot> {
        if self.dropped.is_empty() {
            return self.body.iter().collect();
        }
        let mut body = self.body.iter();
        let slot = |n: &NodeIndex| self.dropped.get(n).or_else(|| body.next());
        self.order.iter().filter_map(slot).collect()
    }

    /// The same from a body position on, and how many nodes come before.
    pub(in crate::context) fn with_dropped_from(&self, at: usize) -> (usize, Vec<&Slot>) {
        let first = self.body.get(at).filter(|_| at > 0).map(|slot| slot.node);
        let Some(before) = first.and_then(|node| self.order.iter().rposition(|n| *n == node)) else {
            return (0, self.with_dropped());
        };
        let mut body = self.body[at..].iter();
        let slot = |n: &NodeIndex| self.dropped.get(n).or_else(|| body.next());
        (before, self.order[before..].iter().filter_map(slot).collect())
    }
}
