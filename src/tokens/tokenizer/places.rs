//! Which token has these bytes: an open table, sized once.

use crate::strides::STRIDE;

/// A slot holds a place plus 1, and above it bits of the hash; 0 is an empty one.
pub struct Places {
    slots: Vec<u32>,
    shift: u32,
    /// Whether no two tokens have the same bytes.
    pub is_distinct: bool,
}

const PLACE_BITS: u32 = 21;
/// How many tokens it can hold.
pub const MOST: usize = (1 << PLACE_BITS) - 1;
const PLACE: u32 = (1 << PLACE_BITS) - 1;

impl Places {
    /// Of so many tokens.
    pub fn new<'a>(tokens: usize, bytes_of: &impl Fn(u32) -> &'a [u8]) -> Self {
        let slots = (tokens + tokens / 2 + 16).next_power_of_two();
        let mut places =
            Self { slots: vec![0; slots], shift: 64 - slots.trailing_zeros(), is_distinct: true };
        // In strides, so that better code comes into its place.
        for start in (0..tokens).step_by(STRIDE) {
            places.add(start..tokens.min(start + STRIDE), bytes_of);
        }
        places
    }

    #[inline(never)]
    fn add<'a>(&mut self, range: std::ops::Range<usize>, bytes_of: &impl Fn(u32) -> &'a [u8]) {
        for place in range {
            let place = place as u32;
            let bytes = bytes_of(place);
            let hash = hash(bytes);
            match self.find(hash, |other| same(bytes_of(other), bytes)) {
                Ok(_) => self.is_distinct = false, // the first one counts
                Err(slot) => self.slots[slot] = fingerprint(hash) | (place + 1),
            }
        }
    }

    /// The place of the token that has these bytes.
    #[inline]
    pub fn get<'a>(&self, bytes: &[u8], bytes_of: impl Fn(u32) -> &'a [u8]) -> Option<u32> {
        self.find(hash(bytes), |place| same(bytes_of(place), bytes)).ok()
    }

    /// The place of the token of this hash that `is_it`, or the slot where it would stand.
    #[inline]
    fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            let place = (slot & PLACE) - 1;
            if slot & !PLACE == fingerprint(hash) && is_it(place) {
                return Ok(place);
            }
            at = (at + 1) & mask;
        }
    }
}

/// Whether these are the same bytes. A call of `memcmp` costs WebAssembly more than the few bytes of a token.
#[inline]
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

/// The upper bits are the good ones, and those of the lower half.
#[inline]
fn hash(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let first = bytes.len() as u64;
    let hash = words.iter().fold(first, |hash, word| mixed(hash, u64::from_le_bytes(*word)));
    mixed(hash, rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)))
}

#[inline]
const fn mixed(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found_and_nothing_else() {
        let tokens: Vec<String> =
            (0..3000).map(|n| format!("{n}{}", "x".repeat(n % 40))).chain([String::new()]).collect();
        let bytes_of = |place: u32| tokens[place as usize].as_bytes();
        let places = Places::new(tokens.len(), &bytes_of);
        assert!(places.is_distinct);
        for (place, token) in (0..).zip(&tokens) {
            assert_eq!(places.get(token.as_bytes(), bytes_of), Some(place));
            assert_eq!(places.get(format!("{token}?").as_bytes(), bytes_of), None);
        }
        let twice = Places::new(4, &|place| [&b"a"[..], b"b", b"a", b"c"][place as usize]);
        assert!(!twice.is_distinct);
        assert_eq!(twice.get(b"a", |place| [&b"a"[..], b"b", b"a", b"c"][place as usize]), Some(0));
    }
}
