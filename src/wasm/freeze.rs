//! `freezeInputs`: pushed objects cannot be changed by mistake afterwards.

use js_sys::{Array, ArrayBuffer, Object, Reflect, Set};
use wasm_bindgen::prelude::*;

/// Freezes an object deeply. Bytes cannot be frozen, and getters are not called.
pub fn freeze(value: &JsValue) {
    let seen = Set::new(&JsValue::UNDEFINED);
    let mut waiting = vec![value.clone()];
    while let Some(value) = waiting.pop() {
        let is_new = (value.is_object() || value.is_function()) && !seen.has(&value);
        if !is_new || ArrayBuffer::is_view(&value) {
            continue;
        }
        seen.add(&value);
        let object = value.unchecked_ref::<Object>();
        let Ok(keys) = Reflect::own_keys(object) else { continue }; // a proxy may refuse
        for key in Array::from(&keys).iter() {
            let held = Reflect::get_own_property_descriptor(object, &key)
                .and_then(|property| Reflect::get(&property, &"value".into()));
            waiting.extend(held.ok());
        }
        // A proxy may refuse by throwing; then it stays as it is.
        let _ = try_freeze(object);
    }
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = Object, js_name = freeze)]
    fn try_freeze(object: &Object) -> Result<Object, JsValue>;
}
