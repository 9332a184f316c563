//! Tool outputs that leave memory for the store, and come back when they are read. `pkg/host/outputs.js` does the writing and reading.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Object, Uint8Array};
use wasm_bindgen::prelude::*;

use super::arguments::{text, whole};
use super::engine::Engine;
use super::host::{Host, host};
use super::inner::Inner;
use super::store::Store;
use super::text_pieces::bytes_of;
use super::value::{get, set, to_js};
use crate::context::NodeSet;
use crate::error::Result;
use crate::session::Session;
use crate::tool_output::ToolOutputs;

#[wasm_bindgen]
extern "C" {
    /// Begins to move outputs to the store.
    #[wasm_bindgen(method, js_name = moveOutputs)]
    fn move_outputs(this: &Host, engine: Engine, ids: Vec<String>);
}

/// Moves the oldest outputs to the store if memory holds more than it may. Only one batch runs at a time. Outputs that the store
/// has accepted leave memory; those that it refuses stay, and `flush` reports the error.
pub fn move_due_outputs(inner: &Rc<Inner>) {
    let outputs = &inner.store;
    if outputs.moving.get() || outputs.own.borrow().is_none() {
        return;
    }
    let Some(leave) = inner.read_mut(|core| due_outputs(core, &outputs.look_at)).flatten() else { return };
    let holders = |core: &mut Session| -> NodeSet {
        leave.iter().flat_map(|id| core.context_mut().holders_of(id).to_vec()).collect()
    };
    if let Some(holders) = inner.read_mut(holders) {
        keep_sums(inner, &holders);
    }
    outputs.moving.set(true);
    let begun = host(|host| host.move_outputs(Engine::new(inner), leave));
    outputs.moving.set(begun.is_ok());
}

