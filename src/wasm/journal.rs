//! The journal of a session: what has changed since it was saved, including what only the JavaScript side knows.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;

use super::arguments::whole;
use super::calls_of::CallsOf;
use super::handles::{Handles, PushedAs};
use super::inner::Inner;
use super::line::Stretch;
use super::session::Session;
use super::side::{SideChanges, SideMark, characters, other_list, saved_stretch, split_characters};
use super::text_pieces::bytes_of;
use super::value::to_js;
use crate::context::NodeIndex;
use crate::error::{Error, Result};
use crate::saved::{ListEdit, MapEdit, Records};
use crate::session::Session as Core;
use crate::tokens::{Counter, Estimate};

/// The notice for a session whose last journal record is incomplete.
pub const TORN: &str = "the last record of this session's journal is incomplete and was ignored, probably because a process died while saving: check that the last messages are there, then save";

#[wasm_bindgen]
impl Session {
    /// The session's position: a number that rises with every recorded change. `changes(position)` returns what came after a position.
    /// It starts at a random number, so that one session is not taken for another.
    #[wasm_bindgen(getter)]
    pub fn position(&self) -> std::result::Result<f64, JsValue> {
        position(&self.inner).map(|position| position as f64)
    }

    /// What is new since a position, as journal records. `Session.restore(snapshot, { position, changes })` applies them without
    /// counting any tokens again. If you keep sessions in a store, `save` and `load` do this for you; see `docs/stores.md`.
    ///
    /// ```js
    /// const snapshot = session.snapshot();
    /// const { position } = session; // of the snapshot
    /// session.push({ role: "user", content: "And the tests?" });
    /// const changes = session.changes(position); // some hundred bytes
    /// const again = Session.restore(snapshot, { position, changes });
    /// ```
    /// @param since An earlier position of the session. The newest records are kept in memory, up to 256 KiB of them.
    /// @returns The records, empty if nothing has changed; `null` if they are no longer kept: take a `snapshot` then.
    /// @throws {ContextError} `INVALID_ARGUMENT` for a position that the session has not reached.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array | null")]
    pub fn changes(
        &self,
        #[wasm_bindgen(unchecked_param_type = "number")] since: JsValue,
    ) -> std::result::Result<JsValue, JsValue> {
        let since = whole(&since, "since")?;
        let position = position(&self.inner)?;
        if since > position {
            let why = format!("`since`: this session is only at position {position}");
            return Err(Error::argument(why).into());
        }
        let records = self.inner.read(|core| core.records_since(since))?;
        Ok(records.map_or(JsValue::NULL, |records| Uint8Array::from(&*records).into()))
    }
}

/// The keys of the stored tool outputs that a saved session refers to (`contextfold:output:HASH`): those that are only in the store.
/// Outputs that no session refers to may be removed; `sweep` of `contextfold/stores/sweep` does that.
///
/// @param snapshot The saved snapshot of the session; `changes` are the records after it.
/// @throws {ContextError} `SNAPSHOT_INVALID`, `SNAPSHOT_TOO_NEW`.
#[wasm_bindgen(js_name = storedOutputs, unchecked_return_type = "string[]")]
pub fn stored_outputs(
    #[wasm_bindgen(unchecked_param_type = "Uint8Array")] snapshot: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "Uint8Array | readonly Uint8Array[]")] changes: JsValue,
) -> std::result::Result<JsValue, JsValue> {
    let snapshot = bytes_of(&snapshot).ok_or_else(|| Error::argument("`snapshot`: expected a Uint8Array"))?;
    let records = if changes.is_undefined() { Vec::new() } else { records_of(&changes)? };
    let records = Records::read(&records)?;
    let counter = |_: &str| Ok(std::sync::Arc::new(Estimate) as Counter);
    let read = Core::restore_with(&snapshot.to_vec(), None, &records.whole, None, counter)?;
    let outputs = read.session.context().outputs.iter();
    let keys: Vec<String> =
        outputs.filter_map(|output| output.store_key().map(ToString::to_string)).collect();
    to_js(&keys)
}

