//! The facts of a conversation's messages, each extracted once.
//!
//! Literal facts are numbers in one table (`Names`). The few other things that a ledger lists are notes. Before a fold the facts are sorted
//! by text, and it is determined which of them contain others, once for all ledgers of the run. A fold then adds up numbers: no text is
//! read again except the header, the summary and edited messages.
//!
//! Extraction starts when the view is half way to its threshold, a few messages with each push. So a session that never folds does not pay for
//! it, and one that folds does not pay all at once. A snapshot holds facts only of outputs that are in the store. If texts are redacted,
//! facts are extracted from the redacted texts each time.

use memchr::memchr;

use super::actions::action;
use super::id_field::{FieldNames, each_literal_in};
use super::kept::KeptFacts;
use super::notes::{CallNote, CallOutcome, Notes, OutputKind};
use super::user_text::UserText;
use super::{Names, Subject, is_ask_user_tool};
use crate::hashing::HashMap;
use crate::message::{CallKind, Message, Part};
use crate::sorted::{SortedMap, SortedSet};

/// The facts of messages, indexed by the order in which the messages were extracted.
#[derive(Debug, Clone, Default)]
pub struct ExtractedFacts {
    /// The literal facts of all messages.
    pub names: Names,
    /// The literal facts of all messages, one message after the other, with an entry for every occurrence.
    literals: Vec<u32>,
    /// For each message, the end of its part of `literals`.
    ends: Vec<u32>,
    /// Which fields held ids: by message, the number of the id and that of the field's name.
    held: Vec<(u32, u32, u32)>,
    field_names: FieldNames,
    /// What the user's messages tell, by message.
    said: HashMap<u32, UserText>,
    notes: SortedMap<u32, Box<Notes>>,
    /// For each message, what its calls work on.
    subjects: Vec<Box<[Subject]>>,
    /// Which messages have notes; most have none.
    has_notes: Vec<bool>,
    /// Which messages are texts without a `<`, so that they cannot contain tags.
    tagless: Vec<bool>,
    /// Calls that no output has answered yet and that ran or changed something, by id, with how their outputs are read.
    running: SortedMap<String, OutputKind>,
    /// The call ids of questions to the user that no output has answered yet.
    asking: SortedSet<String>,
}

impl ExtractedFacts {
    /// The number of messages whose facts are extracted.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether no facts are extracted yet.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The numbers of a message's literal facts, in order.
    pub fn literals(&self, at: usize) -> &[u32] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.literals[start..self.ends[at] as usize]
    }

    /// The ids of a message that were the whole value of a JSON field: their numbers, and the fields' names, in order.
    pub fn fields(&self, at: usize) -> impl Iterator<Item = (u32, &str)> {
        let start = self.held.partition_point(|(message, ..)| (*message as usize) < at);
        let here = self.held[start..].iter().take_while(move |(message, ..)| *message as usize == at);
        here.map(|(_, id, field)| (*id, self.field_names.name(*field)))
    }

    /// The notes of a message, if it has any.
    pub fn notes(&self, at: usize) -> Option<&Notes> {
        let has_notes = self.has_notes.get(at).is_some_and(|has_notes| *has_notes);
        if has_notes { self.notes.get(&(at as u32)).map(|notes| &**notes) } else { None }
    }

    /// What a message's calls work on.
    pub fn subjects(&self, at: usize) -> &[Subject] {
        self.subjects.get(at).map_or(&[], |subjects| subjects)
    }

    /// Whether a message is known to be texts without a `<`.
    pub fn has_no_tags(&self, at: usize) -> bool {
        self.tagless.get(at).is_some_and(|tagless| *tagless)
    }

    /// What a message of the user tells.
    pub fn said(&self, at: usize) -> Option<&UserText> {
        self.said.get(&(at as u32))
    }

    /// Extracts the facts of the next message.
    pub fn add(&mut self, message: &Message) {
        each_literal_in(message, &mut |literal, field| {
            let number = self.names.number(literal.text, literal.kind);
            self.literals.push(number);
            if let Some(field) = field {
                self.held.push((self.ends.len() as u32, number, self.field_names.number(field)));
            }
        });
        if message.opens_turn() {
            self.said.insert(self.ends.len() as u32, UserText::of(&message.said_text()));
        }
        let mut notes = Notes::of(message);
        for output in message.tool_outputs() {
            if let Some(kind) = self.running.remove(&output.call_id) {
                notes.answer = Some(CallOutcome::of(message, output, kind));
            }
            if self.asking.remove(&output.call_id) {
                notes.add_answer(output);
            }
        }
        let mut subjects = Vec::new();
        for (at, call) in message.tool_calls().enumerate() {
            let action = action(call, at);
            subjects.push(Subject::of_action(&action));
            let note = CallNote::of(&action, at);
            if let Some(run) = note.as_ref().and_then(|note| note.run.as_ref()) {
                self.running.insert(call.id.clone(), run.output);
            }
            notes.calls.extend(note);
            if is_ask_user_tool(&call.name) {
                self.asking.insert(call.id.clone());
            }
        }
        self.tagless.push(message.parts.iter().all(has_no_tags));
        self.finish(notes, subjects);
    }

    /// Adds the next message, a tool message, with the facts that were kept when its output left memory.
    pub fn add_kept(&mut self, message: &Message, kept: &KeptFacts) {
        for literal in &kept.literals {
            let number = self.names.number(&literal.text, literal.kind);
            self.literals.extend(std::iter::repeat_n(number, literal.count as usize));
            if let Some(field) = &literal.field {
                self.held.push((self.ends.len() as u32, number, self.field_names.number(field)));
            }
        }
        for output in message.tool_outputs() {
            self.running.remove(&output.call_id);
            self.asking.remove(&output.call_id);
        }
        self.tagless.push(false); // its text may come back
        self.finish(Notes { answer: kept.answer.clone(), ..Notes::default() }, Vec::new());
    }

    /// Applies new ids to calls that are still waiting for their outputs.
    pub fn rename_calls(&mut self, ids: &HashMap<&str, &str>) {
        let now = |id: String| ids.get(id.as_str()).map_or(id, |now| (*now).to_owned());
        self.running =
            std::mem::take(&mut self.running).into_iter().map(|(id, kind)| (now(id), kind)).collect();
        self.asking = std::mem::take(&mut self.asking).into_iter().map(now).collect();
    }

    fn finish(&mut self, notes: Notes, subjects: Vec<Subject>) {
        self.subjects.push(subjects.into());
        self.has_notes.push(!notes.is_empty());
        if !notes.is_empty() {
            self.notes.insert(self.ends.len() as u32, Box::new(notes));
        }
        self.ends.push(self.literals.len() as u32);
    }
}

fn has_no_tags(part: &Part) -> bool {
    let is_tagless = |text: &str| memchr(b'<', text.as_bytes()).is_none();
    match part {
        Part::Text { text, .. } | Part::Refusal { text, .. } => is_tagless(text),
        Part::ToolCall(call) => !matches!(call.kind, CallKind::Other { .. }) && is_tagless(&call.input),
        Part::ToolOutput(output) => output.content.iter().all(has_no_tags),
        Part::Reasoning(_) | Part::Media(_) | Part::Opaque { .. } => false,
    }
}
