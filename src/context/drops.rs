//! Messages that passes take out of the view without a fold, and how they come back.

use std::sync::Arc;

use super::core::Context;
use super::event::EventName;
use super::node::{NodeIndex, NodeSet};
use super::slot::{Form, Slot};
use crate::message::{Message, Part, Role, steps};

impl Context {
    /// Takes nodes out of the view, with a report line for each. They must be whole units.
    pub fn drop_from_view(&mut self, nodes: &[NodeIndex], why: &'static str) {
        if nodes.is_empty() {
            return;
        }
        self.view.drop_nodes(&nodes.iter().copied().collect());
        self.note_removed(nodes, why);
    }

    /// Removes the tool calls from the assistant message at body position `at`, and the reasoning that led to them. False if
    /// it has no calls, or if nothing would be left of it.
    pub fn strip_calls(&mut self, at: usize) -> bool {
        let slot = &self.view.body()[at];
        if !slot.message.is_paired() {
            return false;
        }
        let message = without_calls(&slot.message);
        if !message.parts.iter().any(says_something) {
            return false;
        }
        let whole_without_calls = without_calls(&self.history.node(slot.node).message);
        // If its text was shortened before, it keeps that form. One that had lost only its thinking counts as stripped.
        let is_short = message != whole_without_calls && slot.form != Form::Unbound;
        let form = if is_short { slot.form } else { Form::Stripped };
        let tally = self.tally_of(&message);
        self.view.replace(at, Arc::new(message), tally, form);
        true
    }

    /// The message with the calls that were removed from it, and otherwise as the view shows it; `None` if no calls were
    /// removed.
    pub fn with_calls(&self, slot: &Slot) -> Option<Arc<Message>> {
        let whole = Slot::whole(&self.history, slot.node).message;
        if Arc::ptr_eq(&slot.message, &whole) || slot.message.is_paired() || !whole.is_paired() {
            return None;
        }
        if slot.form == Form::Stripped {
            return Some(whole);
        }
        let mut message = Message::clone(&whole);
        let kept = message.parts.iter_mut().filter(|p| !goes_with_calls(p));
        for (part, current) in kept.zip(&slot.message.parts) {
            part.clone_from(current);
        }
        Some(message.into())
    }

    /// Shows the message at a body position whole. False if it is whole already.
    pub(super) fn show_whole(&mut self, at: usize) -> bool {
        let current = &self.view.body()[at];
        let Slot { message, tally, form, .. } = Slot::whole(&self.history, current.node);
        if current.form == form {
            return false;
        }
        self.view.replace(at, message, tally, form);
        true
    }

    /// Whether the message says anything besides its calls and its reasoning.
    pub fn says_something(&self, node: NodeIndex) -> bool {
        let parts = &self.history.node(node).message.parts;
        parts.iter().any(says_something)
    }

    /// Brings a dropped node back with its whole step; also the user message before it if the view would otherwise not begin
    /// with the user.
    pub(super) fn restore_step(&mut self, index: NodeIndex, why: &str) {
        if self.view.dropped_nodes().next().is_none() {
            return;
        }
        let slots = self.view.with_dropped();
        let messages = slots.iter().map(|s| &*self.history.node(s.node).message);
        let Some(step) = steps(messages)
            .into_iter()
            .find(|step| slots[step.range.clone()].iter().any(|s| s.node == index))
        else {
            return;
        };
        // What follows a provider's own compaction needs no user message before it.
        let compaction = self.newest_compaction();
        let compacted = slots[..step.range.end].iter().position(|s| Some(s.node) == compaction);
        let from = compacted.map_or(0, |at| at + 1).min(step.range.start);
        let (before, step) = (&slots[from..step.range.start], &slots[step.range]);
        let is_users = |s: &&&Slot| s.message.role == Role::User;
        let is_asked = before.iter().filter(is_users).any(|s| self.view.dropped(s.node).is_none());
        let user_message = before.iter().rfind(is_users).filter(|_| !is_asked);
        let step: Vec<NodeIndex> = user_message.into_iter().chain(step).map(|s| s.node).collect();
        let back: Vec<NodeIndex> = step.iter().copied().filter(|n| self.view.dropped(*n).is_some()).collect();
        let nodes: NodeSet = step.into_iter().collect();
        if back.is_empty() {
            return;
        }
        self.show_dropped(&nodes);
        self.emit(EventName::Unfolded, &back, why.to_owned());
    }

    /// Brings dropped nodes back. Messages among them, and the callers of outputs among them, get back the calls they lost.
    pub(super) fn show_dropped(&mut self, nodes: &NodeSet) {
        self.view.restore(nodes);
        let mut calling = nodes.clone();
        calling.extend(nodes.iter().filter_map(|n| self.history.caller(n)));
        for at in 0..self.view.body().len() {
            let slot = &self.view.body()[at];
            if calling.contains(&slot.node) && self.with_calls(slot).is_some() {
                self.show_whole(at);
            }
        }
    }
}

/// A message without its tool calls and the reasoning that led to them. Signed thinking stays: if thinking is enabled, Anthropic refuses
/// a running turn that does not begin with it.
pub(super) fn without_calls(message: &Message) -> Message {
    let mut message = message.clone();
    message.parts.retain(|p| !goes_with_calls(p));
    message
}

/// Whether a part cannot stay without the call: the call itself, the reasoning before it, or the result of a call that the
/// provider ran.
fn goes_with_calls(part: &Part) -> bool {
    (matches!(part, Part::Reasoning(_)) && !part.is_bound_thinking()) || part.is_paired()
}

/// Whether a reader would see this part. Thinking does not count, because no provider takes an answer of nothing else; nor does blank
/// text next to calls, which many clients send.
fn says_something(part: &Part) -> bool {
    match part {
        Part::ToolOutput(_) | Part::Reasoning(_) => false,
        Part::Text { text, .. } => !text.trim().is_empty(),
        part => !goes_with_calls(part),
    }
}
