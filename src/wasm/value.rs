//! Values across the boundary between JavaScript and WebAssembly: as JSON, the way a provider would get them.
//!
//! For nested messages, JSON text is faster than walking objects. Bytes in Bedrock's messages are passed as `{ "$bytes": base64 }` and
//! returned as `Uint8Array`s; bytes that came as base64 text stay text.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, JSON, JsString, Number, Object, Reflect, Uint8Array};
use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::error::context_error;
use super::maker::{append, json_with_bytes};
use super::packed::string_of;
use crate::error::{Error, ErrorCode};
use crate::message::Format;
use crate::provider::BYTES;
use crate::saved::from_base64;

/// The JSON of a JavaScript value. `undefined`, functions and symbols are left out, as `JSON.stringify` does; lone
/// surrogates become U+FFFD (INV-5). `code` is the error code for a value that cannot be JSON (a cycle, a `BigInt`).
pub fn json(value: &JsValue, code: ErrorCode) -> Result<Value, JsValue> {
    Ok(repaired_json(value, None, code)?.0)
}

/// Like [`json`], for an entry of a format.
pub fn json_of(format: Format, value: &JsValue, code: ErrorCode) -> Result<Value, JsValue> {
    Ok(repaired_json(value, Some(format), code)?.0)
}

/// The JSON text of a value. Only Bedrock's SDK has bytes in its messages, which have to come back as bytes.
pub fn stringified(value: &JsValue, format: Option<Format>) -> Result<JsValue, JsValue> {
    match format {
        Some(Format::BedrockConverse) => json_with_bytes(value),
        _ => JSON::stringify(value).map(Into::into),
    }
}

/// The JSON, and whether a lone surrogate was replaced in it.
fn repaired_json(value: &JsValue, format: Option<Format>, code: ErrorCode) -> Result<(Value, bool), JsValue> {
    let text = stringified(value, format).map_err(|cause| {
        let error = Error::new(code, "the value cannot be written as JSON (a cycle or a BigInt?)");
        context_error(&error, Some(&cause), None)
    })?;
    // `JSON.stringify` returns `undefined` for `undefined` and functions.
    let Some(text) = string_of(&text) else { return Ok((Value::Null, false)) };
    if let Ok(value) = serde_json::from_str(&text) {
        return Ok((value, false));
    }
    // The only thing that `JSON.stringify` writes and a strict parser refuses: escaped lone surrogates.
    let text = replace_lone_surrogates(&text);
    match serde_json::from_str(&text) {
        Ok(value) => Ok((value, true)),
        Err(error) => Err(Error::new(code, format!("the value is not valid JSON: {error}")).into()),
    }
}

/// The JSON of options: like [`json`], but functions are not ignored, and errors name the key.
pub fn config_json(options: &Object) -> Result<Value, JsValue> {
    let mut map = serde_json::Map::new();
    for key in Object::keys(options).iter() {
        let value = Reflect::get(options, &key)?;
        let key = key.as_string().unwrap_or_default();
        // Functions must not be ignored silently, nor numbers without a JSON form be taken as `null`. Both become texts, which have
        // the wrong type wherever they are.
        let text = JSON::stringify_with_replacer_func(
            &value,
            &mut |_key: JsString, value: JsValue| {
                let number = value.as_f64().filter(|number| !number.is_finite());
                let named = number.map(|number| Number::from(number).to_js_string().into());
                Ok(Some(if value.is_function() {
                    JsValue::from_str("[function]")
                } else {
                    named.unwrap_or(value)
                }))
            },
            None,
        );
        let Ok(text) = text else {
            return Err(Error::config(&key, "expected plain data, got a cycle or a BigInt").into());
        };
        let Some(text) = JsValue::from(text).as_string() else { continue }; // `undefined` is left out
        let text = replace_lone_surrogates(&text);
        let value = serde_json::from_str(&text)
            .map_err(|e| Error::config(&key, format!("is not valid JSON: {e}")))?;
        map.insert(key, value);
    }
    Ok(Value::Object(map))
}

