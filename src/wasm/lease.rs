//! Two processes on one session: only one of them asks for a summary. The other one waits, and then has to load the session again.
//!
//! The lease is a text in the store that says who has it and until when. It is given back if no summary was made, after the
//! session was saved with the summary, and when the session is freed. If a process dies, its lease expires. A session whose view fits
//! does not wait.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise, spawn_local};

use super::error::context_error;
use super::home::{Home, conflict};
use super::inner::Inner;
use super::signal::{AbortSignal, is_aborted, wait};
use super::value::get;
use crate::error::{Error, ErrorCode};

/// How long a summary may take before another process may ask for it as well, in milliseconds.
const TTL_MS: f64 = 120_000.0;

/// Why no summary was asked for.
const HELD_BY_ANOTHER: &str = "another process is summarizing this session, and this view fits without a summary. Load the session again after that process has saved";

/// How often a waiting process checks the lease, in milliseconds.
const POLL_MS: f64 = 200.0;

/// How long a store may take to answer about the lease, in milliseconds.
const STORE_TIMEOUT_MS: f64 = 10_000.0;

/// Takes the lease, if the session is saved somewhere. With `waits`, it waits for another process that has it; once that
/// one has saved, this session is outdated (`STORE_CONFLICT`). If the store fails or does not answer, the summary is asked
/// for anyway. The wait for one holder never exceeds the life of a lease, even if a clock stands still or is behind.
pub async fn take(inner: &Rc<Inner>, signal: Option<&AbortSignal>, waits: bool) -> Result<(), JsValue> {
    let Some(home) = inner.stores.home.borrow().clone() else { return Ok(()) };
    let mut waited_ms = 0.0;
    let mut waited = false;
    let mut holder: Option<String> = None;
    loop {
        let (own, place) = (inner.clone(), home.clone());
        let asked = Rc::new(Attempt::default());
        let shared_attempt = asked.clone();
        let look = future_to_promise(async move { attempt(&own, &place, waited, &shared_attempt).await });
        let left = wait(within_timeout(&look), signal, Some(&inner.freed.promise)).await;
        asked.nobody_waits.set(!asked.is_answered.get());
        let left = left?;
        if left.is_null() {
            return Err(conflict(&home));
        }
        let Some(left) = left.as_f64() else { return Ok(()) };
        if !waits {
            return Err(context_error(&Error::new(ErrorCode::StoreConflict, HELD_BY_ANOTHER), None, None));
        }
        let held_by = asked.held_by.take();
        if held_by.is_some() && held_by != holder {
            (waited_ms, holder) = (0.0, held_by); // another process has the lease now
        }
        if waited_ms > TTL_MS {
            return Ok(()); // no lease lasts that long
        }
        let pause = left.clamp(1.0, POLL_MS);
        waited_ms += pause;
        waited = true;
        wait(timer(pause), signal, Some(&inner.freed.promise)).await?;
    }
}

/// The state of an attempt to take the lease. An attempt may still succeed when nobody waits for it any more.
#[derive(Default)]
struct Attempt {
    is_answered: Cell<bool>,
    nobody_waits: Cell<bool>,
    /// The token of the holder.
    held_by: RefCell<Option<String>>,
}

/// Tries to take the lease. Returns the milliseconds for which another process still has it; `undefined` if the lease is
/// ours; `null` if somebody has saved in the meantime.
async fn attempt(inner: &Inner, home: &Home, waited: bool, asked: &Attempt) -> Result<JsValue, JsValue> {
    let left = remaining_ms(inner, home, waited, asked).await;
    asked.is_answered.set(true);
    if asked.nobody_waits.get() {
        give_back(inner).await;
    }
    Ok(left)
}

async fn remaining_ms(inner: &Inner, home: &Home, waited: bool, asked: &Attempt) -> JsValue {
    let Ok(left) = try_to_take(inner, home, asked).await else { return JsValue::UNDEFINED };
    if waited && home.has_moved_on().await.unwrap_or(false) {
        if left.is_none() {
            give_back(inner).await;
        }
        return JsValue::NULL;
    }
    left.into()
}

