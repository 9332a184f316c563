//! The caller's store, as an argument or option. `pkg/host/store.js` reads and writes it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::value::get;
use crate::context::NodeSet;
use crate::error::Error;
use crate::tool_output::ToolOutputs;

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

/// The store of a session's tool outputs, and what is between it and memory.
#[derive(Default)]
pub struct OutputStore {
    /// The option `store`, or else the store the session was loaded from or first saved in.
    pub own: RefCell<Option<Store>>,
    /// Whether a batch of outputs is being moved into the store.
    pub moving: Cell<bool>,
    /// When memory holds this many bytes of outputs, they are checked again for what can be moved.
    pub look_at: Cell<u64>,
    /// Messages whose objects are no longer needed, since their outputs have left memory.
    pub gone: RefCell<NodeSet>,
    /// The output that was read last from the store, with its key.
    pub fetched: RefCell<Option<(String, Rc<ToolOutputs>)>>,
}

impl OutputStore {
    pub fn new(own: Option<Store>) -> Self {
        Self { own: RefCell::new(own), ..Self::default() }
    }

    /// Drops what was read from the store.
    pub fn forget_fetched(&self) {
        self.fetched.take();
    }
}
