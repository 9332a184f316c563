//! Erases a message: its content is removed for good from history, view, folds and the tool output cache.

use std::sync::Arc;

use super::core::Context;
use super::drops::without_calls;
use super::node::{NodeIndex, NodeKind};
use super::pins::pin_head;
use super::slot::{Form, Slot};
use super::wording::plain_placeholder;
use crate::error::{Error, ErrorCode, Result};
use crate::message::{CallKind, Extras, Message, Part, Text};
use crate::provider::erased_reasoning;

/// Replaces erased content.
pub const ERASED: &str = "[erased]";

impl Context {
    /// Refuses messages that cannot be erased on their own.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a message that the engine made; `GRAPH_CONSTRAINT` if the result of a provider-run tool is in
    /// another message than its call.
    pub fn check_erase(&self, index: NodeIndex) -> Result<()> {
        let node = self.history.node(index);
        let id = &node.id;
        if node.kind != NodeKind::Message {
            let why = format!("`{id}` was written by the engine: erase the messages that it was made from");
            return Err(Error::argument(why));
        }
        let message = &node.message;
        if message.provided_ids().next().is_some() || message.required_ids().next().is_some() {
            let why = format!(
                "`{id}` has part of a provider-run tool call that spans two messages, so it cannot be erased alone: go back to before it (`rewind`), or remove the session"
            );
            return Err(Error::new(ErrorCode::GraphConstraint, why));
        }
        Ok(())
    }

    /// Removes the content of a message wherever it is stored. The structure stays: who called what, and which output
    /// answers which call.
    pub fn erase(&mut self, index: NodeIndex) {
        self.drop_text_pins_of(index);
        self.replace_everywhere(index, without_content(&self.history.node(index).message));
        self.pointers.retain(|(node, _)| *node != index);
        self.forget_call_in_placeholders(index);
        self.forget_all_facts();
    }

    /// The messages with the outputs of this message's calls that only their format has. Erased, such a call is a function call, and its
    /// output is written as one of a function call.
    pub fn answers_to_other_kinds(&self, index: NodeIndex) -> Vec<NodeIndex> {
        let mut calls = self.history.node(index).message.tool_calls();
        let is_other = calls.any(|call| matches!(call.kind, CallKind::Other { .. }));
        if is_other { self.answers_to(index) } else { Vec::new() }
    }

    /// The messages with outputs of this message's calls.
    fn answers_to(&self, caller: NodeIndex) -> Vec<NodeIndex> {
        let later = (caller.0 + 1..self.history.len() as u32).map(NodeIndex);
        later.filter(|n| self.history.caller(*n) == Some(caller)).collect()
    }

    /// The summaries and retained texts that were written after a message came, also those of folds that were undone. What is shown
    /// as the request before a summary has the same words everywhere.
    pub fn written_after(&self, index: NodeIndex) -> Vec<NodeIndex> {
        let is_written = |kind: NodeKind| matches!(kind, NodeKind::Summary | NodeKind::Retain);
        let later = self.history.nodes_from(index.get() + 1);
        later.filter(|(_, node)| is_written(node.kind)).map(|(index, _)| index).collect()
    }

    /// Replaces the text of a message that the engine made for a fold. `framed` is the text in a new frame, for a summary whose words
    /// are not in its frame.
    pub fn rewrite_text(&mut self, index: NodeIndex, text: &str, framed: Option<String>) {
        let Some(fold) = self.folds.iter_mut().find(|fold| fold.summary == index) else {
            return self.overwrite(index, text.to_owned());
        };
        let before = std::mem::replace(&mut fold.text, text.to_owned());
        let shown = self.history.node(index).message.plain_text();
        // Nothing of the old text may remain, so a frame around other words is not kept.
        let is_known = !before.is_empty() && shown.contains(&before);
        let anew = || framed.unwrap_or_else(|| text.to_owned());
        self.overwrite(index, if is_known { shown.replacen(&before, text, 1) } else { anew() });
    }

    /// Replaces the text of a message that the engine made.
    fn overwrite(&mut self, index: NodeIndex, text: String) {
        let known = &self.history.node(index).message;
        let mut message = Message::text(known.role, text);
        message.meta = known.meta.clone();
        self.replace_everywhere(index, message);
    }

    /// Replaces a message in the history and wherever else it stands. The outputs that were stored with it or for it go, except
    /// those that another message holds.
    fn replace_everywhere(&mut self, index: NodeIndex, message: Message) {
        let outputs = self.history.node(index).message.tool_outputs();
        let held = outputs.filter_map(|output| Some(&*output.output_ref.as_ref()?.id));
        let gone =
            held.chain(self.outputs.copies_of(index.0)).filter(|id| !self.is_held_by_another(id, index));
        for id in gone.map(str::to_owned).collect::<Vec<_>>() {
            self.outputs.erase(&id);
        }
        let tally = self.tally_of(&message);
        self.history.erase(index, Arc::new(message), tally);
        let whole = Slot::whole(&self.history, index);
        // Where a pass took its calls away, their outputs are gone too, so they must not come back.
        let lost_calls = |was: &Slot| whole.message.is_paired() && !was.message.is_paired();
        self.show_everywhere(&self.erased_without_calls(&whole), &lost_calls);
        self.show_everywhere(&whole, &|was| !lost_calls(was));
        let is_header = self.view.header().iter().any(|slot| slot.node == index);
        if is_header || self.view.merged.contains(&index) {
            let own = self.own_header();
            self.compose_header(&own);
        }
    }

