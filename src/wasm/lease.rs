//! Two processes on one session: only one of them asks for a summary. The other waits for it, and then loads the session again.
//!
//! The lease is a text in the store that says who has it and until when. It is given back when the summary failed, and when the
//! session was saved with it; a process that died gives it back by its end.

use std::rc::Rc;

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;

use super::inner::Inner;
use super::signal::{AbortSignal, wait};
use super::stores::{Home, conflict};

/// How long a summary may take before another process may ask for it as well, in milliseconds.
const TTL_MS: f64 = 120_000.0;

/// How often one that waits looks whether the lease is free, in milliseconds.
const LOOK_MS: f64 = 200.0;

/// Takes the lease, where the session is saved somewhere. Waits for another process that has it: when that one saved, this
/// session is an old one (`STORE_CONFLICT`). A store that fails keeps nobody from a summary.
pub async fn take(inner: &Rc<Inner>, signal: Option<&AbortSignal>) -> Result<(), JsValue> {
    let Some(home) = inner.stores.home.borrow().clone() else { return Ok(()) };
    let mut waited = false;
    loop {
        let Ok(left) = try_to_take(inner, &home).await else { return Ok(()) };
        if waited && home.has_moved_on().await.unwrap_or(false) {
            if left.is_none() {
                give_back(inner, &home).await;
            }
            return Err(conflict(&home));
        }
        let Some(left) = left else { return Ok(()) };
        waited = true;
        wait(sleep(left.clamp(1.0, LOOK_MS)), signal, Some(&inner.freed.promise)).await?;
    }
}

/// Gives the lease back, if this session has it.
pub async fn release(inner: &Rc<Inner>) {
    let home = inner.stores.home.borrow().clone();
    if let Some(home) = home {
        give_back(inner, &home).await;
    }
}

async fn give_back(inner: &Inner, home: &Home) {
    if !inner.stores.leased.replace(false) {
        return;
    }
    let key = home.lease();
    let held = home.store.text(&key).await.ok().flatten();
    if held.as_deref().and_then(parse).is_some_and(|(_, token)| token == inner.stores.token) {
        let _ = home.store.remove(&key).await; // it ends by itself
    }
}

/// `None`: it is ours. Otherwise the milliseconds for which another one has it.
async fn try_to_take(inner: &Inner, home: &Home) -> Result<Option<f64>, JsValue> {
    let key = home.lease();
    let now = inner.clock();
    let there = home.store.text(&key).await?;
    if let Some((until, token)) = there.as_deref().and_then(parse)
        && token != inner.stores.token
        && until > now
    {
        return Ok(Some(until - now));
    }
    let mine = format!("lease-{}-{}", now + TTL_MS, inner.stores.token);
    let taken = home.store.swap(&key, there.as_deref(), &mine, Some(TTL_MS)).await?;
    if taken {
        inner.stores.leased.set(true);
    }
    Ok((!taken).then_some(LOOK_MS))
}

fn parse(lease: &str) -> Option<(f64, &str)> {
    let (until, token) = lease.strip_prefix("lease-")?.rsplit_once('-')?;
    Some((until.parse().ok()?, token))
}

fn sleep(ms: f64) -> Promise {
    Promise::new(&mut |resolve, _| {
        let timer = Reflect::get(&js_sys::global(), &"setTimeout".into()).ok();
        let set = timer.and_then(|timer| timer.dyn_into::<Function>().ok());
        let waits = set.is_some_and(|set| set.call2(&JsValue::UNDEFINED, &resolve, &ms.into()).is_ok());
        if !waits {
            let _ = resolve.call0(&JsValue::UNDEFINED); // a host without timers looks again at once
        }
    })
}
