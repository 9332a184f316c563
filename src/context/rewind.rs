//! Goes back to an earlier message: what came after it leaves the view.

use super::core::Context;
use super::node::{NodeIndex, NodeKind, NodeSet};
use super::slot::{Form, Slot};
use crate::error::{Error, Result};
use crate::message::Role;

const WHY: &str = "the conversation went back to an earlier message";

impl Context {
    /// The message with this id, if it is part of the current conversation.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an unknown id, for a message that the engine made, and for a message of a rewritten or rewound
    /// past.
    pub fn rewind_target(&self, id: &str) -> Result<NodeIndex> {
        let index = self.history.require(id)?;
        if self.history.node(index).kind != NodeKind::Message {
            let is_in_fold = |n: &NodeIndex| self.history.folds_around(*n).last() == Some(index);
            let mut nodes = (0..self.history.len() as u32).rev().map(NodeIndex);
            let last = nodes
                .find(is_in_fold)
                .map(|n| format!("; the last one that it stands for is `{}`", self.history.node(n).id));
            let why = format!(
                "`{id}` was not pushed, so there is no going back to it{}; `items()` and `folds()` list the ids of messages",
                last.unwrap_or_default()
            );
            return Err(Error::argument(why));
        }
        if self.history.is_superseded(index) {
            let why = format!(
                "`{id}` is in a part of the history that was rewritten or rewound; only search still finds it"
            );
            return Err(Error::argument(why));
        }
        Ok(index)
    }

    /// Takes everything that came after `to` out of the view; the history keeps it. The view then shows `to` and the newest
    /// user message, and folds over them are undone. Calls without their outputs wait again. `None`: only the header stays. Returns
    /// what is gone.
    pub fn rewind(&mut self, to: Option<NodeIndex>) -> Vec<NodeIndex> {
        let header: NodeSet = self.own_header().into_iter().collect();
        let later = (to.map_or(0, |to| to.0 + 1)..self.history.len() as u32).map(NodeIndex);
        let removed: Vec<NodeIndex> =
            later.filter(|n| self.is_in_conversation(*n) && !header.contains(n)).collect();
        let (_, mut stand_ins) = self.supersede(&removed);
        stand_ins.extend(self.text_pins_of(&removed));
        self.take_out(&removed, &stand_ins, &[], WHY);
        for shown in to.into_iter().chain(self.newest_user()) {
            self.show(shown);
        }
        self.make_valid();
        removed
    }

    /// Shows the newest user message if it waits for an answer and is folded, or a pass took it out: what followed it has left the
    /// conversation since. Its fold stays with the other messages. Returns whether it was hidden.
    pub fn show_unanswered_user(&mut self) -> bool {
        let Some(newest) = self.newest_user() else { return false };
        let later = (newest.0 + 1..self.history.len() as u32).map(NodeIndex);
        let is_answer =
            |n: NodeIndex| !self.history.node(n).message.role.is_instruction() && self.is_in_conversation(n);
        if later.into_iter().any(is_answer) {
            return false;
        }
        if let Some(summary) = self.history.node(newest).folded_by {
            self.take_out_of_fold(newest, summary, WHY);
        } else if self.view.dropped(newest).is_some() && !self.covered_by_compaction().contains(&newest) {
            self.show(newest);
        } else {
            return false;
        }
        self.make_valid();
        true
    }

    /// The newest message of the user in the conversation.
    fn newest_user(&self) -> Option<NodeIndex> {
        (0..self.history.len() as u32).rev().map(NodeIndex).find(|n| {
            let message = &self.history.node(*n).message;
            self.is_in_conversation(*n) && message.opens_turn() && !message.is_empty()
        })
    }

    /// Shows a message whole with its step, even if it was folded, dropped or shortened.
    fn show(&mut self, index: NodeIndex) {
        if self.history.node(index).folded_by.is_some() {
            let over = self.folds_over(&NodeSet::from_iter([index]));
            self.open_folds(&over, WHY);
        }
        self.restore_step(index, WHY);
        let less = |form: Form| matches!(form, Form::Stripped | Form::Shortened | Form::MediaTrimmed);
        if let Some(at) = self.view.body().iter().position(|s| s.node == index && less(s.form)) {
            self.show_whole(at);
        }
    }

    /// Shows the calls that wait for their outputs, whatever a pass did to them while they had one.
    pub(super) fn show_callers(&mut self) {
        for (_, caller) in self.history.unanswered() {
            self.show(caller);
        }
    }

    /// Makes a view valid after messages left it: waiting calls are shown, a stand-in answers them if another message
    /// follows, and the conversation begins with the user.
    pub(super) fn make_valid(&mut self) {
        self.show_callers();
        for (call_id, caller) in self.history.unanswered() {
            let body = self.view.body();
            let Some(at) = body.iter().rposition(|s| s.node == caller) else { continue };
            // If the calls of one answer are still being executed, only its other calls and the outputs so far may follow.
            let mut answer = caller;
            let of_one_answer = |next: &&Slot| {
                let last = std::mem::replace(&mut answer, next.node);
                next.message.role == Role::Assistant
                    && !self.view.message_between(last, next.node, &self.history)
            };
            let mut rest = body[at + 1..].iter().skip_while(of_one_answer);
            let live = rest.all(|s| s.message.role == Role::Tool);
            if !live {
                self.stand_in_for(&call_id, caller);
            }
        }
        self.begin_with_user();
        self.replace_stale_pointers();
    }
}
