//! An encoding's tokens in the tables that counting needs. Built once from an asset, never changed.

use super::asset::{Asset, Pattern, invalid};
use super::bytes::{copy_words, word_at};
use super::table::{Lengths, Long, Medium, Merges, Pairs, Seen, Short, medium_key, short_key};
use crate::Result;

/// The longest token that an asset may hold, in bytes. The longest of tiktoken's have 128.
const MAX_TOKEN_BYTES: usize = 255;

/// Where a token comes from and what becomes of it, in 64 bits: the ids of its left and its right part (its own for a
/// single byte), and the lowest ranks of a merge with it on the left and on the right, in [`STEP`]s, rounded down.
#[derive(Clone, Copy)]
struct Token(u64);

const ID_BITS: u32 = 18;
const STEP_BITS: u32 = 14;
/// Ranks a step: 2^18 ids in 14 bits.
const STEP: u32 = 16;
const NEVER: u64 = (1 << STEP_BITS) - 1;

impl Token {
    const fn new(left: u32, right: u32) -> Self {
        Self(
            left as u64
                | (right as u64) << ID_BITS
                | NEVER << (2 * ID_BITS)
                | NEVER << (2 * ID_BITS + STEP_BITS),
        )
    }

    #[inline(always)]
    const fn left(self) -> u32 {
        (self.0 & ((1 << ID_BITS) - 1)) as u32
    }

    #[inline(always)]
    const fn right(self) -> u32 {
        (self.0 >> ID_BITS & ((1 << ID_BITS) - 1)) as u32
    }

    #[inline(always)]
    const fn parts(self) -> u64 {
        self.0 & ((1 << (2 * ID_BITS)) - 1)
    }

    /// No merge of a lower rank has it on the left.
    #[inline(always)]
    const fn first_as_left(self) -> u32 {
        (self.0 >> (2 * ID_BITS) & NEVER) as u32 * STEP
    }

    /// No merge of a lower rank has it on the right.
    #[inline(always)]
    const fn first_as_right(self) -> u32 {
        (self.0 >> (2 * ID_BITS + STEP_BITS)) as u32 * STEP
    }

    /// Merges come in the order of their ranks: only the first one counts.
    fn merges_as_left(&mut self, id: u32) {
        if self.first_as_left() == NEVER as u32 * STEP {
            self.0 ^= (NEVER ^ u64::from(id / STEP)) << (2 * ID_BITS);
        }
    }

    fn merges_as_right(&mut self, id: u32) {
        if self.first_as_right() == NEVER as u32 * STEP {
            self.0 ^= (NEVER ^ u64::from(id / STEP)) << (2 * ID_BITS + STEP_BITS);
        }
    }
}

pub(super) struct Vocabulary {
    pub pattern: Pattern,
    tokens: Vec<Token>,
    single: [u32; 256],
    pairs: Pairs,
    short: Short,
    medium: Medium,
    long: Long,
    seen: Seen,
    lengths: Lengths,
    merges: Merges,
}

impl Vocabulary {
    pub fn new(asset: Asset<'_>) -> Result<Self> {
        let ids = asset.ids;
        let pattern = asset.pattern;
        let mut builder = Builder::new(asset.base, ids);
        let Asset { mut lefts, mut rights, .. } = asset;
        for id in 256..ids as u32 {
            match lefts.next()? {
                0 => builder.hole(id),
                left => builder.token(id, left - 1, rights.next()?)?,
            }
        }
        if !lefts.is_empty() || !rights.is_empty() {
            return Err(invalid("it holds more tokens than it says"));
        }
        Ok(builder.finish(pattern))
    }

    /// How many ids there are, holes included.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Appends a token's bytes; false for an id that is no token.
    pub fn push_bytes(&self, id: u32, bytes: &mut Vec<u8>) -> bool {
        let mut pending = vec![id];
        let before = bytes.len();
        while let Some(id) = pending.pop() {
            let Some(&token) = self.tokens.get(id as usize) else { break };
            if token.left() != id {
                pending.extend([token.right(), token.left()]);
            } else if let Some(byte) = self.single.iter().position(|&single| single == id) {
                bytes.push(byte as u8);
            }
        }
        bytes.len() > before
    }

    /// The token of one byte.
    #[inline(always)]
    pub fn single(&self, byte: u8) -> u32 {
        self.single[byte as usize]
    }

    /// Whether a piece of 1 to 7 bytes, the first of `word`, is a token.
    #[inline(always)]
    pub fn has_short(&self, word: u64, len: usize) -> bool {
        match len {
            ..2 => true,
            2 => self.pairs.get(word).is_some(),
            _ => self.short.contains(short_key(word, len)),
        }
    }

    /// Whether a piece of 8 to 15 bytes is a token.
    #[inline(always)]
    pub fn has_medium(&self, key: [u64; 2]) -> bool {
        self.medium.contains(key)
    }

    /// The token that is the whole piece, if there is one.
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

    /// The longest token that the text has at `start`, at most `room` bytes long (1 at the least), and its length.
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

    /// Merges a piece of at most seven bytes, the first of `word`, as it is defined: the lowest rank first. Gives how
    /// many tokens it has, and where each begins, in the order of the text.
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

