//! A search in short slices, so that the host's event loop can go on: `pkg/host/outputs.js` takes the time, the core has no clock.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::away::read_output;
use super::engine::Engine;
use super::host::Host;
use super::inner::Inner;
use super::value::to_js;
use crate::error::{Error, ErrorCode};
use crate::session::{Search, SearchInProgress};
use crate::tool_output::{Grep, GrepArgs};

#[wasm_bindgen]
extern "C" {
    /// Searches in slices.
    #[wasm_bindgen(method, js_name = inSlices)]
    pub fn in_slices(this: &Host, search: SlicedSearch) -> Promise;
}

/// The milliseconds of all slices together, by default.
const DEFAULT_MS: u64 = 2_000;

/// How many steps are taken between two looks at the clock.
const STEPS: u64 = 50_000;

/// A search that is in progress.
#[wasm_bindgen(skip_typescript)]
pub struct SlicedSearch {
    inner: Rc<Inner>,
    at: RefCell<At>,
}

enum At {
    /// An output, once it was fetched.
    Output {
        args: Box<GrepArgs>,
        grep: Option<Box<Grep>>,
    },
    History(Option<Box<SearchInProgress>>),
}

impl SlicedSearch {
    /// Searches a tool output.
    pub fn grep(inner: &Rc<Inner>, args: GrepArgs) -> Self {
        Self { inner: inner.clone(), at: RefCell::new(At::Output { args: args.into(), grep: None }) }
    }

    /// Searches the history.
    pub fn history(inner: &Rc<Inner>, search: Search) -> Result<Self, JsValue> {
        let searching = inner.read(|core| core.begin_search(search))?;
        Ok(Self { inner: inner.clone(), at: RefCell::new(At::History(Some(searching.into()))) })
    }
}

#[wasm_bindgen]
impl SlicedSearch {
    /// The session.
    #[wasm_bindgen(getter)]
    pub fn engine(&self) -> Engine {
        Engine::new(&self.inner)
    }

    /// The ref of the output that is searched; `undefined` for the history.
    #[wasm_bindgen(getter)]
    pub fn id(&self) -> JsValue {
        match &*self.at.borrow() {
            At::Output { args, .. } => JsValue::from_str(&args.ref_id),
            At::History(_) => JsValue::UNDEFINED,
        }
    }

    /// How many milliseconds it may take.
    #[wasm_bindgen(getter)]
    pub fn milliseconds(&self) -> Result<f64, JsValue> {
        self.inner.read(|core| core.config().search_ms.unwrap_or(DEFAULT_MS) as f64)
    }

    /// Takes some steps. Returns whether it is done.
    pub fn resume(&self) -> Result<bool, JsValue> {
        match &mut *self.at.borrow_mut() {
            At::Output { args, grep } => {
                let config = self.inner.read(|core| core.context().output_config.clone())?;
                read_output(&self.inner, &args.ref_id, |outputs| {
                    let grep = match grep {
                        Some(grep) => grep,
                        None => grep.insert(Grep::new(outputs, args, &config)?.into()),
                    };
                    grep.resume(outputs, STEPS)
                })
            }
            At::History(Some(searching)) => self.inner.read(|core| core.continue_search(searching, STEPS)),
            At::History(None) => Ok(true),
        }
    }

    /// What was found.
    pub fn finish(&self) -> Result<JsValue, JsValue> {
        match &mut *self.at.borrow_mut() {
            At::Output { grep, .. } => {
                let grep = grep.take().ok_or_else(|| Error::new(ErrorCode::Internal, "it has not begun"))?;
                Ok(JsValue::from_str(&grep.finish()))
            }
            At::History(searching) => {
                let searching = searching.take();
                let searching =
                    searching.ok_or_else(|| Error::new(ErrorCode::Internal, "it is finished already"))?;
                to_js(&self.inner.read(|core| core.hits(*searching))?)
            }
        }
    }
}
