use serde::Serialize;

/// Something that a format could not express unchanged. There is a note for everything that any format may have, and for
/// fields of a single format that a model is known to read. Other such fields are dropped without a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(type_prefix = "Conversion"))]
pub struct Note {
    /// The index of the message concerned in the input; if several messages were written together, of the first one.
    pub index: usize,
    /// What was left out or expressed differently.
    pub what: String,
}

impl Note {
    /// A note whose index is set later by [`Notes::at`].
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { index: 0, what: what.into() }
    }
}

/// Notes which fields of `what` a format has no place for: those that are given, except the `kept` ones.
pub(super) fn note_lost_fields(what: &str, given: &[(&str, bool)], kept: &[&str], notes: &mut Vec<Note>) {
    let lost = given.iter().filter(|(name, is_given)| *is_given && !kept.contains(name));
    let lost: Vec<String> = lost.map(|(name, _)| format!("`{name}`")).collect();
    if !lost.is_empty() {
        notes.push(Note::new(format!("{what} loses {}: the format has no such field", lost.join(", "))));
    }
}

/// The notes of a whole conversation, collected run by run.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<Note>);

impl Notes {
    /// Runs `write` and sets `index` on the notes that it makes.
    pub(super) fn at<T>(&mut self, index: usize, write: impl FnOnce(&mut Vec<Note>) -> T) -> T {
        let mut fresh = Vec::new();
        let out = write(&mut fresh);
        self.0.extend(fresh.into_iter().map(|note| Note { index, ..note }));
        out
    }

    pub(super) fn into_vec(self) -> Vec<Note> {
        self.0
    }
}
