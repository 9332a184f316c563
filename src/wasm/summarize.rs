//! Asking for a summary: from a pending request to the callback's answer.

use std::rc::Rc;

use js_sys::{Array, Function, Object, Reflect};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::arguments::parse_format;
use super::call_cost::report_summary_call;
use super::inner::Inner;
use super::session_handle::SessionHandle;
use super::signal::AbortSignal;
use super::summary_body::{as_the_sdk_takes_it, body, continued, output_terms, written};
use super::thrown::{message_of, text_of_thrown};
use super::value::{get, json, set, when_read};
use crate::compaction::{Answer, SummaryRequest, ViewEnd};
use crate::error::{Error, ErrorCode};
use crate::message::{Format, ProviderSummary};
use crate::provider::is_too_large;
use crate::tokens::TokenUsage;

/// Why a request brought no answer.
pub struct Refusal {
    /// The error to throw.
    pub error: Error,
    /// What the callback threw or returned.
    pub cause: JsValue,
    /// Whether the summariser said that the request is too long.
    pub too_long: bool,
}

/// Calls the callback.
pub fn ask(inner: &Inner, request: &JsValue, signal: Option<&AbortSignal>) -> Result<JsValue, JsValue> {
    let Some(callback) = inner.summarize.borrow().clone() else { return Ok(JsValue::UNDEFINED) };
    let options = Object::new();
    if let Some(signal) = signal {
        set(&options, "signal", signal)?;
    }
    inner.is_asking.set(true);
    let answer = callback.unchecked_ref::<Function>().call2(&JsValue::UNDEFINED, request, &options);
    inner.is_asking.set(false);
    answer
}

/// Reads the answer of the callback.
pub fn heard(inner: &Inner, answer: JsValue) -> Result<Answer, Refusal> {
    let read = read_answer(&answer);
    if let Ok(Answer { usage: Some(usage), .. }) = &read {
        report_summary_call(inner, usage);
    }
    read.map_err(|error| Refusal { error, cause: answer, too_long: false })
}

/// What it means that the callback failed with this error.
pub fn refused(thrown: JsValue, signal: Option<&AbortSignal>) -> Refusal {
    // A callback that handles the signal itself rejects with its own error; this still counts as an abort.
    if let Some(signal) = signal.filter(|signal| signal.has_fired()) {
        let error = Error::new(ErrorCode::Aborted, "aborted by the AbortSignal; nothing was changed");
        return Refusal { error, cause: signal.why(), too_long: false };
    }
    let why = "the summarize callback failed; history and view are unchanged. Its error is the `cause`";
    let cause_text = message_of(&thrown);
    let colon = if cause_text.is_empty() { "" } else { ": " };
    let error = Error::new(ErrorCode::SummaryFailed, why)
        .with_brief(format!("the summarize callback failed{colon}{cause_text}"));
    let too_long = is_too_large(&text_of_thrown(&thrown));
    Refusal { error, cause: thrown, too_long }
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
    let continues = request.continues;
    let seen = inner.read(|core| {
        let view = &core.context().view;
        (continues == Some(ViewEnd::of(view))).then(|| view.snapshot())
    })?;
    let source = SessionHandle::of(&inner.lent_handles, Rc::new((request.clone(), seen)));
    let read = source.clone();
    // Written only when read: it is megabytes in a long conversation, and not every callback needs this format.
    when_read(&object, "messages", move || {
        Ok(written(&read.get()?.0.messages(), Format::Messages)?.1.into())
    })?;
    set(&object, "tools", &JsValue::NULL)?;
    set(&object, "style", &request.style.as_str().into())?;
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
    let of = Rc::downgrade(inner);
    let as_format: Closure<dyn Fn(JsValue) -> Result<JsValue, JsValue>> =
        Closure::new(move |format: JsValue| {
            let (source, format) = (source.get()?, parse_format(&format)?);
            let (request, seen) = &*source;
            match of.upgrade() {
                Some(inner) if continues.is_some() => continued(&inner, request, seen.as_ref(), format),
                _ => body(request, format),
            }
            .and_then(|body| as_the_sdk_takes_it(body, format))
        });
    set(&object, "as", &as_format.into_js_value())?;
    Ok(object.into())
}
