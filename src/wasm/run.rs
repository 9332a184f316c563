//! A run of a session, from a caller's goal to the result. `pkg/host/run.js` waits for what it needs; what a run does next
//! is decided here. No borrow is held while JavaScript runs.

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::away;
use super::engine::Engine;
use super::error::context_error;
use super::host::{Host, host};
use super::inner::Inner;
use super::maker::resolved;
use super::outcome::Outcome;
use super::prepared::prepared;
use super::signal::AbortSignal;
use super::summarize::{Refusal, ask, heard, refused, request_object};
use super::thrown::error_of;
use crate::compaction::{Answer, Reason};
use crate::context::Report;
use crate::error::{Error, ErrorCode};
use crate::provider::is_too_large;
use crate::session::{Fit, Pending, Plan, Session};

#[wasm_bindgen]
extern "C" {
    /// Begins a run, or joins the one that is in progress.
    #[wasm_bindgen(method, js_name = runOrJoin)]
    fn run_or_join(this: &Host, run: Run, signal: Option<AbortSignal>) -> Promise;
    /// Goes on with a run that waits for a summary.
    #[wasm_bindgen(method)]
    fn finish(this: &Host, run: Run, signal: Option<AbortSignal>) -> Promise;
    /// Begins a run that nobody waits for.
    #[wasm_bindgen(method, js_name = beginBackground)]
    fn begin_background(this: &Host, run: Run);
}

/// What a caller wants from a session.
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
    /// Have a summary ready before it is due. Nobody waits for it.
    Background,
}

impl Goal {
    /// Whether it has to wait for a summary that is being written in the background.
    fn joins_background(&self, core: &Session) -> bool {
        match self {
            Self::Compact(_) => true,
            Self::CheckAndCompact | Self::KeepUp => core.should_compact(),
            Self::Prepare { .. } => core.is_too_large(),
            Self::Recover(error_text) => is_too_large(error_text),
            Self::Apply { .. } | Self::Background => false,
        }
    }
}

/// Starts a run, or joins the one that is in progress. Resolves to the report, or to view and report; to `null` if nothing was due.
pub fn start(inner: &Rc<Inner>, goal: Goal, signal: Option<AbortSignal>) -> Result<Promise, JsValue> {
    refuse_own_callback(inner, &goal)?;
    let is_alone = !inner.is_running.get() && !inner.is_in_background.get();
    let has_fired = signal.as_ref().is_some_and(AbortSignal::has_fired);
    let begins_at_once = is_alone && !has_fired && matches!(goal, Goal::Prepare { .. });
    let run = Run::new(inner, goal);
    if !begins_at_once {
        return host(|host| host.run_or_join(run, signal));
    }
    // Most calls have nothing to wait for: their promise is resolved at once.
    match run.begin() {
        Ok(true) => host(|host| host.finish(run, signal)),
        begun => {
            let settled = begun.and_then(|_| run.value());
            after_run(inner);
            Ok(resolved(&settled?))
        }
    }
}

/// Refuses a call from the summarize callback, which would wait for the run that waits for the callback.
fn refuse_own_callback(inner: &Inner, goal: &Goal) -> Result<(), JsValue> {
    if !inner.is_asking.get() {
        return Ok(());
    }
    let waits = inner.is_running.get() || inner.read(|core| goal.joins_background(core))?;
    if !waits {
        return Ok(());
    }
    let why = "deadlock: the summarize callback cannot await a compaction of its own session, which is waiting for the callback. Send `request.messages` to the model as they are, without `prepare()` or `compact()`";
    Err(Error::argument(why).into())
}

/// Refuses a `flush` from the summarize callback, which would wait for the callback.
pub fn refuse_flush_in_callback(inner: &Inner) -> Result<(), JsValue> {
    if !inner.is_asking.get() {
        return Ok(());
    }
    let why = "deadlock: the summarize callback cannot await `flush()` of its own session, which waits for the summary. Call it after the compaction";
    Err(Error::argument(why).into())
}

