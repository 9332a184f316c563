//! Counting by a Hugging Face `tokenizer.json`, token for token what the crate `tokenizers` gives.
//!
//! A text goes through it as through that crate: added tokens are found ([`added`]), what stands between them is normalized
//! ([`normalizer`]), cut ([`splits`]) and tokenized: by the engine of the crate `bpe` where the vocabulary allows it
//! ([`proper`]), else by its merges as they are written ([`ranked`]), by its longest tokens ([`word_piece`]) or by its best
//! scores ([`unigram`]).
//!
//! A crate and a WebAssembly module of its own, for few programs need it. Without its feature `whole` it is a smaller module, which
//! is ready sooner and reads what most models have: BPE with a known split pattern.
//!
//! `pkg/tokenizer.js` loads the module with the first tokenizer. Each tokenizer has an instance, so its memory goes with it.
//! The chat template's tokens are measured in JavaScript (`pkg/template.js`), and the engine gets seven figures.
//! `tests/tokenizers` compares the results with the crate `tokenizers`.
#![cfg_attr(not(feature = "whole"), allow(dead_code, reason = "packing is the whole module's"))]

mod added;
mod alphabet;
#[cfg(feature = "whole")]
mod charsmap;
mod decoder;
mod error;
#[cfg(feature = "whole")]
mod expression;
mod file;
mod forms;
mod json;
mod key;
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
#[cfg(feature = "whole")]
mod rare;
mod settings;
mod sought;
mod spelling;
mod splits;
mod strides;
mod tokenizer;
#[cfg(feature = "whole")]
mod trie;
#[cfg(feature = "whole")]
mod unigram;
mod value;
mod vocab;
#[cfg(target_arch = "wasm32")]
mod wasm;
#[cfg(feature = "whole")]
mod word_piece;
mod words;

pub use error::{Error, Result};
pub use tokenizer::Tokenizer;
