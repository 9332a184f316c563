//! Drives a run across its awaits. The core decides each next step. No borrow is held across an await.

use std::cell::OnceCell;
use std::rc::Rc;

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::away;
use super::background::begin_if_wanted;
use super::error::context_error;
use super::inner::Inner;
use super::lease;
use super::maker::resolved;
use super::outcome::{Outcome, Running};
use super::prepared::prepared;
use super::signal::{AbortSignal, is_aborted, refuse_aborted, wait};
use super::summarize::{Refusal, ask};
use crate::compaction::Reason;
use crate::context::Report;
use crate::error::Error;
use crate::provider::is_too_large;
use crate::session::{Fit, Pending, Plan, Session};

/// What a caller wants from a session.
#[derive(Clone)]
pub enum Goal {
    /// Fold in any case.
    Compact(Option<String>),
    /// Fold if it is due.
    CheckAndCompact,
    /// Fold if it is due; go on without a fold if no summary can be had and the view fits.
    KeepUp,
    /// Run the ladder.
    Prepare {
        /// Keep as much as there is room for.
        fill: bool,
        /// How long the session was idle, if the caller says so.
        idle_ms: Option<u64>,
    },
    /// Make smaller what the provider refused; this is the text of its error.
    Recover(String),
    /// Apply a plan.
    Apply {
        /// The plan.
        plan: Rc<Plan>,
        /// Ids of further messages to keep.
        keep: Vec<String>,
        /// Ids of further messages to fold.
        fold: Vec<String>,
    },
}

impl Goal {
    /// Whether the promise resolves to the view as well.
    fn wants_view(&self) -> bool {
        matches!(self, Self::Prepare { .. } | Self::Recover(_))
    }

    /// Whether joining a run that somebody else started is enough.
    fn is_met_by_another(&self) -> bool {
        // A summary made without the instructions does not fulfil them.
        matches!(self, Self::Compact(None) | Self::CheckAndCompact | Self::KeepUp)
    }

    /// Whether it has to wait for a summary that is being written in the background.
    fn joins_background(&self, core: &Session) -> bool {
        match self {
            Self::Compact(_) => true,
            Self::CheckAndCompact | Self::KeepUp => core.should_compact(),
            Self::Prepare { .. } => core.is_too_large(),
            Self::Recover(error_text) => is_too_large(error_text),
            Self::Apply { .. } => false,
        }
    }
}

/// Starts a run, or joins the one that is running. Resolves to the report, or to view and report; to `null` if nothing was
/// due.
pub fn start(inner: Rc<Inner>, goal: Goal, signal: Option<AbortSignal>) -> Promise {
    if let Err(refused) = refuse_own_callback(&inner, &goal) {
        return Promise::reject(&refused);
    }
    let is_alone = inner.running.borrow().is_none() && inner.background.borrow().is_none();
    if !(is_alone && matches!(goal, Goal::Prepare { .. })) {
        return future_to_promise(async move {
            let settled = run_or_join(&inner, goal, signal.as_ref()).await;
            after_run(&inner);
            settled
        });
    }
    // Most calls have nothing to wait for: their promise is resolved at once.
    match begin_alone(&inner, &goal, signal.as_ref()) {
        Ok(Started::Settled(settled)) => {
            after_run(&inner);
            resolved(&settled)
        }
        Ok(Started::Running(running)) => future_to_promise(async move {
            let settled = awaited_value(&inner, &goal, running).await;
            after_run(&inner);
            settled
        }),
        Err(thrown) => {
            after_run(&inner);
            Promise::reject(&thrown)
        }
    }
}

/// Refuses a call from the summarize callback, which would wait for the run that waits for the callback.
fn refuse_own_callback(inner: &Inner, goal: &Goal) -> Result<(), JsValue> {
    if !inner.is_asking.get() {
        return Ok(());
    }
    let waits = inner.running.borrow().is_some() || inner.read(|core| goal.joins_background(core))?;
    if !waits {
        return Ok(());
    }
    let why = "deadlock: the summarize callback cannot await a compaction of its own session, which is waiting for the callback. Send `request.messages` to the model as they are, without `prepare()` or `compact()`";
    Err(Error::argument(why).into())
}