/// Cleans up after a run, whether it succeeded or not.
pub fn after_run(inner: &Rc<Inner>) {
    inner.store.look_at.set(0); // the view may show fewer outputs now
    away::move_due_outputs(inner);
    inner.deliver_events();
    begin_background_if_wanted(inner);
}

/// Starts asking for a summary in the background if the view is large enough.
pub fn begin_background_if_wanted(inner: &Rc<Inner>) {
    let busy = inner.is_in_background.get() || inner.is_running.get();
    // The extractive summariser takes no time, so there is no point in starting early.
    if busy || inner.summarize.borrow().is_none() {
        return;
    }
    if inner.read(Session::wants_background).unwrap_or(false) {
        inner.is_in_background.set(true);
        let begun = host(|host| host.begin_background(Run::new(inner, Goal::Background)));
        inner.is_in_background.set(begun.is_ok());
    }
}

/// The signal that `pkg/host` passes on, which was checked when the caller gave it.
fn signal_of(signal: &JsValue) -> Option<&AbortSignal> {
    (!signal.is_undefined()).then(|| signal.unchecked_ref())
}

/// A call of a method that is not due; `pkg/host` makes none.
fn not_waiting() -> JsValue {
    Error::new(ErrorCode::Internal, "the run does not wait for this").into()
}

/// One run.
#[wasm_bindgen(skip_typescript)]
pub struct Run {
    inner: Rc<Inner>,
    goal: Goal,
    stage: RefCell<Stage>,
    answer: RefCell<Option<Result<Answer, Refusal>>>,
}

/// How far a run has come.
enum Stage {
    /// It has not begun, there was nothing to do, or it failed.
    Nothing,
    NeedsSummary(Box<Pending>),
    Done(Rc<Report>),
    Kept(Outcome),
}

impl Run {
    fn new(inner: &Rc<Inner>, goal: Goal) -> Self {
        Self { inner: inner.clone(), goal, stage: RefCell::new(Stage::Nothing), answer: RefCell::default() }
    }

    /// Whether the promise resolves to the view as well.
    fn wants_view(&self) -> bool {
        matches!(self.goal, Goal::Prepare { .. } | Goal::Recover(_))
    }

    fn is_in_background(&self) -> bool {
        matches!(self.goal, Goal::Background)
    }

    /// Returns whether it waits for a summary now.
    fn continue_with(&self, fit: Option<Fit>) -> bool {
        self.stage.replace(match fit {
            None => Stage::Nothing,
            Some(Fit::Done(report)) => Stage::Done(report),
            Some(Fit::NeedsSummary(pending)) => Stage::NeedsSummary(pending),
        });
        self.needs_summary()
    }

    /// Keeps the answer for `go_on`. Returns whether there is a summary in it.
    fn hear(&self, answer: Result<Answer, Refusal>) -> Result<bool, JsValue> {
        let is_summary = answer.is_ok();
        self.answer.replace(Some(answer));
        self.needs_summary().then_some(is_summary).ok_or_else(not_waiting)
    }

    /// The request that waits for an answer; the run has failed unless `continue_with` follows.
    fn take_pending(&self) -> Result<Pending, JsValue> {
        match self.stage.replace(Stage::Nothing) {
            Stage::NeedsSummary(pending) => Ok(*pending),
            _ => Err(not_waiting()),
        }
    }

