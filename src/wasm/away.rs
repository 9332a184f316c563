//! Moves tool outputs from memory to the store, and fetches them again when they are read.

use std::rc::Rc;

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use super::error::context_error;
use super::inner::Inner;
use super::store::{Store, failed};
use crate::context::NodeSet;
use crate::error::{Error, ErrorCode};
use crate::tool_output::ToolOutputs;

/// Moves the oldest outputs to the store if memory holds more than it may. Only one batch runs at a time. Outputs that the store
/// has accepted leave memory; those that it refuses stay, and `flush` reports the error.
pub fn move_due_outputs(inner: &Rc<Inner>) {
    let stores = &inner.stores;
    let Some(store) = stores.own.borrow().clone() else { return };
    if stores.moving.get() {
        return;
    }
    let Some(leave) = inner.read_mut(|core| due_outputs(core, &stores.look_at)).flatten() else { return };
    stores.moving.set(true);
    let inner = inner.clone();
    stores.pending.clone().begin(async move {
        let moved = move_all(&inner, &store, leave).await;
        inner.stores.moving.set(false);
        if moved? > 0 {
            move_due_outputs(&inner); // more may have come in the meantime
        }
        Ok(())
    });
}

/// The outputs that have to leave memory. If none can leave, because the view shows them, they are checked again only after memory
/// has grown by an eighth of the limit.
fn due_outputs(core: &mut crate::session::Session, look_at: &std::cell::Cell<u64>) -> Option<Vec<String>> {
    let most = core.config().memory_bytes?;
    let here = core.context().outputs.bytes();
    if here <= most || here < look_at.get() {
        return None;
    }
    let leave = core.context_mut().movable_outputs(most - most / 8); // below the limit, so that they are moved in batches
    let stays = leave.is_empty();
    look_at.set(if stays { here + most / 8 } else { 0 });
    (!stays).then_some(leave)
}

async fn move_all(inner: &Rc<Inner>, store: &Store, leave: Vec<String>) -> Result<usize, JsValue> {
    let mut gone = NodeSet::default();
    let moved = move_each(inner, store, leave, &mut gone).await;
    inner.line.borrow_mut().drop_objects(&gone);
    moved
}

async fn move_each(
    inner: &Rc<Inner>,
    store: &Store,
    leave: Vec<String>,
    all_gone: &mut NodeSet,
) -> Result<usize, JsValue> {
    let mut moved = 0;
    for id in leave {
        inner.refuse_freed()?;
        let stored = inner.read(|core| {
            let outputs = &core.context().outputs;
            Some((outputs.to_store(&id).ok()?, outputs.get(&id).ok()?.bytes()))
        })?;
        let Some(((key, bytes), size)) = stored else { continue }; // it was collected in the meantime
        store.put_bytes(&key, &Uint8Array::from(&*bytes)).await?;
        inner.refuse_freed()?;
        let gone = inner.write_core(|core| core.move_to_store(&id, &key, size))??;
        let Some(gone) = gone else { continue }; // the view shows it again
        moved += 1;
        if let Ok(mut handles) = inner.handles.try_borrow_mut() {
            handles.forget(&gone);
        }
        all_gone.extend(gone);
    }
    Ok(moved)
}

/// The output of a ref that is in the store, on its own; `None` if it is in memory. The last one that was fetched is cached.
pub async fn fetch(inner: &Rc<Inner>, id: &str) -> Result<Option<Rc<ToolOutputs>>, JsValue> {
    inner.refuse_freed()?;
    let key = inner.read(|core| core.context().outputs.store_key(id).map(ToString::to_string))?;
    let Some(key) = key else { return Ok(None) };
    let at_hand = inner.stores.fetched.borrow().clone();
    if let Some((_, output)) = at_hand.filter(|(of, _)| *of == key) {
        return Ok(Some(output));
    }
    let Some(store) = inner.stores.own.borrow().clone() else {
        return Err(failed(
            &format!("the tool output `{id}` is in the store; pass the session its `store` again"),
            None,
        ));
    };
    let Some(bytes) = store.bytes(&key).await? else {
        let why = format!(
            "the tool output `{id}` is no longer in the store under `{key}`; run its tool again, or store the output again under another ref"
        );
        return Err(context_error(&Error::new(ErrorCode::UnknownRef, why), None, None));
    };
    let read = inner.read(|core| core.context().outputs.from_store(id, &bytes))?;
    let output = read.map_err(|error| {
        let what = format!("it returned something else than was stored for the tool output `{id}`");
        if error.code() == ErrorCode::SnapshotInvalid {
            failed(&what, Some(&error.into()))
        } else {
            error.into()
        }
    })?;
    let output = Rc::new(output);
    *inner.stores.fetched.borrow_mut() = Some((key, output.clone()));
    Ok(Some(output))
}

/// Copies outputs from the session's own store into the store that it is saved in, except those copied by the save before.
pub async fn copy_to(inner: &Inner, to: &Store) -> Result<(), JsValue> {
    let Some(own) = inner.stores.own.borrow().clone().filter(|own| !own.is(to)) else { return Ok(()) };
    let keys: Vec<String> = inner.read(|core| {
        let outputs = core.context().outputs.iter();
        outputs.filter_map(|output| output.store_key().map(ToString::to_string)).collect()
    })?;
    let before = inner.stores.copied.take().filter(|(store, _)| store.is(to));
    let mut copied = before.map(|(_, keys)| keys).unwrap_or_default();
    for key in keys {
        if !copied.contains(&key)
            && let Some(bytes) = own.bytes(&key).await?
        {
            to.put_bytes(&key, &Uint8Array::from(&*bytes)).await?;
            copied.insert(key);
        }
    }
    *inner.stores.copied.borrow_mut() = Some((to.clone(), copied));
    Ok(())
}
