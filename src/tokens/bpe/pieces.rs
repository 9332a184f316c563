//! Cuts text into the pieces that merges never cross. Each encoding's regular expression is implemented by hand.
//!
//! [`Pieces::end`] returns where the piece that begins at `start` ends. ASCII takes shortcuts; everything else goes through
//! [`class_at`], one character at a time. The time is linear: no character of a piece is read more than twice.

use super::bytes::{capitals_then_small, letters, spaces, word_at};
use super::classes::{
    ASCII, CAPITAL, CASELESS, END, LETTER, MARK, NEWLINE, NUMBER, SMALL, SPACE, WIDE, class_at,
};
use super::table::{medium_key, short_key};

/// The number of pieces that are cut before they are looked up.
pub(super) const BATCH_PIECES: usize = 32;

/// Finds the end of the piece that begins at `start`, which must be before the text's end and at the start of a character.
pub(super) trait Pieces {
    /// `word` holds the eight bytes from `start`.
    fn end(&self, text: &[u8], start: usize, word: u64) -> usize;
}

/// Cuts a text into pieces, many per call, so that the dynamic call for a pattern is made once for all of them.
pub(super) trait Cut {
    /// Writes the ends of the next pieces to `ends` until it is full or the text ends, and returns their number.
    fn cut(&self, text: &[u8], start: usize, ends: &mut [usize; BATCH_PIECES]) -> usize;

    /// Sorts the next pieces by the table they are looked up in, until a list is full or the text ends. Returns the end of
    /// the last one.
    fn sort(&self, text: &[u8], start: usize, sorted: &mut Sorted) -> usize;
}

/// Pieces by the table they are looked up in.
pub(super) struct Sorted {
    /// The number of pieces of one byte.
    pub bytes: usize,
    /// The keys and starts of pieces of 3 to 7 bytes.
    short: [(u64, usize); BATCH_PIECES],
    shorts: usize,
    /// The keys and starts of pieces of 8 to 15 bytes.
    medium: [([u64; 2], usize); BATCH_PIECES],
    mediums: usize,
    /// The starts and ends of all other pieces.
    other: [(usize, usize); BATCH_PIECES],
    others: usize,
}

impl Default for Sorted {
    fn default() -> Self {
        let (short, medium, other) =
            ([(0, 0); BATCH_PIECES], [([0; 2], 0); BATCH_PIECES], [(0, 0); BATCH_PIECES]);
        Self { bytes: 0, short, shorts: 0, medium, mediums: 0, other, others: 0 }
    }
}

impl Sorted {
    pub fn shorts(&self) -> &[(u64, usize)] {
        self.short.get(..self.shorts).unwrap_or_default()
    }

    pub fn mediums(&self) -> &[([u64; 2], usize)] {
        self.medium.get(..self.mediums).unwrap_or_default()
    }

    pub fn others(&self) -> &[(usize, usize)] {
        self.other.get(..self.others).unwrap_or_default()
    }
}

impl<P: Pieces> Cut for P {
    fn cut(&self, text: &[u8], start: usize, ends: &mut [usize; BATCH_PIECES]) -> usize {
        let mut at = start;
        for (cut, end) in ends.iter_mut().enumerate() {
            if at >= text.len() {
                return cut;
            }
            at = self.end(text, at, word_at(text, at));
            *end = at;
        }
        BATCH_PIECES
    }

    fn sort(&self, text: &[u8], mut start: usize, sorted: &mut Sorted) -> usize {
        let (mut bytes, mut shorts, mut mediums, mut others) = (0, 0, 0, 0);
        while start < text.len() && shorts < BATCH_PIECES && mediums < BATCH_PIECES && others < BATCH_PIECES {
            let word = word_at(text, start);
            let end = self.end(text, start, word);
            match end - start {
                0 | 1 => bytes += 1,
                len @ 3..8 => {
                    sorted.short[shorts] = (short_key(word, len), start);
                    shorts += 1;
                }
                len @ 8..16 => {
                    sorted.medium[mediums] = (medium_key(word, word_at(text, start + 8), len), start);
                    mediums += 1;
                }
                _ => {
                    sorted.other[others] = (start, end);
                    others += 1;
                }
            }
            start = end;
        }
        (sorted.bytes, sorted.shorts, sorted.mediums, sorted.others) = (bytes, shorts, mediums, others);
        start
    }
}

