//! What an array's own methods do with all of it: to hand over one element after the other costs more than what is done with it.

use js_sys::{Array, Function, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

/// So many elements are looked at, or handed to a function, at once.
const STRETCH: u32 = 256;

/// Whether both hold the same objects; `a` has no holes. What a getter of `b` throws comes back.
pub fn are_same(a: &Array, b: &Array) -> Result<bool, JsValue> {
    let index_of = method("indexOf")?;
    for from in (0..a.length()).step_by(STRETCH as usize) {
        // Each is looked for from its own place on. The first stretch with one that stands elsewhere ends it.
        let (a, b) = (elements(a).slice(from, from + STRETCH)?, elements(b).slice(from, from + STRETCH)?);
        let places = Uint32Array::new(&elements(&a).map(&index_of, &b)?.into()).to_vec();
        if !places.into_iter().eq(0..a.length()) {
            return Ok(false);
        }
    }
    Ok(a.length() == b.length())
}

/// The elements at these places.
pub fn picked(list: &Array, places: &[u32]) -> Result<Array, JsValue> {
    elements(&Array::from(&Uint32Array::from(places))).map(&method("at")?, list)
}

/// Appends all of `others`.
pub fn append(list: &Array, others: &Array) -> Result<(), JsValue> {
    let push = method("push")?;
    for from in (0..others.length()).step_by(STRETCH as usize) {
        Reflect::apply(&push, list, &others.slice(from, from + STRETCH))?;
    }
    Ok(())
}

fn method(name: &str) -> Result<Function, JsValue> {
    Reflect::get(&Array::new(), &name.into())?.dyn_into()
}

fn elements(list: &Array) -> &Elements {
    list.unchecked_ref()
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = Array)]
    type Elements;

    #[wasm_bindgen(catch, method, js_class = Array, js_name = slice)]
    fn slice(this: &Elements, start: u32, end: u32) -> Result<Array, JsValue>;

    #[wasm_bindgen(catch, method, js_class = Array, js_name = map)]
    fn map(this: &Elements, by: &Function, this_arg: &Array) -> Result<Array, JsValue>;
}
