//! `AbortSignal`, which ends a wait. The waiting itself is in `pkg/host/wait.js`.

use wasm_bindgen::prelude::*;

use super::value::get;
use crate::error::Error;

#[wasm_bindgen]
extern "C" {
    /// The platform's `AbortSignal`.
    #[wasm_bindgen(typescript_type = "AbortSignal")]
    #[derive(Clone)]
    pub type AbortSignal;

    #[wasm_bindgen(method, getter)]
    fn aborted(this: &AbortSignal) -> bool;
    #[wasm_bindgen(method, getter)]
    fn reason(this: &AbortSignal) -> JsValue;
}

impl AbortSignal {
    /// The `signal` of an options object.
    pub fn of(options: &JsValue) -> Result<Option<Self>, JsValue> {
        let Some(signal) = get(options, "signal")? else { return Ok(None) };
        let listens = get(&signal, "addEventListener")?.is_some_and(|f| f.is_function());
        if !listens || get(&signal, "aborted")?.is_none_or(|a| a.as_bool().is_none()) {
            return Err(Error::argument("`signal`: expected an AbortSignal").into());
        }
        Ok(Some(signal.unchecked_into()))
    }

    /// Whether it has fired.
    pub fn has_fired(&self) -> bool {
        self.aborted()
    }

    /// The reason it was given.
    pub fn why(&self) -> JsValue {
        self.reason()
    }
}