/// ```text
/// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
/// \p{N}{1,3}
///  ?[^\s\p{L}\p{N}]+[\r\n/]*
/// \s*[\r\n]+
/// \s+(?!\S)
/// \s+
/// ```
pub(super) type O200k = Cased<true, 3>;

/// [`O200k`] without contractions, and with `\p{N}` for numbers.
#[cfg(feature = "tokenizer")]
pub(super) type Tekken = Cased<false, 1>;

/// Words split by case, with or without contractions, and at most `NUMBERS` digits per piece.
pub(super) struct Cased<const CONTRACTIONS: bool, const NUMBERS: usize>;

/// ```text
/// '(?i:[sdmt]|ll|ve|re)
/// [^\r\n\p{L}\p{N}]?+\p{L}++
/// \p{N}{1,3}+
///  ?[^\s\p{L}\p{N}]++[\r\n]*+
/// \s++$
/// \s*[\r\n]
/// \s+(?!\S)
/// \s
/// ```
pub(super) type Cl100k = Words<3, true>;

/// ```text
/// (?i:'s|'t|'re|'ve|'m|'ll|'d)
/// [^\r\n\p{L}\p{N}]?\p{L}+
/// \p{N}{1,3}
///  ?[^\s\p{L}\p{N}]+[\r\n]*
/// \s*[\r\n]+
/// \s+(?!\S)
/// \s+
/// ```
#[cfg(feature = "tokenizer")]
pub(super) type Llama3 = Words<3, false>;

/// [`Llama3`] with `\p{N}` for numbers.
#[cfg(feature = "tokenizer")]
pub(super) type Qwen2 = Words<1, false>;

/// Words, at most `NUMBERS` digits per piece; `WHOLE_AT_END`: white space at the end of the text is one piece, whatever it
/// contains.
pub(super) struct Words<const NUMBERS: usize, const WHOLE_AT_END: bool>;

/// ```text
/// '(?:[sdmt]|ll|ve|re)
///  ?\p{L}++
///  ?\p{N}++
///  ?[^\s\p{L}\p{N}]++
/// \s++$
/// \s+(?!\S)
/// \s
/// ```
pub(super) struct Gpt2;

impl<const CONTRACTIONS: bool, const NUMBERS: usize> Pieces for Cased<CONTRACTIONS, NUMBERS> {
    #[inline(always)]
    fn end(&self, text: &[u8], start: usize, word: u64) -> usize {
        let class = ASCII[word as usize & 255];
        if class & (NUMBER | NEWLINE) == 0 {
            // A letter, or one character before letters. WIDE has every bit and does not get here.
            let prefix = usize::from(class & LETTER == 0);
            let (mut split, mut end) = capitals_then_small(if prefix == 0 { word } else { word >> 8 });
            if end != 0 {
                end += prefix;
                split += prefix;
                if end == 8 {
                    end = long_word(text, start, split == 8);
                } else {
                    end += start;
                }
                return match text.get(end) {
                    Some(b'\'') if CONTRACTIONS => end + contraction(text, end),
                    Some(128..) => cased_letters::<CONTRACTIONS>(text, start).unwrap_or(end),
                    _ => end,
                };
            }
            if text.get(start + prefix).is_some_and(|&b| b >= 128)
                && let Some(end) = cased_letters::<CONTRACTIONS>(text, start)
            {
                return end;
            }
            return if class & SPACE == 0 || is_symbol(text, start + 1, word) {
                symbols::<true>(text, start, word)
            } else {
                white_space::<false>(text, start)
            };
        }
        if class == WIDE {
            return wide_cased::<CONTRACTIONS, NUMBERS>(text, start, word);
        }
        if class & NUMBER != 0 {
            up_to_numbers::<NUMBERS>(text, start)
        } else {
            white_space::<false>(text, start)
        }
    }
}

/// Whether the second byte, after white space, begins a run of symbols. Only possible after U+0020.
#[inline(always)]
fn is_symbol(text: &[u8], at: usize, word: u64) -> bool {
    word & 255 == u64::from(b' ') && class_at(text, at).0 & (SPACE | LETTER | NUMBER | END) == 0
}

#[inline(never)]
fn wide_cased<const CONTRACTIONS: bool, const NUMBERS: usize>(text: &[u8], start: usize, word: u64) -> usize {
    let (class, _) = class_at(text, start);
    if class & (NUMBER | NEWLINE) == 0
        && let Some(end) = cased_letters::<CONTRACTIONS>(text, start)
    {
        return end;
    }
    if class & NUMBER != 0 {
        up_to_numbers::<NUMBERS>(text, start)
    } else if class & SPACE != 0 {
        white_space::<false>(text, start)
    } else {
        symbols::<true>(text, start, word)
    }
}

