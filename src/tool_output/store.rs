use std::sync::Arc;

use super::long_text::LongText;
use super::output::Output;
use super::piece::Piece;
use crate::error::{Error, ErrorCode, Result};
use crate::hashing::{HashMap, HashSet};
use crate::message::{Extras, Part, Text, ToolOutputRef};
use crate::nearest::nearest;
use crate::saved::saved;
use crate::sorted::{SortedMap, SortedSet};

mod copies;
mod in_store;
mod journal;

use in_store::{encode_for_store, in_store_error};

/// The maximum length of a stored output's id, in bytes.
const MAX_ID_BYTES: usize = 256;

/// All tool outputs of a session, complete, by ref and in the order of arrival.
///
/// Texts are shared with the history. Ids are numbered (`out_1`, `out_2`, …), and a number is never used again, even
/// after its output was collected; except the numbers of a run that was rolled back.
#[derive(Debug, Clone, Default)]
pub struct ToolOutputs {
    outputs: SortedMap<u64, Output>,
    places: HashMap<Arc<str>, u64>,
    next_place: u64,
    numbered: u64,
    /// The bytes of the outputs in memory.
    bytes: u64,
    /// The places of the outputs in memory, and of some that left it; `None` if all outputs are in memory.
    in_memory: Option<SortedSet<u64>>,
    /// How many of these left it.
    left_memory: usize,
    /// Ids of outputs that are exactly what a tool answered.
    answers: HashSet<Arc<str>>,
    /// Places whose content has changed since the session was last saved.
    touched: SortedSet<u64>,
}

saved!(place ToolOutputs { next_place, numbered } but {
    outputs, // as edits: see `changes_since`
    places, bytes, in_memory, left_memory, // derived from the outputs
    answers, // the history has this information
    touched, // since it was saved
});

/// The state of the numbering of a cache, to roll back to.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    next_place: u64,
    numbered: u64,
}

impl ToolOutputs {
    /// The current state, for [`ToolOutputs::roll_back`].
    pub fn mark(&self) -> Mark {
        Mark { next_place: self.next_place, numbered: self.numbered }
    }

    /// Removes the outputs that were stored since `mark`. Nobody has seen their refs, so their numbers are free again.
    pub fn roll_back(&mut self, mark: Mark) {
        if mark.numbered == self.numbered && mark.next_place == self.next_place {
            return;
        }
        let new: HashSet<Arc<str>> =
            self.outputs.starting_at(&mark.next_place).map(|(_, output)| output.id.clone()).collect();
        self.collect_garbage(&|id| !new.contains(id), false);
        (self.next_place, self.numbered) = (mark.next_place, mark.numbered);
    }

    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stores the whole `content` and returns its ref. The id is `id`, or else the next number.
    ///
    /// Storing the same content under the same id returns the same ref.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the id already has other content, is empty, is longer than 256 bytes or has control
    /// characters, or if the content has a tool call or a tool output.
    pub fn put(&mut self, content: Vec<Part>, id: Option<String>) -> Result<ToolOutputRef> {
        if content.iter().any(|p| matches!(p, Part::ToolCall(_) | Part::ToolOutput(_))) {
            return Err(Error::argument("a tool output cannot contain tool calls or tool outputs"));
        }
        self.put_pieces(content.into_iter().map(Piece::of).collect(), id)
    }

    /// Like [`ToolOutputs::put`], for one text.
    pub fn put_text(&mut self, text: impl Into<Text>, id: Option<String>) -> Result<ToolOutputRef> {
        self.put_long(text.into().into(), id)
    }

    /// Like [`ToolOutputs::put`], for a text that came in chunks.
    pub fn put_long(&mut self, text: LongText, id: Option<String>) -> Result<ToolOutputRef> {
        self.put_pieces(vec![Piece::Text { text, extras: Extras::default() }], id)
    }

