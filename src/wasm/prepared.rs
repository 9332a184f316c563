//! What `prepare` resolves to: view and report as prepared, written into JavaScript only when somebody looks at them.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

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

/// What was prepared and not read yet. It is the session's: a caller who keeps what `prepare` resolved to keeps nothing in here of
/// a session that he freed.
#[derive(Default)]
pub struct Unread(RefCell<(u64, HashMap<u64, Unseen>)>);

struct Unseen {
    /// `None` once it was read.
    view: Option<Rc<Snapshot>>,
    report: Rc<RefCell<Told>>,
}

impl Unread {
    fn add(&self, Outcome { view, report }: Outcome) -> u64 {
        let (next, unseen) = &mut *self.0.borrow_mut();
        *next += 1;
        unseen.insert(*next, Unseen { view: Some(view), report });
        *next
    }

    fn view(&self, number: u64) -> Option<Rc<Snapshot>> {
        self.0.borrow().1.get(&number)?.view.clone()
    }

    /// From now on the view may be edited without a copy.
    fn forget_view(&self, number: u64) {
        let view = self.0.borrow_mut().1.get_mut(&number).and_then(|unseen| unseen.view.take());
        drop(view);
    }

    fn remove(&self, number: u64) {
        let unseen = self.0.borrow_mut().1.remove(&number);
        drop(unseen);
    }

    /// Lets go of all of it. What reports say of many messages goes over to JavaScript: whoever holds one may still read it.
    pub fn clear(&self) {
        let unseen = std::mem::take(&mut self.0.borrow_mut().1);
        for Unseen { report, .. } in unseen.into_values() {
            let is_long = matches!(&*report.borrow(), Told::Report(report) if !report.decisions.is_empty());
            if is_long {
                drop(object_of(&report));
            }
        }
    }
}

/// One of these: nobody can read it any more when this is gone.
struct Waiting {
    of: Weak<Inner>,
    number: u64,
    /// What the view is made of, until it was read.
    inner: RefCell<Option<Rc<Inner>>>,
}

impl Waiting {
    fn messages(&self) -> Result<JsValue, JsValue> {
        let Some(inner) = self.inner.borrow().clone() else { return Ok(JsValue::UNDEFINED) };
        let freed =
            || Error::new(ErrorCode::Freed, "the session was freed before these messages were looked at");
        let view = inner.unread.view(self.number).ok_or_else(freed)?;
        let messages = list_of(&inner, &view)?;
        inner.unread.forget_view(self.number);
        self.inner.take();
        Ok(messages)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(inner) = self.of.upgrade() {
            inner.unread.remove(self.number);
        }
    }
}

/// `{ messages, report }`: both are read when they are first asked for, and plain fields from then on.
pub fn prepared(inner: &Rc<Inner>, outcome: Outcome) -> Result<JsValue, JsValue> {
    let report = outcome.report.clone();
    let number = inner.unread.add(outcome);
    let waiting = Waiting { of: Rc::downgrade(inner), number, inner: RefCell::new(Some(inner.clone())) };
    maker::prepared(move |messages| if messages { waiting.messages() } else { object_of(&report) })
}
