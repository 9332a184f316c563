//! A list of a format's objects, cached between views: new messages are appended, edited ones are rewritten.
//!
//! The caller gets a copy of the array, so a returned list never changes.

use std::rc::Rc;
use std::sync::Arc;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::batch::Batch;
use super::calls_of::CallsBefore;
use super::handles::{Handles, Objects, Shown, finished};
use super::line::{Line, Stretch};
use super::value::{of_format_to_js, to_js};
use crate::context::{Context, Form, Node, Slot};
use crate::message::{Format, Message, Part};
use crate::provider::{OPENING_NOTE, PositionChecker, Provider, Removals};
use crate::sorted::SortedMap;

/// The messages of a list, by position; `None` after the last.
pub type Slots<'a> = &'a dyn Fn(usize) -> Option<Shown<'a>>;

/// Messages that form one entry, with their positions.
pub type Entry<'a> = Vec<(usize, Shown<'a>)>;

/// How many entries are collected before they are added.
const BATCH_ENTRIES: usize = 256;

/// Messages that form one entry: the position of the first, and the number of list entries before them.
struct Run {
    slot: usize,
    entries: u32,
    /// Where their own entries begin, after an opening entry that the format may need.
    first_own_entry: u32,
}

/// A message as it is sent, without what the API would refuse in this position.
struct AsSent {
    slot: Slot,
    removals: Removals,
    /// Whether a pass had already removed reasoning from it.
    lacked_reasoning: bool,
}

/// The list as of the last update.
#[derive(Default)]
pub struct List {
    /// The list itself, which is never handed out.
    pub entries: Array,
    /// How many messages it covers.
    pub slots: usize,
    /// The version of the view it shows.
    pub version: u64,
    /// Positions of the messages that the format keeps outside the list.
    pub head: Vec<usize>,
    /// Position of the first message that lost reasoning. What that reasoning produced has to lose its ids, wherever it is.
    pub lost_reasoning: Option<usize>,
    /// The same if the reasoning was another message, which is not in the view.
    pub lost_apart: Option<usize>,
    /// What the format could not express, by the position of the message.
    notes: Vec<(usize, String)>,
    /// The same for the changes at the end of the list.
    end: Vec<(usize, String)>,
    runs: Vec<Run>,
    /// The index of the first entry that is not an instruction. The format may need an opening entry there.
    opened: Option<u32>,
    /// What messages lose because of their position.
    position_checker: Option<PositionChecker>,
    /// The messages that lose something, by position.
    as_sent: Rc<SortedMap<usize, AsSent>>,
}

impl List {
    /// A copy for the caller, who may change it.
    pub fn handed_out(&self) -> Array {
        self.entries.slice(0, self.entries.length())
    }

    /// The last entry before the last message for which `is_such` is true, and how many messages come before that one.
    pub fn end_before_last(&self, is_such: impl Fn(usize) -> bool) -> Option<(u32, usize)> {
        let ends = self.runs.iter().skip(1).map(|next| next.entries).chain([self.entries.length()]);
        let written = self.runs.iter().zip(ends).filter(|(run, end)| *end > run.entries);
        let (last, _) = written.filter(|(run, _)| is_such(run.slot)).last()?;
        Some((last.entries.checked_sub(1)?, last.slot))
    }

    /// The last entry of the message at a position, and how many messages the list has up to and including that entry.
    pub fn end_of(&self, slot: usize) -> Option<(u32, usize)> {
        let next = self.runs.partition_point(|run| run.slot <= slot);
        let (entries, slots) =
            self.runs.get(next).map_or((self.entries.length(), self.slots), |run| (run.entries, run.slot));
        Some((entries.checked_sub(1)?, slots))
    }

    /// What the format could not express, by the position of the first message concerned.
    pub fn notes(&self) -> impl Iterator<Item = &(usize, String)> {
        self.notes.iter().chain(&self.end)
    }

