//! What a session does outside the module: `pkg/host` waits for callbacks, stores and time. The module itself is synchronous.

use std::cell::OnceCell;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::engine::Engine;
use super::run::Run;
use super::saving::Loader;
use super::signal::AbortSignal;
use super::sliced::SlicedSearch;
use super::tool_outputs::{OutputRead, ToolOutputCache};
use crate::error::{Error, ErrorCode};

#[wasm_bindgen]
extern "C" {
    /// The JavaScript object with these functions.
    pub type Host;

    /// What it keeps for a session.
    #[wasm_bindgen(method, js_name = newState)]
    pub fn new_state(this: &Host) -> JsValue;
    /// The session was freed: what waits for it ends with this error.
    #[wasm_bindgen(method)]
    pub fn freed(this: &Host, state: &JsValue, error: &JsValue);
    /// A promise that keeps the session alive until it settles.
    #[wasm_bindgen(method)]
    pub fn holding(this: &Host, promise: &Promise, session: HeldSession) -> Promise;

    /// Begins a run, or joins the one that is in progress.
    #[wasm_bindgen(method, js_name = runOrJoin)]
    pub fn run_or_join(this: &Host, run: Run, signal: Option<AbortSignal>) -> Promise;
    /// Goes on with a run that waits for a summary.
    #[wasm_bindgen(method)]
    pub fn finish(this: &Host, run: Run, signal: Option<AbortSignal>) -> Promise;
    /// Begins a run that nobody waits for.
    #[wasm_bindgen(method, js_name = beginBackground)]
    pub fn begin_background(this: &Host, run: Run);
    /// The three hooks of `session.loop()`.
    #[wasm_bindgen(method, js_name = loopHooks)]
    pub fn loop_hooks(this: &Host, engine: Engine) -> JsValue;

    /// Saves the session under a key.
    #[wasm_bindgen(method)]
    pub fn save(this: &Host, engine: Engine, store: &JsValue, key: &str) -> Promise;
    /// Loads the session under a key.
    #[wasm_bindgen(method)]
    pub fn load(this: &Host, loader: Loader, store: &JsValue, key: &str) -> Promise;
    /// Waits for everything in progress.
    #[wasm_bindgen(method)]
    pub fn flush(this: &Host, engine: Engine, signal: Option<AbortSignal>) -> Promise;
    /// Reads what other processes have saved.
    #[wasm_bindgen(method)]
    pub fn refresh(this: &Host, engine: Engine) -> Promise;

    /// Begins to move outputs to the store.
    #[wasm_bindgen(method, js_name = moveOutputs)]
    pub fn move_outputs(this: &Host, engine: Engine, ids: Vec<String>);
    /// Reads lines of an output that is in the store.
    #[wasm_bindgen(method, js_name = readOutput)]
    pub fn read_output(this: &Host, read: OutputRead) -> Promise;
    /// The whole output, brought back into memory.
    #[wasm_bindgen(method, js_name = bringBack)]
    pub fn bring_back(this: &Host, engine: Engine, id: &str, cache: ToolOutputCache) -> Promise;
    /// Searches in slices.
    #[wasm_bindgen(method, js_name = inSlices)]
    pub fn in_slices(this: &Host, search: SlicedSearch) -> Promise;
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

/// A session that nobody else holds.
#[wasm_bindgen(skip_typescript)]
pub struct HeldSession(Option<super::session::Session>);

impl HeldSession {
    pub fn new(session: super::session::Session) -> Self {
        Self(Some(session))
    }
}

#[wasm_bindgen]
impl HeldSession {
    /// Drops it, as the garbage collector would: what it handed out can still be read.
    pub fn release(&mut self) {
        self.0 = None;
    }
}
