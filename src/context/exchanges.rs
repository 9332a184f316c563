//! Where exchanges begin in a view: found once, not at every call.
//!
//! It is kept in the view, so whatever takes the view back takes this back too. Debug builds compare it with a walk over the
//! history.

use super::view::{Slot, View};

/// The user's messages of a body, from the first exchange on that has to be looked at.
#[derive(Debug, Clone, Default)]
pub struct Exchanges {
    /// The version of the view that it knows.
    version: u64,
    /// Before this body position there is nothing to do any more.
    from: usize,
    /// Positions of messages that open a turn, from there on.
    begin: Vec<usize>,
    /// How much of the body it knows.
    known: usize,
}

impl Exchanges {
    /// Catches up with a view: what is new is looked at, and what was edited since.
    pub(super) fn catch_up(&mut self, view: &View) {
        if let Some(edited) = view.changes().since(self.version) {
            // What comes in right there may belong to the exchange before.
            if edited <= self.from {
                *self = Self::default();
            }
            self.begin.truncate(self.begin.partition_point(|at| *at < edited));
            self.known = self.known.min(edited);
        }
        self.version = view.changes().version();
        let new = view.body().iter().enumerate().skip(self.known);
        self.begin.extend(new.filter(|(_, slot)| Slot::opens_turn(slot)).map(|(at, _)| at));
        self.known = view.body().len();
    }

    /// How many there are that have to be looked at, those that stay as they are among them.
    pub fn len(&self) -> usize {
        self.begin.len()
    }

    /// The body position from which on they have to be looked at.
    pub fn from(&self) -> usize {
        self.from
    }

    /// Nothing is left to be done before this body position, where an exchange begins, until something up to there is edited.
    pub fn done_before(&mut self, at: usize) {
        self.from = at;
        self.begin.retain(|begins| *begins >= at);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::context::{Context, NodeIndex};
    use crate::message::{Message, Role};
    use crate::tokens::Estimate;
    use crate::tool_output::ToolOutputCacheConfig;

    fn exchanges(count: usize) -> Context {
        let mut context = Context::new(Arc::new(Estimate), ToolOutputCacheConfig::default(), None);
        for _ in 0..count {
            let exchange = [Message::text(Role::User, "Go."), Message::text(Role::Assistant, "Done.")];
            context.push(exchange.into()).unwrap();
        }
        context
    }

    fn told(context: &Context) -> (usize, usize) {
        let exchanges = context.view.exchanges();
        (exchanges.len(), exchanges.from())
    }

    #[test]
    fn what_is_done_is_not_looked_at_again_until_it_is_edited() {
        let mut context = exchanges(4);
        assert_eq!(told(&context), (4, 0));
        context.view.exchanges().done_before(4);
        assert_eq!(told(&context), (2, 4));
        context.drop_from_view(&[NodeIndex(5)], "");
        assert_eq!(told(&context), (2, 4));
        context.push(vec![Message::text(Role::User, "Go on.")]).unwrap();
        assert_eq!(context.view.exchanges().len(), 3);
        context.drop_from_view(&[NodeIndex(1)], "");
        assert_eq!(told(&context), (5, 0));
    }

    #[test]
    fn what_is_edited_right_behind_it_may_be_of_it() {
        let mut context = exchanges(2);
        context.view.exchanges().done_before(2);
        context.drop_from_view(&[NodeIndex(2), NodeIndex(3)], "");
        assert_eq!(told(&context), (1, 0));
    }
}
