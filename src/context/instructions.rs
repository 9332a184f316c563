//! Merges later instructions into the base prompt, for a ladder whose document requires it (GRAPH-6).
//!
//! They are merged when they enter, not when a view is written: the header's last message grows, the message leaves the body
//! with a report line, and the header is composed again from its nodes whenever one of them changes.

use super::core::Context;
use super::node::{NodeIndex, NodeSet};
use super::pruned::is_instruction;
use super::slot::Slot;
use crate::message::{ItemType, Message, Step, steps};

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
        let messages = || body.iter().map(|s| &*s.message);
        let here = body.iter().position(later).unwrap_or(body.len());
        // Without it, the answers before and after it may look like one step.
        let merged = std::iter::once(&*self.history.node(node).message);
        let with_it = messages().take(here).chain(merged).chain(messages().skip(here));
        let is_alone = steps(with_it).iter().any(|step| step.range == (here..here + 1));
        let at = if is_alone && !body[..here].iter().any(|slot| live.contains(&slot.node)) {
            here
        } else {
            let behind =
                steps(messages()).into_iter().find(|step| runs(step) || later(&body[step.range.start]));
            behind.map_or(body.len(), |step| step.range.start)
        };
        self.view.insert(at, vec![Slot::whole(&self.history, node)]);
        let id = self.history.node(node).id.clone();
        self.left_out.retain(|line| line.id != *id || line.why != WHY);
    }
}
