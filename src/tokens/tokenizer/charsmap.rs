//! The `precompiled_charsmap` of `SentencePiece`: the replacements of characters, in a double-array trie.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..4 | the length of the trie in bytes |
//! | then | the trie: numbers of four bytes, little-endian |
//! | then | the replacements: texts, each followed by a zero |

use memchr::memchr;
use unicode_segmentation::UnicodeSegmentation;

use crate::error::{Error, Result};

/// The replacements of characters.
pub struct Charsmap {
    trie: Vec<u32>,
    texts: String,
    /// The ASCII characters that are not replaced.
    stays: [bool; 128],
}

/// Only graphemes shorter than this are looked up as a whole.
const LONG: usize = 6;

impl Charsmap {
    /// Reads a charsmap in Base64.
    pub fn new(base64: &str) -> Result<Self> {
        let wrong = |what: &str| Error::invalid(format!("its `precompiled_charsmap` {what}"));
        let bytes = decoded(base64).ok_or_else(|| wrong("is not valid Base64"))?;
        let short = || wrong("is cut off");
        let (len, rest) = bytes.split_first_chunk().ok_or_else(short)?;
        let len = u32::from_le_bytes(*len) as usize / 4 * 4;
        let (trie, texts) = rest.split_at_checked(len).ok_or_else(short)?;
        let (units, _) = trie.as_chunks();
        let trie = units.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        let texts = String::from_utf8(texts.to_vec()).map_err(|_| wrong("has texts that are not UTF-8"))?;
        let mut made = Self { trie, texts, stays: [false; 128] };
        made.stays = std::array::from_fn(|c| made.replacement(&[c as u8]).is_none());
        Ok(made)
    }

    /// How many times longer a text can become, given that the characters with the longest replacements have three bytes.
    pub fn growth(&self) -> usize {
        self.texts.split('\0').map(str::len).max().unwrap_or_default().div_ceil(3).max(1)
    }

    /// Replaces characters; `None` if nothing changes.
    pub fn apply(&self, text: &str) -> Option<String> {
        let bytes = text.as_bytes();
        let stays = |&byte: &u8| self.stays.get(usize::from(byte)).copied().unwrap_or_default();
        if bytes.iter().all(stays) && !self.joins_lines(text) {
            return None;
        }
        let mut out = String::with_capacity(text.len() + text.len() / 8);
        let mut from = 0;
        while from < bytes.len() {
            let end = (from..bytes.len()).find(|&at| !is_alone(bytes, at)).unwrap_or(bytes.len());
            for &byte in bytes.get(from..end).unwrap_or_default() {
                if stays(&byte) {
                    out.push(char::from(byte));
                } else {
                    out.push_str(self.replacement(&[byte]).unwrap_or_default());
                }
            }
            from = end;
            let end = (from..bytes.len()).find(|&at| is_alone(bytes, at)).map_or(bytes.len(), |at| at + 1);
            for grapheme in text.get(from..end).unwrap_or_default().graphemes(true) {
                self.replace(grapheme, &mut out);
            }
            from = end;
        }
        Some(out)
    }

    fn joins_lines(&self, text: &str) -> bool {
        self.replacement(b"\r\n").is_some() && text.contains("\r\n")
    }

    fn replace(&self, grapheme: &str, out: &mut String) {
        if grapheme.len() < LONG
            && let Some(text) = self.replacement(grapheme.as_bytes())
        {
            return out.push_str(text);
        }
        for c in grapheme.chars() {
            match self.replacement(c.encode_utf8(&mut [0; 4]).as_bytes()) {
                Some(text) => out.push_str(text),
                None => out.push(c),
            }
        }
    }

    /// The replacement of the shortest prefix of `key` that has an entry.
    fn replacement(&self, key: &[u8]) -> Option<&str> {
        let unit = |at: usize| self.trie.get(at).map(|&unit| unit as usize);
        let offset = |unit: usize| (unit >> 10) << ((unit & 1 << 9) >> 6);
        let mut at = offset(unit(0)?);
        for &byte in key {
            at ^= usize::from(byte);
            let found = unit(at).filter(|_| byte != 0)?;
            if found & (1 << 31 | 0xFF) != usize::from(byte) {
                return None;
            }
            at ^= offset(found);
            if found >> 8 & 1 == 1 {
                let text = self.texts.get(unit(at)? & ((1 << 31) - 1)..)?;
                return text.get(..memchr(0, text.as_bytes()).unwrap_or(text.len()));
            }
        }
        None
    }
}

/// Whether the character here is ASCII and a grapheme of its own.
fn is_alone(bytes: &[u8], at: usize) -> bool {
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\r'), Some(b'\n')) => false,
        (Some(byte), None) => byte.is_ascii(),
        (Some(byte), Some(next)) => byte.is_ascii() && next.is_ascii(),
        _ => false,
    }
}

fn decoded(base64: &str) -> Option<Vec<u8>> {
    let text = base64.trim_end_matches('=').as_bytes();
    let mut out = Vec::with_capacity(base64.len() / 4 * 3 + 3);
    let (mut bits, mut held) = (0_u32, 0);
    for &sign in text {
        let value = match sign {
            b'A'..=b'Z' => sign - b'A',
            b'a'..=b'z' => sign - b'a' + 26,
            b'0'..=b'9' => sign - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    Some(out)
}
