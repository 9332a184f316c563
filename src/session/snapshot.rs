//! A session as bytes (API-5): everything that affects what the session does next.

use super::journal::{Mark, SESSION};
use super::record::{Changes, ReadRecords};
use super::state::Session;
use super::summarizer::Summarizer;
use crate::compaction::Redact;
use crate::compaction::ledger::Memo;
use crate::context::{Known, NodeIndex, NodeKind};
use crate::error::Result;
use crate::saved::{Checksum, Record, Saved, Writer};
use crate::tokens::Counter;

/// A session that was loaded from a snapshot.
pub struct Restored {
    /// The session, with the options that were saved.
    pub session: Session,
    /// What the host saved with the snapshot and with the records after it, oldest first.
    pub host: Vec<Vec<u8>>,
    /// The messages were counted by another tokenizer than the session has now: call [`Session::set_options`] with the counter.
    pub counted_otherwise: bool,
    /// The saved session had a redaction.
    pub redacted: bool,
}

impl Session {
    /// The session as bytes; equal sessions give equal bytes. `host` is data that the host wants back. A run that waits for a
    /// summary is not included: until it is resumed, the session is as it was before the run.
    pub fn snapshot(&self, host: &[u8]) -> Vec<u8> {
        let mut bytes = SESSION.head(Checksum::default()).into_bytes();
        let body = bytes.len();
        let sum = self.write_snapshot(host.to_vec(), &mut |piece| bytes.extend_from_slice(piece));
        bytes[..body].copy_from_slice(SESSION.head(sum).as_bytes());
        bytes
    }

    /// Like [`Session::snapshot`], but passes what follows the first line to `to`, piece by piece. Returns the checksum of all pieces,
    /// which [`SESSION`]'s first line needs.
    pub fn write_snapshot(&self, host: Vec<u8>, to: &mut dyn FnMut(&[u8])) -> Checksum {
        let mut sum = Checksum::default();
        let mut summed = |piece: &[u8]| {
            sum.add(piece);
            to(piece);
        };
        let all = self.all_changes(host);
        let mut out = Writer::to(&mut summed);
        all.save(&mut out);
        out.finish();
        sum
    }

    /// Bytes that depend only on content, not on how memory is shared: a session whose journal was replayed has the same bytes as the
    /// one that wrote it.
    pub fn content(&self) -> Vec<u8> {
        let all = self.all_changes(Vec::new());
        let mut out = Writer::without_sharing();
        all.save(&mut out);
        out.into_bytes()
    }

    /// Everything: what changed since nothing was saved.
    fn all_changes(&self, host: Vec<u8>) -> Changes<'_> {
        self.changes_since(&Mark::default(), 0, &self.saved_parts(), host)
    }

    /// Restores a session with the options that were saved; [`Session::set_options`] changes them. `counter` gets the name of the
    /// method that counted the messages and returns a counter. `redact` has to be given again.
    ///
    /// # Errors
    /// `SNAPSHOT_TOO_NEW` for a version that this one does not know; `SNAPSHOT_INVALID` for bytes that are no snapshot, or a
    /// damaged one; and the errors of `counter`.
    pub fn restore(
        bytes: &[u8],
        redact: Option<Redact>,
        counter: impl FnOnce(&str) -> Result<Counter>,
    ) -> Result<Restored> {
        Self::restore_with(bytes, None, &[], redact, counter)
    }

    /// Like [`Session::restore`], with the records of its journal that follow the snapshot. `position` is the snapshot's position, if
    /// known.
    ///
    /// # Errors
    /// Those of [`Session::restore`]; errors of a record name its position.
    pub fn restore_with(
        bytes: &[u8],
        position: Option<u64>,
        records: &[Record<'_>],
        redact: Option<Redact>,
        counter: impl FnOnce(&str) -> Result<Counter>,
    ) -> Result<Restored> {
        let tail = ReadRecords::read(records, position, 0)?;
        let snapshot = Changes::read(SESSION.unframed(bytes)?)?;
        SESSION.require(snapshot.has_all_parts(), "a part of it is missing")?;
        let all = || std::iter::once(&snapshot).chain(tail.changes());
        let config = Changes::last_options(all())?;
        let Changes { method, redacted, summarized, .. } = all().next_back().unwrap_or(&snapshot);
        let counter = counter(method)?;
        let counted_otherwise = counter.method().as_str() != method;
        let redacted = *redacted;
        let mut session = Self::new(config, counter);
        session.host.redact = redact;
        session.host.summarizer = if *summarized { Summarizer::Missing } else { Summarizer::Unknown };
        let end = tail.end();
        let (position, newest) =
            (end.map(|(position, _)| position).or(position), end.map_or(0, |(_, sum)| sum));
        let (mut known, mut host) = (Known::default(), Vec::new());
        snapshot.apply_to(&mut session, &mut known, &mut host)?;
        tail.apply_to(&mut session, &mut known, &mut host)?;
        session.restore_derived(&known)?;
        if let Some(position) = position {
            session.begin_journal(position, newest); // later changes by the caller are new
        }
        if session.host.redact.is_some() != redacted {
            session.runs.carried = Memo::default(); // it may hold text that must be redacted now
            session.context.history.forget_redacted_facts(); // and so may these
        }
        Ok(Restored { session, host, counted_otherwise, redacted })
    }

    /// Checks what was loaded, and derives the rest: see [`Context::complete`](crate::context::Context::complete).
    pub(super) fn restore_derived(&mut self, known: &Known) -> Result<()> {
        self.context.complete(&SESSION, known)?;
        let history = &self.context.history;
        SESSION.require(
            self.lanes.forks.iter().all(|fork| fork.is_whole(history)),
            "a branch has no starting point",
        )?;
        let merged = self.lanes.forks.iter().filter_map(|fork| fork.merged).map(|(node, _)| node);
        self.context.results.extend(merged);
        let history = &self.context.history;
        let is_message = |n: NodeIndex| n.get() < history.len() && history.node(n).kind == NodeKind::Message;
        let answered = self.costs.answered.iter().all(|(node, _)| is_message(*node));
        SESSION.require(answered, "a model call's cost belongs to no message")?;
        let failed_at = self.costs.failed.iter().map(|(entered, _)| *entered);
        let is_past = failed_at.clone().all(|entered| entered <= history.len());
        SESSION.require(is_past && failed_at.is_sorted(), "a call failed at an impossible time")?;
        SESSION.require(
            self.prompt.tools.len() == self.prompt.allowed_tools.len(),
            "a tool is neither allowed nor filtered out",
        )?;
        self.update_wording();
        Ok(())
    }
}
