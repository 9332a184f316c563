//! The facts of the history's messages: drawn when they are needed, or some at a time before that, and kept.

use std::borrow::Cow;

use super::core::Context;
use crate::facts::Drawn;

impl Context {
    /// The facts of all messages, as the history has them; those that are not drawn yet, are for this once.
    pub fn facts(&self) -> Cow<'_, Drawn> {
        if self.facts.len() == self.history.len() {
            return Cow::Borrowed(&self.facts);
        }
        let mut facts = self.facts.clone();
        for node in &self.history.nodes()[facts.len()..] {
            facts.draw(&node.message);
        }
        Cow::Owned(facts)
    }

    /// Draws the facts of at most so many messages more, and keeps them.
    pub fn draw_facts(&mut self, most: usize) {
        for node in self.history.nodes().iter().skip(self.facts.len()).take(most) {
            self.facts.draw(&node.message);
        }
    }

    /// Forgets the facts: messages have others now.
    pub(super) fn forget_facts(&mut self) {
        self.facts = Drawn::default();
    }
}
