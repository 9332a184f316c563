//! Saving and loading sessions, and noticing if somebody else has saved in the meantime.
//!
//! A store holds a journal under a key: a snapshot, and the records of what came after it. A save appends new records, if the
//! journal is still at the position that this session knows.
//!
//! A store only has to append and to replace, each whole or not at all and only at the expected position; leases, retries and
//! the meaning of a conflict are handled here. A save that failed may have been made if its answer was lost: what the store has
//! behind its position is read, and if it is our own records, the save was made.
//!
//! A new snapshot replaces the records when they have more than 64 KiB and more than twice the bytes of the snapshot; after
//! `erase`, so that nothing of what was erased stays; and if what the store holds is not whole.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::arguments::{known_keys, text};
use super::away;
use super::background;
use super::error::context_error;
use super::home::{Home, conflict, last_of, number, removed};
use super::inner::Inner;
use super::journal::position;
use super::lease::within;
use super::options::{Options, read_options};
use super::session::Session;
use super::signal::{AbortSignal, refuse_aborted, wait};
use super::snapshot::{JournalTail, bytes_of_session, restored};
use super::store::{Journal, Store};
use super::thrown::code_of;
use super::value::{promise_of, to_js};
use crate::error::{Error, ErrorCode};
use crate::session::Session as Core;

/// The longest key, in bytes.
const MAX_KEY_BYTES: usize = 200;

/// A new snapshot is written when the records after the last one are more than this many times its size …
const MAX_TAIL_FACTOR: u64 = 2;

/// … and more than this many bytes.
const MIN_TAIL_BYTES: u64 = 1 << 16;

/// How long a save waits for the one before it, in milliseconds, since a store may never answer.
const MAX_WAIT_MS: f64 = 60_000.0;

