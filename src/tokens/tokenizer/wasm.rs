//! The module's face: one tokenizer an instance, so that what is not used any more is collected with it.
//!
//! Plain functions of numbers, without the bindings' glue: text comes through one buffer ([`room`]), answers that are more than
//! a number stand in another ([`answer`]).
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

/// Where `bytes` bytes may be written, until the next call. 0 gives the room back.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *const u8 {
    STATE.with_borrow_mut(|state| {
        if bytes == 0 || state.room.len() < bytes {
            state.room = Vec::new();
            state.room.reserve_exact(bytes);
            // SAFETY: WebAssembly memory always holds some bytes, and the caller writes over those that are read. To write zeros
            // first took as long as reading a packed file.
            unsafe { state.room.set_len(bytes) };
        }
        state.room.as_ptr()
    })
}

/// Where the last answer stands.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    STATE.with_borrow(|state| state.answer.as_ptr())
}

/// How many bytes it has.
#[unsafe(no_mangle)]
pub extern "C" fn answered() -> usize {
    STATE.with_borrow(|state| state.answer.len())
}

const DONE: u32 = 0;
const INVALID: u32 = 1;
const UNSUPPORTED: u32 = 2;
const ELSEWHERE: u32 = 3;

/// Makes the tokenizer of the file in the first `length` bytes of the room, and gives the room back.
#[unsafe(no_mangle)]
pub extern "C" fn load(length: usize, special_as_text: u32) -> u32 {
    STATE.with_borrow_mut(|state| {
        let mut bytes = std::mem::take(&mut state.room);
        bytes.truncate(length);
        let made = Tokenizer::read(bytes, special_as_text != 0);
        state.finish(made.map(|tokenizer| (Some(tokenizer), Vec::new())))
    })
}

/// Packs the file in the first `length` bytes of the room, of which the last `note` ones are a note.
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
                    Error::Elsewhere => ELSEWHERE,
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

/// Answers with the note that the tokenizer was packed with.
#[unsafe(no_mangle)]
pub extern "C" fn note() {
    STATE.with_borrow_mut(|state| {
        state.answer = state.tokenizer.as_ref().map(|t| t.note().into()).unwrap_or_default();
    });
}

/// How special tokens count from here on.
#[unsafe(no_mangle)]
pub extern "C" fn special(as_text: u32) {
    STATE.with_borrow_mut(|state| {
        if let Some(tokenizer) = &mut state.tokenizer {
            tokenizer.read_special(as_text != 0);
        }
    });
}

/// Whether the first `length` bytes of the room are an added token.
#[unsafe(no_mangle)]
pub extern "C" fn is_added(length: usize) -> u32 {
    STATE.with_borrow_mut(|state| u32::from(state.with(length, |t, text| t.is_added(text)) == Some(true)))
}

/// Tokens of the first `length` bytes of the room.
#[unsafe(no_mangle)]
pub extern "C" fn count(length: usize) -> f64 {
    STATE.with_borrow_mut(|state| state.with(length, |t, text| t.count(text) as f64)).unwrap_or(-1.0)
}

/// The same up to a limit; −1 beyond it.
#[unsafe(no_mangle)]
pub extern "C" fn count_up_to(length: usize, limit: f64) -> f64 {
    let counted =
        STATE.with_borrow_mut(|state| state.with(length, |t, text| t.count_up_to(text, limit as u64)));
    counted.flatten().map_or(-1.0, |count| count as f64)
}

/// The tokens of the first `length` bytes of the room, four bytes each.
#[unsafe(no_mangle)]
pub extern "C" fn encode(length: usize) {
    STATE.with_borrow_mut(|state| {
        let tokens = state.with(length, Tokenizer::encode).unwrap_or_default();
        state.answer = tokens.iter().flat_map(|token| token.to_le_bytes()).collect();
    });
}

/// The text of the tokens in the first `length` bytes of the room; −1, or the first that is none.
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