    fn pending(&self) -> Option<Ref<'_, Pending>> {
        Ref::filter_map(self.stage.borrow(), |stage| match stage {
            Stage::NeedsSummary(pending) => Some(&**pending),
            _ => None,
        })
        .ok()
    }

    fn outcome(&self) -> Option<Outcome> {
        match &*self.stage.borrow() {
            Stage::Kept(outcome) => Some(outcome.clone()),
            _ => None,
        }
    }

    /// Does not deliver events yet: a listener that calls into the session must find the run in progress.
    fn first_fit(&self) -> Result<Option<Fit>, JsValue> {
        let inner = &self.inner;
        if self.is_in_background() {
            let begun = inner.write_quietly(|core| Ok(core.begin_in_background()))?;
            return Ok(begun.map(|pending| Fit::NeedsSummary(Box::new(pending))));
        }
        inner.pass_time_to_core()?;
        if let Goal::Prepare { fill, idle_ms } = self.goal {
            return inner.begin_prepare(fill, idle_ms).map(Some);
        }
        inner.write_quietly(|core| match &self.goal {
            Goal::Compact(instructions) => {
                let fit = core.compact(Reason::Manual, instructions.clone())?;
                Ok(Some(fit.unwrap_or_else(|| Fit::Done(core.unchanged_report(instructions.as_deref())))))
            }
            Goal::Recover(error_text) => core.recover(error_text),
            Goal::Apply { plan, keep, fold } => core.apply(plan, keep, fold).map(Some),
            Goal::KeepUp => core.keep_up(),
            Goal::CheckAndCompact | Goal::Prepare { .. } | Goal::Background => core.check_and_compact(),
        })
    }

    fn go_on_in_background(
        &self,
        pending: Pending,
        answer: Result<Answer, Refusal>,
    ) -> Result<Option<Fit>, JsValue> {
        let next = self.inner.write_quietly(|core| {
            Ok(match answer {
                Ok(answer) => core.answer_in_background(pending, answer),
                Err(refusal) => core.not_answered_in_background(pending, refusal.error, refusal.too_long),
            })
        })?;
        Ok(next.map(|pending| Fit::NeedsSummary(Box::new(pending))))
    }

    fn go_on_refused(&self, pending: Pending, refusal: Refusal) -> Result<Fit, JsValue> {
        let Refusal { error, cause, too_long } = refusal;
        let went_on = self.inner.write_core(|core| {
            if too_long { core.shrink(pending) } else { core.not_answered(pending, error) }
        })?;
        went_on.map_err(|error| context_error(&error, Some(&cause), self.inner.last_report().as_ref()))
    }
}

#[wasm_bindgen]
impl Run {
    /// The session.
    #[wasm_bindgen(getter)]
    pub fn engine(&self) -> Engine {
        Engine::new(&self.inner)
    }

    /// Whether joining a run that somebody else started is enough.
    #[wasm_bindgen(getter, js_name = isMetByAnother)]
    pub fn is_met_by_another(&self) -> bool {
        // A summary made without the instructions does not fulfil them.
        matches!(self.goal, Goal::Compact(None) | Goal::CheckAndCompact | Goal::KeepUp)
    }

    /// Whether a fold is wanted, so that a run that went on without one is not enough.
    #[wasm_bindgen(getter, js_name = wantsFold)]
    pub fn wants_fold(&self) -> bool {
        matches!(self.goal, Goal::Compact(_) | Goal::CheckAndCompact)
    }

    /// Whether the caller goes on if a fold fails and the view fits.
    #[wasm_bindgen(getter, js_name = canGoOn)]
    pub fn can_go_on(&self) -> bool {
        matches!(self.goal, Goal::KeepUp)
    }

    /// Whether it has to wait for a summary that is being written in the background.
    #[wasm_bindgen(js_name = joinsBackground)]
    pub fn joins_background(&self) -> Result<bool, JsValue> {
        self.inner.read(|core| self.goal.joins_background(core))
    }

    /// Begins. Returns whether it waits for a summary now.
    pub fn begin(&self) -> Result<bool, JsValue> {
        self.inner.refuse_freed()?;
        let fit = self.first_fit()?;
        let waits = self.continue_with(fit);
        if waits && !self.is_in_background() {
            self.inner.is_running.set(true);
        }
        Ok(waits)
    }

    /// Whether it waits for a summary.
    #[wasm_bindgen(getter, js_name = needsSummary)]
    pub fn needs_summary(&self) -> bool {
        self.pending().is_some()
    }

