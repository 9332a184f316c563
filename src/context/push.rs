//! How messages enter a context.

use std::sync::Arc;

use super::core::Context;
use super::event::EventName;
use super::node::NodeIndex;
use super::slot::{Form, Slot};
use crate::error::Result;
use crate::message::{Message, Role};

/// Replaces the output of a call that was interrupted.
const INTERRUPTED: &str = "[no output yet: the call was interrupted]";

/// Why the step of a folded call comes back.
const LATE: &str = "an output of the step came after it was folded";

/// Why a view leaves out thinking without a signature.
const CUT_OFF: &str = "its thinking was left out: it has no signature because its stream was cut off, and the provider would reject it";

impl Context {
    /// Adds messages, all or none: checks them, stores their tool outputs, counts and indexes them.
    pub fn push(&mut self, messages: Vec<Message>) -> Result<Vec<NodeIndex>> {
        self.history.check(&messages, &[])?;
        self.claim_stored_calls(&messages);
        self.history.reserve_ids(&messages);
        let mut added = Vec::with_capacity(messages.len());
        let held = self.view.media();
        for message in messages {
            added.push(self.admit(message)?);
            self.trim_outputs(); // one by one, so that the result does not depend on which messages were pushed together
        }
        if self.view.media() != held || added.iter().any(|node| self.history.node(*node).message.opens_turn())
        {
            let first = self.view.first_position(&added.iter().copied().collect());
            self.trim_media_on_entry(first.unwrap_or(self.view.body().len()));
        }
        for index in &added {
            self.emit(EventName::MessageAdded, &[*index], String::new());
        }
        Ok(added)
    }

    fn admit(&mut self, mut message: Message) -> Result<NodeIndex> {
        message.shrink();
        let is_merged = self.is_to_merge(&message) && self.view.has_begun(&self.history);
        if !is_merged {
            self.answer_interrupted_calls(&message);
        }
        let caller = message.tool_outputs().find_map(|o| self.history.open_call(&o.call_id));
        if let Some((caller, fold)) = caller.and_then(|c| Some((c, self.history.node(c).folded_by?))) {
            // The summary cannot say what came out of the call: the model reads it once, and the next fold includes it.
            self.take_out_of_fold(caller, fold, LATE);
            self.begin_with_user();
        }
        for late in message.tool_outputs().filter_map(|o| self.history.take_stand_in(&o.call_id)) {
            self.view.remove(late);
        }
        let whole = Arc::new(self.store_outputs(message, caller)?);
        let tally = self.tally_of(&whole);
        let in_header = whole.role.is_instruction() && !self.view.has_begun(&self.history);
        let index = self.history.append(whole, tally);
        let slot = self.slot_on_entry(index);
        if slot.form == Form::Cut {
            self.on_entry.note_cut(index, tally.total().saturating_sub(slot.tokens()));
            let why = "the tool output exceeds the limit for one output; only its beginning was kept";
            self.by_pass("cut_tool_outputs", |context| context.note_left_out(index, why, None));
        }
        if slot.form == Form::Unbound {
            self.note_left_out(index, CUT_OFF, None);
        } else if slot.message.is_empty() {
            self.note_left_out(index, "it is empty, and providers reject empty messages", None);
        }
        if slot.message.is_empty() {
            return Ok(index);
        }
        if in_header {
            self.view.push_header(slot);
        } else if is_merged {
            self.merge(index);
        } else if let Some(caller) = caller.filter(|c| !self.shows_call_of(*c, &slot.message)) {
            let behind = self.view.enter_dropped(slot, caller, &self.history);
            self.history.record_inserted(index, behind);
            self.note_left_out(index, "its tool call left the view before this output came", None);
            self.set_pinned(index, self.history.node(index).pinned);
        } else {
            let behind = self.view.push(slot, caller, &self.history);
            self.history.record_inserted(index, behind);
            if behind.is_some() {
                self.answer_calls_before(index);
            }
            if self.is_compaction(index) {
                self.drop_compacted();
            }
        }
        Ok(index)
    }

    /// If an output is inserted before later messages, its step is over: the other calls of the step were interrupted.
    fn answer_calls_before(&mut self, output: NodeIndex) {
        let waiting = self.history.unanswered();
        if waiting.is_empty() {
            return;
        }
        let at = self.view.position(output);
        for (call_id, caller) in waiting {
            if self.view.position(caller).is_some_and(|caller| Some(caller) < at) {
                self.stand_in_for(&call_id, caller);
            }
        }
    }

    /// No provider accepts a call without an output (INV-1). If another message comes before a call's output, a stand-in
    /// answers the call until the output comes. Calls at the very end are still being executed and get none.
    fn answer_interrupted_calls(&mut self, next: &Message) {
        let same_answer = |last: &Slot| last.message.role == Role::Assistant && next.role == Role::Assistant;
        if next.role == Role::Tool
            || next.answers_approvals()
            || !self.history.has_open_calls()
            || self.view.body().last().is_some_and(same_answer)
        {
            return;
        }
        for (call_id, caller) in self.history.unanswered() {
            self.stand_in_for(&call_id, caller);
        }
    }

    /// Answers a waiting call with a stand-in.
    pub(super) fn stand_in_for(&mut self, call_id: &str, caller: NodeIndex) {
        let message = Arc::new(Message::tool(call_id.to_owned(), INTERRUPTED));
        let tally = self.tally_of(&message);
        let index = self.history.append_stand_in(call_id, message, tally);
        let behind = self.view.push(Slot::whole(&self.history, index), Some(caller), &self.history);
        self.history.record_inserted(index, behind);
    }

    /// Whether the view still shows the calls of `caller` that this message answers.
    fn shows_call_of(&self, caller: NodeIndex, answer: &Message) -> bool {
        let last = self.view.body().last();
        if last.is_some_and(|last| self.history.caller(last.node) == Some(caller)) {
            return true; // an output does not stay without its call, nor a call of the same message
        }
        let Some(slot) = self.view.body().iter().rev().find(|s| s.node == caller) else { return false };
        let has = |id: &str| slot.message.tool_calls().any(|c| c.id == id);
        answer.tool_outputs().all(|o| has(&o.call_id))
    }
}
