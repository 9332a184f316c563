//! The facts in the history's messages. They are extracted when they are needed, or gradually before that, and kept.

use std::borrow::Cow;
use std::sync::Arc;

use super::core::Context;
use super::history::History;
use super::node::NodeIndex;
use super::shared::Shared;
use super::view::Slot;
use crate::error::Result;
use crate::facts::{Answered, Drawn, Kept};
use crate::message::Message;

/// Applies the caller's redaction to a message.
pub type Redacting<'r> = dyn Fn(&Message) -> Result<Message> + 'r;

impl Context {
    /// The facts of all messages, settled. Those that are not extracted yet are extracted for this call only.
    pub fn facts(&self) -> Cow<'_, Drawn> {
        if self.facts.len() == self.history.len() && self.facts.names.is_settled() {
            return Cow::Borrowed(&self.facts);
        }
        let mut facts = Drawn::clone(&self.facts);
        draw(&mut facts, &self.history, usize::MAX);
        facts.names.settle();
        Cow::Owned(facts)
    }

    /// Whether a slot is known to contain only texts without a `<`.
    pub fn is_bare(&self, slot: &Slot) -> bool {
        let whole = &self.history.node(slot.node).message;
        self.facts.is_bare(slot.node.get()) && Arc::ptr_eq(&slot.message, whole)
    }

    /// Extracts the facts of at most `most` more messages. Settles them each time their number has doubled, so that most are
    /// settled when a fold needs them.
    pub fn draw_facts(&mut self, most: usize) {
        draw(&mut self.facts, &self.history, most);
        if self.facts.names.len() >= 2 * self.facts.names.sorted().len() {
            self.facts.names.settle();
        }
    }

    /// Extracts all missing facts and settles them.
    pub fn draw_all_facts(&mut self) {
        self.draw_facts(usize::MAX);
        self.facts.names.settle();
    }

    /// Forgets the facts, and which outputs look alike, because messages changed.
    pub(super) fn forget_facts(&mut self) {
        self.facts = Shared::default();
        self.forget_duplicates();
    }

    /// Forgets everything that was derived from messages; it is derived again when it is needed.
    pub(super) fn forget_all_facts(&mut self) {
        self.forget_facts();
        self.holders = Shared::default();
    }

    /// The facts of a tool message to keep when its output is moved away: its own, and those of its redacted texts.
    pub(super) fn facts_to_keep(
        &self,
        index: NodeIndex,
        redacted: Option<&Redacting<'_>>,
    ) -> Result<(Kept, Option<Kept>)> {
        let message = &self.history.node(index).message;
        let answers = message.tool_outputs().next().map_or("", |output| &output.call_id);
        let before = self.history.nodes()[..index.get()].iter().rev();
        let call = before.flat_map(|node| node.message.tool_calls()).find(|call| call.id == answers);
        let speaks = call.and_then(Answered::speaks);
        let redacted = redacted.map(|redacted| Ok(Kept::of(&redacted(message)?, speaks))).transpose()?;
        Ok((Kept::of(message, speaks), redacted))
    }
}

fn draw(facts: &mut Drawn, history: &History, most: usize) {
    for (at, node) in history.nodes().iter().enumerate().skip(facts.len()).take(most) {
        match history.facts_of_away(NodeIndex(at as u32)) {
            Some(kept) => facts.draw_kept(&node.message, kept),
            None => facts.draw(&node.message),
        }
    }
}
