//! Exact byte-pair counting: text is cut into pieces ([`pieces`]), a piece that is a token counts one ([`table`]),
//! any other is merged ([`merge`]) unless it was seen before ([`cache`]).

#![allow(clippy::inline_always)] // Measured: the loop over pieces is one function, and calls in it cost a third.

mod asset;
mod by_rank;
mod bytes;
mod cache;
mod class_table;
mod classes;
mod merge;
mod pieces;
mod table;
mod vocabulary;

use std::sync::{Arc, Mutex};

use self::asset::{Asset, Pattern, invalid};
use self::bytes::word_at;
use self::cache::Cache;
use self::merge::Merge;
use self::pieces::{Cl100k, Gpt2, O200k, Pieces};
use self::table::medium_key;
use self::vocabulary::Vocabulary;
use super::models::asset_of;
use super::{Method, TokenCounter};
use crate::{Error, Result};

/// An exact encoding: token for token what tiktoken gives for the same text as ordinary text
/// (`encode_ordinary`: `<|endoftext|>` is thirteen characters, not a special token).
///
/// Its vocabulary is a file of its own beside the module; [`Encoding::new`] takes the file's bytes.
pub struct Encoding {
    name: &'static str,
    vocabulary: Arc<Vocabulary>,
    scratch: Mutex<Scratch>,
}

/// What counting keeps from piece to piece.
#[derive(Default)]
struct Scratch {
    cache: Cache,
    merge: Merge,
}

/// Pieces up to this length are merged at once: that is as quick as looking them up.
const SHORT_MERGE: usize = 7;

/// Where the tokens of a piece go.
trait Sink {
    /// Whether it asks for the ids.
    const IDS: bool;
    fn one(&mut self, id: u32);
    fn many(&mut self, count: usize, ids: &[u32]);
    fn count(&self) -> u64;
}

struct Count(u64);

impl Sink for Count {
    const IDS: bool = false;
    #[inline(always)]
    fn one(&mut self, _: u32) {
        self.0 += 1;
    }
    #[inline(always)]
    fn many(&mut self, count: usize, _: &[u32]) {
        self.0 += count as u64;
    }
    #[inline(always)]
    fn count(&self) -> u64 {
        self.0
    }
}

impl Sink for Vec<u32> {
    const IDS: bool = true;
    #[inline(always)]
    fn one(&mut self, id: u32) {
        self.push(id);
    }
    #[inline(always)]
    fn many(&mut self, _: usize, ids: &[u32]) {
        self.extend_from_slice(ids);
    }
    #[inline(always)]
    fn count(&self) -> u64 {
        self.len() as u64
    }
}

impl Encoding {
    /// The encoding `name` (`o200k_base`, `cl100k_base`, or another that [`encoding_for_model`] names) from the
    /// bytes of its asset.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for a name that is no encoding; `ENCODING_INVALID` for bytes that are damaged, cut off, of
    /// another version or of another encoding.
    ///
    /// [`encoding_for_model`]: super::encoding_for_model
    pub fn new(name: &str, bytes: &[u8]) -> Result<Self> {
        let (name, wanted) = asset_of(name)
            .ok_or_else(|| Error::argument(format!("`{name}` is no encoding that is known here")))?;
        let asset = Asset::read(bytes)?;
        if asset.name != wanted {
            return Err(invalid(format!("it is `{}`, not `{wanted}`", asset.name)));
        }
        Ok(Self { name, vocabulary: Arc::new(Vocabulary::new(asset)?), scratch: Mutex::default() })
    }

    /// The encoding `name` from this one's tables, if it has the same asset: `o200k_harmony` from `o200k_base`.
    pub fn sharing(&self, name: &str) -> Option<Self> {
        let (name, wanted) = asset_of(name)?;
        let (_, own) = asset_of(self.name)?;
        (wanted == own).then(|| Self { name, vocabulary: self.vocabulary.clone(), scratch: Mutex::default() })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The tokens of `text`, as many as [`TokenCounter::count`] says.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        self.encode_bytes(text.as_bytes())
    }

