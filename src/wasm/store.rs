//! The caller's store, as an argument or option. `pkg/host/store.js` reads and writes it.

use wasm_bindgen::prelude::*;

use super::value::get;
use crate::error::Error;

/// An `unstorage` instance, or any object with its methods.
#[derive(Clone)]
pub struct Store(JsValue);

impl Store {
    /// Wraps a value if it is a store. `name` is the name of the argument or option.
    pub fn of(value: &JsValue, name: &str) -> Result<Self, Error> {
        let has = |method: &str| get(value, method).ok().flatten().is_some_and(|f| f.is_function());
        match ["getItem", "setItem", "removeItem"].into_iter().find(|method| !has(method)) {
            None => Ok(Self(value.clone())),
            Some(method) => Err(Error::argument(format!(
                "`{name}`: expected a store with getItem, setItem and removeItem; it has no `{method}`"
            ))),
        }
    }

    /// The caller's object.
    pub fn object(&self) -> &JsValue {
        &self.0
    }
}
