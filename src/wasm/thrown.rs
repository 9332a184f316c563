//! Reads the text of an error, whatever library threw it.

use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

use super::value::{get, is_list};
use crate::provider::refusal_texts;

/// Where the texts of an error are: its own, and those of what it carries.
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

/// How many objects are looked at: errors may refer to each other in circles.
const MOST: usize = 40;

/// What an error says, as one text: an `Error`, a provider's body, a text, or what wraps them. Of an error that refuses
/// a request for its size only that: what else it carries may speak of rate limits.
pub fn said_by(thrown: &JsValue) -> String {
    let mut said: Vec<String> = Vec::new();
    let mut waiting = vec![thrown.clone()];
    let mut seen: Vec<JsValue> = Vec::new();
    while let Some(value) = waiting.pop() {
        if let Some(text) = value.as_string() {
            said.push(text);
            continue;
        }
        if !value.is_object() || seen.len() == MOST || seen.iter().any(|s| Object::is(s, &value)) {
            continue;
        }
        seen.push(value.clone());
        if is_list(&value) {
            let at = |i| Reflect::get_u32(&value, i).ok();
            waiting.extend((0..MOST as u32).map_while(at).take_while(|entry| !entry.is_undefined()));
            continue;
        }
        // The stack is taken from its end: what stands first is said first. A getter that throws says nothing.
        waiting.extend(KEYS.iter().rev().filter_map(|key| get(&value, key).ok().flatten()));
    }
    let too_long = refusal_texts(&said);
    if too_long.is_empty() { said.join(": ") } else { too_long.join(": ") }
}

/// Characters of an error's text that are looked at: it may be a page.
const LONGEST: usize = 4_000;

/// An error's own message, for a report; behind it that of its cause, where it has another: `fetch failed` alone says little.
pub fn message_of(thrown: &JsValue) -> String {
    let of = |value: &JsValue| {
        let message = get(value, "message").ok().flatten().and_then(|m| m.as_string());
        value.as_string().or(message).filter(|m| !m.trim().is_empty())
    };
    let own = of(thrown).unwrap_or_else(|| said_by(thrown));
    let cause = get(thrown, "cause").ok().flatten().and_then(|cause| of(&cause));
    let said = match cause.filter(|cause| !own.contains(cause.as_str())) {
        Some(cause) => format!("{own}: {cause}"),
        None => own,
    };
    said.chars().take(LONGEST).collect()
}
