//! Asking for a summary: from a pending request to the callback's answer.

use std::rc::Rc;

use js_sys::{Array, Function, Object, Promise, Reflect};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::call_cost::report_summary_call;
use super::inner::Inner;
use super::session_handle::SessionHandle;
use super::signal::{AbortSignal, abort_error, wait};
use super::summary_body::{as_the_sdk_takes_it, body, continued, written};
use super::thrown::{message_of, text_of_thrown};
use super::value::{get, json, set, text, when_read};
use crate::compaction::extractive;
use crate::compaction::{Answer, Profile, Reason, Style, SummaryRequest, ViewEnd, transcript_messages};
use crate::error::{Error, ErrorCode};
use crate::message::{Format, Message, ProviderSummary};
use crate::provider::{is_too_large, provider};
use crate::tokens::{Estimate, TokenUsage};

#[wasm_bindgen]
extern "C" {
    /// The caller's function that calls a model.
    #[wasm_bindgen(typescript_type = "Summarize")]
    #[derive(Clone)]
    pub type Summarize;
}

/// Why a request brought no answer.
pub struct Refusal {
    /// The error to throw.
    pub error: Error,
    /// What the callback threw or returned.
    pub cause: JsValue,
    /// Whether the summariser said that the request is too long.
    pub too_long: bool,
}

/// Calls the callback and waits for its answer, until the signal fires or the session is freed.
pub async fn ask(
    inner: &Rc<Inner>,
    callback: &Function,
    request: &SummaryRequest,
    signal: Option<&AbortSignal>,
) -> Result<Answer, Refusal> {
    let freed = &inner.freed.promise;
    let asked = request_object(inner, request).and_then(|object| {
        let options = Object::new();
        if let Some(signal) = signal {
            set(&options, "signal", signal)?;
        }
        inner.is_asking.set(true);
        let answer = callback.call2(&JsValue::UNDEFINED, &object, &options);
        inner.is_asking.set(false);
        answer
    });
    let settled = match asked {
        Ok(answer) => wait(Promise::resolve(&answer), signal, Some(freed)).await,
        Err(thrown) => Err(thrown),
    };
    match settled {
        Ok(answer) => {
            let read = read_answer(&answer);
            if let Ok(Answer { usage: Some(usage), .. }) = &read {
                report_summary_call(inner, usage);
            }
            read.map_err(|error| Refusal { error, cause: answer, too_long: false })
        }
        // A callback that handles the signal itself rejects with its own error; this still counts as an abort.
        Err(_) if signal.is_some_and(AbortSignal::has_fired) => Err(refused_by(signal)),
        Err(cause) => {
            let why =
                "the summarize callback failed; history and view are unchanged. Its error is the `cause`";
            let cause_text = message_of(&cause);
            let colon = if cause_text.is_empty() { "" } else { ": " };
            let error = Error::new(ErrorCode::SummaryFailed, why)
                .with_brief(format!("the summarize callback failed{colon}{cause_text}"));
            let too_long = is_too_large(&text_of_thrown(&cause));
            Err(Refusal { error, cause, too_long })
        }
    }
}

fn refused_by(signal: Option<&AbortSignal>) -> Refusal {
    let cause = signal.map_or(JsValue::UNDEFINED, AbortSignal::why);
    Refusal { error: abort_error(), cause, too_long: false }
}

/// Reads a string, or `{ text, usage?, finish_reason?, compaction? }`.
fn read_answer(answer: &JsValue) -> Result<Answer, Error> {
    if let Some(text) = answer.as_string() {
        return Ok(Answer { text, ..Answer::default() });
    }
    let nonsense = || {
        let why = "the summarize callback must return a string or { text, usage?, finish_reason? }; history and view are unchanged";
        let brief = "the summarize callback returned neither a string nor { text, usage?, finish_reason? }";
        Error::new(ErrorCode::SummaryFailed, why).with_brief(brief)
    };
    let field = |key: &str| get(answer, key).map_err(|_| nonsense());
    let by_provider = field("compaction")?.map(|given| read_compaction(&given)).transpose()?;
    let text = match field("text")? {
        Some(text) => text.as_string().ok_or_else(nonsense)?,
        // SDKs return `null` if a model answered without text.
        None if has_null(answer, "text") || by_provider.is_some() => String::new(),
        None => return Err(nonsense()),
    };
    let mut finish_reason = None;
    for key in FINISH_REASONS {
        finish_reason = finish_reason.or(field(key)?.and_then(|reason| word_of(&reason)));
    }
    // A usage object of unknown shape is ignored: it is no reason to lose a summary.
    let usage = field("usage")?.and_then(|u| json(&u, ErrorCode::SummaryFailed).ok());
    let usage = usage.and_then(|u| TokenUsage::from_value(&u).ok());
    Ok(Answer { text, finish_reason, usage, by_provider, ..Answer::default() })
}

/// Reads `{ format, entries }`: a provider's own compaction. Anthropic's is a single assistant message with only the block; `OpenAI`'s is
/// a list of items that includes the compaction.
fn read_compaction(given: &JsValue) -> Result<ProviderSummary, Error> {
    let nonsense = || {
        let why = "the summarize callback returned a `compaction` that is not { format, entries }; history and view are unchanged";
        Error::new(ErrorCode::SummaryFailed, why)
            .with_brief("the summarize callback returned a `compaction` that is not { format, entries }")
    };
    let field = |key: &str| get(given, key).ok().flatten().ok_or_else(nonsense);
    let format = field("format")?.as_string().and_then(|name| Format::parse(&name)).ok_or_else(nonsense)?;
    match json(&field("entries")?, ErrorCode::SummaryFailed).map_err(|_| nonsense())? {
        Value::Array(entries) => {
            let summary = ProviderSummary { format, entries };
            summary.is_whole().then_some(summary).ok_or_else(nonsense)
        }
        _ => Err(nonsense()),
    }
}

