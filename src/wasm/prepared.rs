//! What `prepare` resolves to: the view as prepared, written into JavaScript only when somebody looks at it.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Object, WeakRef};
use wasm_bindgen::prelude::*;

use super::inner::Inner;
use super::value::set;
use super::view::list_of;
use crate::context::Snapshot;

/// `{ messages, report }`. `messages` is read from the snapshot when it is first asked for, and a plain field from then on.
pub fn prepared(inner: &Rc<Inner>, report: &JsValue, snapshot: Rc<Snapshot>) -> Result<JsValue, JsValue> {
    let object = Object::new();
    // Weak: a getter that held the object that holds it would keep both alive for ever.
    let target = WeakRef::new(&object);
    let held = RefCell::new(Some((inner.clone(), snapshot)));
    let read: Closure<dyn Fn() -> Result<JsValue, JsValue>> = Closure::new(move || {
        let Some((inner, snapshot)) = held.borrow().clone() else { return Ok(JsValue::UNDEFINED) };
        let messages = list_of(&inner, &snapshot)?;
        if let Some(object) = target.deref() {
            define(&object, &[("value", &messages), ("writable", &JsValue::TRUE)])?;
            held.take(); // from now on the view may be edited without a copy
        }
        Ok(messages)
    });
    define(&object, &[("get", &read.into_js_value())])?;
    set(&object, "report", report)?;
    Ok(object.into())
}

fn define(object: &Object, kind: &[(&str, &JsValue)]) -> Result<(), JsValue> {
    let property = Object::new();
    for key in ["enumerable", "configurable"] {
        set(&property, key, &JsValue::TRUE)?;
    }
    for (key, value) in kind {
        set(&property, key, value)?;
    }
    js_sys::Reflect::define_property(object, &"messages".into(), &property).map(|_| ())
}
