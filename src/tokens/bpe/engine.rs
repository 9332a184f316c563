//! Counts tokens: the loop over a text's pieces.

#![allow(clippy::inline_always)] // Measured: without it, the calls in the loops over pieces cost a third.

#[cfg(feature = "tokenizer")]
use super::adjacent_bytes::AdjacentBytes;
use super::asset::Pattern;
use super::bytes::word_at;
use super::cache::{self, Cache};
#[cfg(feature = "tokenizer")]
use super::deepseek::DeepSeek;
use super::dictionary::Dictionary;
use super::merge::Merge;
use super::pieces::{BATCH_PIECES, Cl100k, Cut, Gpt2, O200k, Sorted};
#[cfg(feature = "tokenizer")]
use super::pieces::{Llama3, Qwen2, Tekken};
use super::vocabulary::{Loaded, Vocabulary};
use crate::Result;

/// An encoding's tables, and the state that counting keeps from piece to piece.
pub struct Engine {
    /// The encoding as loaded, until the full tables are built.
    loaded: Option<Loaded>,
    full: Option<(Vocabulary, Scratch)>,
    adjacent: AdjacentBytes,
    #[cfg(feature = "tokenizer")]
    piece_override: Option<PieceOverride>,
}

#[cfg(not(feature = "tokenizer"))]
type AdjacentBytes = ();

/// The cutter of a pattern; `adjacent` if the pattern is `Pattern::AdjacentBytes`.
#[cfg_attr(
    not(feature = "tokenizer"),
    expect(unused_variables, reason = "no pattern of an encoding is of adjacent bytes")
)]
fn pieces(pattern: Pattern, adjacent: &AdjacentBytes) -> &dyn Cut {
    match pattern {
        Pattern::O200k => &O200k {},
        Pattern::Cl100k => &Cl100k {},
        Pattern::Gpt2 => &Gpt2,
        #[cfg(feature = "tokenizer")]
        Pattern::Llama3 => &Llama3 {},
        #[cfg(feature = "tokenizer")]
        Pattern::Qwen2 => &Qwen2 {},
        #[cfg(feature = "tokenizer")]
        Pattern::Tekken => &Tekken {},
        #[cfg(feature = "tokenizer")]
        Pattern::DeepSeek => &DeepSeek,
        #[cfg(feature = "tokenizer")]
        Pattern::AdjacentBytes => adjacent,
    }
}

/// Where the pieces of a text end.
#[cfg(feature = "tokenizer")]
#[must_use]
pub fn ends(pattern: Pattern, text: &[u8]) -> Vec<usize> {
    let adjacent = AdjacentBytes::default();
    let pieces = pieces(pattern, &adjacent);
    let mut all = Vec::new();
    let mut batch = Batch::default();
    let mut start = 0;
    while start < text.len() {
        let cut = batch.cut(pieces, text, start);
        start = cut.last().copied().unwrap_or(text.len());
        all.extend_from_slice(cut);
    }
    all
}

/// A callback for pieces whose tokens differ from those that the engine would find. It adds the tokens to the list and
/// returns `true`.
#[cfg(feature = "tokenizer")]
pub type PieceOverride = Box<dyn FnMut(&[u8], &mut Vec<u32>) -> bool>;

/// The state that counting keeps from piece to piece.
#[derive(Default)]
struct Scratch {
    cache: Cache,
    merge: Merge,
    #[cfg(feature = "tokenizer")]
    piece_override: Option<PieceOverride>,
    /// The tokens that `piece_override` found.
    override_tokens: Vec<u32>,
}

/// For a longer text, the full tables are built at once.
const MAX_BYTES_WITHOUT_TABLES: usize = 4096;

impl Engine {
    /// Loads the encoding `name` from the bytes of its asset.
    ///
    /// # Errors
    /// What is wrong with the asset.
    pub fn new(asset: Vec<u8>, name: &str) -> Result<Self> {
        Ok(Self {
            loaded: Some(Loaded::new(asset, name)?),
            full: None,
            adjacent: AdjacentBytes::default(),
            #[cfg(feature = "tokenizer")]
            piece_override: None,
        })
    }

    /// An engine for an asset that is known to be intact, with its [`index`](super::index()) or an empty one. Text is cut by
    /// `pattern`, or between bytes that are not `adjacent` if there is none. Pieces that are not tokens are passed to `piece_override`.
    ///
    /// # Errors
    /// If the bytes are not an asset.
    #[cfg(feature = "tokenizer")]
    pub fn with_pattern(
        asset: Vec<u8>,
        index: Vec<u8>,
        pattern: Option<Pattern>,
        adjacent: AdjacentBytes,
        piece_override: Option<PieceOverride>,
    ) -> Result<Self> {
        let loaded = Loaded::of_trusted(asset, index, pattern.unwrap_or(Pattern::AdjacentBytes))?;
        Ok(Self { loaded: Some(loaded), full: None, adjacent, piece_override })
    }

    /// The number of tokens in `text`.
    pub fn count(&mut self, text: &[u8]) -> u64 {
        let mut count = Count(0);
        self.fill(text, u64::MAX, &mut count);
        count.0
    }

