use serde::Serialize;

/// Something that a format could not say as it was. Nothing is dropped in silence: each leaves a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(type_prefix = "Conversion"))]
pub struct Note {
    /// The index of the message it concerns (of the first of its run), in what was handed to `write`.
    pub index: usize,
    /// What was left out or said otherwise.
    pub what: String,
}

impl Note {
    /// A note whose index is filled in by whoever knows it.
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { index: 0, what: what.into() }
    }
}

/// Notes of a whole conversation, gathered run by run.
#[derive(Debug, Default)]
pub(super) struct Notes(Vec<Note>);

impl Notes {
    /// Runs `write` and gives the notes it makes the index.
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
