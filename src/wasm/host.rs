//! What a session does outside the module: `pkg/host` waits for callbacks, stores and time. The module itself is synchronous.
//! The functions that take an object of a session are declared where that object is.

use std::cell::OnceCell;

use wasm_bindgen::prelude::*;

use crate::error::{Error, ErrorCode};

#[wasm_bindgen]
extern "C" {
    /// The JavaScript object with these functions.
    pub type Host;

    /// What it keeps for a session.
    #[wasm_bindgen(method, js_name = newState)]
    pub fn new_state(this: &Host) -> JsValue;
    /// A session was forked.
    #[wasm_bindgen(method)]
    pub fn branched(this: &Host, state: &JsValue, branch: &JsValue);
    /// The session was freed: what waits for it ends with this error.
    #[wasm_bindgen(method)]
    pub fn freed(this: &Host, state: &JsValue, error: &JsValue);
}

thread_local! {
    static HOST: OnceCell<Host> = const { OnceCell::new() };
}

/// Called once by the package's entry points when the module starts.
#[wasm_bindgen(js_name = setHost, skip_typescript)]
pub fn set_host(host: Host) {
    HOST.with(|slot| drop(slot.set(host)));
}

/// Calls a function of the host. Fails for a module that was loaded without the package's own entry points.
pub fn host<T>(call: impl FnOnce(&Host) -> T) -> Result<T, JsValue> {
    HOST.with(|slot| slot.get().map(call)).ok_or_else(|| {
        Error::new(ErrorCode::NotInitialized, "load the module through the package's entry points").into()
    })
}
