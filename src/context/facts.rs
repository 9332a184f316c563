//! The facts of the history's messages: drawn when they are needed, or some at a time before that, and kept.

use std::borrow::Cow;

use super::core::Context;
use crate::facts::Drawn;

impl Context {
    /// The facts of all messages, as the history has them, settled; what is not drawn yet, is for this once.
    pub fn facts(&self) -> Cow<'_, Drawn> {
        if self.facts.len() == self.history.len() && self.facts.names.is_settled() {
            return Cow::Borrowed(&self.facts);
        }
        let mut facts = self.facts.clone();
        for node in &self.history.nodes()[facts.len()..] {
            facts.draw(&node.message);
        }
        facts.names.settle();
        Cow::Owned(facts)
    }

    /// Draws the facts of at most so many messages more, and keeps them.
    pub fn draw_facts(&mut self, most: usize) {
        for node in self.history.nodes().iter().skip(self.facts.len()).take(most) {
            self.facts.draw(&node.message);
        }
    }

    /// Draws all facts that are not drawn yet, settles them, and keeps them.
    pub fn draw_all_facts(&mut self) {
        self.draw_facts(usize::MAX);
        self.facts.names.settle();
    }

    /// Forgets the facts: messages have others now.
    pub(super) fn forget_facts(&mut self) {
        self.facts = Drawn::default();
    }
}
