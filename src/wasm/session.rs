//! `Session`: the JavaScript class over [`crate::session::Session`].

mod runs;
mod shows;

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::arguments::{get_string, parse_format, text};
use super::away;
use super::call_cost;
use super::context_parts::{set_context, set_tools};
use super::engine::Engine;
use super::entries::{Before, Incoming, read};
use super::inner::Inner;
use super::option_changes::set_options;
use super::options::{Options, read_options};
use super::run::begin_background_if_wanted;
use super::sync::sync;
use super::usage::reported_usage;
use super::value::{flat_to_js, get, is_list, json, to_js};
use crate::error::{Error, ErrorCode};
use crate::message::{Format, Message};
use crate::provider::provider;
use crate::session::{SavedSummary, Session as Core};
use crate::tokens::TokenUsage;

/// One agent's conversation, kept inside its context window.
///
/// **History** is everything that was pushed; it only grows. The **view** is what the model is sent next: the header, then the
/// history with folds and trims applied. Nothing that leaves the view is lost.
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
        if FREED_BY_CALLER.get() {
            self.inner.empty();
        }
        self.inner.set_freed();
    }
}

thread_local! {
    /// Whether an object is being freed by its caller, not by the garbage collector.
    static FREED_BY_CALLER: Cell<bool> = const { Cell::new(false) };
}

/// Sets whether the next objects to be freed are freed by their caller. The package's guard calls it around each `free()`.
#[wasm_bindgen(js_name = setFreeing, skip_typescript)]
pub fn set_freeing(by_hand: bool) {
    FREED_BY_CALLER.set(by_hand);
}

impl Session {
    /// The session for `pkg/host`.
    pub(super) fn engine(&self) -> Engine {
        Engine::new(&self.inner)
    }

    /// Wraps a core session that has these options.
    pub(super) fn of(mut core: Core, mut options: Options) -> Self {
        core.set_redact(std::mem::take(&mut options.redact).into_function());
        core.context_mut().placeholder_writer = std::mem::take(&mut options.describe).into_function();
        core.context_mut().customs = options.customs.take().unwrap_or_default();
        core.set_summarizer(options.summarize.is_some());
        Self { inner: Rc::new(Inner::new(core, options)) }
    }
}