    /// The number of tokens in `text`, if there are at most `limit`.
    pub fn count_up_to(&mut self, text: &[u8], limit: u64) -> Option<u64> {
        let mut count = Count(0);
        self.fill(text, limit, &mut count);
        (count.0 <= limit).then_some(count.0)
    }

    /// The tokens of `text`.
    pub fn encode(&mut self, text: &[u8]) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(text.len() / 3);
        self.fill(text, u64::MAX, &mut tokens);
        tokens
    }

    /// The bytes of `tokens`.
    ///
    /// # Errors
    /// The first id that is not an ordinary token of the encoding.
    pub fn decode(&mut self, tokens: &[u32]) -> std::result::Result<Vec<u8>, u32> {
        let mut bytes = Vec::with_capacity(tokens.len() * 4);
        let dictionary = self.dictionary();
        for &token in tokens {
            match dictionary.map(|dictionary| dictionary.bytes_of(token)) {
                None | Some([]) => return Err(token),
                Some(found) => bytes.extend_from_slice(found),
            }
        }
        Ok(bytes)
    }

    /// The bytes of all tokens.
    fn dictionary(&mut self) -> Option<&Dictionary> {
        match &mut self.loaded {
            Some(loaded) => Some(loaded.dictionary()),
            None => self.full.as_ref().map(|(full, _)| &full.dictionary),
        }
    }

    /// Fills `sink` with the tokens of `text` until its count exceeds `limit`.
    fn fill<S: Sink>(&mut self, text: &[u8], limit: u64, sink: &mut S) {
        let start = match &mut self.loaded {
            Some(loaded) if text.len() <= MAX_BYTES_WITHOUT_TABLES => {
                #[cfg(feature = "tokenizer")]
                let piece_override = &mut self.piece_override;
                #[cfg(not(feature = "tokenizer"))]
                let piece_override = &mut ();
                let pieces = pieces(loaded.pattern, &self.adjacent);
                first_pieces(pieces, loaded, piece_override, text, limit, sink)
            }
            _ => 0,
        };
        if start >= text.len() || sink.count() > limit {
            return;
        }
        if let Some(loaded) = self.loaded.take() {
            let scratch = Scratch {
                #[cfg(feature = "tokenizer")]
                piece_override: self.piece_override.take(),
                ..Scratch::default()
            };
            self.full = Some((Vocabulary::new(loaded), scratch));
        }
        let Some((vocabulary, scratch)) = &mut self.full else { return };
        let pieces = pieces(vocabulary.pattern, &self.adjacent);
        count_pieces(pieces, vocabulary, scratch, text, start, limit, sink);
    }
}

/// Counts pieces that are tokens or can be merged without the full tables. Returns the start of the first piece that is
/// neither.
#[inline(never)]
fn first_pieces<S: Sink>(
    pieces: &dyn Cut,
    loaded: &mut Loaded,
    piece_override: &mut FirstOverride,
    text: &[u8],
    limit: u64,
    sink: &mut S,
) -> usize {
    let mut batch = Batch::default();
    let mut start = 0;
    while start < text.len() {
        for &end in batch.cut(pieces, text, start) {
            if sink.count() > limit {
                return start;
            }
            match loaded.whole(text, start, end) {
                Some(id) => sink.one(id),
                None => {
                    match first_merged(loaded, piece_override, text.get(start..end).unwrap_or_default()) {
                        Some(tokens) => sink.many(tokens.len(), &tokens),
                        None => return start,
                    }
                }
            }
            start = end;
        }
    }
    start
}

/// The tokens of a piece that is not a token itself, as long as there were few of them. Only with the `tokenizer` feature,
/// because the core is kept small.
#[cfg(feature = "tokenizer")]
fn first_merged(loaded: &mut Loaded, piece_override: &mut FirstOverride, piece: &[u8]) -> Option<Vec<u32>> {
    loaded.may_merge(piece.len()).then_some(())?;
    let mut tokens = Vec::new();
    if !piece_override.as_mut().is_some_and(|piece_override| piece_override(piece, &mut tokens)) {
        loaded.merge(piece, &mut tokens);
    }
    Some(tokens)
}

#[cfg(not(feature = "tokenizer"))]
#[inline(always)]
fn first_merged(_: &mut Loaded, _: &mut FirstOverride, _: &[u8]) -> Option<[u32; 0]> {
    None
}

#[cfg(feature = "tokenizer")]
type FirstOverride = Option<PieceOverride>;
#[cfg(not(feature = "tokenizer"))]
type FirstOverride = ();

/// Counts the pieces from `start`.
#[inline(never)]
fn count_pieces<S: Sink>(
    pieces: &dyn Cut,
    vocabulary: &Vocabulary,
    scratch: &mut Scratch,
    text: &[u8],
    mut start: usize,
    limit: u64,
    sink: &mut S,
) {
    if !S::IDS {
        return count_in_any_order(pieces, vocabulary, scratch, text, start, limit, sink);
    }
    let mut batch = Batch::default();
    while start < text.len() {
        for &end in batch.cut(pieces, text, start) {
            let word = word_at(text, start);
            match vocabulary.whole(text, start, end, word) {
                Some(id) => sink.one(id),
                None => count_merged(vocabulary, scratch, text, start, end, word, sink),
            }
            start = end;
            if sink.count() > limit {
                return;
            }
        }
    }
}

