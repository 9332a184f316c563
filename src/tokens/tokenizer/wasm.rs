//! The module's exports. Each instance holds one tokenizer, so that an unused tokenizer is garbage-collected with its
//! instance.
//!
//! They are plain functions of numbers without generated bindings. Text is passed in one buffer ([`room`]); results that are
//! not a number are returned in another ([`answer`]).
#![allow(unsafe_code, reason = "a name that is exported counts as unsafe, for two could be alike")]
#![allow(missing_docs, reason = "pkg/tokenizer.js is the one caller")]

use std::cell::RefCell;

use crate::{Error, Tokenizer};

#[derive(Default)]
struct State {
    room: Vec<u8>,
    answer: Vec<u8>,
    tokenizer: Option<Tokenizer>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Returns where `bytes` bytes may be written until the next call. 0 frees the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *const u8 {
    STATE.with_borrow_mut(|state| {
        if bytes == 0 || state.room.len() < bytes {
            state.room = Vec::new();
            state.room.reserve_exact(bytes);
            // SAFETY: WebAssembly memory is always initialized, and the caller overwrites the bytes that are read. Writing
            // zeros first took as long as reading a packed file.
            unsafe { state.room.set_len(bytes) };
        }
        state.room.as_ptr()
    })
}

/// The address of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    STATE.with_borrow(|state| state.answer.as_ptr())
}

/// The length of the last answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answered() -> usize {
    STATE.with_borrow(|state| state.answer.len())
}

const DONE: u32 = 0;
const INVALID: u32 = 1;
const UNSUPPORTED: u32 = 2;
const NEEDS_WHOLE_MODULE: u32 = 3;

/// Loads the tokenizer from the file in the first `length` bytes of the buffer, and frees the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn load(length: usize, special_as_text: u32) -> u32 {
    STATE.with_borrow_mut(|state| {
        let mut bytes = std::mem::take(&mut state.room);
        bytes.truncate(length);
        let made = Tokenizer::read(bytes, special_as_text != 0);
        state.finish(made.map(|tokenizer| (Some(tokenizer), Vec::new())))
    })
}

/// Packs the file in the first `length` bytes of the buffer. The last `note` of these bytes are the note.
#[cfg(feature = "whole")]
#[unsafe(no_mangle)]
pub extern "C" fn pack(length: usize, note: usize) -> u32 {
    STATE.with_borrow_mut(|state| {
        let mut bytes = std::mem::take(&mut state.room);
        bytes.truncate(length);
        let (file, note) = bytes.split_at(bytes.len().saturating_sub(note));
        let packed = Tokenizer::pack(file, &String::from_utf8_lossy(note));
        state.finish(packed.map(|packed| (None, packed)))
    })
}

impl State {
    fn finish(&mut self, made: crate::Result<(Option<Tokenizer>, Vec<u8>)>) -> u32 {
        match made {
            Ok((tokenizer, answer)) => {
                self.tokenizer = tokenizer;
                self.answer = answer;
                DONE
            }
            Err(error) => {
                self.answer = error.to_string().into_bytes();
                match error {
                    Error::Invalid(_) => INVALID,
                    Error::Unsupported(_) => UNSUPPORTED,
                    Error::NeedsWholeModule => NEEDS_WHOLE_MODULE,
                }
            }
        }
    }

    fn with<T>(&mut self, length: usize, run: impl FnOnce(&mut Tokenizer, &str) -> T) -> Option<T> {
        let bytes = self.room.get(..length).unwrap_or_default();
        let tokenizer = self.tokenizer.as_mut()?;
        Some(match std::str::from_utf8(bytes) {
            Ok(text) => run(tokenizer, text),
            Err(_) => run(tokenizer, &String::from_utf8_lossy(bytes)),
        })
    }
}

/// Writes the note that the tokenizer was packed with to the answer.
#[unsafe(no_mangle)]
pub extern "C" fn note() {
    STATE.with_borrow_mut(|state| {
        state.answer = state.tokenizer.as_ref().map(|t| t.note().into()).unwrap_or_default();
    });
}

/// Sets whether special tokens in a text count as plain text from now on.
#[unsafe(no_mangle)]
pub extern "C" fn special(as_text: u32) {
    STATE.with_borrow_mut(|state| {
        if let Some(tokenizer) = &mut state.tokenizer {
            tokenizer.read_special(as_text != 0);
        }
    });
}

/// Whether the first `length` bytes of the buffer are an added token.
#[unsafe(no_mangle)]
pub extern "C" fn is_added(length: usize) -> u32 {
    STATE.with_borrow_mut(|state| u32::from(state.with(length, |t, text| t.is_added(text)) == Some(true)))
}

/// The number of tokens in the first `length` bytes of the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn count(length: usize) -> f64 {
    STATE.with_borrow_mut(|state| state.with(length, |t, text| t.count(text) as f64)).unwrap_or(-1.0)
}

/// Like `count`, up to a limit; −1 if there are more.
#[unsafe(no_mangle)]
pub extern "C" fn count_up_to(length: usize, limit: f64) -> f64 {
    let counted =
        STATE.with_borrow_mut(|state| state.with(length, |t, text| t.count_up_to(text, limit as u64)));
    counted.flatten().map_or(-1.0, |count| count as f64)
}

/// Writes the tokens of the first `length` bytes of the buffer to the answer, four bytes each.
#[unsafe(no_mangle)]
pub extern "C" fn encode(length: usize) {
    STATE.with_borrow_mut(|state| {
        let tokens = state.with(length, Tokenizer::encode).unwrap_or_default();
        state.answer = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
    });
}

/// Writes the text of the tokens in the first `length` bytes of the buffer to the answer. Returns −1, or the first id that
/// is not a token.
#[unsafe(no_mangle)]
pub extern "C" fn decode(length: usize) -> f64 {
    STATE.with_borrow_mut(|state| {
        let State { room, answer, tokenizer } = state;
        let bytes = room.get(..length).unwrap_or_default();
        let (words, _) = bytes.as_chunks::<4>();
        let tokens: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        match tokenizer.as_mut().map(|tokenizer| tokenizer.decode(&tokens)) {
            Some(Ok(text)) => {
                *answer = text.into_bytes();
                -1.0
            }
            Some(Err(token)) => f64::from(token),
            None => 0.0,
        }
    })
}
