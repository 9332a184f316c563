//! The wasm shell in a real browser: `cargo test --target wasm32-unknown-unknown --test web`.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod shell;

use contextfold::{Error, ErrorCode};
use js_sys::Reflect;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn errors_carry_their_code_in_a_page() {
    assert!(Reflect::has(&js_sys::global(), &"document".into()).unwrap());
    let error = JsValue::from(Error::new(ErrorCode::UnknownModel, "name a known model"));
    let error: js_sys::Error = error.dyn_into().expect("an instance of Error");
    assert_eq!(Reflect::get(&error, &"code".into()).unwrap(), "UNKNOWN_MODEL");
    assert_eq!(error.message(), "name a known model");
}

#[wasm_bindgen_test]
fn the_module_reports_its_version() {
    assert_eq!(contextfold::wasm::version(), env!("CARGO_PKG_VERSION"));
}
