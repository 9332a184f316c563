//! The wasm shell in Node: `cargo test --target wasm32-unknown-unknown --test node`.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod shell;

use contextfold::wasm::{context_error, set_error_class};
use contextfold::{Error, ErrorCode};
use js_sys::{Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

fn get(target: &JsValue, key: &str) -> JsValue {
    Reflect::get(target, &key.into()).unwrap()
}

#[wasm_bindgen_test]
fn every_error_code_is_on_a_real_error_object() {
    for code in ErrorCode::ALL {
        let error = JsValue::from(Error::new(code, "what to do"));
        let error: js_sys::Error = error.dyn_into().expect("an instance of Error");
        assert_eq!(error.name(), "ContextError");
        assert_eq!(error.message(), "what to do");
        assert_eq!(get(&error, "code"), code.as_str());
    }
}

#[wasm_bindgen_test]
fn the_registered_error_class_is_thrown() {
    let class = Function::new_no_args(
        "return class Ours { constructor(code, message, more) { Object.assign(this, { code, message }, more) } }",
    );
    let class: Function = class.call0(&JsValue::NULL).unwrap().unchecked_into();
    set_error_class(class.clone());
    let cause = JsValue::from_str("the callback threw this");
    let error = context_error(&Error::argument("no such thing"), Some(&cause), None);
    assert_eq!(get(&error, "constructor"), JsValue::from(class));
    assert_eq!(get(&error, "code"), "INVALID_ARGUMENT");
    assert_eq!(get(&error, "message"), "no such thing");
    assert_eq!(get(&error, "cause"), cause);
    assert!(!Reflect::has(&error, &"report".into()).unwrap());
    // An error class that throws must not hide the error.
    let broken: Function = Function::new_no_args("return class { constructor() { throw 1 } }")
        .call0(&JsValue::NULL)
        .unwrap()
        .unchecked_into();
    set_error_class(broken);
    let error = JsValue::from(Error::argument("still here"));
    assert_eq!(get(&error, "message"), "still here");
}