#[wasm_bindgen]
impl Session {
    /// Saves the session in a store, under a key. A save writes only what is new since the last one: some hundred bytes and the new
    /// messages.
    ///
    /// A session that was loaded or saved before continues what is there. If somebody else has saved under the key in the meantime, nothing
    /// is overwritten: `refresh` the session, or load it again, and push what is new. A new session may not overwrite an existing one.
    ///
    /// ```js
    /// import { fileStore } from "contextfold/stores/files";
    ///
    /// const store = fileStore("./sessions");
    /// await session.save(store, "chat-17");
    /// const again = await Session.load(store, "chat-17", { summarize });
    /// ```
    /// @throws {ContextError} `STORE_CONFLICT` as above; `STORE_FAILED` with the store's own error as `cause` (nothing in memory is
    /// lost); `INVALID_ARGUMENT` for a store without `getItem`, `setItem` and `removeItem`, and for an invalid key.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn save(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Store")] store: JsValue,
        #[wasm_bindgen(unchecked_param_type = "string")] key: JsValue,
    ) -> Promise {
        promise_of(store_and_key(&store, &key).map(|(store, key)| {
            let inner = self.inner.clone();
            let before = inner.stores.saving.borrow().clone();
            let saving = future_to_promise(async move {
                if let Some(before) = before {
                    let _ = JsFuture::from(within(&before, MAX_WAIT_MS)).await; // its error goes to its own caller
                }
                save(&inner, store, key).await.map(|()| JsValue::UNDEFINED)
            });
            *self.inner.stores.saving.borrow_mut() = Some(saving.clone());
            let done = saving.clone();
            self.inner.stores.pending.begin(async move {
                let _ = JsFuture::from(done).await;
                Ok(())
            });
            future_to_promise(async move { JsFuture::from(saving).await })
        }))
    }

    /// Loads a saved session. The store also becomes its option `store`, unless `options` give another one.
    ///
    /// @param options As for `Session.restore`.
    /// ```js
    /// const session = await Session.load(store, "chat-17", options).catch((error) => {
    ///   if (error.code !== "UNKNOWN_REF") throw error;
    ///   return new Session(options); // nothing is saved yet
    /// });
    /// ```
    /// @throws {ContextError} `UNKNOWN_REF` if nothing is saved under the key; `STORE_FAILED` for a store that fails or returns something
    /// that was never stored; `SNAPSHOT_TOO_NEW`, `INVALID_CONFIG`, `UNKNOWN_MODEL`.
    #[wasm_bindgen(unchecked_return_type = "Promise<Session>")]
    pub fn load(
        #[wasm_bindgen(unchecked_param_type = "Store")] store: JsValue,
        #[wasm_bindgen(unchecked_param_type = "string")] key: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "SessionOptions")] options: JsValue,
    ) -> Promise {
        let read = store_and_key(&store, &key).and_then(|place| Ok((place, read_options(&options)?)));
        promise_of(read.map(|((store, key), options)| {
            future_to_promise(async move { load(store, key, options).await.map(JsValue::from) })
        }))
    }

    /// Waits for everything in progress: a summary that is being written, in the background (`compaction.background`) or for a call that
    /// waits for it; saves; and tool outputs on their way into the store. A summary from the background is applied by the next `prepare`
    /// or compaction.
    ///
    /// @param options `signal`: ends only the wait; what is in progress goes on.
    /// @throws {ContextError} the first error since the last call: `STORE_FAILED` (nothing in memory is lost); `ABORTED`.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn flush(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal | undefined }")]
        options: JsValue,
    ) -> Promise {
        let signal = known_keys(&options, &["signal"]).and_then(|()| AbortSignal::of(&options));
        promise_of(signal.map(|signal| self.flushed(signal)))
    }

    /// What is in memory: `wasm_bytes`, the bytes of WebAssembly memory of all sessions together, which never shrinks; `outputs_bytes`,
    /// the bytes of this session's tool outputs in it; `messages`, the messages of its history.
    #[wasm_bindgen(unchecked_return_type = "{ wasm_bytes: number; outputs_bytes: number; messages: number }")]
    pub fn memory(&self) -> Result<JsValue, JsValue> {
        let (outputs, messages) = self.inner.read(|core| {
            let context = core.context();
            (context.outputs.bytes(), context.history.pushed())
        })?;
        let pages = std::arch::wasm32::memory_size(0);
        let held = serde_json::json!({
            "wasm_bytes": pages as u64 * 65_536, "outputs_bytes": outputs, "messages": messages,
        });
        to_js(&held)
    }
}

impl Session {
    fn flushed(&self, signal: Option<AbortSignal>) -> Promise {
        let inner = self.inner.clone();
        future_to_promise(async move {
            refuse_aborted(signal.as_ref())?;
            inner.refuse_freed()?;
            let waiting = inner.clone();
            let settled = future_to_promise(async move {
                background::all_requests_done(&waiting).await;
                away::move_due_outputs(&waiting); // retry what a store refused before
                waiting.stores.pending.all_done().await.map(|()| JsValue::UNDEFINED)
            });
            wait(settled, signal.as_ref(), Some(&inner.freed.promise)).await?;
            inner.stores.pending.take_error().map(|()| JsValue::UNDEFINED)
        })
    }
}

/// Reads the store and key of a call.
fn store_and_key(store: &JsValue, key: &JsValue) -> Result<(Store, String), JsValue> {
    let store = Store::of(store, "store")?;
    let key = text(key, "key")?;
    let wrong = key.is_empty() || key.len() > MAX_KEY_BYTES || key.contains('?');
    if wrong || key.chars().any(char::is_control) {
        let why = format!(
            "`key`: expected a text of 1 to {MAX_KEY_BYTES} bytes without `?` and control characters"
        );
        return Err(Error::argument(why).into());
    }
    Ok((store, key))
}

