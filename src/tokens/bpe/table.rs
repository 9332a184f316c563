//! Hash tables of tokens by their bytes, and of merges by their parts. Open addressing with linear probing; never full.

use super::bytes::{low_bytes, word_at};

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Tokens of two bytes, by those bytes. 0 means none, because id 0 is a single byte.
pub(super) struct Pairs(Vec<u32>);

impl Pairs {
    pub fn new() -> Self {
        Self(vec![0; 1 << 16])
    }

    pub fn insert(&mut self, word: u64, id: u32) {
        self.0[word as usize & 0xFFFF] = id;
    }

    /// The token of the first two bytes of `word`.
    #[inline(always)]
    pub fn get(&self, word: u64) -> Option<u32> {
        self.0.get(word as usize & 0xFFFF).copied().filter(|&id| id != 0)
    }
}

/// Tokens of three to seven bytes. A key is the bytes with the length in the top byte; it is never 0.
pub(super) struct Short {
    /// A second, dense copy of the most common tokens, which come first: with cold caches, few cache lines have to be
    /// loaded.
    common: Vec<u64>,
    keys: Vec<u64>,
    ids: Vec<u32>,
    shift: u32,
}

/// 32 KB. Twice the size was slower, and so was a second such table for tokens of eight bytes and more.
const COMMON_BITS: u32 = 12;

/// The key of the first `len` bytes of `word`, `len` from 1 to 7.
#[inline(always)]
pub(super) const fn short_key(word: u64, len: usize) -> u64 {
    low_bytes(word, len) | (len as u64) << 56
}

#[inline(always)]
const fn short_hash(key: u64) -> u64 {
    (key ^ key >> 29).wrapping_mul(FACTOR)
}

impl Short {
    pub fn with_room_for(tokens: usize) -> Self {
        let slots = slots_for(tokens);
        let common = vec![0; 1 << COMMON_BITS];
        Self { common, keys: vec![0; slots], ids: vec![0; slots], shift: 64 - slots.trailing_zeros() }
    }

    pub fn insert(&mut self, key: u64, id: u32, seen: &mut HashFilter) {
        let hash = short_hash(key);
        seen.insert(hash);
        let common = &mut self.common[(hash >> (64 - COMMON_BITS)) as usize];
        if *common == 0 {
            *common = key;
        }
        let mask = self.keys.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        while self.keys[at & mask] != 0 {
            at += 1;
        }
        self.keys[at & mask] = key;
        self.ids[at & mask] = id;
    }

    /// The slot of `key`.
    #[inline(always)]
    fn find(&self, key: u64) -> Option<usize> {
        let mask = self.keys.len() - 1;
        let mut at = (short_hash(key) >> self.shift) as usize & mask;
        loop {
            match *self.keys.get(at)? {
                found if found == key => return Some(at),
                0 => return None,
                _ => at = (at + 1) & mask,
            }
        }
    }

    #[inline(always)]
    pub fn contains(&self, key: u64) -> bool {
        let common = (short_hash(key) >> (64 - COMMON_BITS)) as usize;
        self.common.get(common).is_some_and(|&found| found == key) || self.find(key).is_some()
    }

    #[inline(always)]
    pub fn get(&self, key: u64) -> Option<u32> {
        self.ids.get(self.find(key)?).copied()
    }

    /// Like [`Self::get`], for keys that are rarely tokens.
    #[inline(always)]
    pub fn get_rare(&self, key: u64, seen: &HashFilter) -> Option<u32> {
        if seen.contains(short_hash(key)) { self.get(key) } else { None }
    }
}

/// Tokens of eight to fifteen bytes.
pub(super) struct Medium {
    keys: Vec<[u64; 2]>,
    ids: Vec<u32>,
    shift: u32,
}

/// The key of `len` bytes, `len` from 8 to 15: the first eight bytes, then the others with the length in the top byte.
#[inline(always)]
pub(super) const fn medium_key(first: u64, second: u64, len: usize) -> [u64; 2] {
    [first, low_bytes(second, len - 8) | (len as u64) << 56]
}