/// The JSON of a list of messages or items; errors name the index.
pub fn entries_json(format: Format, input: &JsValue) -> Result<Value, JsValue> {
    Ok(repaired_entries_json(format, input)?.0)
}

/// Like [`entries_json`], and whether a lone surrogate was replaced in an entry.
pub fn repaired_entries_json(format: Format, input: &JsValue) -> Result<(Value, bool), JsValue> {
    repaired_json(input, Some(format), ErrorCode::InvalidMessage).map_err(|error| {
        let Ok(Some(list)) = list_in(input) else { return error };
        let culprit = list.iter().enumerate().find_map(|(index, entry)| entry_json(entry, index).err());
        culprit.unwrap_or(error)
    })
}

/// The JSON of the entry at `index`, which an error names.
pub fn entry_json(entry: &JsValue, index: usize) -> Result<Value, JsValue> {
    Ok(repaired_entry_json(entry, index)?.0)
}

/// Like [`entry_json`], and whether a lone surrogate was replaced in it.
pub fn repaired_entry_json(entry: &JsValue, index: usize) -> Result<(Value, bool), JsValue> {
    repaired_json(entry, None, ErrorCode::InvalidMessage).map_err(|error| {
        let Some(cause) = JSON::stringify(entry).err() else { return error };
        let what = unwritable_in(entry).map_or_else(|| "it".to_owned(), |path| format!("`{path}`"));
        let why = format!("{what} cannot be written as JSON (a cycle, a BigInt, or a getter that throws)");
        context_error(&Error::message_at(index, why), Some(&cause), None)
    })
}

/// How deep [`unwritable_in`] looks. A cycle has no end.
const DEEPEST: usize = 6;

/// The path of what cannot be written as JSON inside a value, such as `content.0.size`; `None` if it is the value itself.
fn unwritable_in(value: &JsValue) -> Option<String> {
    let mut path: Vec<String> = Vec::new();
    let mut seen = vec![value.clone()];
    while path.len() < DEEPEST {
        let keys = keys_of(seen.last()?).ok()?;
        let culprit = keys.iter().find_map(|key| {
            let read = Reflect::get(seen.last()?, &key);
            let is_unwritable = read.as_ref().map_or(true, |value| JSON::stringify(value).is_err());
            is_unwritable.then(|| (key.as_string().unwrap_or_default(), read.ok()))
        });
        let Some((key, inside)) = culprit else { break };
        path.push(key);
        match inside {
            Some(inside) if inside.is_object() && !seen.contains(&inside) => seen.push(inside),
            _ => break,
        }
    }
    (!path.is_empty()).then(|| path.join("."))
}

/// Whether an entry contains a lone surrogate: half a character, as in a text that was cut by its length. It has no form in JSON,
/// and providers refuse it.
pub fn has_lone_surrogate(entry: &JsValue, format: Format) -> bool {
    repaired_json(entry, Some(format), ErrorCode::InvalidMessage).is_ok_and(|(_, repaired)| repaired)
}

/// Replaces escaped lone surrogates in JSON text by an escaped U+FFFD.
fn replace_lone_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match (surrogate(rest), rest.get(6..).and_then(surrogate)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => {
                out.push_str(&rest[..12]);
                12
            }
            (Some(_), _) => {
                out.push_str("\\ufffd");
                6
            }
            // Any other escape: skip the character after the backslash too, so that `\\ud800` is not taken for a surrogate.
            (None, _) => {
                let taken = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
                out.push_str(&rest[..taken]);
                taken
            }
        };
        rest = &rest[taken..];
    }
    out.push_str(rest);
    out
}

/// The surrogate that is written by an escape at the beginning of `text`.
fn surrogate(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok().filter(|unit| (0xD800..=0xDFFF).contains(unit))
}

/// Converts plain data to a JavaScript value.
pub fn to_js<T: Serialize + ?Sized>(value: &T) -> Result<JsValue, JsValue> {
    let text = serde_json::to_string(value).map_err(|e| {
        JsValue::from(Error::new(ErrorCode::Internal, format!("a value could not be written: {e}")))
    })?;
    JSON::parse(&text)
}

