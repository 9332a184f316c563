//! Records what changed in a session since the last save, so that a save costs only what is new. A saved session is a snapshot
//! and the records after it.
//!
//! A save leaves marks in the session, and the next save finds the changes with them: nodes added to the history, nodes that were
//! touched, and a snapshot of the view (which copies nothing). Lists of small numbers are compared with a copy. Small parts
//! (window and usage, options, context parts, tools, forks) are written whole if their checksum changed.
//!
//! Records hold effects, not operations. A log of operations would be smaller, but the passes of a later version would decide
//! differently, so a replay would give a session that never existed; and it would cost as much as the passes. A record is read
//! like a snapshot: by its version, and the session is checked afterwards.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use super::config::{SessionConfig, kept_options};
use super::facade::Session;
use super::graph::SessionGraph;
use super::snapshot::SESSION;
use crate::compaction::ledger::{CarriedFacts, Memo};
use crate::context::{ContextChanges, ContextCost, ContextMark, Known, NodeIndex, Report};
use crate::error::{Error, Result};
use crate::saved::{Bytes, Checksum, MAX_SAVED_NUMBER, MapEdit, Reader, Record, Saved, Writer, saved};

/// How many bytes of the newest records are kept in memory, for `changes` since an earlier position.
const MAX_KEPT_BYTES: usize = 1 << 18;

/// A position farther away than this belongs to another journal: each journal begins at a random position, and no session
/// is saved this often.
pub const MAX_POSITION_GAP: u64 = 1 << 24;

/// The session's position in its journal, and its state there.
#[derive(Default)]
pub(super) struct Journal {
    /// `None` until the first incremental save.
    mark: Option<Box<Mark>>,
    position: u64,
    /// The checksum of the newest record; 0 if unknown.
    newest: u64,
    /// The newest records, framed.
    records: VecDeque<Vec<u8>>,
}

/// A copy of a session is another session: its journal begins anew.
impl Clone for Journal {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// What is needed of a session's state at the last save to find what is new.
struct Mark {
    context: ContextMark,
    method: String,
    parts: [Checksum; PART_COUNT],
    report: Option<Rc<Report>>,
    carried: Memo,
    costs: usize,
}

/// The parts of a session that are written whole if they changed.
const PART_COUNT: usize = 6;
const OPTIONS_PART: usize = 1;

/// Which view was read last. It is recorded together with other changes, but is no reason for a record.
const LAST_READ: usize = 5;

/// What a record holds.
struct Changes {
    /// The checksum of the record before this one; 0 if unknown. The position alone cannot tell apart the records of two processes
    /// that saved at once.
    follows: u64,
    /// How messages are counted.
    method: String,
    redacted: bool,
    summarized: bool,
    parts: Vec<(u32, Bytes)>,
    /// The report was replaced or removed.
    reported: bool,
    report: Option<Report>,
    carried: MapEdit<NodeIndex, Arc<CarriedFacts>>,
    costs: Vec<(NodeIndex, ContextCost)>,
    context: ContextChanges,
    /// Data that the host wants back when the record is read.
    host: Bytes,
}

saved!(struct Changes { follows, method, redacted, summarized, parts, reported, report, carried, costs, context, host });

/// The records after a snapshot, as read.
#[derive(Default)]
pub(super) struct RecordTail(Vec<ReadRecord>);

struct ReadRecord {
    position: u64,
    sum: u64,
    version: u32,
    changes: Changes,
}

impl Session {
    /// The session's position in its journal now. What is new since the last call becomes a record. A journal begins at `start`.
    /// `host` returns the host's own changes, to be given back when the record is read.
    pub fn journal_position(&mut self, start: u64, host: impl FnOnce(&Self) -> Vec<u8>) -> u64 {
        let Some(mark) = self.journal.mark.take() else {
            self.begin_journal(start);
            return start;
        };
        let host = host(self);
        let parts = self.saved_parts();
        let body = self.changes_since(&mark, &parts, host);
        if let Some(body) = body {
            self.journal.position += 1;
            let (record, sum) = Record::framed(self.journal.position, &body);
            self.journal.keep(record);
            self.journal.newest = sum;
            self.journal.mark = Some(Box::new(self.mark_saved(&parts)));
        } else {
            self.journal.mark = Some(mark);
        }
        self.journal.position
    }

