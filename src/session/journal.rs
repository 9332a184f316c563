//! The journal of a session. A saved session is a snapshot and the records after it: each save records what changed since the
//! last one, so that it costs only what is new. A snapshot is the same for a session of which nothing is saved yet.
//!
//! A save leaves marks in the session, and the next save finds the changes with them: nodes added to the history, nodes that were
//! touched, and a snapshot of the view (which copies nothing). Lists of small numbers are compared with a copy. Small parts
//! (window and usage, options, context parts, tools, forks) are written whole if their checksum changed.
//!
//! Records hold effects, not operations. A log of operations would be smaller, but the passes of a later version would decide
//! differently, so a replay would give a session that never existed; and it would cost as much as the passes. The session is checked
//! once all that was read is applied.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::compaction::ledger::Memo;
use crate::context::{ContextMark, Report};
use crate::saved::{Checksum, Kind};

/// The snapshot format of sessions.
pub const SESSION: Kind = Kind { name: "contextfold-session", version: 1, what: "a session" };

/// How many bytes of the newest records are kept in memory, for `changes` since an earlier position.
const MAX_KEPT_BYTES: usize = 1 << 18;

/// The session's position in its journal, and its state there.
#[derive(Default)]
pub(super) struct Journal {
    /// `None` until the first incremental save.
    pub mark: Option<Box<Mark>>,
    pub position: u64,
    /// The checksum of the newest record; 0 if unknown.
    pub newest: u64,
    /// The newest records, framed.
    pub records: VecDeque<Vec<u8>>,
}

/// A copy of a session is another session: its journal begins anew.
impl Clone for Journal {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Journal {
    /// Keeps a record in memory, and drops the oldest ones if they are too many.
    pub fn keep(&mut self, record: Vec<u8>) {
        self.records.push_back(record);
        let mut bytes: usize = self.records.iter().map(Vec::len).sum();
        while bytes > MAX_KEPT_BYTES && self.records.len() > 1 {
            bytes -= self.records.pop_front().map_or(0, |oldest| oldest.len());
        }
    }
}

/// What is needed of a session's state at the last save to find what is new. The default: nothing is saved.
#[derive(Default)]
pub(super) struct Mark {
    pub context: ContextMark,
    pub method: String,
    pub parts: [Checksum; PART_COUNT],
    pub report: Option<Rc<Report>>,
    pub carried: Memo,
    pub costs: usize,
}

/// The parts of a session that are written whole if they changed, each by its number: see `Session::save_part`.
pub(super) const PART_COUNT: usize = 6;
pub(super) const OPTIONS_PART: usize = 1;

/// Which view was read last. It is recorded together with other changes, but is no reason for a record.
pub(super) const LAST_READ: usize = 5;
