//! Where a session is saved, and by which version it knows that nobody else saved meanwhile.
//!
//! Of a session saved under `key` the store holds `key:head`, a text that names the current version; `key:v:VERSION`, its
//! snapshot; and `key:lease` while a summary is written. A save puts the new snapshot beside the old one and then swaps the
//! head: whoever reads, reads a whole one.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::away;
use super::background;
use super::error::context_error;
use super::inner::Inner;
use super::lease::{sleep, within};
use super::options::{Options, read_options};
use super::pending::Pending;
use super::session::Session;
use super::signal::{AbortSignal, refuse_aborted, wait};
use super::snapshot::{bytes_of_session, restored};
use super::store::Store;
use super::value::{get, known_keys, settle, text, to_js};
use crate::error::{Error, ErrorCode};
use crate::saved::Checksum;
use crate::session::SESSION;
use crate::tool_output::ToolOutputs;

/// The longest key, in bytes.
const LONGEST_KEY: usize = 200;

/// So many places where a session was saved are remembered beside the last.
const PLACES: usize = 8;

/// How often a head that moves on while it is read is read again.
const READS: u32 = 4;

/// How long a head that names no version is left to whoever is writing it, in milliseconds.
const TORN_MS: f64 = 25.0;

/// How long a save waits for the one before it, in milliseconds: a store may never have answered that.
const TURN_MS: f64 = 60_000.0;

/// What reports say of a session that was loaded without its head, until it is saved.
const FELL_BACK: &str = "the store's head of this session was cut off, as when a process dies while it saves: this is the newest version that lay there whole; look whether the last messages are there, and save";

/// Where a session was loaded from or saved last.
#[derive(Clone)]
pub struct Home {
    pub store: Store,
    pub key: String,
    /// The version that this session goes on from; `None`: nothing was there.
    pub version: Option<String>,
    /// What the head said instead, where a process had died while it wrote it.
    pub torn: Option<String>,
}

impl Home {
    fn head(&self) -> String {
        format!("{}:head", self.key)
    }

    /// The head, once whoever is writing it has: a store that writes files empties them first.
    async fn settled_head(&self) -> Result<Option<String>, JsValue> {
        let mut reads = 1;
        loop {
            let head = self.store.text(&self.head()).await?;
            if !head.as_deref().is_some_and(is_torn) || reads == READS {
                return Ok(head);
            }
            reads += 1;
            sleep(TORN_MS).await?;
        }
    }

    /// Where the lease of the summary is.
    pub fn lease(&self) -> String {
        format!("{}:lease", self.key)
    }

    pub fn is_at(&self, store: &Store, key: &str) -> bool {
        self.key == key && self.store.is(store)
    }

    fn data(&self, version: &str) -> String {
        format!("{}:v:{version}", self.key)
    }

    /// Whether somebody else saved since.
    pub async fn has_moved_on(&self) -> Result<bool, JsValue> {
        Ok(self.store.text(&self.head()).await?.as_deref() != self.expected())
    }

    /// What the head says, unless somebody else saved since.
    fn expected(&self) -> Option<&str> {
        self.torn.as_deref().or(self.version.as_deref())
    }
}

/// What a session has to do with stores.
pub struct Stores {
    /// The option `store`, or else where the session was loaded from.
    pub own: RefCell<Option<Store>>,
    pub home: RefCell<Option<Home>>,
    /// Where it was saved before that, the last places last.
    elsewhere: RefCell<Vec<Home>>,
    /// What of the own store's outputs another one has, where the session was saved last.
    pub copied: RefCell<Option<(Store, HashSet<String>)>>,
    /// Where a save may have been made that the store did not confirm.
    unsure: RefCell<Option<Home>>,
    /// The last `save`: one goes after the other.
    saving: RefCell<Option<Promise>>,
    pub pending: Pending,
    /// A lot of outputs is on its way into the store.
    pub moving: Cell<bool>,
    /// Outputs are looked through again when memory holds so many bytes of them.
    pub look_at: Cell<u64>,
    /// The output of the store that was read last, by its key.
    pub fetched: RefCell<Option<(String, Rc<ToolOutputs>)>>,
    /// Where this session has taken the lease: that may not be its home any more.
    pub leased: RefCell<Option<Home>>,
    /// By which a lease is known to be this session's: it stands in no snapshot, and nothing depends on it.
    pub token: String,
}

