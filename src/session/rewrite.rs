//! Rewrites by the caller: of past messages, of the header, or of how messages are written.

use super::graph::SessionGraph;
use super::state::Session;
use crate::context::{CallRenamed, NodeIndex};
use crate::error::{Error, Result};
use crate::message::Message;

impl Session {
    /// Removes `gone` from the view and appends `messages`, all or none. The history keeps everything.
    ///
    /// # Errors
    /// Those of [`Session::push`]; nothing has changed then.
    pub fn rewrite(&mut self, gone: &[NodeIndex], mut messages: Vec<Message>) -> Result<Vec<NodeIndex>> {
        if gone.is_empty() {
            return self.push(messages);
        }
        self.context.history.name_calls(&mut messages);
        self.check_node_limit(messages.len())?;
        self.drop_bound_thinking(&[]);
        self.forget_graph_if_claimed(&messages);
        let added = self.context.rewrite(gone, messages, self.config.drops_bound_thinking)?;
        self.drop_bound_thinking(&added);
        self.after_edit();
        self.note_free_room();
        Ok(added)
    }

    /// A message of which a reference turns out to be a call is another one in the graph, which is then built again.
    pub(super) fn forget_graph_if_claimed(&mut self, messages: &[Message]) {
        if !self.context.history.stored_calls(messages).is_empty() {
            self.lanes.graph = SessionGraph::default();
        }
    }

    /// Shows the newest user message if it waits for an answer and is hidden, as after a rewrite that removed everything behind it.
    pub fn show_unanswered_user(&mut self) {
        if self.context.show_unanswered_user() {
            self.after_edit();
        }
    }

    /// Replaces messages of the header in place; if `replaced` is empty, inserts the new ones at position `at`. Empty messages
    /// are skipped, because no provider accepts an empty instruction. Returns the nodes that are there now.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` for a message with another role, and for an id that is taken; nothing has changed then.
    pub fn replace_in_header(
        &mut self,
        replaced: &[NodeIndex],
        messages: Vec<Message>,
        at: usize,
    ) -> Result<Vec<NodeIndex>> {
        self.check_header(replaced, &messages)?;
        let messages = messages.into_iter().filter(|message| !message.is_blank()).collect();
        let nodes = self.context.replace_in_header(replaced, messages, at);
        self.drop_bound_thinking(&[]);
        Ok(nodes)
    }

    /// Fails if these messages cannot be in the header; changes nothing.
    ///
    /// # Errors
    /// Those of [`Session::replace_in_header`].
    pub fn check_header(&self, replaced: &[NodeIndex], messages: &[Message]) -> Result<()> {
        for (i, message) in messages.iter().enumerate() {
            if !message.role.is_instruction() {
                let role = message.role.as_str();
                return Err(Error::message_at(
                    i,
                    format!("a {role} message cannot be in the header; push it instead"),
                ));
            }
        }
        self.context.history.check(messages, replaced)?;
        self.check_node_limit(messages.len())
    }

    /// Gives renamed calls and their outputs their new ids. The history has checked them.
    pub fn rename_calls(&mut self, renamed: &[CallRenamed]) {
        if !renamed.is_empty() {
            self.context.rename_calls(renamed);
            self.lanes.graph = SessionGraph::default();
        }
    }
}
