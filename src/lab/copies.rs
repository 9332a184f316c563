use crate::session::Session;

/// If there are more copies, every other one is dropped.
const MOST: usize = 12;

/// Copies of the session at some calls of its replay. The session at another call is reached from the copy before it.
#[derive(Default)]
pub(super) struct Copies {
    taken: Vec<Copy>,
    /// The number of calls between two copies.
    apart: usize,
}

struct Copy {
    /// The calls made so far, and the answers before which the session has been.
    calls: usize,
    answered: usize,
    session: Session,
}

/// The minimum number of calls between copies. Shorter replays are fast to repeat.
const FIRST: usize = 64;

impl Copies {
    /// Takes a copy of the session at call `at` if one is due: some calls after the last copy, or earlier after a fold,
    /// because repeating a fold costs more than repeating many calls.
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

    /// The last copy up to call `at`, with the calls made so far and the answers before which it has been.
    pub fn before(&self, at: usize) -> Option<(Session, usize, usize)> {
        let copy = self.taken.iter().rev().find(|copy| copy.calls <= at.saturating_add(1))?;
        Some((copy.session.clone(), copy.calls, copy.answered))
    }
}