    /// [`Self::encode`] of bytes that the caller knows to be UTF-8 (others get some tokens, too).
    pub fn encode_bytes(&self, text: &[u8]) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(text.len() / 3);
        self.fill(text, u64::MAX, &mut tokens);
        tokens
    }

    /// [`TokenCounter::count`] of bytes that the caller knows to be UTF-8.
    pub fn count_bytes(&self, text: &[u8]) -> u64 {
        let mut count = Count(0);
        self.fill(text, u64::MAX, &mut count);
        count.0
    }

    /// [`TokenCounter::count_up_to`] of bytes that the caller knows to be UTF-8.
    pub fn count_bytes_up_to(&self, text: &[u8], limit: u64) -> Option<u64> {
        let mut count = Count(0);
        self.fill(text, limit, &mut count);
        (count.0 <= limit).then_some(count.0)
    }

    /// The text of `tokens`; bytes that are no UTF-8 (a cut through a character) become U+FFFD.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an id that is no ordinary token of the encoding.
    pub fn decode(&self, tokens: &[u32]) -> Result<String> {
        let bytes = self.decode_bytes(tokens)?;
        Ok(String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
    }

    /// The bytes of `tokens`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an id that is no ordinary token of the encoding.
    pub fn decode_bytes(&self, tokens: &[u32]) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(tokens.len() * 4);
        for &token in tokens {
            if !self.vocabulary.push_bytes(token, &mut bytes) {
                return Err(Error::argument(format!("{token} is no token of {}", self.name)));
            }
        }
        Ok(bytes)
    }

    /// Fills `sink` until its count exceeds `limit`. The cache is one for all threads; who finds it taken does
    /// without.
    fn fill<S: Sink>(&self, text: &[u8], limit: u64, sink: &mut S) {
        match self.scratch.try_lock() {
            Ok(mut scratch) => self.fill_with(&mut scratch, text, limit, sink),
            Err(_) => self.fill_with(&mut Scratch::default(), text, limit, sink),
        }
    }

    fn fill_with<S: Sink>(&self, scratch: &mut Scratch, text: &[u8], limit: u64, sink: &mut S) {
        match self.vocabulary.pattern {
            Pattern::O200k => self.run::<O200k, S>(scratch, text, limit, sink),
            Pattern::Cl100k => self.run::<Cl100k, S>(scratch, text, limit, sink),
            Pattern::Gpt2 => self.run::<Gpt2, S>(scratch, text, limit, sink),
        }
    }

    #[inline(never)]
    fn run<P: Pieces, S: Sink>(&self, scratch: &mut Scratch, text: &[u8], limit: u64, sink: &mut S) {
        let vocabulary = &self.vocabulary;
        let mut start = 0;
        while start < text.len() {
            let word = word_at(text, start);
            let end = P::end(text, start, word);
            if S::IDS {
                match vocabulary.whole(text, start, end, word) {
                    Some(id) => sink.one(id),
                    None => self.merged(scratch, text, start, end, word, sink),
                }
            } else {
                let len = end - start;
                let is_token = match len {
                    ..8 => vocabulary.has_short(word, len),
                    8..16 => vocabulary.has_medium(medium_key(word, word_at(text, start + 8), len)),
                    _ => vocabulary.whole_long(text, start, end).is_some(),
                };
                if is_token {
                    sink.one(0);
                } else {
                    self.merged(scratch, text, start, end, word, sink);
                }
            }
            start = end;
            if sink.count() > limit {
                return;
            }
        }
    }

    /// A piece that is no token.
    #[inline(never)]
    fn merged<S: Sink>(
        &self,
        scratch: &mut Scratch,
        text: &[u8],
        start: usize,
        end: usize,
        word: u64,
        sink: &mut S,
    ) {
        let Scratch { cache, merge } = scratch;
        let len = end - start;
        if len > cache::LONGEST {
            let tokens = merge.run(&self.vocabulary, text, start, end);
            sink.many(tokens.len(), tokens);
            merge.shrink();
            return;
        }
        if len <= SHORT_MERGE {
            let (count, starts) = self.vocabulary.merge_short(word, len);
            if !S::IDS {
                return sink.many(count, &[]);
            }
            for at in 0..count {
                let from = usize::from(starts[at & 7]);
                let to = if at + 1 < count { usize::from(starts[(at + 1) & 7]) } else { len };
                if let Some(id) = self.vocabulary.whole(text, start + from, start + to, word >> (8 * from)) {
                    sink.one(id);
                }
            }
            return;
        }
        let (key, slot) = cache::key_of(text, start, len, word);
        if let Some(found) = cache.get(&key, slot) {
            match found.ids() {
                Some(ids) => return sink.many(ids.len(), ids),
                None if !S::IDS => return sink.many(found.count as usize, &[]),
                None => {}
            }
        }
        let tokens = merge.run(&self.vocabulary, text, start, end);
        sink.many(tokens.len(), tokens);
        cache.put(key, slot, tokens);
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
        f.debug_struct("Encoding")
            .field("name", &self.name)
            .field("ids", &self.vocabulary.len())
            .finish_non_exhaustive()
    }
}
