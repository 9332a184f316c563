//! Outputs whose content is in the host's store.

use std::sync::Arc;

use super::{ToolOutputs, places_in_memory};
use crate::error::{Error, ErrorCode, Result};
use crate::saved::{Kind, Saved, Writer, digest};
use crate::tool_output::output::Output;
use crate::tool_output::piece::Piece;

/// The format of an output in a store. Version 1 is the first.
const STORED_KIND: Kind = Kind { name: "contextfold-output", version: 1, what: "a tool output" };

impl ToolOutputs {
    /// The key of an output in the host's store, if it is not in memory.
    pub fn store_key(&self, id: &str) -> Option<&Arc<str>> {
        self.find(id)?.store_key.as_ref()
    }

    /// The bytes to keep in the host's store for an output, and the key for them, which is a digest of the content.
    ///
    /// # Errors
    /// See [`ToolOutputs::get`].
    pub fn to_store(&self, id: &str) -> Result<(String, Vec<u8>)> {
        self.get(id).map(|output| encode_for_store(&output.pieces))
    }

    /// Frees an output's content, which the host's store has under `key`. Returns `false` if it has changed since.
    pub fn move_to_store(&mut self, id: &str, key: &str, bytes: u64) -> bool {
        let Some(place) = self.places.get(id).copied() else { return false };
        let Some(output) = self.outputs.get_mut(&place) else { return false };
        if output.store_key.is_some() || output.bytes != bytes {
            return false;
        }
        self.touched.insert(place);
        self.bytes -= output.bytes;
        output.pieces = Vec::new();
        output.store_key = Some(key.into());
        let here = self.in_memory.get_or_insert_with(|| places_in_memory(&self.outputs));
        self.left_memory += usize::from(here.contains(&place));
        // Not one by one: outputs leave in any order, and each would move the places of all later ones.
        if self.left_memory * 2 > here.len() {
            self.list_those_in_memory();
        }
        true
    }

    /// Reads an output from the bytes that the host's store kept.
    ///
    /// # Errors
    /// `UNKNOWN_REF`; `SNAPSHOT_INVALID` if the bytes are not what was stored.
    pub fn from_store(&self, id: &str, bytes: &[u8]) -> Result<Self> {
        let Some(known) = self.find(id) else { return Err(self.unknown(id)) };
        let mut from = STORED_KIND.unframed(bytes)?;
        let named = known.store_key.as_ref().is_none_or(|key| **key == key_of(from.rest()));
        from.require(named, "it is a different tool output")?;
        let output = Output::new(known.id.clone(), Saved::load(&mut from)?);
        from.finish()?;
        let mut alone = Self { bytes: output.bytes, ..Self::default() };
        alone.places.insert(output.id.clone(), 0);
        alone.outputs.insert(0, output);
        Ok(alone)
    }

    /// Takes an output that was read from the host's store into memory again.
    pub fn take_back_into_memory(&mut self, read: &Self) {
        for output in read.outputs.values() {
            let Some(place) = self.places.get(&output.id) else { continue };
            let there = self.outputs.get_mut(place);
            if let Some(there) = there.filter(|there| there.store_key.is_some()) {
                self.touched.insert(*place);
                self.bytes += output.bytes;
                *there = Output { copy_of: there.copy_of, ..output.clone() };
                if let Some(here) = &mut self.in_memory {
                    self.left_memory -= usize::from(!here.insert(*place));
                }
            }
        }
    }
}

/// The bytes of pieces, and their key in a store.
pub(super) fn encode_for_store(pieces: &[Piece]) -> (String, Vec<u8>) {
    let mut out = Writer::default();
    out.count(pieces.len());
    for piece in pieces {
        piece.save(&mut out);
    }
    let body = out.into_bytes();
    (key_of(&body), STORED_KIND.framed(&body))
}

fn key_of(body: &[u8]) -> String {
    format!("contextfold:output:{}", digest(body))
}

pub(super) fn in_store_error(id: &str) -> Error {
    let why = format!(
        "the tool output `{id}` is in the store; bring it back into memory with `await session.toolOutputs.get(\"{id}\")`"
    );
    Error::new(ErrorCode::StoreFailed, why)
}
