//! Reads a text or bytes from JavaScript in pieces, so that a huge one is never in WebAssembly memory twice.

use js_sys::{JsString, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};

use super::packed::string_of;

/// The most that one piece may have: UTF-16 code units of a string, or bytes.
const PIECE: u32 = 1 << 20;

/// The pieces of a string, or of bytes decoded as UTF-8 (invalid ones become U+FFFD).
pub struct TextPieces {
    source: Source,
    at: u32,
    /// The bytes of a character that is not complete yet.
    cut_off: Vec<u8>,
}

enum Source {
    Text(JsString),
    Bytes(Uint8Array),
}

impl TextPieces {
    /// `None` if the value is neither a string nor a `Uint8Array`. `cut_off`: the first bytes of a character, from an earlier chunk.
    pub fn of(value: &JsValue, cut_off: Vec<u8>) -> Option<Self> {
        let source = match value.dyn_ref::<JsString>() {
            Some(text) => Source::Text(text.clone()),
            None => Source::Bytes(bytes_of(value)?),
        };
        Some(Self { source, at: 0, cut_off })
    }

    /// The bytes of an incomplete last character: the next chunk may begin with the rest of it.
    pub fn into_cut_off(self) -> Vec<u8> {
        self.cut_off
    }

    fn text_piece(&mut self) -> Option<String> {
        let Source::Text(text) = &self.source else { return None };
        let mut end = text.length().min(self.at.saturating_add(PIECE));
        let splits_pair = |at: u32| (0xD800..=0xDBFF).contains(&(text.char_code_at(at - 1) as u32));
        if end < text.length() && splits_pair(end) {
            end -= 1;
        }
        let piece = string_of(&text.slice(self.at, end));
        self.at = end;
        piece
    }

    fn bytes_piece(&mut self) -> Option<String> {
        let Source::Bytes(bytes) = &self.source else { return None };
        let end = bytes.length().min(self.at.saturating_add(PIECE));
        let mut piece = std::mem::take(&mut self.cut_off);
        piece.extend(bytes.subarray(self.at, end).to_vec());
        self.at = end;
        let (text, cut_off) = decode(piece);
        self.cut_off = cut_off;
        Some(text)
    }
}

impl Iterator for TextPieces {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let (length, is_text) = match &self.source {
            Source::Text(text) => (text.length(), true),
            Source::Bytes(bytes) => (bytes.length(), false),
        };
        if is_text && !self.cut_off.is_empty() {
            // A string begins with a whole character, so the one that was cut off is never completed.
            return Some(String::from_utf8_lossy(&std::mem::take(&mut self.cut_off)).into_owned());
        }
        if self.at == length {
            return None;
        }
        if is_text { self.text_piece() } else { self.bytes_piece() }
    }
}

/// A `Uint8Array`, even one from another realm.
pub fn bytes_of(value: &JsValue) -> Option<Uint8Array> {
    let tag = || Reflect::get(value, &js_sys::Symbol::to_string_tag()).ok()?.as_string();
    let is_bytes = value.is_object() && tag().as_deref() == Some("Uint8Array");
    is_bytes.then(|| Uint8Array::new(value))
}

/// Decodes bytes, and returns the text with the bytes of an incomplete last character.
fn decode(mut bytes: Vec<u8>) -> (String, Vec<u8>) {
    let cut_off = match std::str::from_utf8(&bytes) {
        Ok(_) => 0,
        Err(_) => bytes.utf8_chunks().last().map_or(0, |chunk| match std::str::from_utf8(chunk.invalid()) {
            Err(error) if error.error_len().is_none() => chunk.invalid().len(),
            _ => 0,
        }),
    };
    let cut_off = bytes.split_off(bytes.len() - cut_off);
    let text = String::from_utf8(bytes);
    (text.unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()), cut_off)
}
