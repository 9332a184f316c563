//! A file's vocabulary: a map from tokens to ids, or a list of tokens with scores.

use crate::error::{Error, Result};
use crate::json::{Raw, Scanner};
use crate::strides::{STRIDE, while_more};
use crate::vocab::Vocab;

/// The most tokens: Gemma has 262,144.
const MAX_TOKENS: usize = 1 << 20;
/// Bytes of a token: the longest real ones have 2,048.
const MAX_TOKEN: usize = 1 << 16;
const MAX_ID: u32 = 1 << 24;

/// A vocabulary as it is written.
#[derive(Default)]
pub struct Words {
    pub vocab: Vocab,
    /// Of a list: a score each.
    pub scores: Vec<f64>,
}

impl Words {
    /// Reads it, and goes behind it. `size`: bytes of the file.
    pub fn read(scanner: &mut Scanner<'_>, bytes: &[u8]) -> Result<Self> {
        let mut reading = Reading { scanner: *scanner, words: Self::default(), said: Vec::new() };
        match scanner.peek() {
            Some(b'[') => reading.values(b'[', b']', Reading::scored)?,
            Some(b'{') => {
                reading.words.vocab.reserve(bytes.len() / 64, bytes.len() / 8);
                reading.values(b'{', b'}', Reading::tokens)?;
                reading.words.vocab.shrink();
            }
            _ => return Err(broken()),
        }
        *scanner = reading.scanner;
        Ok(reading.words)
    }
}

fn broken() -> Error {
    Error::invalid("its vocabulary is no map from tokens to ids, and no list of tokens with scores")
}

fn too_many() -> Error {
    Error::invalid(format!(
        "more than {MAX_TOKENS} tokens, an id above {MAX_ID}, or a token of more than {MAX_TOKEN} bytes"
    ))
}

/// A vocabulary that is read.
struct Reading<'a> {
    scanner: Scanner<'a>,
    words: Words,
    /// What a text with escapes says.
    said: Vec<u8>,
}

impl Reading<'_> {
    fn values(&mut self, begin: u8, end: u8, some: fn(&mut Self) -> Result<bool>) -> Result<()> {
        self.scanner.take(begin).ok_or_else(broken)?;
        if self.scanner.peek() == Some(end) {
            return self.scanner.take(end).ok_or_else(broken);
        }
        while_more(self, some)
    }

    /// `"a": 1`.
    fn tokens(&mut self) -> Result<bool> {
        for _ in 0..STRIDE {
            let token = self.scanner.text().ok_or_else(broken)?;
            self.scanner.take(b':').ok_or_else(broken)?;
            let id = self.scanner.number().ok_or_else(broken)?;
            self.push(token, id)?;
            if !self.scanner.more(b'}').ok_or_else(broken)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `["a", -1.5]`; a token's id is its place in the list.
    fn scored(&mut self) -> Result<bool> {
        for _ in 0..STRIDE {
            self.scanner.take(b'[').ok_or_else(broken)?;
            let token = self.scanner.text().ok_or_else(broken)?;
            self.scanner.take(b',').ok_or_else(broken)?;
            let score = self.scanner.value().and_then(|value| serde_json::from_slice(value).ok());
            self.words.scores.push(score.ok_or_else(broken)?);
            self.scanner.take(b']').ok_or_else(broken)?;
            self.push(token, self.words.vocab.len() as u32)?;
            if !self.scanner.more(b']').ok_or_else(broken)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    #[inline]
    fn push(&mut self, token: Raw<'_>, id: u32) -> Result<()> {
        let vocab = &mut self.words.vocab;
        if id > MAX_ID || vocab.len() >= MAX_TOKENS || token.inner.len() > MAX_TOKEN {
            return Err(too_many());
        }
        let text = std::str::from_utf8(token.said(&mut self.said).ok_or_else(broken)?);
        vocab.push(text.map_err(|e| Error::invalid(format!("it is no text: {e}")))?, id);
        Ok(())
    }
}
