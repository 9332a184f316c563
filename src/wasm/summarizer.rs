//! The caller's function that writes summaries, and one that needs no model.

use wasm_bindgen::prelude::*;

use super::arguments::options_json;
use super::value::{get, json};
use crate::compaction::extractive;
use crate::compaction::{Profile, Reason, transcript_messages};
use crate::config::Keys;
use crate::error::{Error, ErrorCode};
use crate::message::{Format, Message};
use crate::provider::provider;
use crate::tokens::Estimate;

#[wasm_bindgen]
extern "C" {
    /// The caller's function that calls a model.
    #[wasm_bindgen(typescript_type = "Summarize")]
    #[derive(Clone)]
    pub type Summarize;
}

/// A `Summarize` that needs no model: deterministic, offline, in Rust.
///
/// The summary names the task, the user's constraints, files read and changed, commands with their outcome, errors, decisions and
/// what is still open. A session uses it if no `summarize` is given.
///
/// ```js
/// const session = new Session({ contextWindow: 128_000, summarize: extractiveSummarize({ maxTokens: 1_000 }) });
/// ```
/// @param options `maxTokens`: the summary's size; default: what the request asks for (`aim_tokens`), else 2000.
/// @throws {ContextError} `INVALID_ARGUMENT` for an unknown option or a number out of range.
#[wasm_bindgen(js_name = extractiveSummarize)]
pub fn extractive_summarize(
    #[wasm_bindgen(unchecked_optional_param_type = "{ maxTokens?: number | undefined }")] options: JsValue,
) -> Result<Summarize, JsValue> {
    let options = options_json(&options, ErrorCode::InvalidArgument)?;
    let mut keys = Keys::arguments("", &options)?;
    let max_tokens = keys.u64_in("maxTokens", 1..)?;
    keys.finish()?;
    let callback: Closure<dyn Fn(JsValue) -> Result<String, JsValue>> =
        Closure::new(move |request: JsValue| {
            let asked = get(&request, "aim_tokens")?.and_then(|n| n.as_f64()).map(|n| n as u64);
            // The summary of a part goes into the next request, where anything beyond its share would be cut.
            let is_part = get(&request, "reason")?.is_some_and(|r| r == Reason::Chunk.as_str());
            let max_tokens = match (max_tokens, asked) {
                (Some(most), Some(share)) if is_part => Some(most.min(share)),
                (most, asked) => most.or(asked),
            };
            let refs = get(&request, "names_refs")?.is_none_or(|names| names != JsValue::FALSE);
            let messages = get(&request, "messages")?
                .ok_or_else(|| Error::argument("expected a SummaryRequest, which has `messages`"))?;
            let mut messages =
                provider(Format::Messages).read(&json(&messages, ErrorCode::InvalidArgument)?)?;
            let instructions = messages.pop();
            let profile =
                get(&request, "profile")?.and_then(|p| Profile::parse(&p.as_string()?)).unwrap_or_default();
            let style = get(&request, "style")?.and_then(|s| s.as_string());
            let folded: Vec<Message> = if style.as_deref() == Some("transcript") {
                transcript_messages(&instructions.map(|m| m.plain_text()).unwrap_or_default())
            } else {
                let kept =
                    get(&request, "kept")?.map(|k| json(&k, ErrorCode::InvalidArgument)).transpose()?;
                let kept: Vec<u64> = kept.and_then(|k| serde_json::from_value(k).ok()).unwrap_or_default();
                let all = (0..).zip(messages);
                all.filter(|(i, _)| !kept.contains(i)).map(|(_, message)| message).collect()
            };
            let usual = extractive::ExtractiveOptions { refs, ..Default::default() };
            let options =
                extractive::ExtractiveOptions { max_tokens: max_tokens.unwrap_or(usual.max_tokens), ..usual };
            Ok(profile.wrap(extractive::summarize(&folded, &Estimate, options)))
        });
    Ok(callback.into_js_value().unchecked_into())
}