    /// Whether the tokens may stand side by side: whether merging the bytes of both gives these two again.
    ///
    /// Follows what meets at the seam, from the last merges back to the first: the right ends inside `left`, the
    /// left ends inside `right`. They may not stand together if two such ends have a merge that comes before the
    /// merges that put them away.
    #[inline(always)]
    pub fn may_follow(&self, left: u32, right: u32) -> bool {
        // No merge has this rank: what stands side by side in the end may not merge at all.
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
            // Undo the later of the two merges; of the same one twice, the right one was made later. What stood at
            // the seam before it did not merge, so its merge comes later than the undone one. A merge at the seam
            // is left of one inside `right` and goes first at the same rank: hence the + 1.
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

/// Takes tokens in the order of their ids.
struct Builder {
    tokens: Vec<Token>,
    /// All tokens' bytes, and room behind them.
    bytes: Vec<u8>,
    end: usize,
    /// Where each token's bytes begin, and at last where they end.
    starts: Vec<u32>,
    single: [u32; 256],
    by_length: [usize; 3],
}

impl Builder {
    fn new(base: &[u8; 256], ids: usize) -> Self {
        let mut single = [0; 256];
        let mut tokens = Vec::with_capacity(ids);
        let mut starts = Vec::with_capacity(ids + 1);
        for (id, &byte) in base.iter().enumerate() {
            let id = id as u32;
            single[byte as usize] = id;
            tokens.push(Token::new(id, id));
            starts.push(id);
        }
        starts.push(256);
        let mut bytes = vec![0; ids * 7 + 2 * MAX_TOKEN_BYTES];
        for (to, byte) in bytes.iter_mut().zip(base) {
            *to = *byte;
        }
        Self { tokens, bytes, end: 256, starts, single, by_length: [0; 3] }
    }

    /// An id that is no token: its own part, so that nothing merges into it.
    fn hole(&mut self, id: u32) {
        self.tokens.push(Token::new(id, id));
        self.starts.push(self.end as u32);
    }

    // Not inlined, as `ByBytes::insert` and `add_merge`: a call for each token lets a WebAssembly engine go over to
    // its optimised code while the tables are still being built.
    #[inline(never)]
    fn token(&mut self, id: u32, left: u32, right: u32) -> Result<()> {
        let (l, r) = (left as usize, right as usize);
        if l >= self.tokens.len() || r >= self.tokens.len() {
            return Err(invalid("a token in it is made of later ones"));
        }
        let (left_start, left_end) = (self.starts[l] as usize, self.starts[l + 1] as usize);
        let (right_start, right_end) = (self.starts[r] as usize, self.starts[r + 1] as usize);
        let len = left_end - left_start + right_end - right_start;
        if len > MAX_TOKEN_BYTES || left_start == left_end || right_start == right_end {
            return Err(invalid("a token in it has an impossible length"));
        }
        if self.end + 2 * MAX_TOKEN_BYTES > self.bytes.len() {
            self.bytes.resize(self.bytes.len() * 3 / 2, 0);
        }
        copy_words(&mut self.bytes, left_start, self.end, left_end - left_start);
        copy_words(&mut self.bytes, right_start, self.end + left_end - left_start, right_end - right_start);
        self.end += len;
        self.starts.push(self.end as u32);
        self.by_length[len.min(16) / 8] += 1;
        self.tokens[l].merges_as_left(id);
        self.tokens[r].merges_as_right(id);
        self.tokens.push(Token::new(left, right));
        Ok(())
    }

    fn finish(self, pattern: Pattern) -> Vocabulary {
        let Self { tokens, bytes, starts, single, by_length, .. } = self;
        let mut by_bytes = ByBytes {
            pairs: Pairs::new(),
            short: Short::with_room_for(by_length[0]),
            medium: Medium::with_room_for(by_length[1]),
            seen: Seen::new(),
            lengths: Lengths::new(),
            long: Vec::with_capacity(by_length[2]),
        };
        for id in 256..tokens.len() as u32 {
            by_bytes.insert(&bytes, id, starts[id as usize] as usize, starts[id as usize + 1] as usize);
        }
        let ByBytes { pairs, short, medium, seen, lengths, long } = by_bytes;
        let long = Long::new(&long, |id| {
            bytes.get(starts[id as usize] as usize..starts[id as usize + 1] as usize).unwrap_or_default()
        });
        // The merges take the room that the bytes leave: WebAssembly memory never shrinks.
        drop((bytes, starts));
        let mut merges = Merges::with_room_for(tokens.len());
        for (id, token) in tokens.iter().enumerate().skip(256) {
            add_merge(&mut merges, *token, id as u32);
        }
        Vocabulary { pattern, tokens, single, pairs, short, medium, long, seen, lengths, merges }
    }
}

#[inline(never)]
fn add_merge(merges: &mut Merges, token: Token, id: u32) {
    if token.left() != id {
        merges.insert(token.left(), token.right(), id);
    }
}

struct ByBytes {
    pairs: Pairs,
    short: Short,
    medium: Medium,
    seen: Seen,
    lengths: Lengths,
    long: Vec<u32>,
}

impl ByBytes {
    #[inline(never)]
    fn insert(&mut self, bytes: &[u8], id: u32, start: usize, end: usize) {
        let word = word_at(bytes, start);
        let len = end - start;
        if len >= 4 {
            self.lengths.insert(word, len);
        }
        match len {
            ..2 => {}
            2 => self.pairs.insert(word, id),
            3..8 => self.short.insert(short_key(word, len), id, &mut self.seen),
            8..16 => self.medium.insert(medium_key(word, word_at(bytes, start + 8), len), id, &mut self.seen),
            _ => self.long.push(id),
        }
    }
}
