use std::rc::Rc;

use super::answers::Answer;
use super::copies::Copies;
use super::recorded::Recorded;
use super::retention::Retention;
use super::run::{
    CacheBreak, SimulatedCall, SimulatedCompactions, SimulatedError, SimulatedRequest, SimulatedRun,
};
use super::survival::Survival;
use super::trail::Trail;
use super::transcript::Transcript;
use crate::compaction::{self, Reason};
use crate::context::{EventName, Report};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::model::{Costs, Price};
use crate::session::{Fit, Pending, Session};

/// A piece's summary is asked to take at most this share of the piece.
const SHARE_OF_A_PIECE: u64 = 4;

/// What a replay goes by, beside the session.
pub(super) struct Terms {
    /// The run's name.
    pub preset: String,
    pub recorded: Rc<Recorded>,
    /// What tokens cost, where that is known.
    pub price: Option<Price>,
    /// Ids of messages that are pinned as soon as they are there.
    pub pins: Vec<String>,
}

/// A recorded transcript on its way through a new session, call by call.
///
/// What stands before an assistant's answer was the input of a model call: it is pushed, and the view prepared as a host
/// would before it asks its model. Summaries are the extractive summariser's. Assistant messages in a row are one answer. A
/// call whose view cannot be prepared is recorded with the error, and goes out as it is.
///
/// It goes forward by as many calls as it is told, and then looks for the facts in the views. The time is linear in the transcript
/// and in what the ladder edits; the same transcript under the same options gives the same run, in whatever steps.
pub struct Replay {
    transcript: Rc<Transcript>,
    terms: Terms,
    /// Before the first call.
    beginning: Session,
    session: Session,
    /// Answers before which the session has been.
    answered: usize,
    calls: Vec<SimulatedCall>,
    compactions: SimulatedCompactions,
    costs: Option<Costs>,
    trail: Trail,
    copies: Copies,
    survival: Option<Survival>,
    /// What the views had, for each step of the trail that was looked at.
    shares: Vec<Retention>,
}

impl Replay {
    pub(super) fn new(session: Session, transcript: Rc<Transcript>, terms: Terms) -> Self {
        Self {
            costs: terms.price.as_ref().map(|_| Costs::default()),
            transcript,
            terms,
            beginning: session.clone(),
            session,
            answered: 0,
            calls: Vec::new(),
            compactions: SimulatedCompactions::default(),
            trail: Trail::default(),
            copies: Copies::default(),
            survival: None,
            shares: Vec::new(),
        }
    }

    /// How far it has come, 0 to 1.
    pub fn share(&self) -> f64 {
        let all = self.transcript.answers.len();
        if all == 0 { 1.0 } else { self.answered as f64 / all as f64 }
    }

    /// Replays up to `calls` further calls; true while there are more.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` for a message that [`Session::push`] refuses.
    pub fn advance(&mut self, calls: usize) -> Result<bool> {
        let until = self.calls.len().saturating_add(calls);
        while let Some(answer) = self.transcript.answers.get(self.answered).copied() {
            if self.calls.len() >= until {
                return Ok(true);
            }
            self.answered += 1;
            if push(&mut self.session, &self.transcript.messages, &answer, &self.terms.pins)? {
                self.call();
            }
        }
        if self.trail.steps.is_empty() && !self.transcript.answers.is_empty() {
            self.trail.note(self.session.context(), self.answered - 1); // nothing was folded: the last view says it all
        }
        Ok(false)
    }

    fn call(&mut self) {
        let at = self.calls.len();
        let folds = self.compactions.count;
        let mut call = call(&mut self.session, at, &mut self.compactions);
        call.lose(self.calls.last().map_or(0, |before| before.tokens));
        call.output_tokens = self.terms.recorded.outputs.get(at).copied().unwrap_or_default();
        if let (Some(price), Some(costs)) = (&self.terms.price, &mut self.costs) {
            let cost = price.request(call.tokens, call.cached_tokens, call.output_tokens);
            call.cost = Some(cost.total());
            *costs += cost;
        }
        self.calls.push(call);
        if self.compactions.count > 0 {
            self.trail.note(self.session.context(), self.answered - 1);
        }
        self.copies.offer(&self.session, at, self.answered, self.compactions.count > folds);
    }

