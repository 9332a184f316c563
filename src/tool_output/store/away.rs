//! Outputs that live in the host's store.

use std::sync::Arc;

use super::{ToolOutputs, places_here};
use crate::error::{Error, ErrorCode, Result};
use crate::saved::{Kind, Saved, Writer, digest};
use crate::tool_output::output::Output;
use crate::tool_output::piece::Piece;

/// What a store holds of an output. Version 1: the first.
const STORED: Kind = Kind { name: "contextfold-output", version: 1, what: "a tool output" };

impl ToolOutputs {
    /// The key in the host's store where an output lives, when it is not in memory.
    pub fn away(&self, id: &str) -> Option<&Arc<str>> {
        self.find(id)?.away.as_ref()
    }

    /// The bytes that the host's store is to keep of an output, and the key for them, which names their content.
    ///
    /// # Errors
    /// As [`ToolOutputs::get`].
    pub fn to_store(&self, id: &str) -> Result<(String, Vec<u8>)> {
        self.get(id).map(|output| for_store(&output.pieces))
    }

    /// Lets go of an output's content: the host's store has it under `key`. False where it has changed since.
    pub fn send_away(&mut self, id: &str, key: &str, bytes: u64) -> bool {
        let Some(place) = self.places.get(id).copied() else { return false };
        let Some(output) = self.outputs.get_mut(&place) else { return false };
        if output.away.is_some() || output.bytes != bytes {
            return false;
        }
        self.touched.insert(place);
        self.bytes -= output.bytes;
        output.pieces = Vec::new();
        output.away = Some(key.into());
        self.here.get_or_insert_with(|| places_here(&self.outputs)).remove(&place);
        true
    }

    /// Reads what the host's store kept of an output.
    ///
    /// # Errors
    /// `UNKNOWN_REF`; `SNAPSHOT_INVALID` where the bytes are not what was stored.
    pub fn from_store(&self, id: &str, bytes: &[u8]) -> Result<Self> {
        let Some(known) = self.find(id) else { return Err(self.unknown(id)) };
        let mut from = STORED.unframed(bytes)?;
        let named = known.away.as_ref().is_none_or(|key| **key == key_of(from.rest()));
        from.require(named, "it is another one")?;
        let output = Output::new(known.id.clone(), Saved::load(&mut from)?);
        from.finish()?;
        let mut alone = Self { bytes: output.bytes, ..Self::default() };
        alone.places.insert(output.id.clone(), 0);
        alone.outputs.insert(0, output);
        Ok(alone)
    }

    /// Takes an output of the host's store into memory again.
    pub fn bring_back(&mut self, read: &Self) {
        for output in read.outputs.values() {
            let Some(place) = self.places.get(&output.id) else { continue };
            let there = self.outputs.get_mut(place);
            if let Some(there) = there.filter(|there| there.away.is_some()) {
                self.touched.insert(*place);
                self.bytes += output.bytes;
                *there = output.clone();
                if let Some(here) = &mut self.here {
                    here.insert(*place);
                }
            }
        }
    }
}

/// Bytes of pieces, and the key under which a store has them.
pub(super) fn for_store(pieces: &[Piece]) -> (String, Vec<u8>) {
    let mut out = Writer::default();
    out.count(pieces.len());
    for piece in pieces {
        piece.save(&mut out);
    }
    let body = out.into_bytes();
    (key_of(&body), STORED.framed(&body))
}

fn key_of(body: &[u8]) -> String {
    format!("contextfold:output:{}", digest(body))
}

pub(super) fn is_away(id: &str) -> Error {
    let why = format!(
        "the tool output `{id}` lives in the store; `await session.toolOutputs.get(\"{id}\")` brings it back into memory"
    );
    Error::new(ErrorCode::StoreFailed, why)
}
