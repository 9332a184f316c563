//! The runs of a session: what may fold, and what asks whether one is due.

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::Session;
use crate::error::Error;
use crate::session::Session as Core;
use crate::wasm::drive::{self, Goal};
use crate::wasm::signal::AbortSignal;
use crate::wasm::thrown::said_by;
use crate::wasm::value::{count, get, get_string, known_keys, settle};

#[wasm_bindgen]
impl Session {
    /// Whether a compaction is due: `enabled`, `auto`, and the last usage since the last compaction (or else the counted
    /// tokens) has reached the threshold. Always false where no window is known.
    #[wasm_bindgen(js_name = shouldCompact)]
    pub fn should_compact(&self) -> Result<bool, JsValue> {
        self.inner.read(Core::should_compact)
    }

    /// Folds if `shouldCompact()` says so. Resolves to the report, or to `null` where nothing was to be done.
    ///
    /// @throws {ContextError} as `compact`, also for want of a summary where the view would fit without: it is asked for. The hooks
    /// of an agent loop (`afterModelCall` …) go on there.
    #[wasm_bindgen(js_name = checkAndCompact, unchecked_return_type = "Promise<Report | null>")]
    pub fn check_and_compact(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal | undefined }")]
        options: JsValue,
    ) -> Promise {
        settle(self.start(Goal::CheckAndCompact, &options))
    }

    /// Folds in any case: everything but the last `retainLastTurns` turns becomes a summary; where these alone exceed the
    /// target, the oldest of them loses its earlier steps to the summary. Where there is nothing to fold, resolves to a report
    /// without decisions. A compaction that is under way is joined; with `instructions` its end is waited for, and then what
    /// is left is folded with them (where nothing is, a decision says that they went to no summariser).
    ///
    /// @throws {ContextError} `SUMMARY_FAILED`, `SUMMARY_EMPTY`, `SUMMARY_TRUNCATED`, `SUMMARY_NOT_SMALLER`, `SUMMARY_INVALID`;
    /// `STALE_PLAN` where what was to be folded was rewritten meanwhile; `BUDGET_IMPOSSIBLE` where header, tools and pins alone exceed the
    /// limit; `STORE_CONFLICT` where another process saved the session meanwhile; `INVALID_ARGUMENT` inside a `summarize` of its own;
    /// `ABORTED`, `FREED`. History and view are as they were then.
    #[wasm_bindgen(unchecked_return_type = "Promise<Report>")]
    pub fn compact(
        &self,
        #[wasm_bindgen(
            unchecked_optional_param_type = "{ signal?: AbortSignal | undefined; instructions?: string | undefined }"
        )]
        options: JsValue,
    ) -> Promise {
        settle(known_keys(&options, &["signal", "instructions"]).and_then(|()| {
            let instructions = get_string(&options, "instructions")?;
            self.run(Goal::Compact(instructions), &options)
        }))
    }

    /// Makes the view fit and resolves to it, with the report. May ask for a summary.
    ///
    /// A cut goes down to the low mark (`lowRatio`), so that the next message does not need another. `fill` keeps as much as the limit
    /// has room for instead, and touches nothing that fits: for a conversation that does not go on (`compactMessages` does so).
    ///
    /// `idleMs` says how many milliseconds ago the last model call was. Past the life of the provider's prompt cache
    /// (`promptCache.lifeMs`, five minutes) an edit takes nothing from it, so a compaction that is near, from 90 % of the threshold on, is done now;
    /// before, one that is due waits until the limit. Without it, a compaction comes at the threshold.
    ///
    /// @throws {ContextError} as `compact`, but for want of a summary only where the view does not fit without one; and
    /// `CONTEXT_WINDOW_EXCEEDED` where every pass ran in vain.
    #[wasm_bindgen(unchecked_return_type = "Promise<Prepared>")]
    pub fn prepare(
        &self,
        #[wasm_bindgen(
            unchecked_optional_param_type = "{ signal?: AbortSignal | undefined; fill?: boolean | undefined; idleMs?: number | undefined }"
        )]
        options: JsValue,
    ) -> Promise {
        settle(known_keys(&options, &["signal", "fill", "idleMs"]).and_then(|()| {
            let wrong = || Error::argument("`fill`: expected true or false");
            let fill = get(&options, "fill")?.map(|f| f.as_bool().ok_or_else(wrong)).transpose()?;
            let idle_ms = get(&options, "idleMs")?.map(|ms| count(&ms, "idleMs")).transpose()?;
            let (fill, idle_ms) = (fill.unwrap_or(false), idle_ms.map(|ms| ms as u64));
            self.run(Goal::Prepare { fill, idle_ms }, &options)
        }))
    }

    /// What a compaction would do: what it folds, keeps and trims, what it asks, and the tokens. Nothing changes.
    ///
    /// It is the ladder of `prepare` with one fold, whether that is due or not. `apply` does just that, and makes the view fit
    /// as `prepare` does; it rejects as `compact` does where no summary could be had.
    ///
    /// ```js
    /// const plan = session.plan();
    /// if (plan.folded.length > 0 && confirm(`Fold ${plan.folded.length} messages?`)) await plan.apply({ keep: ["m3"] });
    /// ```
    /// @param options `ifDue`: fold only what `prepare` would fold now; `fill` as for `prepare`; `instructions` as for
    /// `compact`.
    /// @throws {ContextError} `BUDGET_IMPOSSIBLE` where header, tools and pins alone exceed the limit.
    #[wasm_bindgen(unchecked_return_type = "Plan")]
    pub fn plan(
        &self,
        #[wasm_bindgen(
            unchecked_optional_param_type = "{ ifDue?: boolean; fill?: boolean; instructions?: string }"
        )]
        options: JsValue,
    ) -> Result<JsValue, JsValue> {
        crate::wasm::plan::plan(&self.inner, &options)
    }

    /// When a provider refuses a request for its size all the same: makes the view smaller and resolves to it, to try again with.
    /// Resolves to `null` for any other error.
    ///
    /// A refusal by bytes, by the number of images or by an image's size or dimensions changes the option `media`, and the oldest media
    /// become placeholders; limits in tokens stay.
    ///
    /// The error may be whatever a client threw, or a provider's body or text: what says "too long" is looked for in its message, its
    /// body and its causes. The limit that it names holds from now on (`session.limit`), in the model's own tokens; where the provider
    /// counted more tokens than we did, counts are corrected by as much from now on (`counter.calibration`; with `calibrate: false`
    /// the limit is smaller by as much instead). Without figures, a quarter of the view goes.
    ///
    /// ```js
    /// for (;;) {
    ///   try {
    ///     return await client.messages.create({ model, max_tokens, ...session.view("anthropic") });
    ///   } catch (error) {
    ///     if (!(await session.recover(error))) throw error;
    ///   }
    /// }
    /// ```
    /// @throws {ContextError} `CONTEXT_WINDOW_EXCEEDED` on the fourth time in a row without an answer (an assistant message) pushed in
    /// between; else as `prepare`.
    #[wasm_bindgen(unchecked_return_type = "Promise<Prepared | null>")]
    pub fn recover(
        &self,
        #[wasm_bindgen(unchecked_param_type = "unknown")] error: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal | undefined }")]
        options: JsValue,
    ) -> Promise {
        settle(self.start(Goal::Recover(said_by(&error)), &options))
    }

    /// After a model call: records its usage, as `recordUsage`, and folds if that is due. Resolves to the report, or to `null` where
    /// nothing was to be done. The agent goes on: where no summary could be had and the view fits without, the report says so
    /// (`summary.fallback`, and its decisions), and an event (`compaction_failed`).
    ///
    /// @throws {ContextError} as `compact`, but for want of a summary only where the view does not fit without one.
    #[wasm_bindgen(js_name = afterModelCall, unchecked_return_type = "Promise<Report | null>")]
    pub fn after_model_call(
        &self,
        #[wasm_bindgen(unchecked_param_type = "unknown")] usage: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal | undefined }")]
        options: JsValue,
    ) -> Promise {
        settle(self.record_usage(usage).and_then(|_| self.start(Goal::KeepUp, &options)))
    }

    /// After tools ran: folds if that is due, judged by the last usage.
    ///
    /// @throws {ContextError} as `afterModelCall`.
    #[wasm_bindgen(js_name = afterToolExecution, unchecked_return_type = "Promise<Report | null>")]
    pub fn after_tool_execution(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal | undefined }")]
        options: JsValue,
    ) -> Promise {
        settle(self.start(Goal::KeepUp, &options))
    }

    /// Once before the final answer is returned: folds if that is due.
    ///
    /// @throws {ContextError} as `afterModelCall`.
    #[wasm_bindgen(js_name = beforeFinalAnswer, unchecked_return_type = "Promise<Report | null>")]
    pub fn before_final_answer(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal | undefined }")]
        options: JsValue,
    ) -> Promise {
        settle(self.start(Goal::KeepUp, &options))
    }

    /// The three hooks of an agent loop as one wrapper: each runs what it is given, then folds if that is due.
    ///
    /// `modelCall` looks for `usage` in the answer; `toolExecution` passes through what the tools gave; `finalAnswer` folds
    /// once before the answer is handed on. What your function gives always comes back; a compaction that fails is told by
    /// the event `compaction_failed` and by `report`.
    #[wasm_bindgen(unchecked_return_type = "AgentLoop", js_name = loop)]
    pub fn agent_loop(&self) -> Result<JsValue, JsValue> {
        crate::wasm::agent_loop::hooks(&self.inner)
    }
}

impl Session {
    /// `prepare`, for a session that nobody else holds: it is let go of when this settles.
    pub(in crate::wasm) fn prepare_once(self, options: JsValue) -> Promise {
        let prepared = self.prepare(options);
        wasm_bindgen_futures::future_to_promise(async move {
            let settled = wasm_bindgen_futures::JsFuture::from(prepared).await;
            drop(self);
            settled
        })
    }

    fn start(&self, goal: Goal, options: &JsValue) -> Result<Promise, JsValue> {
        known_keys(options, &["signal"])?;
        self.run(goal, options)
    }

    fn run(&self, goal: Goal, options: &JsValue) -> Result<Promise, JsValue> {
        let signal = AbortSignal::of(options)?;
        Ok(drive::start(self.inner.clone(), goal, signal))
    }
}
