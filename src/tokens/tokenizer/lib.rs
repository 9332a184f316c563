//! Counts tokens by a Hugging Face `tokenizer.json`, with the same tokens as the crate `tokenizers`.
//!
//! A text goes through the same steps as in that crate: added tokens are found ([`added`]); the text between them is
//! normalized ([`normalizer`]), cut into pieces ([`splits`]) and tokenized. If the vocabulary allows it, the engine of the
//! crate `bpe` does that ([`engine_parts`]); else the text is tokenized by its merges as written ([`ranked`]), by longest tokens
//! ([`word_piece`]) or by best scores ([`unigram`]).
//!
//! This is a separate crate and WebAssembly module, because few programs need it. Without the feature `whole` the module is
//! smaller and loads faster, and reads what most models have: BPE with a known split pattern.
//!
//! `pkg/tokenizer.js` loads the module with the first tokenizer. Each tokenizer has its own instance, so that its memory is
//! freed with it. The tokens of a chat template are measured in JavaScript (`pkg/template.js`), and the core only receives
//! seven numbers. `tests/tokenizers` compares the results with the crate `tokenizers`.
#![cfg_attr(not(feature = "whole"), allow(dead_code, reason = "packing is the whole module's"))]

mod added;
mod alphabet;
#[cfg(feature = "whole")]
mod charsmap;
mod decoder;
mod decompositions;
mod engine_parts;
mod error;
#[cfg(feature = "whole")]
mod expression;
mod file;
mod forms;
mod json;
mod key;
mod lazy;
mod matcher;
mod merges;
mod model;
mod multi_search;
mod normalizer;
mod packed;
mod pairs;
mod places;
mod ranked;
#[cfg(feature = "whole")]
mod rare;
mod settings;
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