/// Why no summary was asked for, as an error for the report.
pub fn error_of(thrown: &JsValue) -> Error {
    let text = get(thrown, "message").ok().flatten().and_then(|message| message.as_string());
    let code = if is_aborted(thrown) { ErrorCode::Aborted } else { ErrorCode::StoreConflict };
    Error::new(code, text.unwrap_or_default())
}

/// Gives the lease back, if this session has one.
pub async fn release(inner: &Rc<Inner>) {
    if inner.stores.leased.borrow().is_none() {
        return;
    }
    let own = inner.clone();
    let given = future_to_promise(async move {
        give_back(&own).await;
        Ok(JsValue::UNDEFINED)
    });
    let _ = JsFuture::from(within_timeout(&given)).await;
}

/// Gives a freed session's lease back, without waiting for the store.
pub fn release_freed(inner: &Rc<Inner>) {
    if inner.stores.leased.borrow().is_some() {
        let own = inner.clone();
        spawn_local(async move { release(&own).await });
    }
}

async fn give_back(inner: &Inner) {
    let Some(home) = inner.stores.leased.take() else { return };
    let key = home.lease();
    let held = home.store.text(&key).await.ok().flatten();
    if held.as_deref().and_then(parse).is_some_and(|(_, token)| token == inner.stores.token) {
        let _ = home.store.remove(&key).await; // if this fails, the lease expires
    }
}

/// `None` if the lease is ours. Otherwise the milliseconds for which another process has it.
async fn try_to_take(inner: &Inner, home: &Home, asked: &Attempt) -> Result<Option<f64>, JsValue> {
    if inner.stores.leased.borrow().as_ref().is_some_and(|held| !held.is_at(&home.store, &home.key)) {
        give_back(inner).await;
    }
    let key = home.lease();
    let now = inner.clock();
    let there = home.store.text(&key).await?;
    if let Some((until, token)) = there.as_deref().and_then(parse)
        && token != inner.stores.token
        && until > now
    {
        *asked.held_by.borrow_mut() = Some(token.to_owned());
        return Ok(Some(until - now));
    }
    let mine = format!("lease-{}-{}", now + TTL_MS, inner.stores.token);
    let taken = home.store.swap(&key, there.as_deref(), &mine, Some(TTL_MS)).await?;
    if taken {
        *inner.stores.leased.borrow_mut() = Some(home.clone());
    }
    Ok((!taken).then_some(POLL_MS))
}

fn parse(lease: &str) -> Option<(f64, &str)> {
    let (until, token) = lease.strip_prefix("lease-")?.rsplit_once('-')?;
    Some((until.parse().ok()?, token))
}

/// `undefined` if the store takes too long.
fn within_timeout(work: &Promise) -> Promise {
    within(work, STORE_TIMEOUT_MS)
}

/// `undefined` if the work takes longer than this many milliseconds. On a host without timers there is no limit.
pub fn within(work: &Promise, ms: f64) -> Promise {
    let late = Promise::new(&mut |resolve, _| {
        let Some(timer) = host("setTimeout", &Array::of2(&resolve, &ms.into())) else { return };
        let clear = Closure::once_into_js(move |_: JsValue| {
            host("clearTimeout", &Array::of1(&timer));
        });
        let clear: Function = clear.unchecked_into();
        if let Ok(Some(then)) = get(work, "then") {
            let _ = then.unchecked_into::<Function>().call2(work, &clear, &clear);
        }
    });
    Promise::race(&Array::of2(work, &late))
}

fn timer(ms: f64) -> Promise {
    Promise::new(&mut |resolve, _| {
        if host("setTimeout", &Array::of2(&resolve, &ms.into())).is_none() {
            let _ = resolve.call0(&JsValue::UNDEFINED); // a host without timers checks again at once
        }
    })
}

/// Calls a global function of the host, if it exists.
fn host(name: &str, arguments: &Array) -> Option<JsValue> {
    let function: Function = get(&js_sys::global(), name).ok()??.dyn_into().ok()?;
    function.apply(&JsValue::UNDEFINED, arguments).ok()
}
