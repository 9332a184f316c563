//! What a file says beside its vocabulary and merges.

use std::ops::Range;

use crate::json::Scanner;
use crate::value::Value;

/// The longest word that a `WordPiece` model may have looked at: each of its characters can be the beginning of as many parts.
pub const MAX_CHARS: usize = 1000;

/// All but the vocabulary and the merges.
#[derive(Debug, Default, Clone)]
pub struct Settings {
    pub added_tokens: Vec<Added>,
    /// Their texts, one behind the other: some files have thousands.
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
    /// Of a `WordPiece` model: how many characters a word may have.
    pub word_piece: Option<usize>,
    /// Of a Unigram model: the score of each token.
    pub scores: Vec<f64>,
    /// What the caller packed with it.
    pub note: String,
}

impl Settings {
    /// The text of an added token.
    pub fn text_of(&self, added: &Added) -> &str {
        self.added_text.get(added.text.clone()).unwrap_or_default()
    }

    /// Reads the next added token; `None` where it is none.
    pub fn read_added(&mut self, scanner: &mut Scanner<'_>) -> Option<()> {
        let start = self.added_text.len();
        let added = Added::read(scanner, &mut self.added_text)?;
        self.added_tokens.push(Added { text: start..self.added_text.len(), ..added });
        Some(())
    }

    /// Adds one that was packed.
    pub fn add(&mut self, id: u32, flags: u8, text: &str) {
        let start = self.added_text.len();
        self.added_text.push_str(text);
        self.added_tokens.push(Added::of_flags(flags, id, start..self.added_text.len()));
    }
}

/// A value as the file has it; nothing is `null`.
#[derive(Debug, Default, Clone)]
pub struct Json(pub String);

impl Json {
    /// The next value.
    pub fn read(scanner: &mut Scanner<'_>) -> Option<Self> {
        scanner.peek();
        let start = *scanner;
        Value::skip(scanner)?;
        Some(Self(String::from_utf8(start.until(scanner.at()).to_vec()).ok()?))
    }

    /// The value, which was read before or packed.
    pub fn value(&self) -> Value {
        match self.0.as_str() {
            "" | "null" => Value::Null,
            json => Value::of(json).unwrap_or_default(),
        }
    }
}

/// A token that is found in the text before all else.
#[derive(Debug, Default, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "as the file has them")]
pub struct Added {
    pub id: u32,
    /// Where its text stands among all.
    pub text: Range<usize>,
    pub single_word: bool,
    pub lstrip: bool,
    pub rstrip: bool,
    pub normalized: bool,
    pub special: bool,
}

impl Added {
    /// The next one, whose text it puts into `out`.
    fn read(scanner: &mut Scanner<'_>, out: &mut String) -> Option<Self> {
        let mut added = Self::default();
        let (mut id, mut has_text) = (None, false);
        let (mut buffer, mut said) = (Vec::new(), Vec::new());
        scanner.each(b'{', b'}', |scanner| {
            let key = scanner.text()?.said(&mut buffer)?;
            let flag = match key {
                b"id" => {
                    scanner.take(b':')?;
                    id = Some(scanner.number()?);
                    return Some(());
                }
                b"content" => {
                    scanner.take(b':')?;
                    let text = scanner.text()?;
                    out.push_str(std::str::from_utf8(text.said(&mut said)?).ok()?);
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

    /// What it is, a bit each.
    pub fn flags(&self) -> u8 {
        [self.single_word, self.lstrip, self.rstrip, self.normalized, self.special]
            .iter()
            .fold(0, |flags, &is| flags << 1 | u8::from(is))
    }

    /// The reverse.
    fn of_flags(flags: u8, id: u32, text: Range<usize>) -> Self {
        let is = |bit: u8| flags >> bit & 1 != 0;
        let (single_word, lstrip, rstrip) = (is(4), is(3), is(2));
        Self { id, text, single_word, lstrip, rstrip, normalized: is(1), special: is(0) }
    }
}
