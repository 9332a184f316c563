//! A record of the journal: what it holds, and how it is read and applied to a session.

use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use super::config::{SessionConfig, kept_options};
use super::journal::{LAST_READ, OPTIONS_PART, SESSION};
use super::parts::{Lanes, Prompt};
use super::state::Session;
use crate::compaction::ledger::CarriedFacts;
use crate::context::{ContextChanges, ContextCost, Known, NodeIndex, Report};
use crate::error::{Error, Result};
use crate::saved::{Bytes, MAX_SAVED_NUMBER, MapEdit, Reader, Record, Saved, Writer, saved};

/// A position farther away than this belongs to another journal: each journal begins at a random position, and no session
/// is saved this often.
pub const MAX_POSITION_GAP: u64 = 1 << 24;

/// What a record holds.
pub(super) struct Changes {
    /// The checksum of the record before this one; 0 if unknown. The position alone cannot tell apart the records of two processes
    /// that saved at once.
    pub follows: u64,
    /// How messages are counted.
    pub method: String,
    pub redacted: bool,
    pub summarized: bool,
    pub parts: Vec<(u32, Bytes)>,
    /// The report was replaced or removed.
    pub reported: bool,
    pub report: Option<Report>,
    pub carried: MapEdit<NodeIndex, Arc<CarriedFacts>>,
    pub costs: Vec<(NodeIndex, ContextCost)>,
    pub context: ContextChanges,
    /// Data that the host wants back when the record is read.
    pub host: Bytes,
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

impl Changes {
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
                session.runs.report = report.map(Rc::new);
            }
            session.runs.carried.put_changes(carried);
            session.costs.answered.extend(costs);
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

saved!(rest of Lanes { limits, lane, origin });
saved!(rest of Prompt { tools, allowed_tools });
saved!(rest of Session { runs.prepared_at, runs.refusals, runs.no_fold_below, background, costs.unanswered, costs.failed });

impl Session {
    /// One of the parts that are written whole.
    pub(super) fn save_part(&self, n: usize) -> Vec<u8> {
        let mut out = Writer::default();
        let given;
        match n {
            0 => {
                self.config.window.save(&mut out);
                self.config.limit.save(&mut out);
                self.context.save_rest(&mut out);
                self.counting.usage.save(&mut out);
                self.counting.accuracy.save_rest(&mut out);
                self.save_rest(&mut out);
            }
            OPTIONS_PART => {
                given = kept_options(&self.config.given);
                given.save(&mut out);
                self.lanes.save_rest(&mut out);
            }
            2 => self.prompt.parts.save(&mut out),
            3 => self.prompt.save_rest(&mut out),
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
                self.context.load_rest(from)?;
                self.counting.usage = Saved::load(from)?;
                self.counting.accuracy.load_rest(from)?;
                self.load_rest(from)?;
            }
            OPTIONS_PART => {
                let _given = Value::load(from)?; // read before the session was created: see `RecordTail::options`
                self.lanes.load_rest(from)?;
            }
            2 => self.prompt.parts = Saved::load(from)?,
            3 => self.prompt.load_rest(from)?,
            4 => self.lanes.forks = Saved::load(from)?,
            LAST_READ => self.counting.accuracy.sent.shown = Saved::load(from)?,
            _ => return Err(from.invalid("a record has an unknown part")),
        }
        from.finish()
    }
}
