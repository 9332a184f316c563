//! Changes of the stored outputs since a session was last saved.

use std::borrow::Cow;

use super::{ToolOutputs, places_in_memory};
use crate::error::Result;
use crate::hashing::HashMap;
use crate::saved::{Kind, MAX_SAVED_NUMBER, MapEdit};
use crate::tool_output::output::Output;

impl ToolOutputs {
    /// Everything has been saved.
    pub fn mark_saved(&mut self) {
        self.touched.clear();
    }

    /// The place of the next output.
    pub fn next_place(&self) -> u64 {
        self.next_place
    }

    /// The changes since they were saved, when `next_place` was this.
    pub fn changes_since(&self, next_place: u64) -> MapEdit<u64, Cow<'_, Output>> {
        let new = self.outputs.starting_at(&next_place).map(|(place, _)| *place);
        let changed = self.touched.iter().copied().filter(|place| *place < next_place);
        MapEdit::of(changed.chain(new), |place| self.outputs.get(&place).map(Cow::Borrowed))
    }

    /// Applies changes. Everything derived from the outputs is updated by [`ToolOutputs::complete`].
    pub fn put_changes(&mut self, changes: MapEdit<u64, Cow<'_, Output>>) {
        changes.map(Cow::into_owned).apply(&mut self.outputs);
    }

    /// Checks what was read, and updates what is derived from the outputs.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn complete(&mut self, from: &Kind) -> Result<()> {
        let outputs = &self.outputs;
        let places: HashMap<_, _> = outputs.iter().map(|(at, output)| (output.id.clone(), *at)).collect();
        let sound = places.len() == outputs.len() && outputs.keys().all(|at| *at < self.next_place);
        from.require(sound, "a tool output appears twice")?;
        let numbered = self.next_place.max(self.numbered);
        from.require(numbered < MAX_SAVED_NUMBER, "its tool output counter is out of range")?;
        self.bytes = outputs.values().map(Output::bytes_here).sum();
        self.in_memory = outputs.values().any(|o| o.store_key.is_some()).then(|| places_in_memory(outputs));
        self.left_memory = 0;
        self.places = places;
        Ok(())
    }
}