impl Stores {
    pub fn new(own: Option<Store>) -> Self {
        let token = format!("{:x}", (js_sys::Math::random() * 2_f64.powi(52)) as u64);
        Self {
            own: RefCell::new(own),
            home: RefCell::default(),
            elsewhere: RefCell::default(),
            copied: RefCell::default(),
            unsure: RefCell::default(),
            saving: RefCell::default(),
            pending: Pending::default(),
            moving: Cell::new(false),
            look_at: Cell::new(0),
            fetched: RefCell::default(),
            leased: RefCell::default(),
            token,
        }
    }
}

impl Stores {
    /// A place where the session was loaded from or saved.
    fn known(&self, store: &Store, key: &str) -> Option<Home> {
        let (home, elsewhere) = (self.home.borrow(), self.elsewhere.borrow());
        home.iter().chain(elsewhere.iter()).find(|home| home.is_at(store, key)).cloned()
    }

    /// Versions that it was loaded from or saved as under this key, wherever that was.
    fn versions(&self, key: &str) -> Vec<String> {
        let (home, elsewhere) = (self.home.borrow(), self.elsewhere.borrow());
        let homes = home.iter().chain(elsewhere.iter()).filter(|home| home.key == key);
        homes.filter_map(|home| home.version.clone()).collect()
    }

    fn move_to(&self, home: Home) {
        let mut elsewhere = self.elsewhere.borrow_mut();
        elsewhere.retain(|earlier| !earlier.is_at(&home.store, &home.key));
        let before = self.home.replace(Some(home.clone()));
        elsewhere.extend(before.filter(|before| !before.is_at(&home.store, &home.key)));
        if elsewhere.len() > PLACES {
            elsewhere.remove(0);
        }
    }
}

#[wasm_bindgen]
impl Session {
    /// Saves the session in a store, under a key. What it was saved over is gone then.
    ///
    /// A session that was loaded or saved before goes on from that version: where somebody else saved under the key meanwhile,
    /// nothing is overwritten. Load it again then, and push what is new. A session that is new may not overwrite one that is there.
    ///
    /// ```js
    /// import { createStorage } from "unstorage";
    /// import fsDriver from "unstorage/drivers/fs";
    ///
    /// const store = createStorage({ driver: fsDriver({ base: "./sessions" }) });
    /// await session.save(store, "chat-17");
    /// const again = await Session.load(store, "chat-17", { summarize });
    /// ```
    /// @throws {ContextError} `STORE_CONFLICT` as above; `STORE_FAILED` with the store's own error as `cause`, and nothing in memory is
    /// lost; `INVALID_ARGUMENT` for a store without `getItem`, `setItem` and `removeItem`, and for a key that no store takes.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn save(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Store")] store: JsValue,
        #[wasm_bindgen(unchecked_param_type = "string")] key: JsValue,
    ) -> Promise {
        settle(place(&store, &key).map(|(store, key)| {
            let inner = self.inner.clone();
            let before = inner.stores.saving.borrow().clone();
            let saving = future_to_promise(async move {
                if let Some(before) = before {
                    let _ = JsFuture::from(within(&before, TURN_MS)).await; // its own caller is told
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

    /// Loads a session that was saved. The store is its `store`, too, unless `options` name another.
    ///
    /// @param options As for `Session.restore`.
    /// ```js
    /// const session = await Session.load(store, "chat-17", options).catch((error) => {
    ///   if (error.code !== "UNKNOWN_REF") throw error;
    ///   return new Session(options); // nothing is saved yet
    /// });
    /// ```
    /// @throws {ContextError} `UNKNOWN_REF` where nothing is saved under the key; `STORE_FAILED` for a store that fails or gives what
    /// was never stored; `SNAPSHOT_TOO_NEW`, `INVALID_CONFIG`, `UNKNOWN_MODEL`.
    #[wasm_bindgen(unchecked_return_type = "Promise<Session>")]
    pub fn load(
        #[wasm_bindgen(unchecked_param_type = "Store")] store: JsValue,
        #[wasm_bindgen(unchecked_param_type = "string")] key: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "SessionOptions")] options: JsValue,
    ) -> Promise {
        let read = place(&store, &key).and_then(|place| Ok((place, read_options(&options)?)));
        settle(read.map(|((store, key), options)| {
            future_to_promise(async move { load(store, key, options).await.map(JsValue::from) })
        }))
    }

    /// Waits for what is under way: a summary that is being written, in the background (`compaction.background`) or for a call that
    /// waits; saves, and tool outputs on their way into the store. What was written in the background is put in by the next `prepare`
    /// or compaction.
    ///
    /// @param options `signal`: ends the wait, and nothing else: what is under way goes on.
    /// @throws {ContextError} the first error since the last call: `STORE_FAILED`, and nothing in memory is lost; `ABORTED`.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn flush(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal | undefined }")]
        options: JsValue,
    ) -> Promise {
        let signal = known_keys(&options, &["signal"]).and_then(|()| AbortSignal::of(&options));
        settle(signal.map(|signal| self.flushed(signal)))
    }

    /// What is held: bytes of the module's memory, all sessions together, which never shrinks; bytes of this session's tool outputs in it;
    /// messages of its history.
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
                background::settled(&waiting).await;
                away::settle(&waiting); // what a store refused before
                waiting.stores.pending.settled().await.map(|()| JsValue::UNDEFINED)
            });
            wait(settled, signal.as_ref(), Some(&inner.freed.promise)).await?;
            inner.stores.pending.tell().map(|()| JsValue::UNDEFINED)
        })
    }
}

