//! The records of a journal. Each is a frame with its length, its version, the position of the session after it, and a
//! checksum.
//!
//! A record refers to the record before it by that record's checksum, because two processes that save at the same time may
//! write records with the same position. A journal begins at a random position, so that a process that still uses a removed
//! journal cannot append to a new one under the same key.

use super::Checksum;
use crate::error::{Error, ErrorCode, Result};

/// The version of the frames. What is in them has its own (`Kind::record_reader`): stores must find whole frames also when that
/// changes.
const VERSION: u8 = 1;

/// The bytes of length, version and position.
const HEAD_BYTES: usize = 13;

/// The bytes of the checksum.
const TAIL_BYTES: usize = 8;

/// After a damaged record, at most this many offsets are checked for a whole one.
const MAX_LOOKS: usize = 64;

/// One record of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'b> {
    /// The position of the session after this record.
    pub position: u64,
    /// What changed.
    pub body: &'b [u8],
    /// The checksum of the frame.
    pub sum: u64,
}

impl<'b> Record<'b> {
    /// Frames a body; returns the frame and its checksum.
    pub fn framed(position: u64, body: &[u8]) -> (Vec<u8>, u64) {
        let mut frame = Vec::with_capacity(HEAD_BYTES + body.len() + TAIL_BYTES);
        frame.extend_from_slice(&(body.len() as u32).to_le_bytes());
        frame.push(VERSION);
        frame.extend_from_slice(&position.to_le_bytes());
        frame.extend_from_slice(body);
        let sum = Checksum::of(&frame);
        frame.extend_from_slice(&sum.to_bytes());
        (frame, u64::from_le_bytes(sum.to_bytes()))
    }

    /// A `SNAPSHOT_INVALID` error for the record at a position.
    pub fn damaged(position: u64, how: &str) -> Error {
        let message = format!("this journal is unusable: its record at position {position} {how}");
        Error::new(ErrorCode::SnapshotInvalid, message)
    }

    /// The record at the start of these bytes, and the bytes after it; `None` if there is no whole record.
    fn first(bytes: &'b [u8]) -> Option<(Self, &'b [u8])> {
        let length = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?) as usize;
        let position = u64::from_le_bytes(bytes.get(5..HEAD_BYTES)?.try_into().ok()?);
        let end = HEAD_BYTES.checked_add(length)?;
        let sum = bytes.get(end..end.checked_add(TAIL_BYTES)?)?;
        let whole = Checksum::of(&bytes[..end]).to_bytes() == *sum;
        let sum = u64::from_le_bytes(sum.try_into().ok()?);
        whole.then(|| (Self { position, body: &bytes[HEAD_BYTES..end], sum }, &bytes[end + TAIL_BYTES..]))
    }
}

/// The records in some bytes, one after the other.
#[derive(Debug, PartialEq, Eq)]
pub struct Records<'b> {
    /// The whole ones, oldest first; their positions are consecutive.
    pub whole: Vec<Record<'b>>,
    /// Whether an incomplete record follows, as when a process dies while it writes. It is ignored.
    pub torn: bool,
}

