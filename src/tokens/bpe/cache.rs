//! A cache of the tokens of merged pieces. Its size is fixed: a new piece replaces an old one.

use super::bytes::word_at;
use super::table::{medium_key, short_key};

const SLOTS: usize = 1 << 13;
/// Longer pieces are not cached, because they rarely occur again.
pub(super) const MAX_CACHED_BYTES: usize = 31;

type Key = [u64; 4];

#[derive(Clone, Copy)]
struct Entry {
    key: Key,
    count: u32,
    /// The tokens, if there are at most three.
    ids: [u32; 3],
}

/// What the cache knows about a piece.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub count: u32,
    ids: [u32; 3],
}

impl Found {
    /// The tokens, if all of them were stored.
    pub fn ids(&self) -> Option<&[u32]> {
        self.ids.get(..self.count as usize)
    }
}

pub(super) struct Cache(Vec<Entry>);

impl Default for Cache {
    fn default() -> Self {
        Self(vec![Entry { key: [0; 4], count: 0, ids: [0; 3] }; SLOTS])
    }
}

/// The key of a piece of 1 to [`MAX_CACHED_BYTES`] bytes (its bytes, with its length in the top byte), and its slot.
#[inline(always)]
pub(super) fn key_of(text: &[u8], start: usize, len: usize, word: u64) -> (Key, usize) {
    let key = match len {
        ..8 => [short_key(word, len), 0, 0, 0],
        8..16 => {
            let [a, b] = medium_key(word, word_at(text, start + 8), len);
            [a, b, 0, 0]
        }
        16..24 => [word, word_at(text, start + 8), short_key_of_rest(text, start + 16, len - 16, len), 0],
        _ => [
            word,
            word_at(text, start + 8),
            word_at(text, start + 16),
            short_key_of_rest(text, start + 24, len - 24, len),
        ],
    };
    let mixed = (key[0] ^ key[1].rotate_left(17) ^ key[2].rotate_left(34) ^ key[3].rotate_left(51))
        .wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (key, (mixed >> (64 - SLOTS.trailing_zeros())) as usize)
}

#[inline(always)]
fn short_key_of_rest(text: &[u8], at: usize, rest: usize, len: usize) -> u64 {
    super::bytes::low_bytes(word_at(text, at), rest) | (len as u64) << 56
}

impl Cache {
    #[inline(always)]
    pub fn get(&self, key: &Key, slot: usize) -> Option<Found> {
        let entry = self.0.get(slot)?;
        (entry.key == *key).then_some(Found { count: entry.count, ids: entry.ids })
    }

    #[inline(always)]
    pub fn put(&mut self, key: Key, slot: usize, tokens: &[u32]) {
        if let Some(entry) = self.0.get_mut(slot) {
            let mut ids = [0; 3];
            if tokens.len() <= 3 {
                for (id, token) in ids.iter_mut().zip(tokens) {
                    *id = *token;
                }
            }
            *entry = Entry { key, count: tokens.len() as u32, ids };
        }
    }
}
