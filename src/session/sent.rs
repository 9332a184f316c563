//! Tracks which view was sent to the model, so that reported usage is compared with that view's tokens (TOK-6).

use crate::saved::saved;

/// The views that were sent to the model, each identified by its counted tokens.
///
/// A view may be read to send it or only to look at it; what happens next shows which. So a read never replaces a call whose
/// usage is still to come, and a view whose usage has come does not count as another call.
#[derive(Clone, Copy, Default)]
pub(super) struct Sent {
    /// The view that was read last. If a call follows, it gets this view.
    pub shown: Option<u64>,
    pub calls: Calls,
}

/// The last calls.
#[derive(Clone, Copy, Default)]
pub(super) struct Calls {
    /// An answer was pushed, and its usage is still to come.
    answered: bool,
    /// The view that was answered, if known.
    behind: Option<u64>,
    /// A call was prepared before the usage of the previous one came, so the next usage may belong to either.
    unclear: bool,
    /// The view whose usage came last.
    reported: Option<u64>,
}

saved!(place Sent { calls } but { shown }); // it may change without a call
saved!(struct Calls { answered, behind, unclear, reported });

impl Sent {
    /// Records that a view of this many tokens was read.
    pub fn note_read(&mut self, tokens: u64) {
        if self.calls.reported != Some(tokens) {
            self.shown = Some(tokens);
        }
    }

    /// Records that a view of this many tokens was prepared for the next call.
    pub fn note_prepared(&mut self, tokens: u64) {
        self.shown = Some(tokens);
        self.calls.reported = None;
        self.calls.unclear |= std::mem::take(&mut self.calls.answered);
        self.calls.behind = None;
    }

    /// Records that an answer of the model was pushed onto a view of this many tokens.
    pub fn note_answer(&mut self, tokens: u64) {
        let shown = self.shown.take();
        self.calls.answered |= shown.is_some();
        self.calls.behind = shown.filter(|shown| *shown == tokens);
        self.calls.unclear = false;
    }

    /// Records that a usage came while the view has this many tokens. Returns the tokens of the view that the usage belongs to, if
    /// known.
    pub fn note_usage(&mut self, tokens: u64) -> Option<u64> {
        let Self { shown, calls: Calls { answered, behind, unclear, .. } } = std::mem::take(self);
        self.calls.reported = Some(tokens);
        let sent = if answered { behind } else { shown.filter(|shown| *shown == tokens) };
        sent.filter(|_| !unclear)
    }
}