#[inline(always)]
const fn medium_hash([first, second]: [u64; 2]) -> u64 {
    let mixed = (first ^ second.rotate_left(31).wrapping_mul(0xD6E8_FEB8_6659_FD93)).wrapping_mul(FACTOR);
    mixed ^ mixed << 32
}

impl Medium {
    pub fn with_room_for(tokens: usize) -> Self {
        let slots = slots_for(tokens);
        Self { keys: vec![[0; 2]; slots], ids: vec![0; slots], shift: 64 - slots.trailing_zeros() }
    }

    pub fn insert(&mut self, key: [u64; 2], id: u32, seen: &mut HashFilter) {
        let hash = medium_hash(key);
        seen.insert(hash);
        let mask = self.keys.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        while self.keys[at & mask][1] != 0 {
            at += 1;
        }
        self.keys[at & mask] = key;
        self.ids[at & mask] = id;
    }

    #[inline(always)]
    fn find(&self, key: [u64; 2]) -> Option<usize> {
        let mask = self.keys.len() - 1;
        let mut at = (medium_hash(key) >> self.shift) as usize & mask;
        loop {
            match *self.keys.get(at)? {
                found if found == key => return Some(at),
                [_, 0] => return None,
                _ => at = (at + 1) & mask,
            }
        }
    }

    #[inline(always)]
    pub fn contains(&self, key: [u64; 2]) -> bool {
        self.find(key).is_some()
    }

    #[inline(always)]
    pub fn get(&self, key: [u64; 2]) -> Option<u32> {
        self.ids.get(self.find(key)?).copied()
    }

    #[inline(always)]
    pub fn get_rare(&self, key: [u64; 2], seen: &HashFilter) -> Option<u32> {
        if seen.contains(medium_hash(key)) { self.get(key) } else { None }
    }
}

/// A one-bit filter in front of a larger table, for lookups that mostly fail.
pub(super) struct HashFilter(Vec<u64>);

const SEEN_BITS: u32 = 20;

impl HashFilter {
    pub fn new() -> Self {
        Self(vec![0; 1 << (SEEN_BITS - 6)])
    }

    fn insert(&mut self, hash: u64) {
        let bit = hash >> (64 - SEEN_BITS);
        self.0[(bit >> 6) as usize] |= 1 << (bit & 63);
    }

    #[inline(always)]
    fn contains(&self, hash: u64) -> bool {
        let bit = hash >> (64 - SEEN_BITS);
        self.0.get((bit >> 6) as usize).is_some_and(|word| word >> (bit & 63) & 1 != 0)
    }
}

/// The lengths of the tokens that begin with the same four bytes: bit n for n bytes, bit 0 for 16 and more. Collisions only
/// add lengths that are then looked up in vain.
pub(super) struct Lengths(Vec<u16>);

const LENGTHS_BITS: u32 = 17;

impl Lengths {
    pub fn new() -> Self {
        Self(vec![0; 1 << LENGTHS_BITS])
    }

    #[inline(always)]
    fn slot(word: u64) -> usize {
        (u64::from(word as u32).wrapping_mul(FACTOR) >> (64 - LENGTHS_BITS)) as usize
    }

    pub fn insert(&mut self, word: u64, len: usize) {
        self.0[Self::slot(word)] |= if len < 16 { 1 << len } else { 1 };
    }

    #[inline(always)]
    pub fn get(&self, word: u64) -> u32 {
        self.0.get(Self::slot(word)).map_or(0, |&bits| u32::from(bits))
    }
}

/// Tokens of 16 bytes and more with their bytes, by the first 16 bytes. The tokens in one slot are sorted from the longest
/// to the shortest.
pub(super) struct Long {
    /// Where each slot's tokens begin; they end where the next slot's begin.
    slots: Vec<u32>,
    /// An id, and where its bytes end. They begin where those of the token before end.
    tokens: Vec<(u32, u32)>,
    bytes: Vec<u8>,
    shift: u32,
}

