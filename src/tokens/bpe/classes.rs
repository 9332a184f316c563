//! What the pre-tokenizers need to know about a character: class bits, from generated Unicode tables.

use super::class_table::{BLOCK_OF, BLOCKS};

/// A capital or title-case letter (`\p{Lu}`, `\p{Lt}`).
pub(super) const CAPITAL: u8 = 1;
/// A small letter (`\p{Ll}`).
pub(super) const SMALL: u8 = 2;
/// A letter without case (`\p{Lm}`, `\p{Lo}`).
pub(super) const CASELESS: u8 = 4;
/// A mark (`\p{M}`).
pub(super) const MARK: u8 = 8;
/// A number (`\p{N}`).
pub(super) const NUMBER: u8 = 16;
/// White space (`\s`).
pub(super) const SPACE: u8 = 32;
/// `\r` or `\n`; also white space.
pub(super) const NEWLINE: u8 = 64;
/// The end of the text; not a character.
pub(super) const END: u8 = 128;
/// `\p{L}`.
pub(super) const LETTER: u8 = CAPITAL | SMALL | CASELESS;

/// In [`ASCII`]: the first byte of a character of several bytes.
pub(super) const WIDE: u8 = 255;

/// Class bits by byte; [`WIDE`] for bytes from 128.
pub(super) static ASCII: [u8; 256] = {
    let mut table = [WIDE; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = class_of(byte as u32);
        byte += 1;
    }
    table
};

const fn class_of(c: u32) -> u8 {
    let block = (c >> 7) as usize;
    let block = if block < BLOCK_OF.len() { block } else { BLOCK_OF.len() - 1 };
    BLOCKS[BLOCK_OF[block] as usize * 128 + (c & 127) as usize]
}

/// Class bits and byte length of the character at `at`; [`END`] and 0 at the end of the text.
#[inline(always)]
pub(super) fn class_at(text: &[u8], at: usize) -> (u8, usize) {
    match text.get(at) {
        None => (END, 0),
        Some(&byte) if byte < 128 => (ASCII[byte as usize], 1),
        Some(&byte) => wide_class_at(text, at, byte),
    }
}

#[inline]
fn wide_class_at(text: &[u8], at: usize, first: u8) -> (u8, usize) {
    // U+5000 to U+9FFF are all CJK ideographs (a test checks this against the table).
    if (0xE5..=0xE9).contains(&first) {
        return (CASELESS, 3);
    }
    let tail = |i: usize| u32::from(text.get(at + i).map_or(0, |b| b & 63));
    let first = u32::from(first);
    if first < 0xE0 {
        (class_of((first & 31) << 6 | tail(1)), 2)
    } else if first < 0xF0 {
        (class_of((first & 15) << 12 | tail(1) << 6 | tail(2)), 3)
    } else {
        (class_of((first & 7) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)), 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ideographs_from_5000_to_9fff_are_caseless_letters() {
        for c in 0x5000..=0x9FFF {
            assert_eq!(class_of(c), CASELESS, "U+{c:04X}");
        }
    }

    #[test]
    fn classes_of_a_few_characters() {
        let of = |s: &str| class_at(s.as_bytes(), 0);
        assert_eq!(of("A"), (CAPITAL, 1));
        assert_eq!(of("ſ"), (SMALL, 2));
        assert_eq!(of("ー"), (CASELESS, 3));
        assert_eq!(of("\u{301}"), (MARK, 2));
        assert_eq!(of("٣"), (NUMBER, 2));
        assert_eq!(of("\u{85}"), (SPACE, 2));
        assert_eq!(of("\u{FEFF}"), (0, 3));
        assert_eq!(of("\n"), (SPACE | NEWLINE, 1));
        assert_eq!(of("😀"), (0, 4));
        assert_eq!(of("\u{10FFFF}"), (0, 4));
        assert_eq!(of(""), (END, 0));
    }
}
