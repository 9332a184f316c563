//! Exact byte-pair counting. Text is cut into pieces ([`pieces`]). A piece that is a token counts as one ([`vocabulary`]);
//! any other piece is merged ([`merge`]), unless its tokens are in the [`cache`]. The loop over the pieces is in [`engine`].
//!
//! This is a separate crate because it is compiled for speed and contextfold for size. For the same reason nothing generic
//! is public: generic code is compiled in the crate that uses it.

#![allow(clippy::inline_always)] // Measured: without it, the calls in the loop over pieces cost a third.

#[cfg(feature = "tokenizer")]
mod adjacent_bytes;
mod asset;
mod by_rank;
mod bytes;
mod cache;
mod classes;
#[cfg(feature = "tokenizer")]
mod deepseek;
mod dictionary;
mod engine;
#[cfg(feature = "tokenizer")]
mod index;
mod merge;
mod pieces;
mod strides;
mod table;
mod token;
mod vocabulary;
#[cfg(feature = "tokenizer")]
mod writer;

#[cfg(feature = "tokenizer")]
pub use adjacent_bytes::AdjacentBytes;
pub use asset::Pattern;
pub use engine::Engine;
#[cfg(feature = "tokenizer")]
pub use engine::{PieceOverride, ends};
#[cfg(feature = "tokenizer")]
pub use index::index;
#[cfg(feature = "tokenizer")]
pub use writer::{MAX_BYTES, MAX_IDS, Writer};

/// The error says what is wrong with an asset, as the end of a sentence that begins "the encoding asset cannot be used:".
type Result<T> = std::result::Result<T, String>;
