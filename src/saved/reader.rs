use std::any::Any;
use std::sync::Arc;

use super::Saved;
use super::writer::LONGEST_WORD;
use crate::error::{Error, ErrorCode, Result};

/// Deeper values come from no parser.
const DEEPEST: u32 = 256;

/// Reads the bytes of a snapshot. Whatever they are, it ends in a value or in `SNAPSHOT_INVALID`.
pub struct Reader<'b> {
    rest: &'b [u8],
    version: u32,
    what: &'static str,
    depth: u32,
    words: Vec<&'b str>,
    shared: Vec<Box<dyn Any>>,
}

impl<'b> Reader<'b> {
    pub(super) fn new(body: &'b [u8], version: u32, what: &'static str) -> Self {
        Self { rest: body, version, what, depth: 0, words: Vec::new(), shared: Vec::new() }
    }

    /// Reads bytes that a version wrote, and whose checksum was looked at already.
    pub fn of(body: &'b [u8], version: u32, what: &'static str) -> Self {
        Self::new(body, version, what)
    }

    /// The version that wrote it.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// `SNAPSHOT_INVALID`.
    pub fn invalid(&self, reason: &str) -> Error {
        invalid(self.what, reason)
    }

    /// Refuses what does not hold.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn require(&self, holds: bool, otherwise: &str) -> Result<()> {
        if holds { Ok(()) } else { Err(self.invalid(otherwise)) }
    }

    /// Refuses more bytes than were asked for.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn finish(&self) -> Result<()> {
        self.require(self.rest.is_empty(), "there is more in it than there should be")
    }

    /// Everything that is left.
    pub fn rest(&self) -> &'b [u8] {
        self.rest
    }

    /// A field that came with `version`: its default in what is older.
    pub fn since<T: Saved + Default>(&mut self, version: u32) -> Result<T> {
        if self.version >= version { T::load(self) } else { Ok(T::default()) }
    }

    /// Reads what may hold its own kind.
    pub fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.require(self.depth < DEEPEST, "a value is too deep")?;
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    /// One byte.
    pub fn byte(&mut self) -> Result<u8> {
        let (byte, rest) = self.rest.split_first().ok_or_else(|| self.invalid("it is cut off"))?;
        self.rest = rest;
        Ok(*byte)
    }

    /// A whole number.
    pub fn number(&mut self) -> Result<u64> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            self.require(bits << shift >> shift == bits, "a number is too large")?;
            n |= bits << shift;
            if byte < 0x80 {
                return Ok(n);
            }
        }
        Err(self.invalid("a number is too long"))
    }

    /// How many follow. Each takes a byte at the least, so that a wrong figure reserves no memory.
    pub fn count(&mut self) -> Result<usize> {
        let n = self.number()?;
        usize::try_from(n)
            .ok()
            .filter(|n| *n <= self.rest.len())
            .ok_or_else(|| self.invalid("there is less in it than it says"))
    }

    /// Bytes, and how many.
    pub fn bytes(&mut self) -> Result<&'b [u8]> {
        let n = self.count()?;
        let (bytes, rest) = self.rest.split_at(n);
        self.rest = rest;
        Ok(bytes)
    }

    /// A text, and how long it is.
    pub fn utf8(&mut self) -> Result<&'b str> {
        let bytes = self.bytes()?;
        std::str::from_utf8(bytes).map_err(|_| self.invalid("a text is no UTF-8"))
    }

    /// A string.
    pub fn string(&mut self) -> Result<&'b str> {
        if let Some(known) = self.known()? {
            let word = self.words.get(known).copied();
            return word.ok_or_else(|| self.invalid("a word is not there"));
        }
        let text = self.utf8()?;
        if text.len() <= LONGEST_WORD {
            self.words.push(text);
        }
        Ok(text)
    }

    /// A text that several may hold.
    pub fn text(&mut self) -> Result<Arc<str>> {
        if let Some(known) = self.known()? {
            return self.held(known);
        }
        let text: Arc<str> = self.utf8()?.into();
        self.shared.push(Box::new(text.clone()));
        Ok(text)
    }

    /// What several may hold.
    pub fn shared<T: Saved>(&mut self) -> Result<Arc<T>> {
        if let Some(known) = self.known()? {
            return self.held(known);
        }
        let value = Arc::new(T::load(self)?);
        self.shared.push(Box::new(value.clone()));
        Ok(value)
    }

    fn known(&mut self) -> Result<Option<usize>> {
        let n = self.number()?;
        let known = n.checked_sub(1).map(usize::try_from).transpose();
        known.map_err(|_| self.invalid("a number is too large"))
    }

    fn held<T: Clone + 'static>(&self, known: usize) -> Result<T> {
        let held = self.shared.get(known).and_then(|value| value.downcast_ref::<T>());
        held.cloned().ok_or_else(|| self.invalid("what it refers to is not there"))
    }
}

pub(super) fn invalid(what: &str, reason: &str) -> Error {
    let message = format!("this is no snapshot of {what} that can be used: {reason}");
    Error::new(ErrorCode::SnapshotInvalid, message)
}
