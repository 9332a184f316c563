//! Rewrites by the caller: of the past, of the header, or of the form of messages.

use super::facade::Session;
use super::graph::Drawn;
use crate::context::{CallRenamed, NodeIndex};
use crate::error::{Error, Result};
use crate::message::Message;

impl Session {
    /// Takes `gone` out of the view and `messages` in behind what is left, all or none. The history keeps all of it.
    ///
    /// # Errors
    /// As [`Session::push`]; nothing has changed then.
    pub fn rewrite(&mut self, gone: &[NodeIndex], messages: Vec<Message>) -> Result<Vec<NodeIndex>> {
        if gone.is_empty() {
            return self.push(messages);
        }
        self.allow(messages.len())?;
        self.drop_bound_thinking(&[]);
        let added = self.context.rewrite(gone, messages, self.config.drops_bound_thinking)?;
        self.drop_bound_thinking(&added);
        self.after_an_edit();
        self.look_for_room();
        Ok(added)
    }

    /// Replaces messages of the header, in their place; without any, the new ones enter at position `at`. Empty messages
    /// are skipped, because no provider takes an empty instruction. Returns the nodes that stand there now.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` for another role's message, and for an id that is taken; nothing has changed then.
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

    /// Refuses messages that cannot stand in the header; changes nothing.
    ///
    /// # Errors
    /// As [`Session::replace_in_header`].
    pub fn check_header(&self, replaced: &[NodeIndex], messages: &[Message]) -> Result<()> {
        for (i, message) in messages.iter().enumerate() {
            if !message.role.is_instruction() {
                let role = message.role.as_str();
                return Err(Error::message_at(
                    i,
                    format!("a {role} message cannot stand in the header; push it instead"),
                ));
            }
        }
        self.context.history.check(messages, replaced)?;
        self.allow(messages.len())
    }

    /// Takes over what formats carry beside messages that came in again.
    pub fn renew(&mut self, messages: &[(NodeIndex, Message)]) {
        self.context.renew(messages);
    }

    /// Gives renamed calls and their outputs their new ids, which the history has checked.
    pub fn rename_calls(&mut self, renamed: &[CallRenamed]) {
        if !renamed.is_empty() {
            self.context.rename_calls(renamed);
            self.drawn = Drawn::default();
        }
    }
}
