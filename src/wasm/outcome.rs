//! The result of a run: the view at that time, and the report, converted to JavaScript only when they are read.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsValue;

use super::value::to_js;
use crate::context::{Report, Snapshot};
use crate::hashing::HashMap;

/// The result of a run: the view at that time, and the report.
#[derive(Clone)]
pub struct Outcome {
    view: Rc<Snapshot>,
    pub report: Rc<RefCell<LazyReport>>,
}

/// A report, before or after it was converted to an object.
pub enum LazyReport {
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
pub fn object_of(report: &RefCell<LazyReport>) -> Result<JsValue, JsValue> {
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
    /// Keeps a result until its view is read. Returns its number.
    pub fn add(&self, Outcome { view, report }: Outcome) -> u64 {
        let (next, views) = &mut *self.0.borrow_mut();
        *next += 1;
        views.insert(*next, PreparedView { view: Some(view), report });
        *next
    }

    /// The view of a result; `None` if it was read, or if the session was freed.
    pub fn view(&self, number: u64) -> Option<Rc<Snapshot>> {
        self.0.borrow().1.get(&number)?.view.clone()
    }

    /// Drops the snapshot, so that the view can be edited without a copy again.
    pub fn forget_view(&self, number: u64) {
        let view = self.0.borrow_mut().1.get_mut(&number).and_then(|prepared| prepared.view.take());
        drop(view);
    }

    /// Drops a result.
    pub fn remove(&self, number: u64) {
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
