//! The three successive splits of `DeepSeek` V3, in one pass.
//!
//! ```text
//! 1. \p{N}{1,3}
//! 2. [一-龥぀-ゟ゠-ヿ]+
//! 3. [!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+
//!    [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+
//!     ?[\p{P}\p{S}]+[\r\n]*
//!    \s*[\r\n]+
//!    \s+(?!\S)
//!    \s+
//! ```
//!
//! Characters that no expression matches form a piece together. The third split sees only what the first two leave: for it,
//! the text ends before the next number or character of the second.

use std::sync::LazyLock;

use super::classes::{END, LETTER, MARK, NEWLINE, NUMBER, SPACE, class_at};
use super::pieces::Pieces;
use super::sign_table::RANGES;

pub(super) struct DeepSeek;

/// `[\p{P}\p{S}]`, one bit per character.
static SIGNS: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut bits = vec![0; 0x11_0000 / 64];
    for [first, last] in RANGES {
        for c in first as usize..=last as usize {
            if let Some(word) = bits.get_mut(c / 64) {
                *word |= 1_u64 << (c % 64);
            }
        }
    }
    bits
});

/// The kinds of characters that the expressions distinguish.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    /// A character of the second split.
    Kana,
    /// A letter or a mark.
    Letter,
    Sign,
    Space,
    Other,
    End,
}

/// The kind of the character at `at`, its class bits and its byte length.
#[inline(always)]
fn kind_at(text: &[u8], at: usize) -> (Kind, u8, usize) {
    let (class, len) = class_at(text, at);
    let kind = if len == 3 && is_kana(code_of(text, at)) {
        Kind::Kana
    } else if class & (LETTER | MARK) != 0 {
        Kind::Letter
    } else if class & NUMBER != 0 {
        Kind::Number
    } else if class & SPACE != 0 {
        Kind::Space
    } else if class & END != 0 {
        Kind::End
    } else if is_sign(text, at, len) {
        Kind::Sign
    } else {
        Kind::Other
    };
    (kind, class, len)
}

#[inline(always)]
const fn is_kana(code: u32) -> bool {
    matches!(code, 0x4E00..=0x9FA5 | 0x3040..=0x309F | 0x30A0..=0x30FF)
}

/// The code point of a character of three bytes.
#[inline(always)]
fn code_of(text: &[u8], at: usize) -> u32 {
    let byte = |i: usize| text.get(at + i).map_or(0, |&b| u32::from(b));
    (byte(0) & 15) << 12 | (byte(1) & 63) << 6 | byte(2) & 63
}

#[inline(always)]
fn is_sign(text: &[u8], at: usize, len: usize) -> bool {
    let Some(&first) = text.get(at) else { return false };
    if first < 128 {
        return first.is_ascii_punctuation();
    }
    let tail = |i: usize| text.get(at + i).map_or(0, |&b| u32::from(b & 63));
    let code = match len {
        2 => u32::from(first & 31) << 6 | tail(1),
        3 => code_of(text, at),
        _ => u32::from(first & 7) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3),
    };
    SIGNS.get(code as usize / 64).is_some_and(|word| word >> (code % 64) & 1 != 0)
}

impl Pieces for DeepSeek {
    #[inline(always)]
    fn end(&self, text: &[u8], start: usize, _: u64) -> usize {
        let (kind, class, len) = kind_at(text, start);
        let next = start + len;
        match kind {
            Kind::Letter => letters(text, next),
            Kind::Number => numbers(text, next),
            Kind::Kana => run(text, next, Kind::Kana),
            Kind::Sign => {
                // An ASCII sign takes the ASCII letters after it.
                if len == 1 && text.get(next).is_some_and(u8::is_ascii_alphabetic) {
                    return ascii_letters(text, next);
                }
                line_breaks(text, run(text, next, Kind::Sign))
            }
            Kind::Space => {
                let (second, _, second_len) = kind_at(text, next);
                if class & NEWLINE == 0 && second == Kind::Letter {
                    return letters(text, next + second_len);
                }
                if second == Kind::Sign && text.get(start) == Some(&b' ') {
                    return line_breaks(text, run(text, next + second_len, Kind::Sign));
                }
                white_space(text, start)
            }
            Kind::Other => others(text, start, next),
            Kind::End => text.len(),
        }
    }
}

#[inline(always)]
fn run(text: &[u8], mut at: usize, wanted: Kind) -> usize {
    loop {
        let (kind, _, len) = kind_at(text, at);
        if kind != wanted {
            return at;
        }
        at += len;
    }
}

#[inline(always)]
fn letters(text: &[u8], mut at: usize) -> usize {
    loop {
        let more = super::bytes::letters(super::bytes::word_at(text, at));
        at += more;
        if more == 8 {
            continue;
        }
        match kind_at(text, at) {
            (Kind::Letter, _, len) => at += len,
            _ => return at,
        }
    }
}

fn ascii_letters(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(u8::is_ascii_alphabetic) {
        at += 1;
    }
    at
}

fn numbers(text: &[u8], mut at: usize) -> usize {
    for _ in 0..2 {
        let (kind, _, len) = kind_at(text, at);
        if kind != Kind::Number {
            break;
        }
        at += len;
    }
    at
}

fn line_breaks(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(|&byte| byte == b'\n' || byte == b'\r') {
        at += 1;
    }
    at
}

/// `\s*[\r\n]+ | \s+(?!\S) | \s+`.
fn white_space(text: &[u8], start: usize) -> usize {
    let (mut end, mut last, mut after_newline) = (start, start, None);
    let after = loop {
        let (kind, class, len) = kind_at(text, end);
        if kind != Kind::Space {
            break kind;
        }
        last = end;
        end += len;
        if class & NEWLINE != 0 {
            after_newline = Some(end);
        }
    };
    let at_end = matches!(after, Kind::End | Kind::Number | Kind::Kana);
    match after_newline {
        Some(end) => end,
        None if at_end || last == start => end,
        None => last,
    }
}

/// Characters that nothing matches. The last of them may be the first character of a word.
#[inline(never)]
fn others(text: &[u8], start: usize, next: usize) -> usize {
    let mut at = start;
    let mut after = next;
    loop {
        let (kind, _, len) = kind_at(text, after);
        if kind == Kind::Letter {
            // The character before is the word's prefix.
            return if at == start { letters(text, after + len) } else { at };
        }
        if kind != Kind::Other {
            return after;
        }
        at = after;
        after += len;
    }
}