async fn save(inner: &Rc<Inner>, store: Store, key: String) -> Result<(), JsValue> {
    inner.refuse_freed()?;
    let known = inner.stores.unconfirmed(&store, &key).or_else(|| inner.stores.known_home(&store, &key));
    let mut home = match known {
        Some(home) => home,
        None => known_in_other_object(inner, store, key).await?,
    };
    away::copy_to(inner, &home.store).await?;
    for last in [false, true] {
        let now = position(inner)?; // read again each time, since the session as it is then is written
        if home.position == Some(now) && !home.is_incomplete {
            break; // nothing has changed since
        }
        match write(inner, &mut home, now).await {
            Ok(()) => break,
            Err(error) => {
                let looked = after_failed_save(inner, &mut home, now, error, last).await;
                if looked.as_ref().is_err_and(is_conflict) {
                    super::lease::release(inner).await; // whoever loads what the store has need not wait for this session
                }
                looked?;
            }
        }
    }
    if let Ok(mut core) = inner.core_mut() {
        core.set_store_notice(home.store.notice());
    }
    inner.stores.own.borrow_mut().get_or_insert_with(|| home.store.clone());
    inner.stores.move_to(home);
    super::lease::release(inner).await;
    Ok(())
}

/// Appends what is new, or writes a new snapshot if the records have grown too large.
async fn write(inner: &Rc<Inner>, home: &mut Home, now: u64) -> Result<(), JsValue> {
    let records = match home.position.filter(|_| !home.is_incomplete) {
        Some(at) => inner.read(|core| core.records_since(at))?,
        None => None,
    };
    let records = records.filter(|records| {
        home.tail + records.len() as u64 <= MIN_TAIL_BYTES.max(MAX_TAIL_FACTOR * home.snapshot)
    });
    if let (Some(at), Some(records)) = (home.position, records) {
        inner.stores.note_attempt(home, now, inner.read(Core::newest_record)?);
        home.store.append(&home.key, at, &records).await?;
        home.tail += records.len() as u64;
    } else {
        let (bytes, sum) = bytes_of_session(inner)?;
        inner.stores.note_attempt(home, now, number(sum));
        home.store.replace(&home.key, home.position, &bytes, now).await?;
        (home.snapshot, home.tail) = (u64::from(bytes.length()), 0);
    }
    (home.position, home.is_incomplete) = (Some(now), false);
    home.last = home.attempts.drain(..).next_back().map(|(_, sum)| sum);
    Ok(())
}

fn is_conflict(error: &JsValue) -> bool {
    code_of(error).as_deref() == Some(ErrorCode::StoreConflict.as_str())
}

/// After a failed save, looks at what the store holds. The answer to a save may have got lost; then the next try continues from
/// there. If somebody else has saved, it is a conflict.
async fn after_failed_save(
    inner: &Rc<Inner>,
    home: &mut Home,
    now: u64,
    error: JsValue,
    last: bool,
) -> Result<(), JsValue> {
    let conflicts = is_conflict(&error);
    let there = home.store.read(&home.key, home.position).await;
    let there = match there {
        Ok(there) => there,
        Err(_) if !conflicts => return Err(error), // what it holds is unknown: the next save looks again
        Err(unreadable) => return Err(unreadable),
    };
    let Some(there) = there else {
        return Err(if home.position.is_none() && !conflicts { error } else { removed(home) });
    };
    if Some(there.position) == home.position || there.notice.is_some() {
        return Err(error); // nothing was written; or what is there is a guess, and does not prove that a save succeeded
    }
    let is_tried = |sum: Option<u64>| sum.is_some_and(|sum| home.attempts.contains(&(there.position, sum)));
    let is_ours = match (&there.snapshot, home.position) {
        (None, Some(at)) if there.position > at => {
            let ours = inner.read(|core| core.records_since(at))?;
            ours.is_some_and(|ours| ours.starts_with(&there.records)) || is_tried(last_of(&there))
        }
        // The store went back, as to a backup: it is ours if this session was at that position, else another session took the key.
        (None, Some(_)) => was_at(inner, there.position)?,
        _ => there.records.is_empty() && is_tried(last_of(&there)),
    };
    if !is_ours || there.position > now {
        return Err(conflict(home));
    }
    *home = Home { attempts: Vec::new(), ..home.clone().advanced_to(&there) };
    inner.stores.move_to(home.clone());
    if last && there.position != now { Err(error) } else { Ok(()) }
}

