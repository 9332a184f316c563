//! Works on eight bytes at a time.

/// The eight bytes starting at `at`, the first one lowest. Bytes beyond the end are 0.
#[inline(always)]
pub(super) fn word_at(text: &[u8], at: usize) -> u64 {
    match text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => word_at_end(text, at),
    }
}

#[cold]
#[inline(never)]
fn word_at_end(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// The lowest `len` bytes of `word`, `len` from 0 to 7.
#[inline(always)]
pub(super) const fn low_bytes(word: u64, len: usize) -> u64 {
    word & ((1 << (len as u32 * 8)) - 1)
}

const TOPS: u64 = 0x8080_8080_8080_8080;

/// The top bit of each byte of `word` that lies in `first..=last` (both ASCII).
#[inline(always)]
const fn in_range(word: u64, first: u8, last: u8) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let low = word & !TOPS;
    let at_least = low + ONES * (0x80 - first as u64);
    let above = low + ONES * (0x7F - last as u64);
    at_least & !above & !word & TOPS
}

/// How many bytes at the start of a word have their top bit set in `marks`.
#[inline(always)]
const fn run(marks: u64) -> usize {
    (!marks & TOPS).trailing_zeros() as usize / 8
}

/// The number of ASCII capitals at the start of `word`, and the number of bytes up to the end of the small ASCII letters
/// after them.
#[inline(always)]
pub(super) const fn capitals_then_small(word: u64) -> (usize, usize) {
    let capitals = in_range(word, b'A', b'Z');
    let small = in_range(word, b'a', b'z');
    let split = run(capitals);
    // The capitals before the split count as passed.
    let passed = if split == 8 { TOPS } else { small | (TOPS & ((1 << (split * 8)) - 1)) };
    (split, run(passed))
}

/// The number of ASCII letters at the start of `word`.
#[inline(always)]
pub(super) const fn letters(word: u64) -> usize {
    run(in_range(word | 0x2020_2020_2020_2020, b'a', b'z'))
}

/// The number of spaces at the start of `word`.
#[inline(always)]
pub(super) const fn spaces(word: u64) -> usize {
    run(in_range(word, b' ', b' '))
}
