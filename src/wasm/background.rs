//! Asks for summaries in the background. Like [`super::drive`], it makes no decisions and holds no borrow across an await.

use std::rc::Rc;

use js_sys::Function;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::inner::Inner;
use super::lease;
use super::summarize::ask;
use crate::session::{Pending, Session};

/// Starts asking in the background if the view is large enough. The work begins after this call has returned to JavaScript, so that
/// the caller of `push` does not wait.
pub fn begin_if_wanted(inner: &Rc<Inner>) {
    let busy = inner.background.borrow().is_some() || inner.running.borrow().is_some();
    // The extractive summariser takes no time, so there is no point in starting early.
    if busy || inner.summarize.borrow().is_none() {
        return;
    }
    if inner.read(Session::wants_background).unwrap_or(false) {
        let run = future_to_promise(run_to_end(inner.clone()));
        *inner.background.borrow_mut() = Some(run);
    }
}

/// Never rejects: a failure is reported by `compaction_failed`.
async fn run_to_end(inner: Rc<Inner>) -> Result<JsValue, JsValue> {
    let mut pending = begin(&inner);
    while let Some(asking) = pending.take() {
        inner.deliver_events();
        pending = answer(&inner, asking).await;
    }
    if !inner.read(Session::has_background_summary).unwrap_or(false) {
        lease::release(&inner).await;
    }
    *inner.background.borrow_mut() = None;
    inner.deliver_events();
    Ok(JsValue::UNDEFINED)
}

fn begin(inner: &Inner) -> Option<Pending> {
    inner.refuse_freed().ok()?;
    inner.write_quietly(|core| Ok(core.begin_in_background())).ok().flatten()
}

async fn answer(inner: &Rc<Inner>, pending: Pending) -> Option<Pending> {
    let callback = inner.summarize.borrow().clone()?;
    let signal = inner.freed.signal().ok();
    if let Err(held) = lease::take(inner, signal.as_ref(), false).await {
        inner.refuse_freed().ok()?;
        let error = lease::error_of(&held);
        let written = inner.write_quietly(|core| {
            core.not_asked_in_background(pending, error);
            Ok(None)
        });
        return written.ok().flatten();
    }
    inner.refuse_freed().ok()?;
    let callback = callback.unchecked_ref::<Function>();
    let asked = ask(inner, callback, &pending.request, signal.as_ref()).await;
    inner.refuse_freed().ok()?;
    let next = inner.write_quietly(|core| {
        Ok(match asked {
            Ok(answer) => core.answer_in_background(pending, answer),
            Err(refusal) => core.not_answered_in_background(pending, refusal.error, refusal.too_long),
        })
    });
    next.ok().flatten()
}

/// Waits until no summary is being asked for, neither in the background nor by a run.
pub async fn all_requests_done(inner: &Inner) {
    loop {
        let under_way = inner.running.borrow().as_ref().map(|running| running.promise.clone());
        let Some(waited) = under_way.or_else(|| inner.background.borrow().clone()) else { return };
        // Its result or error goes to the caller who started it.
        let _ = JsFuture::from(waited).await;
    }
}