impl Long {
    /// Builds the table from the ids of all long tokens.
    pub fn new<'a>(ids: &[u32], bytes_of: impl Fn(u32) -> &'a [u8]) -> Self {
        let slots = slots_for(ids.len());
        let shift = 64 - slots.trailing_zeros();
        // Sort by slot, then from the longest to the shortest. Both are packed into one number, with the id in the lowest
        // bits.
        let mut sorted: Vec<u64> = ids
            .iter()
            .map(|&id| {
                let bytes = bytes_of(id);
                (Self::slot(bytes, 0, shift) as u64) << 40 | (255 - bytes.len() as u64) << 32 | u64::from(id)
            })
            .collect();
        sorted.sort_unstable();
        let mut table = Self { slots: vec![0; slots + 1], tokens: Vec::new(), bytes: Vec::new(), shift };
        for key in sorted {
            let id = key as u32;
            table.slots[(key >> 40) as usize + 1] += 1;
            table.bytes.extend_from_slice(bytes_of(id));
            table.tokens.push((id, table.bytes.len() as u32));
        }
        for slot in 0..slots {
            table.slots[slot + 1] += table.slots[slot];
        }
        table
    }

    fn slot(text: &[u8], at: usize, shift: u32) -> usize {
        (medium_hash([word_at(text, at), word_at(text, at + 8)]) >> shift) as usize
    }

    /// The tokens that may match the text at `at`, longest first, each with its bytes.
    pub fn candidates(&self, text: &[u8], at: usize) -> impl Iterator<Item = (u32, &[u8])> {
        let slot = Self::slot(text, at, self.shift);
        let bound = |slot: usize| self.slots.get(slot).map_or(0, |&at| at as usize);
        (bound(slot)..bound(slot + 1)).filter_map(|i| {
            let start = if i == 0 { 0 } else { self.tokens.get(i - 1)?.1 };
            let &(id, end) = self.tokens.get(i)?;
            Some((id, self.bytes.get(start as usize..end as usize)?))
        })
    }
}

/// Merges: the token that two tokens make. A slot holds an id and 14 bits of its hash.
pub(super) struct Merges {
    seen: HashFilter,
    slots: Vec<u32>,
    shift: u32,
}

#[inline(always)]
const fn merge_hash(left: u32, right: u32) -> u64 {
    ((left as u64) << 32 | right as u64).wrapping_mul(FACTOR)
}

impl Merges {
    pub fn with_room_for(merges: usize) -> Self {
        // Fuller than the other tables: `seen` filters out most failing lookups.
        let slots = (merges + merges / 4 + 16).next_power_of_two();
        Self { seen: HashFilter::new(), slots: vec![0; slots], shift: 64 - slots.trailing_zeros() }
    }

    fn entry(hash: u64, id: u32) -> u32 {
        (hash >> 13) as u32 & 0xFFFC_0000 | id
    }

    pub fn insert(&mut self, left: u32, right: u32, id: u32) {
        let hash = merge_hash(left, right);
        self.seen.insert(hash);
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        while self.slots[at & mask] != 0 {
            at += 1;
        }
        self.slots[at & mask] = Self::entry(hash, id);
    }

    /// The token that `left` and `right` make, if `is_it` confirms it.
    #[inline(always)]
    pub fn get(&self, left: u32, right: u32, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let hash = merge_hash(left, right);
        if !self.seen.contains(hash) {
            return None;
        }
        let wanted = Self::entry(hash, 0);
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize & mask;
        loop {
            let slot = *self.slots.get(at)?;
            if slot == 0 {
                return None;
            }
            let id = slot & 0x3_FFFF;
            if slot & 0xFFFC_0000 == wanted && is_it(id) {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
    }
}

/// A power of two of which at most three quarters are used.
const fn slots_for(entries: usize) -> usize {
    let slots = (entries + entries / 3 + 1).next_power_of_two();
    if slots < 16 { 16 } else { slots }
}
