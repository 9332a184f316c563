//! What is found in the history's messages: facts, and which tool outputs look alike. It is extracted when it is needed, or
//! gradually before that, and kept.

use std::borrow::Cow;
use std::sync::Arc;

use super::core::Context;
use super::history::History;
use super::node::{NodeIndex, NodeSet};
use super::shared::Shared;
use super::slot::Slot;
use crate::error::Result;
use crate::facts::{CallOutcome, ExtractedFacts, KeptFacts};
use crate::message::Message;

/// Applies the caller's redaction to a message.
pub type Redacting<'r> = dyn Fn(&Message) -> Result<Message> + 'r;

impl Context {
    /// The facts of all messages, indexed. Those that are not extracted yet are extracted for this call only.
    pub fn facts(&self) -> Cow<'_, ExtractedFacts> {
        if self.facts.len() == self.history.len() && self.facts.names.is_indexed() {
            return Cow::Borrowed(&self.facts);
        }
        let mut facts = ExtractedFacts::clone(&self.facts);
        extract(&mut facts, &self.history, usize::MAX);
        facts.names.index();
        Cow::Owned(facts)
    }

    /// Whether a slot is known to contain only texts without a `<`.
    pub fn has_no_tags(&self, slot: &Slot) -> bool {
        let whole = &self.history.node(slot.node).message;
        self.facts.has_no_tags(slot.node.get()) && Arc::ptr_eq(&slot.message, whole)
    }

    /// Extracts the facts of at most `max` more messages. Indexes them each time their number has doubled, so that most are
    /// indexed when a fold needs them.
    pub fn extract_facts(&mut self, max: usize) {
        extract(&mut self.facts, &self.history, max);
        if self.facts.names.len() >= 2 * self.facts.names.sorted().len() {
            self.facts.names.index();
        }
    }

    /// Extracts all missing facts and indexes them.
    pub fn extract_all_facts(&mut self) {
        self.extract_facts(usize::MAX);
        self.facts.names.index();
    }

    /// The tool outputs that look like another one of the history. Whether they are really identical, only their texts can
    /// tell.
    pub fn possible_duplicates(&mut self) -> &NodeSet {
        self.find_duplicates_ahead(usize::MAX);
        self.duplicates.found()
    }

    /// Examines some more messages in advance.
    pub fn find_duplicates_ahead(&mut self, max: usize) {
        self.duplicates.examine_more(&self.history, max);
    }

    /// Forgets what outputs look like, because some changed.
    pub(super) fn forget_duplicates(&mut self) {
        self.duplicates = Shared::default();
    }

    /// Forgets the facts, and which outputs look alike, because messages changed.
    pub(super) fn forget_facts(&mut self) {
        self.facts = Shared::default();
        self.forget_duplicates();
    }

    /// Forgets everything that was derived from messages; it is derived again when it is needed.
    pub fn forget_all_facts(&mut self) {
        self.forget_facts();
        self.holders = Shared::default();
    }

    /// The facts of a tool message to keep when its output is moved away: its own, and those of its redacted texts.
    pub(super) fn facts_to_keep(
        &self,
        index: NodeIndex,
        redacted: Option<&Redacting<'_>>,
    ) -> Result<(KeptFacts, Option<KeptFacts>)> {
        let message = &self.history.node(index).message;
        let answers = message.tool_outputs().next().map_or("", |output| &output.call_id);
        let before = self.history.nodes()[..index.get()].iter().rev();
        let call = before.flat_map(|node| node.message.tool_calls()).find(|call| call.id == answers);
        let kind = call.and_then(CallOutcome::output_kind);
        let redacted = redacted.map(|redacted| Ok(KeptFacts::of(&redacted(message)?, kind))).transpose()?;
        Ok((KeptFacts::of(message, kind), redacted))
    }
}

fn extract(facts: &mut ExtractedFacts, history: &History, max: usize) {
    for (index, node) in history.nodes_from(facts.len()).take(max) {
        match history.facts_of_away(index) {
            Some(kept) => facts.add_kept(&node.message, kept),
            None => facts.add(&node.message),
        }
    }
}
