//! `simulate`, `Recording` and its `Replay`: replaying recorded transcripts.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use js_sys::Reflect;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::arguments::{count, parse_format};
use super::counter::CallbackCounter;
use super::options::{Options, read_options};
use super::session::Session;
use super::value::{config_json, copy_of, entries_json, get, is_list, json, to_js};
use crate::error::{Error, ErrorCode};
use crate::lab;
use crate::model::{PRICES_AS_OF, Prices};
use crate::passes::Ladder;
use crate::provider::provider;

/// Replays a recorded transcript call by call under several ladders, to compare them: what each call would have sent, what a
/// prompt cache could have served of it, what was folded, what it costs, and which facts were still in the view.
///
/// Before each answer of the assistant, the view is prepared as `prepare` does it. No model is called: summaries are made by
/// `extractiveSummarize`. If `options` have neither `model` nor `contextWindow`, the window is half of the transcript's
/// tokens. If a view cannot be prepared, its call has the error, and the replay goes on.
///
/// Views name the refs of outputs, as for a model that can open them. With the definitions of such tools (`toolDefinitions`) among its
/// `tools`, a replay sends what a session with these tools and without `summarize` sends. Without them, a session names no refs, so its
/// views differ by about a percent.
///
/// ```js
/// import { simulate } from "contextfold";
///
/// const { recorded, runs } = simulate("anthropic", body, { model: "claude-sonnet-4-5", presets: ["contextfold", "rolling"] });
/// for (const run of runs) console.log(run.preset, run.cost, "instead of", recorded.cost, run.retention.literal);
/// ```
/// @param options As for `Session`, and: `presets`, names or lists of passes (default: every preset); `tools`, the tools'
/// definitions, which count with every call; `prices` and `priceAs`, what tokens cost (default: the built-in price of `model`);
/// `pins`, ids of messages to pin as soon as they are pushed.
/// @throws {ContextError} `INVALID_MESSAGE` with the index of a message that is malformed or breaks the history; `INVALID_CONFIG`,
/// which names the option, `UNKNOWN_MODEL`; `INVALID_ARGUMENT` for an unknown format, and for an input without a list.
#[wasm_bindgen(unchecked_return_type = "Simulation")]
pub fn simulate(
    #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
    #[wasm_bindgen(unchecked_param_type = "unknown")] input: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "SimulateOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let tools = list(&options, "tools")?.unwrap_or_default();
    recording(&format, &input, tools)?.simulate(options)
}

/// A recorded transcript that is read once and can be replayed under any number of options. `simulate` does both in one call.
///
/// ```js
/// import { Recording } from "contextfold";
///
/// const recording = new Recording("openai-responses", items);
/// for (const contextWindow of [32_000, 64_000, 128_000]) console.log(recording.simulate({ contextWindow, presets: ["contextfold"] }).runs[0].cost);
/// const session = recording.sessionAt(12, { contextWindow: 32_000 });   // as it stood before the thirteenth answer
/// ```
#[wasm_bindgen]
pub struct Recording {
    inner: lab::Recording,
}

