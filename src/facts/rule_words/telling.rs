//! Finds the languages in which a text may contain rules, by its words.

use super::{LANGUAGES, TELLING, TONGUES, Tongue, english::BOUNDS};
use crate::facts::word::is_cjk;

/// The bit of Chinese, Japanese and Korean, and of the English rules that are recognised by words and phrases.
pub(in crate::facts) const KNOWN: u32 = 1 << TONGUES.len();

const BITS: u32 = 0xFF;
const SLOTS: usize = 1024;
/// A hash table: the hash of each significant word, with the bits of its languages in the last byte.
static TABLE: [u32; SLOTS] = table();

pub(super) const SEED: u32 = 0x811C_9DC5;

pub(super) const fn hashed(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

const fn slot(hash: u32) -> usize {
    ((hash ^ hash >> 15) as usize) % SLOTS
}

const fn insert(mut table: [u32; SLOTS], hash: u32, bit: u32) -> [u32; SLOTS] {
    let mut at = slot(hash);
    while table[at] != 0 && table[at] & !BITS != hash & !BITS {
        at = (at + 1) % SLOTS;
    }
    table[at] |= hash & !BITS | bit;
    table
}

const fn table() -> [u32; SLOTS] {
    let mut table = [0; SLOTS];
    let mut at = 0;
    while at < TELLING.len() + BOUNDS.len() {
        let word = if at < TELLING.len() { TELLING[at] } else { BOUNDS[at - TELLING.len()] };
        table = words(table, word, false, KNOWN);
        at += 1;
    }
    let mut tongue = 0;
    while tongue < TONGUES.len() {
        let Tongue { always, only, rules, revoking, modals, wishes, bars, .. } = TONGUES[tongue];
        let (plain, patterns) = ([*always, *only, *bars], [*rules, *revoking, *modals, *wishes]);
        let bit = 1 << tongue;
        let mut list = 0;
        while list < plain.len() {
            table = words(table, plain[list], false, bit);
            list += 1;
        }
        list = 0;
        while list < patterns.len() {
            table = words(table, patterns[list], true, bit);
            list += 1;
        }
        tongue += 1;
    }
    words(table, LANGUAGES, false, KNOWN - 1)
}

/// Adds a list's words; of patterns only the words marked with `=`.
const fn words(mut table: [u32; SLOTS], list: &str, marked: bool, bit: u32) -> [u32; SLOTS] {
    let bytes = list.as_bytes();
    let (mut at, mut hash, mut marks) = (0, SEED, !marked);
    while at <= bytes.len() {
        let byte = if at < bytes.len() { bytes[at] } else { b' ' };
        match byte {
            b' ' | b',' => {
                if hash != SEED && marks {
                    table = insert(table, hash, bit);
                }
                (hash, marks) = (SEED, !marked);
            }
            b'=' => marks = true,
            _ => hash = hashed(hash, byte),
        }
        at += 1;
    }
    table
}

fn found(hash: u32) -> u32 {
    let mut at = slot(hash);
    while TABLE[at] != 0 {
        if TABLE[at] & !BITS == hash & !BITS {
            return TABLE[at] & BITS;
        }
        at = (at + 1) % SLOTS;
    }
    0
}

/// Whether any word of a text may be part of a rule.
pub(in crate::facts) fn tells_any(text: &str) -> bool {
    each_telling(text, &mut |_| true)
}

/// The bits of the languages in which a word of the text may be part of a rule.
pub(in crate::facts) fn tells(text: &str) -> u32 {
    let mut all = 0;
    each_telling(text, &mut |bits| {
        all |= bits;
        false
    });
    all
}

/// Calls `told` with the languages of each significant word until it returns true. Returns whether it did.
fn each_telling(text: &str, told: &mut dyn FnMut(u32) -> bool) -> bool {
    let mut word = Word::default();
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        at += 1;
        let bits = match byte {
            b'a'..=b'z' | b'0'..=b'9' => word.goes_on(*byte),
            b'A'..=b'Z' => word.goes_on(byte | 32),
            b'\'' => word.is_divided(),
            0..128 => word.ends(),
            _ => {
                let c = text[at - 1..].chars().next().unwrap_or_default();
                at += c.len_utf8().max(1) - 1;
                word.takes(c)
            }
        };
        if bits != 0 && told(bits) {
            return true;
        }
    }
    let bits = word.ends();
    bits != 0 && told(bits)
}

/// The hashes of a word so far: of the whole word, as in English ("don't"), and of the part after its last apostrophe ("n'utilise").
struct Word {
    whole: u32,
    part: u32,
}

impl Default for Word {
    fn default() -> Self {
        Self { whole: SEED, part: SEED }
    }
}

impl Word {
    fn goes_on(&mut self, byte: u8) -> u32 {
        *self = Self { whole: hashed(self.whole, byte), part: hashed(self.part, byte) };
        0
    }

    fn is_divided(&mut self) -> u32 {
        let bits = found(self.part);
        *self = Self { whole: hashed(self.whole, b'\''), part: SEED };
        bits
    }

    fn ends(&mut self) -> u32 {
        let Self { whole, part } = std::mem::take(self);
        match whole {
            SEED => 0,
            _ if whole == part => found(whole),
            _ => found(whole) | found(part),
        }
    }

    /// Adds a non-ASCII character.
    fn takes(&mut self, c: char) -> u32 {
        if is_cjk(c) {
            return KNOWN | self.ends();
        }
        let mut bits = 0;
        fold(c, &mut |c| {
            bits |= match c {
                '\'' => self.is_divided(),
                c if c.is_alphanumeric() => {
                    c.encode_utf8(&mut [0; 4]).bytes().fold(0, |_, byte| self.goes_on(byte))
                }
                _ => self.ends(),
            };
        });
        bits
    }
}

/// Calls `each` with the lower-case letters without accents that replace a character. A combining accent gives none.
fn fold(c: char, each: &mut dyn FnMut(char)) {
    for c in c.to_lowercase() {
        let plain = match c {
            'à' | 'á' | 'â' | 'ã' | 'å' => 'a',
            'è' | 'é' | 'ê' | 'ë' => 'e',
            'ì' | 'í' | 'î' | 'ï' => 'i',
            'ò' | 'ó' | 'ô' | 'õ' => 'o',
            'ù' | 'ú' | 'û' => 'u',
            'ç' => 'c',
            'ñ' => 'n',
            'ё' => 'е',
            '’' => '\'',
            'ä' | 'ö' | 'ü' | 'œ' => {
                each(match c {
                    'ä' => 'a',
                    'ü' => 'u',
                    _ => 'o',
                });
                'e'
            }
            'ß' => {
                each('s');
                's'
            }
            '\u{300}'..='\u{36F}' => continue,
            c => c,
        };
        each(plain);
    }
}

/// A text in the form that the tables use: lower case, without accents.
pub(in crate::facts) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else {
            fold(c, &mut |c| out.push(c));
        }
    }
    out
}
