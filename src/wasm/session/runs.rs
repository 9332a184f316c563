//! The runs of a session: methods that may fold, and those that ask whether a fold is due.

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::Session;
use crate::session::Session as Core;
use crate::wasm::arguments::{count, get_flag, get_string, known_keys};
use crate::wasm::engine::Engine;
use crate::wasm::host::{Host, host};
use crate::wasm::run::{self, Goal};
use crate::wasm::signal::AbortSignal;
use crate::wasm::thrown::text_of_thrown;
use crate::wasm::value::get;

#[wasm_bindgen]
extern "C" {
    /// The three hooks of `session.loop()`.
    #[wasm_bindgen(method, js_name = loopHooks)]
    fn loop_hooks(this: &Host, engine: Engine) -> JsValue;
    /// A promise that keeps the session alive until it settles.
    #[wasm_bindgen(method)]
    fn holding(this: &Host, promise: &Promise, session: HeldSession) -> Promise;
}

/// A session that nobody else holds.
#[wasm_bindgen(skip_typescript)]
pub struct HeldSession(Option<Session>);

impl HeldSession {
    pub fn new(session: Session) -> Self {
        Self(Some(session))
    }
}

#[wasm_bindgen]
impl HeldSession {
    /// Drops it, as the garbage collector would: what it handed out can still be read.
    pub fn release(&mut self) {
        self.0 = None;
    }
}

#[wasm_bindgen]
impl Session {
    /// Whether a compaction is due: `enabled` and `auto` are on, and the last usage since the last compaction (or else the counted
    /// tokens) has reached the threshold. If no window is known, it is false unless the ladder has a threshold of its own.
    #[wasm_bindgen(js_name = shouldCompact)]
    pub fn should_compact(&self) -> Result<bool, JsValue> {
        self.inner.read(Core::should_compact)
    }

