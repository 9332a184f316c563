//! A session as bytes, including what only the JavaScript side knows: the pushed objects, and the caller's own list.

use std::rc::Rc;

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use super::arguments::{plain_object, take, whole};
use super::inner::Inner;
use super::journal::{TORN, mark_side, records_of, side_since, take_in};
use super::option_changes::precount_session;
use super::options::{Options, read_options, require_price};
use super::session::Session;
use super::side::SideMark;
use super::text_pieces::bytes_of;
use super::tokens::loaded_counter;
use crate::error::{Error, Result};
use crate::saved::Records;
use crate::session::{Restored, SESSION, Session as Core};
use crate::tokens::{BytesPerFour, Counter, Estimate};

#[wasm_bindgen]
impl Session {
    /// The session as bytes: history, view, folds, tool outputs, header, pins, what was learnt from usage, the report of the last
    /// successful run, and the options that are plain data. The same session always gives the same bytes. A compaction that is running, or
    /// that failed, leaves no trace in them, except for the pause after a failed summary in the background
    /// (`compaction.background: true`), and for folds that were accepted before a later pass failed.
    ///
    /// ```js
    /// const bytes = session.snapshot();
    /// const again = Session.restore(bytes, { summarize }); // goes on where the other one was
    /// ```
    /// Tool outputs that are only in the store (`toolOutputCache.memoryBytes`) stay there; the bytes contain only their refs.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array")]
    pub fn snapshot(&self) -> std::result::Result<Uint8Array, JsValue> {
        bytes_of_session(&self.inner)
    }

    /// Restores a session from the bytes of `snapshot`, and from the `changes` after it. Bytes of older versions can be read too.
    ///
    /// @param options Replace the saved options, key by key. Functions (`summarize`, `now`, `onCost`, `compaction.redact`, a tokenizer
    /// function) and the `store` are not saved: give them again. If the session had a `summarize` and you give none, the built-in
    /// summariser is used, and `report.notices` says so. If it had a `redact`, `compaction: { redact: null }` restores it without one.
    /// Changed options apply from the next `prepare` on. With another `model` or `tokenizer`, everything is counted again, and what was
    /// learnt from the usage of the old one is forgotten. A limit that `recover` learnt stays, unless `model`, `models`,
    /// `contextWindow` or `reservedOutputTokens` is given.
    /// @throws {ContextError} `SNAPSHOT_INVALID` for bytes that are damaged or not of a session, and for changes that are of another
    /// session, damaged or incomplete (the message names the position); `SNAPSHOT_TOO_NEW` for bytes of a newer version of this
    /// package; `INVALID_CONFIG`, also if the session had a `compaction.redact` that is not given again, or counted with a function or
    /// an encoding that is neither given nor loaded; `UNKNOWN_MODEL`.
    pub fn restore(
        #[wasm_bindgen(unchecked_param_type = "Uint8Array")] bytes: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "RestoreOptions")] options: JsValue,
    ) -> std::result::Result<Session, JsValue> {
        let bytes =
            bytes_of(&bytes).ok_or_else(|| Error::argument("`bytes`: expected a Uint8Array"))?.to_vec();
        let (options, tail) = tail_of(&options)?;
        Ok(Session { inner: restored(&bytes, &tail, read_options(&options)?)? })
    }
}

/// The session as bytes. They are assembled in JavaScript, since WebAssembly memory never shrinks.
pub fn bytes_of_session(inner: &Inner) -> std::result::Result<Uint8Array, JsValue> {
    let handles = inner.handles()?;
    let mut pieces: Vec<Uint8Array> = Vec::new();
    let sum = inner.read(|core| {
        let side = side_since(&SideMark::default(), handles.all_pushed(), inner, &handles, core);
        core.write_snapshot(side, &mut |piece| pieces.push(piece.into()))
    })?;
    pieces.insert(0, SESSION.head(sum).as_bytes().into());
    let bytes = Uint8Array::new_with_length(pieces.iter().map(Uint8Array::length).sum());
    let mut at = 0;
    for piece in pieces {
        bytes.set(&piece, at);
        at += piece.length();
    }
    Ok(bytes)
}

/// The records of a journal after a snapshot.
#[derive(Default)]
pub struct JournalTail {
    /// The position of the snapshot, if known.
    pub position: Option<u64>,
    pub records: Vec<u8>,
}

/// Splits the options of `restore` into the rest of the options and what they say of a journal.
fn tail_of(options: &JsValue) -> std::result::Result<(JsValue, JournalTail), JsValue> {
    let plain = plain_object(options)?;
    let position = take(&plain, "position")?.map(|position| whole(&position, "position")).transpose()?;
    let records = take(&plain, "changes")?.map(|records| records_of(&records)).transpose()?;
    Ok((plain.into(), JournalTail { position, records: records.unwrap_or_default() }))
}

/// The session of these bytes, and of the records after them.
pub fn restored(
    bytes: &[u8],
    behind: &JournalTail,
    mut options: Options,
) -> std::result::Result<Rc<Inner>, JsValue> {
    let records = Records::read(&behind.records)?;
    let redact = std::mem::take(&mut options.redact);
    let redact_is_set = redact.is_set();
    let restored =
        Core::restore_with(bytes, behind.position, &records.whole, redact.into_function(), |method| {
            counter(&options, method)
        })?;
    let Restored { mut session, host, counted_otherwise, redacted } = restored;
    if redacted && !redact_is_set {
        let why = "the session was saved with a redact function, and functions are not saved: pass it again, or `null` to send texts unredacted";
        return Err(Error::config("compaction.redact", why).into());
    }
    session.set_summarizer(options.summarize.is_some());
    session.context_mut().placeholder_writer = std::mem::take(&mut options.describe).into_function();
    session.context_mut().customs = options.customs.take().unwrap_or_default();
    let changes = options.plain.as_object().is_some_and(|plain| !plain.is_empty());
    let config = if changes { session.config().with(&options.plain)? } else { session.config().clone() };
    // Options that equal the saved ones change nothing.
    if config.given != session.config().given || counted_otherwise {
        if let Some(callback) = options.callback() {
            precount_session(callback, &session, config.model.as_deref())?;
        }
        session.set_options(config, counted_otherwise.then(|| options.counter()));
    }
    if options.on_cost.is_function() {
        require_price(session.config())?;
    }
    let nodes = session.context().history.len();
    let inner = Inner::new(session, options);
    take_in(&inner, &host, nodes)?;
    mark_side(&inner)?;
    if records.torn {
        inner.core_mut()?.set_store_notice(Some(TORN.to_owned()));
    }
    Ok(inner.into())
}

/// The counter given in the options, or else the one that the session used.
fn counter(options: &Options, method: &str) -> Result<Counter> {
    if options.tokenizer.is_some() {
        return Ok(options.counter());
    }
    match method {
        "estimate" => Ok(std::sync::Arc::new(Estimate)),
        "bytes/4" => Ok(std::sync::Arc::new(BytesPerFour)),
        "callback" => Err(Error::config(
            "tokenizer",
            "the session counted tokens with a function, which is not saved; pass it again",
        )),
        name => loaded_counter(name).ok_or_else(|| {
            let why = format!(
                "the session counted tokens with {name}: pass `await loadEncoding(\"{name}\")`, the tokenizer of that name, or another one"
            );
            Error::config("tokenizer", why)
        }),
    }
}
