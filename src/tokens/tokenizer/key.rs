//! The keys by which tables know a token's bytes.

/// Up to seven bytes: the bytes themselves, with their number in the top byte. More bytes: a hash whose top bit is set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Key(u64);

const LONG: u64 = 1 << 63;

impl Key {
    pub fn of(bytes: &[u8]) -> Self {
        let (words, rest) = bytes.as_chunks::<8>();
        let hash = words.iter().fold(0, |hash, word| mixed(hash, u64::from_le_bytes(*word)));
        let rest = rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        Self::new(hash, rest, bytes.len())
    }

    /// The key of `len` bytes from the hash of their whole words of eight ([`mixed`] one after the other) and the remaining
    /// bytes.
    #[inline]
    pub const fn new(hash: u64, rest: u64, len: usize) -> Self {
        if len < 8 {
            Self(rest | (len as u64) << 56)
        } else {
            Self(mixed(mixed(hash, rest), len as u64) | LONG)
        }
    }

    /// Whether it contains all of the bytes.
    #[inline]
    pub const fn is_whole(self) -> bool {
        self.0 < LONG
    }

    /// The key of both keys' bytes together; `None` if that is more than seven bytes.
    #[inline]
    pub const fn joined(self, right: Self) -> Option<Self> {
        let len = self.0 >> 56;
        if !self.is_whole() || !right.is_whole() || len + (right.0 >> 56) > 7 {
            return None;
        }
        let bytes = right.0 & ((1 << 56) - 1);
        Some(Self(self.0 + (bytes << (8 * len)) + (right.0 >> 56 << 56)))
    }

    /// A hash whose upper bits, and bits from 32 down, are well mixed.
    #[inline]
    pub const fn hash(self) -> u64 {
        mixed(0, self.0)
    }
}

#[inline]
pub const fn mixed(hash: u64, word: u64) -> u64 {
    let mixed = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_keys_are_stored_whole_and_can_be_joined() {
        let text = b"0123456789abcdef\xFF\x00";
        for from in 0..text.len() {
            for to in from..text.len() {
                let key = Key::of(&text[from..to]);
                assert_eq!(key.is_whole(), to - from < 8);
                for at in from..=to {
                    let joined = Key::of(&text[from..at]).joined(Key::of(&text[at..to]));
                    assert_eq!(joined, key.is_whole().then_some(key));
                }
            }
        }
        assert_ne!(Key::of(b"a"), Key::of(b"a\0"));
        assert_ne!(Key::of(b"01234567"), Key::of(b"01234567\0"));
    }
}
