//! Merges later instructions into the base prompt, for a ladder whose document requires it (GRAPH-6).
//!
//! They are merged when they enter, not when a view is written: the header's last message grows, the message leaves the body
//! with a report line, and the header is composed again from its nodes whenever one of them changes.

use std::sync::Arc;

use super::core::Context;
use super::node::{NodeIndex, NodeSet};
use super::pruned::is_instruction;
use super::slot::{Form, Slot};
use super::tally::Tally;
use crate::message::{ItemType, Message, Part, Step, steps};

const WHY: &str = "it is part of the base prompt now";

impl Context {
    /// Sets whether later system and developer messages are merged into the base prompt, the header's last message. Existing
    /// ones are merged or put back at once.
    pub fn set_merging(&mut self, merges: bool) {
        if merges == std::mem::replace(&mut self.merges_instructions, merges) {
            return;
        }
        if !merges {
            for node in self.view.merged.clone() {
                self.unmerge(node);
            }
            return;
        }
        let is_later = |node: &NodeIndex| {
            let node = self.history.node(*node);
            !node.pinned && self.is_to_merge(&node.message)
        };
        let later: Vec<NodeIndex> = self.view.body().iter().map(|slot| slot.node).filter(is_later).collect();
        for node in later {
            self.view.remove(node);
            self.merge(node);
        }
    }

    /// Whether an entering message is to be merged into the base prompt.
    pub(super) fn is_to_merge(&self, message: &Message) -> bool {
        self.merges_instructions
            && is_instruction(message)
            && message.item_type() == ItemType::SystemPrompt
            && !message.meta.pinned
            && message.meta.ephemeral.is_none()
            && !message.plain_text().trim().is_empty()
    }

    /// Merges a node that is not in the body into the base prompt.
    pub(super) fn merge(&mut self, node: NodeIndex) {
        let own = self.own_header();
        self.view.merged.push(node);
        self.compose_header(&own);
        self.note_left_out(node, WHY, None);
    }

    /// Puts a merged node back into its place.
    pub(super) fn unmerge(&mut self, node: NodeIndex) {
        if !self.view.merged.contains(&node) {
            return;
        }
        let own = self.own_header();
        self.view.merged.retain(|n| *n != node);
        self.compose_header(&own);
        let body = self.view.body();
        // No message may come between a call that is being executed and its output.
        let live: NodeSet = self.history.unanswered().into_iter().map(|(_, n)| n).collect();
        let later = |slot: &Slot| !self.history.node(slot.node).is_fold() && slot.node > node;
        let runs = |step: &Step| body[step.range.clone()].iter().any(|slot| live.contains(&slot.node));
        let mut steps = steps(body.iter().map(|s| &*s.message)).into_iter();
        let behind = steps.find(|step| runs(step) || later(&body[step.range.start]));
        let at = behind.map_or(body.len(), |step| step.range.start);
        self.view.insert(at, vec![Slot::whole(&self.history, node)]);
        let id = self.history.node(node).id.clone();
        self.left_out.retain(|line| line.id != *id || line.why != WHY);
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
                base.tally = Tally::of(&message, &*self.counter);
                base.message = Arc::new(message);
                base.form = Form::Merged;
            }
            header.push(base);
        }
        self.view.set_header(header);
    }
}
