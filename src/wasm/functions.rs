//! Functions for callers who keep their own list of messages.

use js_sys::{Map, Promise};
use wasm_bindgen::prelude::*;

use super::arguments::{options_json, parse_format, text};
use super::counter::Tokenizer;
use super::packed::string_of;
use super::session::Session;
use super::value::{copy_of, flat_to_js, json, json_of, set, to_js};
use crate::compaction::CompactionConfig;
use crate::config::Keys;
use crate::error::{Error, ErrorCode};
use crate::message::Format;
use crate::model::{Registry, limit};
use crate::passes::{ExplicitOptions, Ladder};
use crate::provider::{PendingRenames, Reading, detect, provider};
use crate::tokens::{Estimate, TokenCounter, TokenUsage, count_message};
use crate::tool_output::{self, HeadTail};

/// Tokens of a text, or of messages including what a provider adds per message.
///
/// @param input A text; or a list of messages or items, a request body or a response, in any format (it is detected).
/// @param tokenizer `"estimate"` (default), `"bytes/4"`, the result of `loadEncoding` or `loadTokenizer`, or a function from text to number.
/// @throws {ContextError} `INVALID_ARGUMENT` for an unknown tokenizer, for one that throws or returns no number, and
/// for any other input; `INVALID_MESSAGE` for a list of something other than messages.
#[wasm_bindgen(js_name = countTokens)]
pub fn count_tokens(
    #[wasm_bindgen(unchecked_param_type = "unknown")] input: JsValue,
    #[wasm_bindgen(
        unchecked_optional_param_type = "\"estimate\" | \"bytes/4\" | Encoding | ((text: string) => number)"
    )]
    tokenizer: JsValue,
) -> Result<f64, JsValue> {
    let Tokenizer { counter, callback } =
        Tokenizer::of(&tokenizer).map_err(|expected| Error::argument(format!("tokenizer: {expected}")))?;
    let (text, messages) = if let Some(text) = string_of(&input) {
        (text, Vec::new())
    } else {
        let input = json_of(Format::BedrockConverse, &input, ErrorCode::InvalidMessage)?; // any format may contain bytes
        (String::new(), provider(detect(&input).unwrap_or(Format::Messages)).read(&input)?)
    };
    let count = |counter: &dyn TokenCounter| {
        counter.count(&text) + messages.iter().map(|m| count_message(m, counter)).sum::<u64>()
    };
    let tokens = match callback {
        Some(callback) => callback.count_all(|counter| count(counter))?,
        None => count(&*counter),
    };
    Ok(tokens as f64)
}

/// The passes of a preset, for the package's `presets`.
#[wasm_bindgen(js_name = presetPasses, skip_typescript)]
pub fn preset_passes(name: JsValue) -> Result<JsValue, JsValue> {
    let passes =
        Ladder::preset(&text(&name, "name")?, ExplicitOptions::default()).map(|ladder| ladder.to_value());
    to_js(&passes)
}

/// The format of a list, a body or a response, if it can be told. For the package's own command line.
#[wasm_bindgen(js_name = detectFormat, skip_typescript)]
pub fn detect_format(input: JsValue) -> Result<Option<String>, JsValue> {
    let format = detect(&json_of(Format::BedrockConverse, &input, ErrorCode::InvalidMessage)?);
    Ok(format.map(|f| f.as_str().to_owned()))
}

