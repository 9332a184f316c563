//! A context that was read.
//!
//! A snapshot that no conversation could have produced is refused: which output answers which call is replayed, and compared
//! with the token counts (which say whether a message has calls) and with the order of the view. A fuzz test with altered
//! snapshots covers this.

use std::sync::Arc;

use super::core::Context;
use super::fold::Fold;
use super::journal::Known;
use super::node::{NodeIndex, NodeKind, NodeSet};
use crate::error::Result;
use crate::hashing::HashMap;
use crate::message::Message;
use crate::saved::{Kind, MAX_SAVED_NUMBER, saved};

// What is small and always written in full.
saved!(place Context { history, view, outputs, pointers, folds_changed } but {
    folds, left_out, on_entry, reported, // as edits: see `ContextChanges`
    // From the options.
    counter, output_config, wording, placeholder_writer, customs, output_budget, fold_near, media_budget,
    // The clock sets the time again; events are delivered only once; facts are extracted again when needed.
    facts, duplicates, holders, now, events,
    reported_rewritten, // relative to the last save
    current_pass, // no pass runs between two calls
    results, // the session knows what it merged
    merges_instructions, // set by the ladder
});

impl Context {
    /// Checks what was read, and derives the rest, except for what is `known` already.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn complete(&mut self, from: &Kind, known: &Known) -> Result<()> {
        self.history.complete(from, known.nodes, &known.waited)?;
        if known.nodes == 0 {
            self.forget_all_facts();
        }
        self.view.complete(from, known.shown)?;
        self.outputs.complete(from)?;
        self.find_answers(known.nodes);
        from.require(self.is_whole(), "it refers to a message that does not exist")?;
        let mut once = NodeSet::default();
        let is_new = |n: &NodeIndex| once.insert(*n);
        from.require(self.view.order().iter().all(is_new), "a message is in its view twice")?;
        from.require(self.agrees_on_folds(), "a fold and its messages do not agree")?;
        from.require(self.agrees_on_messages(known), "a message of its view is not in its history")?;
        from.require(self.agrees_on_calls(known), "a tool output does not follow its tool call")?;
        from.require(self.folds_changed < MAX_SAVED_NUMBER, "its count of fold changes is out of range")
    }

    /// Whether each member of a fold refers to that fold, and belongs to no other.
    fn agrees_on_folds(&self) -> bool {
        let mut seen = NodeSet::default();
        let mut summaries = NodeSet::default();
        let agrees = |fold: &Fold| {
            let is_member = |n: &NodeIndex| self.history.node(*n).folded_by == Some(fold.summary);
            fold.members.iter().all(is_member)
        };
        self.folds.iter().all(|fold| {
            agrees(fold) && summaries.insert(fold.summary) && fold.members.iter().all(|n| seen.insert(*n))
        })
    }

    /// Whether each message of the view has either all its calls or none, and answers the same calls as its node.
    fn agrees_on_messages(&self, known: &Known) -> bool {
        let may_replace = |current: &Message, whole: &Message| {
            current.role == whole.role
                && (current.tool_calls().next().is_none()
                    || current
                        .tool_calls()
                        .map(|c| (&c.id, c.hosted))
                        .eq(whole.tool_calls().map(|c| (&c.id, c.hosted))))
                && current.tool_outputs().map(|o| &o.call_id).eq(whole.tool_outputs().map(|o| &o.call_id))
        };
        let shown = if known.shown > 0 { self.view.before_body() + known.shown } else { 0 };
        self.history.nodes()[known.nodes..].iter().all(|node| node.tally.may_be_of(&node.message))
            && self.view.all_slots().skip(shown).all(|slot| {
                let whole = &self.history.node(slot.node).message;
                slot.tally.may_be_of(&slot.message)
                    && (Arc::ptr_eq(&slot.message, whole) || may_replace(&slot.message, whole))
            })
    }

    /// Whether each tool output of the view follows the call with its id, and no earlier call with that id is still waiting.
    fn agrees_on_calls(&self, known: &Known) -> bool {
        let mut open: HashMap<&str, NodeIndex> = HashMap::default();
        let is_known = known.shown > 0 && known.waited.is_empty();
        let new = self.view.body().len() - known.shown;
        let order = self.view.order();
        let known = if is_known { order.len() - new } else { 0 };
        order[known..].iter().all(|n| {
            let message = &self.history.node(*n).message;
            let answers = message.tool_outputs().all(|output| {
                let caller = open.remove(output.call_id.as_str());
                caller.is_some() && caller == self.history.caller(*n)
            });
            let mut calls = message.tool_calls().filter(|call| !call.hosted);
            answers && calls.all(|call| open.insert(&call.id, *n).is_none())
        })
    }

    /// Whether every node that is mentioned exists.
    fn is_whole(&self) -> bool {
        let is_there = |n: &NodeIndex| n.get() < self.history.len();
        let view = &self.view;
        let slots = view.all_slots().map(|s| s.node).chain(view.merged.iter().copied());
        let of_folds = self.folds.iter().flat_map(|f| f.members.iter().chain(&f.retain).chain(&f.ask));
        let altered = self.folds.iter().flat_map(|f| f.altered.iter().map(|s| s.slot.node));
        let slots = slots.chain(altered);
        let pointers = self
            .pointers
            .iter()
            .chain(self.folds.iter().flat_map(|f| &f.pointers))
            .flat_map(|(node, target)| [node, target]);
        let is_summary = |n: &NodeIndex| is_there(n) && self.history.node(*n).kind == NodeKind::Summary;
        let copied: Vec<NodeIndex> = self.outputs.copied().map(NodeIndex).collect();
        of_folds.chain(pointers).chain(self.on_entry.nodes()).chain(&copied).all(is_there)
            && slots.into_iter().all(|n| is_there(&n))
            && self.folds.iter().all(|f| is_summary(&f.summary))
    }
}
