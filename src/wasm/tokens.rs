//! Exact encodings for the package's `Encoding` objects (pkg/encoding.js).
//!
//! Text is not passed as an argument: `TextEncoder.encodeInto` writes it into a permanent buffer of ours
//! ([`encoding_room`]), which is several times faster than the bindings' own way.

use std::cell::RefCell;
use std::sync::Arc;

use js_sys::{Reflect, Symbol};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::arguments::text;
use crate::error::{Error, ErrorCode};
use crate::tokens::{Counter, Encoding, encoding_for_model};

thread_local! {
    static ROOM: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// Every loaded encoding, shared by all sessions. An encoding's handle is its index here.
    static LOADED: RefCell<Vec<Arc<Encoding>>> = const { RefCell::new(Vec::new()) };
}

/// The property that marks an `Encoding` object; it holds the handle.
const BRAND: &str = "contextfold.encoding";

/// Returns a buffer of at least `bytes` bytes, valid until the next call. 0 frees the buffer.
#[wasm_bindgen(js_name = encodingRoom, skip_typescript)]
pub fn encoding_room(bytes: usize) -> *const u8 {
    ROOM.with_borrow_mut(|room| {
        if bytes == 0 || room.len() < bytes {
            *room = Vec::new(); // free the old one first, so that both never exist at once
            *room = vec![0; bytes];
        }
        room.as_ptr()
    })
}

/// The handle of an encoding if it, or another one with the same asset, is loaded.
#[wasm_bindgen(js_name = encodingLoaded, skip_typescript)]
pub fn encoding_loaded(name: &str) -> Option<u32> {
    LOADED.with_borrow_mut(|loaded| {
        if let Some(at) = loaded.iter().position(|encoding| encoding.name() == name) {
            return Some(at as u32);
        }
        let twin = loaded.iter().find_map(|encoding| encoding.with_name(name))?;
        loaded.push(Arc::new(twin));
        Some(loaded.len() as u32 - 1)
    })
}

/// The counter of an encoding, if it is loaded.
pub fn loaded_counter(name: &str) -> Option<Counter> {
    let at = encoding_loaded(name)?;
    LOADED.with_borrow(|loaded| loaded.get(at as usize).map(|encoding| encoding.clone() as Counter))
}

/// Loads the asset in the first `length` bytes of the buffer, and takes the buffer.
#[wasm_bindgen(js_name = encodingLoad, skip_typescript)]
pub fn encoding_load(name: &str, length: usize) -> Result<u32, JsValue> {
    let mut bytes = ROOM.take();
    bytes.truncate(length);
    let encoding = Encoding::new(name, bytes)?;
    Ok(LOADED.with_borrow_mut(|loaded| {
        loaded.push(Arc::new(encoding));
        loaded.len() as u32 - 1
    }))
}

/// The result of counting with an unknown handle. It is a plain number because a `Result` would come to JavaScript as an array,
/// which costs as much as counting a short text.
const NO_ENCODING: f64 = -2.0;

/// Tokens of the first `length` bytes of the buffer.
#[wasm_bindgen(js_name = encodingCount, skip_typescript)]
pub fn encoding_count(handle: u32, length: usize) -> f64 {
    with_text(handle, length, |encoding, text| encoding.count_bytes(text) as f64).unwrap_or(NO_ENCODING)
}

/// Like `encoding_count`, up to a limit of at least 0; −1 if there are more.
#[wasm_bindgen(js_name = encodingCountUpTo, skip_typescript)]
pub fn encoding_count_up_to(handle: u32, length: usize, limit: f64) -> f64 {
    let counted = with_text(handle, length, |encoding, text| encoding.count_bytes_up_to(text, limit as u64));
    counted.map_or(NO_ENCODING, |within| within.map_or(-1.0, |n| n as f64))
}

/// The tokens of the first `length` bytes of the buffer.
#[wasm_bindgen(js_name = encodingEncode, skip_typescript)]
pub fn encoding_encode(handle: u32, length: usize) -> Result<Vec<u32>, JsValue> {
    with_text(handle, length, Encoding::encode_bytes).ok_or_else(module_freed_error)
}

/// The text of tokens.
#[wasm_bindgen(js_name = encodingDecode, skip_typescript)]
pub fn encoding_decode(handle: u32, tokens: &[u32]) -> Result<String, JsValue> {
    Ok(encoding(handle)?.decode(tokens)?)
}

/// The encoding that tiktoken uses for a model's name: `o200k_base` for `gpt-5-mini`. Pass the result to `loadEncoding`.
///
/// @throws {ContextError} `UNKNOWN_MODEL` for a model that tiktoken does not know, including models whose tokenizer is not
/// public (Claude, Gemini …): nothing counts those exactly, so use the estimate.
#[wasm_bindgen(js_name = encodingForModel, unchecked_return_type = "EncodingName")]
pub fn encoding_name_for_model(
    #[wasm_bindgen(unchecked_param_type = "string")] model: JsValue,
) -> Result<String, JsValue> {
    Ok(encoding_for_model(&text(&model, "model")?)?.to_owned())
}

/// The counter behind an `Encoding` object; `None` for any other value.
pub fn counter_of(value: &JsValue) -> Option<Counter> {
    if !value.is_object() {
        return None;
    }
    let handle = Reflect::get(value, &Symbol::for_(BRAND)).ok()?.as_f64()?;
    LOADED.with_borrow(|loaded| loaded.get(handle as usize).map(|encoding| encoding.clone() as Counter))
}

fn encoding(handle: u32) -> Result<Arc<Encoding>, JsValue> {
    LOADED.with_borrow(|loaded| loaded.get(handle as usize).cloned()).ok_or_else(module_freed_error)
}

fn module_freed_error() -> JsValue {
    Error::new(ErrorCode::Freed, "this encoding belongs to a module that was unloaded; load it again").into()
}

/// `None` for an unknown handle.
fn with_text<T>(handle: u32, length: usize, count: impl FnOnce(&Encoding, &[u8]) -> T) -> Option<T> {
    LOADED.with_borrow(|loaded| {
        let encoding = loaded.get(handle as usize)?;
        Some(ROOM.with_borrow(|room| count(encoding, room.get(..length).unwrap_or_default())))
    })
}
