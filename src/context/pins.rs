//! Pins: messages and texts that every view shows verbatim.

use std::sync::Arc;

use super::core::Context;
use super::node::{NodeIndex, NodeKind, NodeSet};
use super::slot::{PlacedSlot, Slot};
use crate::error::{Error, Result};
use crate::hashing::HashSet;
use crate::message::{CallKind, ItemType, Message, Part, Role};

/// A pinned text begins with this and the id of its message.
const HEAD: &str = "[pinned text of message ";

const PINNED: &str = "a message of the step was pinned";

impl Context {
    /// Pins or unpins a node. Every view shows a pinned message verbatim: what was cut of it comes back, and a folded
    /// message comes back with its step.
    pub fn set_pinned(&mut self, index: NodeIndex, pinned: bool) {
        if self.history.node(index).kind == NodeKind::Pin {
            return if pinned { self.show_pin_again(index) } else { self.hide_pin(index) };
        }
        self.history.set_pinned(index, pinned);
        if !pinned {
            if self.history.node(index).message.role == Role::Tool {
                self.view.list_trimmable(); // it may be trimmed again
            }
            self.view.recheck_ephemeral(index);
            self.drop_compacted();
            return;
        }
        self.unmerge(index);
        let own = self.own_header();
        if !self.view.merged.is_empty() && own.contains(&index) {
            self.compose_header(&own);
        }
        self.restore_step(index, PINNED);
        if let Some(at) = self.view.position(index) {
            if self.show_whole(at) {
                let id = self.history.node(index).id.clone();
                self.on_entry.forget(|n| n == index);
                self.left_out.retain(|line| line.id != *id);
            }
        } else if let Some(summary) = self.history.node(index).folded_by {
            self.take_out_of_fold(index, summary, PINNED);
            self.begin_with_user();
        }
    }

    /// Whether a node is in the view, was dropped from it or is folded. What was removed for good cannot be pinned.
    pub fn can_be_pinned(&self, index: NodeIndex) -> bool {
        let node = self.history.node(index);
        node.kind == NodeKind::Pin
            || node.folded_by.is_some()
            || self.view.merged.contains(&index)
            || self.view.dropped(index).is_some()
            || self.view.position(index).is_some()
            || self.view.slots().take(self.view.before_body()).any(|s| s.node == index)
    }

    /// Pins a piece of a message's text. From now on, it is in a user message of the engine's own at the beginning of every
    /// view, whatever happens to the message it was taken from. Pinning it twice has no further effect.
    pub fn pin_text(&mut self, of: NodeIndex, text: &str) -> Result<()> {
        if !contains_text(&self.history.node(of).message, text) {
            let id = &self.history.node(of).id;
            let why = format!(
                "the message `{id}` does not contain this text; pass a text exactly as it is in the message"
            );
            return Err(Error::argument(why));
        }
        let pin = self.text_pin(of, text);
        if self.view.body().iter().any(|s| self.is_pin(s, &pin)) {
            return Ok(());
        }
        let pin = Arc::new(pin);
        let tally = self.tally_of(&pin);
        let index = self.history.append_engine_made(NodeKind::Pin, pin, tally);
        self.show_pin(index);
        Ok(())
    }

    /// Inserts a new pinned text behind earlier ones, and behind the summary if one comes first. It keeps this place,
    /// whatever happens to the summary.
    fn show_pin(&mut self, index: NodeIndex) {
        self.history.set_pinned(index, true);
        let leads = |s: &&Slot| {
            let node = self.history.node(s.node);
            node.is_fold() || node.kind == NodeKind::Pin
        };
        let leading = self.view.body().iter().take_while(leads);
        let (at, before) = leading.fold((0, None), |(at, _), slot| (at + 1, Some(slot.node)));
        self.history.record_inserted(index, before);
        self.view.insert(at, vec![Slot::whole(&self.history, index)]);
    }

    fn show_pin_again(&mut self, index: NodeIndex) {
        self.history.set_pinned(index, true);
        if self.view.position(index).is_none() {
            let slot = Slot::whole(&self.history, index);
            self.reinsert(&NodeSet::default(), vec![PlacedSlot { slot, shown: true }]);
        }
    }

    fn hide_pin(&mut self, index: NodeIndex) {
        self.view.remove(index);
        self.history.set_pinned(index, false);
        self.note_left_out(index, "the text was unpinned", None);
        self.begin_with_user(); // the view may have begun with it
    }

    /// Removes the pin of a text.
    pub fn unpin_text(&mut self, of: NodeIndex, text: &str) -> Result<()> {
        let pin = self.text_pin(of, text);
        let Some(slot) = self.view.body().iter().find(|s| self.is_pin(s, &pin)) else {
            return Err(Error::argument(format!(
                "this text of `{}` is not pinned",
                self.history.node(of).id
            )));
        };
        let index = slot.node;
        self.hide_pin(index);
        Ok(())
    }

    /// The pinned texts of these messages.
    pub(super) fn text_pins_of(&self, of: &[NodeIndex]) -> Vec<NodeIndex> {
        let ids: HashSet<&str> = of.iter().map(|n| &*self.history.node(*n).id).collect();
        let body = self.view.body().iter().filter(|s| self.history.node(s.node).kind == NodeKind::Pin);
        body.filter(|s| pinned_id(&s.message).is_some_and(|id| ids.contains(id.as_str())))
            .map(|s| s.node)
            .collect()
    }

    fn text_pin(&self, of: NodeIndex, text: &str) -> Message {
        let mut pin = Message::text(Role::User, pin_head(&self.history.node(of).id) + text);
        pin.meta.item_type = Some(ItemType::CompactionSummary);
        pin
    }

    fn is_pin(&self, slot: &Slot, pin: &Message) -> bool {
        self.history.node(slot.node).kind == NodeKind::Pin && *slot.message == *pin
    }
}

/// What a pinned text from a message begins with.
pub(super) fn pin_head(id: &str) -> String {
    format!("{HEAD}{id}]\n")
}

/// The id of the message that a pinned text was taken from.
fn pinned_id(pin: &Message) -> Option<String> {
    let text = pin.plain_text();
    let (id, _) = text.strip_prefix(HEAD)?.split_once("]\n")?;
    Some(id.to_owned())
}

/// Whether a message contains a text: in its text, its output or the arguments of its calls.
fn contains_text(message: &Message, text: &str) -> bool {
    let in_call = |part: &Part| match part {
        Part::ToolCall(call) => match &call.kind {
            CallKind::Other { raw, .. } => raw.to_string().contains(text),
            CallKind::Function | CallKind::Custom => call.input.contains(text),
        },
        _ => false,
    };
    !text.trim().is_empty() && (message.plain_text().contains(text) || message.parts.iter().any(in_call))
}
