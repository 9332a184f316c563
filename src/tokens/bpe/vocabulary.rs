//! An encoding's tokens in the tables needed for counting, built from a dictionary.

use super::asset::{Asset, Parts, Pattern, Place, Streams};
use super::bytes::word_at;
use super::dictionary::{Dictionary, MAX_TOKEN_BYTES};
#[cfg(feature = "tokenizer")]
use super::index::Index;
use super::strides::in_strides;
use super::table::{HashFilter, Lengths, Long, Medium, Merges, Pairs, Short, medium_key, short_key};
use super::token::Token;
use crate::Result;

/// An encoding as it is loaded: only the tokens needed so far, and only the tables that a few pieces need.
///
/// Most of the cost of the full tables is touching new memory, and counting a short message needs little of it. So the
/// tables are built for the first longer text, or for the first piece that has to be merged.
pub(super) struct Loaded {
    pub pattern: Pattern,
    dictionary: Dictionary,
    asset: Vec<u8>,
    /// How far the dictionary has read the asset.
    place: Place,
    /// Finds tokens without a dictionary.
    #[cfg(feature = "tokenizer")]
    index: Option<Index>,
    /// How many bytes were merged without the tables.
    #[cfg(feature = "tokenizer")]
    merged: usize,
}

/// At most this many bytes are merged without the tables, in pieces of at most `MAX_MERGED_PIECE` bytes; that is cheaper than
/// building the tables.
#[cfg(feature = "tokenizer")]
const MAX_MERGED_BYTES: usize = 1024;
#[cfg(feature = "tokenizer")]
const MAX_MERGED_PIECE: usize = 64;

impl Loaded {
    /// Loads the encoding `name` from the bytes of its asset.
    pub fn new(bytes: Vec<u8>, name: &str) -> Result<Self> {
        let asset = Asset::read(&bytes)?;
        let Some(ids) = asset.ids_of(name) else {
            return Err(format!("it is `{}`, not `{name}`", asset.name));
        };
        let dictionary = Dictionary::new(asset.base, ids);
        Ok(Self {
            pattern: asset.pattern,
            dictionary,
            asset: bytes,
            place: Place::default(),
            #[cfg(feature = "tokenizer")]
            index: None,
            #[cfg(feature = "tokenizer")]
            merged: 0,
        })
    }

    /// Loads an asset that is known to be intact.
    #[cfg(feature = "tokenizer")]
    pub fn of_trusted(bytes: Vec<u8>, index: Vec<u8>, pattern: Pattern) -> Result<Self> {
        let asset = Asset::of_trusted(&bytes)?;
        let dictionary = Dictionary::new(asset.base, asset.ids);
        Ok(Self {
            pattern,
            dictionary,
            asset: bytes,
            place: Place::default(),
            index: Index::new(index),
            merged: 0,
        })
    }

    /// The token equal to `text[start..end]`, if there is one. Reads more of the asset until it is found; common tokens come
    /// first.
    pub fn whole(&mut self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        #[cfg(feature = "tokenizer")]
        if let (Some(index), Some(piece)) = (&self.index, text.get(start..end)) {
            return match piece {
                &[byte] => Some(self.dictionary.single(byte)),
                _ => index.whole(&self.asset, piece),
            };
        }
        loop {
            let found = self.dictionary.whole(text, start, end);
            if found.is_some() || !self.read_on() {
                return found;
            }
        }
    }

    /// Whether a piece of this length may be merged without the tables. Counts the bytes towards the limit.
    #[cfg(feature = "tokenizer")]
    pub fn may_merge(&mut self, len: usize) -> bool {
        self.merged += len;
        len <= MAX_MERGED_PIECE && self.merged <= MAX_MERGED_BYTES
    }

