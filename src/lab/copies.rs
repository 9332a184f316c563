use crate::session::Session;

/// If there are more copies, every other one is dropped.
const MAX_COPIES: usize = 12;

/// Copies of the session at some calls of its replay. The session at another call is reached from the copy before it.
#[derive(Default)]
pub(super) struct Copies {
    copies: Vec<Copy>,
    /// The number of calls between two copies.
    calls_between: usize,
}

struct Copy {
    /// The calls made so far, and the answers before which the session has been.
    calls: usize,
    answered: usize,
    session: Session,
}

/// The minimum number of calls between copies. Shorter replays are fast to repeat.
const MIN_CALLS_BETWEEN: usize = 64;

impl Copies {
    /// Takes a copy of the session at call `at` if one is due: some calls after the last copy, or earlier after a fold,
    /// because repeating a fold costs more than repeating many calls.
    pub fn take_if_due(&mut self, session: &Session, at: usize, answered: usize, folded: bool) {
        self.calls_between = self.calls_between.max(MIN_CALLS_BETWEEN);
        let since = at - self.copies.last().map_or(0, |last| last.calls - 1);
        if since < self.calls_between && !(folded && since >= self.calls_between / 8) {
            return;
        }
        self.copies.push(Copy { calls: at + 1, answered, session: session.clone() });
        if self.copies.len() > MAX_COPIES {
            let mut kept = false;
            self.copies.retain(|_| {
                kept = !kept;
                kept
            });
            self.calls_between *= 2;
        }
    }

    /// The last copy up to call `at`, with the calls made so far and the answers before which it has been.
    pub fn before(&self, at: usize) -> Option<(Session, usize, usize)> {
        let copy = self.copies.iter().rev().find(|copy| copy.calls <= at.saturating_add(1))?;
        Some((copy.session.clone(), copy.calls, copy.answered))
    }
}