    /// Looks for the facts of the transcript in the views of up to `calls` further calls, once all were replayed; true while there
    /// are more.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` while there are calls to replay: what stands in the outputs to come is not known yet.
    pub fn look(&mut self, calls: usize) -> Result<bool> {
        let left = self.transcript.answers.len() - self.answered;
        if left > 0 {
            let why = format!(
                "{left} calls are still to be replayed: look when `advance` says that there are no more"
            );
            return Err(Error::argument(why));
        }
        let Transcript { messages, answers, known, .. } = &*self.transcript;
        let mut known = known.borrow_mut();
        let outputs = &self.session.context().outputs;
        for _ in 0..calls {
            if known.find_more(messages, answers) {
                continue;
            }
            let Some(step) = self.trail.steps.get(self.shares.len()) else { return Ok(false) };
            let survival = self.survival.get_or_insert_with(|| Survival::new(&known, outputs));
            self.shares.push(survival.after(step, messages, &mut known, outputs));
        }
        Ok(true)
    }

    /// The run, to its end.
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    pub(super) fn into_run(mut self) -> Result<SimulatedRun> {
        self.finish()?;
        Ok(self.run())
    }

    /// Replays and looks for what is left to be replayed and looked for.
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    pub fn finish(&mut self) -> Result<()> {
        while self.advance(usize::MAX)? {}
        while self.look(usize::MAX)? {}
        Ok(())
    }

    /// What it gave so far; of the facts, what has been looked for.
    pub fn run(&self) -> SimulatedRun {
        let mut compactions = self.compactions.clone();
        compactions.cost = self.terms.price.as_ref().map(|price| {
            compactions.asked.iter().map(|r| price.single_request(r.input_tokens, r.output_tokens)).sum()
        });
        let limit = self.session.config().limit.unwrap_or(u64::MAX);
        let calls = &self.calls;
        SimulatedRun {
            preset: self.terms.preset.clone(),
            window: self.session.config().window.unwrap_or(u64::MAX),
            limit,
            threshold: self.session.threshold().unwrap_or(u64::MAX),
            cost: self.costs.map(|c| c.total() + compactions.cost.unwrap_or_default()),
            costs: self.costs,
            tokens_total: calls.iter().map(|c| c.tokens).sum(),
            tokens_largest: calls.iter().map(|c| c.tokens).max().unwrap_or(0),
            output_tokens: calls.iter().map(|c| c.output_tokens).sum(),
            calls_over_limit: calls.iter().filter(|c| self.session.corrected(c.tokens) > limit).count()
                as u64,
            cache_hit_ratio: cache_hit_ratio(calls),
            cache_write_tokens: calls.iter().map(|c| c.cache_write_tokens).sum(),
            cache_breaks: CacheBreak::of(calls),
            retention: self.shares.last().copied().unwrap_or(Retention::OF_NOTHING),
            retention_mean: if compactions.count > 0 { mean(&self.shares) } else { None },
            compactions,
            calls: calls.clone(),
        }
    }

    /// The session as it is before the answer to call `at`; where there are fewer, with all that was said, prepared for the call
    /// that would be next. What the views were prepared to on the way there is in it.
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    pub fn session_at(&self, at: usize) -> Result<Session> {
        let Transcript { messages, answers, .. } = &*self.transcript;
        let mut compactions = SimulatedCompactions::default();
        let (mut session, mut calls, mut answered) =
            self.copies.before(at).unwrap_or_else(|| (self.beginning.clone(), 0, 0));
        while calls <= at {
            let Some(answer) = answers.get(answered).copied() else {
                let rest = answers.last().map_or(0, |answer| answer.begin);
                let rest = Answer { pushed: rest, begin: messages.len(), end: messages.len() };
                if push(&mut session, messages, &rest, &self.terms.pins)? {
                    call(&mut session, calls, &mut compactions);
                }
                break;
            };
            answered += 1;
            if push(&mut session, messages, &answer, &self.terms.pins)? {
                call(&mut session, calls, &mut compactions);
                calls += 1;
            }
        }
        Ok(session)
    }
}

