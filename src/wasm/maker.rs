//! Operations that are faster in JavaScript than across the WebAssembly boundary: `pkg/object-makers.js`.

use std::cell::OnceCell;

use js_sys::{Array, JSON, Object, Promise};
use wasm_bindgen::prelude::*;

use super::value::{copy_of, set, to_js};
use crate::message::ToolOutputRef;

#[wasm_bindgen]
extern "C" {
    /// The JavaScript object with these functions.
    pub type Maker;

    #[wasm_bindgen(method, catch)]
    fn prepared(this: &Maker, read: JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method)]
    fn resolved(this: &Maker, value: &JsValue) -> Promise;

    #[wasm_bindgen(method, catch, js_name = withRef)]
    fn with_ref(
        this: &Maker,
        message: &JsValue,
        id: &str,
        byte_size: Option<f64>,
        line_count: Option<f64>,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = areSame)]
    fn are_same(this: &Maker, one: &Array, other: &Array) -> Result<bool, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn json(this: &Maker, value: &JsValue) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn append(this: &Maker, list: &Array, others: &Array) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn picked(this: &Maker, list: &Array, others: &Array, runs: &[u32]) -> Result<Array, JsValue>;
}

thread_local! {
    static MAKER: OnceCell<Maker> = const { OnceCell::new() };
}

/// Called once by the package's entry points when the module starts. Without it, everything is done from within the module.
#[wasm_bindgen(js_name = setMaker, skip_typescript)]
pub fn set_maker(maker: Maker) {
    MAKER.with(|slot| drop(slot.set(maker)));
}

/// A promise that is resolved already, so the package need not watch it.
pub fn resolved(value: &JsValue) -> Promise {
    MAKER.with(|slot| slot.get().map_or_else(|| Promise::resolve(value), |maker| maker.resolved(value)))
}

/// An object with the lazy fields `messages` and `report`: each calls `read` when it is first read, with `true` for `messages`.
/// Without a maker, they are plain fields from the beginning.
pub fn prepared<F>(read: F) -> Result<JsValue, JsValue>
where
    F: Fn(bool) -> Result<JsValue, JsValue> + 'static,
{
    MAKER.with(|slot| {
        let Some(maker) = slot.get() else {
            let object = Object::new();
            set(&object, "messages", &read(true)?)?;
            set(&object, "report", &read(false)?)?;
            return Ok(object.into());
        };
        let read: Closure<dyn Fn(bool) -> Result<JsValue, JsValue>> = Closure::new(read);
        maker.prepared(read.into_js_value())
    })
}

/// A copy of the caller's tool message with the reference to its full output.
pub fn with_ref(message: &JsValue, output_ref: &ToolOutputRef) -> Result<JsValue, JsValue> {
    MAKER.with(|slot| {
        let Some(maker) = slot.get() else {
            let copy = copy_of(message)?;
            set(&copy, "output_ref", &to_js(output_ref)?)?;
            return Ok(copy.into());
        };
        let number = |n: u64| n as f64;
        let ToolOutputRef { id, byte_size, line_count } = output_ref;
        maker.with_ref(message, id, byte_size.map(number), line_count.map(number))
    })
}

/// Whether both arrays hold the same objects. Faster in JavaScript, where no object has to cross the boundary. Errors thrown by a getter
/// are returned.
pub fn are_same(one: &Array, other: &Array) -> Result<bool, JsValue> {
    MAKER.with(|slot| match slot.get() {
        Some(maker) => maker.are_same(one, other),
        None => Ok(one.length() == other.length() && one.iter().zip(other.iter()).all(|(a, b)| a == b)),
    })
}

/// The JSON text of a value, in which bytes are base64 under their own key.
pub fn json_with_bytes(value: &JsValue) -> Result<JsValue, JsValue> {
    MAKER.with(|slot| match slot.get() {
        Some(maker) => maker.json(value),
        None => JSON::stringify(value).map(Into::into),
    })
}

/// Adds all of `others` to a list.
pub fn append(list: &Array, others: &Array) -> Result<(), JsValue> {
    MAKER.with(|slot| {
        if let Some(maker) = slot.get() {
            return maker.append(list, others);
        }
        for other in others.iter() {
            list.push(&other);
        }
        Ok(())
    })
}

/// Picks elements of a list (positions after its end refer to `others`). `runs` has the start and the end (exclusive) of each run.
pub fn picked(list: &Array, others: &Array, runs: &[u32]) -> Result<Array, JsValue> {
    let end = list.length();
    let at = |at: u32| if at < end { list.get(at) } else { others.get(at - end) };
    MAKER.with(|slot| match slot.get() {
        Some(maker) => maker.picked(list, others, runs),
        None => Ok(runs.chunks(2).flat_map(|run| run[0]..run[1]).map(at).collect()),
    })
}