/// The store and key that a caller gives.
fn place(store: &JsValue, key: &JsValue) -> Result<(Store, String), JsValue> {
    let store = Store::of(store, "store")?;
    let key = text(key, "key")?;
    let wrong = key.is_empty() || key.len() > LONGEST_KEY || key.contains('?');
    if wrong || key.chars().any(char::is_control) {
        let why =
            format!("`key`: expected a text of 1 to {LONGEST_KEY} bytes without `?` and control characters");
        return Err(Error::argument(why).into());
    }
    Ok((store, key))
}

async fn save(inner: &Rc<Inner>, store: Store, key: String) -> Result<(), JsValue> {
    inner.refuse_freed()?;
    let mut home = match inner.stores.known(&store, &key) {
        Some(home) => home,
        None => Home { version: known_version(inner, &store, &key).await?, store, key, torn: None },
    };
    settle_unsure(inner, &mut home).await?;
    away::copy_to(inner, &home.store).await?;
    let (bytes, sum) = bytes_of_session(inner)?;
    let version = next_version(home.version.as_deref(), sum);
    if home.version.as_ref() == Some(&version) && home.torn.is_none() {
        return Ok(()); // nothing happened since
    }
    let Home { store, .. } = &home;
    let data = home.data(&version);
    if let Err(error) = store.put_bytes(&data, &bytes).await {
        take_back(inner, &home, version).await;
        return Err(error);
    }
    drop(bytes);
    let swapped = store.swap(&home.head(), home.expected(), &version, None).await;
    if !matches!(swapped, Ok(true)) {
        // A swap may have been made though its answer got lost: what is there then is ours, or goes on from ours.
        let head = home.settled_head().await;
        let is_ours = matches!(&head, Ok(Some(head)) if *head == version);
        let is_certain = matches!(swapped, Ok(false)) && store.swaps_at_once();
        if !is_ours && (is_certain || !is_before(store, &data, &version, &head).await?) {
            let torn = matches!(&head, Ok(Some(head)) if is_torn(head));
            if head.is_ok() && !torn {
                let _ = store.remove(&data).await; // what is left over is never read
            } else {
                *inner.stores.unsure.borrow_mut() =
                    Some(Home { version: Some(version), torn: None, ..home.clone() });
            }
            swapped?;
            return Err(match head {
                _ if torn => names_none(&home),
                Ok(None) => removed(&home),
                _ => conflict(&home),
            });
        }
    }
    let old: Vec<String> = match &home.torn {
        None => home.version.iter().cloned().collect(),
        // Without its head, more than one was left over.
        Some(_) => versions(&home).await.unwrap_or_default().into_iter().map(|(_, old)| old).collect(),
    };
    let number = |version: &str| parse_version(version).map(|(number, _)| number);
    for old in old.iter().filter(|old| **old != version && number(old) <= number(&version)) {
        let _ = store.remove(&home.data(old)).await;
    }
    if let Ok(mut core) = inner.core_mut() {
        core.set_store_notice(None);
    }
    let (store, key) = (store.clone(), home.key.clone());
    inner.stores.own.borrow_mut().get_or_insert_with(|| store.clone());
    inner.stores.move_to(Home { store, key, version: Some(version), torn: None });
    super::lease::release(inner).await;
    Ok(())
}