#[wasm_bindgen]
impl Recording {
    /// Reads a transcript: a list, a request body or a response.
    ///
    /// @param options `tools`: definitions of the model's tools, in any format; they count with every call.
    /// @throws {ContextError} `INVALID_MESSAGE` with the index of a malformed entry; `INVALID_ARGUMENT` for an unknown
    /// format, and for an input without a list.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
        #[wasm_bindgen(unchecked_param_type = "unknown")] input: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "{ tools?: unknown[] | undefined }")] options: JsValue,
    ) -> Result<Recording, JsValue> {
        recording(&format, &input, list(&options, "tools")?.unwrap_or_default())
    }

    /// How many model calls the transcript has.
    #[wasm_bindgen(getter)]
    pub fn calls(&self) -> usize {
        self.inner.calls()
    }

    /// Replays it under several ladders: see the function `simulate`. The `tools` are those of the recording.
    ///
    /// @throws {ContextError} As `simulate`.
    #[wasm_bindgen(unchecked_return_type = "Simulation")]
    pub fn simulate(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "Omit<SimulateOptions, \"tools\">")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        if options.is_object() && get(&options, "ladder")?.is_some() {
            return Err(Error::config("ladder", "name the ladders to compare in `presets`").into());
        }
        let ladders = list(&options, "presets")?.unwrap_or_else(|| Ladder::PRESETS.map(Value::from).into());
        let (read, plain) = read(&options, &["presets", "tools"])?;
        let run = || self.inner.simulate(&plain, &ladders, &read.counter());
        to_js(&asking(read.callback(), run)?)
    }

    /// The session as it was before the answer to a call, replayed up to that point as `simulate` does it. The session is yours: go on
    /// with it, and free it.
    ///
    /// @param call The call's index, from 0. If it is `calls` or more: the whole transcript, prepared for the next call.
    /// @param options As for `Session`, including `ladder`, but without `summarize`, which a replay does not call.
    /// @throws {ContextError} As `simulate`; `INVALID_ARGUMENT` if `call` is not an index.
    #[wasm_bindgen(js_name = sessionAt)]
    pub fn session_at(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] call: JsValue,
        #[wasm_bindgen(
            unchecked_optional_param_type = "Omit<SimulateOptions, \"presets\" | \"tools\"> & { ladder?: PresetName | LadderEntry[] | undefined }"
        )]
        options: JsValue,
    ) -> Result<Session, JsValue> {
        self.replay(options)?.session_at(call)
    }

    /// A replay that advances step by step, so that a page can draw, show its progress, and stop in between.
    ///
    /// ```js
    /// const replay = recording.replay({ contextWindow: 32_000 });
    /// while (replay.advance(200)) console.log(`${Math.round(100 * replay.share)} %`); // replays the calls
    /// while (replay.look(200)); // checks which facts the views still contain
    /// console.log(replay.run().retention);
    /// ```
    /// @param options As for `sessionAt`.
    /// @throws {ContextError} As `simulate`.
    pub fn replay(
        &self,
        #[wasm_bindgen(
            unchecked_optional_param_type = "Omit<SimulateOptions, \"presets\" | \"tools\"> & { ladder?: PresetName | LadderEntry[] | undefined }"
        )]
        options: JsValue,
    ) -> Result<Replay, JsValue> {
        let (read, plain) = read(&options, &[])?;
        let begin = || self.inner.replay(&plain, &read.counter());
        let inner = asking(read.callback(), begin)?;
        Ok(Replay { inner: RefCell::new(inner), options: read })
    }
}

/// A replay in progress: see `Recording.replay`. Free it when you no longer need it.
#[wasm_bindgen]
pub struct Replay {
    inner: RefCell<lab::Replay>,
    /// The options with which it began.
    options: Options,
}

#[wasm_bindgen]
impl Replay {
    /// The progress, 0 to 1.
    #[wasm_bindgen(getter)]
    pub fn share(&self) -> Result<f64, JsValue> {
        Ok(self.held()?.share())
    }

