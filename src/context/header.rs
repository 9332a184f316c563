//! The header of a view: its own messages, and the later instructions that are merged into the last of them.

use std::sync::Arc;

use super::core::Context;
use super::event::EventName;
use super::node::{NodeIndex, NodeSet};
use super::slot::{Form, Slot};
use crate::message::{Message, Part};

impl Context {
    /// Replaces the header; setting the same header again changes nothing. Only system and developer messages are allowed.
    pub fn set_header(&mut self, messages: Vec<Message>) {
        self.replace_in_header(&self.own_header(), messages, 0);
    }

    /// Replaces messages of the header in place; if `replaced` is empty, the new ones are inserted at position `at`. The ids
    /// of the replaced messages become free. Returns the nodes of the new messages.
    pub fn replace_in_header(
        &mut self,
        replaced: &[NodeIndex],
        messages: Vec<Message>,
        at: usize,
    ) -> Vec<NodeIndex> {
        let same = |(node, message): (&NodeIndex, &Message)| *self.history.node(*node).message == *message;
        if replaced.len() == messages.len() && replaced.iter().zip(&messages).all(same) {
            return replaced.to_vec();
        }
        let mut own = self.own_header();
        let at = own.iter().position(|node| replaced.contains(node)).unwrap_or(at.min(own.len()));
        own.retain(|node| !replaced.contains(node));
        self.history.supersede(replaced);
        for index in replaced {
            self.history.set_pinned(*index, false);
            self.note_left_out(*index, "the caller replaced the header", None);
        }
        let mut entered = Vec::with_capacity(messages.len());
        for message in messages {
            let message = Arc::new(message);
            let tally = self.tally_of(&message);
            entered.push(self.history.append(message, tally));
        }
        own.splice(at..at, entered.iter().copied());
        self.compose_header(&own);
        self.emit(EventName::PromptChanged, &entered, "the header".to_owned());
        entered
    }

    /// Removes nodes from the header, and from what is merged into it.
    pub(super) fn leave_header(&mut self, out: &NodeSet) {
        let mut own = self.own_header();
        if own.iter().chain(&self.view.merged).any(|node| out.contains(node)) {
            own.retain(|node| !out.contains(node));
            self.view.merged.retain(|node| !out.contains(node));
            self.compose_header(&own);
        }
    }

    /// The header's own messages, without what was merged into it.
    pub fn own_header(&self) -> Vec<NodeIndex> {
        let nodes = self.view.header().iter().map(|slot| slot.node);
        nodes.filter(|node| !self.view.merged.contains(node)).collect()
    }

    /// Sets these as the header, with the merged nodes in the last of them. If that is not text or is pinned, the first
    /// merged node follows it as a message of its own, and takes the others.
    pub(super) fn compose_header(&mut self, own: &[NodeIndex]) {
        let mut header: Vec<Slot> = own.iter().map(|node| Slot::whole(&self.history, *node)).collect();
        let mut merged = self.view.merged.iter();
        let takes_text = |slot: &Slot| matches!(slot.message.parts.last(), Some(Part::Text { .. }));
        let may_change = |slot: &Slot| takes_text(slot) && !self.history.node(slot.node).pinned;
        let base = match header.pop_if(|slot| may_change(slot)) {
            Some(base) => Some(base),
            None => merged.next().map(|node| Slot::whole(&self.history, *node)),
        };
        if let Some(mut base) = base {
            let later: Vec<String> =
                merged.map(|node| self.history.node(*node).message.plain_text()).collect();
            if !later.is_empty() {
                let more = format!("\n\n{}", later.join("\n\n"));
                let mut message = Message::clone(&base.message);
                match message.parts.last_mut() {
                    Some(Part::Text { text, .. }) => *text = format!("{text}{more}").into(),
                    _ => message.parts.push(Part::text(more)),
                }
                base.tally = self.tally_of(&message);
                base.message = Arc::new(message);
                base.form = Form::Merged;
            }
            header.push(base);
        }
        self.view.set_header(header);
    }
}
