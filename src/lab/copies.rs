use crate::session::Session;

/// More copies than these are thinned out.
const MOST: usize = 12;

/// The session at some calls of its replay: who wants to see it at another call goes on from there.
#[derive(Default)]
pub(super) struct Copies {
    taken: Vec<Copy>,
    /// Calls between two of them.
    apart: usize,
}

struct Copy {
    /// Calls that were made, and answers before which the session was.
    calls: usize,
    answered: usize,
    session: Session,
}

/// Shorter replays are as quickly made again.
const FIRST: usize = 64;

impl Copies {
    /// Takes a copy of the session at call `at` where that is due: some calls after the last one, or after a fold, which costs
    /// more than many calls.
    pub fn offer(&mut self, session: &Session, at: usize, answered: usize, folded: bool) {
        self.apart = self.apart.max(FIRST);
        let since = at - self.taken.last().map_or(0, |last| last.calls - 1);
        if since < self.apart && !(folded && since >= self.apart / 8) {
            return;
        }
        self.taken.push(Copy { calls: at + 1, answered, session: session.clone() });
        if self.taken.len() > MOST {
            let mut kept = false;
            self.taken.retain(|_| {
                kept = !kept;
                kept
            });
            self.apart *= 2;
        }
    }

    /// The last copy up to call `at`, with the calls that were made and the answers before which it was.
    pub fn before(&self, at: usize) -> Option<(Session, usize, usize)> {
        let copy = self.taken.iter().rev().find(|copy| copy.calls <= at.saturating_add(1))?;
        Some((copy.session.clone(), copy.calls, copy.answered))
    }
}
