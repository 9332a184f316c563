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
