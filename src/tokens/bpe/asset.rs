//! Reading an encoding's asset. Little-endian; 48 bytes of header, then the payload:
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..4 | `CFTV` |
//! | 4..6 | version, 2 |
//! | 6 | pre-tokenizer: 0 gpt2, 1 cl100k, 2 o200k |
//! | 7 | 0 |
//! | 8..24 | name, padded with zeros |
//! | 24..28 | how many ids there are |
//! | 28..32, 32..36 | bytes of the left and of the right high parts |
//! | 36..40 | 0 |
//! | 40..48 | checksum of everything else |
//! | 48..304 | the byte that each of the first 256 tokens is |
//! | then | for each further id, 0 if it is no token, else 1 + its left part's id: the low bytes of all, then the high parts |
//! | then | for each further id its right part's id: the low bytes of all (0 for an id that is no token), then the high parts of tokens |
//!
//! A high part is what is left without the low byte: below 252 one byte, else two, of which the first is 252 to 255. A token
//! is stored as the last merge that makes it, so its bytes are not stored: 4 bytes per token and no decompressor. Low bytes
//! are as good as random and high parts are not, so they compress better apart, by a sixteenth of the file.

use super::bytes::word_at;
use crate::Result;

pub(super) const MAGIC: &[u8] = b"CFTV";
pub(super) const VERSION: u16 = 2;
pub(super) const HEADER: usize = 48;
pub(super) const CHECKSUM_AT: usize = 40;
/// Ids must fit in 18 bits, because a table of pairs stores them together with a fingerprint.
pub(super) const MAX_TOKENS: usize = 1 << 18;

/// How an encoding cuts text into pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// `r50k_base`, and Hugging Face's `ByteLevel` with its default expression.
    Gpt2,
    /// `cl100k_base`.
    Cl100k,
    /// `o200k_base`.
    O200k,
    /// Llama 3, GLM 4 and others: `cl100k_base` as it is written for Hugging Face.
    #[cfg(feature = "tokenizer")]
    Llama3,
    /// Qwen 2 and 3: like `Llama3`, but each digit is a piece.
    #[cfg(feature = "tokenizer")]
    Qwen2,
    /// Mistral's Tekken: `o200k_base` without contractions, and each digit is a piece.
    #[cfg(feature = "tokenizer")]
    Tekken,
    /// `DeepSeek` V3 and R1.
    #[cfg(feature = "tokenizer")]
    DeepSeek,
    /// Between two bytes that are adjacent in no token: see [`AdjacentBytes`](super::AdjacentBytes).
    #[cfg(feature = "tokenizer")]
    AdjacentBytes,
}

/// An encoding that is the beginning of another, and its number of ids. `p50k_base` continues `r50k_base` with runs of
/// spaces.
const BEGINNING: (&str, &str, usize) = ("r50k_base", "p50k_base", 50_256);

/// The header of an asset.
pub(super) struct Asset<'a> {
    pub name: &'a str,
    pub pattern: Pattern,
    pub ids: usize,
    pub base: &'a [u8; 256],
}

impl<'a> Asset<'a> {
    /// Checks length, version and checksum.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let asset = Self::of_trusted(bytes)?;
        let (header, payload) = bytes.split_at(HEADER);
        if checksum(&[&header[..CHECKSUM_AT], payload]) != word_at(header, CHECKSUM_AT) {
            return Err("its checksum does not match: it is damaged".into());
        }
        Ok(asset)
    }

    /// How many of its ids belong to the encoding `name`; `None` if the asset is that of another encoding.
    pub fn ids_of(&self, name: &str) -> Option<usize> {
        let (beginning, whole, ids) = BEGINNING;
        let begins = (name, self.name) == (beginning, whole) && ids <= self.ids;
        (name == self.name).then_some(self.ids).or(begins.then_some(ids))
    }

    /// Reads an asset that is known to be intact, without verifying the checksum.
    pub fn of_trusted(bytes: &'a [u8]) -> Result<Self> {
        let Some((header, payload)) = bytes.split_first_chunk::<HEADER>() else {
            return Err("it is shorter than its header".into());
        };
        if !header.starts_with(MAGIC) {
            return Err("it is not an encoding asset".into());
        }
        let version = u16::from_le_bytes([header[4], header[5]]);
        if version != VERSION {
            return Err(format!(
                "it has version {version}, but this build reads version {VERSION}: use the assets of the same release"
            ));
        }
        let number = |at: usize| word_at(header, at) as u32 as usize;
        let (ids, left_highs, right_highs) = (number(24), number(28), number(32));
        let Some((base, streams)) = payload.split_first_chunk::<256>() else {
            return Err("it is cut off".into());
        };
        let lows = ids.saturating_sub(256).checked_mul(2);
        if lows.and_then(|lows| lows.checked_add(left_highs)?.checked_add(right_highs)) != Some(streams.len())
        {
            return Err(
                "its length does not match its header: it is cut off or has extra data at the end".into()
            );
        }
        let pattern = match header[6] {
            0 => Pattern::Gpt2,
            1 => Pattern::Cl100k,
            2 => Pattern::O200k,
            other => return Err(format!("its pre-tokenizer {other} is unknown")),
        };
        if !(256..=MAX_TOKENS).contains(&ids) {
            return Err(format!("it claims {ids} tokens"));
        }
        let name = header[8..24].split(|&b| b == 0).next().unwrap_or_default();
        let name = std::str::from_utf8(name).map_err(|_| "its name is not text")?;
        Ok(Self { name, pattern, ids, base })
    }
}

