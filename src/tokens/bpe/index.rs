//! A prebuilt index from bytes to tokens, stored next to an asset. With it, a short text needs no dictionary.
//!
//! The format is little-endian numbers of four bytes: the number of positions; then for every [`STEP`]th id beyond the
//! single bytes its positions in the asset's two streams of high parts; then hash table slots, each with an id and 14 bits of its hash, or
//! 0. The index does not contain the tokens' bytes: if the hash matches, they are read from the asset, part by part.

use super::asset::{Asset, Parts, Place, Streams};
use super::dictionary::{Dictionary, ID, MAX_TOKEN_BYTES, fingerprint, hash, words_at};
use crate::Result;

const STEP: usize = 32;

/// The index of an asset.
pub(super) struct Index(Vec<u8>);

/// Builds the index of an asset that is known to be intact.
///
/// # Errors
/// If the bytes are not an asset.
pub fn index(asset: &[u8]) -> Result<Vec<u8>> {
    let read = Asset::of_trusted(asset)?;
    let mut dictionary = Dictionary::new(read.base, read.ids);
    let mut streams = Streams::at(asset, Place::default());
    while dictionary.read(&mut streams) {}
    let ids = 256..dictionary.len() as u32;
    let mut out = (ids.len().div_ceil(STEP) as u32).to_le_bytes().to_vec();
    let mut streams = Streams::at(asset, Place::default());
    for at in 0..ids.len() {
        if at % STEP == 0 {
            out.extend(streams.place(asset).offsets().into_iter().flat_map(u32::to_le_bytes));
        }
        streams.next();
    }
    let mut slots = vec![0; ids.len() * 5 / 4 + 16];
    for id in ids {
        let bytes = dictionary.bytes_of(id);
        if !bytes.is_empty() {
            let hash = hash(words_at(bytes, 0, bytes.len()), bytes.len());
            let mut at = slot_of(hash, slots.len());
            while slots[at] != 0 {
                at = (at + 1) % slots.len();
            }
            slots[at] = fingerprint(hash) | id;
        }
    }
    out.extend(slots.into_iter().flat_map(u32::to_le_bytes));
    Ok(out)
}

/// The slot for a hash in a table of this size; 0 if the table is empty.
const fn slot_of(hash: u64, slots: usize) -> usize {
    (((hash >> 32) * slots as u64) >> 32) as usize
}

impl Index {
    /// Takes the bytes that [`index`] returned; `None` if there are none.
    pub fn new(bytes: Vec<u8>) -> Option<Self> {
        (!bytes.is_empty()).then_some(Self(bytes))
    }

    fn number(&self, at: usize) -> Option<u32> {
        self.0.get(4 * at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// The token with these bytes, of which there are at least two.
    pub fn whole(&self, asset: &[u8], piece: &[u8]) -> Option<u32> {
        if piece.len() > MAX_TOKEN_BYTES {
            return None;
        }
        let first = (self.number(0)? as usize).saturating_mul(2).saturating_add(1);
        let slots = (self.0.len() / 4).checked_sub(first)?;
        let hash = hash(words_at(piece, 0, piece.len()), piece.len());
        let start = slot_of(hash, slots);
        for at in (start..slots).chain(0..start) {
            let slot = self.number(first + at).filter(|slot| *slot != 0)?;
            if slot & !ID == fingerprint(hash)
                && self.beginning(asset, slot & ID, piece, piece.len()) == Some(piece.len())
            {
                return Some(slot & ID);
            }
        }
        None
    }

    /// The length of the token if `piece` begins with its bytes. `depth` limits how deep parts are nested; each part has at
    /// least one byte.
    fn beginning(&self, asset: &[u8], id: u32, piece: &[u8], depth: usize) -> Option<usize> {
        if id < 256 {
            let byte = Asset::of_trusted(asset).ok()?.base[id as usize];
            return (piece.first() == Some(&byte)).then_some(1);
        }
        let (left, right) = self.parts(asset, id)?;
        let depth = depth.checked_sub(1).filter(|_| left < id && right < id)?;
        let len = self.beginning(asset, left, piece, depth)?;
        Some(len + self.beginning(asset, right, piece.get(len..)?, depth)?)
    }

    fn parts(&self, asset: &[u8], id: u32) -> Option<(u32, u32)> {
        let before = id as usize - 256;
        let step = before / STEP;
        let place = Place::at(step * STEP, self.number(1 + 2 * step)?, self.number(2 + 2 * step)?);
        let mut streams = Streams::at(asset, place);
        for _ in 0..before % STEP {
            streams.next()?;
        }
        if let Parts::Of(left, right) = streams.next()? { Some((left, right)) } else { None }
    }
}