/// The outputs that have to leave memory. If none can leave, because the view shows them, they are checked again only after memory
/// has grown by an eighth of the limit.
fn due_outputs(core: &mut Session, look_at: &Cell<u64>) -> Option<Vec<String>> {
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

/// Keeps checksums of what these nodes say, because their content is about to go: the caller's list has to be recognised afterwards.
pub fn keep_sums(inner: &Inner, nodes: &NodeSet) {
    let (Ok(handles), Ok(mut line)) = (inner.handles.try_borrow(), inner.line.try_borrow_mut()) else {
        return;
    };
    let _ = inner.read(|core| line.keep_sums(nodes, &handles, &core.context().history));
}

/// The key of an output that is only in the store.
pub fn store_key(inner: &Inner, id: &str) -> Option<String> {
    inner.read(|core| core.context().outputs.store_key(id).map(ToString::to_string)).ok()?
}

/// Reads an output: from memory, or as it was fetched from the store. `pkg/host` has fetched it just before.
pub fn read_output<T>(
    inner: &Inner,
    id: &str,
    read: impl FnOnce(&ToolOutputs) -> Result<T>,
) -> std::result::Result<T, JsValue> {
    let key = store_key(inner, id);
    let fetched = inner.store.fetched.borrow().clone().filter(|(of, _)| Some(of) == key.as_ref());
    Ok(match fetched {
        Some((_, output)) => read(&output)?,
        None => inner.read(|core| read(&core.context().outputs))??,
    })
}

#[wasm_bindgen]
impl Engine {
    /// The store of the tool outputs.
    #[wasm_bindgen(getter)]
    pub fn store(&self) -> JsValue {
        let own = self.inner.store.own.borrow();
        own.as_ref().map_or(JsValue::UNDEFINED, |store| store.object().clone())
    }

    #[wasm_bindgen(setter)]
    pub fn set_store(&self, store: JsValue) -> std::result::Result<(), JsValue> {
        *self.inner.store.own.borrow_mut() = Some(Store::of(&store, "store")?);
        Ok(())
    }

    /// The keys of the outputs that are only in the store.
    #[wasm_bindgen(js_name = storeKeys)]
    pub fn store_keys(&self) -> std::result::Result<JsValue, JsValue> {
        let keys: Vec<String> = self.inner.read(|core| {
            let outputs = core.context().outputs.iter();
            outputs.filter_map(|output| output.store_key().map(ToString::to_string)).collect()
        })?;
        to_js(&keys)
    }

    /// What to store of an output in memory: `{ key, bytes, size }`, with the size in memory; `undefined` if it was collected.
    pub fn stored(&self, id: JsValue) -> std::result::Result<JsValue, JsValue> {
        let id = text(&id, "id")?;
        let stored = self.inner.read(|core| {
            let outputs = &core.context().outputs;
            Some((outputs.to_store(&id).ok()?, outputs.get(&id).ok()?.bytes()))
        })?;
        let Some(((key, bytes), size)) = stored else { return Ok(JsValue::UNDEFINED) };
        let object = Object::new();
        set(&object, "key", &key.into())?;
        set(&object, "bytes", &Uint8Array::from(&*bytes))?;
        set(&object, "size", &(size as f64).into())?;
        Ok(object.into())
    }

    /// Drops an output from memory that is in the store now. Returns false if the view shows it again.
    #[wasm_bindgen(js_name = moveToStore)]
    pub fn move_to_store(&self, id: JsValue, stored: JsValue) -> std::result::Result<bool, JsValue> {
        let field = |name: &str| Ok::<_, JsValue>(get(&stored, name)?.unwrap_or_default());
        let (id, key) = (text(&id, "id")?, text(&field("key")?, "key")?);
        let size = whole(&field("size")?, "size")?;
        let gone = self.inner.write_core(|core| core.move_to_store(&id, &key, size))??;
        let Some(gone) = gone else { return Ok(false) };
        if let Ok(mut handles) = self.inner.handles.try_borrow_mut() {
            handles.forget(&gone);
        }
        self.inner.store.gone.borrow_mut().extend(gone);
        Ok(true)
    }

    /// The batch is done.
    #[wasm_bindgen(js_name = haveMoved)]
    pub fn have_moved(&self) {
        let gone = self.inner.store.gone.take();
        self.inner.line.borrow_mut().drop_objects(&gone);
        self.inner.store.moving.set(false);
    }

    /// The key of an output that is in the store and was not fetched last; otherwise `undefined`.
    pub fn missing(&self, id: JsValue) -> std::result::Result<JsValue, JsValue> {
        let key = store_key(&self.inner, &text(&id, "id")?);
        let fetched = self.inner.store.fetched.borrow();
        let missing = key.filter(|key| fetched.as_ref().is_none_or(|(of, _)| of != key));
        Ok(missing.map_or(JsValue::UNDEFINED, JsValue::from))
    }

    /// Keeps what the store has of an output.
    #[wasm_bindgen(js_name = keepFetched)]
    pub fn keep_fetched(&self, id: JsValue, bytes: JsValue) -> std::result::Result<(), JsValue> {
        let id = text(&id, "id")?;
        let bytes = bytes_of(&bytes).map(|bytes| bytes.to_vec()).unwrap_or_default();
        let output = self.inner.read(|core| core.context().outputs.from_store(&id, &bytes))??;
        *self.inner.store.fetched.borrow_mut() =
            store_key(&self.inner, &id).map(|key| (key, Rc::new(output)));
        Ok(())
    }

    /// Brings an output that was fetched back into memory, where it stays.
    #[wasm_bindgen(js_name = bringBack)]
    pub fn bring_back(&self, id: JsValue) -> std::result::Result<(), JsValue> {
        let id = text(&id, "id")?;
        let key = store_key(&self.inner, &id);
        let fetched = self.inner.store.fetched.take().filter(|(of, _)| Some(of) == key.as_ref());
        let Some((_, output)) = fetched else { return Ok(()) };
        self.inner.write_core(|core| core.context_mut().bring_output_back(&id, &output))?.map_err(Into::into)
    }
}
