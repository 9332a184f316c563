//! What `prepare` resolves to: the view as prepared, written into JavaScript only when somebody looks at it.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use js_sys::{Object, WeakRef};
use wasm_bindgen::prelude::*;

use super::inner::Inner;
use super::value::set;
use super::view::{list_of, view_of};
use crate::context::Slot;
use crate::message::Format;
use crate::session::Session;

/// A view as it was at some time. Until the session's view changes, it is the session's own.
#[derive(Default)]
pub struct Snapshot {
    slots: RefCell<Option<Vec<Slot>>>,
}

/// The snapshot of the view as it is now, where somebody holds one.
#[derive(Default)]
pub struct Snapshots {
    current: RefCell<Weak<Snapshot>>,
}

impl Snapshots {
    /// The view is about to change: who holds it gets a copy of its own.
    pub fn before_change(&self, core: &Session) {
        if let Some(snapshot) = self.current.take().upgrade() {
            *snapshot.slots.borrow_mut() = Some(core.context().view.slots().cloned().collect());
        }
    }

    fn take(&self) -> Rc<Snapshot> {
        let mut current = self.current.borrow_mut();
        current.upgrade().unwrap_or_else(|| {
            let snapshot = Rc::new(Snapshot::default());
            *current = Rc::downgrade(&snapshot);
            snapshot
        })
    }
}

/// `{ messages, report }`. `messages` is read from the view when it is first asked for, and a plain field from then on.
pub fn prepared(inner: &Rc<Inner>, report: &JsValue) -> Result<JsValue, JsValue> {
    let object = Object::new();
    // Weak: a getter that held the object that holds it would keep both alive for ever.
    let target = WeakRef::new(&object);
    let held = RefCell::new(Some((inner.clone(), inner.snapshots.take())));
    let read: Closure<dyn Fn() -> Result<JsValue, JsValue>> = Closure::new(move || {
        let Some((inner, snapshot)) = held.borrow().clone() else { return Ok(JsValue::UNDEFINED) };
        let messages = match &*snapshot.slots.borrow() {
            Some(slots) => list_of(&inner, slots)?,
            None => view_of(&inner, Format::Messages)?,
        };
        if let Some(object) = target.deref() {
            define(&object, &[("value", &messages), ("writable", &JsValue::TRUE)])?;
            held.take(); // from now on the view may change without a copy
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
