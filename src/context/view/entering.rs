//! How messages enter a view, and how they leave it for good.

use super::View;
use crate::context::history::History;
use crate::context::node::{NodeIndex, NodeKind, NodeSet};
use crate::context::slot::Slot;
use crate::growing::append;
use crate::message::{Message, Role};

impl View {
    /// Appends to the header. Only used while there is no conversation, or after all of it was taken out.
    pub fn push_header(&mut self, slot: Slot) {
        self.sums.add(&slot);
        // Context parts and pinned texts may already come after the header.
        let is_followed = !self.parts.is_empty() || !self.body.is_empty();
        if is_followed || self.changed_from.is_some() {
            self.before_edit(self.header.len());
            self.fixed_changed = true;
            self.edited = Some(0);
        }
        // Readers that saw the view before count body positions from the end of the header.
        if is_followed || self.changes.version() > 0 {
            self.changes.edit_header();
        }
        self.header.push(slot);
    }

    /// Adds a message: at the end, except for a tool output whose call is further up. That goes to the step of its call, so
    /// that no message of another role is between a call and its output, even if such a message comes back into the view
    /// later. Returns the message it was inserted after, or `None` if it went to the end.
    pub fn push(&mut self, slot: Slot, caller: Option<NodeIndex>, history: &History) -> Option<NodeIndex> {
        let step = caller.filter(|caller| !self.ends_in_step(*caller, slot.node, history));
        let step = step.and_then(|caller| self.end_of_step(caller, history));
        let (at, answer) = step.unwrap_or((self.body.len(), slot.node));
        let is_last = at == self.body.len();
        let behind = at.checked_sub(1).map(|before| self.body[before].node);
        let behind = behind.filter(|_| !is_last || self.message_between(answer, slot.node, history));
        self.sums.add(&slot);
        self.ephemeral.enter(&slot);
        let place = if behind.is_some() { self.place_after(at) } else { self.order.len() };
        if place == self.order.len() {
            append(&mut self.order, slot.node);
        } else {
            self.order.insert(place, slot.node);
        }
        if is_last {
            append(&mut self.body, slot);
            self.add_trimmable(at);
        } else {
            self.before_edit_in_body(at);
            self.body.insert(at, slot);
            self.shift_trimmable(at, 1);
            self.touch(at);
        }
        behind
    }

    /// Whether the body ends with the preceding output of the same caller. Then nothing has to be searched for, so that the
    /// cost of parallel calls is linear in their number.
    fn ends_in_step(&self, caller: NodeIndex, node: NodeIndex, history: &History) -> bool {
        let last = self.body.last().map(|slot| slot.node);
        last.is_some_and(|last| {
            last.0 + 1 == node.0
                && history.caller(last) == Some(caller)
                && self.order.last() == Some(&last)
                && history.root(last) == last
        })
    }

    /// Whether another message was said between two messages, whether the view shows it or not. A header that the caller set
    /// in between does not count.
    pub(in crate::context) fn message_between(
        &self,
        one: NodeIndex,
        other: NodeIndex,
        history: &History,
    ) -> bool {
        (one.0 + 1..other.0).map(NodeIndex).any(|n| {
            let node = history.node(n);
            let is_part_of_view = || {
                node.folded_by.is_some()
                    || self.dropped.contains_key(&n)
                    || self.merged.contains(&n)
                    || self.position(n).is_some()
            };
            let is_message = node.kind == NodeKind::Message && !answers(&node.message);
            is_message && !history.is_superseded(n) && is_part_of_view()
        })
    }

    /// The end of the outputs that answer the assistant message `caller`, and the last message of the answer it belongs to;
    /// `None` if it is not in the body.
    fn end_of_step(&self, caller: NodeIndex, history: &History) -> Option<(usize, NodeIndex)> {
        let shown = |at: usize| self.body.get(at).map(|s| (s.node, &*s.message));
        Some(self.step_from(self.position(caller)?, shown, history))
    }

    /// The same, counted over the body and everything dropped from it.
    pub(super) fn end_of_step_in_order(
        &self,
        caller: NodeIndex,
        history: &History,
    ) -> Option<(usize, NodeIndex)> {
        let pushed = |at: usize| self.order.get(at).map(|n| (*n, &*history.node(*n).message));
        Some(self.step_from(self.order.iter().rposition(|n| *n == caller)?, pushed, history))
    }

    /// The end of the step whose call is at position `caller` of a list, and the last message of the answer.
    fn step_from<'a>(
        &self,
        caller: usize,
        list: impl Fn(usize) -> Option<(NodeIndex, &'a Message)>,
        history: &History,
    ) -> (usize, NodeIndex) {
        let mut end = caller + 1;
        let mut answer = list(caller).map_or(NodeIndex(0), |(node, _)| node);
        // If items or chunks were pushed one by one, one answer is in adjacent assistant messages: its calls, and what it says
        // behind them.
        while let Some((next, _)) = list(end).filter(|(_, m)| m.role == Role::Assistant)
            && !self.message_between(answer, next, history)
        {
            answer = next;
            end += 1;
        }
        while list(end).is_some_and(|(_, m)| answers(m)) {
            end += 1;
        }
        (end, answer)
    }

    /// Inserts slots at a body position.
    pub fn insert(&mut self, at: usize, slots: Vec<Slot>) {
        for slot in &slots {
            self.sums.add(slot);
            self.ephemeral.enter(slot);
        }
        self.before_edit_in_body(at);
        let place = self.place_before(at);
        self.order.splice(place..place, slots.iter().map(|s| s.node));
        let count = slots.len();
        self.body.splice(at..at, slots);
        self.shift_trimmable(at, count);
        self.touch(at);
    }

    /// Removes a node for good.
    pub fn remove(&mut self, node: NodeIndex) {
        if let Some(place) = self.order.iter().rposition(|n| *n == node) {
            self.order.remove(place);
        }
        if let Some(slot) = self.dropped.remove(&node) {
            self.dropped_tokens -= slot.tokens();
        } else if let Some(at) = self.position(node) {
            self.before_edit_in_body(at);
            let slot = self.body.remove(at);
            self.sums.remove(&slot);
            self.list_trimmable_from(at);
            self.touch(at);
        }
    }

    /// Removes nodes for good.
    pub fn remove_all(&mut self, nodes: &NodeSet) {
        if !self.take_from_body(nodes).is_empty() {
            self.order.retain(|n| !nodes.contains(n));
        }
    }
}

/// Whether a message may come between a call and its output: another output, or the answer to a tool approval request.
fn answers(message: &Message) -> bool {
    message.role == Role::Tool || message.answers_approvals()
}