/// The end of an ASCII word of eight bytes or more. `start` includes its prefix.
#[inline]
fn long_word(text: &[u8], start: usize, mut capitals: bool) -> usize {
    let mut end = start + 8;
    loop {
        let word = word_at(text, end);
        let length = if capitals {
            let (split, length) = capitals_then_small(word);
            capitals = split == 8;
            length
        } else {
            // Capitals may not follow small letters: they begin the next piece.
            let (split, length) = capitals_then_small(word);
            if split == 0 { length } else { 0 }
        };
        end += length;
        if length < 8 {
            return end;
        }
    }
}

/// The two letter alternatives of o200k, including the contraction; `None` if neither matches.
#[inline(never)]
fn cased_letters<const CONTRACTIONS: bool>(text: &[u8], start: usize) -> Option<usize> {
    const UPPER: u8 = CAPITAL | CASELESS | MARK;
    const LOWER: u8 = SMALL | CASELESS | MARK;
    let (class, length) = class_at(text, start);
    let first = if class & (LETTER | NUMBER | NEWLINE) == 0 { start + length } else { start };
    let mut at = first;
    // The end of the last character of the upper run that may also be part of the lower run.
    let mut both = None;
    let end = loop {
        let (class, length) = class_at(text, at);
        if class & UPPER == 0 {
            if class & SMALL != 0 {
                break run_of(text, at, LOWER);
            }
            break match both {
                Some(end) => end,
                None if first > start && class_at(text, start).0 & MARK != 0 => first,
                None if at > first => at,
                None => return None,
            };
        }
        at += length;
        if class & (CASELESS | MARK) != 0 {
            both = Some(at);
        }
    };
    Some(if CONTRACTIONS { end + contraction(text, end) } else { end })
}

/// The end of the run of characters from `at` that have one of these bits.
#[inline(always)]
fn run_of(text: &[u8], mut at: usize, bits: u8) -> usize {
    loop {
        let (class, length) = class_at(text, at);
        if class & bits == 0 {
            return at;
        }
        at += length;
    }
}

/// The length of `'s 't 're 've 'm 'll 'd` in any case at `at`, or 0. The long s U+017F is a case variant of s.
#[inline(always)]
fn contraction(text: &[u8], at: usize) -> usize {
    if text.get(at) != Some(&b'\'') {
        return 0;
    }
    contraction_letters(word_at(text, at))
}

#[inline(always)]
const fn contraction_letters(word: u64) -> usize {
    let (one, two) = ((word >> 8) as u8, (word >> 16) as u8);
    match (one | 0x20, two | 0x20) {
        (b's' | b't' | b'm' | b'd', _) => 2,
        (b'r' | b'v', b'e') | (b'l', b'l') => 3,
        _ if one == 0xC5 && two == 0xBF => 3,
        _ => 0,
    }
}

#[inline(always)]
fn up_to_numbers<const NUMBERS: usize>(text: &[u8], start: usize) -> usize {
    let mut end = start;
    for _ in 0..NUMBERS {
        let (class, length) = class_at(text, end);
        if class & NUMBER == 0 {
            break;
        }
        end += length;
    }
    end
}

/// ` ?[^\s\p{L}\p{N}]+` and the line breaks after it (with `SLASH`, slashes too). There must be at least one symbol.
#[inline(always)]
fn symbols<const SLASH: bool>(text: &[u8], start: usize, word: u64) -> usize {
    let end = bare_symbols(text, start, word);
    line_breaks(text, end, if SLASH { b'/' } else { b'\n' })
}

#[inline(always)]
fn bare_symbols(text: &[u8], start: usize, word: u64) -> usize {
    let mut end = start + usize::from(word & 255 == u64::from(b' '));
    loop {
        let (class, length) = class_at(text, end);
        if class & (SPACE | LETTER | NUMBER | END) != 0 {
            return end;
        }
        end += length;
    }
}

#[inline(always)]
fn line_breaks(text: &[u8], mut end: usize, also: u8) -> usize {
    while let Some(&byte) = text.get(end)
        && (byte == b'\n' || byte == b'\r' || byte == also)
    {
        end += 1;
    }
    end
}

