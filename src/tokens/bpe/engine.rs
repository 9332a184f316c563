//! Counts tokens: the loop over a text's pieces.

#![allow(clippy::inline_always)] // Measured: without it, the calls in the loops over pieces cost a third.

use super::asset::Pattern;
use super::bytes::word_at;
use super::cache::{self, Cache};
#[cfg(feature = "tokenizer")]
use super::deepseek::DeepSeek;
use super::dictionary::Dictionary;
#[cfg(feature = "tokenizer")]
use super::joints::Joints;
use super::merge::Merge;
use super::pieces::{Cl100k, Cut, Gpt2, LOT, O200k, Sorted};
#[cfg(feature = "tokenizer")]
use super::pieces::{Llama3, Qwen2, Tekken};
use super::vocabulary::{Loaded, Vocabulary};
use crate::Result;

/// An encoding's tables, and the state that counting keeps from piece to piece.
pub struct Engine {
    /// The encoding as loaded, until the full tables are built.
    loaded: Option<Loaded>,
    full: Option<(Vocabulary, Scratch)>,
    joints: Joints,
    #[cfg(feature = "tokenizer")]
    odd: Option<Odd>,
}

#[cfg(not(feature = "tokenizer"))]
type Joints = ();

/// The cutter of a pattern; `joints` if the pattern is `Pattern::Joints`.
#[cfg_attr(
    not(feature = "tokenizer"),
    expect(unused_variables, reason = "no pattern of an encoding is of joints")
)]
fn pieces(pattern: Pattern, joints: &Joints) -> &dyn Cut {
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
        Pattern::Joints => joints,
    }
}

/// Where the pieces of a text end.
#[cfg(feature = "tokenizer")]
#[must_use]
pub fn ends(pattern: Pattern, text: &[u8]) -> Vec<usize> {
    let joints = Joints::default();
    let pieces = pieces(pattern, &joints);
    let mut all = Vec::new();
    let mut lot = Lot::default();
    let mut start = 0;
    while start < text.len() {
        let cut = lot.cut(pieces, text, start);
        start = cut.last().copied().unwrap_or(text.len());
        all.extend_from_slice(cut);
    }
    all
}

/// A callback for pieces whose tokens differ from those that the engine would find. It adds the tokens to the list and
/// returns `true`.
#[cfg(feature = "tokenizer")]
pub type Odd = Box<dyn FnMut(&[u8], &mut Vec<u32>) -> bool>;

/// The state that counting keeps from piece to piece.
#[derive(Default)]
struct Scratch {
    cache: Cache,
    merge: Merge,
    #[cfg(feature = "tokenizer")]
    odd: Option<Odd>,
    /// The tokens that `odd` found.
    odd_tokens: Vec<u32>,
}

/// For a longer text, the full tables are built at once.
const FEW_BYTES: usize = 4096;

impl Engine {
    /// Loads the encoding `name` from the bytes of its asset.
    ///
    /// # Errors
    /// What is wrong with the asset.
    pub fn new(asset: Vec<u8>, name: &str) -> Result<Self> {
        Ok(Self {
            loaded: Some(Loaded::new(asset, name)?),
            full: None,
            joints: Joints::default(),
            #[cfg(feature = "tokenizer")]
            odd: None,
        })
    }

    /// An engine for an asset that is known to be intact, with its [`index`](super::index()) or an empty one. Text is cut by
    /// `pattern`, or at `joints` if there is none. Pieces that are not tokens are passed to `odd`.
    ///
    /// # Errors
    /// If the bytes are not an asset.
    #[cfg(feature = "tokenizer")]
    pub fn with_pattern(
        asset: Vec<u8>,
        index: Vec<u8>,
        pattern: Option<Pattern>,
        joints: Joints,
        odd: Option<Odd>,
    ) -> Result<Self> {
        let loaded = Loaded::of_whole(asset, index, pattern.unwrap_or(Pattern::Joints))?;
        Ok(Self { loaded: Some(loaded), full: None, joints, odd })
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
            Some(loaded) if text.len() <= FEW_BYTES => {
                #[cfg(feature = "tokenizer")]
                let odd = &mut self.odd;
                #[cfg(not(feature = "tokenizer"))]
                let odd = &mut ();
                let pieces = pieces(loaded.pattern, &self.joints);
                first_pieces(pieces, loaded, odd, text, limit, sink)
            }
            _ => 0,
        };
        if start >= text.len() || sink.count() > limit {
            return;
        }
        if let Some(loaded) = self.loaded.take() {
            let scratch = Scratch {
                #[cfg(feature = "tokenizer")]
                odd: self.odd.take(),
                ..Scratch::default()
            };
            self.full = Some((Vocabulary::new(loaded), scratch));
        }
        let Some((vocabulary, scratch)) = &mut self.full else { return };
        let pieces = pieces(vocabulary.pattern, &self.joints);
        run(pieces, vocabulary, scratch, text, start, limit, sink);
    }
}

/// Counts pieces that are tokens or can be merged without the full tables. Returns the start of the first piece that is
/// neither.
#[inline(never)]
fn first_pieces<S: Sink>(
    pieces: &dyn Cut,
    loaded: &mut Loaded,
    odd: &mut FirstOdd,
    text: &[u8],
    limit: u64,
    sink: &mut S,
) -> usize {
    let mut lot = Lot::default();
    let mut start = 0;
    while start < text.len() {
        for &end in lot.cut(pieces, text, start) {
            if sink.count() > limit {
                return start;
            }
            match loaded.whole(text, start, end) {
                Some(id) => sink.one(id),
                None => match first_merged(loaded, odd, text.get(start..end).unwrap_or_default()) {
                    Some(tokens) => sink.many(tokens.len(), &tokens),
                    None => return start,
                },
            }
            start = end;
        }
    }
    start
}

