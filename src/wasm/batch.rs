//! Entries on their way to JavaScript: many together, for to parse one text costs a fraction of what many small ones cost.

use js_sys::{Array, JSON};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::handles::{Key, Made};
use super::value::{entry_to_js, is_long};
use crate::error::{Error, ErrorCode};

/// So many bytes go over at once.
const FULL: usize = 1 << 16;

/// Entries that wait.
#[derive(Default)]
pub struct Batch {
    /// As JSON, one behind the other.
    text: String,
    waiting: Vec<(Key, Made, usize)>,
}

impl Batch {
    /// Adds the entries that messages stand in.
    pub fn push(&mut self, key: Key, mut made: Made, entries: &[Value]) -> Result<(), JsValue> {
        if entries.iter().any(is_long) {
            made.objects = entries.iter().map(entry_to_js).collect::<Result<_, _>>()?;
            self.waiting.push((key, made, 0));
            return Ok(());
        }
        for entry in entries {
            self.text.push(if self.text.is_empty() { '[' } else { ',' });
            self.text.push_str(&serde_json::to_string(entry).map_err(unwritten)?);
        }
        self.waiting.push((key, made, entries.len()));
        Ok(())
    }

    /// It is time to take them.
    pub fn is_full(&self) -> bool {
        self.text.len() >= FULL
    }

    /// What was made of them; nothing waits any more.
    pub fn made(&mut self) -> Result<Vec<(Key, Made)>, JsValue> {
        let mut text = std::mem::take(&mut self.text);
        text.push_str(if text.is_empty() { "[]" } else { "]" });
        let list: Array = JSON::parse(&text)?.unchecked_into();
        let mut objects = list.iter();
        let with_objects = |(key, mut made, count): (Key, Made, usize)| {
            made.objects.extend(objects.by_ref().take(count));
            (key, made)
        };
        Ok(std::mem::take(&mut self.waiting).into_iter().map(with_objects).collect())
    }
}

fn unwritten(error: serde_json::Error) -> JsValue {
    Error::new(ErrorCode::Internal, format!("a value could not be written: {error}")).into()
}
