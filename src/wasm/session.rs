//! `Session`: the mirror of [`crate::session::Session`].

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Promise};
use wasm_bindgen::prelude::*;

use super::away;
use super::background::consider;
use super::context_parts::{set_context, set_tools};
use super::drive::{self, Goal};
use super::entries::{Incoming, read};
use super::inner::Inner;
use super::lease;
use super::options::{Options, read_options, set_options};
use super::providers::on_note;
use super::signal::AbortSignal;
use super::summarize::parse_format;
use super::sync::sync;
use super::thrown::said_by;
use super::tool_outputs::ToolOutputCache;
use super::value::{flat_to_js, get, get_string, is_list, json, known_keys, settle, text, to_js};
use super::view::view_of;
use crate::context::{NodeIndex, NodeKind};
use crate::error::{Error, ErrorCode};
use crate::message::{Format, Message};
use crate::provider::provider;
use crate::session::{SavedSummary, Search, Session as Core};
use crate::tokens::{ReportedUsage, TokenUsage};

/// One agent's conversation, kept inside its context window.
///
/// **History** is what was pushed; it only grows. The **view** is what the model is sent next: the header, then the
/// history under the folds and trims so far. Nothing that leaves the view is lost.
///
/// ```js
/// import { Session } from "contextfold";
///
/// const session = new Session({
///   model: "gpt-5",
///   summarize: async (request, { signal }) => {
///     const answer = await client.responses.create({ ...request.as("openai-responses"), model: "gpt-5-mini" }, { signal });
///     return { text: answer.output_text, usage: answer.usage };
///   },
/// });
/// session.push({ role: "user", content: "Why does the build fail?" });
/// const { messages, report } = await session.prepare();
/// ```
#[wasm_bindgen]
pub struct Session {
    pub(super) inner: Rc<Inner>,
}

impl Drop for Session {
    fn drop(&mut self) {
        if BY_HAND.get() {
            self.inner.empty();
        }
        self.inner.set_freed();
        lease::leave(&self.inner);
    }
}

thread_local! {
    /// An object is being freed by its caller, not by the garbage collector.
    static BY_HAND: Cell<bool> = const { Cell::new(false) };
}

/// Says whether what is freed now is freed by its caller. The package's guard calls it around each `free()`.
#[wasm_bindgen(js_name = setFreeing, skip_typescript)]
pub fn set_freeing(by_hand: bool) {
    BY_HAND.set(by_hand);
}

impl Session {
    /// The object for a session of these options.
    pub(super) fn of(mut core: Core, mut options: Options) -> Self {
        core.set_redact(options.redact.take());
        core.set_summarizer(options.summarize.is_some());
        Self { inner: Rc::new(Inner::new(core, options)) }
    }
}

