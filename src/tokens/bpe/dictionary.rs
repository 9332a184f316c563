//! Maps tokens to bytes and bytes to tokens. Tokens are read from the asset only as far as a text needs them.

use super::asset::{Parts, Streams};
use super::bytes::{low_bytes, word_at};
use super::strides::STRIDE;

/// The maximum length of a token in an asset, in bytes. The longest of tiktoken's tokens has 128.
pub(super) const MAX_TOKEN_BYTES: usize = 255;
/// The space after a token's end that may be read and written, because bytes are copied eight at a time.
const ROOM_BEHIND: usize = 2 * MAX_TOKEN_BYTES + 16;

/// The hash of a piece's length and first 16 bytes, with zeros after its end. The upper bits are well mixed.
#[inline(always)]
pub(super) const fn hash([first, second]: [u64; 2], len: usize) -> u64 {
    let second = second.wrapping_add((len as u64) << 56);
    let mixed = (first ^ second.rotate_left(31).wrapping_mul(0xD6E8_FEB8_6659_FD93))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed << 32
}

/// The first 16 of `len` bytes from `start`, with zeros after their end.
#[inline(always)]
pub(super) fn words_at(text: &[u8], start: usize, len: usize) -> [u64; 2] {
    let word = word_at(text, start);
    match len {
        ..8 => [low_bytes(word, len), 0],
        8..16 => [word, low_bytes(word_at(text, start + 8), len - 8)],
        _ => [word, word_at(text, start + 8)],
    }
}

/// The bytes of all tokens, concatenated, and an open hash table from bytes to ids. A slot holds an id and 14 bits of its
/// hash; 0 is an empty slot, because tokens of a single byte are not in the table.
pub(super) struct Dictionary {
    bytes: Vec<u8>,
    /// Where each token's bytes begin; the last entry is where they end.
    starts: Vec<u32>,
    /// The number of ids when all are read.
    ids: usize,
    /// The tokens of single bytes.
    single: [u32; 256],
    slots: Vec<u32>,
    shift: u32,
}

const ID_BITS: u32 = 18;
pub(super) const ID: u32 = (1 << ID_BITS) - 1;

impl Dictionary {
    /// A dictionary of the single bytes, with room for `ids` tokens.
    pub fn new(base: &[u8; 256], ids: usize) -> Self {
        let mut dictionary = Self {
            bytes: Vec::with_capacity(ids * 7 + ROOM_BEHIND + 8 * STRIDE),
            starts: Vec::with_capacity(ids + 1),
            ids,
            single: [0; 256],
            slots: Vec::new(),
            shift: 0,
        };
        dictionary.bytes.extend(base);
        for (id, &byte) in (0..).zip(base) {
            dictionary.starts.push(id);
            dictionary.single[byte as usize] = id;
        }
        dictionary.starts.push(256);
        dictionary
    }

    /// Reads the next tokens from the asset's streams; `false` at their end.
    ///
    /// The checksum has verified the streams. If they are invalid all the same, the vocabulary ends there.
    // Not inlined: a WebAssembly engine starts with slow code and switches to optimized code only between two calls.
    #[inline(never)]
    pub fn read(&mut self, streams: &mut Streams<'_>) -> bool {
        let before = self.len();
        let end = self.ids.min(before + STRIDE);
        if before == 256 {
            let slots = (self.ids * 5 / 4).next_power_of_two();
            (self.slots, self.shift) = (vec![0; slots], 64 - slots.trailing_zeros());
        }
        for id in before..end {
            let added = match streams.next() {
                Some(Parts::None) => {
                    self.starts.push(self.end() as u32);
                    true
                }
                Some(Parts::Of(left, right)) => self.add(id as u32, left, right),
                None => false,
            };
            if !added {
                self.ids = self.len();
                return false;
            }
        }
        before < end
    }

    #[inline(always)]
    fn end(&self) -> usize {
        self.starts.last().map_or(0, |&end| end as usize)
    }