/// The share of the calls' tokens that stood in the call before.
pub(super) fn cache_hit_ratio(calls: &[SimulatedCall]) -> f64 {
    let total: u64 = calls.iter().map(|c| c.tokens).sum();
    let cached: u64 = calls.iter().map(|c| c.cached_tokens).sum();
    if total == 0 { 0.0 } else { cached as f64 / total as f64 }
}

/// Pushes what stands before an answer; false where that is nothing: no call could be made.
fn push(session: &mut Session, messages: &[Message], answer: &Answer, pins: &[String]) -> Result<bool> {
    let added = session.push(messages[answer.pushed..answer.begin].to_vec())?;
    if !pins.is_empty() {
        for id in session.context().ids(&added) {
            if pins.contains(&id) {
                session.set_pinned(&id, true)?;
            }
        }
    }
    Ok(!session.context().view.is_empty())
}

/// One call: the view is prepared, and what it is then goes out.
fn call(session: &mut Session, at: usize, compactions: &mut SimulatedCompactions) -> SimulatedCall {
    let prepared = prepare(session, at, compactions);
    let folds = session.take_events().iter().filter(|e| e.event == EventName::CompactionFinished).count();
    compactions.count += folds as u64;
    let (decisions, error) = match prepared {
        Ok(report) => {
            return SimulatedCall {
                tokens: report.tokens_after,
                parts: report.parts.clone(),
                decisions: report.decisions.clone(),
                cached_tokens: report.stable_prefix_tokens,
                cache_write_tokens: report.tokens_after - report.stable_prefix_tokens,
                cache_lost_tokens: 0,
                cache_broken_by: None,
                output_tokens: 0,
                cost: None,
                error: None,
            };
        }
        Err(error) => (session.report().map(|r| r.decisions.clone()).unwrap_or_default(), error),
    };
    let cached_tokens = session.context().view.stable_prefix_tokens().min(session.tokens());
    SimulatedCall {
        tokens: session.tokens(),
        parts: session.context().part_reports(),
        decisions,
        cached_tokens,
        cache_write_tokens: session.tokens() - cached_tokens,
        cache_lost_tokens: 0,
        cache_broken_by: None,
        output_tokens: 0,
        cost: None,
        error: Some(SimulatedError { code: error.code(), message: error.message().to_owned() }),
    }
}

fn prepare(
    session: &mut Session,
    at: usize,
    compactions: &mut SimulatedCompactions,
) -> Result<Rc<Report>, Error> {
    let mut fit = session.prepare()?;
    loop {
        match fit {
            Fit::Done(report) => return Ok(report),
            Fit::NeedsSummary(pending) => {
                let text = session.extractive(&pending);
                note_requests(session, &pending, &text, at, compactions);
                let answer = compaction::Answer { text, built_in: true, ..compaction::Answer::default() };
                fit = session.resume_at_once(*pending, &answer)?;
            }
        }
    }
}

/// What a model would have been asked for this summary, and would have answered.
fn note_requests(
    session: &Session,
    pending: &Pending,
    summary: &str,
    at: usize,
    compactions: &mut SimulatedCompactions,
) {
    let said = session.context().counter.count(summary);
    let sizes = session.request_tokens(pending, summary);
    let pieces = if pending.request.reason == Reason::Chunk { sizes.len() - 1 } else { 0 };
    for (i, input_tokens) in sizes.into_iter().enumerate() {
        let output_tokens = if i < pieces { said.min(input_tokens / SHARE_OF_A_PIECE) } else { said };
        compactions.requests += 1;
        compactions.request_tokens += input_tokens;
        compactions.output_tokens += output_tokens;
        compactions.asked.push(SimulatedRequest { call: at as u64, input_tokens, output_tokens });
    }
}

fn mean(shares: &[Retention]) -> Option<Retention> {
    let of = |share: fn(&Retention) -> f64| shares.iter().map(share).sum::<f64>() / shares.len() as f64;
    (!shares.is_empty()).then(|| Retention {
        literal: of(|r| r.literal),
        with_refs: of(|r| r.with_refs),
        constraints: of(|r| r.constraints),
    })
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
