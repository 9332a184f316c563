//! A file's merges, each of two tokens to a third.

use crate::error::{Error, Result};
use crate::json::Scanner;
use crate::places::same;
use crate::strides::{STRIDE, while_more};
use crate::vocab::Vocab;

const MAX_MERGES: usize = 1 << 22;

/// Left, right and what they make, by their places in the vocabulary, in the order of their ranks.
pub type Merges = Vec<[u32; 3]>;

/// Reads them, `"a b"` or `["a", "b"]`, and says where they end. `prefix`: bytes that a right part has before what it adds.
pub fn read(bytes: &[u8], at: usize, vocab: &Vocab, prefix: usize) -> Result<(Merges, usize)> {
    let merges = Made { vocab, prefix, merges: Vec::with_capacity(bytes.len() / 64), text: Vec::new() };
    let mut reading = Reading { scanner: Scanner::new(bytes, at), merges, said: Default::default() };
    reading.begin()?;
    let Reading { scanner, merges: Made { mut merges, .. }, .. } = reading;
    merges.shrink_to_fit();
    Ok((merges, scanner.at()))
}

struct Reading<'a> {
    scanner: Scanner<'a>,
    merges: Made<'a>,
    /// What texts with escapes say.
    said: [Vec<u8>; 2],
}

fn broken() -> Error {
    Error::invalid("its merges are no list of two tokens each")
}

impl Reading<'_> {
    fn begin(&mut self) -> Result<()> {
        self.scanner.take(b'[').ok_or_else(broken)?;
        if self.scanner.peek() == Some(b']') {
            return self.scanner.take(b']').ok_or_else(broken);
        }
        while_more(self, Self::some)
    }

    fn some(&mut self) -> Result<bool> {
        for _ in 0..STRIDE {
            match self.scanner.peek() {
                Some(b'"') => self.line()?,
                Some(b'[') => self.pair()?,
                _ => return Err(broken()),
            }
            if !self.scanner.more(b']').ok_or_else(broken)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `"a b"`.
    fn line(&mut self) -> Result<()> {
        let text = self.scanner.text().ok_or_else(broken)?;
        let [said, _] = &mut self.said;
        let text = text.said(said).ok_or_else(broken)?;
        let mut spaces = (0..).zip(text).filter(|(_, byte)| **byte == b' ').map(|(at, _)| at);
        match (spaces.next(), spaces.next()) {
            _ if text.starts_with(b"#version") => Ok(()),
            (Some(space), None) => {
                let (left, right) = text.split_at(space);
                self.merges.add(left, right.get(1..).unwrap_or_default())
            }
            _ => Err(not_two(text)),
        }
    }

    /// `["a", "b"]`.
    #[inline(never)]
    fn pair(&mut self) -> Result<()> {
        self.scanner.take(b'[').ok_or_else(broken)?;
        let left = self.scanner.text().ok_or_else(broken)?;
        self.scanner.take(b',').ok_or_else(broken)?;
        let right = self.scanner.text().ok_or_else(broken)?;
        self.scanner.take(b']').ok_or_else(broken)?;
        let [said_left, said_right] = &mut self.said;
        let left = left.said(said_left).ok_or_else(broken)?;
        self.merges.add(left, right.said(said_right).ok_or_else(broken)?)
    }
}

/// Those that were read so far.
struct Made<'a> {
    vocab: &'a Vocab,
    prefix: usize,
    merges: Merges,
    text: Vec<u8>,
}

impl Made<'_> {
    fn add(&mut self, left: &[u8], right: &[u8]) -> Result<()> {
        if self.merges.len() == MAX_MERGES {
            return Err(Error::invalid(format!("more than {MAX_MERGES} merges")));
        }
        let known = |part: &[u8]| self.vocab.get_bytes(part).ok_or_else(|| unknown(part));
        let (l, r) = (known(left)?, known(right)?);
        let rest = right.get(self.prefix..);
        let rest = rest.ok_or_else(|| Error::invalid("a merge is shorter than the prefix"))?;
        // Mostly it makes the token behind the one that the merge before makes, or the same.
        let near = self.merges.last().map_or(0, |&[.., made]| made);
        let is = |place: &u32| {
            let token = self.vocab.bytes_of(*place);
            token.split_at_checked(left.len()).is_some_and(|(a, b)| same(a, left) && same(b, rest))
        };
        let made = [near.wrapping_add(1), near].into_iter().find(is);
        let made = if let Some(made) = made {
            made
        } else {
            self.text.clear();
            self.text.extend_from_slice(left);
            self.text.extend_from_slice(rest);
            known(&self.text)?
        };
        self.merges.push([l, r, made]);
        Ok(())
    }
}

#[cold]
fn not_two(text: &[u8]) -> Error {
    Error::invalid(format!("a merge of two tokens was expected, not {:.60?}", String::from_utf8_lossy(text)))
}

#[cold]
fn unknown(part: &[u8]) -> Error {
    Error::invalid(format!("it merges {:.40?}, which is no token of it", String::from_utf8_lossy(part)))
}
