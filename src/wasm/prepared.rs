//! What `prepare` resolves to: view and report as prepared, written into JavaScript only when somebody looks at them.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::inner::Inner;
use super::maker;
use super::value::to_js;
use super::view::list_of;
use crate::context::{Report, Snapshot};
use crate::error::{Error, ErrorCode};
use crate::hashing::HashMap;

/// What a run came to: the view as it was then, and the report.
#[derive(Clone)]
pub struct Outcome {
    view: Rc<Snapshot>,
    report: Rc<RefCell<Told>>,
}

/// A report, as an object already or not yet.
enum Told {
    Object(JsValue),
    Report(Rc<Report>),
}

impl Outcome {
    pub fn new(view: Snapshot, report: Rc<Report>) -> Self {
        Self { view: Rc::new(view), report: Rc::new(RefCell::new(Told::Report(report))) }
    }

    /// The report: one object for all who read it.
    pub fn report(&self) -> Result<JsValue, JsValue> {
        object_of(&self.report)
    }
}

/// A report's object, written when it is first read.
fn object_of(report: &RefCell<Told>) -> Result<JsValue, JsValue> {
    let written = match &*report.borrow() {
        Told::Object(object) => return Ok(object.clone()),
        Told::Report(report) => to_js(report)?, // runs none of the caller's code
    };
    report.replace(Told::Object(written.clone()));
    Ok(written)
}

/// The views that were prepared and that nobody has looked at yet. They are the session's: a caller who keeps what `prepare`
/// resolved to keeps nothing of a session that he freed.
#[derive(Default)]
pub struct Unread(RefCell<(u64, HashMap<u64, Rc<Snapshot>>)>);

impl Unread {
    fn add(&self, view: Rc<Snapshot>) -> u64 {
        let (next, views) = &mut *self.0.borrow_mut();
        *next += 1;
        views.insert(*next, view);
        *next
    }

    fn get(&self, number: u64) -> Option<Rc<Snapshot>> {
        self.0.borrow().1.get(&number).cloned()
    }

    fn remove(&self, number: u64) {
        let view = self.0.borrow_mut().1.remove(&number);
        drop(view);
    }

    /// Lets go of all of them.
    pub fn clear(&self) {
        let views = std::mem::take(&mut self.0.borrow_mut().1);
        drop(views);
    }
}

/// One of these: nobody can look at it any more when this is gone.
struct Waiting {
    inner: Rc<Inner>,
    number: u64,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.inner.unread.remove(self.number);
    }
}

/// `{ messages, report }`: both are read when they are first asked for, and plain fields from then on.
pub fn prepared(inner: &Rc<Inner>, outcome: Outcome) -> Result<JsValue, JsValue> {
    let number = inner.unread.add(outcome.view);
    let view = RefCell::new(Some(Rc::new(Waiting { inner: inner.clone(), number })));
    let report = RefCell::new(Some(outcome.report));
    let read = move |messages: bool| -> Result<JsValue, JsValue> {
        if !messages {
            return report.take().map_or(Ok(JsValue::UNDEFINED), |report| object_of(&report));
        }
        let Some(waiting) = view.borrow().clone() else { return Ok(JsValue::UNDEFINED) };
        let freed =
            || Error::new(ErrorCode::Freed, "the session was freed before these messages were looked at");
        let snapshot = waiting.inner.unread.get(waiting.number).ok_or_else(freed)?;
        let messages = list_of(&waiting.inner, &snapshot)?;
        view.take(); // from now on the view may be edited without a copy
        Ok(messages)
    };
    maker::prepared(read)
}
