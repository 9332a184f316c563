//! Reads arguments. They are accepted as any value and then checked, because a typed binding traps on a wrong type.

use js_sys::{Object, Reflect};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::error::context_error;
use super::packed::string_of;
use super::value::{get, is_list, json, keys_of};
use crate::error::{Error, ErrorCode};
use crate::message::Format;

/// Reads a string.
pub fn text(value: &JsValue, name: &str) -> Result<String, Error> {
    string_of(value).ok_or_else(|| Error::argument(format!("`{name}`: expected a string")))
}

/// Reads a count or an index: a whole number of at least 0. `Infinity` becomes the largest number.
pub fn count(value: &JsValue, name: &str) -> Result<usize, Error> {
    let whole = value.as_f64().filter(|n| *n >= 0.0 && (n.fract() == 0.0 || n.is_infinite()));
    whole
        .map(|n| n as usize)
        .ok_or_else(|| Error::argument(format!("`{name}`: expected a whole number of at least 0")))
}

/// Reads a position, or another whole number.
pub fn whole(value: &JsValue, name: &str) -> Result<u64, Error> {
    let number = value.as_f64().filter(|n| n.fract() == 0.0 && *n >= 0.0 && *n < 9_007_199_254_740_992.0);
    number
        .map(|n| n as u64)
        .ok_or_else(|| Error::argument(format!("`{name}`: expected a position, a whole number")))
}

/// Parses a format's name; `INVALID_ARGUMENT` if it is unknown.
pub fn parse_format(name: &JsValue) -> Result<Format, Error> {
    let name = text(name, "format")?;
    Format::parse(&name).ok_or_else(|| {
        let known = Format::ALL.map(|f| format!("\"{}\"", f.as_str())).join(", ");
        Error::argument(format!("there is no format \"{name}\"; the formats are {known}"))
    })
}

/// The string under a key; `None` if it is `undefined` or `null`.
pub fn get_string(options: &JsValue, key: &str) -> Result<Option<String>, JsValue> {
    let wrong = || JsValue::from(Error::argument(format!("`{key}`: expected a string")));
    get(options, key)?.map(|v| v.as_string().ok_or_else(wrong)).transpose()
}

/// The boolean under a key; `false` if it is `undefined` or `null`.
pub fn get_flag(options: &JsValue, key: &str) -> Result<bool, JsValue> {
    let wrong = || JsValue::from(Error::argument(format!("`{key}`: expected true or false")));
    Ok(get(options, key)?.map(|v| v.as_bool().ok_or_else(wrong)).transpose()?.unwrap_or(false))
}

/// The JSON of an options argument, which may be left out.
pub fn options_json(options: &JsValue, code: ErrorCode) -> Result<Value, JsValue> {
    if options.is_undefined() { Ok(Value::Object(serde_json::Map::new())) } else { json(options, code) }
}

/// Refuses an options argument that is not an object, and unknown keys.
pub fn known_keys(options: &JsValue, known: &[&str]) -> Result<(), JsValue> {
    if options.is_undefined() {
        return Ok(());
    }
    let list = known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
    if !options.is_object() || is_list(options) {
        return Err(Error::argument(format!("options: expected an object with {list}")).into());
    }
    for key in keys_of(options)?.iter().filter_map(|k| k.as_string()) {
        if !known.contains(&key.as_str()) {
            return Err(Error::argument(format!("`{key}`: unknown key; known keys are {list}")).into());
        }
    }
    Ok(())
}

/// A copy of the options, which must be a plain object.
pub fn plain_object(options: &JsValue) -> Result<Object, JsValue> {
    let copy = Object::new();
    if options.is_undefined() {
        return Ok(copy);
    }
    if !options.is_object() || is_list(options) || js_sys::try_iter(options)?.is_some() {
        return Err(Error::config("options", "expected an object").into());
    }
    for key in keys_of(options)?.iter() {
        let value = Reflect::get(options, &key).map_err(|cause| {
            let key = key.as_string().unwrap_or_default();
            context_error(&Error::config(&key, "its getter threw"), Some(&cause), None)
        })?;
        Reflect::set(&copy, &key, &value)?;
    }
    Ok(copy)
}

/// Removes a key from our copy of the options and returns its value. `undefined` counts as left out, `null` does not.
pub fn take(plain: &Object, key: &str) -> Result<Option<JsValue>, JsValue> {
    let value = Reflect::get(plain, &key.into())?;
    Reflect::delete_property(plain, &key.into())?;
    Ok((!value.is_undefined()).then_some(value))
}
