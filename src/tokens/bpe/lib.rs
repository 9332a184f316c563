//! Exact byte-pair counting: text is cut into pieces ([`pieces`]), a piece that is a token counts one ([`vocabulary`]),
//! any other is merged ([`merge`]) unless it was seen before ([`cache`]). The loop is [`engine`]'s.
//!
//! A crate of its own, for it is built for speed and contextfold for size; so nothing generic is public: generic code is
//! compiled where it is used.

#![allow(clippy::inline_always)] // Measured: calls in the loop over pieces cost a third.

mod asset;
mod by_rank;
mod bytes;
mod cache;
mod class_table;
mod classes;
#[cfg(feature = "tokenizer")]
mod deepseek;
mod dictionary;
mod engine;
#[cfg(feature = "tokenizer")]
mod index;
#[cfg(feature = "tokenizer")]
mod joints;
mod merge;
mod pieces;
#[cfg(feature = "tokenizer")]
mod sign_table;
mod strides;
mod table;
mod token;
mod vocabulary;
#[cfg(feature = "tokenizer")]
mod writer;

pub use asset::Pattern;
pub use engine::Engine;
#[cfg(feature = "tokenizer")]
pub use engine::{Odd, ends};
#[cfg(feature = "tokenizer")]
pub use index::index;
#[cfg(feature = "tokenizer")]
pub use joints::Joints;
#[cfg(feature = "tokenizer")]
pub use writer::{MAX_BYTES, MAX_IDS, Writer};

/// What is wrong with an asset, as the end of a sentence that begins "the encoding asset cannot be used:".
type Result<T> = std::result::Result<T, String>;
