//! Saving and loading sessions: arguments, and the steps that `pkg/host/saving.js` and `refresh.js` put together.

use std::rc::Rc;

use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::prelude::*;

use super::arguments::{known_keys, text, whole};
use super::engine::Engine;
use super::host::{Host, host};
use super::inner::Inner;
use super::journal::{mark_side, position, take_in};
use super::options::{Options, read_options};
use super::run::refuse_flush_in_callback;
use super::session::Session;
use super::signal::AbortSignal;
use super::snapshot::{JournalTail, bytes_of_session, restored};
use super::store::Store;
use super::text_pieces::bytes_of;
use super::value::{get, to_js};
use crate::error::{Error, ErrorCode};
use crate::saved::{Checksum, Records};
use crate::session::MAX_POSITION_GAP;

#[wasm_bindgen]
extern "C" {
    /// Saves the session under a key.
    #[wasm_bindgen(method)]
    fn save(this: &Host, engine: Engine, store: &JsValue, key: &str) -> Promise;
    /// Loads the session under a key.
    #[wasm_bindgen(method)]
    fn load(this: &Host, loader: Loader, store: &JsValue, key: &str) -> Promise;
    /// Waits for everything in progress.
    #[wasm_bindgen(method)]
    fn flush(this: &Host, engine: Engine, signal: Option<AbortSignal>) -> Promise;
    /// Reads what other processes have saved.
    #[wasm_bindgen(method)]
    fn refresh(this: &Host, engine: Engine) -> Promise;
}