    /// An erased message as it stands where a pass took its calls away.
    fn erased_without_calls(&self, whole: &Slot) -> Slot {
        let mut message = without_calls(&whole.message);
        if message.parts.is_empty() {
            message.parts.push(Part::text(ERASED));
        }
        let tally = self.tally_of(&message);
        Slot { message: Arc::new(message), tally, form: Form::Stripped, ..whole.clone() }
    }

    /// Shows `slot` wherever its node stood in a form that `was` accepts.
    fn show_everywhere(&mut self, slot: &Slot, was: &dyn Fn(&Slot) -> bool) {
        if let Some(at) = self.view.position(slot.node).filter(|at| was(&self.view.body()[*at])) {
            self.view.replace(at, slot.message.clone(), slot.tally, slot.form);
        }
        self.view.erase_kept(slot, was);
        for placed in self.folds.iter_mut().flat_map(|fold| &mut fold.altered) {
            if placed.slot.node == slot.node && was(&placed.slot) {
                placed.slot = slot.clone();
            }
        }
        self.folds_changed += 1;
    }

    /// The placeholder of an output says what was called and with what. If the call is erased, it names only its ref.
    fn forget_call_in_placeholders(&mut self, caller: NodeIndex) {
        for index in self.answers_to(caller) {
            let mut message = Message::clone(&self.history.node(index).message);
            for output in message.tool_outputs_mut() {
                let id = output.output_ref.as_ref().map(|r| &*r.id);
                let id = id.filter(|id| self.wording.names_refs() && self.outputs.contains(id));
                output.content = vec![Part::text(plain_placeholder(id))];
            }
            let (tally, part) = (self.tally_of(&message), self.history.node(index).part());
            let slot = Slot { node: index, message: Arc::new(message), tally, part, form: Form::Placeholder };
            self.show_everywhere(&slot, &|was| was.form == Form::Placeholder);
        }
    }

    /// Whether another message holds the tool output.
    fn is_held_by_another(&self, id: &str, index: NodeIndex) -> bool {
        let holds = |message: &Message| {
            message.tool_outputs().any(|output| output.output_ref.as_ref().is_some_and(|r| r.id == id))
        };
        self.history.nodes_from(0).any(|(other, node)| other != index && holds(&node.message))
    }

    /// Removes the texts that were pinned from a message, from the view and from the history.
    fn drop_text_pins_of(&mut self, index: NodeIndex) {
        let head = pin_head(&self.history.node(index).id);
        let pins = self.history.nodes_from(0).filter(|(_, node)| node.kind == NodeKind::Pin);
        let pins = pins.filter(|(_, node)| node.message.plain_text().starts_with(&head));
        for pin in pins.map(|(index, _)| index).collect::<Vec<_>>() {
            self.view.remove(pin);
            self.history.set_pinned(pin, false);
            self.overwrite(pin, ERASED.to_owned());
        }
    }
}

/// The message without any content; its calls and its output remain, but empty.
fn without_content(message: &Message) -> Message {
    let text = || Part::Text { text: Text::from(ERASED), extras: Extras::default() };
    let mut erased = message.clone();
    erased.extras = Extras::default();
    erased.parts = message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Text { .. } | Part::Media(_) | Part::Refusal { .. } => Some(text()),
            Part::Reasoning(_) => erased_reasoning(part), // some providers refuse calls without the field
            Part::Opaque { .. } => None,
            Part::ToolCall(call) => {
                let mut call = call.clone();
                let is_json = !matches!(call.kind, CallKind::Custom);
                call.input = Text::from(if is_json { "{}" } else { ERASED });
                call.extras = Extras::default();
                if let CallKind::Other { .. } = call.kind {
                    call.kind = CallKind::Function;
                }
                Some(Part::ToolCall(call))
            }
            Part::ToolOutput(output) => {
                let mut output = output.clone();
                output.content = vec![text()];
                output.output_ref = None;
                output.extras = output.decision(); // what was done because of it would not fit another one
                Some(Part::ToolOutput(output))
            }
        })
        .collect();
    erased.parts.dedup_by(|one, other| matches!((&one, &other), (Part::Text { .. }, Part::Text { .. })));
    if erased.parts.iter().all(|part| matches!(part, Part::Reasoning(_))) {
        erased.parts.push(text());
    }
    erased
}
