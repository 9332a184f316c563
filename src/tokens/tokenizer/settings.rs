//! Everything in a file except its vocabulary and merges.

use std::ops::Range;

use crate::json::Scanner;
use crate::value::Value;

/// The maximum length of a word that a `WordPiece` model may look up. The time per word grows at least quadratically.
pub const MAX_CHARS: usize = 1000;

/// Everything except the vocabulary and the merges.
#[derive(Debug, Default, Clone)]
pub struct Settings {
    pub added_tokens: Vec<Added>,
    /// The texts of the added tokens, concatenated, because some files have thousands.
    pub added_text: String,
    pub normalizer: Json,
    pub pre_tokenizer: Json,
    pub decoder: Json,
    pub unk_token: Option<String>,
    pub prefix: String,
    pub suffix: String,
    pub fuse_unk: bool,
    pub byte_fallback: bool,
    pub ignore_merges: bool,
    /// For a `WordPiece` model: the maximum number of characters in a word.
    pub word_piece: Option<usize>,
    /// For a Unigram model: the score of each token.
    pub scores: Vec<f64>,
    /// A note of the caller, packed with the file.
    pub note: String,
}

impl Settings {
    /// The text of an added token.
    pub fn text_of(&self, added: &Added) -> &str {
        self.added_text.get(added.text.clone()).unwrap_or_default()
    }

    /// Reads the next added token; `None` if it is invalid.
    pub fn read_added(&mut self, scanner: &mut Scanner<'_>) -> Option<()> {
        let start = self.added_text.len();
        let added = Added::read(scanner, &mut self.added_text)?;
        self.added_tokens.push(Added { text: start..self.added_text.len(), ..added });
        Some(())
    }

    /// Adds an added token from a packed file.
    pub fn add(&mut self, id: u32, flags: u8, text: &str) {
        let start = self.added_text.len();
        self.added_text.push_str(text);
        self.added_tokens.push(Added::of_flags(flags, id, start..self.added_text.len()));
    }
}

/// A JSON value as written in the file; empty if it is missing.
#[derive(Debug, Default, Clone)]
pub struct Json(pub String);

impl Json {
    /// Reads the next value.
    pub fn read(scanner: &mut Scanner<'_>) -> Option<Self> {
        scanner.peek();
        let start = *scanner;
        Value::skip(scanner)?;
        Some(Self(String::from_utf8(start.until(scanner.at()).to_vec()).ok()?))
    }

    /// Parses the value, which was checked when it was read or packed.
    pub fn value(&self) -> Value {
        match self.0.as_str() {
            "" | "null" => Value::Null,
            json => Value::of(json).unwrap_or_default(),
        }
    }
}

/// A token that is found in the text before anything else is done.
#[derive(Debug, Default, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "as the file has them")]
pub struct Added {
    pub id: u32,
    /// The range of its text in `added_text`.
    pub text: Range<usize>,
    pub single_word: bool,
    pub lstrip: bool,
    pub rstrip: bool,
    pub normalized: bool,
    pub special: bool,
}

impl Added {
    /// Reads the next added token and appends its text to `out`.
    fn read(scanner: &mut Scanner<'_>, out: &mut String) -> Option<Self> {
        let mut added = Self::default();
        let (mut id, mut has_text) = (None, false);
        let (mut key_buffer, mut text_buffer) = (Vec::new(), Vec::new());
        scanner.each(b'{', b'}', |scanner| {
            let key = scanner.text()?.unescaped(&mut key_buffer)?;
            let flag = match key {
                b"id" => {
                    scanner.take(b':')?;
                    id = Some(scanner.number()?);
                    return Some(());
                }
                b"content" => {
                    scanner.take(b':')?;
                    let text = scanner.text()?;
                    out.push_str(std::str::from_utf8(text.unescaped(&mut text_buffer)?).ok()?);
                    return (!std::mem::replace(&mut has_text, true)).then_some(());
                }
                b"single_word" => &mut added.single_word,
                b"lstrip" => &mut added.lstrip,
                b"rstrip" => &mut added.rstrip,
                b"normalized" => &mut added.normalized,
                b"special" => &mut added.special,
                _ => {
                    scanner.take(b':')?;
                    return Value::skip(scanner);
                }
            };
            scanner.take(b':')?;
            scanner.peek();
            *flag = match scanner.word_of_signs() {
                b"true" => true,
                b"false" => false,
                _ => return None,
            };
            Some(())
        })?;
        has_text.then_some(Self { id: id?, ..added })
    }

    /// Its flags, one bit each.
    pub fn flags(&self) -> u8 {
        [self.single_word, self.lstrip, self.rstrip, self.normalized, self.special]
            .iter()
            .fold(0, |flags, &is| flags << 1 | u8::from(is))
    }

    /// The reverse of `flags`.
    fn of_flags(flags: u8, id: u32, text: Range<usize>) -> Self {
        let is = |bit: u8| flags >> bit & 1 != 0;
        let (single_word, lstrip, rstrip) = (is(4), is(3), is(2));
        Self { id, text, single_word, lstrip, rstrip, normalized: is(1), special: is(0) }
    }
}