/// Cleans up after a run, whether it succeeded or not.
fn after_run(inner: &Rc<Inner>) {
    inner.stores.look_at.set(0); // the view may show fewer outputs now
    away::move_due_outputs(inner);
    inner.deliver_events();
    begin_if_wanted(inner);
}

/// A run that did not have to wait for another one.
enum Started {
    /// It is done; the value that its promise resolves to.
    Settled(JsValue),
    /// It waits for a summary.
    Running(Running),
}

fn begin_alone(inner: &Rc<Inner>, goal: &Goal, signal: Option<&AbortSignal>) -> Result<Started, JsValue> {
    refuse_aborted(signal)?;
    inner.refuse_freed()?;
    let Some(fit) = begin(inner, goal)? else { return Ok(Started::Settled(JsValue::NULL)) };
    let Fit::Done(report) = fit else {
        let outcome = Rc::new(OnceCell::new());
        let promise = future_to_promise(run_to_end(inner.clone(), fit, signal.cloned(), outcome.clone()));
        let running = Running { promise, outcome };
        *inner.running.borrow_mut() = Some(running.clone());
        return Ok(Started::Running(running));
    };
    resolved_value(inner, goal, outcome(inner, report)?).map(Started::Settled)
}

/// The value that the caller's promise resolves to.
fn resolved_value(inner: &Rc<Inner>, goal: &Goal, outcome: Outcome) -> Result<JsValue, JsValue> {
    if goal.wants_view() { prepared(inner, outcome) } else { outcome.report() }
}

/// The value that a run's promise resolves to, once it has ended.
async fn awaited_value(inner: &Rc<Inner>, goal: &Goal, running: Running) -> Result<JsValue, JsValue> {
    let settled = wasm_bindgen_futures::JsFuture::from(running.promise).await;
    *inner.running.borrow_mut() = None;
    settled?;
    let outcome = running.outcome.get().cloned();
    outcome.map_or(Ok(JsValue::UNDEFINED), |outcome| resolved_value(inner, goal, outcome))
}

async fn run_or_join(
    inner: &Rc<Inner>,
    goal: Goal,
    signal: Option<&AbortSignal>,
) -> Result<JsValue, JsValue> {
    loop {
        refuse_aborted(signal)?;
        inner.refuse_freed()?;
        let under_way = inner.running.borrow().clone();
        let Some(under_way) = under_way else {
            let background = inner.background.borrow().clone();
            let Some(background) = background else { break };
            if !inner.read(|core| goal.joins_background(core))? {
                break;
            }
            wait(background, signal, Some(&inner.freed.promise)).await?;
            continue;
        };
        let folds = |core: &Session| core.context().folds.len();
        let before = inner.read(folds)?;
        let joined = wait(under_way.promise, signal, Some(&inner.freed.promise)).await;
        match (&goal, joined) {
            // That run was aborted by another caller's signal: ours starts again.
            (_, Err(thrown)) if is_aborted(&thrown) && refuse_aborted(signal).is_ok() => {}
            // However that run ended, this goal still has to run.
            _ if !goal.is_met_by_another() => {}
            (Goal::KeepUp, Err(_))
                if refuse_aborted(signal).is_ok() && !inner.read(Session::is_too_large)? =>
            {
                return Ok(inner.last_report().unwrap_or(JsValue::NULL));
            }
            // That run went on without a fold, but this caller wants one.
            (Goal::Compact(_) | Goal::CheckAndCompact, Ok(_)) if inner.read(folds)? == before => {}
            (_, Err(thrown)) => return Err(thrown),
            (_, Ok(_)) => return under_way.outcome.get().map_or(Ok(JsValue::UNDEFINED), Outcome::report),
        }
    }
    match begin_alone(inner, &goal, signal)? {
        Started::Settled(settled) => Ok(settled),
        Started::Running(running) => awaited_value(inner, &goal, running).await,
    }
}