    /// A copy of this session with the records of another process applied, and the host's data of each. `None` if they change
    /// how messages are counted, or the options: then the whole session has to be loaded again.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID` with the position of a record that does not fit; `SNAPSHOT_TOO_NEW`.
    pub fn with_records(&self, records: &[Record<'_>]) -> Result<Option<(Self, Vec<Vec<u8>>)>> {
        let tail = RecordTail::read(records, Some(self.journal.position), self.journal.newest)?;
        let counts_so = tail.functions().is_none_or(|(method, ..)| method == self.counter.method().as_str());
        if !counts_so || tail.options()?.is_some() {
            return Ok(None);
        }
        let (position, newest) = tail.end().unwrap_or((self.journal.position, self.journal.newest));
        let mut session = self.clone();
        let mut known = self.context.known();
        let host = tail.apply_to(&mut session, &mut known)?;
        session.restore_derived(&Reader::of(b"", SESSION.version, SESSION.what), &known)?;
        session.graph_so_far = SessionGraph::default(); // a call's id may have changed
        session.failed = None;
        session.journal.position = position;
        session.journal.newest = newest;
        Ok(Some((session, host)))
    }

    /// Goes on as a session that was loaded again. Plans and requests made before are stale.
    pub fn continue_as_loaded(&mut self, mut other: Self) {
        other.revision = self.revision + 1;
        other.ladder_since = other.revision;
        self.take_over(other);
    }

    /// Takes over the state of another session. Snapshots of the view stay valid.
    pub fn take_over(&mut self, mut other: Self) {
        self.journal.mark = None; // or the view would be copied for it; and the mark is not used again
        self.context.view.restore_from(std::mem::take(&mut other.context.view));
        other.context.view = std::mem::take(&mut self.context.view);
        let Journal { position, newest, .. } = other.journal;
        *self = other;
        self.begin_journal_after(position, newest);
    }

    /// The position of the newest record.
    pub fn saved_position(&self) -> u64 {
        self.journal.position
    }

    /// The checksum of the newest record; 0 if unknown.
    pub fn newest_record(&self) -> u64 {
        self.journal.newest
    }

    /// Saved records may hold content that must not exist any more: the next save writes the whole session again.
    pub(super) fn restart_journal(&mut self) {
        if self.journal.mark.is_some() {
            self.begin_journal(self.journal.position + 1);
        }
    }

    /// The session is now saved at this position.
    pub fn begin_journal(&mut self, position: u64) {
        self.begin_journal_after(position, 0);
    }

    /// Like [`Self::begin_journal`], after a record with this checksum.
    pub(super) fn begin_journal_after(&mut self, position: u64, newest: u64) {
        self.journal.records.clear();
        (self.journal.position, self.journal.newest) = (position, newest);
        self.journal.mark = Some(Box::new(self.mark_saved(&self.saved_parts())));
    }

    /// The records after a position; `None` if they are not kept any more.
    pub fn records_since(&self, position: u64) -> Option<Vec<u8>> {
        let journal = &self.journal;
        let behind = usize::try_from(journal.position.checked_sub(position)?).ok()?;
        let first = journal.records.len().checked_sub(behind)?;
        Some(journal.records.range(first..).flatten().copied().collect())
    }

    fn saved_parts(&self) -> [Vec<u8>; PART_COUNT] {
        std::array::from_fn(|n| self.save_part(n))
    }

    fn mark_saved(&mut self, parts: &[Vec<u8>; PART_COUNT]) -> Mark {
        Mark {
            context: self.context.mark_saved(),
            method: self.counter.method().as_str().to_owned(),
            parts: std::array::from_fn(|n| Checksum::of(&parts[n])),
            report: self.report.clone(),
            carried: self.carried.clone(),
            costs: self.costs.len(),
        }
    }

    /// The body of a record with what is new; `None` if nothing is.
    fn changes_since(&self, mark: &Mark, parts: &[Vec<u8>; PART_COUNT], host: Vec<u8>) -> Option<Vec<u8>> {
        let part = |n: usize| {
            let is_other = Checksum::of(&parts[n]) != mark.parts[n];
            is_other.then(|| (n as u32, Bytes(parts[n].clone())))
        };
        let is_same_report = match (&mark.report, &self.report) {
            (Some(before), Some(now)) => Rc::ptr_eq(before, now),
            (before, now) => before.is_none() && now.is_none(),
        };
        let method = self.counter.method().as_str();
        let (redacted, summarized) = self.functions();
        let changes = Changes {
            follows: self.journal.newest,
            method: method.to_owned(),
            redacted,
            summarized,
            parts: (0..PART_COUNT).filter_map(part).collect(),
            reported: !is_same_report,
            report: self.report.as_deref().filter(|_| !is_same_report).cloned(),
            carried: self.carried.changes_since(&mark.carried),
            costs: self.costs.get(mark.costs..).unwrap_or_default().to_vec(),
            context: self.context.changes_since(&mark.context),
            host: Bytes(host),
        };
        // Which functions are given goes into every record, but is no reason for one: whoever loads the session gives them again.
        (mark.method != method || changes.is_any()).then(|| {
            let mut out = SESSION.record_writer();
            changes.save(&mut out);
            out.into_bytes()
        })
    }

    /// Whether texts are redacted, and whether there is a summariser. Snapshots cannot hold the functions themselves.
    fn functions(&self) -> (bool, bool) {
        (self.redact.is_some(), self.summarizer.was_given())
    }

    /// One of the parts that are written whole.
    fn save_part(&self, n: usize) -> Vec<u8> {
        let mut out = Writer::default();
        let given;
        match n {
            0 => {
                self.config.window.save(&mut out);
                self.config.limit.save(&mut out);
                self.context.save_rest(&mut out);
                self.usage.save(&mut out);
                self.accuracy.save_without_last_read(&mut out);
                self.prepared_at.save(&mut out);
                self.recovery.save(&mut out);
                self.no_fold_below.save(&mut out);
                self.background.save(&mut out);
                self.unanswered_cost.save(&mut out);
            }
            OPTIONS_PART => {
                given = kept_options(&self.config.given);
                given.save(&mut out);
                self.limits.save(&mut out);
                self.lane.save(&mut out);
                self.origin.save(&mut out);
            }
            2 => self.parts.save(&mut out),
            3 => {
                self.tools.save(&mut out);
                self.allowed_tools.save(&mut out);
            }
            4 => self.forks.save(&mut out),
            _ => self.accuracy.save_last_read(&mut out),
        }
        out.into_bytes()
    }

    fn load_part(&mut self, n: u32, from: &mut Reader<'_>) -> Result<()> {
        match n as usize {
            0 => {
                self.config.window = Saved::load(from)?;
                self.config.limit = Saved::load(from)?;
                self.context.load_rest(from)?;
                self.usage = Saved::load(from)?;
                self.accuracy.load_without_last_read(from)?;
                self.prepared_at = Saved::load(from)?;
                self.recovery = Saved::load(from)?;
                self.no_fold_below = Saved::load(from)?;
                self.background = Saved::load(from)?;
                self.unanswered_cost = Saved::load(from)?;
            }
            OPTIONS_PART => {
                let _given = Value::load(from)?; // read before the session was created: see `RecordTail::options`
                self.limits = Saved::load(from)?;
                self.lane = Saved::load(from)?;
                self.origin = Saved::load(from)?;
            }
            2 => self.parts = Saved::load(from)?,
            3 => {
                self.tools = Saved::load(from)?;
                self.allowed_tools = Saved::load(from)?;
            }
            4 => self.forks = Saved::load(from)?,
            LAST_READ => *self.accuracy.last_read() = Saved::load(from)?,
            _ => return Err(from.invalid("a record has an unknown part")),
        }
        from.finish()
    }
}

impl Changes {
    fn is_any(&self) -> bool {
        self.parts.iter().any(|(n, _)| *n as usize != LAST_READ)
            || self.reported
            || !self.carried.is_empty()
            || !self.costs.is_empty()
            || self.context.is_any()
            || !self.host.0.is_empty()
    }
}

impl Journal {
    fn keep(&mut self, record: Vec<u8>) {
        self.records.push_back(record);
        let mut bytes: usize = self.records.iter().map(Vec::len).sum();
        while bytes > MAX_KEPT_BYTES && self.records.len() > 1 {
            bytes -= self.records.pop_front().map_or(0, |oldest| oldest.len());
        }
    }
}

impl RecordTail {
    /// Reads the records after a snapshot at `position`, and skips those that the snapshot already holds. `newest` is the checksum of
    /// the record before them; 0 if unknown.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID` with the position, `SNAPSHOT_TOO_NEW`.
    pub fn read(records: &[Record<'_>], position: Option<u64>, mut newest: u64) -> Result<Self> {
        let is_far =
            |record: &&Record<'_>| position.is_some_and(|at| record.position.abs_diff(at) > MAX_POSITION_GAP);
        if let Some(record) = records.iter().find(is_far) {
            return Err(Record::damaged(record.position, "belongs to another session"));
        }
        let behind = records.iter().filter(|record| position.is_none_or(|at| record.position > at));
        let mut tail = Vec::new();
        for record in behind {
            let Record { position: at, body, sum } = *record;
            if let Some(position) = position.filter(|position| tail.is_empty() && at != position + 1) {
                return Err(Record::damaged(
                    at,
                    &format!("does not follow the snapshot, which is at position {position}"),
                ));
            }
            if at >= MAX_SAVED_NUMBER {
                return Err(Record::damaged(at, "has an impossible position"));
            }
            let (version, changes) = changes_of(body).map_err(|error| not_read(at, &error))?;
            if changes.follows != newest && changes.follows != 0 && newest != 0 {
                return Err(Record::damaged(
                    at,
                    "does not follow the record before it: two sessions were saved over each other",
                ));
            }
            newest = sum;
            tail.push(ReadRecord { position: at, sum, version, changes });
        }
        Ok(Self(tail))
    }

    /// The position and the checksum of the last record.
    pub fn end(&self) -> Option<(u64, u64)> {
        self.0.last().map(|record| (record.position, record.sum))
    }

    /// What the last record says: how messages are counted, whether texts are redacted, and whether there is a summariser.
    pub fn functions(&self) -> Option<(&str, bool, bool)> {
        let ReadRecord { changes, .. } = self.0.last()?;
        Some((changes.method.as_str(), changes.redacted, changes.summarized))
    }

    /// The options after these records, if they change them.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn options(&self) -> Result<Option<SessionConfig>> {
        let of_options = |record: &ReadRecord| {
            let part = record.changes.parts.iter().find(|(n, _)| *n as usize == OPTIONS_PART)?;
            Some((record.version, part.1.0.clone()))
        };
        let Some((version, bytes)) = self.0.iter().rev().find_map(of_options) else { return Ok(None) };
        let mut from = Reader::of(&bytes, version, SESSION.what);
        let given = Value::load(&mut from)?;
        SessionConfig::from_value(&given).map(Some).map_err(|error| from.invalid(error.message()))
    }

