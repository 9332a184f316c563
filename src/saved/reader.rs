use std::any::Any;
use std::sync::Arc;

use super::Saved;
use super::writer::MAX_WORD_BYTES;
use crate::error::{Error, ErrorCode, Result};

/// The deepest nesting that is read. No parser returns deeper values.
const MAX_DEPTH: u32 = 256;

/// Reads the bytes of a snapshot. Any input gives either a value or `SNAPSHOT_INVALID`.
pub struct Reader<'b> {
    rest: &'b [u8],
    what: &'static str,
    depth: u32,
    words: Vec<&'b str>,
    shared: Vec<Box<dyn Any>>,
}

impl<'b> Reader<'b> {
    /// Reads bytes whose checksum has already been verified.
    pub fn of(body: &'b [u8], what: &'static str) -> Self {
        Self { rest: body, what, depth: 0, words: Vec::new(), shared: Vec::new() }
    }

    /// A `SNAPSHOT_INVALID` error.
    pub fn invalid(&self, reason: &str) -> Error {
        invalid(self.what, reason)
    }

    /// Fails unless `holds`.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn require(&self, holds: bool, otherwise: &str) -> Result<()> {
        if holds { Ok(()) } else { Err(self.invalid(otherwise)) }
    }

    /// Fails if bytes are left over.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn finish(&self) -> Result<()> {
        self.require(self.rest.is_empty(), "it has extra data at the end")
    }

    /// The bytes that are left.
    pub fn rest(&self) -> &'b [u8] {
        self.rest
    }

    /// Reads a value that can be nested in its own kind, and limits the depth.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.require(self.depth < MAX_DEPTH, "a value is nested too deeply")?;
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

    /// A number of items that follow. Each item takes at least one byte, so a count above the remaining bytes is refused
    /// before memory is reserved.
    pub fn count(&mut self) -> Result<usize> {
        let n = self.number()?;
        usize::try_from(n)
            .ok()
            .filter(|n| *n <= self.rest.len())
            .ok_or_else(|| self.invalid("it has less data than it declares"))
    }

    /// Bytes, preceded by their number.
    pub fn bytes(&mut self) -> Result<&'b [u8]> {
        let n = self.count()?;
        let (bytes, rest) = self.rest.split_at(n);
        self.rest = rest;
        Ok(bytes)
    }

    /// UTF-8 text, preceded by its length in bytes.
    pub fn utf8(&mut self) -> Result<&'b str> {
        let bytes = self.bytes()?;
        std::str::from_utf8(bytes).map_err(|_| self.invalid("a text is not valid UTF-8"))
    }

    /// A string written by `Writer::string`.
    pub fn string(&mut self) -> Result<&'b str> {
        if let Some(known) = self.known()? {
            let word = self.words.get(known).copied();
            return word.ok_or_else(|| self.invalid("it refers to a word that does not exist"));
        }
        let text = self.utf8()?;
        if text.len() <= MAX_WORD_BYTES {
            self.words.push(text);
        }
        Ok(text)
    }

    /// A shared text.
    pub fn text(&mut self) -> Result<Arc<str>> {
        if let Some(known) = self.known()? {
            return self.shared_at(known);
        }
        let text: Arc<str> = self.utf8()?.into();
        self.shared.push(Box::new(text.clone()));
        Ok(text)
    }

    /// A shared value.
    pub fn shared<T: Saved + 'static>(&mut self) -> Result<Arc<T>> {
        if let Some(known) = self.known()? {
            return self.shared_at(known);
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

    fn shared_at<T: Clone + 'static>(&self, known: usize) -> Result<T> {
        let held = self.shared.get(known).and_then(|value| value.downcast_ref::<T>());
        held.cloned().ok_or_else(|| self.invalid("it refers to something that does not exist"))
    }
}

pub(super) fn invalid(what: &str, reason: &str) -> Error {
    let message = format!("this is not a usable snapshot of {what}: {reason}");
    Error::new(ErrorCode::SnapshotInvalid, message)
}
