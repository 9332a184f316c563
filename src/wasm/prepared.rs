//! What `prepare` resolves to: view and report as prepared, written into JavaScript only when somebody looks at them.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Function, Object};
use wasm_bindgen::prelude::*;

use super::inner::Inner;
use super::value::{set, to_js};
use super::view::list_of;
use crate::context::{Report, Snapshot};

thread_local! {
    static MAKER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Hands in what makes the object of a function that reads its fields: `messages` for `true`, `report` for `false`.
///
/// The package's entries call it once, when the module starts. Without it the object has plain fields from the beginning.
#[wasm_bindgen(js_name = setPreparedMaker, skip_typescript)]
pub fn set_prepared_maker(maker: Function) {
    MAKER.with_borrow_mut(|slot| *slot = Some(maker));
}

/// A report, as an object already or not yet.
pub enum Told {
    Object(JsValue),
    Report(Box<Report>),
}

impl Told {
    fn object(self) -> Result<JsValue, JsValue> {
        match self {
            Self::Object(object) => Ok(object),
            Self::Report(report) => to_js(&*report),
        }
    }
}

/// `{ messages, report }`: both are read when they are first asked for, and plain fields from then on.
pub fn prepared(inner: &Rc<Inner>, report: Told, snapshot: Rc<Snapshot>) -> Result<JsValue, JsValue> {
    let view = RefCell::new(Some((inner.clone(), snapshot)));
    let report = RefCell::new(Some(report));
    let read = move |messages: bool| -> Result<JsValue, JsValue> {
        if !messages {
            return report.take().map_or(Ok(JsValue::UNDEFINED), Told::object);
        }
        let Some((inner, snapshot)) = view.borrow().clone() else { return Ok(JsValue::UNDEFINED) };
        let messages = list_of(&inner, &snapshot)?;
        view.take(); // from now on the view may be edited without a copy
        Ok(messages)
    };
    // Cloned, so that no borrow is held while JavaScript runs.
    let Some(maker) = MAKER.with_borrow(Clone::clone) else {
        let object = Object::new();
        set(&object, "messages", &read(true)?)?;
        set(&object, "report", &read(false)?)?;
        return Ok(object.into());
    };
    let read: Closure<dyn Fn(bool) -> Result<JsValue, JsValue>> = Closure::new(read);
    maker.call1(&JsValue::UNDEFINED, &read.into_js_value())
}
