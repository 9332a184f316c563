//! Reads the text and the code of an error, whatever library threw it.

use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

use super::value::{get, is_list};
use crate::error::{Error, ErrorCode};
use crate::provider::refusal_texts;

/// The keys under which an error has texts: its own, and those of errors inside it.
const KEYS: [&str; 14] = [
    "code", "type", "message", "error", // the body, parsed: OpenAI's and Anthropic's clients
    "body",  // the body, as text or parsed
    "responseBody", "data",      // the AI SDK's parsed body
    "response",  // fetch-like clients: `response.data`, `response.body`
    "lastError", // the AI SDK's retries
    "errors",    // AggregateError, retries
    "detail", "metadata", // OpenRouter: the provider's own answer, `raw`
    "raw", "cause",
];

/// The most objects that are visited, since errors may refer to each other in circles.
const MAX_TEXTS: usize = 40;

/// The texts of an error as one text: an `Error`, a provider's body, a text, or whatever wraps them. If some of the texts refuse a request
/// for its size, only those are returned: the others may be about rate limits.
pub fn text_of_thrown(thrown: &JsValue) -> String {
    let mut texts: Vec<String> = Vec::new();
    let mut waiting = vec![thrown.clone()];
    let mut seen: Vec<JsValue> = Vec::new();
    while let Some(value) = waiting.pop() {
        if let Some(text) = value.as_string() {
            texts.push(text);
            continue;
        }
        if !value.is_object() || seen.len() == MAX_TEXTS || seen.iter().any(|s| Object::is(s, &value)) {
            continue;
        }
        seen.push(value.clone());
        if is_list(&value) {
            let at = |i| Reflect::get_u32(&value, i).ok();
            waiting.extend((0..MAX_TEXTS as u32).map_while(at).take_while(|entry| !entry.is_undefined()));
            continue;
        }
        // The stack is popped from its end, so keys are pushed in reverse. A getter that throws is ignored.
        waiting.extend(KEYS.iter().rev().filter_map(|key| get(&value, key).ok().flatten()));
    }
    let too_long = refusal_texts(&texts);
    if too_long.is_empty() { texts.join(": ") } else { too_long.join(": ") }
}

/// The most characters of an error's text that are kept: it may be a whole web page.
const MAX_CHARS: usize = 4_000;

/// An error's own message, for a report. If the cause has a different message, it is appended: `fetch failed` alone says little.
pub fn message_of(thrown: &JsValue) -> String {
    let of = |value: &JsValue| {
        let message = get(value, "message").ok().flatten().and_then(|m| m.as_string());
        value.as_string().or(message).filter(|m| !m.trim().is_empty())
    };
    let own = of(thrown).unwrap_or_else(|| text_of_thrown(thrown));
    let cause = get(thrown, "cause").ok().flatten().and_then(|cause| of(&cause));
    let message = match cause.filter(|cause| !own.contains(cause.as_str())) {
        Some(cause) => format!("{own}: {cause}"),
        None => own,
    };
    message.chars().take(MAX_CHARS).collect()
}

/// The message of what a callback threw, in parentheses.
pub fn message_in_parentheses(thrown: &JsValue) -> String {
    let said = get(thrown, "message").ok().flatten().and_then(|m| m.as_string());
    said.or_else(|| thrown.as_string()).map(|m| format!(" ({m})")).unwrap_or_default()
}

/// An error that was thrown in `pkg/host`, for the report.
pub fn error_of(thrown: &JsValue) -> Error {
    let message = get(thrown, "message").ok().flatten().and_then(|message| message.as_string());
    let aborted = code_of(thrown).as_deref() == Some(ErrorCode::Aborted.as_str());
    let code = if aborted { ErrorCode::Aborted } else { ErrorCode::StoreConflict };
    Error::new(code, message.unwrap_or_default())
}

/// The `code` of an error.
pub fn code_of(error: &JsValue) -> Option<String> {
    get(error, "code").ok().flatten().and_then(|code| code.as_string())
}