/// Where the streams begin.
const START: usize = HEADER + 256;

/// How far the streams were read: the number of ids, and the bytes of high parts.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    ids: usize,
    lefts: usize,
    rights: usize,
}

#[cfg(feature = "tokenizer")]
impl Place {
    /// From a number of ids, and offsets in the high parts.
    pub const fn at(ids: usize, lefts: u32, rights: u32) -> Self {
        Self { ids, lefts: lefts as usize, rights: rights as usize }
    }

    /// The offsets in the high parts.
    pub const fn offsets(self) -> [u32; 2] {
        [self.lefts as u32, self.rights as u32]
    }
}

/// What a token is made of.
pub(super) enum Parts {
    /// The id is not a token.
    None,
    /// The ids of its left and right part.
    Of(u32, u32),
}

/// Iterates over the tokens beyond the single bytes.
pub(super) struct Streams<'a> {
    lefts: Numbers<'a>,
    rights: Numbers<'a>,
}

impl<'a> Streams<'a> {
    /// Streams of an asset known to be intact, starting at `place`.
    pub fn at(asset: &'a [u8], place: Place) -> Self {
        let number = |at: usize| word_at(asset, at) as u32 as usize;
        let (count, left_highs) = (number(24).saturating_sub(256), number(28));
        let middle = START.saturating_add(count).saturating_add(left_highs);
        let numbers = |start: usize, end: usize, highs: usize| {
            let highs_at = start.saturating_add(count);
            Numbers {
                lows: asset.get(start.saturating_add(place.ids)..highs_at).unwrap_or_default(),
                highs: asset.get(highs_at.saturating_add(highs)..end).unwrap_or_default(),
            }
        };
        Self {
            lefts: numbers(START, middle, place.lefts),
            rights: numbers(middle, asset.len(), place.rights),
        }
    }

    /// The current position in the asset.
    pub fn place(&self, asset: &[u8]) -> Place {
        let number = |at: usize| word_at(asset, at) as u32 as usize;
        Place {
            ids: number(24).saturating_sub(256).saturating_sub(self.lefts.lows.len()),
            lefts: number(28).saturating_sub(self.lefts.highs.len()),
            rights: number(32).saturating_sub(self.rights.highs.len()),
        }
    }

    /// The parts of the next token, or `Parts::None` if the id is not a token; `None` at the end or if the bytes are
    /// invalid.
    #[inline(always)]
    pub fn next(&mut self) -> Option<Parts> {
        match self.lefts.next()? {
            0 => {
                self.rights.skip();
                Some(Parts::None)
            }
            left => Some(Parts::Of(left - 1, self.rights.next()?)),
        }
    }
}

/// Numbers, whose low bytes and high parts are apart.
struct Numbers<'a> {
    lows: &'a [u8],
    highs: &'a [u8],
}

/// High parts from here on take two bytes.
pub(super) const TWO_BYTES: u32 = 252;

impl Numbers<'_> {
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        let low = self.skip()?;
        let (&first, rest) = self.highs.split_first()?;
        self.highs = rest;
        let mut high = u32::from(first);
        if high >= TWO_BYTES {
            let (&second, rest) = self.highs.split_first()?;
            self.highs = rest;
            high = TWO_BYTES + ((high - TWO_BYTES) << 8 | u32::from(second));
        }
        Some(high << 8 | u32::from(low))
    }

    /// The next low byte alone.
    #[inline(always)]
    fn skip(&mut self) -> Option<u8> {
        let (&low, rest) = self.lows.split_first()?;
        self.lows = rest;
        Some(low)
    }
}

/// A change of any one word changes the sum, because each step is a bijection of both the sum so far and the word.
pub(super) fn checksum(parts: &[&[u8]]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut sum: u64 = 0xCF01_7AB5_93D2_E84F;
    for part in parts {
        for at in (0..part.len()).step_by(8) {
            sum = (sum ^ word_at(part, at)).wrapping_mul(FACTOR).rotate_left(29);
        }
        sum = (sum ^ part.len() as u64).wrapping_mul(FACTOR).rotate_left(29);
    }
    sum
}