/// Whether two entries of a list say the same to a model; `sync` recognises a conversation by this. Cache marks, hints for a
/// provider, ids of items, white space around a text and the order of keys do not count.
///
/// Ids of calls count, unless `calls` is given: pass a `Map` that is empty at the beginning of the two lists, and the same one for
/// every pair of entries. Then the ids of a call may differ, if those of its output differ in the same way. The map has the
/// open calls with different ids: the id in the list of `one` → the id in the list of `other`.
///
/// @throws {ContextError} `INVALID_ARGUMENT` for an unknown format; `INVALID_MESSAGE` for what cannot be written as JSON.
#[wasm_bindgen(js_name = readsSame)]
pub fn reads_same_entry(
    #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
    #[wasm_bindgen(unchecked_param_type = "unknown")] one: JsValue,
    #[wasm_bindgen(unchecked_param_type = "unknown")] other: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "Map<string, string>")] calls: JsValue,
) -> Result<bool, JsValue> {
    let format = parse_format(&format)?;
    let read =
        |entry: &JsValue| Ok::<_, JsValue>(Reading::of(format, &json(entry, ErrorCode::InvalidMessage)?));
    let (one, other) = (read(&one)?, read(&other)?);
    if calls.is_undefined() {
        return Ok(one.reads_same(&other) && one.calls() == other.calls());
    }
    let calls: Map = calls.dyn_into().map_err(|_| Error::argument("calls: expected a Map"))?;
    let mut waiting = Vec::new();
    calls.for_each(&mut |now, known| {
        waiting.extend(known.as_string().zip(now.as_string()));
    });
    let mut renamed = PendingRenames::of(waiting);
    let same = one.reads_same(&other) && renamed.pair(one.calls(), other.calls());
    calls.clear();
    for (known, now) in renamed.waiting() {
        calls.set(&known.as_str().into(), &now.as_str().into());
    }
    Ok(same)
}

/// Converts a provider's usage object to our `TokenUsage`, in which cached tokens are counted only once.
///
/// Accepts the usage objects of OpenAI, Anthropic, Gemini, Bedrock, the AI SDK, LangChain and the Agents SDK, and
/// responses that contain one.
///
/// @throws {ContextError} `INVALID_ARGUMENT` for an object of any other shape.
#[wasm_bindgen(js_name = tokenUsage, unchecked_return_type = "TokenUsage")]
pub fn token_usage(
    #[wasm_bindgen(unchecked_param_type = "unknown")] usage: JsValue,
) -> Result<JsValue, JsValue> {
    flat_to_js(&TokenUsage::from_value(&json(&usage, ErrorCode::InvalidArgument)?)?)
}

/// The most tokens that a view for this model may have.
///
/// @param models A `LiteLLM` table, a models.dev table, or `{ [model]: { max_input_tokens?, max_output_tokens?, max_tokens? } }`;
/// it takes precedence over the built-in table.
/// @throws {ContextError} `UNKNOWN_MODEL` for a model that is in neither table: the limit is never guessed.
#[wasm_bindgen(js_name = contextLimit)]
pub fn context_limit(
    #[wasm_bindgen(unchecked_param_type = "string")] model: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "object")] models: JsValue,
) -> Result<f64, JsValue> {
    let registry = if models.is_undefined() {
        Registry::new()
    } else {
        Registry::with(&json(&models, ErrorCode::InvalidConfig)?)?
    };
    let advised = |e: Error| match e.code() {
        ErrorCode::UnknownModel => Error::new(
            e.code(),
            format!("{}; pass a row with `max_input_tokens` for it as `models`", e.brief()),
        ),
        _ => e,
    };
    let limits = registry.resolve(&text(&model, "model")?).map_err(advised)?;
    Ok(limit(Some(limits.max_input_tokens), limits.window(), 0) as f64)
}

/// Whether a compaction is due: `enabled` and `auto` are on, and `usage.total_tokens >= limit × thresholdRatio`.
///
/// @throws {ContextError} `INVALID_CONFIG`, which names the key; `INVALID_ARGUMENT` for a wrong `usage` or `limit`.
#[wasm_bindgen(js_name = shouldCompact)]
pub fn should_compact(
    #[wasm_bindgen(unchecked_param_type = "TokenUsage")] usage: JsValue,
    #[wasm_bindgen(unchecked_param_type = "number")] limit: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "CompactionConfig")] config: JsValue,
) -> Result<bool, JsValue> {
    let usage = TokenUsage::from_value(&json(&usage, ErrorCode::InvalidArgument)?)?;
    let limit = limit.as_f64().filter(|n| n.is_finite() && *n >= 0.0);
    let limit = limit.ok_or_else(|| Error::argument("`limit`: expected a number of tokens, at least 0"))?;
    let config = CompactionConfig::from_value(&options_json(&config, ErrorCode::InvalidConfig)?)?;
    Ok(config.enabled && config.auto && usage.total_tokens >= config.threshold(limit as u64))
}

