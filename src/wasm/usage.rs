//! The usage that a caller passes on from a provider's answer.

use js_sys::{JSON, JsString};
use wasm_bindgen::prelude::*;

use super::value::json;
use crate::error::ErrorCode;
use crate::tokens::ReportedUsage;

/// The usage in a provider's usage object or answer; `None` if the provider reports none: there is no object, or all its counts are
/// missing or 0. An empty prompt is no call, and usage of 0 tokens would make the window look empty.
pub fn reported_usage(usage: &JsValue) -> Result<Option<ReportedUsage>, JsValue> {
    if usage.is_undefined() || usage.is_null() {
        return Ok(None);
    }
    let read = ReportedUsage::from_value(&json(usage, ErrorCode::InvalidArgument)?);
    let reported = match read {
        Ok(reported) => reported,
        Err(_) if has_undefined_counts(usage)? => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    Ok(Some(reported).filter(|reported| reported.usage.total_tokens > 0))
}

/// Whether it is a usage object of a known shape, but for counts that are `undefined`. JSON leaves their keys out, which are all that the
/// shape is known by. The AI SDK reports such an object if its provider reports nothing.
fn has_undefined_counts(usage: &JsValue) -> Result<bool, JsValue> {
    let mut kept = |_key: JsString, value: JsValue| -> Result<Option<JsValue>, JsError> {
        Ok(Some(if value.is_undefined() { JsValue::NULL } else { value }))
    };
    let text = JSON::stringify_with_replacer_func(usage, &mut kept, None)?;
    let Some(text) = JsValue::from(text).as_string() else { return Ok(false) }; // a function
    Ok(serde_json::from_str(&text).is_ok_and(|value| ReportedUsage::from_value(&value).is_ok()))
}
