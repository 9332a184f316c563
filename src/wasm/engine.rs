//! A session as `pkg/host` sees it: the steps between its awaits. Saving adds its own in `saving.rs`, tool outputs in `away.rs`.
//!
//! Arguments and results are mostly `JsValue`s: V8 compiles a wrapper for each different signature of an exported function, and that
//! is a fifth of a millisecond of every start.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::away;
use super::call_cost;
use super::inner::Inner;
use super::run::{self, Goal};
use super::usage::reported_usage;
use super::value::get;
use crate::session::Session;

/// A session.
#[wasm_bindgen(skip_typescript)]
pub struct Engine {
    pub(super) inner: Rc<Inner>,
}

impl Engine {
    pub fn new(inner: &Rc<Inner>) -> Self {
        Self { inner: inner.clone() }
    }
}

#[wasm_bindgen]
impl Engine {
    /// What `pkg/host` keeps for the session.
    #[wasm_bindgen(getter)]
    pub fn state(&self) -> Result<JsValue, JsValue> {
        self.inner.host_state()
    }

    /// The time in milliseconds.
    pub fn clock(&self) -> JsValue {
        self.inner.clock().into()
    }

    /// Delivers events to the listeners.
    #[wasm_bindgen(js_name = deliverEvents)]
    pub fn deliver_events(&self) {
        self.inner.deliver_events();
    }

    /// Cleans up after a run, whether it succeeded or not.
    #[wasm_bindgen(js_name = afterRun)]
    pub fn after_run(&self) {
        run::after_run(&self.inner);
    }

    /// Whether the summarize callback is being called.
    #[wasm_bindgen(getter, js_name = isAsking)]
    pub fn is_asking(&self) -> bool {
        self.inner.is_asking.get()
    }

    /// Whether a run waits for a summary.
    #[wasm_bindgen(setter, js_name = isRunning)]
    pub fn set_is_running(&self, is: bool) {
        self.inner.is_running.set(is);
    }

    /// Whether a summary is being asked for in the background.
    #[wasm_bindgen(setter, js_name = isInBackground)]
    pub fn set_is_in_background(&self, is: bool) {
        self.inner.is_in_background.set(is);
    }

    /// Whether the caller gave a function that writes summaries.
    #[wasm_bindgen(getter, js_name = hasSummarize)]
    pub fn has_summarize(&self) -> bool {
        self.inner.summarize.borrow().is_some()
    }

    /// Whether a summary from the background waits to be used.
    #[wasm_bindgen(getter, js_name = hasBackgroundSummary)]
    pub fn has_background_summary(&self) -> bool {
        self.inner.read(Session::has_background_summary).unwrap_or(false)
    }

    /// The number of folds.
    #[wasm_bindgen(getter)]
    pub fn folds(&self) -> usize {
        self.inner.read(|core| core.context().folds.len()).unwrap_or_default()
    }

    /// Whether the view is larger than the limit.
    #[wasm_bindgen(getter, js_name = isTooLarge)]
    pub fn is_too_large(&self) -> Result<bool, JsValue> {
        self.inner.read(Session::is_too_large)
    }

    /// The last run's report.
    #[wasm_bindgen(getter, js_name = lastReport)]
    pub fn last_report(&self) -> JsValue {
        self.inner.last_report().unwrap_or_default()
    }

    /// Folds if that is due.
    #[wasm_bindgen(js_name = keepUp)]
    pub fn keep_up(&self) -> Result<Promise, JsValue> {
        run::start(&self.inner, Goal::KeepUp, None)
    }

    /// Records the usage in a model's answer, if there is one that can be read.
    #[wasm_bindgen(js_name = recordUsageOf)]
    pub fn record_usage_of(&self, answer: JsValue) -> Result<(), JsValue> {
        let usage = get(&answer, "usage").ok().flatten().unwrap_or_default();
        let Ok(Some(reported)) = reported_usage(&usage) else { return Ok(()) };
        self.inner.write(|core| {
            core.record_usage(&reported);
            Ok(())
        })?;
        call_cost::report_call(&self.inner, &reported);
        Ok(())
    }

    /// Moves tool outputs to the store if memory holds more than it may.
    #[wasm_bindgen(js_name = moveDueOutputs)]
    pub fn move_due_outputs(&self) {
        away::move_due_outputs(&self.inner);
    }
}