/// Makes a list of messages fit, in one call: runs `prepare({ fill: true })` on a temporary session.
///
/// @throws {ContextError} as the constructor of `Session`, `push` and `prepare`.
#[wasm_bindgen(js_name = compactMessages, unchecked_return_type = "Promise<Prepared>")]
pub fn compact_messages(
    #[wasm_bindgen(unchecked_param_type = "readonly Message[]")] messages: JsValue,
    #[wasm_bindgen(unchecked_param_type = "SessionOptions & { signal?: AbortSignal | undefined }")]
    options: JsValue,
) -> Result<Promise, JsValue> {
    let own = copy_of(&options)?;
    let run = js_sys::Object::new();
    if let Some(signal) = super::value::get(&own, "signal")? {
        set(&run, "signal", &signal)?;
    }
    js_sys::Reflect::delete_property(&own, &"signal".into())?;
    set(&run, "fill", &JsValue::TRUE)?;
    // The session is gone afterwards, so refs could not be opened: without the cache, none are named.
    if super::value::get(&own, "toolOutputCache")?.is_none() {
        let off = js_sys::Object::new();
        set(&off, "enabled", &JsValue::FALSE)?;
        set(&own, "toolOutputCache", &off)?;
    }
    let session = Session::new(own.into())?;
    session.push(messages)?;
    session.prepare_once(run.into())
}

/// Definitions of the model's three tools; declared in `types.d.ts`.
#[wasm_bindgen(js_name = toolDefinitions, skip_typescript)]
pub fn tool_definitions(
    #[wasm_bindgen(unchecked_param_type = "Format")] format: JsValue,
) -> Result<JsValue, JsValue> {
    let format = parse_format(&format)?;
    to_js(&tool_output::definitions().iter().map(|d| d.to_format(format)).collect::<Vec<_>>())
}

/// Rewrites the JSON of a tool output in fewer tokens (by the estimate). The result is JSON too, marked with `"compressed": true`.
/// Returns the text unchanged if it has at most `maxTokens` (200), is not JSON, or would not become smaller.
///
/// Success and failure, error texts, counts and ids stay, and numbers stay as they were written. A list of more than four
/// objects becomes `<name>_preview`: the first two, the last two and those that failed, each reduced to `id`, `title`
/// and `name`. Long strings lose their middle. JSON lines are compressed line by line, and lose lines in the middle if
/// that is not enough.
///
/// @throws {ContextError} `INVALID_ARGUMENT`, which names the option.
#[wasm_bindgen(js_name = compressJson)]
pub fn compress_json(
    #[wasm_bindgen(unchecked_param_type = "string")] text: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "{ maxTokens?: number | undefined }")] options: JsValue,
) -> Result<String, JsValue> {
    let text = self::text(&text, "text")?;
    let options = options_json(&options, ErrorCode::InvalidArgument)?;
    let mut keys = Keys::arguments("options", &options)?;
    let max_tokens = keys.u64_in("maxTokens", 0..)?.unwrap_or(tool_output::JSON_MAX_TOKENS);
    keys.finish()?;
    Ok(tool_output::compress_json(&text, max_tokens, &Estimate).unwrap_or(text))
}

/// Cuts a text of more than `max` (5,000) characters to its first `head` (1,000) and its last `tail` (1,000), with
/// `[... 3000 chars omitted ...]` in between. Returns a shorter text unchanged. Characters are code points, but a grapheme cluster
/// (what people see as one character) of up to 64 code points is never split.
///
/// @throws {ContextError} `INVALID_ARGUMENT`, which names the option, also if `max` is less than `head` and `tail` together.
#[wasm_bindgen(js_name = truncateHeadTail)]
pub fn truncate_head_tail(
    #[wasm_bindgen(unchecked_param_type = "string")] text: JsValue,
    #[wasm_bindgen(
        unchecked_optional_param_type = "{ max?: number | undefined; head?: number | undefined; tail?: number | undefined }"
    )]
    options: JsValue,
) -> Result<String, JsValue> {
    let text = self::text(&text, "text")?;
    let shape = HeadTail::from_value(&options_json(&options, ErrorCode::InvalidArgument)?)?;
    Ok(tool_output::truncate_head_tail(&text, &shape).unwrap_or(text))
}
