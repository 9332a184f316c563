use super::answers::{Answer, answers};
use super::retention::{Facts, Retention};
use super::run::{SimulatedCall, SimulatedCompactions, SimulatedError, SimulatedRequest, SimulatedRun};
use super::survival::Survival;
use crate::compaction::{self, Reason};
use crate::context::{Context, EventName, Report};
use crate::error::{Error, Result};
use crate::message::Message;
use crate::model::{Costs, Price};
use crate::session::{Fit, Pending, Session};

/// A piece's summary is asked to take at most this share of the piece.
const SHARE_OF_A_PIECE: u64 = 4;

/// What a replay goes by, beside the session.
pub(super) struct Terms<'a> {
    /// The run's name.
    pub preset: String,
    /// The facts of the transcript.
    pub facts: &'a Facts,
    /// Which of them are said before each answer.
    pub said: &'a [Vec<usize>],
    /// Tokens of each answer.
    pub outputs: &'a [u64],
    /// What tokens cost, where that is known.
    pub price: Option<&'a Price>,
    /// Ids of messages that are pinned as soon as they are there.
    pub pins: &'a [String],
}

/// Replays a recorded transcript in a new session, call by call.
///
/// What stands before an assistant's answer was the input of a model call: it is pushed, and the view prepared as a host
/// would before it asks its model. Summaries are the extractive summariser's. Assistant messages in a row are one answer. A
/// call whose view cannot be prepared is recorded with the error, and goes out as it is.
///
/// The time is linear in the transcript and in what the calls send; the same transcript under the same options gives the same
/// run.
///
/// # Errors
/// `INVALID_MESSAGE` for a message that [`Session::push`] refuses.
pub(super) fn replay(mut session: Session, messages: &[Message], terms: Terms<'_>) -> Result<SimulatedRun> {
    let mut survival = Survival::new(terms.facts);
    let mut calls = Vec::new();
    let mut compactions = SimulatedCompactions::default();
    let mut costs = terms.price.map(|_| Costs::default());
    let mut shares: Vec<Retention> = Vec::new();
    for (answer, said) in answers(messages).zip(terms.said) {
        survival.hear(said);
        if !push(&mut session, messages, &answer, terms.pins)? {
            continue;
        }
        let at = calls.len();
        let mut call = call(&mut session, at, &mut compactions);
        call.output_tokens = terms.outputs.get(at).copied().unwrap_or_default();
        if let (Some(price), Some(costs)) = (terms.price, &mut costs) {
            let cost = price.request(call.tokens, call.cached_tokens, call.output_tokens);
            call.cost = Some(cost.total());
            *costs += cost;
        }
        calls.push(call);
        if compactions.count > 0 {
            shares.push(survival.shares(&session.context().lower(), |id| full_output(session.context(), id)));
        }
    }
    let retention = match shares.last() {
        Some(last) => *last,
        None => survival.shares(&session.context().lower(), |id| full_output(session.context(), id)),
    };
    compactions.cost = terms.price.map(|price| {
        compactions.asked.iter().map(|r| price.single_request(r.input_tokens, r.output_tokens)).sum()
    });
    let limit = session.config().limit.unwrap_or(u64::MAX);
    let tokens_total: u64 = calls.iter().map(|c| c.tokens).sum();
    Ok(SimulatedRun {
        preset: terms.preset,
        window: session.config().window.unwrap_or(u64::MAX),
        limit,
        threshold: session.threshold().unwrap_or(u64::MAX),
        cost: costs.map(|c| c.total() + compactions.cost.unwrap_or_default()),
        costs,
        compactions,
        tokens_total,
        tokens_largest: calls.iter().map(|c| c.tokens).max().unwrap_or(0),
        output_tokens: calls.iter().map(|c| c.output_tokens).sum(),
        calls_over_limit: calls.iter().filter(|c| c.tokens > limit).count() as u64,
        cache_hit_ratio: cache_hit_ratio(&calls),
        retention,
        retention_mean: mean(&shares),
        calls,
    })
}

/// The session as it is before the answer to call `at`; where there are fewer, with all that was said, prepared for the call
/// that would be next. What the views were prepared to on the way there is in it.
///
/// # Errors
/// As [`replay`].
pub(super) fn session_at(
    mut session: Session,
    messages: &[Message],
    at: usize,
    pins: &[String],
) -> Result<Session> {
    let mut compactions = SimulatedCompactions::default();
    let mut calls = 0;
    let mut rest = 0;
    for answer in answers(messages) {
        rest = answer.begin;
        if push(&mut session, messages, &answer, pins)? {
            call(&mut session, calls, &mut compactions);
            calls += 1;
        }
        if calls > at {
            return Ok(session);
        }
    }
    let rest = Answer { pushed: rest, begin: messages.len(), end: messages.len() };
    if push(&mut session, messages, &rest, pins)? {
        call(&mut session, calls, &mut compactions);
    }
    Ok(session)
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
    for id in session.context().ids(&added) {
        if pins.contains(&id) {
            session.set_pinned(&id, true)?;
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
                parts: report.parts,
                decisions: report.decisions,
                cached_tokens: report.stable_prefix_tokens,
                output_tokens: 0,
                cost: None,
                error: None,
            };
        }
        Err(error) => (session.report().map(|r| r.decisions.clone()).unwrap_or_default(), error),
    };
    SimulatedCall {
        tokens: session.tokens(),
        parts: session.context().part_reports(),
        decisions,
        cached_tokens: session.context().view.stable_prefix_tokens().min(session.tokens()),
        output_tokens: 0,
        cost: None,
        error: Some(SimulatedError { code: error.code(), message: error.message().to_owned() }),
    }
}

fn prepare(
    session: &mut Session,
    at: usize,
    compactions: &mut SimulatedCompactions,
) -> Result<Report, Error> {
    let mut fit = session.prepare()?;
    loop {
        match fit {
            Fit::Done(report) => return Ok(*report),
            Fit::NeedsSummary(pending) => {
                let text = session.extractive(&pending);
                note_requests(session, &pending, &text, at, compactions);
                let answer = compaction::Answer { text, ..compaction::Answer::default() };
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

/// The full output that a ref opens.
fn full_output(context: &Context, id: &str) -> Option<String> {
    if !context.outputs.contains(id) {
        return None;
    }
    let output = context.outputs.get(id).ok()?;
    Some(output.lines_from(0).map(|line| line.text().into_owned()).collect::<Vec<_>>().join("\n"))
}

fn mean(shares: &[Retention]) -> Option<Retention> {
    let of = |share: fn(&Retention) -> f64| shares.iter().map(share).sum::<f64>() / shares.len() as f64;
    (!shares.is_empty()).then(|| Retention {
        literal: of(|r| r.literal),
        with_refs: of(|r| r.with_refs),
        constraints: of(|r| r.constraints),
    })
}
