//! `AbortSignal`: ending a wait.

use js_sys::{Array, Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::error::context_error;
use super::thrown::code_of;
use super::value::get;
use crate::error::{Error, ErrorCode};

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
    #[wasm_bindgen(method, catch, js_name = addEventListener)]
    fn add_event_listener(this: &AbortSignal, name: &str, listener: &Function) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = removeEventListener)]
    fn remove_event_listener(this: &AbortSignal, name: &str, listener: &Function) -> Result<(), JsValue>;

    /// The platform's `AbortController`.
    #[derive(Clone)]
    pub type AbortController;

    #[wasm_bindgen(constructor, catch)]
    pub fn new() -> Result<AbortController, JsValue>;
    #[wasm_bindgen(method, getter)]
    pub fn signal(this: &AbortController) -> AbortSignal;
    #[wasm_bindgen(method)]
    pub fn abort(this: &AbortController, reason: &JsValue);
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

/// Fails with `ABORTED`, with the signal's reason as `cause`, if the signal has fired.
pub fn refuse_aborted(signal: Option<&AbortSignal>) -> Result<(), JsValue> {
    match signal {
        Some(signal) if signal.aborted() => Err(aborted(signal)),
        _ => Ok(()),
    }
}

/// Waits for `promise` until the signal fires or `end`, a promise that only ever rejects, rejects.
pub async fn wait(
    promise: Promise,
    signal: Option<&AbortSignal>,
    end: Option<&Promise>,
) -> Result<JsValue, JsValue> {
    if let Err(aborted) = refuse_aborted(signal) {
        // Nobody waits for it any more: if it rejects, that must not count as an unhandled rejection.
        let unheard: Function = Closure::once_into_js(|_: JsValue| {}).unchecked_into();
        if let Ok(Some(catch)) = get(&promise, "catch") {
            let _ = catch.unchecked_into::<Function>().call1(&promise, &unheard);
        }
        return Err(aborted);
    }
    let race = Array::of1(&promise);
    if let Some(end) = end {
        race.push(end);
    }
    let Some(signal) = signal else { return JsFuture::from(Promise::race(&race)).await };
    let mut listener = JsValue::UNDEFINED;
    let fired = Promise::new(&mut |_resolve, reject: Function| {
        let source = signal.clone();
        listener = Closure::once_into_js(move || {
            // Rejecting a promise cannot throw.
            let _ = reject.call1(&JsValue::UNDEFINED, &aborted(&source));
        });
    });
    race.push(&fired);
    let listener: Function = listener.unchecked_into();
    signal.add_event_listener("abort", &listener)?;
    let settled = JsFuture::from(Promise::race(&race)).await;
    signal.remove_event_listener("abort", &listener)?;
    settled
}

/// The error if a wait was ended by its signal.
pub fn abort_error() -> Error {
    Error::new(ErrorCode::Aborted, "aborted by the AbortSignal; nothing was changed")
}

fn aborted(signal: &AbortSignal) -> JsValue {
    context_error(&abort_error(), Some(&signal.reason()), None)
}

/// Whether this is the error of a wait that was ended by its signal.
pub fn is_aborted(thrown: &JsValue) -> bool {
    code_of(thrown).as_deref() == Some(ErrorCode::Aborted.as_str())
}
