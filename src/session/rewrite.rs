//! A past that the caller wrote anew.

use super::facade::Session;
use crate::context::NodeIndex;
use crate::error::Result;
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
        Ok(added)
    }
}