fn has_null(object: &JsValue, key: &str) -> bool {
    Reflect::get(object, &JsValue::from_str(key)).is_ok_and(|value| value.is_null())
}

/// The keys under which SDKs say why a model stopped, ours first.
const FINISH_REASONS: [&str; 4] = ["finish_reason", "finishReason", "stop_reason", "stopReason"];

/// The reason as a word: the value itself, or one inside an object such as `{ unified: "length", raw: "max_tokens" }`.
fn word_of(said: &JsValue) -> Option<String> {
    let inside =
        || ["unified", "type", "reason", "raw"].iter().find_map(|key| get(said, key).ok()??.as_string());
    said.as_string().or_else(inside)
}

/// The request object that the callback receives.
pub fn request_object(inner: &Rc<Inner>, request: &SummaryRequest) -> Result<JsValue, JsValue> {
    let object = Object::new();
    let text = |t: &Option<String>| t.as_deref().map_or(JsValue::NULL, JsValue::from_str);
    set(&object, "model", &text(&request.model))?;
    if request.system.is_some() {
        set(&object, "system", &text(&request.system))?;
    }
    let source = SessionHandle::of(inner, Rc::new(request.clone()));
    let read = source.clone();
    // Written only when read: it is megabytes in a long conversation, and not every callback needs this format.
    when_read(&object, "messages", move || Ok(written(&read.get()?.messages(), Format::Messages)?.1.into()))?;
    set(&object, "tools", &JsValue::NULL)?;
    let style = match request.style {
        Style::Messages => "messages",
        Style::Transcript => "transcript",
    };
    set(&object, "style", &style.into())?;
    set(&object, "continues", &request.continues.is_some().into())?;
    set(&object, "names_refs", &request.names_refs.into())?;
    set(&object, "reason", &request.reason.as_str().into())?;
    set(&object, "input_tokens", &(request.input_tokens as f64).into())?;
    set(&object, "profile", &request.profile.as_str().into())?;
    if let Some(size) = request.aim_tokens {
        set(&object, "aim_tokens", &(size as f64).into())?;
    }
    for (key, value) in output_terms(request) {
        set(&object, key, &value.into())?;
    }
    set(&object, "kept", &request.kept.iter().map(|i| JsValue::from(*i as u32)).collect::<Array>())?;
    let continues = request.continues;
    let seen = inner.read(|core| {
        let view = &core.context().view;
        (continues == Some(ViewEnd::of(view))).then(|| view.snapshot())
    })?;
    let of = Rc::downgrade(inner);
    let as_format: Closure<dyn Fn(JsValue) -> Result<JsValue, JsValue>> =
        Closure::new(move |format: JsValue| {
            let (request, format) = (source.get()?, parse_format(&format)?);
            match of.upgrade() {
                Some(inner) if continues.is_some() => continued(&inner, &request, seen.as_ref(), format),
                _ => body(&request, format),
            }
            .and_then(|body| as_the_sdk_takes_it(body, format))
        });
    set(&object, "as", &as_format.into_js_value())?;
    Ok(object.into())
}

/// The output limit and the temperature, if the request has them.
pub fn output_terms(request: &SummaryRequest) -> impl Iterator<Item = (&'static str, f64)> {
    let max_tokens = request.max_tokens.map(|n| ("max_tokens", n as f64));
    max_tokens.into_iter().chain(request.profile.temperature().map(|t| ("temperature", t)))
}

/// Parses a format's name; `INVALID_ARGUMENT` if it is unknown.
pub fn parse_format(name: &JsValue) -> Result<Format, Error> {
    let name = text(name, "format")?;
    Format::parse(&name).ok_or_else(|| {
        let known = Format::ALL.map(|f| format!("\"{}\"", f.as_str())).join(", ");
        Error::argument(format!("there is no format \"{name}\"; the formats are {known}"))
    })
}

/// A `Summarize` that needs no model: deterministic, offline, in Rust (COMP-16).
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
    #[wasm_bindgen(unchecked_optional_param_type = "{ maxTokens?: number }")] options: JsValue,
) -> Result<Summarize, JsValue> {
    let options = if options.is_undefined() {
        serde_json::json!({})
    } else {
        json(&options, ErrorCode::InvalidArgument)?
    };
    let mut keys = crate::config::Keys::arguments("", &options)?;
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
            if style.as_deref() == Some("transcript") {
                let text = instructions.map(|m| m.plain_text()).unwrap_or_default();
                let folded = transcript_messages(&text);
                return Ok(profile.wrap(extractive::summarize(
                    &folded,
                    &Estimate,
                    options_of(max_tokens, refs),
                )));
            }
            let kept = get(&request, "kept")?.map(|k| json(&k, ErrorCode::InvalidArgument)).transpose()?;
            let kept: Vec<u64> = kept.and_then(|k| serde_json::from_value(k).ok()).unwrap_or_default();
            let folded = messages
                .iter()
                .enumerate()
                .filter(|(i, _)| !kept.contains(&(*i as u64)))
                .map(|(_, m)| m.clone());
            let folded: Vec<Message> = folded.collect();
            Ok(profile.wrap(extractive::summarize(&folded, &Estimate, options_of(max_tokens, refs))))
        });
    Ok(callback.into_js_value().unchecked_into())
}

fn options_of(max_tokens: Option<u64>, refs: bool) -> extractive::ExtractiveOptions {
    let mut options = extractive::ExtractiveOptions { refs, ..Default::default() };
    if let Some(max_tokens) = max_tokens {
        options.max_tokens = max_tokens;
    }
    options
}
