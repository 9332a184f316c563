//! What a session shows of itself: its numbers, its view, its history.

use js_sys::{Array, Promise};
use wasm_bindgen::prelude::*;

use super::Session;
use crate::context::{NodeIndex, NodeKind};
use crate::error::{Error, ErrorCode};
use crate::message::Format;
use crate::session::Search;
use crate::wasm::arguments::{known_keys, options_json, parse_format, text};
use crate::wasm::host::host;
use crate::wasm::marks::{Marks, cache_marks};
use crate::wasm::providers::on_note;
use crate::wasm::sliced::SlicedSearch;
use crate::wasm::tool_outputs::ToolOutputCache;
use crate::wasm::value::{flat_to_js, to_js};
use crate::wasm::view::{marked_view_of, view_of};

#[wasm_bindgen]
impl Session {
    /// The history: the header, if there is one, and every message that was pushed, in order. Tool messages have their `output_ref`. With
    /// `toolOutputCache.memoryBytes`, an output that is only in the store is a placeholder here: `await toolOutputs.get(ref)` returns it.
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

    /// The message with this id, as it was pushed, whatever the view shows of it; `undefined` if there is none. An output that is only in
    /// the store is a placeholder, as in `messages`.
    #[wasm_bindgen(unchecked_return_type = "Message | undefined")]
    pub fn message(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string")] id: JsValue,
    ) -> Result<JsValue, JsValue> {
        let id = text(&id, "id")?;
        let mut handles = self.inner.handles()?;
        let found = self.inner.read(|core| {
            let history = &core.context().history;
            let node = history.find(&id).map(|index| (index, history.node(index)));
            handles.messages(node.filter(|(_, node)| node.kind == NodeKind::Message).into_iter())
        })??;
        Ok(found.get(0))
    }

    /// Tokens of the view, as counted.
    #[wasm_bindgen(getter)]
    pub fn tokens(&self) -> Result<f64, JsValue> {
        self.inner.read(|core| core.tokens() as f64)
    }

    /// The context window in tokens; `null` if neither `model` nor `contextWindow` was given.
    #[wasm_bindgen(getter, unchecked_return_type = "number | null")]
    pub fn window(&self) -> Result<JsValue, JsValue> {
        self.inner.read(|core| number_or_null(core.config().window))
    }

    /// The most tokens that a view may have: min(max input, window − `reservedOutputTokens`). `null` if no window is known.
    #[wasm_bindgen(getter, unchecked_return_type = "number | null")]
    pub fn limit(&self) -> Result<JsValue, JsValue> {
        self.inner.read(|core| number_or_null(core.config().limit))
    }

    /// The tokens at which a compaction is due: limit × `thresholdRatio`; more if the header takes much of the limit, or if
    /// the ladder says so; `null` if no window is known.
    #[wasm_bindgen(getter, unchecked_return_type = "number | null")]
    pub fn threshold(&self) -> Result<JsValue, JsValue> {
        self.inner.read(|core| number_or_null(core.threshold()))
    }

