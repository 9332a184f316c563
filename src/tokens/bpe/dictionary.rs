//! Every token's bytes, and the token of some bytes. Tokens are read from the asset as far as a text needs them.

use super::asset::{Parts, Streams};
use super::bytes::{low_bytes, word_at};
use super::strides::STRIDE;

/// The longest token that an asset may hold, in bytes. The longest of tiktoken's have 128.
pub(super) const MAX_TOKEN_BYTES: usize = 255;
/// What is read and written beyond a token's end, eight bytes at a time.
const ROOM_BEHIND: usize = 2 * MAX_TOKEN_BYTES + 16;

/// The hash of a piece's first 16 bytes, with zeros behind its end, and of its length. The upper bits are the good ones.
#[inline(always)]
pub(super) const fn hash([first, second]: [u64; 2], len: usize) -> u64 {
    let second = second.wrapping_add((len as u64) << 56);
    let mixed = (first ^ second.rotate_left(31).wrapping_mul(0xD6E8_FEB8_6659_FD93))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed << 32
}

/// The first 16 of `len` bytes from `start` on, with zeros behind their end.
#[inline(always)]
pub(super) fn words_at(text: &[u8], start: usize, len: usize) -> [u64; 2] {
    let word = word_at(text, start);
    match len {
        ..8 => [low_bytes(word, len), 0],
        8..16 => [word, low_bytes(word_at(text, start + 8), len - 8)],
        _ => [word, word_at(text, start + 8)],
    }
}

/// The tokens' bytes one after the other, and an open hash table of ids by bytes. A slot holds an id and 14 bits of its
/// hash; 0 is an empty one, for no token of one byte stands in the table.
pub(super) struct Dictionary {
    bytes: Vec<u8>,
    /// Where each token's bytes begin, and at last where they end.
    starts: Vec<u32>,
    /// How many ids there will be.
    ids: usize,
    /// The tokens of single bytes.
    single: [u32; 256],
    slots: Vec<u32>,
    shift: u32,
}

const ID_BITS: u32 = 18;
pub(super) const ID: u32 = (1 << ID_BITS) - 1;

impl Dictionary {
    /// Of the single bytes alone, with room for `ids` tokens.
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

    /// Reads the next tokens of the asset's streams; false at their end.
    ///
    /// The checksum vouches for the streams. Where they are none of ours all the same, the vocabulary ends.
    // Not inlined: a WebAssembly engine begins with quickly made, slow code and puts better code in its place between
    // two calls.
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

    /// Copies a token's bytes behind the last one, eight at a time. (A call of `memory.copy` costs WebAssembly more than the
    /// few bytes of a token.)
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

    /// How many ids were read, holes included.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where a token's bytes stand, and how many they are: none of an id that is no token.
    #[inline(always)]
    fn place(&self, id: u32) -> (usize, usize) {
        let id = id as usize;
        match (self.starts.get(id), self.starts.get(id + 1)) {
            (Some(&start), Some(&end)) => (start as usize, (end - start) as usize),
            _ => (0, 0),
        }
    }

    /// A token's bytes; none of an id that is no token.
    pub fn bytes_of(&self, id: u32) -> &[u8] {
        let (start, len) = self.place(id);
        self.bytes.get(start..start + len).unwrap_or_default()
    }

    /// The first 16 bytes of a token, with zeros behind its end, and its length.
    #[inline(always)]
    pub fn words_of(&self, id: u32) -> ([u64; 2], usize) {
        let (start, len) = self.place(id);
        (words_at(&self.bytes, start, len), len)
    }

    /// How many tokens have up to 7 bytes, and 8 to 15.
    pub fn lengths(&self) -> [usize; 2] {
        let lengths = self.starts.windows(2).map(|pair| pair[1] - pair[0]);
        lengths.fold([0; 2], |[few, some], len| match len {
            ..8 => [few + 1, some],
            8..16 => [few, some + 1],
            _ => [few, some],
        })
    }

    /// Gives back the room of the hash table: [`Self::whole`] finds nothing any more.
    pub fn forget_slots(&mut self) {
        self.slots = Vec::new();
    }

    /// The token of one byte.
    #[inline(always)]
    pub fn single(&self, byte: u8) -> u32 {
        self.single[byte as usize]
    }

    /// The token that is `text[start..end]`, if there is one.
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