/// A version that was not written to its end takes room, and is never read: it goes now, or else before the next save. One that
/// the head names was saved by another process, which had the same to say.
async fn take_back(inner: &Inner, home: &Home, version: String) {
    let head = home.store.text(&home.head()).await;
    if matches!(&head, Ok(Some(head)) if *head == version) {
        return;
    }
    if head.is_err() || home.store.remove(&home.data(&version)).await.is_err() {
        *inner.stores.unsure.borrow_mut() = Some(Home { version: Some(version), torn: None, ..home.clone() });
    }
}

/// A store that was not seen before may be one that was, by another object: what it holds under the key is what this session goes
/// on from, then. A version names its content.
async fn known_version(inner: &Inner, store: &Store, key: &str) -> Result<Option<String>, JsValue> {
    let versions = inner.stores.versions(key);
    if versions.is_empty() {
        return Ok(None);
    }
    let there =
        Home { store: store.clone(), key: key.to_owned(), version: None, torn: None }.settled_head().await?;
    Ok(there.filter(|head| versions.contains(head)))
}

/// Whether the version that is there now goes on from this one, whose data is under `data`: who saved it has taken that out. A
/// version beside this one, which took its place, leaves it.
async fn is_before(
    store: &Store,
    data: &str,
    version: &str,
    head: &Result<Option<String>, JsValue>,
) -> Result<bool, JsValue> {
    let number = |version: &str| parse_version(version).map(|(number, _)| number);
    let Ok(Some(head)) = head else { return Ok(false) };
    if number(head) <= number(version) {
        return Ok(false);
    }
    sleep(TORN_MS).await?;
    Ok(matches!(store.bytes(data).await, Ok(None)))
}

/// Asks the store whether a save was made that it did not confirm: then the session goes on from that one.
async fn settle_unsure(inner: &Inner, home: &mut Home) -> Result<(), JsValue> {
    let unsure = inner.stores.unsure.borrow().clone().filter(|unsure| unsure.is_at(&home.store, &home.key));
    let Some(unsure) = unsure else { return Ok(()) };
    let made = !unsure.has_moved_on().await?;
    let left_over = if made { std::mem::replace(&mut home.version, unsure.version) } else { unsure.version };
    if made {
        home.torn = None;
        *inner.stores.home.borrow_mut() = Some(home.clone());
    }
    inner.stores.unsure.take();
    if let Some(version) = left_over {
        let _ = home.store.remove(&home.data(&version)).await; // what is left over is never read
    }
    Ok(())
}

/// A number that grows, and a checksum: two that save at once have two versions.
fn next_version(before: Option<&str>, sum: Checksum) -> String {
    let sum = sum.to_string();
    let before = before.and_then(parse_version);
    match before {
        Some((n, same)) if same == sum => format!("v{n}-{same}"),
        _ => format!("v{}-{sum}", before.map_or(1, |(n, _)| n + 1)),
    }
}

fn is_torn(head: &str) -> bool {
    parse_version(head).is_none()
}

/// A process that died while it wrote the head left nothing of it, its beginning, or a file of zeros.
fn is_cut_off(head: &str) -> bool {
    let Some(rest) = head.strip_prefix('v') else { return head.bytes().all(|b| b == 0) };
    let (number, sum) = rest.split_once('-').unwrap_or((rest, ""));
    let begins = number.bytes().all(|b| b.is_ascii_digit()) && sum.bytes().all(|b| b.is_ascii_hexdigit());
    begins && sum.len() < 16
}

fn names_none(home: &Home) -> JsValue {
    damaged(home, "names no version", None)
}

fn parse_version(version: &str) -> Option<(u64, &str)> {
    let (n, sum) = version.strip_prefix('v')?.split_once('-')?;
    let n = n.parse().ok().filter(|n| *n < u64::MAX)?;
    (sum.len() == 16 && sum.bytes().all(|b| b.is_ascii_hexdigit())).then_some((n, sum))
}