/// Taken before events are delivered: what listeners push does not belong to the report.
fn outcome(inner: &Inner, report: Rc<Report>) -> Result<Outcome, JsValue> {
    Ok(Outcome::new(inner.read(|core| core.context().view.snapshot())?, report))
}

/// Does not deliver events yet: a listener that calls into the session must find the run in progress.
fn begin(inner: &Inner, goal: &Goal) -> Result<Option<Fit>, JsValue> {
    inner.pass_time_to_core()?;
    if let Goal::Prepare { fill, idle_ms } = goal {
        return inner.begin_prepare(*fill, *idle_ms).map(Some);
    }
    inner.write_quietly(|core| match goal {
        Goal::Compact(instructions) => {
            let fit = core.compact(Reason::Manual, instructions.clone())?;
            Ok(Some(fit.unwrap_or_else(|| Fit::Done(core.unchanged_report(instructions.as_deref())))))
        }
        Goal::Recover(error_text) => core.recover(error_text),
        Goal::Apply { plan, keep, fold } => core.apply(plan, keep, fold).map(Some),
        Goal::KeepUp => core.keep_up(),
        Goal::CheckAndCompact | Goal::Prepare { .. } => core.check_and_compact(),
    })
}

async fn run_to_end(
    inner: Rc<Inner>,
    mut fit: Fit,
    signal: Option<AbortSignal>,
    outcome_cell: Rc<OnceCell<Outcome>>,
) -> Result<JsValue, JsValue> {
    loop {
        match fit {
            Fit::Done(report) => {
                let outcome = outcome(&inner, report)?;
                outcome_cell.get_or_init(|| outcome);
                inner.deliver_events();
                return Ok(JsValue::UNDEFINED);
            }
            Fit::NeedsSummary(pending) => {
                inner.deliver_events();
                let went_on = answer(&inner, *pending, signal.as_ref()).await;
                fit = went_on.inspect_err(|_| inner.deliver_events())?;
            }
        }
    }
}

/// Does not deliver events: the caller keeps the view first.
async fn answer(inner: &Rc<Inner>, pending: Pending, signal: Option<&AbortSignal>) -> Result<Fit, JsValue> {
    let callback = inner.summarize.borrow().clone();
    let Some(callback) = callback else {
        return inner.write_quietly(|core| core.resume_extractive(pending));
    };
    let can_do_without = inner.read(|core| core.can_continue_without_summary(&pending))?;
    if let Err(thrown) = lease::take(inner, signal, !can_do_without).await {
        inner.refuse_freed()?;
        let error = lease::error_of(&thrown);
        let given_up = inner.write_core(|core| {
            if can_do_without {
                core.continue_without_summary(pending, error)
            } else {
                core.give_up(pending, error)
            }
        })?;
        return given_up.map_err(|_| thrown);
    }
    let asked = ask(inner, callback.unchecked_ref::<Function>(), &pending.request, signal).await;
    if let Err(freed) = inner.refuse_freed() {
        lease::release(inner).await;
        return Err(freed.into());
    }
    let Refusal { error, cause, too_long } = match asked {
        Ok(answer) => {
            let folds = |core: &Session| core.context().folds.len();
            let before = inner.read(folds)?;
            let went_on = inner.write_quietly(|core| core.resume(pending, &answer));
            let is_over = !matches!(went_on, Ok(Fit::NeedsSummary(_)));
            if is_over && inner.read(folds).is_ok_and(|now| now == before) {
                lease::release(inner).await;
            }
            return went_on;
        }
        Err(refusal) => refusal,
    };
    lease::release(inner).await;
    let went_on = inner
        .write_core(|core| if too_long { core.shrink(pending) } else { core.not_answered(pending, error) })?;
    went_on.map_err(|error| context_error(&error, Some(&cause), inner.last_report().as_ref()))
}
