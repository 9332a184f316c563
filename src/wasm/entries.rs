//! Which of the caller's objects each message came from.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::value::get;
use crate::message::{Format, Message};
use crate::provider::{Calls, provider};

/// The entries of a list, a request body or a response.
pub fn entries(input: &JsValue) -> Option<Vec<JsValue>> {
    let list = ["input", "output", "messages"]
        .iter()
        .find_map(|key| get(input, key).ok()??.dyn_into::<Array>().ok());
    let list = input.dyn_ref::<Array>().cloned().or(list)?;
    Some(list.iter().collect())
}

/// How many entries of the format each message came from.
pub fn entry_counts(format: Format, messages: &[Message]) -> Vec<usize> {
    if format == Format::Messages {
        return vec![1; messages.len()];
    }
    let provider = provider(format);
    let mut calls = Calls::default();
    messages
        .iter()
        .map(|message| {
            calls.add(message);
            if provider.is_head(message, true) { 0 } else { provider.write_one(message, &calls).len() }
        })
        .collect()
}
