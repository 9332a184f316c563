//! Where exchanges begin in a view, so that they need not be searched for at every call.
//!
//! This is part of the view, so undoing a view's edits also undoes this. Debug builds compare it with a walk over the
//! history.

use super::changes::Changes;
use crate::context::slot::Slot;

/// The user messages of a body, from the first exchange on that still has to be looked at.
#[derive(Debug, Clone, Default)]
pub struct Exchanges {
    /// The version of the view that this reflects.
    version: u64,
    /// Nothing is left to do before this body position.
    from: usize,
    /// Positions of messages that open a turn, from `from` on.
    begin: Vec<usize>,
    /// How much of the body this reflects.
    known: usize,
}

impl Exchanges {
    /// Catches up with a body and its edits: looks only at what is new or was edited since.
    pub(super) fn catch_up(&mut self, body: &[Slot], changes: &Changes) {
        if let Some(edited) = changes.since(self.version) {
            // A message inserted directly at `from` may belong to the exchange before it.
            if edited <= self.from {
                *self = Self::default();
            }
            self.begin.truncate(self.begin.partition_point(|at| *at < edited));
            self.known = self.known.min(edited);
        }
        self.version = changes.version();
        let new = body.iter().enumerate().skip(self.known);
        self.begin.extend(new.filter(|(_, slot)| Slot::opens_turn(slot)).map(|(at, _)| at));
        self.known = body.len();
    }

    /// How many exchanges have to be looked at, including those that will stay as they are.
    pub fn len(&self) -> usize {
        self.begin.len()
    }

    /// The body position from which exchanges have to be looked at.
    pub fn from(&self) -> usize {
        self.from
    }

    /// Records that nothing is left to do before this body position, where an exchange begins, until something up to there
    /// is edited.
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

    fn counts(context: &Context) -> (usize, usize) {
        let exchanges = context.view.exchanges();
        (exchanges.len(), exchanges.from())
    }

    #[test]
    fn finished_exchanges_are_skipped_until_they_are_edited() {
        let mut context = exchanges(4);
        assert_eq!(counts(&context), (4, 0));
        context.view.exchanges().done_before(4);
        assert_eq!(counts(&context), (2, 4));
        context.drop_from_view(&[NodeIndex(5)], "");
        assert_eq!(counts(&context), (2, 4));
        context.push(vec![Message::text(Role::User, "Go on.")]).unwrap();
        assert_eq!(context.view.exchanges().len(), 3);
        context.drop_from_view(&[NodeIndex(1)], "");
        assert_eq!(counts(&context), (5, 0));
    }

    #[test]
    fn an_edit_right_after_finished_exchanges_reopens_the_last_one() {
        let mut context = exchanges(2);
        context.view.exchanges().done_before(2);
        context.drop_from_view(&[NodeIndex(2), NodeIndex(3)], "");
        assert_eq!(counts(&context), (1, 0));
    }
}
