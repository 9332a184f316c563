//! Cuts text when no expression is known: between two bytes that are adjacent in no token, nothing can merge.

use super::pieces::Pieces;

/// Which bytes are adjacent in the tokens of a vocabulary, and which characters are tokens. If empty, the text is one piece.
#[derive(Default)]
pub struct AdjacentBytes {
    /// One bit for each pair of bytes; the first byte is the high one.
    pairs: Vec<u64>,
    /// One bit for each character beyond ASCII.
    characters: Vec<u64>,
}

impl AdjacentBytes {
    /// The number of words in the bit set of pairs.
    pub const WORDS: usize = 1 << 10;

    /// Takes the pairs to which [`Self::add_token`] has added all tokens, and the characters to which [`Self::add_character`] has added
    /// those that are tokens.
    #[must_use]
    pub fn new(mut pairs: Vec<u64>, characters: Vec<u64>) -> Self {
        pairs.resize(Self::WORDS, 0);
        Self { pairs, characters }
    }

    /// Adds a character that is a token to the bit set of characters.
    pub fn add_character(characters: &mut Vec<u64>, c: char) {
        let at = c as usize >> 6;
        if at >= characters.len() {
            characters.resize(at + 1, 0);
        }
        characters[at] |= 1 << (c as usize & 63);
    }

    /// Adds the adjacent bytes of a token to the bit set of pairs.
    pub fn add_token(pairs: &mut [u64], token: &[u8]) {
        for pair in token.windows(2) {
            let (word, bit) = Self::bit_of(pair[0], pair[1]);
            pairs[word] |= bit;
        }
    }

    const fn bit_of(before: u8, after: u8) -> (usize, u64) {
        ((before as usize) << 2 | after as usize >> 6, 1 << (after & 63))
    }

    #[inline(always)]
    fn are_adjacent(&self, before: u8, after: u8) -> bool {
        let (word, bit) = Self::bit_of(before, after);
        self.pairs.get(word).is_some_and(|word| word & bit != 0)
    }

    /// The length of the character beyond ASCII that begins at `at`, and whether it is a token.
    #[inline(always)]
    fn character(&self, text: &[u8], at: usize) -> (usize, bool) {
        let byte = |n: usize| text.get(at + n).map_or(0, |&byte| usize::from(byte & 63));
        let lead = text.get(at).map_or(0, |&byte| usize::from(byte));
        let (len, code) = match lead {
            0xF0.. => (4, (lead & 7) << 18 | byte(1) << 12 | byte(2) << 6 | byte(3)),
            0xE0.. => (3, (lead & 15) << 12 | byte(1) << 6 | byte(2)),
            _ => (2, (lead & 31) << 6 | byte(1)),
        };
        (len, self.characters.get(code >> 6).is_some_and(|word| word >> (code & 63) & 1 != 0))
    }
}

impl Pieces for AdjacentBytes {
    /// A character that is not a token is a piece of its own.
    #[inline(always)]
    fn end(&self, text: &[u8], start: usize, _: u64) -> usize {
        if self.pairs.is_empty() {
            return text.len();
        }
        let mut at = start;
        let mut before = None;
        while let Some(&byte) = text.get(at) {
            if before.is_some_and(|before| !self.are_adjacent(before, byte)) {
                return at;
            }
            if byte < 128 {
                at += 1;
                before = Some(byte);
                continue;
            }
            let (len, known) = self.character(text, at);
            if !known {
                return if at == start { text.len().min(at + len) } else { at };
            }
            at += len;
            before = text.get(at - 1).copied();
        }
        text.len()
    }
}
