//! The caller's store. What it returns is checked, and what it throws becomes `STORE_FAILED`.

use js_sys::{Array, Function, JsString, Object, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::arguments::whole;
use super::error::context_error;
use super::maker::journals;
use super::text_pieces::bytes_of;
use super::thrown::code_of;
use super::value::{get, set};
use crate::error::{Error, ErrorCode};
use crate::saved::{Records, from_base64};

/// An `unstorage` instance, or any object with its methods.
#[derive(Clone)]
pub struct Store(JsValue);

const NOT_ATOMIC: &str = "the session's store has no `compareAndSet`: if two processes save the session at the same moment, the later save wins and the other is lost (docs/stores.md)";

/// What a store holds under a key, as far as it was requested.
pub struct Journal {
    pub position: u64,
    /// `None` if the caller already has it.
    pub snapshot: Option<Vec<u8>>,
    pub snapshot_position: u64,
    pub records: Vec<u8>,
    /// A notice from the store itself.
    pub notice: Option<String>,
}

impl Store {
    /// Wraps a value if it is a store. `name` is the name of the argument or option.
    pub fn of(value: &JsValue, name: &str) -> Result<Self, Error> {
        let store = Self(value.clone());
        let missing = ["getItem", "setItem", "removeItem"].into_iter().find(|method| !store.has(method));
        match missing {
            None => Ok(store),
            Some(method) => Err(Error::argument(format!(
                "`{name}`: expected a store with getItem, setItem and removeItem; it has no `{method}`"
            ))),
        }
    }

    /// Whether both are the very same object.
    pub fn is(&self, other: &Self) -> bool {
        Object::is(&self.0, &other.0)
    }

    /// Reads a text; `None` if there is none.
    pub async fn text(&self, key: &str) -> Result<Option<String>, JsValue> {
        let value = self.call("getItem", key, &[]).await?;
        if value.is_null() || value.is_undefined() {
            return Ok(None);
        }
        value.as_string().map(Some).ok_or_else(|| invalid_answer("getItem", key, &value))
    }

    /// Stores a text.
    pub async fn put_text(&self, key: &str, text: &str) -> Result<(), JsValue> {
        self.call("setItem", key, &[text.into()]).await.map(|_| ())
    }

    /// Reads bytes; `None` if there are none.
    pub async fn bytes(&self, key: &str) -> Result<Option<Vec<u8>>, JsValue> {
        let method = if self.has_raw() { "getItemRaw" } else { "getItem" };
        let value = self.call(method, key, &[]).await?;
        if value.is_null() || value.is_undefined() {
            return Ok(None);
        }
        let bytes = bytes_of(&value).map(|bytes| bytes.to_vec());
        let buffer = || value.dyn_ref::<js_sys::ArrayBuffer>().map(|b| Uint8Array::new(b).to_vec());
        let text = || value.dyn_ref::<JsString>().and_then(bytes_of_text);
        bytes.or_else(buffer).or_else(text).map(Some).ok_or_else(|| invalid_answer(method, key, &value))
    }

    /// Stores bytes: as they are, or as base64 if the store takes only text. Storing the same bytes again renews their age, so that a
    /// sweep of the store spares them.
    pub async fn put_bytes(&self, key: &str, bytes: &Uint8Array) -> Result<(), JsValue> {
        self.journal("setItemRaw", key, &[bytes.into()]).await.map(|_| ())
    }

    /// Removes an item.
    pub async fn remove(&self, key: &str) -> Result<(), JsValue> {
        self.call("removeItem", key, &[]).await.map(|_| ())
    }

    /// Stores `next` if the current value is `expected`. If the store cannot do that in one step, it is read first: then two
    /// processes that do this at the same instant may both get `true`.
    pub async fn swap(
        &self,
        key: &str,
        expected: Option<&str>,
        next: &str,
        ttl_ms: Option<f64>,
    ) -> Result<bool, JsValue> {
        if !self.swaps_atomically() {
            if self.text(key).await?.as_deref() != expected {
                return Ok(false);
            }
            self.put_text(key, next).await?;
            return Ok(self.text(key).await?.as_deref() == Some(next));
        }
        let options = Object::new();
        if let Some(ttl) = ttl_ms {
            set(&options, "ttlMs", &ttl.into())?;
        }
        let expected = expected.map_or(JsValue::NULL, JsValue::from_str);
        let done = self.call("compareAndSet", key, &[expected, next.into(), options.into()]).await?;
        done.as_bool().ok_or_else(|| invalid_answer("compareAndSet", key, &done))
    }

    /// Reads what is saved under a key, only what comes after `from` if that is given; `None` if nothing is saved.
    pub async fn read(&self, key: &str, from: Option<u64>) -> Result<Option<Journal>, JsValue> {
        let more: Vec<JsValue> = from.map(|from| JsValue::from(from as f64)).into_iter().collect();
        let value = self.journal("read", key, &more).await?;
        if value.is_null() || value.is_undefined() {
            return Ok(None);
        }
        let wrong = || invalid_answer("read", key, &value);
        let field = |name: &str| get(&value, name).map_err(|_| wrong());
        let number = |name: &str| whole(&field(name)?.unwrap_or_default(), name).map_err(|_| wrong());
        let bytes =
            |name: &str| Ok::<_, JsValue>(field(name)?.and_then(|value| Some(bytes_of(&value)?.to_vec())));
        let journal = Journal {
            position: number("position")?,
            snapshot: bytes("snapshot")?,
            snapshot_position: number("snapshotPosition")?,
            records: bytes("records")?.ok_or_else(wrong)?,
            notice: field("notice")?.and_then(|notice| notice.as_string()),
        };
        let asked_for = from.is_none_or(|from| from < journal.snapshot_position);
        if asked_for && journal.snapshot.is_none() {
            return Err(wrong());
        }
        Ok(Some(journal))
    }

    /// Appends records after the last one, if the journal's position is `expected`.
    pub async fn append(&self, key: &str, expected: u64, records: &[u8]) -> Result<(), JsValue> {
        let each: Array =
            Records::frames(records).map(|frame| JsValue::from(Uint8Array::from(frame))).collect();
        self.journal("append", key, &[(expected as f64).into(), each.into()]).await.map(|_| ())
    }

    /// Replaces what is there by a snapshot.
    pub async fn replace(
        &self,
        key: &str,
        expected: Option<u64>,
        snapshot: &Uint8Array,
        position: u64,
    ) -> Result<(), JsValue> {
        let expected = expected.map_or(JsValue::NULL, |expected| (expected as f64).into());
        let more = [expected, snapshot.into(), (position as f64).into()];
        self.journal("replace", key, &more).await.map(|_| ())
    }

    async fn journal(&self, method: &str, key: &str, more: &[JsValue]) -> Result<JsValue, JsValue> {
        let journals = JsFuture::from(journals(&self.0)?).await?;
        Self(journals).call(method, key, more).await
    }

    /// Whether it compares and sets atomically, so that its answer can be trusted.
    pub fn swaps_atomically(&self) -> bool {
        self.has("compareAndSet")
    }

    /// A notice if the store cannot save atomically.
    pub fn notice(&self) -> Option<String> {
        let promises = self.swaps_atomically() || self.has("append");
        (!promises).then(|| NOT_ATOMIC.to_owned())
    }

    fn has_raw(&self) -> bool {
        self.has("getItemRaw") && self.has("setItemRaw")
    }

    fn has(&self, method: &str) -> bool {
        get(&self.0, method).ok().flatten().is_some_and(|f| f.is_function())
    }

    async fn call(&self, method: &str, key: &str, more: &[JsValue]) -> Result<JsValue, JsValue> {
        let arguments = Array::of1(&key.into());
        for argument in more {
            arguments.push(argument);
        }
        let called = get(&self.0, method).and_then(|f| {
            let function: Function = f.unwrap_or_default().dyn_into()?;
            function.apply(&self.0, &arguments)
        });
        let settled = match called {
            Ok(answer) => JsFuture::from(Promise::resolve(&answer)).await,
            Err(thrown) => Err(thrown),
        };
        settled.map_err(|cause| match code_of(&cause).as_deref() {
            Some("STORE_CONFLICT" | "STORE_FAILED") => cause, // our own stores already report the right code
            _ => failed(&format!("its `{method}` failed for `{key}`"), Some(&cause)),
        })
    }
}

/// How many bytes are decoded at a time, since WebAssembly memory never shrinks.
const PIECE: u32 = 3 << 14;

/// The bytes of a base64 text; `None` for any other text.
fn bytes_of_text(text: &JsString) -> Option<Vec<u8>> {
    let piece = PIECE / 3 * 4;
    let mut bytes = Vec::with_capacity(text.length() as usize / 4 * 3);
    for at in (0..text.length()).step_by(piece as usize) {
        let end = (at + piece).min(text.length());
        let read = from_base64(&String::from(text.slice(at, end)))?;
        let is_cut_off = end < text.length() && read.len() < PIECE as usize;
        bytes.extend((!is_cut_off).then_some(read)?);
    }
    Some(bytes)
}

/// A `STORE_FAILED` error.
pub fn failed(what: &str, cause: Option<&JsValue>) -> JsValue {
    let why = format!("the store failed: {what}. Nothing in memory is lost; try again when the store works");
    context_error(&Error::new(ErrorCode::StoreFailed, why), cause, None)
}

fn invalid_answer(method: &str, key: &str, value: &JsValue) -> JsValue {
    failed(&format!("its `{method}` returned data for `{key}` that was never stored"), Some(value))
}