    /// Merges a piece as byte-pair encoding defines it: the pair with the lowest rank first. The rank is the id of the token
    /// that the pair makes.
    #[cfg(feature = "tokenizer")]
    pub fn merge(&mut self, piece: &[u8], tokens: &mut Vec<u32>) {
        let mut ends: Vec<usize> = (1..=piece.len()).collect();
        let mut made = |start: usize, end: usize| self.whole(piece, start, end).unwrap_or(u32::MAX);
        // The rank of each part with the one after it.
        let mut ranks: Vec<u32> = (2..=piece.len()).map(|end| made(end - 2, end)).collect();
        while let Some((at, &rank)) = ranks.iter().enumerate().min_by_key(|(_, rank)| **rank)
            && rank != u32::MAX
        {
            ends.remove(at);
            ranks.remove(at);
            let start_of = |at: usize| at.checked_sub(1).map_or(0, |before| ends[before]);
            if at < ranks.len() {
                ranks[at] = made(start_of(at), ends[at + 1]);
            }
            if at > 0 {
                ranks[at - 1] = made(start_of(at - 1), ends[at]);
            }
        }
        let mut start = 0;
        for end in ends {
            tokens.push(made(start, end));
            start = end;
        }
    }

    /// The dictionary with all tokens.
    pub fn dictionary(&mut self) -> &Dictionary {
        while self.read_on() {}
        &self.dictionary
    }

    fn read_on(&mut self) -> bool {
        let mut streams = Streams::at(&self.asset, self.place);
        let more = self.dictionary.read(&mut streams);
        self.place = streams.place(&self.asset);
        more
    }
}

/// The full tables.
pub(super) struct Vocabulary {
    pub pattern: Pattern,
    pub dictionary: Dictionary,
    tokens: Vec<Token>,
    pairs: Pairs,
    short: Short,
    medium: Medium,
    long: Long,
    seen: HashFilter,
    lengths: Lengths,
    merges: Merges,
}

/// The tables indexed by bytes, while they are filled.
struct ByBytes<'a> {
    dictionary: &'a Dictionary,
    pairs: Pairs,
    short: Short,
    medium: Medium,
    long: Vec<u32>,
    seen: HashFilter,
    lengths: Lengths,
}

/// The tables indexed by parts, while they are filled.
struct ByParts<'a> {
    streams: Streams<'a>,
    tokens: Vec<Token>,
    merges: Merges,
}

impl Vocabulary {
    pub fn new(loaded: Loaded) -> Self {
        let mut loaded = loaded;
        loaded.dictionary();
        let Loaded { pattern, mut dictionary, asset, .. } = loaded;
        dictionary.forget_slots(); // the merges reuse this memory: WebAssembly memory never shrinks
        let (merges, tokens) = Self::by_parts(&dictionary, &asset);
        drop(asset);
        let [few, some] = dictionary.lengths();
        let mut tables = ByBytes {
            dictionary: &dictionary,
            pairs: Pairs::new(),
            short: Short::with_room_for(few),
            medium: Medium::with_room_for(some),
            long: Vec::new(),
            seen: HashFilter::new(),
            lengths: Lengths::new(),
        };
        in_strides(256..dictionary.len(), &mut tables, |tables, range| {
            range.for_each(|id| tables.insert(id as u32));
        });
        let ByBytes { pairs, short, medium, long, seen, lengths, .. } = tables;
        let long = Long::new(&long, |id| dictionary.bytes_of(id));
        Self { pattern, dictionary, tokens, pairs, short, medium, long, seen, lengths, merges }
    }

    fn by_parts(dictionary: &Dictionary, asset: &[u8]) -> (Merges, Vec<Token>) {
        let merges = Merges::with_room_for(dictionary.len());
        let mut tokens = Vec::with_capacity(dictionary.len());
        tokens.extend((0..256).map(|id| Token::new(id, id)));
        let mut tables = ByParts { streams: Streams::at(asset, Place::default()), tokens, merges };
        in_strides(256..dictionary.len(), &mut tables, |tables, range| {
            range.for_each(|id| tables.insert(id as u32));
        });
        (tables.merges, tables.tokens)
    }