    #[inline(always)]
    fn add(&mut self, id: u32, left: u32, right: u32) -> bool {
        let ((left, left_len), (right, right_len)) = (self.place(left), self.place(right));
        let len = left_len + right_len;
        if left_len == 0 || right_len == 0 || len > MAX_TOKEN_BYTES {
            return false;
        }
        let end = self.end();
        if end + ROOM_BEHIND > self.bytes.len() {
            self.bytes.resize(end + ROOM_BEHIND + 8 * STRIDE, 0);
        }
        self.copy(left, end, left_len);
        self.copy(right, end + left_len, right_len);
        self.starts.push((end + len) as u32);
        self.insert(hash(words_at(&self.bytes, end, len), len), id);
        true
    }

    /// Copies a token's bytes after the last one, eight at a time. (In WebAssembly, calling `memory.copy` costs more than
    /// copying the few bytes of a token.)
    #[inline(always)]
    fn copy(&mut self, from: usize, to: usize, len: usize) {
        for at in (0..len).step_by(8) {
            let word = word_at(&self.bytes, from + at);
            if let Some(target) = self.bytes.get_mut(to + at..).and_then(<[u8]>::first_chunk_mut::<8>) {
                *target = word.to_le_bytes();
            }
        }
    }

    #[inline(always)]
    fn insert(&mut self, hash: u64, id: u32) {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        while self.slots[at & mask] != 0 {
            at += 1;
        }
        self.slots[at & mask] = fingerprint(hash) | id;
    }

    /// How many ids have been read, including ids that are not tokens.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The start and length of a token's bytes. The length is 0 if the id is not a token.
    #[inline(always)]
    fn place(&self, id: u32) -> (usize, usize) {
        let id = id as usize;
        match (self.starts.get(id), self.starts.get(id + 1)) {
            (Some(&start), Some(&end)) => (start as usize, (end - start) as usize),
            _ => (0, 0),
        }
    }

    /// A token's bytes; empty if the id is not a token.
    pub fn bytes_of(&self, id: u32) -> &[u8] {
        let (start, len) = self.place(id);
        self.bytes.get(start..start + len).unwrap_or_default()
    }

    /// The first 16 bytes of a token, with zeros after its end, and its length.
    #[inline(always)]
    pub fn words_of(&self, id: u32) -> ([u64; 2], usize) {
        let (start, len) = self.place(id);
        (words_at(&self.bytes, start, len), len)
    }

    /// The number of tokens of up to 7 bytes, and of 8 to 15.
    pub fn lengths(&self) -> [usize; 2] {
        let lengths = self.starts.windows(2).map(|pair| pair[1] - pair[0]);
        lengths.fold([0; 2], |[few, some], len| match len {
            ..8 => [few + 1, some],
            8..16 => [few, some + 1],
            _ => [few, some],
        })
    }

    /// Frees the hash table; afterwards [`Self::whole`] finds only single bytes.
    pub fn forget_slots(&mut self) {
        self.slots = Vec::new();
    }

    /// The token of one byte.
    #[inline(always)]
    pub fn single(&self, byte: u8) -> u32 {
        self.single[byte as usize]
    }

    /// The token equal to `text[start..end]`, if there is one.
    pub fn whole(&self, text: &[u8], start: usize, end: usize) -> Option<u32> {
        let piece = text.get(start..end)?;
        match piece {
            &[byte] => return Some(self.single(byte)),
            _ if piece.is_empty() || piece.len() > MAX_TOKEN_BYTES => return None,
            _ => {}
        }
        let hash = hash(words_at(text, start, piece.len()), piece.len());
        let wanted = fingerprint(hash);
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = (hash >> self.shift) as usize & mask;
        loop {
            let slot = *self.slots.get(at)?;
            if slot == 0 {
                return None;
            }
            if slot & !ID == wanted && self.bytes_of(slot & ID) == piece {
                return Some(slot & ID);
            }
            at = (at + 1) & mask;
        }
    }
}

#[inline(always)]
pub(super) const fn fingerprint(hash: u64) -> u32 {
    (hash >> 14) as u32 & !ID
}
