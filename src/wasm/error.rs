//! Our [`Error`] as a JavaScript error: the package's `ContextError`.

use std::cell::RefCell;

use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::Error;

thread_local! {
    static ERROR_CLASS: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Sets the class of thrown errors: `new ContextError(code, message, { cause, report })`.
///
/// Called once by the package's entry points when the module starts. Without it, errors are plain `Error`s with
/// the same `name`, `code`, `cause` and `report`.
#[wasm_bindgen(js_name = setErrorClass, skip_typescript)]
pub fn set_error_class(class: Function) {
    ERROR_CLASS.with_borrow_mut(|slot| *slot = Some(class));
}

/// The JavaScript error for `error`. `cause` is what a callback threw, `report` the report of the failed run.
pub fn context_error(error: &Error, cause: Option<&JsValue>, report: Option<&JsValue>) -> JsValue {
    let code = JsValue::from_str(error.code().as_str());
    let details = Object::new();
    for (key, value) in [("cause", cause), ("report", report)] {
        if let Some(value) = value {
            set(&details, key, value);
        }
    }
    // Cloned, so that no borrow is held while JavaScript runs.
    let class = ERROR_CLASS.with_borrow(Clone::clone);
    let made = class.and_then(|class| {
        let args = Array::of3(&code, &JsValue::from_str(error.message()), &details);
        Reflect::construct(&class, &args).ok()
    });
    made.unwrap_or_else(|| {
        let plain = js_sys::Error::new(error.message());
        set(&plain, "name", &JsValue::from_str("ContextError"));
        set(&plain, "code", &code);
        Object::assign(&plain, &details).into()
    })
}

impl From<Error> for JsValue {
    fn from(error: Error) -> Self {
        context_error(&error, None, None)
    }
}

/// `Reflect.set` on an object made here. It cannot fail, since the object is neither frozen nor a proxy.
fn set(target: &JsValue, key: &str, value: &JsValue) {
    let done = Reflect::set(target, &JsValue::from_str(key), value);
    debug_assert!(done.is_ok());
}
