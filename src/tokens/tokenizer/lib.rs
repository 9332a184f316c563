//! Counting by a Hugging Face `tokenizer.json`, token for token what the crate `tokenizers` gives.
//!
//! A text goes through it as through that crate: added tokens are found ([`added`]), what stands between them is normalized
//! ([`normalizer`]), cut ([`splits`]) and tokenized: by the engine of the crate `bpe` where the vocabulary allows it
//! ([`proper`]), else by its merges as they are written ([`ranked`]), by its longest tokens ([`word_piece`]) or by its best
//! scores ([`unigram`]).
//!
//! A crate and a WebAssembly module of its own, for few programs need it.
//!
//! `pkg/tokenizer.js` loads the module with the first tokenizer. Each tokenizer has an instance, so its memory goes with it.
//! The chat template's tokens are measured in JavaScript (`pkg/template.js`), and the engine gets seven figures.
//! `tests/tokenizers` compares the results with the crate `tokenizers`.

mod added;
mod alphabet;
mod charsmap;
mod decoder;
mod error;
mod file;
mod forms;
mod json;
mod late;
mod matcher;
mod merges;
mod model;
mod normalizer;
mod packed;
mod pairs;
mod places;
mod proper;
mod ranked;
mod settings;
mod spelling;
mod splits;
mod strides;
mod tokenizer;
mod trie;
mod unigram;
mod vocab;
#[cfg(target_arch = "wasm32")]
mod wasm;
mod word_piece;
mod words;

pub use error::{Error, Result};
pub use tokenizer::Tokenizer;