/// Whether the session was at a position and still has the records since: then a journal at that position is its own.
pub fn was_at(inner: &Inner, position: u64) -> Result<bool, JsValue> {
    inner.read(|core| core.records_since(position).is_some())
}

/// Waits for the session's own saves.
pub async fn own_saves_done(inner: &Inner) {
    let last = inner.stores.saving.borrow().clone();
    if let Some(last) = last {
        let _ = JsFuture::from(within(&last, MAX_WAIT_MS)).await; // its error goes to its own caller
    }
}

/// A store that looks new may be a known one in another object. If it holds what this session saved under the key, the session
/// continues from there.
async fn known_in_other_object(inner: &Inner, store: Store, key: String) -> Result<Home, JsValue> {
    let home = Home::new(store, key);
    let known = inner.stores.homes_under(&home.key);
    let Some(newest) = known.iter().filter_map(|known| known.position).max() else { return Ok(home) };
    let mut there = home.store.read(&home.key, Some(newest)).await?;
    let at = there.as_ref().map(|there| there.position);
    if let Some(at) = at.filter(|_| known.iter().any(|known| known.position == at)) {
        there = home.store.read(&home.key, Some(at.saturating_sub(1))).await?; // with its last record
    }
    let is_there = |known: &Home| {
        let same = |there: &Journal| known.position == Some(there.position) && known.last == last_of(there);
        there.as_ref().is_some_and(same)
    };
    let there = known.into_iter().find(is_there);
    Ok(match there {
        Some(there) => Home { store: home.store, ..there },
        None => home,
    })
}

async fn load(store: Store, key: String, options: Options) -> Result<Session, JsValue> {
    let home = Home::new(store, key);
    let Some(there) = home.store.read(&home.key, None).await? else {
        let key = &home.key;
        let why = format!("no session is saved under `{key}`: create one and `save` it there");
        return Err(Error::new(ErrorCode::UnknownRef, why).into());
    };
    loaded(home, there, options)
}

/// The session that a store holds, ready to be saved there again.
fn loaded(home: Home, there: Journal, options: Options) -> Result<Session, JsValue> {
    let mut home = home.advanced_to(&there);
    let Journal { position, snapshot, snapshot_position, records, notice } = there;
    let behind = JournalTail { position: Some(snapshot_position), records };
    let session = restored(&snapshot.unwrap_or_default(), &behind, options);
    let session = session.map_err(|error| store_failure(&home, error))?;
    let at = session.inner.read(Core::saved_position)?;
    // If the last records are incomplete, the store's position is ahead of the session's. The next save repairs that.
    (home.position, home.is_incomplete) = (Some(position), notice.is_some() || at != position);
    if at < position {
        session.inner.core_mut()?.begin_journal(position + 1);
    }
    if let Some(notice) = notice.or_else(|| home.store.notice()) {
        session.inner.core_mut()?.set_store_notice(Some(notice));
    }
    session.inner.stores.own.borrow_mut().get_or_insert_with(|| home.store.clone());
    *session.inner.stores.home.borrow_mut() = Some(home);
    Ok(session)
}

/// Replaces the session by what a store holds of it; it keeps its own functions.
pub fn replace_by_stored(inner: &Rc<Inner>, home: Home, there: Journal) -> Result<(), JsValue> {
    let again = loaded(home, there, inner.functions_of_core()?)?;
    inner.take_over(&again.inner)
}

/// If the store returns something that is not a session, the store has failed.
fn store_failure(home: &Home, error: JsValue) -> JsValue {
    if code_of(&error).as_deref() == Some(ErrorCode::SnapshotInvalid.as_str()) {
        let key = &home.key;
        let why = format!(
            "the session in the store under `{key}` is damaged, incomplete, or encrypted (then the store has to be wrapped as it was when it was saved). Nothing in memory is lost: save it under another key. To use this key again, remove its data from the store"
        );
        return context_error(&Error::new(ErrorCode::StoreFailed, why), Some(&error), None);
    }
    error
}