    /// Applies the records to a session, which must be completed afterwards. Removes from `known` what is no longer up to date. Returns
    /// the host's data of each record.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID` with the position.
    pub fn apply_to(self, session: &mut Session, known: &mut Known) -> Result<Vec<Vec<u8>>> {
        let mut host = Vec::new();
        for ReadRecord { position: at, sum: _, version, changes } in self.0 {
            let Changes {
                follows: _,
                method: _,
                redacted: _,
                summarized: _,
                parts,
                reported,
                report,
                carried,
                costs,
                context,
                host: of_host,
            } = changes;
            let other = || Record::damaged(at, "belongs to another session");
            session.context.put_changes(context, known).ok_or_else(other)?;
            for (n, bytes) in parts {
                let mut from = Reader::of(&bytes.0, version, SESSION.what);
                session.load_part(n, &mut from).map_err(|error| not_read(at, &error))?;
            }
            if reported {
                session.report = report.map(Rc::new);
            }
            session.carried.put_changes(carried);
            session.costs.extend(costs);
            host.extend((!of_host.0.is_empty()).then_some(of_host.0));
        }
        Ok(host)
    }
}

/// A record's body: the version that wrote it, and the changes.
fn changes_of(body: &[u8]) -> Result<(u32, Changes)> {
    let (version, mut from) = SESSION.record_reader(body)?;
    let changes = Changes::load(&mut from)?;
    from.finish()?;
    Ok((version, changes))
}

fn not_read(position: u64, error: &Error) -> Error {
    Error::new(error.code(), format!("the journal's record at position {position}: {}", error.message()))
}
