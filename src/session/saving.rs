//! Saves what is new in a session as a record, and takes over the records of another process.

use std::rc::Rc;

use super::graph::SessionGraph;
use super::journal::{Journal, Mark, PART_COUNT, SESSION};
use super::record::{Changes, ReadRecords};
use super::state::Session;
use crate::error::Result;
use crate::saved::{Bytes, Checksum, Record, Saved};

impl Session {
    /// The session's position in its journal now. What is new since the last call becomes a record. A journal begins at `start`.
    /// `host` returns the host's own changes, to be given back when the record is read.
    pub fn journal_position(&mut self, start: u64, host: impl FnOnce(&Self) -> Vec<u8>) -> u64 {
        let Some(mark) = self.journal.mark.take() else {
            self.begin_journal(start, 0);
            return start;
        };
        let host = host(self);
        let parts = self.saved_parts();
        let changes = self.changes_since(&mark, self.journal.newest, &parts, host);
        // Which functions are given goes into every record, but is no reason for one: whoever loads the session gives them again.
        let body = (changes.method != mark.method || changes.is_any()).then(|| {
            let mut out = SESSION.record_writer();
            changes.save(&mut out);
            out.into_bytes()
        });
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
        let tail = ReadRecords::read(records, Some(self.journal.position), self.journal.newest)?;
        let method = self.counting.counter.method().as_str();
        if tail.changes().any(|changes| changes.method != method || changes.has_options()) {
            return Ok(None);
        }
        let (position, newest) = tail.end().unwrap_or((self.journal.position, self.journal.newest));
        let mut session = self.clone();
        let (mut known, mut host) = (self.context.known(), Vec::new());
        tail.apply_to(&mut session, &mut known, &mut host)?;
        session.restore_derived(&known)?;
        session.lanes.graph = SessionGraph::default(); // a call's id may have changed
        session.runs.failed = None;
        session.journal.position = position;
        session.journal.newest = newest;
        Ok(Some((session, host)))
    }

    /// Goes on as a session that was loaded again. Plans and requests made before are stale.
    pub fn continue_as_loaded(&mut self, mut other: Self) {
        other.runs.revision = self.runs.revision + 1;
        other.runs.stale_before = other.runs.revision;
        self.take_over(other);
    }

    /// Takes over the state of another session. Snapshots of the view stay valid.
    pub fn take_over(&mut self, mut other: Self) {
        self.journal.mark = None; // or the view would be copied for it; and the mark is not used again
        self.context.view.restore_from(std::mem::take(&mut other.context.view));
        other.context.view = std::mem::take(&mut self.context.view);
        let Journal { position, newest, .. } = other.journal;
        *self = other;
        self.begin_journal(position, newest);
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
            self.begin_journal(self.journal.position + 1, 0);
        }
    }

    /// The session is now saved at this position, by a record with the checksum `newest`; 0 if unknown, or none.
    pub fn begin_journal(&mut self, position: u64, newest: u64) {
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

    pub(super) fn saved_parts(&self) -> [Vec<u8>; PART_COUNT] {
        std::array::from_fn(|n| self.save_part(n))
    }

    fn mark_saved(&mut self, parts: &[Vec<u8>; PART_COUNT]) -> Mark {
        Mark {
            context: self.context.mark_saved(),
            method: self.counting.counter.method().as_str().to_owned(),
            parts: std::array::from_fn(|n| Checksum::of(&parts[n])),
            report: self.runs.report.clone(),
            carried: self.runs.carried.clone(),
            costs: self.costs.answered.len(),
        }
    }

    /// What is new since the mark; `parts` are those of now, and `follows` the newest record.
    pub(super) fn changes_since(
        &self,
        mark: &Mark,
        follows: u64,
        parts: &[Vec<u8>; PART_COUNT],
        host: Vec<u8>,
    ) -> Changes<'_> {
        let part = |n: usize| {
            let is_other = Checksum::of(&parts[n]) != mark.parts[n];
            is_other.then(|| (n as u32, Bytes(parts[n].clone())))
        };
        let is_same_report = match (&mark.report, &self.runs.report) {
            (Some(before), Some(now)) => Rc::ptr_eq(before, now),
            (before, now) => before.is_none() && now.is_none(),
        };
        Changes {
            follows,
            method: self.counting.counter.method().as_str().to_owned(),
            redacted: self.host.redact.is_some(),
            summarized: self.host.summarizer.was_given(),
            parts: (0..PART_COUNT).filter_map(part).collect(),
            reported: !is_same_report,
            report: self.runs.report.clone().filter(|_| !is_same_report),
            carried: self.runs.carried.changes_since(&mark.carried),
            costs: self.costs.answered.get(mark.costs..).unwrap_or_default().to_vec(),
            context: self.context.changes_since(&mark.context),
            host: Bytes(host),
        }
    }
}
