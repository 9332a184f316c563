//! A session as bytes (API-5): everything that affects what the session does next.

use serde_json::Value;

use super::config::{SessionConfig, kept_options};
use super::journal::SESSION;
use super::record::RecordTail;
use super::state::Session;
use super::summarizer::Summarizer;
use crate::compaction::Redact;
use crate::compaction::ledger::Memo;
use crate::context::{Known, NodeIndex, NodeKind};
use crate::error::Result;
use crate::saved::{Checksum, Reader, Record, Saved, SavedInPlace, Writer, saved};
use crate::tokens::Counter;

saved!(place Session { context, counting, runs, prompt, lanes, background, costs } but {
    config, // written before, because the session is made with it
    host, // given again
    journal, // about saved sessions, not part of them
});

/// A session that was loaded from a snapshot.
pub struct Restored {
    /// The session, with the options that were saved.
    pub session: Session,
    /// What the host saved with it.
    pub host: Vec<u8>,
    /// What the host saved with the records after it, oldest first.
    pub host_changes: Vec<Vec<u8>>,
    /// The messages were counted by another tokenizer than the session has now: call [`Session::set_options`] with the counter.
    pub counted_otherwise: bool,
    /// The saved session had a redaction.
    pub redacted: bool,
}

impl Session {
    /// The session as bytes; equal sessions give equal bytes. `host` is data that the host wants back. A run that waits for a
    /// summary is not included: until it is resumed, the session is as it was before the run.
    pub fn snapshot(&self, host: &[u8]) -> Vec<u8> {
        let mut body = Vec::new();
        let sum = self.write_snapshot(host, &mut |piece| body.extend_from_slice(piece));
        [SESSION.head(sum).into_bytes(), body].concat()
    }

    /// Like [`Session::snapshot`], but passes what follows the first line to `to`, piece by piece. Returns the checksum of all pieces,
    /// which [`SESSION`]'s first line needs.
    pub fn write_snapshot(&self, host: &[u8], to: &mut dyn FnMut(&[u8])) -> Checksum {
        let mut sum = Checksum::default();
        let given = kept_options(&self.config.given);
        let mut summed = |piece: &[u8]| {
            sum.add(piece);
            to(piece);
        };
        let mut out = Writer::to(&mut summed);
        self.write(&given, host, &mut out);
        out.finish();
        sum
    }

    /// Bytes that depend only on content, not on how memory is shared: a session whose journal was replayed has the same bytes as the
    /// one that wrote it.
    pub fn content(&self) -> Vec<u8> {
        let given = kept_options(&self.config.given);
        let mut out = Writer::without_sharing();
        self.write(&given, b"", &mut out);
        out.into_bytes()
    }

    fn write<'s>(&'s self, given: &'s Value, host: &'s [u8], out: &mut Writer<'s>) {
        out.string(self.counting.counter.method().as_str());
        out.byte(u8::from(self.host.redact.is_some()) | u8::from(self.host.summarizer.was_given()) << 1);
        given.save(out);
        self.config.window.save(out);
        self.config.limit.save(out);
        self.save_fields(out);
        out.bytes(host);
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
        let tail = RecordTail::read(records, position, 0)?;
        let mut from = SESSION.unframed(bytes)?;
        let from = &mut from;
        let method = from.string()?;
        let functions = from.byte()?;
        from.require(functions < 4, "it names unknown functions")?;
        let of_snapshot = (method, functions & 1 != 0, functions & 2 != 0);
        let (method, redacted, summarized) = tail.functions().unwrap_or(of_snapshot);
        let given = Value::load(from)?;
        let config = match tail.options()? {
            Some(config) => config,
            None => SessionConfig::from_value(&given).map_err(|error| from.invalid(error.message()))?,
        };
        let counter = counter(method)?;
        let counted_otherwise = counter.method().as_str() != method;
        let mut session = Self::new(config, counter);
        session.host.redact = redact;
        session.host.summarizer = if summarized { Summarizer::Missing } else { Summarizer::Unknown };
        (session.config.window, session.config.limit) = (Saved::load(from)?, Saved::load(from)?);
        session.load_fields(from)?;
        let host = from.bytes()?.to_vec();
        from.finish()?;
        let end = tail.end();
        let (position, newest) =
            (end.map(|(position, _)| position).or(position), end.map_or(0, |(_, sum)| sum));
        let mut known = Known::default();
        let host_changes = tail.apply_to(&mut session, &mut known)?;
        session.restore_derived(from, &known)?;
        if let Some(position) = position {
            session.begin_journal_after(position, newest); // later changes by the caller are new
        }
        if session.host.redact.is_some() != redacted {
            session.runs.carried = Memo::default(); // it may hold text that must be redacted now
            session.context.history.forget_redacted_facts(); // and so may these
        }
        Ok(Restored { session, host, host_changes, counted_otherwise, redacted })
    }

    /// Checks what was loaded, and derives the rest: see [`Context::complete`](crate::context::Context::complete).
    pub(super) fn restore_derived(&mut self, from: &Reader<'_>, known: &Known) -> Result<()> {
        self.context.complete(from, known)?;
        let history = &self.context.history;
        from.require(
            self.lanes.forks.iter().all(|fork| fork.is_whole(history)),
            "a branch has no starting point",
        )?;
        let merged = self.lanes.forks.iter().filter_map(|fork| fork.merged).map(|(node, _)| node);
        self.context.results.extend(merged);
        let history = &self.context.history;
        let is_message = |n: NodeIndex| n.get() < history.len() && history.node(n).kind == NodeKind::Message;
        let answered = self.costs.answered.iter().all(|(node, _)| is_message(*node));
        from.require(answered, "a model call's cost belongs to no message")?;
        let failed_at = self.costs.failed.iter().map(|(entered, _)| *entered);
        let is_past = failed_at.clone().all(|entered| entered <= history.len());
        from.require(is_past && failed_at.is_sorted(), "a call failed at an impossible time")?;
        from.require(
            self.prompt.tools.len() == self.prompt.allowed_tools.len(),
            "a tool is neither allowed nor filtered out",
        )?;
        self.update_wording();
        Ok(())
    }
}
