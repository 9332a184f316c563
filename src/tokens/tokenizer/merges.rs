//! The merges of a file. Each merges two tokens into a third.

use crate::error::{Error, Result};
use crate::json::Scanner;
use crate::key::Key;
use crate::places::same;
use crate::strides::{STRIDE, while_more};
use crate::vocab::Vocab;

const MAX_MERGES: usize = 1 << 22;

/// Left, right and the result of each merge, as places in the vocabulary, in order of rank.
pub type Merges = Vec<[u32; 3]>;

/// Reads merges of the form `"a b"` or `["a", "b"]`, and returns them with their end in the file. `prefix`: the number of
/// bytes at the start of a right part that are not part of the result.
pub fn read(bytes: &[u8], at: usize, vocab: &Vocab, prefix: usize) -> Result<(Merges, usize)> {
    let mut scanner = Scanner::new(bytes, at);
    let are_pairs = scanner.take(b'[').is_some() && scanner.peek() == Some(b'[');
    // The ratio in real files, with some room.
    let count = bytes.len() / if are_pairs { 56 } else { 28 };
    let merges = MergeList { vocab, prefix, merges: Vec::with_capacity(count), text: Vec::new() };
    let mut reading =
        Reading { bytes, scanner: Scanner::new(bytes, at), merges, buffers: Default::default() };
    reading.begin()?;
    let Reading { scanner, merges: MergeList { mut merges, .. }, .. } = reading;
    merges.shrink_to_fit();
    Ok((merges, scanner.at()))
}

struct Reading<'a> {
    bytes: &'a [u8],
    scanner: Scanner<'a>,
    merges: MergeList<'a>,
    /// Buffers for texts with escapes.
    buffers: [Vec<u8>; 2],
}

#[cold]
fn broken() -> Error {
    Error::invalid("its merges are not a list of token pairs")
}

impl Reading<'_> {
    fn begin(&mut self) -> Result<()> {
        self.scanner.take(b'[').ok_or_else(broken)?;
        if self.scanner.peek() == Some(b']') {
            return self.scanner.take(b']').ok_or_else(broken);
        }
        while_more(self, Self::read_some)
    }

    fn read_some(&mut self) -> Result<bool> {
        for _ in 0..STRIDE {
            let begin = self.scanner.peek();
            let start = self.scanner.at();
            let done = match begin {
                Some(b'"') => self.line(),
                Some(b'[') => self.pair(),
                _ => return Err(broken()),
            };
            if !done {
                self.scanner = Scanner::new(self.bytes, start);
                if begin == Some(b'"') { self.rare_line()? } else { self.rare_pair()? }
            }
            if !self.scanner.more(b']').ok_or_else(broken)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads `"a b"`; `false` if it has another form or is invalid.
    // Not inlined, and rare cases are handled elsewhere: the function is small, so that the engine soon optimizes it.
    #[inline(never)]
    fn line(&mut self) -> bool {
        let Self { scanner, merges, buffers: [left_buffer, right_buffer], .. } = self;
        scanner.step();
        let Some(left) = Part::read(scanner, left_buffer, b' ') else { return false };
        let Some(right) = Part::read(scanner, right_buffer, b'"') else { return false };
        left.text.first() != Some(&b'#') && merges.add(left, right)
    }

    /// Reads `["a", "b"]`; `false` if it has another form or is invalid.
    #[inline(never)]
    fn pair(&mut self) -> bool {
        let Self { scanner, merges, buffers: [left_buffer, right_buffer], .. } = self;
        scanner.step();
        if scanner.take(b'"').is_none() {
            return false;
        }
        let Some(left) = Part::read(scanner, left_buffer, b'"') else { return false };
        if scanner.take(b',').and_then(|()| scanner.take(b'"')).is_none() {
            return false;
        }
        let Some(right) = Part::read(scanner, right_buffer, b'"') else { return false };
        scanner.take(b']').is_some() && merges.add(left, right)
    }

    #[cold]
    fn rare_line(&mut self) -> Result<()> {
        let text = self.scanner.text().ok_or_else(broken)?;
        let [buffer, _] = &mut self.buffers;
        let text = text.unescaped(buffer).ok_or_else(broken)?;
        let mut spaces = (0..).zip(text).filter(|(_, byte)| **byte == b' ').map(|(at, _)| at);
        match (spaces.next(), spaces.next()) {
            _ if text.starts_with(b"#version") => Ok(()),
            (Some(space), None) => {
                let (left, right) = text.split_at(space);
                self.merges.try_add(Part::of(left), Part::of(right.get(1..).unwrap_or_default()))
            }
            _ => Err(not_two(text)),
        }
    }

    #[cold]
    fn rare_pair(&mut self) -> Result<()> {
        self.scanner.take(b'[').ok_or_else(broken)?;
        let left = self.scanner.text().ok_or_else(broken)?;
        self.scanner.take(b',').ok_or_else(broken)?;
        let right = self.scanner.text().ok_or_else(broken)?;
        self.scanner.take(b']').ok_or_else(broken)?;
        let [left_buffer, right_buffer] = &mut self.buffers;
        let left = left.unescaped(left_buffer).ok_or_else(broken)?;
        self.merges.try_add(Part::of(left), Part::of(right.unescaped(right_buffer).ok_or_else(broken)?))
    }
}

/// A part of a merge.
#[derive(Clone, Copy)]
struct Part<'a> {
    key: Key,
    text: &'a [u8],
}

