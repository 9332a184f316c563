//! What of the stored outputs is new since a session was last saved.

use std::collections::BTreeMap;

use super::{ToolOutputs, places_here};
use crate::error::Result;
use crate::hashing::HashMap;
use crate::saved::{MOST_NUMBERS, MapEdit, Reader, Saved, Writer};
use crate::tool_output::output::Output;

impl ToolOutputs {
    /// All that is there now is saved.
    pub fn mark_saved(&mut self) {
        self.touched.clear();
    }

    /// What is new, by place.
    pub fn changes(&self) -> MapEdit<u64, Output> {
        let before: BTreeMap<u64, ()> = self.touched.iter().map(|place| (*place, ())).collect();
        let there = |place: &u64| Some((*place, self.outputs.get(place)?.clone()));
        let now: BTreeMap<u64, Output> = self.touched.iter().filter_map(there).collect();
        MapEdit::between(&before, &now, |(), _| false)
    }

    /// Puts in what is new. What follows from it is found by [`ToolOutputs::complete`].
    pub fn put_changes(&mut self, changes: MapEdit<u64, Output>) {
        changes.apply(&mut self.outputs);
    }

    /// How far it has numbered.
    pub fn save_rest<'s>(&'s self, out: &mut Writer<'s>) {
        self.next_place.save(out);
        self.numbered.save(out);
    }

    /// Reads that.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn load_rest(&mut self, from: &mut Reader<'_>) -> Result<()> {
        self.next_place = Saved::load(from)?;
        self.numbered = Saved::load(from)?;
        Ok(())
    }

    /// Checks what was read, and finds what follows from it.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn complete(&mut self, from: &Reader<'_>) -> Result<()> {
        let outputs = &self.outputs;
        let places: HashMap<_, _> = outputs.iter().map(|(at, output)| (output.id.clone(), *at)).collect();
        let sound = places.len() == outputs.len() && outputs.keys().all(|at| *at < self.next_place);
        from.require(sound, "an output is there twice")?;
        let numbered = self.next_place.max(self.numbered);
        from.require(numbered < MOST_NUMBERS, "it has numbered more outputs than there are")?;
        self.bytes = outputs.values().map(Output::bytes_here).sum();
        self.here = outputs.values().any(|o| o.away.is_some()).then(|| places_here(outputs));
        self.places = places;
        Ok(())
    }
}