async fn load(store: Store, key: String, options: Options) -> Result<Session, JsValue> {
    let mut home = Home { store, key, version: None, torn: None };
    let mut torn = None;
    for _ in 0..READS {
        let Some(version) = home.store.text(&home.head()).await? else {
            let key = &home.key;
            let why = format!("no session is saved under `{key}`: make one, and `save` it there");
            return Err(Error::new(ErrorCode::UnknownRef, why).into());
        };
        if is_torn(&version) {
            torn = Some(version); // another process may be about to write it
            sleep(TORN_MS).await?;
            continue;
        }
        torn = None;
        // None: somebody saved meanwhile, and took it out.
        let Some(bytes) = home.store.bytes(&home.data(&version)).await? else { continue };
        home.version = Some(version);
        return loaded(home, &bytes, options);
    }
    let Some(head) = torn else {
        return Err(damaged(&home, "names a version that is not there", None));
    };
    let Some((version, bytes)) = newest_whole(&home, &head).await? else { return Err(names_none(&home)) };
    (home.version, home.torn) = (Some(version), Some(head)); // the next save mends it
    let session = loaded(home, &bytes, options)?;
    session.inner.core_mut()?.set_store_notice(Some(FELL_BACK));
    Ok(session)
}

/// The session of a version's bytes, which goes on from it.
fn loaded(home: Home, bytes: &[u8], options: Options) -> Result<Session, JsValue> {
    let session = restored(bytes, options).map_err(|error| told(&home, error))?;
    session.inner.stores.own.borrow_mut().get_or_insert_with(|| home.store.clone());
    *session.inner.stores.home.borrow_mut() = Some(home);
    Ok(session)
}

/// The newest version that lies there whole, where a process died while it wrote the head.
async fn newest_whole(home: &Home, head: &str) -> Result<Option<(String, Vec<u8>)>, JsValue> {
    if !is_cut_off(head) {
        return Ok(None);
    }
    for (_, version) in versions(home).await?.into_iter().rev() {
        let bytes = home.store.bytes(&home.data(&version)).await?;
        if let Some(bytes) = bytes.filter(|bytes| SESSION.unframed(bytes).is_ok()) {
            return Ok(Some((version, bytes)));
        }
    }
    Ok(None)
}

/// The versions that lie under the key, the newest last, where the store lists its keys.
async fn versions(home: &Home) -> Result<Vec<(u64, String)>, JsValue> {
    let keys = home.store.keys(&home.data("")).await?;
    // A store may write `:` for `/`: what stands behind the last one is the version either way.
    let version = |key: &String| {
        let version = key.rsplit(':').next()?;
        Some((parse_version(version)?.0, version.to_owned()))
    };
    let mut versions: Vec<(u64, String)> = keys.iter().filter_map(version).collect();
    crate::sorting::sort(&mut versions);
    Ok(versions)
}

/// What a store gives that is no snapshot is the store's failure.
fn told(home: &Home, error: JsValue) -> JsValue {
    let code = get(&error, "code").ok().flatten().and_then(|code| code.as_string());
    if code.as_deref() == Some(ErrorCode::SnapshotInvalid.as_str()) {
        return damaged(home, "names what is no snapshot", Some(&error));
    }
    error
}

/// `STORE_FAILED` that no waiting mends.
fn damaged(home: &Home, how: &str, cause: Option<&JsValue>) -> JsValue {
    let (head, key) = (home.head(), &home.key);
    let why = format!(
        "the store holds no whole session under `{key}`: `{head}` {how}. Nothing in memory is lost: save it under another key. To use this key again, remove `{head}` from the store"
    );
    context_error(&Error::new(ErrorCode::StoreFailed, why), cause, None)
}

/// `STORE_CONFLICT`, with nothing there.
fn removed(home: &Home) -> JsValue {
    let key = &home.key;
    let why = if home.version.is_some() {
        format!(
            "what was saved under `{key}` was removed since this session was loaded or saved; nothing was written. If it is to be there again, save `Session.restore(session.snapshot())`, or save under another key"
        )
    } else {
        format!("somebody else saved under `{key}` and removed it; nothing was written. Save again")
    };
    context_error(&Error::new(ErrorCode::StoreConflict, why), None, None)
}

/// `STORE_CONFLICT`.
pub fn conflict(home: &Home) -> JsValue {
    let key = &home.key;
    let why = if home.version.is_some() {
        format!(
            "somebody else saved under `{key}` since this session was loaded or saved; nothing was overwritten. Load it again, and push what is new"
        )
    } else {
        format!(
            "a session is saved under `{key}` already; nothing was overwritten. Load that one, or save under another key"
        )
    };
    context_error(&Error::new(ErrorCode::StoreConflict, why), None, None)
}