/// Reads records: bytes, or a list of bytes in order.
pub fn records_of(value: &JsValue) -> Result<Vec<u8>> {
    let wrong = || Error::argument("`changes`: expected a Uint8Array, or a list of them");
    if let Some(bytes) = bytes_of(value) {
        return Ok(bytes.to_vec());
    }
    let list = value.dyn_ref::<Array>().ok_or_else(wrong)?;
    let pieces = list.iter().map(|piece| bytes_of(&piece).map(|bytes| bytes.to_vec()).ok_or_else(wrong));
    Ok(pieces.collect::<Result<Vec<_>>>()?.concat())
}

/// The current position of the session. If anything has changed, it is recorded first.
pub fn position(inner: &Inner) -> std::result::Result<u64, JsValue> {
    let start = (js_sys::Math::random() * 2_f64.powi(52)) as u64 + 1;
    let handles = inner.handles()?;
    let mut core = inner.core_mut()?;
    let before = core.saved_position();
    let side = |core: &Core| side_since(&inner.saved.borrow(), handles.newly_pushed(), inner, &handles, core);
    let position = core.journal_position(start, side);
    drop((handles, core));
    if position != before {
        mark_side(inner)?;
    }
    Ok(position)
}

/// The JavaScript side's state as bytes, as far as it is not as `mark` says and its entries were `pushed` otherwise; empty if there is
/// nothing.
pub fn side_since(
    mark: &SideMark,
    pushed: MapEdit<NodeIndex, PushedAs>,
    inner: &Inner,
    handles: &Handles,
    core: &Core,
) -> Vec<u8> {
    let line = inner.line.borrow();
    let numbers = line.numbers();
    let edit = ListEdit::between(&mark.line, &numbers, |before, now| before == now && *now > 0);
    let calls = CallsOf::new(&core.context().history);
    let mut stretches = line.0.iter().skip(edit.front());
    let entries = edit.try_map(|_| stretches.next().map(|stretch| saved_stretch(stretch, handles, &calls)));
    let Some(entries) = entries else { return Vec::new() }; // there is a stretch for each number
    let split = split_characters(&inner.split_characters.borrow());
    let splits_otherwise = split != mark.split_characters;
    let header_beside = inner.header_beside.get();
    let others = splits_otherwise || header_beside != mark.header_beside;
    if pushed.is_empty() && entries.is_empty() && !others {
        return Vec::new();
    }
    let split_characters = splits_otherwise.then_some(split);
    SideChanges { pushed, line: entries, split_characters, header_beside }.to_bytes()
}

/// Marks the current state of the JavaScript side as saved.
pub fn mark_side(inner: &Inner) -> std::result::Result<(), JsValue> {
    inner.handles()?.mark_saved();
    let mut mark = inner.saved.borrow_mut();
    let mark = &mut *mark;
    mark.line = inner.line.borrow().number(&mut mark.numbered);
    mark.split_characters = split_characters(&inner.split_characters.borrow());
    mark.header_beside = inner.header_beside.get();
    Ok(())
}

/// Applies the JavaScript side's part of a snapshot or of records to a session, which has `nodes` nodes afterwards: all of it, or
/// nothing.
pub fn take_in(inner: &Inner, changes: &[Vec<u8>], nodes: usize) -> std::result::Result<(), JsValue> {
    let all = changes.iter().map(|bytes| SideChanges::read(bytes)).collect::<Result<Vec<_>>>()?;
    all.iter().all(|changes| changes.is_whole(nodes)).then_some(()).ok_or_else(other_list)?;
    let mut line = inner.line.borrow_mut();
    let behind = |len: usize, changes: &SideChanges| changes.line.len_after(len);
    all.iter().try_fold(line.0.len(), behind).ok_or_else(other_list)?;
    let mut handles = inner.handles()?;
    for changes in all {
        changes.line.map(Stretch::from).apply(&mut line.0);
        handles.put_pushed(changes.pushed);
        if let Some(split) = changes.split_characters {
            *inner.split_characters.borrow_mut() = characters(split);
        }
        inner.header_beside.set(changes.header_beside);
    }
    Ok(())
}
