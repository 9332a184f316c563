//! Outputs that were stored for an entry of the history which the view no longer shows whole. They go when it is erased.

use super::{Output, ToolOutputs};
use crate::message::Part;

impl ToolOutputs {
    /// Records that an output was stored for this entry of the history.
    pub fn note_copy(&mut self, id: &str, of: u32) {
        let Some(place) = self.places.get(id) else { return };
        if let Some(output) = self.outputs.get_mut(place) {
            output.copy_of = Some(of);
            self.touched.insert(*place);
        }
    }

    /// The refs of the outputs that were stored for this entry of the history.
    pub fn copies_of(&self, of: u32) -> impl Iterator<Item = &str> {
        self.iter().filter(move |output| output.copy_of == Some(of)).map(Output::id)
    }

    /// The ref of what was stored for this entry of the history, if it is this content.
    pub fn copy_of(&self, of: u32, content: &Part) -> Option<&str> {
        let holds_it = |id: &&str| self.loaded(id).is_some_and(|output| output.parts() == [content.clone()]);
        self.copies_of(of).find(holds_it)
    }

    /// The entries of the history for which outputs were stored.
    pub fn copied(&self) -> impl Iterator<Item = u32> {
        self.iter().filter_map(|output| output.copy_of)
    }

    /// Gives the entries of the history other numbers, in a branch; `None` for those that it does not have.
    pub fn renumber_copies(&mut self, new: impl Fn(u32) -> Option<u32>) {
        for output in self.outputs.values_mut() {
            output.copy_of = output.copy_of.and_then(&new);
        }
    }
}
