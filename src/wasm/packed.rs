//! A fast path for text-only messages: it avoids JSON, which would take most of a turn's time.

use std::cell::{Cell, OnceCell};

use js_sys::JsString;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::*;

use crate::message::Message;
use crate::provider::message_of_texts;

#[wasm_bindgen]
extern "C" {
    /// The JavaScript object that packs messages: `pkg/pack.js`.
    pub type Packer;

    #[wasm_bindgen(method)]
    fn pack(this: &Packer, message: &JsValue, into: &mut [u8]) -> i32;

    #[wasm_bindgen(method, js_name = writeAscii)]
    fn write_ascii(this: &Packer, text: &JsString, into: &mut [u8]) -> bool;
}

/// The size of the reused buffer in bytes; a longer message gets a buffer of its own.
const ROOM: usize = 1 << 14;

/// For strings shorter than this, the packer is slower.
const MIN_PACKED_BYTES: usize = 256;

thread_local! {
    static PACKER: OnceCell<Packer> = const { OnceCell::new() };
    static ROOM_FOR_ONE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Sets the packer. Called once by the package's entry points when the module starts; without it, every message is read as JSON.
#[wasm_bindgen(js_name = setPacker, skip_typescript)]
pub fn set_packer(packer: Packer) {
    PACKER.with(|slot| drop(slot.set(packer)));
}

/// Reads a string. The bindings copy ASCII character by character, which takes longer than most of what is done with it.
pub fn string_of(value: &JsValue) -> Option<String> {
    let text: &JsString = value.dyn_ref()?;
    let length = text.length() as usize;
    let written = PACKER.with(|packer| {
        let packer = packer.get().filter(|_| length >= MIN_PACKED_BYTES)?;
        let mut bytes = vec![0; length];
        packer.write_ascii(text, &mut bytes).then_some(bytes)
    });
    written.and_then(|bytes| String::from_utf8(bytes).ok()).or_else(|| value.as_string())
}

/// The message, if it consists only of texts.
pub fn packed(message: &JsValue) -> Option<Message> {
    PACKER.with(|packer| {
        let packer = packer.get()?;
        // Taken out of the cell: reading an object may call into the module again.
        let mut room = ROOM_FOR_ONE.take();
        room.resize(ROOM, 0);
        let length = packer.pack(message, &mut room);
        let read = if length < 0 {
            let mut larger = vec![0; length.unsigned_abs() as usize];
            let length = packer.pack(message, &mut larger);
            read(&larger, length)
        } else {
            read(&room, length)
        };
        ROOM_FOR_ONE.set(room);
        read
    })
}

fn read(room: &[u8], length: i32) -> Option<Message> {
    let written = std::str::from_utf8(room.get(..usize::try_from(length).ok()?)?).ok()?;
    // This character may stand for a lone surrogate; reading the message as JSON tells whether it does.
    if written.contains(char::REPLACEMENT_CHARACTER) {
        return None;
    }
    message_of_texts(written)
}
