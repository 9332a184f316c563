//! The lab: `simulate`.

use js_sys::{Object, Reflect};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::options::read_options;
use super::summarize::parse_format;
use super::value::{config_json, entries_json, get, json, to_js};
use crate::error::{Error, ErrorCode};
use crate::lab::{self, Transcript};
use crate::passes::Ladder;
use crate::provider::provider;

/// Replays a recorded transcript call by call under several ladders, to compare them: what each call would have sent, what a
/// prompt cache could have served of it, what was folded, and what of the facts was still there.
///
/// Before each answer of the assistant the view is prepared as `prepare` does it. No model is asked: summaries are those of
/// `extractiveSummarize`. Where `options` name neither `model` nor `contextWindow`, the window is half of the transcript's
/// tokens. A call whose view cannot be prepared carries the error, and the replay goes on.
///
/// ```js
/// import { simulate } from "contextfold";
///
/// const { runs } = simulate("anthropic", body, { contextWindow: 64_000, presets: ["contextfold", "rolling"] });
/// for (const run of runs) console.log(run.preset, run.tokens_total, run.cache_hit_ratio, run.retention.literal);
/// ```
/// @param options As for `Session`, and: `presets`, names or lists of passes (default: every preset); `tools`, the tools'
/// definitions, which count with every call.
/// @throws {ContextError} `INVALID_MESSAGE` with the index of a message that is malformed or breaks the history; `INVALID_CONFIG`
/// naming the option, `UNKNOWN_MODEL`; `INVALID_ARGUMENT` for a format that there is not, and for an input without a list.
#[wasm_bindgen(unchecked_return_type = "Simulation")]
pub fn simulate(
    #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
    #[wasm_bindgen(unchecked_param_type = "unknown")] input: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "SimulateOptions")] options: JsValue,
) -> Result<JsValue, JsValue> {
    let messages = provider(parse_format(&format)?).read(&entries_json(&input)?)?;
    let (own, ladders, tools) = split(&options)?;
    let read = read_options(&own)?;
    for (key, there) in
        [("summarize", read.summarize.is_some()), ("compaction.redact", read.redact.is_some())]
    {
        if there {
            return Err(Error::config(key, "a simulation asks no model; leave it out").into());
        }
    }
    let transcript = Transcript { messages: &messages, tools: &tools };
    let plain = config_json(own.unchecked_ref())?;
    let run = || lab::simulate(transcript, &plain, &ladders, &read.counter);
    let simulated = match &read.callback_counter {
        Some(callback) => callback.ask_for(|_| run())?,
        None => run(),
    };
    to_js(&simulated?)
}

/// The session's options without what is read here: the ladders and the tools.
fn split(options: &JsValue) -> Result<(JsValue, Vec<Value>, Vec<Value>), JsValue> {
    if !options.is_undefined() && (!options.is_object() || options.is_array()) {
        return Err(Error::config("options", "expected an object").into());
    }
    let own = Object::new();
    if options.is_object() {
        Object::assign(&own, options.unchecked_ref());
    }
    if get(&own, "ladder")?.is_some() {
        return Err(Error::config("ladder", "name the ladders to compare in `presets`").into());
    }
    let list = |key: &str| -> Result<Option<Vec<Value>>, JsValue> {
        let Some(given) = get(&own, key)? else { return Ok(None) };
        match json(&given, ErrorCode::InvalidConfig)? {
            Value::Array(list) => Ok(Some(list)),
            _ => Err(Error::config(key, "expected a list").into()),
        }
    };
    let ladders = list("presets")?.unwrap_or_else(|| Ladder::PRESETS.map(Value::from).into());
    let tools = list("tools")?.unwrap_or_default();
    for key in ["presets", "tools", "ladder"] {
        Reflect::delete_property(&own, &key.into())?;
    }
    Ok((own.into(), ladders, tools))
}
