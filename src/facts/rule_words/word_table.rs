//! Finds the languages in which a text may contain rules, by its words.

use std::sync::OnceLock;

use super::patterns::each_pattern;
use super::{ENGLISH_RULE_WORDS, LANGUAGE_NAMES, LANGUAGES, english::BOUNDS};
use crate::hashing::HashMap;
use crate::script::is_cjk;

/// The bit of Chinese, Japanese and Korean, and of the English rules that are recognised by words.
pub(in crate::facts) const WORD_RULES_BIT: u32 = 1 << LANGUAGES.len();

const SEED: u32 = 0x811C_9DC5;

const fn hashed(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

pub(super) fn hash(word: &str) -> u32 {
    word.bytes().fold(SEED, hashed)
}

/// The bits of the languages in which the word with this hash is significant.
fn bits_of(hash: u32) -> u32 {
    static TABLE: OnceLock<HashMap<u32, u32>> = OnceLock::new();
    TABLE.get_or_init(table).get(&hash).copied().unwrap_or_default()
}

fn table() -> HashMap<u32, u32> {
    let mut table = HashMap::default();
    let mut add = |word: &str, bits: u32| *table.entry(hash(word)).or_default() |= bits;
    ENGLISH_RULE_WORDS.iter().chain(BOUNDS).for_each(|word| add(word, WORD_RULES_BIT));
    for (at, language) in LANGUAGES.into_iter().enumerate() {
        each_pattern(language, &mut |word, _, _| add(word, 1 << at));
    }
    LANGUAGE_NAMES.split(' ').for_each(|word| add(word, WORD_RULES_BIT - 1));
    table
}

/// Whether any word of a text may be part of a rule.
pub(in crate::facts) fn may_contain_rule(text: &str) -> bool {
    each_rule_word(text, &mut |_| true)
}

/// The bits of the languages in which a word of the text may be part of a rule.
pub(in crate::facts) fn rule_languages(text: &str) -> u32 {
    let mut all = 0;
    each_rule_word(text, &mut |bits| {
        all |= bits;
        false
    });
    all
}

/// Calls `found_bits` with the languages of each significant word until it returns true. Returns whether it did.
fn each_rule_word(text: &str, found_bits: &mut dyn FnMut(u32) -> bool) -> bool {
    let mut word = Word::default();
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(at) {
        at += 1;
        let bits = match byte {
            b'a'..=b'z' | b'0'..=b'9' => word.push_byte(*byte),
            b'A'..=b'Z' => word.push_byte(byte | 32),
            b'\'' => word.split_at_apostrophe(),
            0..128 => word.finish(),
            _ => {
                let c = text[at - 1..].chars().next().unwrap_or_default();
                at += c.len_utf8().max(1) - 1;
                word.push_char(c)
            }
        };
        if bits != 0 && found_bits(bits) {
            return true;
        }
    }
    let bits = word.finish();
    bits != 0 && found_bits(bits)
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
    fn push_byte(&mut self, byte: u8) -> u32 {
        *self = Self { whole: hashed(self.whole, byte), part: hashed(self.part, byte) };
        0
    }

    fn split_at_apostrophe(&mut self) -> u32 {
        let bits = bits_of(self.part);
        *self = Self { whole: hashed(self.whole, b'\''), part: SEED };
        bits
    }

    fn finish(&mut self) -> u32 {
        let Self { whole, part } = std::mem::take(self);
        match whole {
            SEED => 0,
            _ if whole == part => bits_of(whole),
            _ => bits_of(whole) | bits_of(part),
        }
    }

    /// Adds a non-ASCII character.
    fn push_char(&mut self, c: char) -> u32 {
        if is_cjk(c) {
            return WORD_RULES_BIT | self.finish();
        }
        let mut bits = 0;
        fold(c, &mut |c| {
            bits |= match c {
                '\'' => self.split_at_apostrophe(),
                c if c.is_alphanumeric() => {
                    c.encode_utf8(&mut [0; 4]).bytes().fold(0, |_, byte| self.push_byte(byte))
                }
                _ => self.finish(),
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