    /// Folds if `shouldCompact()` is true. Resolves to the report, or to `null` if there was nothing to do.
    ///
    /// @throws {ContextError} as `compact`, even if only a summary is missing and the view would fit without it, since a summary is what
    /// you ask for here. The hooks of an agent loop (`afterModelCall` …) go on in that case.
    #[wasm_bindgen(js_name = checkAndCompact, unchecked_return_type = "Promise<Report | null>")]
    pub fn check_and_compact(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal | undefined }")]
        options: JsValue,
    ) -> Result<Promise, JsValue> {
        self.start(Goal::CheckAndCompact, &options)
    }

    /// Folds in any case: everything but the last `retainLastTurns` turns becomes a summary. If these turns alone exceed the target, the
    /// earlier steps of the oldest one are folded too. If there is nothing to fold, the report has one decision (`pass: "compact"`) that
    /// says so. If a compaction is already running, this joins it; with `instructions`, it waits for the running one to end, and then
    /// folds what is left with them (if nothing is left, a decision says that no summariser got the instructions).
    ///
    /// @throws {ContextError} `SUMMARY_FAILED`, `SUMMARY_EMPTY`, `SUMMARY_TRUNCATED`, `SUMMARY_NOT_SMALLER`, `SUMMARY_INVALID`;
    /// `STALE_PLAN` if the messages to be folded were rewritten, or any message erased, in the meantime; `BUDGET_IMPOSSIBLE` if header,
    /// tools and pins alone exceed the limit; `STORE_CONFLICT` if another process saved the session in the meantime;
    /// `INVALID_ARGUMENT` if called inside a `summarize` of the same session; `ABORTED`, `FREED`. Then history and view have not changed.
    #[wasm_bindgen(unchecked_return_type = "Promise<Report>")]
    pub fn compact(
        &self,
        #[wasm_bindgen(
            unchecked_optional_param_type = "{ signal?: AbortSignal | undefined; instructions?: string | undefined }"
        )]
        options: JsValue,
    ) -> Result<Promise, JsValue> {
        known_keys(&options, &["signal", "instructions"])?;
        let instructions = get_string(&options, "instructions")?;
        self.run(Goal::Compact(instructions), &options)
    }

    /// Makes the view fit, and resolves to the view and a report. May ask for a summary.
    ///
    /// A cut goes down to the target (`lowRatio`), so that the next message does not need another. `fill` instead keeps as much as the
    /// limit has room for, and changes nothing that fits: use it for a conversation that does not go on (as `compactMessages` does).
    ///
    /// `idleMs` is how many milliseconds ago the last model call was. Once the provider's prompt cache has expired
    /// (`promptCache.lifeMs`, five minutes), an edit loses nothing in it, so a compaction that is near (from 90 % of the threshold on) is
    /// done now. While the cache is warm, a due compaction waits until the view reaches the limit. Without `idleMs`, a
    /// compaction happens at the threshold.
    ///
    /// @throws {ContextError} as `compact`, but for a missing summary only if the view does not fit without one; and
    /// `CONTEXT_WINDOW_EXCEEDED` if no pass could make the view fit. A fold whose summary was accepted before that stays, because it is
    /// valid and paid for; everything else is as before the call.
    #[wasm_bindgen(unchecked_return_type = "Promise<Prepared>")]
    pub fn prepare(
        &self,
        #[wasm_bindgen(
            unchecked_optional_param_type = "{ signal?: AbortSignal | undefined; fill?: boolean | undefined; idleMs?: number | undefined }"
        )]
        options: JsValue,
    ) -> Result<Promise, JsValue> {
        known_keys(&options, &["signal", "fill", "idleMs"])?;
        let fill = get_flag(&options, "fill")?;
        let idle_ms = get(&options, "idleMs")?.map(|ms| count(&ms, "idleMs")).transpose()?;
        self.run(Goal::Prepare { fill, idle_ms: idle_ms.map(|ms| ms as u64) }, &options)
    }

    /// A preview of a compaction: what it would fold, keep and trim, its request, and the tokens. Changes nothing.
    ///
    /// It runs the ladder of `prepare` with one fold, whether or not that is due. `apply` does exactly that, and makes the view fit
    /// as `prepare` does; like `compact`, it rejects if no summary could be had.
    ///
    /// ```js
    /// const plan = session.plan();
    /// if (plan.folded.length > 0 && confirm(`Fold ${plan.folded.length} messages?`)) await plan.apply({ keep: ["m3"] });
    /// ```
    /// @param options `ifDue`: fold only what `prepare` would fold now; `fill` as for `prepare`; `instructions` as for
    /// `compact`.
    /// @throws {ContextError} `BUDGET_IMPOSSIBLE` if header, tools and pins alone exceed the limit.
    #[wasm_bindgen(unchecked_return_type = "Plan")]
    pub fn plan(
        &self,
        #[wasm_bindgen(
            unchecked_optional_param_type = "{ ifDue?: boolean | undefined; fill?: boolean | undefined; instructions?: string | undefined }"
        )]
        options: JsValue,
    ) -> Result<JsValue, JsValue> {
        crate::wasm::plan::plan(&self.inner, &options)
    }

    /// For a request that a provider refused because of its size: makes the view smaller and resolves to it, so that you can try again.
    /// Resolves to `null` for any other error.
    ///
    /// If the refusal is about bytes, the number of images, or an image's size or dimensions, the option `media` changes and the oldest
    /// media become placeholders; limits in tokens stay.
    ///
    /// The error may be whatever a client threw, or a provider's body or text: its message, body and causes are searched for wording such
    /// as "too long". The limit that it names holds from now on (`session.limit`), in the model's own tokens. If the
    /// provider counted more tokens than we did, counts are corrected by that ratio from now on (`counter.calibration`;
    /// with `calibrate: false`, the limit is lowered by that ratio instead). Above a ratio of 4, the refusal is taken to be
    /// about another request: only its limit is kept, and `report.notices` says so. If it names no numbers, the limit
    /// becomes three quarters of the view, and the view is cut only to that limit.
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
    /// @throws {ContextError} `CONTEXT_WINDOW_EXCEEDED` the fourth time in a row, if no answer (assistant message) was pushed in
    /// between; otherwise as `prepare`.
    #[wasm_bindgen(unchecked_return_type = "Promise<Prepared | null>")]
    pub fn recover(
        &self,
        #[wasm_bindgen(unchecked_param_type = "unknown")] error: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal | undefined }")]
        options: JsValue,
    ) -> Result<Promise, JsValue> {
        self.start(Goal::Recover(text_of_thrown(&error)), &options)
    }

    /// Call it after a model call: records the usage, as `recordUsage`, and folds if that is due. Resolves to the report, or to `null` if
    /// there was nothing to do. If no summary could be had but the view fits without one, the agent goes on: the report
    /// (`summary.fallback`, and its decisions) and an event (`compaction_failed`) say so.
    ///
    /// @throws {ContextError} as `compact`, but for a missing summary only if the view does not fit without one.
    #[wasm_bindgen(js_name = afterModelCall, unchecked_return_type = "Promise<Report | null>")]
    pub fn after_model_call(
        &self,
        #[wasm_bindgen(unchecked_param_type = "unknown")] usage: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal | undefined }")]
        options: JsValue,
    ) -> Result<Promise, JsValue> {
        self.record_usage(usage)?;
        self.start(Goal::KeepUp, &options)
    }

    /// Call it after tools ran: folds if that is due, judged by the last usage.
    ///
    /// @throws {ContextError} as `afterModelCall`.
    #[wasm_bindgen(js_name = afterToolExecution, unchecked_return_type = "Promise<Report | null>")]
    pub fn after_tool_execution(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal | undefined }")]
        options: JsValue,
    ) -> Result<Promise, JsValue> {
        self.start(Goal::KeepUp, &options)
    }

    /// Call it once before the final answer is returned: folds if that is due.
    ///
    /// @throws {ContextError} as `afterModelCall`.
    #[wasm_bindgen(js_name = beforeFinalAnswer, unchecked_return_type = "Promise<Report | null>")]
    pub fn before_final_answer(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal | undefined }")]
        options: JsValue,
    ) -> Result<Promise, JsValue> {
        self.start(Goal::KeepUp, &options)
    }

    /// The three hooks of an agent loop as one wrapper. Each runs the function that it is given, then folds if that is due.
    ///
    /// `modelCall` looks for `usage` in the result; `toolExecution` passes on what the tools returned; `finalAnswer` folds once before
    /// the answer is passed on. The result of your function is always returned; a compaction that fails is reported by the event
    /// `compaction_failed` and by `report`.
    #[wasm_bindgen(unchecked_return_type = "AgentLoop", js_name = loop)]
    pub fn agent_loop(&self) -> Result<JsValue, JsValue> {
        host(|host| host.loop_hooks(self.engine()))
    }
}

impl Session {
    /// `prepare` for a session that nobody else holds: the session is dropped when the promise settles.
    pub(in crate::wasm) fn prepare_once(self, options: JsValue) -> Result<Promise, JsValue> {
        let prepared = self.prepare(options)?;
        host(|host| host.holding(&prepared, HeldSession::new(self)))
    }

    fn start(&self, goal: Goal, options: &JsValue) -> Result<Promise, JsValue> {
        known_keys(options, &["signal"])?;
        self.run(goal, options)
    }

    fn run(&self, goal: Goal, options: &JsValue) -> Result<Promise, JsValue> {
        run::start(&self.inner, goal, AbortSignal::of(options)?)
    }
}