    /// The messages of the view, each with its tokens, its type, its form and so on.
    #[wasm_bindgen(unchecked_return_type = "Item[]")]
    pub fn items(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.read(|core| core.context().items())?)
    }

    /// The view as messages: the header, then the conversation with folds and trims applied. The same as `view("messages")`.
    #[wasm_bindgen(unchecked_return_type = "Message[]")]
    pub fn lower(&self) -> Result<JsValue, JsValue> {
        view_of(&self.inner, Format::Messages, None)
    }

    /// Every fold that was made, oldest first.
    #[wasm_bindgen(unchecked_return_type = "FoldInfo[]")]
    pub fn folds(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.read(|core| core.context().fold_infos())?)
    }

    /// Everything that the view does not currently show as it was pushed, in the order of the history: what happened to each message, why,
    /// which pass did it, and how to get it back. `report.left_out` lists what one run changed; this lists the current state.
    ///
    /// ```js
    /// for (const { id, state, pass, why, back } of session.leftOut()) console.log(id, state, pass, why, back);
    /// ```
    #[wasm_bindgen(js_name = leftOut, unchecked_return_type = "LeftOutNow[]")]
    pub fn left_out(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.read(|core| core.context().left_out_now())?)
    }

    /// What the newest summary covers. `null` before the first summary; but while the first one is being written, a state with
    /// an empty `summary` that covers nothing and only shows `is_summarizing`: do not save that one.
    #[wasm_bindgen(getter, js_name = summaryState, unchecked_return_type = "SummaryState | null")]
    pub fn summary_state(&self) -> Result<JsValue, JsValue> {
        let is_summarizing = self.inner.is_running.get();
        let state = self.inner.read(|core| core.context().summary_state(is_summarizing))?;
        state.map_or(Ok(JsValue::NULL), |state| flat_to_js(&state))
    }

    /// The passes that `prepare` runs, in the form that the option `ladder` takes, with every option filled in.
    #[wasm_bindgen(getter, unchecked_return_type = "Pass[]")]
    pub fn ladder(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.read(|core| core.config().ladder.to_value())?)
    }

    /// The view in a format, valid for its provider.
    #[wasm_bindgen(skip_typescript)] // generic: declared in types.d.ts
    pub fn view(&self, format: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
        let format = parse_format(&format)?;
        known_keys(&options, &["onNote", "cacheMarks"])?;
        let marks = cache_marks(&options, format)?;
        let (view, placed) =
            marked_view_of(&self.inner, format, on_note(&options)?.as_ref(), marks.unwrap_or(0), None)?;
        if let Some(max_marks) = marks {
            *self.inner.marks.borrow_mut() = Marks { max_marks, placed };
        }
        Ok(view)
    }

    /// The cache marks that the newest `view(format, { cacheMarks })` set, in order. The last one says how many tokens of
    /// the view they cover.
    #[wasm_bindgen(getter, js_name = cacheMarks, unchecked_return_type = "CacheMark[]")]
    pub fn cache_marks(&self) -> Result<JsValue, JsValue> {
        to_js(&self.inner.marks.borrow().placed)
    }

    /// The cache of full tool outputs.
    #[wasm_bindgen(getter, js_name = toolOutputs)]
    pub fn tool_outputs(&self) -> ToolOutputCache {
        ToolOutputCache::new(self.inner.clone())
    }

    /// The history as a graph. Each message is a node in the session's lane, after the message before it; outputs also have a
    /// `dependency` on their calls. Folds are summaries over what they replace. Forks are lanes (ids of nodes there begin with the
    /// lane's name), and a merged result is a node that a `branch` from the lane leads to. What `rewind` left behind stays as a dead end.
    /// The graph is updated when it is read; that costs only what is new since the last time.
    ///
    /// It belongs to the session: `compress` folds (see `folds()`), `expand` unfolds. Any other change is refused with
    /// `GRAPH_CONSTRAINT`, and the error names the session's method to use.
    #[wasm_bindgen(getter)]
    pub fn graph(&self) -> crate::wasm::graph::ContextGraph {
        crate::wasm::graph::ContextGraph::of_session(self.inner.clone())
    }

    /// The report of the last run, even if it failed. A snapshot keeps the report of the last successful run.
    #[wasm_bindgen(getter, unchecked_return_type = "Report | null")]
    pub fn report(&self) -> Result<JsValue, JsValue> {
        self.inner.read(|core| core.report().map_or(Ok(JsValue::NULL), to_js))?
    }

    /// Finds a text, or what a regular expression matches, in everything that was ever said, called or returned, including folded and
    /// trimmed parts and full tool outputs: in texts, in the values of calls' arguments, and in outputs. Names of tools, keys of arguments,
    /// reasoning, and the addresses of media are not searched. The newest hits come first, one per message, with up to three places of it. If
    /// there are more than `max_hits`, what was said is preferred to arguments of calls and to outputs. The time is proportional to the
    /// length of the history. Calls of the tools of `toolDefinitions` and their answers are skipped, because they repeat what is searched.
    ///
    /// A string is matched literally, ignoring case, and with its accents both composed and decomposed. If it is found in fewer than three
    /// messages (a single word: in none), up to ten hits by its words follow: messages that have all of them in any order, or else those
    /// with the most of the rarest. The beginning of a word is enough. In an output, the words must stand together. For the text alone,
    /// pass a `RegExp`.
    /// You can pass on the arguments with which a model calls the tool `search_history`: `session.search(args.query, args)`.
    ///
    /// @param options `max_hits`: 20 by default, at most 1000. `ignore_case`: default true for a string; default for a `RegExp`: its own
    /// flag. `regex`: the string is a regular expression.
    /// @throws {ContextError} `INVALID_ARGUMENT` for an empty query, one of more than 1000 bytes (2000 for a regular expression), and
    /// for syntax that Rust's `regex` does not have (look-around, backreferences and `\p{…}`; `\w` matches letters of all
    /// scripts). After 500 million steps, some ten seconds, the search returns what it has found, and a last hit (`unseen`) that says
    /// where it stopped. For searches by a model, use `searchAsync`.
    #[wasm_bindgen(unchecked_return_type = "Hit[]")]
    pub fn search(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | RegExp")] query: JsValue,
        #[wasm_bindgen(
            unchecked_optional_param_type = "{ query?: string | undefined; regex?: boolean | null | undefined; ignore_case?: boolean | null | undefined; max_hits?: number | null | undefined }"
        )]
        options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let search = search_of(&query, &options)?;
        to_js(&self.inner.read(|core| core.search(&search))?)
    }

    /// Like `search`, but runs in slices of some 10 ms with the event loop free in between, so a search by a model blocks nothing. After
    /// `toolOutputCache.searchMs` (2000) of work it returns what it has found, and a last hit (`unseen`) that says where it stopped.
    /// Messages pushed in the meantime are not searched.
    ///
    /// @throws {ContextError} as `search`.
    #[wasm_bindgen(js_name = searchAsync, unchecked_return_type = "Promise<Hit[]>")]
    pub fn search_async(
        &self,
        #[wasm_bindgen(unchecked_param_type = "string | RegExp")] query: JsValue,
        #[wasm_bindgen(
            unchecked_optional_param_type = "{ query?: string | undefined; regex?: boolean | null | undefined; ignore_case?: boolean | null | undefined; max_hits?: number | null | undefined }"
        )]
        options: JsValue,
    ) -> Result<Promise, JsValue> {
        let search = SlicedSearch::history(&self.inner, search_of(&query, &options)?)?;
        host(|host| host.in_slices(search))
    }
}

fn search_of(query: &JsValue, options: &JsValue) -> Result<Search, JsValue> {
    let options = options_json(options, ErrorCode::InvalidArgument)?;
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
    Ok(search)
}

fn number_or_null(n: Option<u64>) -> JsValue {
    n.map_or(JsValue::NULL, |n| JsValue::from_f64(n as f64))
}