/// `\s*[\r\n]+ | \s+(?!\S) | \s+`. With `WHOLE_AT_END` (`\s++$` first), all of it if the text ends there.
#[inline(always)]
fn white_space<const WHOLE_AT_END: bool>(text: &[u8], start: usize) -> usize {
    let (mut end, mut last, mut after_newline) = (start, start, None);
    loop {
        let run = spaces(word_at(text, end));
        if run > 1 {
            end += run;
            last = end - 1;
            continue;
        }
        let (class, length) = class_at(text, end);
        if class & SPACE == 0 {
            break;
        }
        last = end;
        end += length;
        if class & NEWLINE != 0 {
            after_newline = Some(end);
        }
    }
    let at_end = end == text.len();
    match after_newline {
        _ if WHOLE_AT_END && at_end => end,
        Some(end) => end,
        None if at_end || last == start => end,
        None => last,
    }
}

impl<const NUMBERS: usize, const WHOLE_AT_END: bool> Pieces for Words<NUMBERS, WHOLE_AT_END> {
    #[inline(always)]
    fn end(&self, text: &[u8], start: usize, word: u64) -> usize {
        let class = ASCII[word as usize & 255];
        if class & (NUMBER | NEWLINE) == 0 {
            if word & 255 == u64::from(b'\'') {
                let length = contraction_letters(word);
                if length != 0 {
                    return start + length;
                }
            }
            let prefix = usize::from(class & LETTER == 0);
            let end = letters(if prefix == 0 { word } else { word >> 8 });
            if end != 0 {
                return letters_end(text, start, prefix + end);
            }
            if text.get(start + prefix).is_some_and(|&b| b >= 128) {
                let end = run_of(text, start + prefix, LETTER);
                if end > start + prefix {
                    return end;
                }
            }
            return if class & SPACE == 0 || is_symbol(text, start + 1, word) {
                symbols::<false>(text, start, word)
            } else {
                white_space::<WHOLE_AT_END>(text, start)
            };
        }
        if class == WIDE {
            return wide_words::<NUMBERS, WHOLE_AT_END>(text, start, word);
        }
        if class & NUMBER != 0 {
            up_to_numbers::<NUMBERS>(text, start)
        } else {
            white_space::<WHOLE_AT_END>(text, start)
        }
    }
}

/// The end of a run of letters whose first `length` bytes (at most 8) are already known.
#[inline(always)]
fn letters_end(text: &[u8], start: usize, length: usize) -> usize {
    let mut end = start + length;
    if length == 8 {
        loop {
            let more = letters(word_at(text, end));
            end += more;
            if more < 8 {
                break;
            }
        }
    }
    if text.get(end).is_some_and(|&b| b >= 128) { run_of(text, end, LETTER) } else { end }
}

#[inline(never)]
fn wide_words<const NUMBERS: usize, const WHOLE_AT_END: bool>(text: &[u8], start: usize, word: u64) -> usize {
    let (class, length) = class_at(text, start);
    if class & NUMBER != 0 {
        return up_to_numbers::<NUMBERS>(text, start);
    }
    let first = if class & LETTER == 0 { start + length } else { start };
    let end = run_of(text, first, LETTER);
    if end > first {
        end
    } else if class & SPACE != 0 {
        white_space::<WHOLE_AT_END>(text, start)
    } else {
        symbols::<false>(text, start, word)
    }
}

impl Pieces for Gpt2 {
    #[inline(always)]
    fn end(&self, text: &[u8], start: usize, word: u64) -> usize {
        if word & 255 == u64::from(b'\'') {
            let (one, two) = ((word >> 8) as u8, (word >> 16) as u8);
            match (one, two) {
                (b's' | b't' | b'm' | b'd', _) => return start + 2,
                (b'r' | b'v', b'e') | (b'l', b'l') => return start + 3,
                _ => {}
            }
        }
        let first = start + usize::from(word & 255 == u64::from(b' '));
        let (class, _) = class_at(text, first);
        if class == END || class & SPACE != 0 {
            white_space_gpt2(text, start)
        } else if class & LETTER != 0 {
            run_of(text, first, LETTER)
        } else if class & NUMBER != 0 {
            run_of(text, first, NUMBER)
        } else {
            bare_symbols(text, start, word)
        }
    }
}

/// `\s++$ | \s+(?!\S) | \s`.
fn white_space_gpt2(text: &[u8], start: usize) -> usize {
    let (mut end, mut last) = (start, start);
    loop {
        let (class, length) = class_at(text, end);
        if class & SPACE == 0 {
            break;
        }
        last = end;
        end += length;
    }
    if end == text.len() || last == start { end } else { last }
}
