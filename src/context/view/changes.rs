//! Where a view was edited. A reader remembers the version that it saw, and later asks for the first position that may have
//! changed since.
//!
//! A version is a number, and taking one copies nothing. If an output near the end is trimmed, a reader only has to redo
//! what comes after it, not the whole history.

/// With more edits than this, the older half is merged into one.
const REMEMBERED: usize = 64;

/// The edits of a body and of what comes before it. Appending is not an edit.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    version: u64,
    /// For each edit, its version and its first position. A later edit further up replaces earlier ones, so positions rise
    /// with versions.
    edits: Vec<(u64, usize)>,
    /// The version of the last change before the body.
    header: u64,
}

impl Changes {
    /// The current version, for a reader that has seen everything up to now.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The first body position that may have been edited since `version`.
    pub fn since(&self, version: u64) -> Option<usize> {
        let first = self.edits.partition_point(|(made, _)| *made <= version);
        self.edits.get(first).map(|(_, from)| *from)
    }

    /// Whether header or context parts changed since `version`.
    pub fn is_header_other(&self, version: u64) -> bool {
        self.header > version
    }

    /// Records that body positions from `from` on changed.
    pub(super) fn edit(&mut self, from: usize) {
        self.version += 1;
        while self.edits.last().is_some_and(|(_, last)| *last >= from) {
            self.edits.pop();
        }
        self.edits.push((self.version, from));
        if self.edits.len() > REMEMBERED {
            let (newest, _) = self.edits[REMEMBERED / 2];
            let (_, first) = self.edits[0];
            self.edits.splice(..=REMEMBERED / 2, [(newest, first)]);
        }
    }

    /// Records that header or context parts changed.
    pub(super) fn edit_header(&mut self) {
        self.version += 1;
        self.header = self.version;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn since_never_returns_a_later_position_than_the_first_edit(edits in proptest::collection::vec(0usize..500, 1..300)) {
            let mut changes = Changes::default();
            for (version, at) in edits.iter().enumerate() {
                proptest::prop_assert_eq!(changes.version(), version as u64);
                changes.edit(*at);
            }
            for seen in 0..=edits.len() {
                let first = edits[seen..].iter().min().copied();
                let edited_from = changes.since(seen as u64);
                proptest::prop_assert!(first.is_none_or(|first| edited_from.is_some_and(|edited_from| edited_from <= first)), "{seen}: {edited_from:?}, {first:?}");
                proptest::prop_assert!(edited_from.is_none() || first.is_some());
            }
            proptest::prop_assert!(changes.edits.len() <= REMEMBERED);
        }
    }
}