impl<'b> Records<'b> {
    /// The frame of each whole record.
    pub fn frames(whole: &'b [u8]) -> impl Iterator<Item = &'b [u8]> {
        let mut rest = whole;
        std::iter::from_fn(move || {
            let (_, behind) = Record::first(rest)?;
            let (frame, _) = rest.split_at(rest.len() - behind.len());
            rest = behind;
            Some(frame)
        })
    }

    /// Reads the records. An incomplete record at the end is ignored; damage before a whole record is an error.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID` with the position if a record is damaged or missing; `SNAPSHOT_TOO_NEW`.
    pub fn read(bytes: &'b [u8]) -> Result<Self> {
        let mut whole: Vec<Record<'b>> = Vec::new();
        let mut rest = bytes;
        while let Some((record, behind)) = Record::first(rest) {
            let version = rest[4];
            if version != VERSION {
                let message = format!(
                    "the journal's record at position {} has version {version}, but this package reads version {VERSION}; update contextfold",
                    record.position
                );
                return Err(Error::new(ErrorCode::SnapshotTooNew, message));
            }
            if let Some(before) = whole.last()
                && record.position.checked_sub(1) != Some(before.position)
            {
                return Err(Record::damaged(
                    before.position.saturating_add(1),
                    &format!("is missing: the next record is at position {}", record.position),
                ));
            }
            whole.push(record);
            rest = behind;
        }
        let next = whole.last().map_or(0, |last| last.position.saturating_add(1));
        if let Some(later) = find_later_record(rest, next) {
            return Err(if whole.is_empty() {
                Record::damaged(later.saturating_sub(1), "or one before it is damaged")
            } else {
                Record::damaged(next, &format!("is damaged, but the record at position {later} is not"))
            });
        }
        Ok(Self { whole, torn: !rest.is_empty() })
    }
}

/// Looks for a whole record after bytes that are none, and returns its position.
fn find_later_record(bytes: &[u8], next: u64) -> Option<u64> {
    let near = next..next.saturating_add(1 << 32);
    let mut looks = 0;
    (1..bytes.len().saturating_sub(HEAD_BYTES + TAIL_BYTES - 1)).find_map(|at| {
        let head = &bytes[at..at + HEAD_BYTES];
        let position = u64::from_le_bytes(head[5..].try_into().ok()?);
        let plausible = head[4] == VERSION
            && (next == 0 || near.contains(&position))
            && position < super::MAX_SAVED_NUMBER;
        let length = u32::from_le_bytes(head[..4].try_into().ok()?) as usize;
        if !plausible || length > bytes.len() - at || looks == MAX_LOOKS {
            return None;
        }
        looks += 1;
        Record::first(&bytes[at..]).map(|(record, _)| record.position)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal(bodies: &[&[u8]]) -> Vec<u8> {
        let frame = |(n, body): (usize, &&[u8])| Record::framed(41 + n as u64, body).0;
        bodies.iter().enumerate().flat_map(frame).collect()
    }

    const BODIES: [&[u8]; 4] = [b"one", b"", b"three, which is longer", b"four"];

    #[test]
    fn records_round_trip() {
        let bytes = journal(&BODIES);
        let records = Records::read(&bytes).unwrap();
        assert!(!records.torn);
        let read: Vec<(u64, &[u8])> = records.whole.iter().map(|r| (r.position, r.body)).collect();
        assert_eq!(read, [(41, BODIES[0]), (42, BODIES[1]), (43, BODIES[2]), (44, BODIES[3])]);
        assert_eq!(Records::read(b"").unwrap(), Records { whole: Vec::new(), torn: false });
    }

    #[test]
    fn a_torn_tail_is_cut_off_after_the_last_whole_record() {
        let bytes = journal(&BODIES);
        let edges: Vec<usize> = (0..=4).map(|n| journal(&BODIES[..n]).len()).collect();
        for end in 0..=bytes.len() {
            let records = Records::read(&bytes[..end]).unwrap();
            let whole = edges.iter().filter(|edge| **edge <= end).count() - 1;
            assert_eq!((records.whole.len(), records.torn), (whole, !edges.contains(&end)), "cut at {end}");
            let mut zeros = bytes[..end].to_vec();
            zeros.resize(bytes.len() + 7, 0);
            assert_eq!(Records::read(&zeros).unwrap().whole.len(), whole, "zeros from {end}");
        }
    }

    #[test]
    fn a_damaged_record_is_an_error_except_at_the_end() {
        let bytes = journal(&BODIES);
        let last = journal(&BODIES[..3]).len();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                let read = Records::read(&damaged);
                if at >= last {
                    assert!(read.is_ok_and(|r| r.torn && r.whole.len() == 3), "{at}");
                } else {
                    let error = read.unwrap_err();
                    assert_eq!(error.code(), ErrorCode::SnapshotInvalid, "{at}");
                    assert!(error.message().contains("position 4"), "{at}: {}", error.message());
                }
            }
        }
    }

    #[test]
    fn a_missing_record_is_named() {
        let bytes = journal(&BODIES);
        let (one, two) = (journal(&BODIES[..1]).len(), journal(&BODIES[..2]).len());
        let without = [&bytes[..one], &bytes[two..]].concat();
        let error = Records::read(&without).unwrap_err();
        assert!(error.message().contains("position 42 is missing"), "{}", error.message());
    }

    #[test]
    fn a_newer_version_is_refused_with_its_own_error() {
        let mut frame = Record::framed(7, b"x").0;
        frame.truncate(frame.len() - TAIL_BYTES);
        frame[4] = 2;
        let sum = Checksum::of(&frame).to_bytes();
        frame.extend_from_slice(&sum);
        assert_eq!(Records::read(&frame).unwrap_err().code(), ErrorCode::SnapshotTooNew);
    }
}
