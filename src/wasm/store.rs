//! A store of the caller's: what it gives is checked, and what it throws becomes `STORE_FAILED`.

use js_sys::{Array, Function, JsString, Object, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::error::context_error;
use super::journal::whole;
use super::maker::journals;
use super::text_pieces::bytes_of;
use super::value::{get, set};
use crate::error::{Error, ErrorCode};
use crate::saved::{Records, from_base64};

/// An `unstorage` instance, or whatever has its methods.
#[derive(Clone)]
pub struct Store(JsValue);

const NOT_AT_ONCE: &str = "the session's store has no `compareAndSet`: where two processes save it at the same instant, the later save stays, and the other is lost (docs/stores.md)";

/// What a store holds under a key, as far as it was asked for.
pub struct Journal {
    pub position: u64,
    /// `None` where the asker has it already.
    pub snapshot: Option<Vec<u8>>,
    pub snapshot_position: u64,
    pub records: Vec<u8>,
    /// What the store has to say of it.
    pub notice: Option<String>,
}

impl Store {
    /// The store, if it is one. `name` is the argument's or the option's.
    pub fn of(value: &JsValue, name: &str) -> Result<Self, Error> {
        let store = Self(value.clone());
        let missing = ["getItem", "setItem", "removeItem"].into_iter().find(|method| !store.has(method));
        match missing {
            None => Ok(store),
            Some(method) => Err(Error::argument(format!(
                "`{name}`: expected a store, with getItem, setItem and removeItem; it has no `{method}`"
            ))),
        }
    }

    /// Whether it is the very same object.
    pub fn is(&self, other: &Self) -> bool {
        Object::is(&self.0, &other.0)
    }

    /// A text; `None` where there is nothing.
    pub async fn text(&self, key: &str) -> Result<Option<String>, JsValue> {
        let value = self.call("getItem", key, &[]).await?;
        if value.is_null() || value.is_undefined() {
            return Ok(None);
        }
        value.as_string().map(Some).ok_or_else(|| rubbish("getItem", key, &value))
    }

    /// Puts a text in.
    pub async fn put_text(&self, key: &str, text: &str) -> Result<(), JsValue> {
        self.call("setItem", key, &[text.into()]).await.map(|_| ())
    }

    /// Bytes; `None` where there is nothing.
    pub async fn bytes(&self, key: &str) -> Result<Option<Vec<u8>>, JsValue> {
        let method = if self.has_raw() { "getItemRaw" } else { "getItem" };
        let value = self.call(method, key, &[]).await?;
        if value.is_null() || value.is_undefined() {
            return Ok(None);
        }
        let bytes = bytes_of(&value).map(|bytes| bytes.to_vec());
        let buffer = || value.dyn_ref::<js_sys::ArrayBuffer>().map(|b| Uint8Array::new(b).to_vec());
        let text = || value.dyn_ref::<JsString>().and_then(bytes_of_text);
        bytes.or_else(buffer).or_else(text).map(Some).ok_or_else(|| rubbish(method, key, &value))
    }

    /// Puts bytes in: as they are, or as base64 where the store has text alone. To put them again makes them new again, for who
    /// sweeps the store.
    pub async fn put_bytes(&self, key: &str, bytes: &Uint8Array) -> Result<(), JsValue> {
        self.journal("setItemRaw", key, &[bytes.into()]).await.map(|_| ())
    }

    /// Takes an item out.
    pub async fn remove(&self, key: &str) -> Result<(), JsValue> {
        self.call("removeItem", key, &[]).await.map(|_| ())
    }

    /// Puts `next` in if `expected` is what is there. Where the store cannot do both in one, it is asked first: then two
    /// processes that do it at the same instant may both be told that they did it.
    pub async fn swap(
        &self,
        key: &str,
        expected: Option<&str>,
        next: &str,
        ttl_ms: Option<f64>,
    ) -> Result<bool, JsValue> {
        if !self.swaps_at_once() {
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
        done.as_bool().ok_or_else(|| rubbish("compareAndSet", key, &done))
    }

    /// What is saved under a key, behind a position where one is given; `None` where nothing is.
    pub async fn read(&self, key: &str, from: Option<u64>) -> Result<Option<Journal>, JsValue> {
        let more: Vec<JsValue> = from.map(|from| JsValue::from(from as f64)).into_iter().collect();
        let value = self.journal("read", key, &more).await?;
        if value.is_null() || value.is_undefined() {
            return Ok(None);
        }
        let wrong = || rubbish("read", key, &value);
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

    /// Puts records behind the last one, where the journal stands at `expected`.
    pub async fn append(&self, key: &str, expected: u64, records: &[u8]) -> Result<(), JsValue> {
        let each: Array =
            Records::frames(records).map(|frame| JsValue::from(Uint8Array::from(frame))).collect();
        self.journal("append", key, &[(expected as f64).into(), each.into()]).await.map(|_| ())
    }

    /// Puts a snapshot in the place of what is there.
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

    /// It compares and sets in one step: what it says of that is so.
    pub fn swaps_at_once(&self) -> bool {
        self.has("compareAndSet")
    }

    /// What such a store cannot promise.
    pub fn notice(&self) -> Option<String> {
        let promises = self.swaps_at_once() || self.has("append");
        (!promises).then(|| NOT_AT_ONCE.to_owned())
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
            Some("STORE_CONFLICT" | "STORE_FAILED") => cause, // a store of ours says itself what it is
            _ => failed(&format!("its `{method}` failed for `{key}`"), Some(&cause)),
        })
    }
}

/// The code of an error of ours.
pub fn code_of(error: &JsValue) -> Option<String> {
    get(error, "code").ok().flatten().and_then(|code| code.as_string())
}

/// So many bytes become text at a time: what the module takes for it, it keeps.
const PIECE: u32 = 3 << 14;

/// The bytes of a text in base64; `None` for any other.
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

/// `STORE_FAILED`.
pub fn failed(what: &str, cause: Option<&JsValue>) -> JsValue {
    let why = format!(
        "the store cannot be used: {what}. Nothing in memory is lost; try again when the store is in order"
    );
    context_error(&Error::new(ErrorCode::StoreFailed, why), cause, None)
}

fn rubbish(method: &str, key: &str, value: &JsValue) -> JsValue {
    failed(&format!("its `{method}` gave what was never stored, for `{key}`"), Some(value))
}