#[wasm_bindgen]
impl Session {
    /// Creates an empty session.
    ///
    /// @param options See `SessionOptions`; all have defaults.
    /// @throws {ContextError} `INVALID_CONFIG`, which names the key, for an unknown key, a wrong type or a number out of range;
    /// `UNKNOWN_MODEL` for a model that neither the built-in table nor `options.models` knows.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "SessionOptions")] options: JsValue,
    ) -> Result<Session, JsValue> {
        let read = read_options(&options)?;
        let core = Core::new(read.config()?, read.counter());
        if core.config().memory_bytes.is_some() && read.store.is_none() {
            let why = "tool outputs beyond this limit go to the store: set `store` as well";
            return Err(Error::config("toolOutputCache.memoryBytes", why).into());
        }
        Ok(Self::of(core, read))
    }

    /// Appends one message or several (all or none of them) and returns their ids.
    ///
    /// Tool outputs are stored whole and cut at once for the view. If all of them together exceed their budget, the oldest become
    /// placeholders. This never asks for a summary.
    ///
    /// Push a message only when it is complete: it is counted and kept as it is now, and later changes of its object are not noticed
    /// (with `freezeInputs`, such a change throws).
    ///
    /// @throws {ContextError} `INVALID_MESSAGE` with the index and the reason: a missing role, a tool output without its
    /// call, a call id that is still open, a part of another format (use `pushFrom` for that). Then nothing has changed.
    pub fn push(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Message | readonly Message[]")] input: JsValue,
    ) -> Result<Vec<String>, JsValue> {
        if is_list(&input) {
            return self.take_in(Format::Messages, &input);
        }
        self.take_in(Format::Messages, &Array::of1(&input))
    }

    /// Appends items or messages of a format: a list, a single one, a request body (including its header) or a response, as the
    /// provider's SDK returns it. For the AI SDK, pass a result's `response` or its messages.
    ///
    /// @throws {ContextError} `INVALID_MESSAGE`, or `INVALID_ARGUMENT` for an unknown format.
    #[wasm_bindgen(js_name = pushFrom)]
    pub fn push_from(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
        #[wasm_bindgen(unchecked_param_type = "unknown")] input: JsValue,
    ) -> Result<Vec<String>, JsValue> {
        match parse_format(&format)? {
            // If reading `messages` throws, treat it as a message: the error is then reported for that message.
            Format::Messages if get(&input, "messages").ok().flatten().is_none() => self.push(input),
            format => self.take_in(format, &input),
        }
    }

    /// Appends what is new in a list that an SDK passes in full at every step.
    ///
    /// The list is compared with what was pushed so far, entry by entry: by reference, and if the object is not the same, by what a
    /// model reads of it. Cache marks, hints for a provider, ids of items, white space around a text and the order of keys do not count;
    /// the newest form is sent. Entries after the common beginning are appended as with `pushFrom`; `added` is their number. Leave out an
    /// entry that is still being written: an object that is changed after it was passed still counts as what it was.
    ///
    /// System and developer messages at the beginning of the list are its header. Different ones replace it, and nothing counts as
    /// rewritten.
    ///
    /// If the past was rewritten (an entry is different, or the list is shorter), `diverged_at` is the index of the first entry that
    /// differs, else `null`. The history keeps everything; the view continues with the given list from there. A fold that covers
    /// rewritten messages is undone. Tool outputs that are already stored keep their refs.
    ///
    /// If the last entry that is known is the user's, and now has more behind what it said, only that is new: nothing was rewritten.
    ///
    /// A list may also begin with the current view, summaries included: then the session goes on from there.
    ///
    /// A body's `system` or `instructions` becomes the header, as with `setHeader`. If the next body has none, the view has none either.
    ///
    /// ```js
    /// const { added, diverged_at } = session.sync("ai-sdk", messages);   // the SDK's own list, in every step
    /// await session.prepare();
    /// const fitting = session.view("ai-sdk");
    /// ```
    /// @throws {ContextError} `INVALID_MESSAGE`, with an index counted from the first new entry; `INVALID_ARGUMENT` for an unknown
    /// format, and for an input without a list.
    #[wasm_bindgen(unchecked_return_type = "{ added: number; diverged_at: number | null }")]
    pub fn sync(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
        #[wasm_bindgen(unchecked_param_type = "unknown", js_name = fullInput)] full_input: JsValue,
    ) -> Result<JsValue, JsValue> {
        let synced = sync(&self.inner, parse_format(&format)?, &full_input);
        away::move_due_outputs(&self.inner);
        let result = synced?;
        begin_background_if_wanted(&self.inner);
        Ok(result)
    }

    /// Replaces the leading system and developer messages by a text (an empty one: no header) or by messages. No pass changes them.
    #[wasm_bindgen(js_name = setHeader)]
    pub fn set_header(
        &self,
        #[wasm_bindgen(unchecked_param_type = "readonly Message[] | string")] messages: JsValue,
    ) -> Result<(), JsValue> {
        let header = match messages.as_string() {
            Some(text) if text.trim().is_empty() => Vec::new(), // no provider accepts an empty instruction
            Some(text) => vec![Message::text(crate::message::Role::System, text)],
            None => {
                let read = provider(Format::Messages).read(&json(&messages, ErrorCode::InvalidMessage)?);
                read.map_err(|error| match error.code() {
                    ErrorCode::InvalidArgument => Error::argument(
                        "`setHeader` expects a text or a list of system and developer messages",
                    ),
                    _ => error,
                })?
            }
        };
        self.inner.precount(&header)?;
        self.inner.write(|core| core.set_header(header))?;
        self.inner.header_beside.set(false);
        Ok(())
    }

    /// Sets the tools that the model gets, so that their definitions are counted. If there is a rule of the provider for the session's
    /// model, they are counted by it (see `report.counter.rules`).
    #[wasm_bindgen(js_name = setTools)]
    pub fn set_tools(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
        #[wasm_bindgen(unchecked_param_type = "unknown[]")] tools: JsValue,
    ) -> Result<(), JsValue> {
        parse_format(&format)?;
        set_tools(&self.inner, &tools)
    }

    /// The tools that the model gets: those of `setTools`, filtered by `toolFilter`.
    #[wasm_bindgen(getter, unchecked_return_type = "unknown[]")]
    pub fn tools(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.read(Core::tools)?)
    }

    /// Sets the parts of the prompt that come between the header and the history. Each is counted as a part of its own. A part that
    /// is given replaces the earlier one, and `null` or an empty list clears it; parts that are not given stay. `null` instead of an
    /// object clears everything.
    ///
    /// - `memory`: results of your memory search, best first. They become one system message
    ///   `<relevant_context>…</relevant_context>`, with at most `memoryLimit` (5) results. Results that a pass dropped stay out until you
    ///   set `memory` again.
    /// - `injections`: your own messages, unchanged, without tool calls and tool outputs.
    /// - `skills`: a list of `{ name, description?, location? }`, shown as `<available_skills … />`; `location` says where the model
    ///   finds the skill.
    /// - `toolFilter`: decides by name which tools of `setTools` the model gets; see `session.tools`.
    ///
    /// ```js
    /// session.setContext({ memory: await search(question), toolFilter: (name) => name !== "deploy" });
    /// ```
    /// @throws {ContextError} `INVALID_ARGUMENT`, which names the key, also if the filter throws or returns anything but true or
    /// false; `INVALID_MESSAGE` with the index of an injection. Then nothing has changed.
    #[wasm_bindgen(js_name = setContext)]
    pub fn set_context(
        &self,
        #[wasm_bindgen(unchecked_param_type = "ContextPartsInput | null")] parts: JsValue,
    ) -> Result<(), JsValue> {
        set_context(&self.inner, &parts)
    }

    /// Changes options. Options that are not given stay as they are, also key by key in `compaction` and `toolOutputCache`.
    ///
    /// Limit, threshold and counts are updated at once: a smaller window makes `shouldCompact()` true, and the next `prepare` makes the
    /// view fit. With another tokenizer, the whole history is counted again. With another model, usage that the old one reported is
    /// forgotten, but what was learnt from it (`calibrate`) is kept for the old model. A `prepare` that waits for a summary goes on with
    /// the new options, except if `ladder` changes: then it fails with `STALE_PLAN`.
    ///
    /// @throws {ContextError} as the constructor; `INVALID_CONFIG` for an option that cannot change (`store`). Then nothing has
    /// changed.
    #[wasm_bindgen(js_name = setOptions)]
    pub fn set_options(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Partial<SessionOptions>")] options: JsValue,
    ) -> Result<(), JsValue> {
        set_options(&self.inner, &options)
    }

    /// Records what a model call used: the usage object of a provider or SDK, or a response that contains one (see `tokenUsage`). Call it
    /// after each answer, before or after you push that.
    /// `shouldCompact` uses the last one since the last compaction. If a provider reports none, nothing is recorded, and zeros are
    /// returned: for `undefined`, `null`, and a usage object whose counts are all missing or 0. Then `shouldCompact` uses the counted
    /// tokens.
    ///
    /// @throws {ContextError} `INVALID_ARGUMENT` for an object of any other shape.
    #[wasm_bindgen(js_name = recordUsage, unchecked_return_type = "TokenUsage")]
    pub fn record_usage(
        &self,
        #[wasm_bindgen(unchecked_param_type = "unknown")] usage: JsValue,
    ) -> Result<JsValue, JsValue> {
        let Some(reported) = reported_usage(&usage)? else { return flat_to_js(&TokenUsage::default()) };
        self.inner.write(|core| {
            core.record_usage(&reported);
            Ok(())
        })?;
        call_cost::report_call(&self.inner, &reported);
        begin_background_if_wanted(&self.inner);
        flat_to_js(&reported.usage)
    }

    /// Restores a summary that an earlier process saved: the messages that it covers are folded into it.
    ///
    /// ```js
    /// localStorage.setItem("summary", JSON.stringify(session.summaryState)); // … and your messages, where you keep them
    ///
    /// const later = new Session({ contextWindow: 128_000, ladder: "rolling" });
    /// later.push(savedMessages);
    /// later.restoreSummary(JSON.parse(localStorage.getItem("summary")));
    /// ```
    /// @param state The value of `summaryState`. Its `is_summarizing` is ignored: whatever was writing a summary then is gone.
    /// @throws {ContextError} `INVALID_ARGUMENT` for a state of another shape, if the session already has a summary, and if fewer
    /// messages were pushed than the summary covers. Then nothing has changed.
    #[wasm_bindgen(js_name = restoreSummary)]
    pub fn restore_summary(
        &self,
        #[wasm_bindgen(unchecked_param_type = "SummaryState")] state: JsValue,
    ) -> Result<(), JsValue> {
        let saved = SavedSummary::from_value(&json(&state, ErrorCode::InvalidArgument)?)?;
        self.inner.precount(&[Message::text(crate::message::Role::User, saved.summary.as_str())])?;
        self.inner.write(|core| core.restore_summary(&saved))
    }

    /// Pins a message, or a piece of its text: from now on it is in every view, unchanged.
    ///
    /// A message stays in its position. A piece of text gets a user message of its own before the conversation (after the summary, if
    /// there is one), whatever happens to the message it was taken from. Pinned content is never shortened. If pins alone exceed the
    /// limit, `prepare` and `compact` fail with `BUDGET_IMPOSSIBLE`.
    ///
    /// @throws {ContextError} `INVALID_ARGUMENT` for an unknown id, and for a text that the message does not contain.
    pub fn pin(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | { id: string; text: string }")] target: JsValue,
    ) -> Result<(), JsValue> {
        self.set_pinned(&target, true)
    }

    /// Removes a pin.
    ///
    /// @throws {ContextError} `INVALID_ARGUMENT` for an unknown id, and for a text that is not pinned.
    pub fn unpin(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | { id: string; text: string }")] target: JsValue,
    ) -> Result<(), JsValue> {
        self.set_pinned(&target, false)
    }

    /// Listens to events of one name, or to all (`*`), in order. Returns a function that removes the listener.
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
        // Gemini's outputs may lack a call id: the entries before them show which call they answer.
        let before = |all: bool| {
            if format != Format::Gemini {
                return Ok(Before::Entry(None));
            }
            let line = self.inner.line.borrow();
            self.inner.read(|core| line.before(line.0.len(), all, format, &core.context().history))
        };
        let Incoming { messages, groups } = read(format, input, before)?;
        self.inner.precount(&messages)?;
        let nodes = self.inner.write_quietly(|core| core.push(messages))?;
        self.inner.keep(format, &nodes, groups);
        away::move_due_outputs(&self.inner);
        self.inner.deliver_events();
        begin_background_if_wanted(&self.inner);
        self.inner.read(|core| core.context().ids(&nodes))
    }
}
