//! `Session`: the mirror of [`crate::session::Session`].

mod runs;
mod shows;

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::away;
use super::background::consider;
use super::call_cost;
use super::context_parts::{set_context, set_tools};
use super::entries::{Incoming, read};
use super::inner::Inner;
use super::lease;
use super::options::{Options, read_options, set_options};
use super::summarize::parse_format;
use super::sync::sync;
use super::value::{flat_to_js, get, get_string, is_list, json, text, to_js};
use crate::error::{Error, ErrorCode};
use crate::message::{Format, Message};
use crate::provider::provider;
use crate::session::{SavedSummary, Session as Core};
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
        core.context_mut().describe = std::mem::take(&mut options.describe).given();
        core.context_mut().customs = options.customs.take().unwrap_or_default();
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
    /// Push a message when it is complete: it is counted and kept as it is now, and what is changed in its object later is not seen
    /// (`freezeInputs`: such a change throws).
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
            // One that cannot be looked at is no body; what it throws is told of the message.
            Format::Messages if get(&input, "messages").ok().flatten().is_none() => self.push(input),
            format => self.take_in(format, &input),
        }
    }

    /// Takes in what is new in a list that an SDK hands over whole with every step.
    ///
    /// Entry by entry the list is compared with what was pushed so far: by reference, and where an object is not the same one, by what
    /// a model reads of it. Cache marks, hints for a provider, ids of items, white space around a text and the order of keys do not
    /// count, and the newest form is what is sent. What stands behind the common beginning enters as with `pushFrom`. `added` tells
    /// how many entries that are. Leave out an entry that is still being written: an object that is changed after it came in still
    /// counts as the one that it was.
    ///
    /// System and developer messages that the list begins with are its header: others take their place, and nothing is rewritten.
    ///
    /// Where the past was rewritten (an entry is another one, or the list is shorter), `diverged_at` is the index of the first entry
    /// that is not as it was, else `null`. The history keeps everything; the view goes on with the given list from there. A fold that
    /// stands for what was rewritten is undone. Tool outputs that were stored already keep their refs.
    ///
    /// A list that begins with the view as it is now goes on from that: the view may be handed back, summaries and all.
    ///
    /// A body's `system` or `instructions` becomes the header, as with `setHeader`; where the next body has none, neither has the view.
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
        self.inner.write(|core| core.set_header(header))?;
        self.inner.header_beside.set(false);
        Ok(())
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
    /// - `skills`: `{ name, description?, location? }` each, as `<available_skills … />`; `location` says where the model finds it.
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
        call_cost::tell(&self.inner, &reported);
        consider(&self.inner);
        flat_to_js(&reported.usage)
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

    /// Pins a message, or a piece of its text: it stands verbatim in every view from now on.
    ///
    /// A message stands in its place. A piece of one stands in a user message of its own before the conversation (behind
    /// the summary, where there is one), whatever becomes of the message that it was taken from. What is pinned is never shortened; pins that alone exceed
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
        // Gemini's outputs may name no call: the entry before says which they answer.
        let before = (format == Format::Gemini)
            .then(|| {
                let line = self.inner.line.borrow();
                self.inner.read(|core| line.before(line.0.len(), format, &core.context().history))
            })
            .transpose()?;
        let Incoming { messages, groups } = read(format, input, before.flatten().as_ref())?;
        self.inner.rehearse(&messages)?;
        let nodes = self.inner.write_quietly(|core| core.push(messages))?;
        self.inner.keep(format, &nodes, groups);
        away::settle(&self.inner);
        self.inner.deliver_events();
        consider(&self.inner);
        self.inner.read(|core| core.context().ids(&nodes))
    }
}
