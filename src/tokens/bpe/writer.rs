//! Writes an asset: the tokens of a vocabulary, one after the other.

use super::asset::{CHECKSUM_AT, HEADER, MAGIC, MAX_TOKENS, VERSION, checksum};
use super::dictionary::MAX_TOKEN_BYTES;

/// The maximum length of a token in an asset, in bytes.
pub const MAX_BYTES: usize = MAX_TOKEN_BYTES;
/// The maximum number of ids in an asset.
pub const MAX_IDS: usize = MAX_TOKENS;

/// An asset that is being written. Its first 256 tokens are the single bytes in order.
pub struct Writer {
    ids: u32,
    lefts: Vec<u8>,
    rights: Vec<u8>,
}

impl Default for Writer {
    fn default() -> Self {
        Self { ids: 256, lefts: Vec::new(), rights: Vec::new() }
    }
}

impl Writer {
    /// Adds the next token, which consists of these two.
    pub fn add(&mut self, left: u32, right: u32) {
        put_varint(&mut self.lefts, left + 1);
        put_varint(&mut self.rights, right);
        self.ids += 1;
    }

    /// Adds an id that is not a token.
    pub fn skip(&mut self) {
        put_varint(&mut self.lefts, 0);
        self.ids += 1;
    }

    /// The finished asset, with a name of at most 16 bytes.
    pub fn finish(self, name: &str) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER + 256 + self.lefts.len() + self.rights.len());
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend([0, 0]);
        let mut padded = [0; 16];
        for (to, from) in padded.iter_mut().zip(name.bytes()) {
            *to = from;
        }
        out.extend(padded);
        for number in [self.ids, self.lefts.len() as u32, self.rights.len() as u32, 0] {
            out.extend(number.to_le_bytes());
        }
        out.extend([0; 8]);
        out.extend(0..=255);
        out.extend(self.lefts);
        out.extend(self.rights);
        let (header, payload) = out.split_at(HEADER);
        let sum = checksum(&[header.get(..CHECKSUM_AT).unwrap_or_default(), payload]);
        if let Some(place) = out.get_mut(CHECKSUM_AT..HEADER) {
            place.copy_from_slice(&sum.to_le_bytes());
        }
        out
    }
}

fn put_varint(out: &mut Vec<u8>, mut value: u32) {
    while value > 127 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}
