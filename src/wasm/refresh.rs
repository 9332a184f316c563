//! A session that catches up with what another process saved.
//!
//! It reads the missing records into a copy that shares its messages; the session then becomes that copy, or stays as it was.
//! If options or the way of counting changed, the session is read from the beginning.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::error::context_error;
use super::home::{Home, conflict, removed};
use super::inner::Inner;
use super::journal::{mark_side, position, take_in};
use super::saving;
use super::session::Session;
use super::store::Journal;
use crate::error::{Error, ErrorCode};
use crate::saved::Records;
use crate::session::MAX_POSITION_GAP;

#[wasm_bindgen]
impl Session {
    /// Reads what other processes have saved of this session since it was loaded or saved; only what is new is read. Resolves to
    /// whether there was anything new.
    ///
    /// ```js
    /// await session.refresh(); // before a turn, where several servers work on one conversation
    /// ```
    /// @throws {ContextError} `STORE_CONFLICT` if others have saved and this session has unsaved changes of its own (load it again, and
    /// push what is new), and if it was removed from the store; `INVALID_ARGUMENT` if the session was neither loaded nor saved, and while
    /// a compaction is running; `STORE_FAILED`. Then the session has not changed.
    #[wasm_bindgen(unchecked_return_type = "Promise<boolean>")]
    pub fn refresh(&self) -> Promise {
        let inner = self.inner.clone();
        future_to_promise(async move { refresh(&inner).await.map(JsValue::from) })
    }
}

async fn refresh(inner: &Rc<Inner>) -> Result<bool, JsValue> {
    inner.refuse_freed()?;
    loop {
        saving::own_saves_done(inner).await;
        let home = home_of(inner)?;
        let there = home.store.read(&home.key, home.position()).await?;
        if !home_of(inner)?.is(&home) {
            continue; // this session was saved in the meantime
        }
        let Some(there) = there else { return Err(removed(&home)) };
        if Some(there.position) == home.position() {
            return Ok(false);
        }
        return catch_up(inner, home, there).await;
    }
}

/// Where the session was saved last, or loaded from.
fn home_of(inner: &Inner) -> Result<Home, JsValue> {
    inner.refuse_freed()?;
    let home = inner.stores.home.borrow().clone();
    let why = "the session was not loaded from a store or saved to one";
    home.ok_or_else(|| Error::argument(why).into())
}

async fn catch_up(inner: &Rc<Inner>, home: Home, there: Journal) -> Result<bool, JsValue> {
    let known = home.position().unwrap_or_default();
    if there.position < known {
        // The store went back, as to a backup. The next save writes what it lacks; if those records are gone, it is a conflict.
        if !saving::was_at(inner, there.position)? {
            return Err(conflict(&home));
        }
        inner.stores.move_to(home.advanced_to(&there));
        return Ok(false);
    }
    if there.position - known > MAX_POSITION_GAP {
        // The session was removed, and another one took the key.
        return Err(conflict(&home));
    }
    refuse_changed(inner, &home)?;
    if there.snapshot.is_none() && there.notice.is_none() && caught_up(inner, &home, &there)? {
        return Ok(true);
    }
    // Options have changed, or what is new is in a snapshot.
    let there = if there.snapshot.is_some() { Some(there) } else { home.store.read(&home.key, None).await? };
    let Some(there) = there else { return Err(removed(&home)) };
    refuse_changed(inner, &home)?; // the store may have taken a while
    saving::replace_by_stored(inner, home, there)?;
    Ok(true)
}

/// Refuses if this session has unsaved changes or a running compaction.
fn refuse_changed(inner: &Inner, home: &Home) -> Result<(), JsValue> {
    inner.refuse_freed()?;
    if Some(position(inner)?) != home.position() {
        return Err(conflict(home));
    }
    if inner.running.borrow().is_some() {
        return Err(Error::argument("a compaction is running: wait for it").into());
    }
    Ok(())
}

/// Applies records to the session; returns false if the session has to be read from the beginning.
fn caught_up(inner: &Rc<Inner>, home: &Home, there: &Journal) -> Result<bool, JsValue> {
    let records = Records::read(&there.records).map_err(|error| damaged(home, error))?;
    let again = inner.read(|core| core.with_records(&records.whole))?;
    let Some((again, host)) = again.map_err(|error| damaged(home, error))? else { return Ok(false) };
    if again.saved_position() != there.position {
        let why = format!("the record at position {} is incomplete", again.saved_position() + 1);
        return Err(damaged(home, Error::new(ErrorCode::SnapshotInvalid, why)));
    }
    take_in(inner, &host, again.context().history.len())?;
    inner.write_quietly(|core| {
        core.take_over(again);
        Ok(())
    })?;
    mark_side(inner)?;
    inner.stores.move_to(home.clone().advanced_to(there));
    inner.deliver_events();
    Ok(true)
}

fn damaged(home: &Home, error: Error) -> JsValue {
    if error.code() != ErrorCode::SnapshotInvalid {
        return error.into();
    }
    let why = format!("the data in the store under `{}` does not continue what was loaded from it", home.key);
    context_error(&Error::new(ErrorCode::StoreFailed, why), Some(&error.into()), None)
}
