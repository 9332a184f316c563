//! What a file says beside its vocabulary and merges.

use crate::json::Scanner;
use crate::value::Value;

/// The longest word that a `WordPiece` model may have looked at: each of its characters can be the beginning of as many parts.
pub const MAX_CHARS: usize = 1000;

/// All but the vocabulary and the merges.
#[derive(Debug, Default, Clone)]
pub struct Settings {
    pub added_tokens: Vec<Added>,
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
        Value::of(&self.0).unwrap_or_default()
    }
}

/// A token that is found in the text before all else.
#[derive(Debug, Default, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "as the file has them")]
pub struct Added {
    pub id: u32,
    pub content: String,
    pub single_word: bool,
    pub lstrip: bool,
    pub rstrip: bool,
    pub normalized: bool,
    pub special: bool,
}

impl Added {
    /// The next one; `None` where it is none.
    pub fn read(scanner: &mut Scanner<'_>) -> Option<Self> {
        let mut added = Self::default();
        let (mut id, mut content) = (None, None);
        let mut buffer = Vec::new();
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
                    content = Some(scanner.string()?);
                    return Some(());
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
        Some(Self { id: id?, content: content?, ..added })
    }

    /// What it is, a bit each.
    pub fn flags(&self) -> u8 {
        [self.single_word, self.lstrip, self.rstrip, self.normalized, self.special]
            .iter()
            .fold(0, |flags, &is| flags << 1 | u8::from(is))
    }

    /// The reverse.
    pub fn of_flags(flags: u8, id: u32, content: String) -> Self {
        let is = |bit: u8| flags >> bit & 1 != 0;
        let (single_word, lstrip, rstrip) = (is(4), is(3), is(2));
        Self { id, content, single_word, lstrip, rstrip, normalized: is(1), special: is(0) }
    }
}
