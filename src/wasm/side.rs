//! What only the JavaScript side knows of a session, in the form in which it is saved.

use super::calls_of::CallsOf;
use super::handles::{Handles, PushedAs};
use super::line::{Line, Stretch, readings_of, sums_of};
use crate::context::NodeIndex;
use crate::error::{Error, Result};
use crate::hashing::HashMap;
use crate::message::Format;
use crate::saved::{Bytes, ListEdit, MapEdit, Reader, Saved, Writer, saved};
use crate::session::SESSION;
use crate::sorted::SortedMap;

/// A stretch of entries in the caller's list, with the nodes of their messages.
pub struct SavedStretch {
    entries: usize,
    nodes: Vec<NodeIndex>,
    sums: Vec<u64>,
    stands_for: Option<Vec<NodeIndex>>,
    readings: Vec<u64>,
}
saved!(struct SavedStretch { entries, nodes, sums, stands_for, readings });

impl SavedStretch {
    /// Whether it refers only to existing messages, in a history of `nodes` nodes.
    pub fn is_whole(&self, nodes: usize) -> bool {
        let tells = self.sums.is_empty() || self.sums.len() == self.entries;
        let mut named = self.nodes.iter().chain(self.stands_for.iter().flatten());
        self.entries > 0 && !self.nodes.is_empty() && tells && named.all(|n| n.get() < nodes)
    }
}

impl From<SavedStretch> for Stretch {
    fn from(saved: SavedStretch) -> Self {
        let SavedStretch { entries, nodes, sums, stands_for, readings } = saved;
        Self { entries, sums, readings, stands_for, ..Self::of(Format::Messages, Vec::new(), nodes) }
    }
}

/// Saves checksums for entries that are written differently from how their messages were pushed, or that their messages do not
/// reproduce.
pub fn saved_stretch(stretch: &Stretch, handles: &Handles, calls: &CallsOf<'_>) -> SavedStretch {
    let Stretch {
        format,
        objects,
        nodes,
        entries,
        sums,
        readings,
        stands_for,
        reproduces_objects: _,
        number: _,
        recognised: _,
    } = stretch;
    let is_reproduced = handles.were_pushed_as(nodes, objects) && stretch.reproduces_its_objects(calls);
    let objects = if is_reproduced { &[] } else { objects.as_slice() };
    let sums_here = sums_of(*format, objects);
    let (sums, readings) = match sums_here {
        Some(sums) => (sums, readings_of(*format, objects).unwrap_or_default()),
        None => (sums.clone(), readings.clone()),
    };
    let (entries, nodes, stands_for) = (*entries, nodes.clone(), stands_for.clone());
    SavedStretch { entries, nodes, sums, stands_for, readings }
}

/// The saved state of the JavaScript side, as far as needed to tell what is new. The default: nothing is saved.
#[derive(Default)]
pub struct SideMark {
    pub line: Vec<u64>,
    pub numbered: u64,
    pub split_characters: SplitCharacters,
    pub header_beside: bool,
}

/// Changes of the JavaScript side's state; in a snapshot, all of it. The objects themselves cannot be saved.
pub struct SideChanges {
    pub pushed: MapEdit<NodeIndex, PushedAs>,
    pub line: ListEdit<SavedStretch>,
    pub split_characters: Option<SplitCharacters>,
    pub header_beside: bool,
}

saved!(struct SideChanges { pushed, line, split_characters, header_beside });

impl SideChanges {
    /// Whether everything it refers to exists in a history of `nodes` nodes.
    pub fn is_whole(&self, nodes: usize) -> bool {
        let mut pushed = self.pushed.put().iter().flat_map(|(first, (_, all))| all.iter().chain([first]));
        pushed.all(|node| node.get() < nodes) && self.line.put().iter().all(|entry| entry.is_whole(nodes))
    }

    /// The bytes that [`SideChanges::read`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::default();
        self.save(&mut out);
        out.into_bytes()
    }

    /// Reads the JavaScript side's part of a snapshot or record.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let mut from = Reader::of(bytes, SESSION.what);
        let changes = Self::load(&mut from)?;
        from.finish()?;
        Ok(changes)
    }
}

/// The error for a record of another session's list.
pub fn other_list() -> Error {
    SESSION.invalid("a record belongs to another list")
}

/// The bytes of incomplete characters by ref, in the form in which they are saved.
pub type SplitCharacters = SortedMap<String, Bytes>;

/// The bytes of incomplete characters in their saved form.
pub fn split_characters(split: &HashMap<String, Vec<u8>>) -> SplitCharacters {
    split.iter().map(|(id, bytes)| (id.clone(), Bytes(bytes.clone()))).collect()
}

/// The bytes of incomplete characters, from their saved form.
pub fn characters(saved: SplitCharacters) -> HashMap<String, Vec<u8>> {
    saved.into_iter().map(|(id, bytes)| (id, bytes.0)).collect()
}

impl Line {
    /// The numbers of the stretches; 0 for a stretch whose current state was not saved.
    pub fn numbers(&self) -> Vec<u64> {
        self.0.iter().map(|stretch| stretch.number.get()).collect()
    }

    /// Gives every stretch a number, which marks its current state as saved.
    pub fn number(&self, numbered: &mut u64) -> Vec<u64> {
        let number = |stretch: &Stretch| {
            if stretch.number.get() == 0 {
                *numbered += 1;
                stretch.number.set(*numbered);
            }
            stretch.number.get()
        };
        self.0.iter().map(number).collect()
    }
}