    /// The token of one byte.
    #[inline(always)]
    pub fn single(&self, byte: u8) -> u32 {
        self.dictionary.single(byte)
    }

    /// Whether a piece of 3 to 7 bytes is a token.
    #[inline(always)]
    pub fn has_short(&self, key: u64) -> bool {
        self.short.contains(key)
    }

    /// Whether a piece of 8 to 15 bytes is a token.
    #[inline(always)]
    pub fn has_medium(&self, key: [u64; 2]) -> bool {
        self.medium.contains(key)
    }

    /// The token equal to the whole piece, if there is one.
    #[inline(always)]
    pub fn whole(&self, text: &[u8], start: usize, end: usize, word: u64) -> Option<u32> {
        match end - start {
            0 => None,
            1 => Some(self.single(word as u8)),
            2 => self.pairs.get(word),
            len @ 3..=7 => self.short.get(short_key(word, len)),
            len @ 8..=15 => self.medium.get(medium_key(word, word_at(text, start + 8), len)),
            _ => self.whole_long(text, start, end),
        }
    }

    #[inline(never)]
    pub fn whole_long(&self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        let piece = text.get(start..end)?;
        if piece.len() > MAX_TOKEN_BYTES {
            return None;
        }
        self.long.candidates(text, start).find(|(_, bytes)| *bytes == piece).map(|(id, _)| id)
    }

    /// The longest token at `start` of at most `room` bytes (at least 1), and its length.
    #[inline(always)]
    pub fn longest(&self, text: &[u8], start: usize, room: usize) -> (u32, usize) {
        let word = word_at(text, start);
        if room >= 4 {
            let lengths = self.lengths.get(word);
            if lengths & 1 != 0
                && room >= 16
                && let Some(found) = self.longest_long(text, start, room)
            {
                return found;
            }
            let fitting = if room >= 15 { 0xFFF0 } else { (2 << room) - 16 };
            let mut lengths = lengths & fitting;
            if lengths >= 1 << 8 {
                let second = word_at(text, start + 8);
                while lengths >= 1 << 8 {
                    let len = 31 - lengths.leading_zeros() as usize;
                    if let Some(id) = self.medium.get_rare(medium_key(word, second, len), &self.seen) {
                        return (id, len);
                    }
                    lengths &= !(1 << len);
                }
            }
            while lengths != 0 {
                let len = 31 - lengths.leading_zeros() as usize;
                if let Some(id) = self.short.get_rare(short_key(word, len), &self.seen) {
                    return (id, len);
                }
                lengths &= !(1 << len);
            }
        }
        if room >= 3
            && let Some(id) = self.short.get_rare(short_key(word, 3), &self.seen)
        {
            return (id, 3);
        }
        if room >= 2
            && let Some(id) = self.pairs.get(word)
        {
            return (id, 2);
        }
        (self.single(word as u8), 1)
    }

    #[inline(never)]
    fn longest_long(&self, text: &[u8], start: usize, room: usize) -> Option<(u32, usize)> {
        let rest = text.get(start..start + room)?;
        let (id, bytes) = self.long.candidates(text, start).find(|(_, bytes)| rest.starts_with(bytes))?;
        Some((id, bytes.len()))
    }