    fn put_pieces(&mut self, pieces: Vec<Piece>, id: Option<String>) -> Result<ToolOutputRef> {
        let id: Arc<str> = match id {
            Some(id) => checked_id(id)?.into(),
            None => self.next_id(),
        };
        if let Some(there) = self.find(&id) {
            let same = match &there.store_key {
                Some(key) => **key == encode_for_store(&pieces).0,
                None => there.pieces == pieces,
            };
            if same {
                return Ok(there.reference());
            }
            return Err(Error::argument(format!(
                "the tool output `{id}` is already stored with other content; use another id, or leave it out"
            )));
        }
        let output = Output::new(id.clone(), pieces);
        let reference = output.reference();
        self.bytes += output.bytes;
        self.places.insert(id, self.next_place);
        self.outputs.insert(self.next_place, output);
        self.touched.insert(self.next_place);
        if let Some(here) = &mut self.in_memory {
            here.insert(self.next_place);
        }
        self.next_place += 1;
        Ok(reference)
    }

    /// Appends `chunk` to a stored output, and returns its ref with the new sizes.
    ///
    /// # Errors
    /// `UNKNOWN_REF`.
    pub fn append(&mut self, id: &str, chunk: &str) -> Result<ToolOutputRef> {
        let known = self.places.get(id).and_then(|place| Some((*place, self.outputs.get_mut(place)?)));
        let Some((place, output)) = known else { return Err(self.unknown(id)) };
        if output.store_key.is_some() {
            return Err(in_store_error(id));
        }
        output.append(chunk);
        self.touched.insert(place);
        self.answers.remove(id); // it has more now than the tool answered
        self.bytes += chunk.len() as u64;
        Ok(output.reference())
    }

    /// Removes an output permanently. Its content in the host's store is not removed.
    pub fn erase(&mut self, id: &str) {
        let id = id.to_owned();
        self.collect_garbage(&|other| other != id, false);
    }

    /// The stored output with this ref.
    ///
    /// # Errors
    /// `UNKNOWN_REF`, with the most similar refs; `STORE_FAILED` if the content is in the host's store.
    pub fn get(&self, id: &str) -> Result<&Output> {
        match self.find(id) {
            Some(output) if output.store_key.is_some() => Err(in_store_error(id)),
            Some(output) => Ok(output),
            None => Err(self.unknown(id)),
        }
    }

    /// The output with this ref, if it is stored and in memory. Unlike `get`, it looks for no similar ref.
    pub fn loaded(&self, id: &str) -> Option<&Output> {
        self.find(id).filter(|output| output.store_key.is_none())
    }

    /// Whether an output with this ref is stored.
    pub fn contains(&self, id: &str) -> bool {
        self.places.contains_key(id)
    }

    /// Records that a tool's answer is exactly this output.
    pub fn note_answer(&mut self, id: &str) {
        if let Some((id, _)) = self.places.get_key_value(id) {
            self.answers.insert(id.clone());
        }
    }

    /// Whether a tool's answer is exactly this output. Then it is not a text that other outputs are excerpts of.
    pub fn is_answer(&self, id: &str) -> bool {
        self.answers.contains(id)
    }

    /// All stored outputs, in the order of arrival.
    pub fn iter(&self) -> impl Iterator<Item = &Output> {
        self.outputs.values()
    }

    /// The outputs in memory, in the order of arrival.
    pub fn in_memory(&self) -> impl Iterator<Item = &Output> {
        let all = self.in_memory.is_none().then(|| self.outputs.values());
        let some = self.in_memory.iter().flatten().filter_map(|place| self.outputs.get(place));
        let some = some.filter(|output| output.store_key.is_none());
        all.into_iter().flatten().chain(some)
    }

    /// All refs, in the order of arrival.
    pub fn refs(&self) -> Vec<ToolOutputRef> {
        self.iter().map(Output::reference).collect()
    }

    /// The number of stored outputs.
    pub fn len(&self) -> usize {
        self.outputs.len()
    }

    /// Whether nothing is stored.
    pub fn is_empty(&self) -> bool {
        self.outputs.is_empty()
    }