    /// Removes the entries of the messages from position `slot` on, and the entry before them, since they may be joined with it now.
    pub fn cut(&mut self, slot: usize) {
        while let Some(run) = self.runs.pop() {
            // An empty entry is not written, so the one before it may have been written as the last.
            let is_written = self.entries.length() > run.entries;
            self.entries.set_length(run.entries);
            self.slots = run.slot;
            if run.slot < slot && is_written {
                break;
            }
        }
        if self.runs.is_empty() {
            self.slots = 0;
            self.entries.set_length(0);
        }
        let (slots, entries) = (self.slots, self.entries.length());
        self.notes.truncate(self.notes.partition_point(|(at, _)| *at < slots));
        self.head.truncate(self.head.partition_point(|head| *head < slots));
        self.lost_reasoning = self.lost_reasoning.filter(|at| *at < slots);
        self.opened = self.opened.filter(|at| *at < entries);
    }

    /// Whether items have to lose their ids, because reasoning was removed.
    pub fn has_broken_links(&self) -> bool {
        self.lost_reasoning.or(self.lost_apart).is_some()
    }

    /// The list as the line of a caller to whom it was returned.
    pub fn line(&self, context: &Context, format: Format) -> Line {
        let behind = self.runs.iter().skip(1).map(|next| (next.slot, next.entries));
        let ends = behind.chain([(self.slots, self.entries.length())]);
        let stretch = |(run, (slots, entries)): (&Run, (usize, u32))| {
            let shown = (run.slot..slots).filter(|at| !self.head.contains(at));
            let nodes: Vec<_> = shown.filter_map(|at| context.view.slot(at)).map(|slot| slot.node).collect();
            let objects: Vec<JsValue> = self.entries.slice(run.entries, entries).iter().collect();
            let stands_for = context.messages_behind(&nodes);
            Stretch { stands_for, ..Stretch::of(format, objects, nodes) }
        };
        Line(self.runs.iter().zip(ends).map(stretch).collect())
    }

    /// How many messages there were at the last update.
    pub fn checked(&self) -> usize {
        self.position_checker.as_ref().map_or(0, PositionChecker::checked)
    }

    /// The message at a position, as it is sent.
    pub fn sent<'a>(&'a self, at: usize, slot: &'a Slot) -> &'a Message {
        self.as_sent.get(&at).map_or(&*slot.message, |as_sent| &*as_sent.slot.message)
    }

    /// Updates the list: the messages from position `from` on are new or edited; there are `len` messages.
    pub fn renew(
        &mut self,
        handles: &mut Handles,
        slots: Slots<'_>,
        provider: &dyn Provider,
        from: usize,
        len: usize,
    ) -> Result<(), JsValue> {
        let from = from.min(self.checked());
        if from < len.max(self.checked()) {
            let first = self.remove_by_position(from, len, slots, provider);
            self.cut(first.min(self.slots));
        }
        let as_sent = Rc::clone(&self.as_sent);
        let sent = |at: usize| {
            let (slot, node) = slots(at)?;
            Some((as_sent.get(&at).map_or(slot, |as_sent| &as_sent.slot), node))
        };
        self.extend(handles, &sent, provider)
    }

    /// Determines what messages lose because of their position. Returns the first position whose message is sent differently than before.
    fn remove_by_position(
        &mut self,
        from: usize,
        len: usize,
        slots: Slots<'_>,
        provider: &dyn Provider,
    ) -> usize {
        let checker = self.position_checker.get_or_insert_with(|| PositionChecker::new(provider.format()));
        let first = checker.update(from, len, |at| slots(at).map(|(slot, _)| &*slot.message));
        let mut as_sent = std::mem::take(&mut self.as_sent);
        let Some(now) = Rc::get_mut(&mut as_sent) else { return 0 };
        drop(now.split_off(&first));
        for (at, removals) in checker.removals_from(first) {
            let Some((slot, node)) = slots(at) else { continue };
            let message = Arc::new(removals.apply(&slot.message, provider.format()));
            let form = if slot.form == Form::Whole { Form::Unbound } else { slot.form };
            let lacked_reasoning = lacks_reasoning(slot, node);
            let slot = Slot { message, form, ..slot.clone() };
            now.insert(at, AsSent { slot, removals: removals.clone(), lacked_reasoning });
        }
        self.as_sent = as_sent;
        first
    }

