//! Finds texts that may contain rules, by their words.

use std::sync::OnceLock;

use super::patterns::each_pattern;
use super::{ENGLISH_RULE_WORDS, LANGUAGE_NAMES, LANGUAGES, english::BOUNDS};
use crate::hashing::HashSet;
use crate::script::is_cjk;

const SEED: u32 = 0x811C_9DC5;

const fn hashed(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

pub(super) fn hash(word: &str) -> u32 {
    word.bytes().fold(SEED, hashed)
}

/// Whether the word with this hash may be part of a rule in any of the languages.
fn is_rule_word(hash: u32) -> bool {
    static TABLE: OnceLock<HashSet<u32>> = OnceLock::new();
    TABLE.get_or_init(table).contains(&hash)
}

fn table() -> HashSet<u32> {
    let words = ENGLISH_RULE_WORDS.iter().chain(BOUNDS).copied();
    let mut table: HashSet<u32> = words.chain(LANGUAGE_NAMES.split(' ')).map(hash).collect();
    for language in LANGUAGES {
        each_pattern(language, &mut |word, _, _| {
            table.insert(hash(word));
        });
    }
    table
}

/// Whether any word of a text may be part of a rule.
pub(in crate::facts) fn may_contain_rule(text: &str) -> bool {
    let mut word = Word::default();
    let mut ends_rule_word = |c: char| {
        if c.is_ascii() {
            return word.push_char(c);
        }
        let mut is_found = is_cjk(c);
        fold(c, &mut |c| is_found |= word.push_char(c));
        is_found
    };
    text.chars().any(&mut ends_rule_word) || ends_rule_word(' ')
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
    /// Adds a letter without an accent. Whether a rule's word ends there.
    fn push_char(&mut self, c: char) -> bool {
        match c {
            '\'' => {
                let is_found = is_rule_word(self.part);
                *self = Self { whole: hashed(self.whole, b'\''), part: SEED };
                is_found
            }
            c if c.is_alphanumeric() => {
                for byte in c.to_ascii_lowercase().encode_utf8(&mut [0; 4]).bytes() {
                    *self = Self { whole: hashed(self.whole, byte), part: hashed(self.part, byte) };
                }
                false
            }
            _ => self.finish(),
        }
    }

    fn finish(&mut self) -> bool {
        let Self { whole, part } = std::mem::take(self);
        whole != SEED && (is_rule_word(whole) || is_rule_word(part))
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