/// The longest key, in bytes.
const MAX_KEY_BYTES: usize = 200;

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
    ) -> Result<Promise, JsValue> {
        let (store, key) = place(&store, &key)?;
        host(|host| host.save(self.engine(), store.object(), &key))
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
    ) -> Result<Promise, JsValue> {
        let (store, key) = place(&store, &key)?;
        let loader = Loader::new(read_options(&options)?, None);
        host(|host| host.load(loader, store.object(), &key))
    }

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
    pub fn refresh(&self) -> Result<Promise, JsValue> {
        host(|host| host.refresh(self.engine()))
    }

    /// Waits for everything in progress: a summary that is being written, in the background (`compaction.background`) or for a call that
    /// waits for it; saves; and tool outputs on their way into the store. A summary from the background is applied by the next `prepare`
    /// or compaction.
    ///
    /// The `summarize` callback and the methods of the store must not wait for it, since it waits for them: it would never resolve.
    /// Only a call by `summarize` before its first `await` can be told from others; that throws. In doubt, pass a `signal`.
    ///
    /// @param options `signal`: ends only the wait; what is in progress goes on.
    /// @throws {ContextError} the first error since the last call: `STORE_FAILED` (nothing in memory is lost); `ABORTED`;
    /// `INVALID_ARGUMENT` if the `summarize` callback calls it, which it would wait for.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn flush(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ signal?: AbortSignal | undefined }")]
        options: JsValue,
    ) -> Result<Promise, JsValue> {
        known_keys(&options, &["signal"])?;
        let signal = AbortSignal::of(&options)?;
        refuse_flush_in_callback(&self.inner)?;
        host(|host| host.flush(self.engine(), signal))
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

/// Reads the store and key of a call.
fn place(store: &JsValue, key: &JsValue) -> Result<(Store, String), JsValue> {
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

/// Reads a session from what a store holds.
#[wasm_bindgen(skip_typescript)]
pub struct Loader {
    options: Option<Options>,
    opened: Option<Rc<Inner>>,
    /// The session that takes over what was read.
    reader: Option<Rc<Inner>>,
}

impl Loader {
    fn new(options: Options, reader: Option<Rc<Inner>>) -> Self {
        Self { options: Some(options), opened: None, reader }
    }
}

#[wasm_bindgen]
impl Loader {
    /// Reads the session.
    pub fn open(&mut self, there: JsValue) -> Result<Engine, JsValue> {
        let bytes = |key: &str| get(&there, key).map(|held| held.and_then(|held| bytes_of(&held)));
        let snapshot = bytes("snapshot")?.unwrap_or_default().to_vec();
        let position = whole(&get(&there, "snapshotPosition")?.unwrap_or_default(), "snapshotPosition")?;
        let records = bytes("records")?.unwrap_or_default().to_vec();
        let tail = JournalTail { position: Some(position), records };
        let opened = restored(&snapshot, &tail, self.options.take().unwrap_or_default())?;
        self.opened = Some(opened.clone());
        Ok(Engine::new(&opened))
    }

    /// Lets the session that reads continue with the state of the one that was read.
    #[wasm_bindgen(js_name = takeOver)]
    pub fn take_over(&mut self) -> Result<bool, JsValue> {
        let (Some(reader), Some(opened)) = (&self.reader, self.opened.take()) else { return Ok(false) };
        reader.take_over(&opened)?;
        Ok(true)
    }
}

/// The checksum of the last record, or else of the snapshot, of what a store holds.
#[wasm_bindgen(js_name = journalEnd, skip_typescript)]
pub fn journal_end(snapshot: JsValue, records: JsValue) -> Result<JsValue, JsValue> {
    let first_line = |snapshot: Uint8Array| snapshot.subarray(0, 100).to_vec(); // it has the checksum
    let of_snapshot = || Checksum::in_head_of(&first_line(bytes_of(&snapshot)?)).map(Checksum::to_bytes);
    let records = bytes_of(&records).unwrap_or_default().to_vec();
    let records = Records::read(&records)?;
    let last = records.whole.last().map(|record| record.sum.to_le_bytes());
    Ok(last.or_else(of_snapshot).map_or(JsValue::UNDEFINED, checksum))
}

/// A checksum as JavaScript compares it.
fn checksum(bytes: [u8; 8]) -> JsValue {
    u64::from_le_bytes(bytes).to_string().into()
}

#[wasm_bindgen]
impl Engine {
    /// The session's object.
    pub fn session(&self) -> Session {
        Session { inner: self.inner.clone() }
    }

    /// The session's position. If anything has changed, it is recorded first.
    pub fn position(&self) -> Result<f64, JsValue> {
        position(&self.inner).map(|position| position as f64)
    }

    /// The position of the last record.
    #[wasm_bindgen(getter, js_name = recordedPosition)]
    pub fn recorded_position(&self) -> Result<f64, JsValue> {
        self.inner.read(|core| core.saved_position() as f64)
    }

    /// Begins a journal at a position, so that it continues what a store holds.
    #[wasm_bindgen(js_name = beginJournal)]
    pub fn begin_journal(&self, position: JsValue) -> Result<(), JsValue> {
        self.inner.core_mut()?.begin_journal(whole(&position, "position")?, 0);
        Ok(())
    }

    /// The records after a position, each by itself; `undefined` if they are no longer kept, or if the session was never there.
    #[wasm_bindgen(js_name = recordsSince)]
    pub fn records_since(&self, position: JsValue) -> Result<JsValue, JsValue> {
        let position = whole(&position, "position")?;
        let Some(records) = self.inner.read(|core| core.records_since(position))? else {
            return Ok(JsValue::UNDEFINED);
        };
        Ok(Records::frames(&records)
            .map(|frame| JsValue::from(Uint8Array::from(frame)))
            .collect::<Array>()
            .into())
    }

    /// The checksum of the newest record.
    #[wasm_bindgen(getter, js_name = newestRecord)]
    pub fn newest_record(&self) -> Result<JsValue, JsValue> {
        self.inner.read(|core| checksum(core.newest_record().to_le_bytes()))
    }

    /// The whole session.
    pub fn snapshot(&self) -> Result<Uint8Array, JsValue> {
        bytes_of_session(&self.inner)
    }

    /// Sets what reports say about the store.
    #[wasm_bindgen(js_name = setStoreNotice)]
    pub fn set_store_notice(&self, notice: Option<String>) {
        if let Ok(mut core) = self.inner.core_mut() {
            core.set_store_notice(notice);
        }
    }

    /// Whether a position is so far ahead that another session must have saved there.
    #[wasm_bindgen(js_name = isOfAnother)]
    pub fn is_of_another(&self, position: JsValue) -> Result<bool, JsValue> {
        let position = whole(&position, "position")?;
        self.inner.read(|core| position.saturating_sub(core.saved_position()) > MAX_POSITION_GAP)
    }

    /// The session's own functions, for a session that is read anew.
    pub fn loader(&self) -> Result<Loader, JsValue> {
        Ok(Loader::new(self.inner.functions_of_core()?, Some(self.inner.clone())))
    }

    /// Applies the records that another process saved, up to a position. Returns false if the session has to be read from the
    /// beginning.
    #[wasm_bindgen(js_name = takeIn)]
    pub fn take_in(&self, records: JsValue, position: JsValue) -> Result<bool, JsValue> {
        let records = bytes_of(&records).unwrap_or_default().to_vec();
        let (records, position) = (Records::read(&records)?, whole(&position, "position")?);
        let Some((again, changes)) = self.inner.read(|core| core.with_records(&records.whole))?? else {
            return Ok(false);
        };
        if again.saved_position() != position {
            let why = format!("the record at position {} is incomplete", again.saved_position() + 1);
            return Err(Error::new(ErrorCode::SnapshotInvalid, why).into());
        }
        take_in(&self.inner, &changes, again.context().history.len())?;
        self.inner.write_quietly(|core| {
            core.take_over(again);
            Ok(())
        })?;
        mark_side(&self.inner)?;
        Ok(true)
    }
}
