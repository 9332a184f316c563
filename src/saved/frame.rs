use super::Reader;
use crate::error::{Error, ErrorCode, Result};

/// The longest first line.
const LONGEST_HEAD: usize = 80;

/// A kind of snapshot. Its bytes begin with a line: name, version and checksum of what follows.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// What the first line begins with.
    pub name: &'static str,
    /// The version that is written; older ones are read.
    pub version: u32,
    /// What it is a snapshot of, for errors: `a session`.
    pub what: &'static str,
}

impl Kind {
    /// The bytes with their first line.
    pub fn framed(&self, body: &[u8]) -> Vec<u8> {
        let head = format!("{} {} {:016x}\n", self.name, self.version, checksum(body));
        [head.as_bytes(), body].concat()
    }

    /// What stands behind the first line, to be read.
    ///
    /// # Errors
    /// `SNAPSHOT_TOO_NEW` for a version that this one does not know; `SNAPSHOT_INVALID` for another kind, and for bytes that
    /// are damaged.
    pub fn unframed<'b>(&self, bytes: &'b [u8]) -> Result<Reader<'b>> {
        let end = bytes.iter().take(LONGEST_HEAD).position(|b| *b == b'\n');
        let end = end.ok_or_else(|| self.invalid("it has no first line"))?;
        let (head, body) = (String::from_utf8_lossy(&bytes[..end]), &bytes[end + 1..]);
        let mut words = head.split(' ');
        if words.next() != Some(self.name) {
            return Err(self.invalid(&format!("it does not begin as that of {} does", self.what)));
        }
        let version = words.next().and_then(|w| w.parse::<u32>().ok()).filter(|v| *v > 0);
        let version = version.ok_or_else(|| self.invalid("it names no version"))?;
        if version > self.version {
            let latest = self.version;
            let message = format!(
                "the snapshot is of version {version}, this package reads up to {latest}; update contextfold"
            );
            return Err(Error::new(ErrorCode::SnapshotTooNew, message));
        }
        if words.next() != Some(&format!("{:016x}", checksum(body))) {
            return Err(self.invalid("its checksum does not match: it is damaged or cut off"));
        }
        Ok(Reader::new(body, version, self.what))
    }

    /// `SNAPSHOT_INVALID`.
    pub fn invalid(&self, reason: &str) -> Error {
        invalid(self.what, reason)
    }
}

pub(super) fn invalid(what: &str, reason: &str) -> Error {
    let message = format!("this is no snapshot of {what} that can be used: {reason}");
    Error::new(ErrorCode::SnapshotInvalid, message)
}

/// FNV-1a.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |sum, b| (sum ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01B3))
}