#[wasm_bindgen]
impl Session {
    /// An empty session.
    ///
    /// @param options See `SessionOptions`; all have defaults.
    /// @throws {ContextError} `INVALID_CONFIG` naming the key, for an unknown key, a wrong type or a number out of range;
    /// `UNKNOWN_MODEL` for a model that neither the built-in table nor `options.models` knows.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "SessionOptions")] options: JsValue,
    ) -> Result<Session, JsValue> {
        let read = read_options(&options)?;
        let core = Core::new(read.config()?, read.counter.clone());
        if core.config().memory_bytes.is_some() && read.store.is_none() {
            let why = "tool outputs beyond it live in the store: give `store` as well";
            return Err(Error::config("toolOutputCache.memoryBytes", why).into());
        }
        Ok(Self::of(core, read))
    }

    /// Takes one message or several in, all or none, and gives their ids.
    ///
    /// Tool outputs are stored whole and cut at once for the view; when they exceed their budget together, the oldest
    /// become placeholders. A summary is never asked for here.
    ///
    /// @throws {ContextError} `INVALID_MESSAGE` with the index and the reason: a missing role, a tool output without its
    /// call, a call id that is still open, a part of another format (that goes in by `pushFrom`). Nothing has changed then.
    pub fn push(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Message | Message[]")] input: JsValue,
    ) -> Result<Vec<String>, JsValue> {
        if is_list(&input) {
            return self.take_in(Format::Messages, &input);
        }
        self.take_in(Format::Messages, &Array::of1(&input))
    }

    /// Takes items or messages of a format in: a list, one of them, a request body (its header too) or a response, as the
    /// provider's SDK gives it; of the AI SDK a result's `response`, or its messages.
    ///
    /// @throws {ContextError} `INVALID_MESSAGE`, or `INVALID_ARGUMENT` for a format that there is not.
    #[wasm_bindgen(js_name = pushFrom)]
    pub fn push_from(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
        #[wasm_bindgen(unchecked_param_type = "unknown")] input: JsValue,
    ) -> Result<Vec<String>, JsValue> {
        match parse_format(&format)? {
            Format::Messages if get(&input, "messages")?.is_none() => self.push(input),
            format => self.take_in(format, &input),
        }
    }

    /// Takes in what is new in a list that an SDK hands over whole with every step.
    ///
    /// Entry by entry the list is compared with what was pushed so far: by reference, and by value where an object is not the
    /// same one. What stands behind the common beginning enters as with `pushFrom`. `added` tells how many entries that are.
    ///
    /// Where the past was rewritten (an entry is another one, or the list is shorter), `diverged_at` is the index of the first entry
    /// that is not as it was, else `null`. The history keeps everything; the view goes on with the given list from there. A fold that
    /// stands for what was rewritten is undone. Tool outputs that were stored already keep their refs.
    ///
    /// A list that begins with the view as it is now goes on from that: the view may be handed back, summaries and all.
    ///
    /// A body's `system` or `instructions` becomes the header, as with `setHeader`.
    ///
    /// ```js
    /// const { added, diverged_at } = session.sync("ai-sdk", messages);   // the SDK's own list, in every step
    /// await session.prepare();
    /// const fitting = session.view("ai-sdk");
    /// ```
    /// @throws {ContextError} `INVALID_MESSAGE`, its index counted from the first entry that is new; `INVALID_ARGUMENT` for a format
    /// that there is not, and for an input without a list.
    #[wasm_bindgen(unchecked_return_type = "{ added: number; diverged_at: number | null }")]
    pub fn sync(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
        #[wasm_bindgen(unchecked_param_type = "unknown", js_name = fullInput)] full_input: JsValue,
    ) -> Result<JsValue, JsValue> {
        let synced = sync(&self.inner, parse_format(&format)?, &full_input);
        away::settle(&self.inner);
        let result = synced?;
        consider(&self.inner);
        Ok(result)
    }

    /// Replaces the leading system and developer messages: a text (an empty one: none), or messages. No pass ever touches them.
    #[wasm_bindgen(js_name = setHeader)]
    pub fn set_header(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Message[] | string")] messages: JsValue,
    ) -> Result<(), JsValue> {
        let header = match messages.as_string() {
            Some(text) if text.trim().is_empty() => Vec::new(), // no provider takes an empty instruction
            Some(text) => vec![Message::text(crate::message::Role::System, text)],
            None => provider(Format::Messages).read(&json(&messages, ErrorCode::InvalidMessage)?)?,
        };
        self.inner.rehearse(&header)?;
        self.inner.write(|core| core.set_header(header))
    }

    /// Says which tools the model is given, so that their definitions are counted, by the provider's rule where the
    /// session's model has one (see `report.counter.rules`).
    #[wasm_bindgen(js_name = setTools)]
    pub fn set_tools(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
        #[wasm_bindgen(unchecked_param_type = "unknown[]")] tools: JsValue,
    ) -> Result<(), JsValue> {
        parse_format(&format)?;
        set_tools(&self.inner, &tools)
    }

    /// The tools that the model is given: what `setTools` took and `toolFilter` lets through.
    #[wasm_bindgen(getter, unchecked_return_type = "unknown[]")]
    pub fn tools(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.read(Core::tools)?)
    }

    /// Says what stands in the prompt beside the conversation: between the header and the history, each counted as a part of
    /// its own. A part that is named replaces what it was, and `null` or an empty list clears it; others stay. `null` for all
    /// clears everything.
    ///
    /// - `memory`: what a search of yours found, best first: one system message `<relevant_context>…</relevant_context>`, of at
    ///   most `memoryLimit` (5) results. What a pass dropped of it stays out until it is set again.
    /// - `injections`: messages of your own, as they are, without calls and tool outputs.
    /// - `skills`: `{ name, description? }` each, as `<available_skills … />`.
    /// - `toolFilter`: which of the tools of `setTools` the model is given, by name; see `session.tools`.
    ///
    /// ```js
    /// session.setContext({ memory: await search(question), toolFilter: (name) => name !== "deploy" });
    /// ```
    /// @throws {ContextError} `INVALID_ARGUMENT` naming the key, and where the filter throws or answers with anything but true or
    /// false; `INVALID_MESSAGE` with the index of an injection. Nothing has changed then.
    #[wasm_bindgen(js_name = setContext)]
    pub fn set_context(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ContextPartsInput | null")] parts: JsValue,
    ) -> Result<(), JsValue> {
        set_context(&self.inner, &parts)
    }

    /// Changes options; those that are not named stay as they are, key by key in `compaction` and `toolOutputCache`, too.
    ///
    /// Limit, threshold and counts are judged anew at once: a smaller window makes `shouldCompact()` true, and the next `prepare`
    /// makes the view fit it. Another tokenizer counts the whole history again. Usage that another model reported is forgotten;
    /// what was learnt from it (`calibrate`) is kept for that model. A `prepare` that waits for a summary goes on under the new
    /// options, but for another `ladder`: then it fails with `STALE_PLAN`.
    ///
    /// @throws {ContextError} as the constructor; `INVALID_CONFIG` for an option that cannot change (`store`). Nothing has changed
    /// then.
    #[wasm_bindgen(js_name = setOptions)]
    pub fn set_options(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Partial<SessionOptions>")] options: JsValue,
    ) -> Result<(), JsValue> {
        set_options(&self.inner, &options)
    }

    /// Remembers what a model call used: the provider's own usage object (`OpenAI` Responses or Chat Completions,
    /// Anthropic, AI SDK). `shouldCompact` judges by the last one since the last compaction. `undefined` and `null`, where a
    /// provider reports none, record nothing (and come back as zeros): counted tokens judge then.
    ///
    /// @throws {ContextError} `INVALID_ARGUMENT` for an object of none of these shapes.
    #[wasm_bindgen(js_name = recordUsage, unchecked_return_type = "TokenUsage")]
    pub fn record_usage(
        &self,
        #[wasm_bindgen(unchecked_param_type = "unknown")] usage: JsValue,
    ) -> Result<JsValue, JsValue> {
        if usage.is_undefined() || usage.is_null() {
            return flat_to_js(&TokenUsage::default());
        }
        let reported = ReportedUsage::from_value(&json(&usage, ErrorCode::InvalidArgument)?)?;
        self.inner.write(|core| {
            core.record_usage(&reported);
            Ok(())
        })?;
        consider(&self.inner);
        flat_to_js(&reported.usage)
    }

    /// The history: every message that was pushed, in order. Tool messages carry their `output_ref`.
    #[wasm_bindgen(getter, unchecked_return_type = "Message[]")]
    pub fn messages(&self) -> Result<Array, JsValue> {
        let mut handles = self.inner.handles()?;
        self.inner.read(|core| {
            let nodes = core.context().history.nodes().iter().enumerate();
            let pushed =
                nodes.filter(|(_, n)| n.kind == NodeKind::Message).map(|(i, n)| (NodeIndex(i as u32), n));
            handles.messages(pushed)
        })?
    }

    /// Tokens of the view, as counted.
    #[wasm_bindgen(getter)]
    pub fn tokens(&self) -> Result<f64, JsValue> {
        self.inner.read(|core| core.tokens() as f64)
    }

    /// The context window in tokens; `null` where neither `model` nor `contextWindow` was given.
    #[wasm_bindgen(getter, unchecked_return_type = "number | null")]
    pub fn window(&self) -> Result<JsValue, JsValue> {
        self.inner.read(|core| number_or_null(core.config().window))
    }

    /// Tokens that a view may take: min(max input, window − `reservedOutputTokens`).
    #[wasm_bindgen(getter, unchecked_return_type = "number | null")]
    pub fn limit(&self) -> Result<JsValue, JsValue> {
        self.inner.read(|core| number_or_null(core.config().limit))
    }

    /// limit × `thresholdRatio`.
    #[wasm_bindgen(getter, unchecked_return_type = "number | null")]
    pub fn threshold(&self) -> Result<JsValue, JsValue> {
        self.inner.read(|core| number_or_null(core.threshold()))
    }

    /// The messages of the view with what the engine knows of each: tokens, type, how it stands.
    #[wasm_bindgen(unchecked_return_type = "Item[]")]
    pub fn items(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.read(|core| core.context().items())?)
    }

    /// The view as messages: the header, then the conversation under folds and trims. The same as `view("messages")`.
    #[wasm_bindgen(unchecked_return_type = "Message[]")]
    pub fn lower(&self) -> Result<JsValue, JsValue> {
        view_of(&self.inner, Format::Messages, None)
    }

    /// Every fold that was made, the newest last.
    #[wasm_bindgen(unchecked_return_type = "FoldInfo[]")]
    pub fn folds(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.read(|core| core.context().fold_infos())?)
    }

    /// What the newest summary covers, in the rolling document's words; `null` before the first, but while that is being
    /// written a state with an empty `summary` that covers nothing, for its `is_summarizing`: nothing to save yet.
    #[wasm_bindgen(getter, js_name = summaryState, unchecked_return_type = "SummaryState | null")]
    pub fn summary_state(&self) -> Result<JsValue, JsValue> {
        let is_summarizing = self.inner.under_way.borrow().is_some();
        let state = self.inner.read(|core| core.context().summary_state(is_summarizing))?;
        state.map_or(Ok(JsValue::NULL), |state| flat_to_js(&state))
    }

    /// Puts a summary in again that an earlier process saved: the messages that it covers are folded under it.
    ///
    /// ```js
    /// localStorage.setItem("summary", JSON.stringify(session.summaryState)); // … and your messages, where you keep them
    ///
    /// const later = new Session({ contextWindow: 128_000, ladder: "rolling" });
    /// later.push(savedMessages);
    /// later.restoreSummary(JSON.parse(localStorage.getItem("summary")));
    /// ```
    /// @param state What `summaryState` gave. `is_summarizing` is not looked at: whoever was writing a summary is gone.
    /// @throws {ContextError} `INVALID_ARGUMENT` for a state of another shape, where the session has a summary already, and
    /// where fewer messages were pushed than the summary covers. Nothing has changed then.
    #[wasm_bindgen(js_name = restoreSummary)]
    pub fn restore_summary(
        &self,
        #[wasm_bindgen(unchecked_param_type = "SummaryState")] state: JsValue,
    ) -> Result<(), JsValue> {
        let saved = SavedSummary::from_value(&json(&state, ErrorCode::InvalidArgument)?)?;
        self.inner.rehearse(&[Message::text(crate::message::Role::User, saved.summary.as_str())])?;
        self.inner.write(|core| core.restore_summary(&saved))
    }

    /// The passes that `prepare` runs, as the option `ladder` takes them, every option named.
    #[wasm_bindgen(getter, unchecked_return_type = "Pass[]")]
    pub fn ladder(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.read(|core| core.config().ladder.to_value())?)
    }

    /// Whether a compaction is due: `enabled`, `auto`, and the last usage since the last compaction (or else the counted
    /// tokens) has reached the threshold. Always false where no window is known.
    #[wasm_bindgen(js_name = shouldCompact)]
    pub fn should_compact(&self) -> Result<bool, JsValue> {
        self.inner.read(Core::should_compact)
    }

    /// Folds if `shouldCompact()` says so. Resolves to the report, or to `null` where nothing was to be done.
    ///
    /// @throws {ContextError} `SUMMARY_FAILED`, `SUMMARY_EMPTY`, `SUMMARY_TRUNCATED`, `SUMMARY_NOT_SMALLER`, `ABORTED`;
    /// history and view are as they were then.
    #[wasm_bindgen(js_name = checkAndCompact, unchecked_return_type = "Promise<Report | null>")]
    pub fn check_and_compact(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal }")] options: JsValue,
    ) -> Promise {
        settle(self.start(Goal::CheckAndCompact, &options))
    }

    /// Folds in any case: everything but the last `retainLastTurns` turns becomes a summary; where these alone exceed the
    /// target, the oldest of them loses its earlier steps to the summary. Where there is nothing to fold, resolves to a report
    /// without decisions. A compaction that is under way is joined; with `instructions` its end is waited for, and then what
    /// is left is folded with them (where nothing is, a decision says that they went to no summariser).
    #[wasm_bindgen(unchecked_return_type = "Promise<Report>")]
    pub fn compact(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal; instructions?: string }")]
        options: JsValue,
    ) -> Promise {
        settle(known_keys(&options, &["signal", "instructions"]).and_then(|()| {
            let instructions = get_string(&options, "instructions")?;
            self.run(Goal::Compact(instructions), &options)
        }))
    }

    /// Makes the view fit and resolves to it, with the report. May ask for a summary.
    ///
    /// A fold goes down to the low mark, so that the next message does not need another. `fill` keeps as much as there is
    /// room for instead: for a conversation that does not go on (`compactMessages` does so).
    ///
    /// @throws {ContextError} as `compact`, but for want of a summary only where the view does not fit without one;
    /// `BUDGET_IMPOSSIBLE` where header, tools and pins alone exceed the limit, `CONTEXT_WINDOW_EXCEEDED` where every pass ran in
    /// vain.
    #[wasm_bindgen(unchecked_return_type = "Promise<Prepared>")]
    pub fn prepare(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal; fill?: boolean }")]
        options: JsValue,
    ) -> Promise {
        settle(known_keys(&options, &["signal", "fill"]).and_then(|()| {
            let wrong = || Error::argument("`fill`: expected true or false");
            let fill = get(&options, "fill")?.map(|f| f.as_bool().ok_or_else(wrong)).transpose()?;
            self.run(Goal::Prepare { fill: fill.unwrap_or(false) }, &options)
        }))
    }

    /// What a compaction would do: what it folds, keeps and trims, what it asks, and the tokens. Nothing changes.
    ///
    /// It is the ladder of `prepare` with one fold, whether that is due or not. `apply` does just that, and makes the view fit
    /// as `prepare` does.
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
        super::plan::plan(&self.inner, &options)
    }

    /// When a provider refuses a request as too long all the same: makes the view smaller and resolves to it, to try again with.
    /// Resolves to `null` for any other error.
    ///
    /// The error may be whatever a client threw, or a provider's body or text: what says "too long" is looked for in its message, its
    /// body and its causes. The limit that it names holds from now on (`session.limit`); where the provider counted more tokens than
    /// we did, the limit is smaller by as much, for it is in tokens as counted here. Without figures, a quarter of the view goes.
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
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal }")] options: JsValue,
    ) -> Promise {
        settle(self.start(Goal::Recover(said_by(&error)), &options))
    }

    /// After a model call: records its usage, as `recordUsage`, and folds if that is due.
    #[wasm_bindgen(js_name = afterModelCall, unchecked_return_type = "Promise<Report | null>")]
    pub fn after_model_call(
        &self,
        #[wasm_bindgen(unchecked_param_type = "unknown")] usage: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal }")] options: JsValue,
    ) -> Promise {
        settle(self.record_usage(usage).and_then(|_| self.start(Goal::CheckAndCompact, &options)))
    }

    /// After tools ran: folds if that is due, judged by the last usage.
    #[wasm_bindgen(js_name = afterToolExecution, unchecked_return_type = "Promise<Report | null>")]
    pub fn after_tool_execution(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal }")] options: JsValue,
    ) -> Promise {
        settle(self.start(Goal::CheckAndCompact, &options))
    }

    /// Once before the final answer is returned: folds if that is due.
    #[wasm_bindgen(js_name = beforeFinalAnswer, unchecked_return_type = "Promise<Report | null>")]
    pub fn before_final_answer(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal }")] options: JsValue,
    ) -> Promise {
        settle(self.start(Goal::CheckAndCompact, &options))
    }

    /// The three hooks of an agent loop as one wrapper: each runs what it is given, then folds if that is due.
    ///
    /// `modelCall` looks for `usage` in the answer; `toolExecution` passes through what the tools gave; `finalAnswer` folds
    /// once before the answer is handed on. What your function gives always comes back; a compaction that fails is told by
    /// the event `compaction_failed` and by `report`.
    #[wasm_bindgen(unchecked_return_type = "AgentLoop", js_name = loop)]
    pub fn agent_loop(&self) -> Result<JsValue, JsValue> {
        super::agent_loop::hooks(&self.inner)
    }

    /// The view in a format, valid for its provider.
    #[wasm_bindgen(skip_typescript)] // generic: declared in types.d.ts
    pub fn view(&self, format: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
        view_of(&self.inner, parse_format(&format)?, on_note(&options)?.as_ref())
    }

    /// The cache of full tool outputs.
    #[wasm_bindgen(getter, js_name = toolOutputs)]
    pub fn tool_outputs(&self) -> ToolOutputCache {
        ToolOutputCache::new(self.inner.clone())
    }

    /// The history as a graph: a node a message, in the session's lane, each after the one before it, outputs behind their calls
    /// by a `dependency` too; folds as summaries over what they stand for; forks as lanes (a node's id there begins with the
    /// lane's name), and what was merged as a node that a `branch` leads into from the lane. What a `rewind` left stays as a
    /// dead end. It is drawn when it is read, and costs what is new since then.
    ///
    /// It is the session's own: `compress` folds (`folds()`), `expand` unfolds. What else would change it is refused with
    /// `GRAPH_CONSTRAINT`, which says what does it on the session.
    #[wasm_bindgen(getter)]
    pub fn graph(&self) -> super::graph::ContextGraph {
        super::graph::ContextGraph::of_session(self.inner.clone())
    }

    /// The last run's report, of a failed run too; in a snapshot is that of the last one that ended well.
    #[wasm_bindgen(getter, unchecked_return_type = "Report | null")]
    pub fn report(&self) -> Result<JsValue, JsValue> {
        self.inner.read(|core| core.report().map_or(Ok(JsValue::NULL), to_js))?
    }

    /// Pins a message, or a piece of its text: it stands verbatim in every view from now on.
    ///
    /// A message stands in its place. A piece of one stands in a user message of its own at the beginning of the view,
    /// whatever becomes of the message that it was taken from. What is pinned is never shortened; pins that alone exceed
    /// the limit make `prepare` and `compact` fail with `BUDGET_IMPOSSIBLE`.
    ///
    /// @throws {ContextError} `INVALID_ARGUMENT` for an id that there is not, and for a text that the message does not hold.
    pub fn pin(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | { id: string; text: string }")] target: JsValue,
    ) -> Result<(), JsValue> {
        self.set_pinned(&target, true)
    }

    /// Takes a pin off.
    ///
    /// @throws {ContextError} `INVALID_ARGUMENT` for an id that there is not, and for a text that is not pinned.
    pub fn unpin(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | { id: string; text: string }")] target: JsValue,
    ) -> Result<(), JsValue> {
        self.set_pinned(&target, false)
    }

    /// Finds a text, or what a regular expression matches, in all that was ever pushed: folded and trimmed parts and full
    /// tool outputs too. The newest come first, three places of a message at most. It takes time in proportion to the
    /// history's length.
    ///
    /// A string is found letter by letter, in upper and lower case alike, and with its accents on the letters as well as apart. What the tool `search_history` of
    /// `toolDefinitions` is called with can be handed on: `session.search(args.query, args)`.
    ///
    /// @param options `max_hits`: 20 by default, at most 1000; `ignore_case`: default true for a string, a `RegExp`'s own
    /// flag for one; `regex`: the string is a regular expression.
    /// @throws {ContextError} `INVALID_ARGUMENT` for an empty query, for what the syntax (Rust's `regex`) does not have
    /// (look-around, backreferences and `\p{…}`; `\w` has the letters of all scripts), and for a pattern that could take more than
    /// 500 million steps: bytes of the history, times what the pattern repeats (`[a-z]{100}` counts 100). One of 16 or less is
    /// searched in any history.
    #[wasm_bindgen(unchecked_return_type = "Hit[]")]
    pub fn search(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | RegExp")] query: JsValue,
        #[wasm_bindgen(
            unchecked_optional_param_type = "{ query?: string; regex?: boolean | null; ignore_case?: boolean | null; max_hits?: number | null }"
        )]
        options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options = if options.is_undefined() {
            serde_json::json!({})
        } else {
            json(&options, ErrorCode::InvalidArgument)?
        };
        let search = match (query.dyn_ref::<js_sys::RegExp>(), query.as_string()) {
            (Some(regex), _) => {
                Search::js_regex(&String::from(regex.source()), &String::from(regex.flags()), &options)?
            }
            (None, Some(text)) => {
                let written = query.unchecked_ref::<js_sys::JsString>();
                let mut forms = vec![text];
                if !forms[0].is_ascii() {
                    forms.extend(["NFC", "NFD"].map(|form| String::from(written.normalize(form))));
                }
                let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
                Search::spellings(&forms, &options)?
            }
            (None, None) => return Err(Error::argument("`query`: expected a string or a RegExp").into()),
        };
        to_js(&self.inner.read(|core| core.search(&search))??)
    }

    /// Listens to events of one name, or to all (`*`), in order. What comes back takes the listener off.
    #[wasm_bindgen(unchecked_return_type = "() => void")]
    pub fn on(
        &self,
        #[wasm_bindgen(unchecked_param_type = "EventName | \"*\"")] event: JsValue,
        #[wasm_bindgen(unchecked_param_type = "(event: Event) => void")] listener: JsValue,
    ) -> Result<JsValue, JsValue> {
        Ok(self.inner.listeners.add(&text(&event, "event")?, listener)?)
    }
}

