use std::cell::{Cell, RefCell};

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;

use super::signal::{AbortController, AbortSignal};
use super::value::get;
use crate::error::{Error, ErrorCode};

/// Whether the session object was freed: as a flag, and as a promise that rejects at that moment.
pub struct Freed {
    pub is: Cell<bool>,
    /// Pending for as long as the session lives.
    pub promise: Promise,
    reject: Function,
    /// Signals it to the background's callback.
    controller: RefCell<Option<AbortController>>,
}

impl Freed {
    pub fn new() -> Self {
        let mut reject = JsValue::UNDEFINED;
        let promise = Promise::new(&mut |_resolve, rejects: Function| reject = rejects.into());
        Self {
            is: Cell::new(false),
            promise,
            reject: reject.unchecked_into(),
            controller: RefCell::default(),
        }
    }

    /// A signal that fires when the session is freed.
    pub fn signal(&self) -> std::result::Result<AbortSignal, JsValue> {
        if self.controller.borrow().is_none() {
            let made = AbortController::new()?;
            *self.controller.borrow_mut() = Some(made);
        }
        let controller = self.controller.borrow().clone();
        controller.map(|c| c.signal()).ok_or_else(|| freed_error().into())
    }

    /// Marks it as freed, and ends what waits for that.
    pub fn set(&self) {
        self.is.set(true);
        // If nobody is waiting, the rejection must not count as unhandled.
        let ignore = Closure::once_into_js(|_: JsValue| {});
        if let Ok(Some(catch)) = get(&self.promise, "catch") {
            let _ = catch.unchecked_into::<Function>().call1(&self.promise, &ignore);
        }
        // Rejecting a promise cannot throw.
        let _ = self.reject.call1(&JsValue::UNDEFINED, &freed_error().into());
        let controller = self.controller.borrow_mut().take();
        if let Some(controller) = controller {
            controller.abort(&freed_error().into());
        }
    }
}

/// The error for a session that the caller has freed.
pub fn freed_error() -> Error {
    Error::new(ErrorCode::Freed, "the session was freed (`free()` or `using`): create a new one")
}