    /// Merges a piece of at most seven bytes, the first of `word`, as byte-pair encoding defines it. Returns the number of
    /// tokens and the start of each, in text order.
    #[inline]
    pub fn merge_short(&self, word: u64, len: usize) -> (usize, [u8; 8]) {
        let mut starts = [0, 1, 2, 3, 4, 5, 6, 7];
        let mut ranks = [u32::MAX; 8];
        for (at, rank) in ranks.iter_mut().enumerate().take(len - 1) {
            *rank = self.pairs.get(word >> (8 * at)).unwrap_or(u32::MAX);
        }
        let mut count = len;
        loop {
            let (mut best, mut lowest) = (0, u32::MAX);
            for (at, &rank) in ranks.iter().enumerate().take(count - 1) {
                if rank < lowest {
                    (best, lowest) = (at, rank);
                }
            }
            if lowest == u32::MAX {
                return (count, starts);
            }
            for at in best + 1..7 {
                starts[at] = starts[at + 1];
                ranks[at] = ranks[at + 1];
            }
            count -= 1;
            if count == 1 {
                return (count, starts);
            }
            let rank_of = |at: usize| {
                let start = usize::from(starts[at & 7]);
                let end = if at + 2 < count { usize::from(starts[(at + 2) & 7]) } else { len };
                let key = short_key(word >> (8 * start), end - start);
                self.short.get_rare(key, &self.seen).unwrap_or(u32::MAX)
            };
            ranks[best] = if best + 1 < count { rank_of(best) } else { u32::MAX };
            if best > 0 {
                ranks[best - 1] = rank_of(best - 1);
            }
        }
    }

    /// Whether two tokens may be adjacent, that is, whether merging their concatenated bytes results in these two tokens
    /// again.
    ///
    /// Goes back through what meets at the seam, from the last merges to the first: the right ends inside `left` and the
    /// left ends inside `right`. The tokens may not be adjacent if two such ends have a merge that comes before the merges
    /// that consumed them.
    #[inline(always)]
    pub fn may_follow(&self, left: u32, right: u32) -> bool {
        // No merge has this rank, so at the start any merge of the two forbids them to be adjacent.
        let (mut left, mut right, mut limit) = (left, right, self.tokens.len() as u32);
        let (Some(&(mut l)), Some(&(mut r))) =
            (self.tokens.get(left as usize), self.tokens.get(right as usize))
        else {
            return true;
        };
        loop {
            if l.first_as_left() < limit
                && r.first_as_right() < limit
                && self.merge(left, right).is_some_and(|made| made < limit)
            {
                return false;
            }
            // Undo the later of the two merges; if both are the same merge, the right one was done later. The tokens that
            // met at the seam before it did not merge, so a merge of them must come after the undone one. A merge at the
            // seam is to the left of one inside `right`, so it goes first at the same rank: hence the + 1.
            if left > right {
                if l.right() == left {
                    return true;
                }
                (limit, left) = (left, l.right());
                let Some(&token) = self.tokens.get(left as usize) else { return true };
                l = token;
            } else {
                if r.left() == right {
                    return true;
                }
                (limit, right) = (right + 1, r.left());
                let Some(&token) = self.tokens.get(right as usize) else { return true };
                r = token;
            }
        }
    }

    /// The token that `left` and `right` merge into.
    #[inline(always)]
    pub fn merge(&self, left: u32, right: u32) -> Option<u32> {
        let parts = Token::new(left, right).parts();
        self.merges.get(left, right, |id| self.tokens.get(id as usize).is_some_and(|t| t.parts() == parts))
    }
}

impl ByBytes<'_> {
    #[inline(always)]
    fn insert(&mut self, id: u32) {
        let ([word, second], len) = self.dictionary.words_of(id);
        if len >= 4 {
            self.lengths.insert(word, len);
        }
        match len {
            ..2 => {}
            2 => self.pairs.insert(word, id),
            3..8 => self.short.insert(short_key(word, len), id, &mut self.seen),
            8..16 => self.medium.insert(medium_key(word, second, len), id, &mut self.seen),
            _ => self.long.push(id),
        }
    }
}

impl ByParts<'_> {
    #[inline(always)]
    fn insert(&mut self, id: u32) {
        let Some(Parts::Of(left, right)) = self.streams.next() else {
            // It is its own part, so that nothing merges into it.
            return self.tokens.push(Token::new(id, id));
        };
        self.merges.insert(left, right, id);
        if let Some(token) = self.tokens.get_mut(left as usize) {
            token.merges_as_left(id);
        }
        if let Some(token) = self.tokens.get_mut(right as usize) {
            token.merges_as_right(id);
        }
        self.tokens.push(Token::new(left, right));
    }
}