    /// Replays up to `calls` further calls (default: all). Returns true while there are more.
    ///
    /// @throws {ContextError} `INVALID_MESSAGE` for a message that cannot be pushed; `INVALID_ARGUMENT` if `calls` is not a whole number.
    pub fn advance(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] calls: JsValue,
    ) -> Result<bool, JsValue> {
        let calls = calls_of(&calls)?;
        let mut replay = self.held()?;
        asking(self.options.callback(), || replay.advance(calls))
    }

    /// Looks for the facts in the views of up to `calls` further calls (default: all), once all calls were replayed. Returns true while
    /// there are more.
    ///
    /// @throws {ContextError} `INVALID_ARGUMENT` while `advance` has calls left, since any of them may bring a fact; and if `calls` is not
    /// a whole number.
    pub fn look(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "number")] calls: JsValue,
    ) -> Result<bool, JsValue> {
        let calls = calls_of(&calls)?;
        Ok(self.held()?.measure(calls)?)
    }

    /// The run so far, in the form that `simulate` returns for one ladder. `retention` covers the calls that `look` has checked.
    #[wasm_bindgen(unchecked_return_type = "SimulatedRun")]
    pub fn run(&self) -> Result<JsValue, JsValue> {
        to_js(&self.held()?.run())
    }

    /// The session as it was before the answer to a call, as `Recording.sessionAt` returns it; this starts from the nearest point of this
    /// replay. The session is yours: go on with it, and free it.
    ///
    /// @param call The call's index, from 0. If it is the number of calls or more: the whole transcript, prepared for the next call.
    /// @throws {ContextError} `INVALID_ARGUMENT` if `call` is not an index.
    #[wasm_bindgen(js_name = sessionAt)]
    pub fn session_at(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] call: JsValue,
    ) -> Result<Session, JsValue> {
        let call = count(&call, "call")?;
        let replay = self.held()?;
        let core = asking(self.options.callback(), || replay.session_at(call))?;
        Ok(Session::of(core, self.options.clone()))
    }

    /// Borrows the replay; refuses while a tokenizer callback of its own is running.
    fn held(&self) -> Result<RefMut<'_, lab::Replay>, JsValue> {
        let under_way = |_| Error::argument("the replay is running: a tokenizer cannot use it").into();
        self.inner.try_borrow_mut().map_err(under_way)
    }
}

/// The number of calls; all if it is left out.
fn calls_of(calls: &JsValue) -> Result<usize, Error> {
    if calls.is_undefined() { Ok(usize::MAX) } else { count(calls, "calls") }
}

/// Runs with the caller's tokenizer function, if there is one.
fn asking<T>(
    counter: Option<&Rc<CallbackCounter>>,
    run: impl FnOnce() -> Result<T, Error>,
) -> Result<T, JsValue> {
    match counter {
        Some(callback) => Ok(callback.count_all(|_| run())??),
        None => Ok(run()?),
    }
}

/// The models that have a built-in price, and the date of the prices: `{ as_of, models }`.
#[wasm_bindgen(js_name = builtInPrices, unchecked_return_type = "{ as_of: string; models: string[] }")]
pub fn built_in_prices() -> Result<JsValue, JsValue> {
    let models: Vec<&str> = Prices::built_in().collect();
    to_js(&serde_json::json!({ "as_of": PRICES_AS_OF, "models": models }))
}

fn recording(format: &JsValue, input: &JsValue, tools: Vec<Value>) -> Result<Recording, JsValue> {
    let format = parse_format(format)?;
    let messages = provider(format).read(&entries_json(format, input)?)?;
    Ok(Recording { inner: lab::Recording::new(messages, tools) })
}

/// Reads the session's options; and the plain ones as JSON, including those about prices and pins.
fn read(options: &JsValue, but: &[&str]) -> Result<(Options, Value), JsValue> {
    if !options.is_undefined() && (!options.is_object() || is_list(options)) {
        return Err(Error::config("options", "expected an object").into());
    }
    let own = copy_of(options)?;
    for key in but {
        Reflect::delete_property(&own, &(*key).into())?;
    }
    let plain = config_json(own.unchecked_ref())?;
    for key in ["prices", "priceAs", "pins"] {
        Reflect::delete_property(&own, &key.into())?;
    }
    let read = read_options(&own)?;
    read.config()?;
    for (key, there) in [
        ("summarize", read.summarize.is_some()),
        ("compaction.redact", read.redact.is_function()),
        ("onCost", read.on_cost.is_function()),
    ] {
        if there {
            return Err(Error::config(key, "a simulation calls no model; leave this out").into());
        }
    }
    Ok((read, plain))
}

/// Reads a list from the options.
fn list(options: &JsValue, key: &str) -> Result<Option<Vec<Value>>, JsValue> {
    if !options.is_object() || is_list(options) {
        return Ok(None);
    }
    let Some(given) = get(options, key)? else { return Ok(None) };
    match json(&given, ErrorCode::InvalidConfig)? {
        Value::Array(list) => Ok(Some(list)),
        _ => Err(Error::config(key, "expected a list").into()),
    }
}
