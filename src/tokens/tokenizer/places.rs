//! Maps bytes to the token with these bytes: an open hash table of fixed size.

use crate::key::Key;
use crate::strides::STRIDE;

/// The tokens' keys, and slots. A slot holds a place plus 1 in its low bits and bits of the hash above; 0 is an empty slot.
pub struct Places {
    keys: Vec<Key>,
    slots: Vec<u32>,
    shift: u32,
    /// Whether all tokens have different bytes.
    pub is_distinct: bool,
}

const PLACE_BITS: u32 = 21;
/// The maximum number of tokens.
pub const MAX_TOKENS: usize = (1 << PLACE_BITS) - 1;
const PLACE: u32 = (1 << PLACE_BITS) - 1;

impl Places {
    /// Builds the table from the tokens' keys.
    pub fn new(keys: Vec<Key>, texts: Texts<'_>) -> Self {
        let tokens = keys.len();
        let slots = (tokens + tokens / 2 + 16).next_power_of_two();
        let mut places =
            Self { keys, slots: vec![0; slots], shift: 64 - slots.trailing_zeros(), is_distinct: true };
        // In strides, so that the engine can switch to optimized code.
        for start in (0..tokens).step_by(STRIDE) {
            places.add(start..tokens.min(start + STRIDE), texts);
        }
        places
    }

    #[inline(never)]
    fn add(&mut self, range: std::ops::Range<usize>, texts: Texts<'_>) {
        for place in range {
            let key = self.keys[place];
            let text = if key.is_whole() { &[] } else { texts.of(place as u32) };
            let slot = self.slot_of(key, text, texts);
            if self.slots[slot] == 0 {
                self.slots[slot] = fingerprint(key.hash()) | (place as u32 + 1);
            } else {
                self.is_distinct = false; // the first one counts
            }
        }
    }

    /// The place of the token with these bytes.
    #[inline]
    pub fn get(&self, key: Key, bytes: &[u8], texts: Texts<'_>) -> Option<u32> {
        (self.slots[self.slot_of(key, bytes, texts)] & PLACE).checked_sub(1)
    }

    /// The key of the token at `place`.
    #[inline]
    pub fn key_of(&self, place: u32) -> Option<Key> {
        self.keys.get(place as usize).copied()
    }

    /// The slot of the token with these bytes, or the empty slot where it would be inserted.
    #[inline]
    fn slot_of(&self, key: Key, bytes: &[u8], texts: Texts<'_>) -> usize {
        if key.is_whole() { self.slot_of_short(key) } else { self.slot_of_long(key, bytes, texts) }
    }

    // Neither is inlined: they are small and called a million times, so that the engine soon optimizes them.
    #[inline(never)]
    fn slot_of_short(&self, key: Key) -> usize {
        let hash = key.hash();
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return at;
            }
            if (slot ^ hash as u32) & !PLACE == 0 && self.keys[((slot & PLACE) - 1) as usize] == key {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    #[inline(never)]
    fn slot_of_long(&self, key: Key, bytes: &[u8], texts: Texts<'_>) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (key.hash() >> self.shift) as usize & mask;
        loop {
            let Some(place) = (self.slots[at] & PLACE).checked_sub(1) else { return at };
            if self.keys[place as usize] == key && same(texts.of(place), bytes) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }
}

/// The concatenated texts of tokens, and where each ends.
#[derive(Clone, Copy)]
pub struct Texts<'a> {
    pub text: &'a [u8],
    pub ends: &'a [u32],
}

impl<'a> Texts<'a> {
    /// The text of the token at `place`.
    #[inline]
    pub fn of(self, place: u32) -> &'a [u8] {
        let place = place as usize;
        let start =
            place.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end as usize);
        self.text.get(start..self.ends.get(place).map_or(start, |&end| end as usize)).unwrap_or_default()
    }
}

/// Whether the bytes are equal. In WebAssembly, calling `memcmp` costs more than comparing the few bytes of a token.
#[inline(never)]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    let ((words, rest), (others, other_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    a.len() == b.len()
        && words.iter().zip(others).all(|(a, b)| u64::from_le_bytes(*a) == u64::from_le_bytes(*b))
        && rest.iter().zip(other_rest).all(|(a, b)| a == b)
}

#[inline]
const fn fingerprint(hash: u64) -> u32 {
    hash as u32 & !PLACE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(tokens: &[Vec<u8>]) -> (Vec<u8>, Vec<u32>, Vec<Key>) {
        let ends = tokens.iter().scan(0, |end, token| {
            *end += token.len() as u32;
            Some(*end)
        });
        (tokens.concat(), ends.collect(), tokens.iter().map(|token| Key::of(token)).collect())
    }

    #[test]
    fn only_existing_tokens_are_found() {
        let tokens: Vec<Vec<u8>> =
            (0..3000).map(|n| format!("{n}{}", "x".repeat(n % 40)).into()).chain([Vec::new()]).collect();
        let (text, ends, keys) = all(&tokens);
        let texts = Texts { text: &text, ends: &ends };
        let places = Places::new(keys, texts);
        assert!(places.is_distinct);
        for (place, token) in (0..).zip(&tokens) {
            assert_eq!(places.get(Key::of(token), token, texts), Some(place));
            let other = [token, &b"?"[..]].concat();
            assert_eq!(places.get(Key::of(&other), &other, texts), None);
        }
        for token in [&b"a"[..], b"a token of many bytes"] {
            let (text, ends, keys) = all(&[token.to_vec(), b"b".to_vec(), token.to_vec(), b"c".to_vec()]);
            let texts = Texts { text: &text, ends: &ends };
            let twice = Places::new(keys, texts);
            assert!(!twice.is_distinct);
            assert_eq!(twice.get(Key::of(token), token, texts), Some(0));
        }
    }
}