    /// Whether the view fits without the summary.
    #[wasm_bindgen(getter, js_name = canDoWithout)]
    pub fn can_do_without(&self) -> Result<bool, JsValue> {
        let pending = self.pending();
        self.inner.read(|core| pending.is_some_and(|pending| core.can_continue_without_summary(&pending)))
    }

    /// Continues with a summary by the extractive summariser. Returns, as `goOn`, whether it waits for another summary.
    pub fn extract(&self) -> Result<bool, JsValue> {
        let pending = self.take_pending()?;
        let fit = self.inner.write_quietly(|core| core.resume_extractive(pending))?;
        Ok(self.continue_with(Some(fit)))
    }

    /// No summary could be asked for: goes on without one if the view fits now, or fails with this error.
    #[wasm_bindgen(js_name = notAsked)]
    pub fn not_asked(&self, thrown: JsValue) -> Result<(), JsValue> {
        let error = error_of(&thrown);
        if self.is_in_background() {
            let pending = self.take_pending()?;
            return self.inner.write_quietly(|core| {
                core.not_asked_in_background(pending, error);
                Ok(())
            });
        }
        let can_do_without = self.can_do_without()?;
        let pending = self.take_pending()?;
        let went_on = self.inner.write_core(|core| {
            if can_do_without {
                core.continue_without_summary(pending, error)
            } else {
                core.give_up(pending, error)
            }
        })?;
        self.continue_with(Some(went_on.map_err(|_| thrown)?));
        Ok(())
    }

    /// Calls the callback, and returns what it returns.
    pub fn ask(&self, signal: JsValue) -> Result<JsValue, JsValue> {
        let request = self.pending().map(|pending| request_object(&self.inner, &pending.request));
        ask(&self.inner, &request.ok_or_else(not_waiting)??, signal_of(&signal))
    }

    /// Reads the callback's answer. Returns whether there is a summary in it.
    pub fn heard(&self, answer: JsValue) -> Result<bool, JsValue> {
        self.hear(heard(&self.inner, answer))
    }

    /// The callback failed.
    pub fn failed(&self, thrown: JsValue, signal: JsValue) -> Result<bool, JsValue> {
        self.hear(Err(refused(thrown, signal_of(&signal))))
    }

    /// Continues with the answer, or without one. Returns whether it waits for another summary now. Does not deliver events: the caller
    /// keeps the view first.
    #[wasm_bindgen(js_name = goOn)]
    pub fn go_on(&self) -> Result<bool, JsValue> {
        let pending = self.take_pending()?;
        let answer = self.answer.take();
        let answer = answer.ok_or_else(not_waiting)?;
        let fit = match answer {
            answer if self.is_in_background() => self.go_on_in_background(pending, answer)?,
            Ok(answer) => Some(self.inner.write_quietly(|core| core.resume(pending, &answer))?),
            Err(refusal) => Some(self.go_on_refused(pending, refusal)?),
        };
        Ok(self.continue_with(fit))
    }

    /// Keeps the view and the report as they are now, for those who read them later, once the run is done. Returns whether it is.
    #[wasm_bindgen(js_name = keepOutcome)]
    pub fn keep_outcome(&self) -> Result<bool, JsValue> {
        let report = match &*self.stage.borrow() {
            Stage::Done(report) => report.clone(),
            _ => return Ok(false),
        };
        let view = self.inner.read(|core| core.context().view.snapshot())?;
        self.stage.replace(Stage::Kept(Outcome::new(view, report)));
        Ok(true)
    }

    /// What the caller's promise resolves to: the report, or view and report; `null` if nothing was due.
    pub fn value(&self) -> Result<JsValue, JsValue> {
        self.keep_outcome()?;
        match self.outcome() {
            None => Ok(JsValue::NULL),
            Some(outcome) if self.wants_view() => prepared(&self.inner, outcome),
            Some(outcome) => outcome.report(),
        }
    }

    /// The report, for a caller who joined the run.
    pub fn report(&self) -> Result<JsValue, JsValue> {
        self.outcome().map_or(Ok(JsValue::UNDEFINED), |outcome| outcome.report())
    }
}
