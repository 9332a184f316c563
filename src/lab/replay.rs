use std::rc::Rc;

use super::answers::Answer;
use super::copies::Copies;
use super::page_faults::Needs;
use super::recorded::Recorded;
use super::retention::Retention;
use super::run::{
    CacheBreak, SimulatedCall, SimulatedCompactions, SimulatedError, SimulatedRequest, SimulatedRun,
    cache_hit_ratio,
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

/// The summary of a piece is assumed to have at most 1/4 of the piece's tokens.
const SHARE_OF_A_PIECE: u64 = 4;

/// The parameters of a replay, apart from the session.
pub(super) struct ReplayTerms {
    /// The name of the run.
    pub preset: String,
    pub recorded: Rc<Recorded>,
    /// The price, if known.
    pub price: Option<Price>,
    /// Ids of messages to pin as soon as they are pushed.
    pub pins: Vec<String>,
}

/// Replays a recorded transcript through a new session, call by call.
///
/// The messages before an assistant's answer were the input of a model call. They are pushed, and the view is prepared as a
/// host would do it before it calls its model. Summaries come from the extractive summariser. Consecutive assistant messages
/// are one answer. If a view cannot be prepared, the call is recorded with the error and its view is sent as it is.
///
/// The replay advances by the requested number of calls; after that, facts are searched for in the views. The time is linear
/// in the transcript and in what the ladder edits. The same transcript under the same options gives the same run, however it
/// is divided into steps.
pub struct Replay {
    transcript: Rc<Transcript>,
    terms: ReplayTerms,
    /// The session before the first call.
    beginning: Session,
    session: Session,
    /// The number of answers before which the session has been.
    answered: usize,
    calls: Vec<SimulatedCall>,
    compactions: SimulatedCompactions,
    costs: Option<Costs>,
    trail: Trail,
    copies: Copies,
    needs: Needs,
    survival: Option<Survival>,
    /// The retention for each step of the trail that has been examined.
    shares: Vec<Retention>,
}

impl Replay {
    pub(super) fn new(session: Session, transcript: Rc<Transcript>, terms: ReplayTerms) -> Self {
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
            needs: Needs::default(),
            survival: None,
            shares: Vec::new(),
        }
    }

    /// The progress of the replay, 0 to 1.
    pub fn share(&self) -> f64 {
        let all = self.transcript.answers.len();
        if all == 0 { 1.0 } else { self.answered as f64 / all as f64 }
    }

    /// Replays up to `calls` further calls. Returns `true` while there are more.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` if [`Session::push`] refuses a message.
    pub fn advance(&mut self, calls: usize) -> Result<bool> {
        let until = self.calls.len().saturating_add(calls);
        while let Some(answer) = self.transcript.answers.get(self.answered).copied() {
            if self.calls.len() >= until {
                return Ok(true);
            }
            self.answered += 1;
            if push(&mut self.session, &self.transcript.messages, &answer, &self.terms.pins)? {
                self.call(&answer);
            }
        }
        if self.trail.steps.is_empty() && !self.transcript.answers.is_empty() {
            self.trail.note(self.session.context(), self.answered - 1); // nothing was folded: the last view is enough
        }
        Ok(false)
    }

    fn call(&mut self, answer: &Answer) {
        let at = self.calls.len();
        let folds = self.compactions.count;
        let mut call = call(&mut self.session, at, &mut self.compactions);
        call.set_cache_break(self.calls.last().map_or(0, |before| before.tokens));
        call.output_tokens = self.terms.recorded.outputs.get(at).copied().unwrap_or_default();
        if let (Some(price), Some(costs)) = (&self.terms.price, &mut self.costs) {
            *costs += call.charge(price);
        }
        self.needs.take_up(&self.transcript.messages, answer, self.session.context(), &call, at);
        self.calls.push(call);
        if self.compactions.count > 0 {
            self.trail.note(self.session.context(), self.answered - 1);
        }
        self.copies.take_if_due(&self.session, at, self.answered, self.compactions.count > folds);
    }

    /// Once all calls are replayed: searches the views of up to `calls` further calls for the transcript's facts. Returns
    /// `true` while there are more.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` while there are calls to replay, because later outputs are not known yet.
    pub fn measure(&mut self, calls: usize) -> Result<bool> {
        let left = self.transcript.answers.len() - self.answered;
        if left > 0 {
            let why = format!(
                "{left} calls have not been replayed yet: measure after `advance` reports that none are left"
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

    /// Completes the replay and returns the run.
    ///
    /// # Errors
    /// Those of [`advance`](Self::advance).
    pub(super) fn into_run(mut self) -> Result<SimulatedRun> {
        self.finish()?;
        Ok(self.run())
    }

    /// Completes the replay and the search for facts.
    ///
    /// # Errors
    /// Those of [`advance`](Self::advance).
    pub fn finish(&mut self) -> Result<()> {
        while self.advance(usize::MAX)? {}
        while self.measure(usize::MAX)? {}
        Ok(())
    }

    /// The run so far. Its retention covers the views that have been searched.
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
            retention: self.shares.last().copied().unwrap_or(Retention::WITHOUT_FACTS),
            page_faults: self.needs.faults,
            retention_mean: if compactions.count > 0 { mean(&self.shares) } else { None },
            compactions,
            calls: calls.clone(),
        }
    }

    /// The session before the answer to call `at`. If there are fewer calls, the session after everything was said, prepared
    /// for one more call. It includes the effects of preparing all calls before.
    ///
    /// # Errors
    /// Those of [`advance`](Self::advance).
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

/// Pushes the messages before an answer. Returns `false` if the view is empty, so that no call can be made.
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

/// Makes one call: prepares the view and records what is sent.
fn call(session: &mut Session, at: usize, compactions: &mut SimulatedCompactions) -> SimulatedCall {
    let prepared = prepare(session, at, compactions);
    let folds = session.take_events().iter().filter(|e| e.event == EventName::CompactionFinished).count();
    compactions.count += folds as u64;
    let error = match prepared {
        Ok(report) => {
            let (parts, decisions) = (report.parts.clone(), report.decisions.clone());
            return SimulatedCall::of(report.tokens_after, report.stable_prefix_tokens, parts, decisions);
        }
        Err(error) => SimulatedError { code: error.code(), message: error.message().to_owned() },
    };
    let decisions = session.report().map(|r| r.decisions.clone()).unwrap_or_default();
    let cached_tokens = session.context().view.stable_prefix_tokens().min(session.tokens());
    let call =
        SimulatedCall::of(session.tokens(), cached_tokens, session.context().part_reports(), decisions);
    SimulatedCall { error: Some(error), ..call }
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

/// Records the requests that a model would have received for this summary, and its answers.
fn note_requests(
    session: &Session,
    pending: &Pending,
    summary: &str,
    at: usize,
    compactions: &mut SimulatedCompactions,
) {
    let summary_tokens = session.context().counter.count(summary);
    let sizes = session.request_tokens(pending, summary);
    let pieces = if pending.request.reason == Reason::Chunk { sizes.len() - 1 } else { 0 };
    for (i, input_tokens) in sizes.into_iter().enumerate() {
        let output_tokens =
            if i < pieces { summary_tokens.min(input_tokens / SHARE_OF_A_PIECE) } else { summary_tokens };
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
