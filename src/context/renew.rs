//! Messages that came in again with the same text, but other cache marks, hints, item ids or call ids.

use std::sync::Arc;

use super::core::Context;
use super::history::CallRenamed;
use super::node::NodeIndex;
use super::shared::Shared;
use super::slot::{Form, Slot};
use super::view::View;
use crate::message::{Message, Part};
use crate::provider::claim_stored_call;

impl Context {
    /// Takes over the messages' new metadata. What a model reads of a message and its tokens do not change. A message that
    /// now has other parts keeps its old metadata.
    pub fn renew(&mut self, messages: &[(NodeIndex, Message)]) {
        for (node, now) in messages {
            let before = &self.history.node(*node).message;
            let Some(renewed) = with_metadata_of(before, now).filter(|renewed| *renewed != **before) else {
                continue;
            };
            let renewed = Arc::new(renewed);
            self.history.renew(*node, renewed.clone());
            self.view.renew(*node, &renewed);
        }
    }

    /// Gives calls and their outputs their new ids, in the history, in the view and in folds. The ids must have passed
    /// [`super::History::check_renamed`].
    pub fn rename_calls(&mut self, renamed: &[CallRenamed]) {
        if renamed.is_empty() {
            return;
        }
        let waits = |call: &&CallRenamed| {
            call.caller.get() < self.facts.len() && self.history.open_call(&call.before) == Some(call.caller)
        };
        let waiting = renamed.iter().filter(waits).map(|call| (&*call.before, &*call.now)).collect();
        self.facts.rename_calls(&waiting);
        self.holders = Shared::default();
        let messages = self.history.rename_calls(renamed);
        let now = |slot: &Slot| Some(messages.get(&slot.node)?.shown(&slot.message));
        self.view.show_all_renewed(&now);
        self.folds_changed += 1;
        for placed in self.folds.iter_mut().flat_map(|fold| &mut fold.altered) {
            if let Some(message) = now(&placed.slot) {
                placed.slot.message = message;
            }
        }
    }

    /// Turns the references that these messages answer into calls. The messages have passed [`super::History::check`]. What a model reads of
    /// them does not change.
    pub(super) fn claim_stored_calls(&mut self, messages: &[Message]) {
        for (node, id) in self.history.stored_calls(messages) {
            let claimed = |message: &Message| {
                let mut claimed = message.clone();
                claim_stored_call(&mut claimed, &id);
                Arc::new(claimed)
            };
            let whole = claimed(&self.history.node(node).message);
            let tally = self.tally_of(&whole);
            self.history.claim(node, id.clone(), whole.clone(), tally);
            if let Some(at) = self.view.position(node) {
                let Slot { form, message: shown, .. } = &self.view.body()[at];
                let (form, shown) = (*form, if *form == Form::Whole { whole } else { claimed(shown) });
                let tally = self.tally_of(&shown);
                self.view.replace(at, shown, tally, form);
            }
            let whole = Slot::whole(&self.history, node);
            self.view.erase_kept(&whole, &|was| was.form == Form::Whole);
            if node.get() < self.facts.len() {
                self.forget_all_facts();
            }
        }
    }
}

impl View {
    /// Replaces a message with the same message and its new metadata. Does not count as a change for the prompt cache.
    fn renew(&mut self, node: NodeIndex, renewed: &Arc<Message>) {
        let as_now = |form: Form, shown: &Message| match form {
            Form::Whole => Some(renewed.clone()),
            _ => with_metadata_of(shown, renewed).map(Arc::new),
        };
        if let Some(at) = self.header().iter().position(|slot| slot.node == node) {
            let slot = &self.header()[at];
            if let Some(message) = as_now(slot.form, &slot.message) {
                self.show_renewed(at, message);
            }
        } else if let Some(at) = self.position(node) {
            let slot = &self.body()[at];
            if let Some(message) = as_now(slot.form, &slot.message) {
                self.show_renewed(self.before_body() + at, message);
            }
        }
    }
}

/// The message with the metadata of `now`, part by part; `None` if they have different parts.
fn with_metadata_of(message: &Message, now: &Message) -> Option<Message> {
    let parts = parts_carrying(&message.parts, &now.parts)?;
    Some(Message { parts, extras: now.extras.clone(), ..message.clone() })
}

fn parts_carrying(parts: &[Part], now: &[Part]) -> Option<Vec<Part>> {
    let same = parts.len() == now.len();
    same.then(|| parts.iter().zip(now).map(|(part, now)| part_carrying(part, now)).collect())?
}

fn part_carrying(part: &Part, now: &Part) -> Option<Part> {
    let mut renewed = part.clone();
    match (&mut renewed, now) {
        (Part::Text { extras, .. }, Part::Text { extras: now, .. })
        | (Part::Refusal { extras, .. }, Part::Refusal { extras: now, .. }) => extras.clone_from(now),
        (Part::Media(media), Part::Media(now)) => media.extras.clone_from(&now.extras),
        (Part::Reasoning(reasoning), Part::Reasoning(now)) => {
            reasoning.id.clone_from(&now.id);
            reasoning.extras.clone_from(&now.extras);
        }
        (Part::ToolCall(call), Part::ToolCall(now)) => call.extras.clone_from(&now.extras),
        (Part::ToolOutput(output), Part::ToolOutput(now)) => {
            output.extras.clone_from(&now.extras);
            // A shortened output has other parts, and takes over no metadata.
            if let Some(content) = parts_carrying(&output.content, &now.content) {
                output.content = content;
            }
        }
        (Part::Opaque { raw, .. }, Part::Opaque { raw: now, .. }) => raw.clone_from(now),
        _ => return None,
    }
    Some(renewed)
}