    /// The total bytes of the outputs in memory.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Removes the outputs that nothing mentions, and returns their refs. A dry run only returns the refs.
    pub fn collect_garbage(&mut self, mentioned: &dyn Fn(&str) -> bool, dry_run: bool) -> Vec<ToolOutputRef> {
        let Self { outputs, places, answers, bytes, .. } = self;
        let mut garbage = Vec::new();
        let mut gone = Vec::new();
        outputs.retain(|place, output| {
            let stays = mentioned(&output.id);
            if !stays {
                garbage.push(output.reference());
            }
            if !stays && !dry_run {
                gone.push(*place);
                places.remove(&output.id);
                answers.remove(&output.id);
                *bytes -= output.bytes_here();
            }
            stays || dry_run
        });
        if !gone.is_empty() {
            self.touched.extend(gone);
            self.list_those_in_memory();
        }
        garbage
    }

    /// Lists the places of the outputs in memory again, unless all are.
    fn list_those_in_memory(&mut self) {
        if self.in_memory.is_some() {
            self.in_memory = Some(places_in_memory(&self.outputs));
            self.left_memory = 0;
        }
    }

    fn find(&self, id: &str) -> Option<&Output> {
        self.places.get(id).and_then(|place| self.outputs.get(place))
    }

    fn next_id(&mut self) -> Arc<str> {
        loop {
            self.numbered += 1;
            let id = format!("out_{}", self.numbered);
            if !self.contains(&id) {
                return id.into();
            }
        }
    }

    fn unknown(&self, id: &str) -> Error {
        let near = nearest(id, self.iter().map(Output::id), 3);
        // Models read this as well as programmers, and they call different functions, so it names none.
        let help = if self.is_empty() {
            "no tool output is stored".to_owned()
        } else if near.is_empty() {
            let newest: Vec<&str> = self.outputs.values().rev().take(3).map(Output::id).collect();
            format!("the newest of the {} that are stored are {}", self.len(), newest.join(", "))
        } else {
            format!("near it are {}", near.join(", "))
        };
        let shown: String = id.chars().take(80).collect();
        Error::new(ErrorCode::UnknownRef, format!("no tool output has the ref `{shown}`; {help}"))
    }
}

/// The places of the outputs in memory.
fn places_in_memory(outputs: &SortedMap<u64, Output>) -> SortedSet<u64> {
    outputs.iter().filter(|(_, output)| output.store_key.is_none()).map(|(place, _)| *place).collect()
}

fn checked_id(id: String) -> Result<String> {
    if id.is_empty() || id.len() > MAX_ID_BYTES || id.chars().any(char::is_control) {
        return Err(Error::argument(format!(
            "the id of a tool output must be a text of 1 to {MAX_ID_BYTES} bytes without control characters"
        )));
    }
    Ok(id)
}

