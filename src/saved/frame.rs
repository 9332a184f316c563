use std::fmt;

use super::reader::{Reader, invalid};
use super::writer::Writer;
use crate::error::{Error, ErrorCode, Result};

/// The maximum length of the first line, in bytes.
const MAX_HEAD_BYTES: usize = 80;

/// A kind of snapshot. Its bytes begin with a line: name, version, and checksum of the rest.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// The first word of the first line.
    pub name: &'static str,
    /// The version that is written and read.
    pub version: u32,
    /// What the snapshot contains, for error messages: `a session`.
    pub what: &'static str,
}

impl Kind {
    /// Puts the first line before a body.
    pub fn framed(&self, body: &[u8]) -> Vec<u8> {
        [self.head(Checksum::of(body)).as_bytes(), body].concat()
    }

    /// The first line for a body with this checksum.
    pub fn head(&self, sum: Checksum) -> String {
        format!("{} {} {sum}\n", self.name, self.version)
    }

    /// Checks the first line and the checksum, and returns a reader of the body.
    ///
    /// # Errors
    /// `SNAPSHOT_TOO_NEW` if the version is newer than ours; `SNAPSHOT_INVALID` if the bytes are of another kind or damaged.
    pub fn unframed<'b>(&self, bytes: &'b [u8]) -> Result<Reader<'b>> {
        let end = bytes.iter().take(MAX_HEAD_BYTES).position(|b| *b == b'\n');
        let end = end.ok_or_else(|| self.invalid("it has no first line"))?;
        let (head, body) = (String::from_utf8_lossy(&bytes[..end]), &bytes[end + 1..]);
        let mut words = head.split(' ');
        if words.next() != Some(self.name) {
            return Err(self.invalid(&format!("it does not begin like a snapshot of {}", self.what)));
        }
        let version = words.next().and_then(|w| w.parse::<u32>().ok()).filter(|v| *v > 0);
        let version = version.ok_or_else(|| self.invalid("it has no version number"))?;
        self.require_known(u64::from(version))?;
        if words.next() != Some(&Checksum::of(body).to_string()) {
            return Err(self.invalid("its checksum does not match: it is damaged or cut off"));
        }
        Ok(Reader::of(body, self.what))
    }

    /// A writer for bytes inside a journal record. They begin with the version only, because the record has the checksum.
    pub fn record_writer<'s>(&self) -> Writer<'s> {
        let mut out = Writer::default();
        out.number(u64::from(self.version));
        out
    }

    /// Checks the version of bytes inside a journal record, and returns a reader of the rest.
    ///
    /// # Errors
    /// `SNAPSHOT_TOO_NEW`, `SNAPSHOT_INVALID`.
    pub fn record_reader<'b>(&self, bytes: &'b [u8]) -> Result<Reader<'b>> {
        let mut from = Reader::of(bytes, self.what);
        self.require_known(from.number()?)?;
        Ok(from)
    }

    fn require_known(&self, version: u64) -> Result<()> {
        let ours = self.version;
        if version == u64::from(ours) {
            return Ok(());
        }
        let message = format!(
            "the snapshot has version {version}, but this package reads only version {ours}; update contextfold"
        );
        Err(Error::new(ErrorCode::SnapshotTooNew, message))
    }

    /// Fails unless `holds`.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn require(&self, holds: bool, otherwise: &str) -> Result<()> {
        if holds { Ok(()) } else { Err(self.invalid(otherwise)) }
    }

    /// A `SNAPSHOT_INVALID` error.
    pub fn invalid(&self, reason: &str) -> Error {
        invalid(self.what, reason)
    }
}

/// A checksum (FNV-1a) that can be computed piece by piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checksum(u64);

impl Checksum {
    /// The checksum in the first line of a snapshot.
    pub fn in_head_of(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().take(MAX_HEAD_BYTES).position(|b| *b == b'\n')?;
        let sum = std::str::from_utf8(&bytes[..end]).ok()?.rsplit(' ').next()?;
        u64::from_str_radix(sum, 16).ok().map(Self)
    }

    /// The checksum of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut sum = Self::default();
        sum.add(bytes);
        sum
    }

    /// Adds more bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        let next = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
        self.0 = bytes.iter().fold(self.0, next);
    }
}

impl Checksum {
    /// As bytes, lowest first.
    pub fn to_bytes(self) -> [u8; 8] {
        self.0.to_le_bytes()
    }
}

impl Default for Checksum {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:016x}", self.0)
    }
}

/// The checksum as a number.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    Checksum::of(bytes).0
}
