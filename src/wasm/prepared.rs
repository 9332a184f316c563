//! The result of `prepare`: the view and the report, converted to JavaScript only when they are read.

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

/// The result of a run: the view at that time, and the report.
#[derive(Clone)]
pub struct Outcome {
    view: Rc<Snapshot>,
    report: Rc<RefCell<LazyReport>>,
}

/// A report, before or after it was converted to an object.
enum LazyReport {
    Object(JsValue),
    Report(Rc<Report>),
}

impl Outcome {
    pub fn new(view: Snapshot, report: Rc<Report>) -> Self {
        Self { view: Rc::new(view), report: Rc::new(RefCell::new(LazyReport::Report(report))) }
    }

    /// The report as an object, the same one for all readers.
    pub fn report(&self) -> Result<JsValue, JsValue> {
        object_of(&self.report)
    }
}

/// The object of a report, made when it is first read.
fn object_of(report: &RefCell<LazyReport>) -> Result<JsValue, JsValue> {
    let written = match &*report.borrow() {
        LazyReport::Object(object) => return Ok(object.clone()),
        LazyReport::Report(report) => to_js(report)?, // does not run any code of the caller
    };
    report.replace(LazyReport::Object(written.clone()));
    Ok(written)
}

/// Prepared views that were not read yet. They belong to the session, so that a caller who keeps the result of `prepare` does not keep
/// the data of a freed session alive.
#[derive(Default)]
pub struct PreparedViews(RefCell<(u64, HashMap<u64, PreparedView>)>);

struct PreparedView {
    /// `None` once it was read.
    view: Option<Rc<Snapshot>>,
    report: Rc<RefCell<LazyReport>>,
}

impl PreparedViews {
    fn add(&self, Outcome { view, report }: Outcome) -> u64 {
        let (next, views) = &mut *self.0.borrow_mut();
        *next += 1;
        views.insert(*next, PreparedView { view: Some(view), report });
        *next
    }

    fn view(&self, number: u64) -> Option<Rc<Snapshot>> {
        self.0.borrow().1.get(&number)?.view.clone()
    }

    /// Drops the snapshot, so that the view can be edited without a copy again.
    fn forget_view(&self, number: u64) {
        let view = self.0.borrow_mut().1.get_mut(&number).and_then(|prepared| prepared.view.take());
        drop(view);
    }

    fn remove(&self, number: u64) {
        let prepared = self.0.borrow_mut().1.remove(&number);
        drop(prepared);
    }

    /// Drops everything. Reports with decisions are converted first, so that whoever holds the result of `prepare` can still read them.
    pub fn clear(&self) {
        let views = std::mem::take(&mut self.0.borrow_mut().1);
        for PreparedView { report, .. } in views.into_values() {
            let is_long =
                matches!(&*report.borrow(), LazyReport::Report(report) if !report.decisions.is_empty());
            if is_long {
                drop(object_of(&report));
            }
        }
    }
}

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
