//! An exact encoding: names, errors and sharing around the engine of the crate `bpe`.
//!
//! An asset is read only as far as a text needs it: common tokens come first, so a short text is counted after reading part
//! of it. The tables that make long texts fast (8 MB, most of the startup cost) are built for the first long text, or for
//! the first piece that is not a token. `r50k_base` is `p50k_base` without its last tokens and is read from the same asset.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bpe::Engine;

use super::models::asset_of;
use super::{Method, TokenCounter};
use crate::{Error, ErrorCode, Result};

/// An exact encoding. It gives the same tokens as tiktoken's `encode_ordinary`: `<|endoftext|>` is thirteen characters, not
/// a special token.
///
/// The vocabulary is a separate file next to the module; [`Encoding::new`] takes the file's bytes.
pub struct Encoding {
    name: &'static str,
    engine: Arc<Mutex<Engine>>,
}

impl Encoding {
    /// The encoding `name` (`o200k_base`, `cl100k_base`, or another one that [`encoding_for_model`] returns), read from the
    /// bytes of its asset.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if there is no such encoding; `ENCODING_INVALID` if the bytes are damaged, cut off, of another
    /// version or of another encoding.
    ///
    /// [`encoding_for_model`]: super::encoding_for_model
    pub fn new(name: &str, bytes: impl Into<Vec<u8>>) -> Result<Self> {
        let bytes = bytes.into();
        let (name, wanted) =
            asset_of(name).ok_or_else(|| Error::argument(format!("`{name}` is not a known encoding")))?;
        let engine = Engine::new(bytes, wanted).map_err(|reason| {
            Error::new(ErrorCode::EncodingInvalid, format!("the encoding asset is unusable: {reason}"))
        })?;
        Ok(Self { name, engine: Arc::new(Mutex::new(engine)) })
    }

    /// The encoding `name`, sharing this one's tables, if both have the same asset: `o200k_harmony` from `o200k_base`.
    pub fn with_name(&self, name: &str) -> Option<Self> {
        let (name, wanted) = asset_of(name)?;
        let (_, own) = asset_of(self.name)?;
        (wanted == own).then(|| Self { name, engine: self.engine.clone() })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The tokens of `text`, as many as [`TokenCounter::count`] returns.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        self.encode_bytes(text.as_bytes())
    }

    /// Like [`Self::encode`], for bytes that the caller knows to be UTF-8. Other bytes also get some tokens.
    pub fn encode_bytes(&self, text: &[u8]) -> Vec<u32> {
        self.engine().encode(text)
    }

    /// Like [`TokenCounter::count`], for bytes that the caller knows to be UTF-8.
    pub fn count_bytes(&self, text: &[u8]) -> u64 {
        self.engine().count(text)
    }

    /// Like [`TokenCounter::count_up_to`], for bytes that the caller knows to be UTF-8.
    pub fn count_bytes_up_to(&self, text: &[u8], limit: u64) -> Option<u64> {
        self.engine().count_up_to(text, limit)
    }

    /// The text of `tokens`. Bytes that are not UTF-8 (from a cut inside a character) become U+FFFD.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if an id is not an ordinary token of the encoding.
    pub fn decode(&self, tokens: &[u32]) -> Result<String> {
        let bytes = self.decode_bytes(tokens)?;
        Ok(String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
    }

    /// The bytes of `tokens`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if an id is not an ordinary token of the encoding.
    pub fn decode_bytes(&self, tokens: &[u32]) -> Result<Vec<u8>> {
        self.engine()
            .decode(tokens)
            .map_err(|token| Error::argument(format!("{token} is not a token of {}", self.name)))
    }

    /// Shared by all threads and by all encodings with the same asset.
    fn engine(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TokenCounter for Encoding {
    fn count(&self, text: &str) -> u64 {
        self.count_bytes(text.as_bytes())
    }

    fn count_up_to(&self, text: &str, limit: u64) -> Option<u64> {
        self.count_bytes_up_to(text.as_bytes(), limit)
    }

    fn method(&self) -> Method {
        Method::Encoding(self.name)
    }

    fn exact(&self) -> bool {
        true
    }
}

impl std::fmt::Debug for Encoding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoding").field("name", &self.name).finish_non_exhaustive()
    }
}
