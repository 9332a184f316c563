//! A session as bytes (API-5): everything that makes the next answers what they are.

use serde_json::Value;

use super::config::{SessionConfig, kept};
use super::facade::Session;
use super::notices::Summarizer;
use crate::compaction::Redact;
use crate::compaction::ledger::Memo;
use crate::context::{NodeIndex, NodeKind};
use crate::error::Result;
use crate::saved::{Checksum, Kind, Saved, Writer};
use crate::tokens::Counter;

/// The snapshots of sessions. Version 1: the first. Version 2: the facts of tool outputs that live in the store.
/// Version 3: what older steps are cut to, which view the next usage is of, and where skills are found.
/// Version 4: what decisions cost the prompt cache. Version 5: by which pass messages left the view.
pub const SESSION: Kind = Kind { name: "contextfold-session", version: 5, what: "a session" };

/// A session of a snapshot.
pub struct Restored {
    /// The session, with the options that were saved.
    pub session: Session,
    /// What the host saved with it.
    pub host: Vec<u8>,
    /// Its messages were counted by another tokenizer than the one that it has now: options are to be set with it.
    pub counted_otherwise: bool,
    /// The session that was saved had what it gave away redacted.
    pub redacted: bool,
}

impl Session {
    /// The session as bytes, the same for the same session; `host` is what the host wants to have back. A run that waits for
    /// a summary is not part of it: until it is resumed, the session is as it was before.
    pub fn snapshot(&self, host: &[u8]) -> Vec<u8> {
        let mut body = Vec::new();
        let sum = self.write_snapshot(host, &mut |piece| body.extend_from_slice(piece));
        [SESSION.head(&sum).into_bytes(), body].concat()
    }

    /// The same, what stands behind the first line piece by piece; the checksum is that of all pieces, and of [`SESSION`]'s first
    /// line.
    pub fn write_snapshot(&self, host: &[u8], to: &mut dyn FnMut(&[u8])) -> Checksum {
        let Self {
            context,
            counter,
            config,
            usage,
            accuracy,
            revision: _, // of runs that wait
            ladder_since: _,
            report,
            failed: _, // news: what fails leaves the session as it was
            prepared_at,
            carried,
            redact, // the host's, as the next one
            summarizer,
            store_notice: _, // of the store that it was loaded from
            recovery,
            parts,
            tools,
            allowed_tools,
            resting,
            limits,
            lane,
            origin,
            forks,
            drawn: _, // from the history, when it is asked for
            background,
            costs,
            unanswered_cost,
            failed_calls: _, // news, too
        } = self;
        let mut sum = Checksum::default();
        let mut summed = |piece: &[u8]| {
            sum.add(piece);
            to(piece);
        };
        let mut out = Writer::to(&mut summed);
        out.string(counter.method().as_str());
        let summarized = *summarizer != Summarizer::None;
        out.byte(u8::from(redact.is_some()) | u8::from(summarized) << 1);
        let given = kept(&config.given);
        given.save(&mut out);
        config.window.save(&mut out);
        config.limit.save(&mut out);
        context.save(&mut out);
        usage.save(&mut out);
        accuracy.save(&mut out);
        report.save(&mut out);
        prepared_at.save(&mut out);
        carried.save(&mut out);
        recovery.save(&mut out);
        parts.save(&mut out);
        tools.save(&mut out);
        allowed_tools.save(&mut out);
        resting.save(&mut out);
        limits.save(&mut out);
        lane.save(&mut out);
        origin.save(&mut out);
        forks.save(&mut out);
        background.save(&mut out);
        costs.save(&mut out);
        unanswered_cost.save(&mut out);
        out.bytes(host);
        out.finish();
        sum
    }

    /// The session of these bytes, with the options that were saved; [`Session::set_options`] changes them. `counter` gives
    /// the counter, and is told by which method messages were counted; `redact` is given again, too.
    ///
    /// # Errors
    /// `SNAPSHOT_TOO_NEW` for a version that this one does not know; `SNAPSHOT_INVALID` for anything else that is no
    /// snapshot, or a damaged one; and what `counter` says.
    pub fn restore(
        bytes: &[u8],
        redact: Option<Redact>,
        counter: impl FnOnce(&str) -> Result<Counter>,
    ) -> Result<Restored> {
        let mut from = SESSION.unframed(bytes)?;
        let from = &mut from;
        let method = from.string()?;
        let functions = from.byte()?;
        let (redacted, summarized) = (functions & 1 != 0, functions & 2 != 0);
        from.require(functions < 4, "it names functions that there are not")?;
        let given = Value::load(from)?;
        let config = SessionConfig::from_value(&given).map_err(|error| from.invalid(error.message()))?;
        let counter = counter(method)?;
        let counted_otherwise = counter.method().as_str() != method;
        let mut session = Self::new(config, counter);
        session.redact = redact;
        session.summarizer = if summarized { Summarizer::Missing } else { Summarizer::None };
        (session.config.window, session.config.limit) = (Saved::load(from)?, Saved::load(from)?);
        session.context.load(from)?;
        session.usage = Saved::load(from)?;
        session.accuracy.load_learnt(from)?;
        session.report = Saved::load(from)?;
        session.prepared_at = Saved::load(from)?;
        session.carried = Saved::load(from)?;
        session.recovery = Saved::load(from)?;
        session.parts = Saved::load(from)?;
        session.tools = Saved::load(from)?;
        session.allowed_tools = Saved::load(from)?;
        session.settle_wording();
        session.resting = Saved::load(from)?;
        session.limits = Saved::load(from)?;
        session.lane = Saved::load(from)?;
        session.origin = Saved::load(from)?;
        session.forks = Saved::load(from)?;
        session.background = Saved::load(from)?;
        session.costs = Saved::load(from)?;
        session.unanswered_cost = Saved::load(from)?;
        let history = &session.context.history;
        from.require(session.forks.iter().all(|fork| fork.is_whole(history)), "a branch begins nowhere")?;
        let merged = session.forks.iter().filter_map(|fork| fork.merged).map(|(node, _)| node);
        session.context.results.extend(merged);
        let history = &session.context.history;
        let is_message = |n: NodeIndex| n.get() < history.len() && history.node(n).kind == NodeKind::Message;
        let answered = session.costs.iter().all(|(node, _)| is_message(*node));
        from.require(answered, "a call's cost is of no message")?;
        let host = from.bytes()?.to_vec();
        from.finish()?;
        from.require(
            session.tools.len() == session.allowed_tools.len(),
            "a tool is neither given nor kept back",
        )?;
        if session.redact.is_some() != redacted {
            session.carried = Memo::default(); // it may hold what may not leave now
            session.context.history.forget_redacted_facts(); // and so may these
        }
        Ok(Restored { session, host, counted_otherwise, redacted })
    }
}