/// The tokens of a piece that is not a token itself, as long as there were few of them. Only with the `tokenizer` feature,
/// because the core is kept small.
#[cfg(feature = "tokenizer")]
fn first_merged(loaded: &mut Loaded, odd: &mut FirstOdd, piece: &[u8]) -> Option<Vec<u32>> {
    loaded.may_merge(piece.len()).then_some(())?;
    let mut tokens = Vec::new();
    if !odd.as_mut().is_some_and(|odd| odd(piece, &mut tokens)) {
        loaded.merge(piece, &mut tokens);
    }
    Some(tokens)
}

#[cfg(not(feature = "tokenizer"))]
#[inline(always)]
fn first_merged(_: &mut Loaded, _: &mut FirstOdd, _: &[u8]) -> Option<[u32; 0]> {
    None
}

#[cfg(feature = "tokenizer")]
type FirstOdd = Option<Odd>;
#[cfg(not(feature = "tokenizer"))]
type FirstOdd = ();

/// Counts the pieces from `start`.
#[inline(never)]
fn run<S: Sink>(
    pieces: &dyn Cut,
    vocabulary: &Vocabulary,
    scratch: &mut Scratch,
    text: &[u8],
    mut start: usize,
    limit: u64,
    sink: &mut S,
) {
    if !S::IDS {
        return in_any_order(pieces, vocabulary, scratch, text, start, limit, sink);
    }
    let mut lot = Lot::default();
    while start < text.len() {
        for &end in lot.cut(pieces, text, start) {
            let word = word_at(text, start);
            match vocabulary.whole(text, start, end, word) {
                Some(id) => sink.one(id),
                None => merged(vocabulary, scratch, text, start, end, word, sink),
            }
            start = end;
            if sink.count() > limit {
                return;
            }
        }
    }
}

/// Like `run`, if only the count is needed: pieces are looked up in groups and in any order, so that the processor can wait
/// for many cache lines of the tables at once.
#[inline(always)]
fn in_any_order<S: Sink>(
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
                merged(vocabulary, scratch, text, at, at + (key >> 56) as usize, key, sink);
            }
        }
        for &(key, at) in sorted.mediums() {
            if vocabulary.has_medium(key) {
                sink.one(0);
            } else {
                merged(vocabulary, scratch, text, at, at + (key[1] >> 56) as usize, key[0], sink);
            }
        }
        for &(at, end) in sorted.others() {
            let word = word_at(text, at);
            if vocabulary.whole(text, at, end, word).is_some() {
                sink.one(0);
            } else {
                merged(vocabulary, scratch, text, at, end, word, sink);
            }
        }
    }
}

/// The ends of the pieces that were cut together.
struct Lot([usize; LOT]);

impl Default for Lot {
    fn default() -> Self {
        Self([0; LOT])
    }
}

impl Lot {
    #[inline(always)]
    fn cut(&mut self, pieces: &dyn Cut, text: &[u8], start: usize) -> &[usize] {
        let cut = pieces.cut(text, start, &mut self.0);
        self.0.get(..cut).unwrap_or_default()
    }
}

/// Merges a piece that is not a token.
#[inline(never)]
fn merged<S: Sink>(
    vocabulary: &Vocabulary,
    scratch: &mut Scratch,
    text: &[u8],
    start: usize,
    end: usize,
    word: u64,
    sink: &mut S,
) {
    let len = end - start;
    if len > cache::LONGEST {
        if let Some(tokens) = odd(scratch, text, start, end) {
            return sink.many(tokens.len(), tokens);
        }
        let merge = &mut scratch.merge;
        let tokens = merge.run(vocabulary, text, start, end);
        sink.many(tokens.len(), tokens);
        merge.shrink();
        return;
    }
    if len <= SHORT_MERGE {
        if let Some(tokens) = odd(scratch, text, start, end) {
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
    if let Some(tokens) = odd(scratch, text, start, end) {
        sink.many(tokens.len(), tokens);
        let Scratch { cache, odd_tokens, .. } = scratch;
        return cache.put(key, slot, odd_tokens);
    }
    let Scratch { cache, merge, .. } = scratch;
    let tokens = merge.run(vocabulary, text, start, end);
    sink.many(tokens.len(), tokens);
    cache.put(key, slot, tokens);
}

/// The tokens of a piece that `odd` handles.
#[cfg(feature = "tokenizer")]
#[inline(always)]
fn odd<'a>(scratch: &'a mut Scratch, text: &[u8], start: usize, end: usize) -> Option<&'a [u32]> {
    let Scratch { odd, odd_tokens, .. } = scratch;
    let odd = odd.as_mut()?;
    odd_tokens.clear();
    odd(text.get(start..end)?, odd_tokens).then_some(odd_tokens)
}

#[cfg(not(feature = "tokenizer"))]
#[inline(always)]
fn odd(_: &mut Scratch, _: &[u8], _: usize, _: usize) -> Option<&'static [u32]> {
    None
}

/// Pieces up to this length are merged without the cache: that is as fast as looking them up.
const SHORT_MERGE: usize = 7;

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
