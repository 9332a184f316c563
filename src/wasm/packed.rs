//! Messages that are nothing but texts, as those texts: without the way over JSON, which most of a turn would be spent on.

use std::cell::RefCell;

use js_sys::JsString;
use wasm_bindgen::prelude::*;

use crate::error::Result;
use crate::message::Message;
use crate::provider::message_of_texts;

#[wasm_bindgen]
extern "C" {
    /// What packs messages: `pkg/pack.js`.
    #[derive(Clone)]
    pub type Packer;

    #[wasm_bindgen(method, catch)]
    fn pack(this: &Packer, message: &JsValue) -> std::result::Result<Option<JsString>, JsValue>;

    #[wasm_bindgen(method)]
    fn write(this: &Packer, text: &JsString, into: &mut [u8]) -> usize;
}

/// Bytes for a message. What may be longer is copied in the usual way, which costs little beside its length.
const ROOM: usize = 1 << 14;

thread_local! {
    static PACKER: RefCell<Option<Packer>> = const { RefCell::new(None) };
    static ROOM_FOR_ONE: RefCell<Vec<u8>> = RefCell::new(vec![0; ROOM]);
}

/// Hands in what packs messages. The package's entries call it once, when the module starts; without it all is read as JSON.
#[wasm_bindgen(js_name = setPacker, skip_typescript)]
pub fn set_packer(packer: Packer) {
    PACKER.with_borrow_mut(|slot| *slot = Some(packer));
}

/// The message, if it is nothing but texts; `index` is named by an error. What it throws when it is looked at, it throws again
/// when its JSON is written.
pub fn packed(message: &JsValue, index: usize) -> Option<Result<Message>> {
    let packer = PACKER.with_borrow(Clone::clone)?;
    let text = packer.pack(message).ok()??;
    ROOM_FOR_ONE.with_borrow_mut(|room| match packer.write(&text, room) {
        0 => message_of_texts(&JsValue::from(text).as_string()?, index),
        length => message_of_texts(std::str::from_utf8(room.get(..length)?).ok()?, index),
    })
}