/// Like [`to_js`], for something written in a format: bytes that came as the SDK's bytes become bytes again.
pub fn of_format_to_js(value: &Value, format: Format) -> Result<JsValue, JsValue> {
    if format == Format::BedrockConverse && holds_bytes(value) {
        entry_to_js(value, true)
    } else {
        to_js(value)
    }
}

/// Whether it contains bytes.
fn holds_bytes(value: &Value) -> bool {
    match value {
        Value::Array(list) => list.iter().any(holds_bytes),
        Value::Object(map) => map.contains_key(BYTES) || map.values().any(holds_bytes),
        _ => false,
    }
}

/// The bytes in an object that represents them.
fn bytes_in(map: &serde_json::Map<String, Value>) -> Option<Uint8Array> {
    let text = map.get(BYTES).filter(|_| map.len() == 1)?.as_str()?;
    Some(Uint8Array::from(&*from_base64(text)?))
}

/// Like [`to_js`], for an entry of a list. A long text in it is passed on its own, because inside JSON it would be copied several times.
pub fn entry_to_js(entry: &Value, bytes: bool) -> Result<JsValue, JsValue> {
    match entry {
        _ if !(is_long(entry) || bytes && holds_bytes(entry)) => to_js(entry),
        Value::String(text) => Ok(JsValue::from_str(text)),
        Value::Array(list) => {
            Ok(list.iter().map(|one| entry_to_js(one, bytes)).collect::<Result<Array, _>>()?.into())
        }
        Value::Object(map) => {
            if let Some(bytes) = bytes_in(map).filter(|_| bytes) {
                return Ok(bytes.into());
            }
            let object = Object::new();
            for (key, value) in map {
                set(&object, key, &entry_to_js(value, bytes)?)?;
            }
            Ok(object.into())
        }
        _ => to_js(entry),
    }
}

/// The most entries, and the most bytes, that are passed together: pending entries and their JSON take memory beside the messages.
const BATCH_ENTRIES: usize = 64;
const BATCH_BYTES: usize = 65536;

/// Whether these entries should be passed without adding more.
pub fn needs_batch(entries: usize, bytes: usize) -> bool {
    entries >= BATCH_ENTRIES || bytes >= BATCH_BYTES
}

/// Like [`entry_to_js`], for several entries. Short ones are passed together, since parsing one text is much cheaper than many small ones.
pub fn entries_to_js(entries: &[&Value], format: Format) -> Result<Array, JsValue> {
    let as_bytes = format == Format::BedrockConverse;
    let is_long = |entry: &Value| is_long(entry) || as_bytes && holds_bytes(entry);
    let out = Array::new();
    let mut rest = entries;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |(at, entry): &(usize, &&Value)| {
            let is_full = needs_batch(*at, bytes);
            bytes += bytes_of(entry);
            !is_full
        };
        let (some, behind) = rest.split_at(rest.iter().enumerate().take_while(fits).count());
        rest = behind;
        let short: Vec<Option<&Value>> =
            some.iter().map(|entry| (!is_long(entry)).then_some(*entry)).collect();
        let objects: Array = to_js(&short)?.unchecked_into();
        for (at, entry) in some.iter().enumerate().filter(|(at, _)| short[*at].is_none()) {
            objects.set(at as u32, entry_to_js(entry, as_bytes)?);
        }
        append(&out, &objects)?;
    }
    Ok(out)
}

/// The bytes of all texts in it.
pub fn bytes_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(list) => list.iter().map(bytes_of).sum(),
        Value::Object(map) => map.values().map(bytes_of).sum(),
        _ => 0,
    }
}

/// Whether it contains a text that is passed on its own.
fn is_long(value: &Value) -> bool {
    const LONG: usize = 4096;
    match value {
        Value::String(text) => text.len() >= LONG,
        Value::Array(list) => list.iter().any(is_long),
        Value::Object(map) => map.values().any(is_long) && !map.contains_key("__proto__"), // setting `__proto__` would not make a property
        _ => false,
    }
}

