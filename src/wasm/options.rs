//! The options of a session: functions, and plain data for the core.

use std::rc::Rc;

use js_sys::{Function, Reflect};
use wasm_bindgen::prelude::*;

use super::counter::{CallbackCounter, Tokenizer};
use super::summarize::Summarize;
use super::value::config_json;
use crate::error::Error;
use crate::session::SessionConfig;
use crate::tokens::Counter;

/// A session's options, read.
pub struct Options {
    pub config: SessionConfig,
    pub counter: Counter,
    pub callback_counter: Option<Rc<CallbackCounter>>,
    pub summarize: Option<Summarize>,
    pub now: Option<Function>,
}

/// Takes the functions out of the options; the rest is plain data, and the core reads it.
pub fn read_options(options: &JsValue) -> Result<Options, JsValue> {
    let plain = plain_object(options)?;
    let now = match take(&plain, "now")? {
        Some(f) if f.is_function() => Some(f.unchecked_into::<Function>()),
        Some(_) => return Err(Error::config("now", "expected a function").into()),
        None => None,
    };
    let summarize = take(&plain, "summarize")?;
    let summarize = match summarize {
        Some(f) if f.is_function() => Some(f.unchecked_into::<Summarize>()),
        Some(_) => return Err(Error::config("summarize", "expected a function").into()),
        None => None,
    };
    let tokenizer = take(&plain, "tokenizer")?.unwrap_or_default();
    let Tokenizer { counter, callback: callback_counter } =
        Tokenizer::of(&tokenizer).map_err(|expected| Error::config("tokenizer", expected))?;
    let config = SessionConfig::from_value(&config_json(&plain)?)?;
    Ok(Options { config, counter, callback_counter, summarize, now })
}

/// A copy of the options, which must be an object of keys.
fn plain_object(options: &JsValue) -> Result<js_sys::Object, JsValue> {
    let copy = js_sys::Object::new();
    if options.is_undefined() {
        return Ok(copy);
    }
    if !options.is_object() || options.is_array() || js_sys::try_iter(options)?.is_some() {
        return Err(Error::config("options", "expected an object").into());
    }
    for key in js_sys::Object::keys(options.unchecked_ref::<js_sys::Object>()).iter() {
        let value = Reflect::get(options, &key).map_err(|cause| {
            let key = key.as_string().unwrap_or_default();
            super::error::context_error(&Error::config(&key, "its getter threw"), Some(&cause), None)
        })?;
        Reflect::set(&copy, &key, &value)?;
    }
    Ok(copy)
}

/// Takes a key out of our own copy of the options; `undefined` is as good as left out, `null` is not.
fn take(plain: &js_sys::Object, key: &str) -> Result<Option<JsValue>, JsValue> {
    let value = Reflect::get(plain, &key.into())?;
    Reflect::delete_property(plain, &key.into())?;
    Ok((!value.is_undefined()).then_some(value))
}
