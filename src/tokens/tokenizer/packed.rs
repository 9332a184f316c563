//! The fast-loading form of a `tokenizer.json`: what is left to do is to make the tables. Little-endian.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..4 | `CFTJ` |
//! | 4..8 | version, 1 |
//! | 8..16 | checksum of all that follows |
//! | then | the settings: their length in four bytes, and JSON |
//! | then | the vocabulary: how many tokens, bytes of their texts; each text's length and each id, as varints; the texts |
//! | then | 1 and the engine's part: its asset, how many tokens it makes, the places of all, those of odd ones; or 0 |
//! | then | the merges, where they are needed |

use crate::error::{Error, Result};
use crate::file::File;
use crate::proper::Proper;
use crate::settings::Settings;
use crate::vocab::Vocab;

const MAGIC: &[u8] = b"CFTJ";
const VERSION: u32 = 1;
const HEADER: usize = 16;

/// Whether these are the bytes of a packed tokenizer.
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Packs a file, with the engine's part where there is one.
pub fn pack(file: &File, proper: Option<&Proper>) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(file.vocab.bytes() * 2);
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend([0; 8]);
    let settings = serde_json::to_vec(&file.settings).map_err(|e| Error::invalid(e.to_string()))?;
    put_bytes(&mut out, &settings);
    put(&mut out, file.vocab.len() as u32);
    let mut before = 0_u32;
    for place in 0..file.vocab.len() as u32 {
        put(&mut out, file.vocab.text_of(place).len() as u32);
        let id = file.vocab.id_of(place);
        put(&mut out, zigzag(id.wrapping_sub(before)));
        before = id;
    }
    put_bytes(&mut out, file.vocab.text().as_bytes());
    match proper {
        Some(proper) => {
            out.push(1);
            put_bytes(&mut out, &proper.asset);
            put(&mut out, proper.made);
            put_places(&mut out, &proper.places);
            put_places(&mut out, &proper.odd);
        }
        None => out.push(0),
    }
    // The engine does not need them, but for odd pieces.
    let merges =
        if proper.is_none_or(|proper| !proper.odd.is_empty()) { file.merges.as_slice() } else { &[] };
    put(&mut out, merges.len() as u32);
    for &place in merges.iter().flatten() {
        put(&mut out, place);
    }
    let sum = checksum(out.get(HEADER..).unwrap_or_default());
    if let Some(place) = out.get_mut(8..HEADER) {
        place.copy_from_slice(&sum.to_le_bytes());
    }
    Ok(out)
}

/// Reads what [`pack`] wrote.
pub fn unpack(bytes: &[u8]) -> Result<(File, Option<Proper>)> {
    let damaged = || Error::invalid("the packed tokenizer is damaged or cut off");
    let header = bytes.first_chunk::<HEADER>().ok_or_else(damaged)?;
    let payload = bytes.get(HEADER..).unwrap_or_default();
    let [_, _, _, _, a, b, c, d, sum @ ..] = *header;
    let version = u32::from_le_bytes([a, b, c, d]);
    if version != VERSION {
        return Err(Error::invalid(format!(
            "the packed tokenizer has version {version}, this build reads version {VERSION}: pack it again"
        )));
    }
    if u64::from_le_bytes(sum) != checksum(payload) {
        return Err(damaged());
    }
    read(payload).ok_or_else(damaged)
}

fn read(payload: &[u8]) -> Option<(File, Option<Proper>)> {
    let mut from = Reader(payload);
    let settings: Settings = serde_json::from_slice(from.bytes()?).ok()?;
    let tokens = from.count()?;
    let mut sizes = Vec::with_capacity(tokens);
    let mut id = 0_u32;
    for _ in 0..tokens {
        let len = from.number()? as usize;
        id = id.wrapping_add(unzigzag(from.number()?));
        sizes.push((len, id));
    }
    let vocab = Vocab::of(std::str::from_utf8(from.bytes()?).ok()?, &sizes)?;
    let mut proper = None;
    if from.byte()? == 1 {
        let asset = from.bytes()?.to_vec();
        let made = from.number()?;
        let (places, odd) = (from.places()?, from.places()?);
        proper = Some(Proper { asset, places, made, odd });
    }
    let count = from.count()?;
    let mut merges = Vec::with_capacity(count);
    for _ in 0..count {
        let merge = [from.number()?, from.number()?, from.number()?];
        if merge.iter().any(|&place| place as usize >= vocab.len()) {
            return None;
        }
        merges.push(merge);
    }
    from.0.is_empty().then_some((File { settings, vocab, merges }, proper))
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    fn number(&mut self) -> Option<u32> {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u32::from(byte & 127) << shift;
            if byte < 128 {
                return Some(value);
            }
        }
        None
    }

    /// How many things follow: each takes a byte at the least.
    fn count(&mut self) -> Option<usize> {
        let count = self.number()? as usize;
        (count <= self.0.len()).then_some(count)
    }

    fn places(&mut self) -> Option<Vec<u32>> {
        let count = self.count()?;
        let mut places = Vec::with_capacity(count);
        let mut place = 0_u32;
        for _ in 0..count {
            place = place.wrapping_add(unzigzag(self.number()?));
            places.push(place);
        }
        Some(places)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.number()? as usize;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }
}

fn put(out: &mut Vec<u8>, mut value: u32) {
    while value > 127 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

fn put_places(out: &mut Vec<u8>, places: &[u32]) {
    put(out, places.len() as u32);
    let mut before = 0_u32;
    for &place in places {
        put(out, zigzag(place.wrapping_sub(before)));
        before = place;
    }
}

const fn zigzag(difference: u32) -> u32 {
    (difference << 1) ^ (0_u32.wrapping_sub(difference >> 31))
}

const fn unzigzag(value: u32) -> u32 {
    (value >> 1) ^ (0_u32.wrapping_sub(value & 1))
}

fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut sum = 0xCF01_7AB5_93D2_E84F_u64 ^ bytes.len() as u64;
    for word in words {
        sum = (sum ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR).rotate_left(29);
    }
    for &byte in rest {
        sum = (sum ^ u64::from(byte)).wrapping_mul(FACTOR).rotate_left(29);
    }
    sum
}