/// Converts a small flat record to a plain JavaScript object, without JSON text, which is faster only for nested data.
pub fn flat_to_js<T: Serialize + ?Sized>(record: &T) -> Result<JsValue, JsValue> {
    record
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .map_err(|e| Error::new(ErrorCode::Internal, format!("a record could not be written: {e}")).into())
}

/// Adds a lazy field to an object: it is computed when first read, and behaves like a plain field from then on.
pub fn when_read(
    object: &Object,
    key: &str,
    read: impl Fn() -> Result<JsValue, JsValue> + 'static,
) -> Result<(), JsValue> {
    let made: Rc<RefCell<Option<JsValue>>> = Rc::default();
    let given = made.clone();
    let getter: Closure<dyn Fn() -> Result<JsValue, JsValue>> = Closure::new(move || {
        // Cloned, so that no borrow is held while JavaScript runs.
        let known = made.borrow().clone();
        if let Some(value) = known {
            return Ok(value);
        }
        let value = read()?;
        made.replace(Some(value.clone()));
        Ok(value)
    });
    let setter: Closure<dyn Fn(JsValue)> = Closure::new(move |value: JsValue| {
        given.replace(Some(value));
    });
    let field = Object::new();
    set(&field, "get", &getter.into_js_value())?;
    set(&field, "set", &setter.into_js_value())?;
    set(&field, "enumerable", &JsValue::TRUE)?;
    set(&field, "configurable", &JsValue::TRUE)?;
    Object::define_property(object, &key.into(), &field);
    Ok(())
}

/// The elements of a list; `None` if it is not a list. Errors thrown by a proxy are returned: an exception that passed through this
/// module would leave its borrows open for ever.
pub fn list_in(value: &JsValue) -> Result<Option<Vec<JsValue>>, JsValue> {
    if !try_is_array(value)? {
        return Ok(None);
    }
    Ok(Some(try_copy_list(value)?.iter().collect()))
}

/// The elements of a list, or the single value.
pub fn elements(value: &JsValue) -> Result<Vec<JsValue>, JsValue> {
    Ok(list_in(value)?.unwrap_or_else(|| vec![value.clone()]))
}

/// The names of an object's own properties. An error thrown by a proxy is returned.
pub fn keys_of(object: &JsValue) -> Result<Array, JsValue> {
    try_keys(object)
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = Object, js_name = assign)]
    fn try_assign(target: &Object, source: &JsValue) -> Result<Object, JsValue>;

    #[wasm_bindgen(catch, js_namespace = Array, js_name = isArray)]
    fn try_is_array(value: &JsValue) -> Result<bool, JsValue>;

    #[wasm_bindgen(catch, js_namespace = Array, js_name = from)]
    fn try_copy_list(list: &JsValue) -> Result<Array, JsValue>;

    #[wasm_bindgen(catch, js_namespace = Object, js_name = keys)]
    fn try_keys(object: &JsValue) -> Result<Array, JsValue>;
}

/// A copy of an object's own properties. An error thrown by a getter is returned.
pub fn copy_of(object: &JsValue) -> Result<Object, JsValue> {
    try_assign(&Object::new(), object)
}

/// Whether it is a list; false for a revoked proxy.
pub fn is_list(value: &JsValue) -> bool {
    try_is_array(value).unwrap_or(false)
}

/// The property of an object; `None` if it is `undefined` or `null`, or if the value is not an object.
pub fn get(object: &JsValue, key: &str) -> Result<Option<JsValue>, JsValue> {
    if !object.is_object() && !object.is_function() {
        return Ok(None);
    }
    let value = Reflect::get(object, &JsValue::from_str(key))?;
    Ok((!value.is_undefined() && !value.is_null()).then_some(value))
}

/// Sets a property of an object that we made.
pub fn set(object: &JsValue, key: &str, value: &JsValue) -> Result<(), JsValue> {
    Reflect::set(object, &JsValue::from_str(key), value).map(|_| ())
}
