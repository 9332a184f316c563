//! The object that `prepare` resolves to.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use wasm_bindgen::prelude::*;

use super::inner::Inner;
use super::maker;
use super::outcome::{Outcome, object_of};
use super::view::list_of;
use crate::error::{Error, ErrorCode};

/// The Rust side of a result of `prepare`. When it is dropped, nobody can read the view any more.
struct ViewHandle {
    of: Weak<Inner>,
    number: u64,
    /// Keeps the session alive until the view was read.
    inner: RefCell<Option<Rc<Inner>>>,
}

impl ViewHandle {
    fn messages(&self) -> Result<JsValue, JsValue> {
        let Some(inner) = self.inner.borrow().clone() else { return Ok(JsValue::UNDEFINED) };
        let freed = || Error::new(ErrorCode::Freed, "the session was freed before these messages were read");
        let view = inner.prepared_views.view(self.number).ok_or_else(freed)?;
        let messages = list_of(&inner, &view)?;
        inner.prepared_views.forget_view(self.number);
        self.inner.take();
        Ok(messages)
    }
}

impl Drop for ViewHandle {
    fn drop(&mut self) {
        if let Some(inner) = self.of.upgrade() {
            inner.prepared_views.remove(self.number);
        }
    }
}

/// `{ messages, report }`: both are computed when first read, and behave like plain fields from then on.
pub fn prepared(inner: &Rc<Inner>, outcome: Outcome) -> Result<JsValue, JsValue> {
    let report = outcome.report.clone();
    let number = inner.prepared_views.add(outcome);
    let waiting = ViewHandle { of: Rc::downgrade(inner), number, inner: RefCell::new(Some(inner.clone())) };
    maker::prepared(move |messages| if messages { waiting.messages() } else { object_of(&report) })
}