impl<'a> Part<'a> {
    fn of(text: &'a [u8]) -> Self {
        Self { key: Key::of(text), text }
    }

    /// Reads up to `end` and moves past it; `None` if something else comes first.
    #[inline]
    fn read<'b: 'a>(scanner: &mut Scanner<'b>, buffer: &'a mut Vec<u8>, end: u8) -> Option<Self> {
        let from = *scanner;
        let key = scanner.part();
        if scanner.byte() == Some(end) {
            let text = from.until(scanner.at());
            scanner.step();
            return Some(Self { key, text });
        }
        Self::read_escaped(scanner, from.at(), buffer, end)
    }

    #[inline(never)]
    fn read_escaped(
        scanner: &mut Scanner<'_>,
        from: usize,
        buffer: &'a mut Vec<u8>,
        end: u8,
    ) -> Option<Self> {
        scanner.escaped_part(from, buffer)?;
        (scanner.byte() == Some(end) && !buffer.contains(&b' ')).then(|| scanner.step())?;
        Some(Self::of(buffer))
    }
}

/// The merges read so far.
struct MergeList<'a> {
    vocab: &'a Vocab,
    prefix: usize,
    merges: Merges,
    text: Vec<u8>,
}

/// Not a place.
const NONE: u32 = u32::MAX;

impl MergeList<'_> {
    /// Adds a merge; `false` if a token is not in the vocabulary or there are too many merges.
    #[inline]
    fn add(&mut self, left: Part<'_>, right: Part<'_>) -> bool {
        let Some(l) = self.vocab.get_key(left.key, left.text) else { return false };
        let Some(r) = self.vocab.get_key(right.key, right.text) else { return false };
        let mut made = self.find_result_nearby(left, right);
        if made == NONE {
            made = self.find_result(left, right).unwrap_or(NONE);
        }
        if made == NONE || self.merges.len() == MAX_MERGES {
            return false;
        }
        self.merges.push([l, r, made]);
        true
    }

    /// Like `add`, with the reason for a failure.
    #[cold]
    fn try_add(&mut self, left: Part<'_>, right: Part<'_>) -> Result<()> {
        if self.add(left, right) {
            return Ok(());
        }
        if self.merges.len() == MAX_MERGES {
            return Err(too_many());
        }
        for part in [left, right] {
            self.vocab.get_bytes(part.text).ok_or_else(|| unknown(part.text))?;
        }
        if right.text.len() < self.prefix {
            return Err(Error::invalid("a merge is shorter than the prefix"));
        }
        Err(unknown(&self.text))
    }

    /// The result of merging the two, if it is the token after the previous merge's result, or that same token. It usually
    /// is.
    #[inline(never)]
    fn find_result_nearby(&self, left: Part<'_>, right: Part<'_>) -> u32 {
        let near = self.merges.last().map_or(0, |&[.., made]| made);
        let next = near.wrapping_add(1);
        if self.prefix > 0 {
            return NONE;
        }
        if let Some(key) = left.key.joined(right.key) {
            let is = |place: u32| self.vocab.key_of(place) == Some(key);
            return if is(next) {
                next
            } else if is(near) {
                near
            } else {
                NONE
            };
        }
        let is = |place: u32| {
            let token = self.vocab.bytes_of(place);
            token.len() == left.text.len() + right.text.len()
                && token
                    .split_at_checked(left.text.len())
                    .is_some_and(|(a, b)| same(b, right.text) && same(a, left.text))
        };
        [next, near].into_iter().find(|place| is(*place)).unwrap_or(NONE)
    }

    #[inline(never)]
    fn find_result(&mut self, left: Part<'_>, right: Part<'_>) -> Option<u32> {
        self.text.clear();
        self.text.extend_from_slice(left.text);
        self.text.extend_from_slice(right.text.get(self.prefix..)?);
        self.vocab.get_bytes(&self.text)
    }
}

#[cold]
fn too_many() -> Error {
    Error::invalid(format!("more than {MAX_MERGES} merges"))
}

#[cold]
fn not_two(text: &[u8]) -> Error {
    Error::invalid(format!("expected a merge of two tokens, got {:.60?}", String::from_utf8_lossy(text)))
}

#[cold]
fn unknown(part: &[u8]) -> Error {
    Error::invalid(format!(
        "it merges {:.40?}, which is not in its vocabulary",
        String::from_utf8_lossy(part)
    ))
}
