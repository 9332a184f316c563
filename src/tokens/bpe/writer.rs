//! Writes an asset: the tokens of a vocabulary, one after the other.

use super::asset::{CHECKSUM_AT, HEADER, MAGIC, MAX_TOKENS, TWO_BYTES, VERSION, checksum};
use super::dictionary::MAX_TOKEN_BYTES;

/// The maximum length of a token in an asset, in bytes.
pub const MAX_BYTES: usize = MAX_TOKEN_BYTES;
/// The maximum number of ids in an asset.
pub const MAX_IDS: usize = MAX_TOKENS;

/// An asset that is being written. Its first 256 tokens are the single bytes in order.
pub struct Writer {
    ids: u32,
    lefts: Numbers,
    rights: Numbers,
}

impl Default for Writer {
    fn default() -> Self {
        Self { ids: 256, lefts: Numbers::default(), rights: Numbers::default() }
    }
}

impl Writer {
    /// Adds the next token, which consists of these two.
    pub fn add(&mut self, left: u32, right: u32) {
        self.lefts.put(left + 1);
        self.rights.put(right);
        self.ids += 1;
    }

    /// Adds an id that is not a token.
    pub fn skip(&mut self) {
        self.lefts.put(0);
        self.rights.lows.push(0);
        self.ids += 1;
    }

    /// The finished asset, with a name of at most 16 bytes.
    pub fn finish(self, name: &str) -> Vec<u8> {
        let Self { ids, lefts, rights } = self;
        let streams = [lefts.lows, lefts.highs, rights.lows, rights.highs];
        let mut out = Vec::with_capacity(HEADER + 256 + streams.iter().map(Vec::len).sum::<usize>());
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend([0, 0]);
        let mut padded = [0; 16];
        for (to, from) in padded.iter_mut().zip(name.bytes()) {
            *to = from;
        }
        out.extend(padded);
        let [_, left_highs, _, right_highs] = &streams;
        for number in [ids, left_highs.len() as u32, right_highs.len() as u32, 0] {
            out.extend(number.to_le_bytes());
        }
        out.extend([0; 8]);
        out.extend(0..=255);
        out.extend(streams.concat());
        let (header, payload) = out.split_at(HEADER);
        let sum = checksum(&[header.get(..CHECKSUM_AT).unwrap_or_default(), payload]);
        if let Some(place) = out.get_mut(CHECKSUM_AT..HEADER) {
            place.copy_from_slice(&sum.to_le_bytes());
        }
        out
    }
}

/// Numbers as they are stored: low bytes and high parts apart.
#[derive(Default)]
struct Numbers {
    lows: Vec<u8>,
    highs: Vec<u8>,
}

impl Numbers {
    fn put(&mut self, number: u32) {
        self.lows.push(number as u8);
        let high = number >> 8;
        if let Some(over) = high.checked_sub(TWO_BYTES) {
            self.highs.extend([(TWO_BYTES + (over >> 8)) as u8, over as u8]);
        } else {
            self.highs.push(high as u8);
        }
    }
}
