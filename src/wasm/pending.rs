//! Work that the caller does not wait for: writes to a store, background summaries. `flush` waits for it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

/// Promises that have not settled yet, in the order in which they began.
#[derive(Clone, Default)]
pub struct Pending(Rc<List>);

#[derive(Default)]
struct List {
    waiting: RefCell<BTreeMap<u32, Promise>>,
    next: Cell<u32>,
    failed: RefCell<Option<JsValue>>,
}

impl Pending {
    /// Starts work that only `flush` waits for, which also reports its error.
    pub fn begin(&self, work: impl Future<Output = Result<(), JsValue>> + 'static) {
        let (list, id) = (self.0.clone(), self.0.next.replace(self.0.next.get() + 1));
        let promise = future_to_promise(async move {
            if let Err(error) = work.await {
                list.failed.borrow_mut().get_or_insert(error);
            }
            list.waiting.borrow_mut().remove(&id);
            Ok(JsValue::UNDEFINED)
        });
        self.0.waiting.borrow_mut().insert(id, promise);
    }

    /// Waits until no work is in progress.
    pub async fn all_done(&self) -> Result<(), JsValue> {
        loop {
            let oldest = self.0.waiting.borrow().values().next().cloned();
            let Some(oldest) = oldest else { break };
            JsFuture::from(oldest).await?;
        }
        Ok(())
    }

    /// Fails with the first error since the last call.
    pub fn take_error(&self) -> Result<(), JsValue> {
        self.0.failed.take().map_or(Ok(()), Err)
    }
}
