//! Passes entries to JavaScript in batches, each small enough to be in memory twice.
//!
//! Parsing one large text is much cheaper than parsing many small ones.

use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::handles::{Key, WrittenObjects};
use super::value::{bytes_of, entries_to_js, needs_batch};

/// Entries that are waiting to be passed.
#[derive(Default)]
pub struct Batch {
    entries: Vec<Value>,
    /// For each owner: its key, what will hold the objects, and the number of its entries.
    of: Vec<(Key, WrittenObjects, usize)>,
    bytes: usize,
}

impl Batch {
    /// Adds the entries of messages.
    pub fn push(&mut self, key: Key, made: WrittenObjects, entries: Vec<Value>) {
        self.bytes += entries.iter().map(bytes_of).sum::<usize>();
        self.of.push((key, made, entries.len()));
        self.entries.extend(entries);
    }

    /// Whether the batch should be passed now.
    pub fn is_full(&self) -> bool {
        needs_batch(self.entries.len(), self.bytes)
    }

    /// Passes the entries and returns their objects; the batch is empty afterwards.
    pub fn made(&mut self) -> Result<Vec<(Key, WrittenObjects)>, JsValue> {
        let Self { entries, of, .. } = std::mem::take(self);
        let Some(format) = of.first().map(|((_, format), ..)| *format) else { return Ok(Vec::new()) };
        let list = entries_to_js(&entries.iter().collect::<Vec<_>>(), format)?; // a list is of one format
        let mut objects = list.iter();
        let with_objects = |(key, mut made, count): (Key, WrittenObjects, usize)| {
            made.objects.extend(objects.by_ref().take(count));
            (key, made)
        };
        Ok(of.into_iter().map(with_objects).collect())
    }
}
