//! The vocabulary of a file: a map from tokens to ids, or a list of tokens with scores.

use crate::error::{Error, Result};
use crate::json::Scanner;
use crate::key::Key;
use crate::strides::{STRIDE, while_more};
use crate::vocab::Vocab;

/// The maximum number of tokens. Gemma has 262,144.
const MAX_TOKENS: usize = 1 << 20;
/// The maximum length of a token in bytes. The longest real ones have 2,048.
const MAX_TOKEN: usize = 1 << 16;
const MAX_ID: u32 = 1 << 24;

/// A vocabulary as read from a file.
#[derive(Default)]
pub struct Words {
    pub vocab: Vocab,
    /// The scores, if it is a list.
    pub scores: Vec<f64>,
}

impl Words {
    /// Reads the vocabulary and moves `scanner` past it.
    pub fn read<'a>(scanner: &mut Scanner<'a>, bytes: &'a [u8]) -> Result<Self> {
        let mut reading = Reading {
            bytes,
            scanner: *scanner,
            text: String::new(),
            ends: Vec::new(),
            ids: Vec::new(),
            keys: Vec::new(),
            scores: Vec::new(),
            new: Vec::new(),
            buffer: Vec::new(),
        };
        match scanner.peek() {
            #[cfg(feature = "whole")]
            Some(b'[') => reading.values(b'[', b']', Reading::scored)?,
            #[cfg(not(feature = "whole"))]
            Some(b'[') => return Err(Error::NeedsWholeModule),
            Some(b'{') => {
                let tokens = bytes.len() / 64;
                reading.text.reserve(bytes.len() / 8);
                reading.ends.reserve(tokens);
                reading.ids.reserve(tokens);
                reading.keys.reserve(tokens);
                reading.values(b'{', b'}', Reading::tokens)?;
            }
            _ => return Err(broken()),
        }
        let Reading { mut text, mut ends, mut ids, mut keys, scores, .. } = reading;
        *scanner = reading.scanner;
        text.shrink_to_fit();
        ends.shrink_to_fit();
        ids.shrink_to_fit();
        keys.shrink_to_fit();
        Ok(Self { vocab: Vocab::with_keys(text, ends, ids, keys), scores })
    }
}

#[cold]
fn broken() -> Error {
    Error::invalid("its vocabulary is neither a map from tokens to ids nor a list of tokens with scores")
}

#[cold]
fn too_many() -> Error {
    Error::invalid(format!(
        "more than {MAX_TOKENS} tokens, an id above {MAX_ID}, or a token of more than {MAX_TOKEN} bytes"
    ))
}

#[cold]
fn no_text() -> Error {
    Error::invalid("a token of its vocabulary is not valid UTF-8")
}

/// A vocabulary that is being read.
struct Reading<'a> {
    bytes: &'a [u8],
    scanner: Scanner<'a>,
    text: String,
    ends: Vec<u32>,
    ids: Vec<u32>,
    keys: Vec<Key>,
    scores: Vec<f64>,
    /// Bytes to be appended to `text` once they are known to be UTF-8.
    new: Vec<u8>,
    /// A buffer for texts with escapes.
    buffer: Vec<u8>,
}

impl Reading<'_> {
    fn values(&mut self, begin: u8, end: u8, some: fn(&mut Self) -> Result<bool>) -> Result<()> {
        self.scanner.take(begin).ok_or_else(broken)?;
        if self.scanner.peek() == Some(end) {
            return self.scanner.take(end).ok_or_else(broken);
        }
        while_more(self, some)
    }

    /// Reads entries such as `"a": 1`.
    fn tokens(&mut self) -> Result<bool> {
        let mut more = true;
        for _ in 0..STRIDE {
            self.token()?;
            self.scanner.take(b':').ok_or_else(broken)?;
            let id = self.scanner.number().ok_or_else(broken)?;
            if id > MAX_ID {
                return Err(too_many());
            }
            self.ids.push(id);
            more = self.scanner.more(b'}').ok_or_else(broken)?;
            if !more {
                break;
            }
        }
        self.check()?;
        Ok(more)
    }

    /// Reads entries such as `["a", -1.5]`. A token's id is its index in the list.
    #[cfg(feature = "whole")]
    fn scored(&mut self) -> Result<bool> {
        let mut more = true;
        for _ in 0..STRIDE {
            self.scanner.take(b'[').ok_or_else(broken)?;
            self.token()?;
            self.scanner.take(b',').ok_or_else(broken)?;
            let score = self.scanner.value().and_then(|value| serde_json::from_slice(value).ok());
            self.scores.push(score.ok_or_else(broken)?);
            self.scanner.take(b']').ok_or_else(broken)?;
            self.ids.push(self.ids.len() as u32);
            more = self.scanner.more(b']').ok_or_else(broken)?;
            if !more {
                break;
            }
        }
        self.check()?;
        Ok(more)
    }

    /// Reads a token's text.
    #[inline(never)]
    fn token(&mut self) -> Result<()> {
        self.scanner.take(b'"').ok_or_else(broken)?;
        let start = self.scanner.at();
        let key = self.scanner.part();
        let end = self.scanner.at();
        if self.scanner.byte() != Some(b'"') || end - start > MAX_TOKEN {
            return self.escaped_token(start);
        }
        self.scanner.step();
        self.put(key, self.bytes.get(start..end).unwrap_or_default())
    }

    #[inline(never)]
    fn escaped_token(&mut self, start: usize) -> Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        self.scanner.escaped_part(start, &mut buffer).ok_or_else(broken)?;
        if self.scanner.byte() != Some(b'"') || self.scanner.at() - start > MAX_TOKEN {
            return self.rare_token(start);
        }
        self.scanner.step();
        self.put(Key::of(&buffer), &buffer)?;
        self.buffer = buffer;
        Ok(())
    }

    /// Reads a token that contains a space or is at the end of the file.
    #[cold]
    fn rare_token(&mut self, start: usize) -> Result<()> {
        self.scanner = Scanner::new(self.bytes, start - 1);
        let token = self.scanner.text().ok_or_else(broken)?;
        if token.inner.len() > MAX_TOKEN {
            return Err(too_many());
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let token = token.unescaped(&mut buffer).ok_or_else(broken)?;
        self.put(Key::of(token), token)?;
        self.buffer = buffer;
        Ok(())
    }

    #[inline]
    fn put(&mut self, key: Key, token: &[u8]) -> Result<()> {
        if self.keys.len() >= MAX_TOKENS {
            return Err(too_many());
        }
        if token.first().is_some_and(|byte| byte & 0xC0 == 0x80) {
            return Err(no_text());
        }
        self.new.extend_from_slice(token);
        self.ends.push((self.text.len() + self.new.len()) as u32);
        self.keys.push(key);
        Ok(())
    }

    /// Checks that the tokens are UTF-8. No token begins inside a character, so checking them all at once checks each one.
    fn check(&mut self) -> Result<()> {
        self.text.push_str(std::str::from_utf8(&self.new).map_err(|_| no_text())?);
        self.new.clear();
        Ok(())
    }
}
