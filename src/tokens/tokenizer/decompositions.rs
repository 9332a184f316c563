//! What characters decompose into: the tables of `unicode-normalization-alignments`, as one short text.
//!
//! That crate has them as perfect hash tables of slices, which are four times as large, a sixth of the module. Some models
//! normalize, and in most texts few characters decompose, so the text is read when the first one does.
//!
//! `decompositions.bin` (written by `scripts/vocabulary`) has an entry for each character that decomposes canonically, and
//! one for each that has another compatibility decomposition, in order of the characters. All is UTF-8, numbers are characters:
//! twice the distance from the character of the entry before, plus 1 for compatibility; what it decomposes into in the end;
//! and a zero.

use std::cell::LazyCell;

static TEXT: &str = include_str!("decompositions.bin");

thread_local! {
    static TABLE: LazyCell<Table> = LazyCell::new(Table::read);
}

/// Calls `each` with the characters that `c` decomposes into, or with `c`. Syllables of Hangul are computed.
pub fn decompose(c: char, compatible: bool, mut each: impl FnMut(char)) {
    if c.is_ascii() {
        return each(c);
    }
    if let Some(syllable) = (c as u32).checked_sub(SYLLABLES).filter(|&syllable| syllable < LEADS * TAILED) {
        let (lead, rest) = (syllable / TAILED, syllable % TAILED);
        let (vowel, tail) = (rest / TAILS, rest % TAILS);
        let tail = (tail > 0).then_some(BEFORE_TAILS + tail);
        return [Some(FIRST_LEAD + lead), Some(FIRST_VOWEL + vowel), tail]
            .into_iter()
            .flatten()
            .filter_map(char::from_u32)
            .for_each(each);
    }
    TABLE.with(|table| match table.get(c, compatible) {
        Some(text) => text.chars().for_each(each),
        None => each(c),
    });
}

/// The first syllable of Hangul, its first leading consonant and vowel, and the place before its first trailing consonant.
const SYLLABLES: u32 = 0xAC00;
const FIRST_LEAD: u32 = 0x1100;
const FIRST_VOWEL: u32 = 0x1161;
const BEFORE_TAILS: u32 = 0x11A7;
/// The numbers of leading consonants, of trailing ones with none, and of syllables with the same leading consonant.
const LEADS: u32 = 19;
const TAILS: u32 = 28;
const TAILED: u32 = 21 * TAILS;

/// Where the entries are.
struct Table {
    /// For each character: whether it is for compatibility, and where its text begins.
    entries: Vec<(char, bool, u32)>,
    /// For each 256 characters, the number of entries before them.
    pages: Vec<u32>,
}

impl Table {
    #[inline(never)]
    fn read() -> Self {
        let (mut entries, mut pages) = (Vec::new(), Vec::new());
        let (mut at, mut c) = (0, 0);
        for entry in TEXT.split_terminator('\0') {
            let number = entry.chars().next().unwrap_or_default();
            c += number as u32 >> 1;
            pages.resize(pages.len().max((c >> 8) as usize + 1), entries.len() as u32);
            entries.push((
                char::from_u32(c).unwrap_or_default(),
                number as u32 & 1 == 1,
                at + number.len_utf8() as u32,
            ));
            at += entry.len() as u32 + 1;
        }
        pages.push(entries.len() as u32);
        Self { entries, pages }
    }

    fn get(&self, c: char, compatible: bool) -> Option<&'static str> {
        let page = c as usize >> 8;
        let (from, to) = (*self.pages.get(page)?, *self.pages.get(page + 1)?);
        let entries = self.entries.get(from as usize..to as usize)?;
        let first = entries.partition_point(|entry| entry.0 < c);
        let own = entries.get(first..)?.iter().take_while(|entry| entry.0 == c);
        let &(.., at) = own.filter(|entry| compatible || !entry.1).last()?;
        TEXT.get(at as usize..)?.split('\0').next()
    }
}
