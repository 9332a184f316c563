//! What a snapshot or a record of the journal holds, and how it is read and applied to a session.

use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use super::config::{SessionConfig, kept_options};
use super::journal::{LAST_READ, OPTIONS_PART, PART_COUNT, SESSION};
use super::state::Session;
use crate::compaction::ledger::CarriedFacts;
use crate::context::{ContextChanges, ContextCost, Known, NodeIndex, Report};
use crate::error::{Error, Result};
use crate::saved::{Bytes, MAX_SAVED_NUMBER, MapEdit, Reader, Record, Saved, SavedInPlace, Writer, saved};

/// A position farther away than this belongs to another journal: each journal begins at a random position, and no session
/// is saved this often.
pub const MAX_POSITION_GAP: u64 = 1 << 24;

/// What changed in a session: the content of a record. A snapshot holds what changed in a session of which nothing is saved yet.
pub(super) struct Changes<'c> {
    /// The checksum of the record before this one; 0 if unknown, or none. The position alone cannot tell apart the records of two processes
    /// that saved at once.
    pub follows: u64,
    /// How messages are counted.
    pub method: String,
    pub redacted: bool,
    pub summarized: bool,
    pub parts: Vec<(u32, Bytes)>,
    /// The report was replaced or removed.
    pub reported: bool,
    pub report: Option<Rc<Report>>,
    pub carried: MapEdit<NodeIndex, Arc<CarriedFacts>>,
    pub costs: Vec<(NodeIndex, ContextCost)>,
    pub context: ContextChanges<'c>,
    /// Data that the host wants back when this is read.
    pub host: Bytes,
}

saved!(struct Changes<'c> { follows, method, redacted, summarized, parts, reported, report, carried, costs, context, host });

impl Changes<'_> {
    /// Whether there is a reason to write a record.
    pub fn is_any(&self) -> bool {
        self.parts.iter().any(|(n, _)| *n as usize != LAST_READ)
            || self.reported
            || !self.carried.is_empty()
            || !self.costs.is_empty()
            || self.context.is_any()
            || !self.host.0.is_empty()
    }
}

impl Changes<'static> {
    /// Reads what [`Session::changes_since`] returned.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn read(mut from: Reader<'_>) -> Result<Self> {
        let changes = Self::load(&mut from)?;
        from.finish()?;
        Ok(changes)
    }

    /// Whether every part is there, as in a snapshot.
    pub fn has_all_parts(&self) -> bool {
        self.parts.iter().map(|(n, _)| *n as usize).eq(0..PART_COUNT)
    }

    /// Whether the options changed.
    pub fn has_options(&self) -> bool {
        self.options().is_some()
    }

    fn options(&self) -> Option<&[u8]> {
        self.parts.iter().find(|(n, _)| *n as usize == OPTIONS_PART).map(|(_, bytes)| &*bytes.0)
    }

    /// The options after all these changes.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn last_options<'c>(changes: impl DoubleEndedIterator<Item = &'c Self>) -> Result<SessionConfig> {
        let bytes = changes.rev().find_map(Self::options);
        let bytes = bytes.ok_or_else(|| SESSION.invalid("it has no options"))?;
        let given = Value::load(&mut Reader::of(bytes, SESSION.what))?;
        SessionConfig::from_value(&given).map_err(|error| SESSION.invalid(error.message()))
    }

    /// Applies the changes to a session, which must be completed afterwards. Removes from `known` what is no longer up to date. Appends
    /// the host's data, if there is any.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn apply_to(self, session: &mut Session, known: &mut Known, host: &mut Vec<Vec<u8>>) -> Result<()> {
        let Self {
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
        } = self;
        let fits = session.context.put_changes(context, known).is_some();
        SESSION.require(fits, "it has changes of another session")?;
        for (n, bytes) in parts {
            session.load_part(n, &mut Reader::of(&bytes.0, SESSION.what))?;
        }
        if reported {
            session.runs.report = report;
        }
        session.runs.carried.put_changes(carried);
        session.costs.answered.extend(costs);
        host.extend((!of_host.0.is_empty()).then_some(of_host.0));
        Ok(())
    }
}

/// Records, as read.
pub(super) struct ReadRecords(Vec<ReadRecord>);

struct ReadRecord {
    position: u64,
    sum: u64,
    changes: Changes<'static>,
}

impl ReadRecords {
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
            let changes = SESSION.record_reader(body).and_then(Changes::read);
            let changes = changes.map_err(|error| not_read(at, &error))?;
            if changes.follows != newest && changes.follows != 0 && newest != 0 {
                return Err(Record::damaged(
                    at,
                    "does not follow the record before it: two sessions were saved over each other",
                ));
            }
            newest = sum;
            tail.push(ReadRecord { position: at, sum, changes });
        }
        Ok(Self(tail))
    }

    /// The position and the checksum of the last record.
    pub fn end(&self) -> Option<(u64, u64)> {
        self.0.last().map(|record| (record.position, record.sum))
    }

    /// What each record holds.
    pub fn changes(&self) -> impl DoubleEndedIterator<Item = &Changes<'static>> {
        self.0.iter().map(|record| &record.changes)
    }

    /// Applies them in order: see [`Changes::apply_to`].
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID` with the position.
    pub fn apply_to(self, session: &mut Session, known: &mut Known, host: &mut Vec<Vec<u8>>) -> Result<()> {
        self.0.into_iter().try_for_each(|ReadRecord { position, changes, .. }| {
            changes.apply_to(session, known, host).map_err(|error| not_read(position, &error))
        })
    }
}

fn not_read(position: u64, error: &Error) -> Error {
    Error::new(error.code(), format!("the journal's record at position {position}: {}", error.message()))
}

// What is small: part 0.
saved!(place Session { context, counting, runs, background, costs } but {
    config, prompt, lanes, // other parts, and the limits beside this one
    host, // given again
    journal, // about saved sessions, not part of them
});

impl Session {
    /// One of the parts that are written whole.
    pub(super) fn save_part(&self, n: usize) -> Vec<u8> {
        let mut out = Writer::default();
        let given;
        match n {
            0 => {
                self.config.window.save(&mut out);
                self.config.limit.save(&mut out);
                self.save_fields(&mut out);
            }
            OPTIONS_PART => {
                given = kept_options(&self.config.given);
                given.save(&mut out);
                self.lanes.save_fields(&mut out);
            }
            2 => self.prompt.parts.save(&mut out),
            3 => self.prompt.save_fields(&mut out),
            4 => self.lanes.forks.save(&mut out),
            _ => self.counting.accuracy.sent.shown.save(&mut out),
        }
        out.into_bytes()
    }

    fn load_part(&mut self, n: u32, from: &mut Reader<'_>) -> Result<()> {
        match n as usize {
            0 => {
                self.config.window = Saved::load(from)?;
                self.config.limit = Saved::load(from)?;
                self.load_fields(from)?;
            }
            OPTIONS_PART => {
                let _given = Value::load(from)?; // read before the session was created: see `Changes::last_options`
                self.lanes.load_fields(from)?;
            }
            2 => self.prompt.parts = Saved::load(from)?,
            3 => self.prompt.load_fields(from)?,
            4 => self.lanes.forks = Saved::load(from)?,
            LAST_READ => self.counting.accuracy.sent.shown = Saved::load(from)?,
            _ => return Err(from.invalid("it has an unknown part")),
        }
        from.finish()
    }
}