/// Like `count_pieces`, if only the count is needed: pieces are looked up in groups and in any order, so that the processor can wait
/// for many cache lines of the tables at once.
#[inline(always)]
fn count_in_any_order<S: Sink>(
    pieces: &dyn Cut,
    vocabulary: &Vocabulary,
    scratch: &mut Scratch,
    text: &[u8],
    mut start: usize,
    limit: u64,
    sink: &mut S,
) {
    let mut sorted = Sorted::default();
    while start < text.len() && sink.count() <= limit {
        start = pieces.sort(text, start, &mut sorted);
        sink.many(sorted.bytes, &[]);
        for &(key, at) in sorted.shorts() {
            if vocabulary.has_short(key) {
                sink.one(0);
            } else {
                count_merged(vocabulary, scratch, text, at, at + (key >> 56) as usize, key, sink);
            }
        }
        for &(key, at) in sorted.mediums() {
            if vocabulary.has_medium(key) {
                sink.one(0);
            } else {
                count_merged(vocabulary, scratch, text, at, at + (key[1] >> 56) as usize, key[0], sink);
            }
        }
        for &(at, end) in sorted.others() {
            let word = word_at(text, at);
            if vocabulary.whole(text, at, end, word).is_some() {
                sink.one(0);
            } else {
                count_merged(vocabulary, scratch, text, at, end, word, sink);
            }
        }
    }
}

/// The ends of the pieces that were cut together.
struct Batch([usize; BATCH_PIECES]);

impl Default for Batch {
    fn default() -> Self {
        Self([0; BATCH_PIECES])
    }
}

impl Batch {
    #[inline(always)]
    fn cut(&mut self, pieces: &dyn Cut, text: &[u8], start: usize) -> &[usize] {
        let cut = pieces.cut(text, start, &mut self.0);
        self.0.get(..cut).unwrap_or_default()
    }
}

/// Merges a piece that is not a token.
#[inline(never)]
fn count_merged<S: Sink>(
    vocabulary: &Vocabulary,
    scratch: &mut Scratch,
    text: &[u8],
    start: usize,
    end: usize,
    word: u64,
    sink: &mut S,
) {
    let len = end - start;
    if len > cache::MAX_CACHED_BYTES {
        if let Some(tokens) = piece_override(scratch, text, start, end) {
            return sink.many(tokens.len(), tokens);
        }
        let merge = &mut scratch.merge;
        let tokens = merge.run(vocabulary, text, start, end);
        sink.many(tokens.len(), tokens);
        merge.shrink();
        return;
    }
    if len <= MAX_UNCACHED_MERGE {
        if let Some(tokens) = piece_override(scratch, text, start, end) {
            return sink.many(tokens.len(), tokens);
        }
        let (count, starts) = vocabulary.merge_short(word, len);
        if !S::IDS {
            return sink.many(count, &[]);
        }
        for at in 0..count {
            let from = usize::from(starts[at & 7]);
            let to = if at + 1 < count { usize::from(starts[(at + 1) & 7]) } else { len };
            if let Some(id) = vocabulary.whole(text, start + from, start + to, word >> (8 * from)) {
                sink.one(id);
            }
        }
        return;
    }
    let (key, slot) = cache::key_of(text, start, len, word);
    if let Some(found) = scratch.cache.get(&key, slot) {
        match found.ids() {
            Some(ids) => return sink.many(ids.len(), ids),
            None if !S::IDS => return sink.many(found.count as usize, &[]),
            None => {}
        }
    }
    if let Some(tokens) = piece_override(scratch, text, start, end) {
        sink.many(tokens.len(), tokens);
        let Scratch { cache, override_tokens, .. } = scratch;
        return cache.put(key, slot, override_tokens);
    }
    let Scratch { cache, merge, .. } = scratch;
    let tokens = merge.run(vocabulary, text, start, end);
    sink.many(tokens.len(), tokens);
    cache.put(key, slot, tokens);
}

/// The tokens of a piece that `piece_override` handles.
#[cfg(feature = "tokenizer")]
#[inline(always)]
fn piece_override<'a>(scratch: &'a mut Scratch, text: &[u8], start: usize, end: usize) -> Option<&'a [u32]> {
    let Scratch { piece_override, override_tokens, .. } = scratch;
    let piece_override = piece_override.as_mut()?;
    override_tokens.clear();
    piece_override(text.get(start..end)?, override_tokens).then_some(override_tokens)
}

#[cfg(not(feature = "tokenizer"))]
#[inline(always)]
fn piece_override(_: &mut Scratch, _: &[u8], _: usize, _: usize) -> Option<&'static [u32]> {
    None
}

/// Pieces up to this length are merged without the cache: that is as fast as looking them up.
const MAX_UNCACHED_MERGE: usize = 7;

/// Receives the tokens of the pieces.
trait Sink {
    /// Whether it needs the ids.
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
