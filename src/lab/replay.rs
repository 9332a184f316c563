use super::retention::{Facts, Retention};
use super::run::{SimulatedCall, SimulatedCompactions, SimulatedError, SimulatedRun};
use super::survival::Survival;
use crate::context::{Context, EventName, Report};
use crate::error::{Error, Result};
use crate::message::{Message, Role};
use crate::session::{Fit, Session};

/// Replays a recorded transcript in a new session, call by call.
///
/// What stands before an assistant's answer was the input of a model call: it is pushed, and the view prepared as a host
/// would before it asks its model. Summaries are the extractive summariser's. Assistant messages in a row are one answer. A
/// call whose view cannot be prepared is recorded with the error, and goes out as it is.
///
/// `facts`: those of the transcript, from [`facts`](super::facts()). The time is linear in the transcript and in what the
/// calls send; the same transcript under the same options gives the same run.
///
/// # Errors
/// `INVALID_MESSAGE` for a message that [`Session::push`] refuses.
pub fn replay(
    mut session: Session,
    preset: String,
    messages: &[Message],
    facts: &Facts,
) -> Result<SimulatedRun> {
    let mut survival = Survival::new(facts);
    let mut calls = Vec::new();
    let mut compactions = SimulatedCompactions::default();
    let mut shares: Vec<Retention> = Vec::new();
    for answer in answers(messages) {
        push(&mut session, &mut survival, &messages[answer.pushed..answer.begin])?;
        if session.context().view.is_empty() {
            continue; // an answer to nothing: no call that could be made
        }
        calls.push(call(&mut session, &mut compactions));
        if compactions.count > 0 {
            shares.push(survival.shares(&session.context().lower(), |id| full_output(session.context(), id)));
        }
    }
    let retention = match shares.last() {
        Some(last) => *last,
        None => survival.shares(&session.context().lower(), |id| full_output(session.context(), id)),
    };
    let limit = session.config().limit.unwrap_or(u64::MAX);
    let tokens_total: u64 = calls.iter().map(|c| c.tokens).sum();
    let cached: u64 = calls.iter().map(|c| c.cached_tokens).sum();
    Ok(SimulatedRun {
        preset,
        window: session.config().window.unwrap_or(u64::MAX),
        limit,
        threshold: session.threshold().unwrap_or(u64::MAX),
        compactions,
        tokens_total,
        tokens_largest: calls.iter().map(|c| c.tokens).max().unwrap_or(0),
        calls_over_limit: calls.iter().filter(|c| c.tokens > limit).count() as u64,
        cache_hit_ratio: if tokens_total == 0 { 0.0 } else { cached as f64 / tokens_total as f64 },
        retention,
        retention_mean: mean(&shares),
        calls,
    })
}

/// Where an answer begins, and what of the transcript was pushed before the call ahead of it.
struct Answer {
    pushed: usize,
    begin: usize,
}

/// The answers of a transcript.
fn answers(messages: &[Message]) -> impl Iterator<Item = Answer> {
    let is_answer = |at: usize| messages.get(at).is_some_and(|m| m.role == Role::Assistant);
    let begins = (0..messages.len()).filter(move |at| is_answer(*at) && (*at == 0 || !is_answer(at - 1)));
    let mut pushed = 0;
    begins.map(move |begin| Answer { pushed: std::mem::replace(&mut pushed, begin), begin })
}

fn push(session: &mut Session, survival: &mut Survival<'_>, messages: &[Message]) -> Result<()> {
    survival.hear(messages);
    session.push(messages.to_vec()).map(|_| ())
}

/// One call: the view is prepared, and what it is then goes out.
fn call(session: &mut Session, compactions: &mut SimulatedCompactions) -> SimulatedCall {
    let prepared = prepare(session, compactions);
    let folds = session.take_events().iter().filter(|e| e.event == EventName::CompactionFinished).count();
    compactions.count += folds as u64;
    let (decisions, error) = match prepared {
        Ok(report) => {
            return SimulatedCall {
                tokens: report.tokens_after,
                parts: report.parts,
                decisions: report.decisions,
                cached_tokens: report.stable_prefix_tokens,
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
        error: Some(SimulatedError { code: error.code(), message: error.message().to_owned() }),
    }
}

fn prepare(session: &mut Session, compactions: &mut SimulatedCompactions) -> Result<Report, Error> {
    let mut fit = session.prepare()?;
    loop {
        match fit {
            Fit::Done(report) => return Ok(*report),
            Fit::NeedsSummary(pending) => {
                compactions.request_tokens += pending.request.input_tokens;
                fit = session.resume_extractive(*pending)?;
            }
        }
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