impl Session {
    fn set_pinned(&self, target: &JsValue, pinned: bool) -> Result<(), JsValue> {
        if let Some(id) = target.as_string() {
            return self.inner.write(|core| core.set_pinned(&id, pinned));
        }
        let expected = || JsValue::from(Error::argument("expected an id, or { id, text }"));
        let id = get_string(target, "id")?.ok_or_else(expected)?;
        let piece = get_string(target, "text")?.ok_or_else(expected)?;
        self.inner.write(|core| core.set_text_pinned(&id, &piece, pinned))
    }

    fn take_in(&self, format: Format, input: &JsValue) -> Result<Vec<String>, JsValue> {
        let Incoming { messages, groups } = read(format, input, None)?;
        self.inner.rehearse(&messages)?;
        let nodes = self.inner.write_quietly(|core| core.push(messages))?;
        self.inner.keep(format, &nodes, groups);
        away::settle(&self.inner);
        self.inner.deliver_events();
        consider(&self.inner);
        self.inner.read(|core| core.context().ids(&nodes))
    }

    /// `prepare`, for a session that nobody else holds: it is let go of when this settles.
    pub(super) fn prepare_once(self, options: JsValue) -> Promise {
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

fn number_or_null(n: Option<u64>) -> JsValue {
    n.map_or(JsValue::NULL, |n| JsValue::from_f64(n as f64))
}
