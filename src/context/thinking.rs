//! Thinking that its provider binds to everything before it (PROV-3b): an edit there makes it invalid.
//!
//! It is removed when the view is edited, not when a view is written: what the model thinks afterwards is based on the
//! edited view, and stays. The report has a decision for it.
//!
//! Other models accept thinking after edits, but require it in the step that opens the running turn. A cut leaves it there;
//! if a fold, a drop or a rewind makes another step the first one, that step gets its thinking back.

use std::sync::Arc;

use super::core::Context;
use super::node::{NodeIndex, NodeSet};
use super::slot::{Form, Slot};
use crate::message::{Message, Part, Role};

const WHY: &str = "its thinking was left out because the messages before it were edited";

impl Context {
    /// Removes signed thinking from the messages behind the first edit since this was last called. `cut_on_entry`: nodes
    /// that have just entered. Their outputs may have been cut although the model that thought after them saw them whole.
    /// Returns the nodes that lost thinking.
    pub fn drop_bound_thinking(&mut self, cut_on_entry: &[NodeIndex]) -> Vec<NodeIndex> {
        let cut =
            cut_on_entry.first().and_then(|first| self.view.first_position(&self.on_entry.cut_since(*first)));
        let Some(from) = self.view.take_edited().into_iter().chain(cut).min() else { return Vec::new() };
        let mut lost = Vec::new();
        let mut empty = NodeSet::default();
        for at in from..self.view.body().len() {
            let slot = &self.view.body()[at];
            if slot.message.role != Role::Assistant || !slot.message.parts.iter().any(Part::is_bound_thinking)
            {
                continue;
            }
            let (node, form) = (slot.node, slot.form);
            let mut message = Message::clone(&slot.message);
            message.parts.retain(|part| !part.is_bound_thinking());
            lost.push(node);
            self.note_left_out(node, WHY, None);
            if message.is_empty() {
                empty.insert(node);
                continue;
            }
            let tally = self.tally_of(&message);
            let form = if form == Form::Whole { Form::Unbound } else { form };
            self.view.replace(at, Arc::new(message), tally, form);
        }
        self.view.remove_all(&empty);
        self.view.take_edited();
        lost
    }

    /// Gives signed thinking back to the step that opens the running turn, if a cut took it while another step came first.
    pub fn restore_opening_thinking(&mut self) {
        let Some(at) = self.opening_of_running_turn() else { return };
        let slot = &self.view.body()[at];
        if !self.lost_thinking(slot) {
            return;
        }
        let mut message = Message::clone(&slot.message);
        let whole = &self.history.node(slot.node).message;
        let thinking = whole.parts.iter().filter(|part| part.is_bound_thinking()).cloned();
        message.parts.splice(0..0, thinking);
        let (tally, form) = (self.tally_of(&message), slot.form);
        self.view.replace(at, Arc::new(message), tally, form);
    }

    /// The body position of the first answer after the newest user message, or after the folds if they took that message.
    pub fn opening_of_running_turn(&self) -> Option<usize> {
        let body = self.view.body();
        let opens_turn = |slot: &Slot| slot.opens_turn() && !self.history.node(slot.node).is_fold();
        let after_user = body.iter().rposition(opens_turn).map_or(0, |at| at + 1);
        let answers = |slot: &Slot| slot.message.role == Role::Assistant;
        Some(after_user + body[after_user..].iter().position(answers)?)
    }

    /// Whether the running turn begins with this message and its thinking: the provider refuses the turn without it.
    pub fn opens_running_turn_with_thinking(&self, index: NodeIndex) -> bool {
        let body = self.view.body();
        let message = &self.history.node(index).message;
        let is_running =
            body.last().is_some_and(|last| last.message.role == Role::Tool) || self.history.has_open_calls();
        is_running
            && message.parts.iter().any(Part::is_bound_thinking)
            && message.tool_calls().any(|call| !call.hosted)
            && self.opening_of_running_turn().is_some_and(|at| body[at].node == index)
    }

    /// Whether a cut removed the thinking of the message that a slot shows.
    pub fn lost_thinking(&self, slot: &Slot) -> bool {
        let thinks = |message: &Message| message.parts.iter().any(Part::is_bound_thinking);
        slot.form == Form::Shortened
            && thinks(&self.history.node(slot.node).message)
            && !thinks(&slot.message)
    }
}