#[cfg(test)]
pub(super) fn stored(text: &str) -> ToolOutputs {
    let mut outputs = ToolOutputs::new();
    outputs.put_text(text, None).unwrap();
    outputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Media, MediaKind};
    use proptest::prelude::*;

    #[test]
    fn ids_are_numbered_and_sizes_reported() {
        let mut outputs = ToolOutputs::new();
        let first = outputs.put_text("a\nb\n", None).unwrap();
        let second = outputs.put_text("日本", None).unwrap();
        assert_eq!((first.id.as_str(), first.byte_size, first.line_count), ("out_1", Some(4), Some(2)));
        assert_eq!((second.id.as_str(), second.byte_size, second.line_count), ("out_2", Some(6), Some(1)));
        assert_eq!(outputs.refs(), [first, second]);
        assert_eq!(outputs.bytes(), 10);
    }

    #[test]
    fn an_id_given_by_the_caller_belongs_to_one_content() {
        let mut outputs = ToolOutputs::new();
        let first = outputs.put_text("x", Some("out_1".into())).unwrap();
        assert_eq!(outputs.put_text("x", Some("out_1".into())).unwrap(), first);
        let refused = outputs.put_text("y", Some("out_1".into())).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::InvalidArgument);
        assert_eq!(outputs.put_text("z", None).unwrap().id, "out_2");
        assert_eq!(outputs.bytes(), 2);
        for bad in ["", "a\nb", &"x".repeat(257)] {
            assert_eq!(
                outputs.put_text("x", Some(bad.into())).unwrap_err().code(),
                ErrorCode::InvalidArgument
            );
        }
    }

    #[test]
    fn a_text_is_shared_not_copied() {
        let text: Text = "whole".into();
        let mut outputs = ToolOutputs::new();
        outputs.put_text(text.clone(), None).unwrap();
        let parts = outputs.get("out_1").unwrap().parts();
        assert!(matches!(&parts[0], Part::Text { text: t, .. } if Arc::ptr_eq(t, &text)));
    }

    #[test]
    fn chunks_are_appended_to_the_last_text() {
        let mut outputs = ToolOutputs::new();
        let image =
            Part::Media(Box::new(Media { filename: Some("p.png".into()), ..Media::new(MediaKind::Image) }));
        outputs.put(vec![Part::text("a"), image.clone()], None).unwrap();
        outputs.append("out_1", "b\nc").unwrap();
        let after = outputs.append("out_1", "d").unwrap();
        assert_eq!((after.byte_size, after.line_count), (Some(5), Some(4)));
        let output = outputs.get("out_1").unwrap();
        assert_eq!(output.parts(), [Part::text("a"), image, Part::text("b\ncd")]);
        assert_eq!(
            output.lines_from(0).map(|l| l.text().into_owned()).collect::<Vec<_>>(),
            ["a", "[image p.png]", "b", "cd"]
        );
        assert_eq!(outputs.bytes(), 5);
        assert_eq!(outputs.append("out_9", "x").unwrap_err().code(), ErrorCode::UnknownRef);
    }

    #[test]
    fn the_error_for_an_unknown_ref_names_similar_ones() {
        let mut outputs = ToolOutputs::new();
        assert_eq!(
            outputs.get("out_1").unwrap_err().to_string(),
            "UNKNOWN_REF: no tool output has the ref `out_1`; no tool output is stored"
        );
        outputs.put_text("x", None).unwrap();
        outputs.put_text("y", None).unwrap();
        assert_eq!(
            outputs.get("out_12").unwrap_err().to_string(),
            "UNKNOWN_REF: no tool output has the ref `out_12`; near it are out_1, out_2"
        );
    }

    #[test]
    fn garbage_can_be_listed_first_and_its_number_is_never_reused() {
        let mut outputs = ToolOutputs::new();
        for text in ["a", "bb", "ccc"] {
            outputs.put_text(text, None).unwrap();
        }
        let keep = |id: &str| id == "out_2";
        let listed = outputs.collect_garbage(&keep, true);
        assert_eq!((listed.len(), outputs.len(), outputs.bytes()), (2, 3, 6));
        assert_eq!(outputs.collect_garbage(&keep, false), listed);
        assert_eq!((outputs.len(), outputs.bytes()), (1, 2));
        assert!(outputs.collect_garbage(&keep, false).is_empty());
        assert_eq!(outputs.put_text("d", None).unwrap().id, "out_4");
    }

    proptest! {
        #[test]
        fn lines_are_counted_as_they_are_read(chunks in prop::collection::vec("[a\n\r日]{0,8}", 0..6)) {
            let mut outputs = ToolOutputs::new();
            outputs.put_text("", None).unwrap();
            for chunk in &chunks {
                outputs.append("out_1", chunk).unwrap();
            }
            let output = outputs.get("out_1").unwrap();
            prop_assert_eq!(output.parts(), [Part::text(chunks.concat())]);
            prop_assert_eq!(output.line_count(), output.lines_from(0).count() as u64);
            prop_assert_eq!(output.bytes(), chunks.concat().len() as u64);
        }
    }
}