    /// Appends the messages after those that the list already covers.
    fn extend(
        &mut self,
        handles: &mut Handles,
        slots: Slots<'_>,
        provider: &dyn Provider,
    ) -> Result<(), JsValue> {
        let before = CallsBefore::default();
        loop {
            let mut leading = self.runs.is_empty();
            let next = || {
                let run = self.next_entry(slots, provider, leading)?;
                leading = false;
                Some(run)
            };
            let runs: Vec<Entry<'_>> = std::iter::from_fn(next).take(BATCH_ENTRIES).collect();
            if runs.is_empty() {
                break;
            }
            let mut batch = Batch::default();
            for run in &runs {
                if handles.objects(run, provider.format()).is_none() {
                    handles.make(run, (slots, &before), provider, &mut batch)?;
                }
            }
            handles.take(&mut batch)?;
            for run in &runs {
                self.add(run, handles, provider)?;
            }
        }
        self.finish(slots, provider)
    }

    /// Appends an entry whose objects exist already.
    fn add(&mut self, run: &Entry<'_>, handles: &Handles, provider: &dyn Provider) -> Result<(), JsValue> {
        let [(start, (slot, _)), ..] = run[..] else { return Ok(()) };
        let Some(Objects { objects, notes }) = handles.objects(run, provider.format()) else { return Ok(()) };
        let left_out = run.iter().filter_map(|(at, _)| self.as_sent.get(at)).flat_map(|m| m.removals.notes());
        self.notes.extend(left_out.map(|what| (start, what.to_owned())));
        self.notes.extend(notes.iter().map(|note| (start, note.what.clone())));
        let entries = self.entries.length();
        let opens = self.opened.is_none() && !objects.is_empty() && !slot.message.role.is_instruction();
        if opens {
            self.opened = Some(entries);
            if let Some(opening) = provider.opening(slot.message.role) {
                self.notes.push((start, OPENING_NOTE.to_owned()));
                self.entries.push(&to_js(&opening)?);
            }
        }
        let written = self.entries.length();
        for object in objects {
            self.entries.push(object);
        }
        self.runs.push(Run { slot: start, entries, first_own_entry: written });
        Ok(())
    }

    /// Ends the list in the way its format requires. Messages without an entry may follow the last one that has one.
    fn finish(&mut self, slots: Slots<'_>, provider: &dyn Provider) -> Result<(), JsValue> {
        self.end.clear();
        let mut behind = self.slots;
        for run in self.runs.iter().rev() {
            if run.first_own_entry < self.entries.length() {
                let shown = (run.slot..behind).filter(|at| !self.head.contains(at));
                let entry: Entry<'_> = shown.filter_map(|at| Some((at, slots(at)?))).collect();
                let Some((items, notes)) = finished(&entry, slots, provider) else { break };
                self.end.extend(notes.into_iter().map(|note| (run.slot, note.what)));
                self.entries.set_length(run.first_own_entry);
                for item in &items {
                    self.entries.push(&of_format_to_js(item, provider.format())?);
                }
                if !items.is_empty() {
                    break;
                }
            }
            behind = run.slot;
        }
        Ok(())
    }

    /// The next messages that form one entry, with their positions. `leading`: there is no entry before them.
    fn next_entry<'a>(
        &mut self,
        slots: Slots<'a>,
        provider: &dyn Provider,
        leading: bool,
    ) -> Option<Entry<'a>> {
        let mut run: Vec<(usize, Shown<'a>)> = Vec::new();
        let mut messages: Vec<&Message> = Vec::new();
        while let Some((slot, node)) = slots(self.slots) {
            let message = &*slot.message;
            if provider.is_head(message, leading && run.is_empty()) {
                self.head.push(self.slots);
            } else if run.is_empty() || provider.joins(&messages, message) {
                let as_sent = self.as_sent.get(&self.slots);
                if as_sent.map_or_else(|| lacks_reasoning(slot, node), |as_sent| as_sent.lacked_reasoning) {
                    self.lost_reasoning.get_or_insert(self.slots);
                }
                run.push((self.slots, (slot, node)));
                messages.push(message);
            } else {
                break;
            }
            self.slots += 1;
        }
        (!run.is_empty()).then_some(run)
    }
}

/// Whether a pass has removed reasoning from it.
fn lacks_reasoning(slot: &Slot, node: &Node) -> bool {
    slot.form != Form::Whole && reasoning_parts(&slot.message) < reasoning_parts(&node.message)
}

fn reasoning_parts(message: &Message) -> usize {
    message.parts.iter().filter(|part| matches!(part, Part::Reasoning(_))).count()
}
