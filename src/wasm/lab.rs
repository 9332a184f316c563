//! The lab: `simulate`, and `Recording`.

use js_sys::{Object, Reflect};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::options::{Options, read_options};
use super::session::Session;
use super::summarize::parse_format;
use super::value::{config_json, entries_json, get, json, to_js};
use crate::error::{Error, ErrorCode};
use crate::lab;
use crate::model::{PRICES_AS_OF, Prices};
use crate::passes::Ladder;
use crate::provider::provider;

/// Replays a recorded transcript call by call under several ladders, to compare them: what each call would have sent, what a
/// prompt cache could have served of it, what was folded, what it costs, and what of the facts was still there.
///
/// Before each answer of the assistant the view is prepared as `prepare` does it. No model is asked: summaries are those of
/// `extractiveSummarize`. Where `options` name neither `model` nor `contextWindow`, the window is half of the transcript's
/// tokens. A call whose view cannot be prepared carries the error, and the replay goes on.
///
/// ```js
/// import { simulate } from "contextfold";
///
/// const { recorded, runs } = simulate("anthropic", body, { model: "claude-sonnet-4-5", presets: ["contextfold", "rolling"] });
/// for (const run of runs) console.log(run.preset, run.cost, "instead of", recorded.cost, run.retention.literal);
/// ```
/// @param options As for `Session`, and: `presets`, names or lists of passes (default: every preset); `tools`, the tools'
/// definitions, which count with every call; `prices` and `priceAs`, what tokens cost (default: the built-in price of `model`);
/// `pins`, ids of messages that are pinned as soon as they are pushed.
/// @throws {ContextError} `INVALID_MESSAGE` with the index of a message that is malformed or breaks the history; `INVALID_CONFIG`
/// naming the option, `UNKNOWN_MODEL`; `INVALID_ARGUMENT` for a format that there is not, and for an input without a list.
#[wasm_bindgen(unchecked_return_type = "Simulation")]
pub fn simulate(
    #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
    #[wasm_bindgen(unchecked_param_type = "unknown")] input: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "SimulateOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let tools = list(&options, "tools")?.unwrap_or_default();
    recording(&format, &input, tools)?.simulate(options)
}

/// A recorded transcript, read once, to be replayed under as many options as one likes: what `simulate` does with one call.
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
    /// @param options `tools`: definitions of the tools that the model is given, in any format; they count with every call.
    /// @throws {ContextError} `INVALID_MESSAGE` with the index of an entry that is malformed; `INVALID_ARGUMENT` for a format that
    /// there is not, and for an input without a list.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
        #[wasm_bindgen(unchecked_param_type = "unknown")] input: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "{ tools?: unknown[] }")] options: JsValue,
    ) -> Result<Recording, JsValue> {
        recording(&format, &input, list(&options, "tools")?.unwrap_or_default())
    }

    /// How many model calls it has.
    #[wasm_bindgen(getter)]
    pub fn calls(&self) -> usize {
        self.inner.calls()
    }

    /// Replays it under several ladders: see the function `simulate`. `tools` are those of the recording.
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
        let run = || self.inner.simulate(&plain, &ladders, &read.counter);
        let simulated = match &read.callback_counter {
            Some(callback) => callback.ask_for(|_| run())?,
            None => run(),
        };
        to_js(&simulated?)
    }

    /// The session as it stood before the answer to a call: replayed up to there as `simulate` does it. It is yours: go on with
    /// it, and free it.
    ///
    /// @param call The call's index from 0. From the number of `calls` on: all that was said, prepared for the call that would be next.
    /// @param options As for `Session`, its `ladder` included, but for `summarize`, which a replay does not ask.
    /// @throws {ContextError} As `simulate`.
    #[wasm_bindgen(js_name = sessionAt)]
    pub fn session_at(
        &self,
        call: usize,
        #[wasm_bindgen(
            unchecked_optional_param_type = "Omit<SimulateOptions, \"presets\" | \"tools\"> & { ladder?: PresetName | Pass[] }"
        )]
        options: JsValue,
    ) -> Result<Session, JsValue> {
        let (read, plain) = read(&options, &[])?;
        let run = || self.inner.session_at(call, &plain, &read.counter);
        let core = match &read.callback_counter {
            Some(callback) => callback.ask_for(|_| run())?,
            None => run(),
        };
        Ok(Session::of(core?, read))
    }
}

/// The models whose prices are built in, and when they were looked up: `{ as_of, models }`.
#[wasm_bindgen(js_name = builtInPrices, unchecked_return_type = "{ as_of: string; models: string[] }")]
pub fn built_in_prices() -> Result<JsValue, JsValue> {
    let models: Vec<&str> = Prices::built_in().collect();
    to_js(&serde_json::json!({ "as_of": PRICES_AS_OF, "models": models }))
}

fn recording(format: &JsValue, input: &JsValue, tools: Vec<Value>) -> Result<Recording, JsValue> {
    let messages = provider(parse_format(format)?).read(&entries_json(input)?)?;
    Ok(Recording { inner: lab::Recording::new(messages, tools) })
}

/// The session's options, read; and the plain ones of them, with those about money.
fn read(options: &JsValue, but: &[&str]) -> Result<(Options, Value), JsValue> {
    if !options.is_undefined() && (!options.is_object() || options.is_array()) {
        return Err(Error::config("options", "expected an object").into());
    }
    let own = Object::new();
    if options.is_object() {
        Object::assign(&own, options.unchecked_ref());
    }
    for key in but {
        Reflect::delete_property(&own, &(*key).into())?;
    }
    let plain = config_json(own.unchecked_ref())?;
    for key in ["prices", "priceAs", "pins"] {
        Reflect::delete_property(&own, &key.into())?;
    }
    let read = read_options(&own)?;
    read.config()?;
    for (key, there) in
        [("summarize", read.summarize.is_some()), ("compaction.redact", read.redact.is_some())]
    {
        if there {
            return Err(Error::config(key, "a simulation asks no model; leave it out").into());
        }
    }
    Ok((read, plain))
}

/// A list among the options.
fn list(options: &JsValue, key: &str) -> Result<Option<Vec<Value>>, JsValue> {
    if !options.is_object() || options.is_array() {
        return Ok(None);
    }
    let Some(given) = get(options, key)? else { return Ok(None) };
    match json(&given, ErrorCode::InvalidConfig)? {
        Value::Array(list) => Ok(Some(list)),
        _ => Err(Error::config(key, "expected a list").into()),
    }
}
