//! A list of a format's objects, cached between two views: new messages are added, edited ones are made again.
//!
//! The caller gets a copy of the array, so what was handed out never changes.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::batch::Batch;
use super::handles::{Handles, Objects, Shown, finished};
use super::line::{Line, Stretch};
use super::value::{of_format_to_js, to_js};
use crate::context::{Context, Form, Node, Slot};
use crate::message::{Format, Message, Part};
use crate::provider::{Lost, OPENED, Provider, Standing};

/// The messages that a list is of, by position; none behind the last.
pub type Slots<'a> = &'a dyn Fn(usize) -> Option<Shown<'a>>;

/// Messages that stand in one entry, with their positions.
pub type Entry<'a> = Vec<(usize, Shown<'a>)>;

/// So many entries are looked at before any of them is added.
const TOGETHER: usize = 256;

/// Messages that stand in one entry: where they begin, and the entries that there are before theirs.
struct Run {
    slot: usize,
    entries: u32,
    /// Where theirs begin, behind what the format wants before a list.
    written: u32,
}

/// A message as it is sent, without what the API refuses of it where it stands.
struct Mended {
    slot: Slot,
    lost: Lost,
    /// A pass had taken reasoning off it before.
    lacked_reasoning: bool,
}

/// The list as it was when it was last looked at.
#[derive(Default)]
pub struct List {
    /// The list itself; nobody outside has it.
    pub entries: Array,
    /// The messages that it is of.
    pub slots: usize,
    /// The version of the view that it shows.
    pub version: u64,
    /// Positions of what the format keeps apart from the list.
    pub head: Vec<usize>,
    /// A message has lost reasoning: what that made has to lose its ids, wherever it stands.
    pub lost_reasoning: Option<usize>,
    /// What the format could not say, by the position of the message.
    notes: Vec<(usize, String)>,
    /// The same of how the list ends.
    end: Vec<(usize, String)>,
    runs: Vec<Run>,
    /// The entry that the format wants before a list that would begin otherwise.
    opened: Option<u32>,
    /// What messages lose where they stand.
    standing: Option<Standing>,
    /// The messages that lose something, by position.
    mended: Rc<BTreeMap<usize, Mended>>,
}

impl List {
    /// A copy for the caller, who may do with it what he likes.
    pub fn handed_out(&self) -> Array {
        self.entries.slice(0, self.entries.length())
    }

    /// The last entry before the last one that is such a message's, and how many messages stand until its end.
    pub fn end_before_last(&self, is_such: impl Fn(usize) -> bool) -> Option<(u32, usize)> {
        let ends = self.runs.iter().skip(1).map(|next| next.entries).chain([self.entries.length()]);
        let written = self.runs.iter().zip(ends).filter(|(run, end)| *end > run.entries);
        let (last, _) = written.filter(|(run, _)| is_such(run.slot)).last()?;
        Some((last.entries.checked_sub(1)?, last.slot))
    }

    /// The last entry of the message at a position, and how many messages stand until its end.
    pub fn end_of(&self, slot: usize) -> Option<(u32, usize)> {
        let next = self.runs.partition_point(|run| run.slot <= slot);
        let (entries, slots) =
            self.runs.get(next).map_or((self.entries.length(), self.slots), |run| (run.entries, run.slot));
        Some((entries.checked_sub(1)?, slots))
    }

    /// What the format could not say as it was, by the position of the (first) message that it concerns.
    pub fn notes(&self) -> impl Iterator<Item = &(usize, String)> {
        self.notes.iter().chain(&self.end)
    }

    /// Forgets what positions from `slot` on are shown as; what stands right before goes with it, for they may join now.
    pub fn cut(&mut self, slot: usize) {
        while let Some(run) = self.runs.pop() {
            // What is empty is not written: what stands before it may have been shown as the last.
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

    /// The list as a caller has it who was handed it, entry by entry.
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

    /// How many messages were there when it was last looked at.
    pub fn seen(&self) -> usize {
        self.standing.as_ref().map_or(0, Standing::seen)
    }

    /// The message at a position as it is sent.
    pub fn sent<'a>(&'a self, at: usize, slot: &'a Slot) -> &'a Message {
        self.mended.get(&at).map_or(&*slot.message, |mended| &*mended.slot.message)
    }

    /// Makes the list anew from where it is other than before: the messages from position `from` on are new, or edited. There are
    /// `len` of them.
    pub fn renew(
        &mut self,
        handles: &mut Handles,
        slots: Slots<'_>,
        provider: &dyn Provider,
        from: usize,
        len: usize,
    ) -> Result<(), JsValue> {
        let from = from.min(self.seen());
        if from < len.max(self.seen()) {
            let first = self.mend(from, len, slots, provider);
            self.cut(first.min(self.slots));
        }
        let mended = Rc::clone(&self.mended);
        let sent = |at: usize| {
            let (slot, node) = slots(at)?;
            Some((mended.get(&at).map_or(slot, |mended| &mended.slot), node))
        };
        self.extend(handles, &sent, provider)
    }

    /// Finds out what messages lose where they stand. The first position that is sent otherwise than before.
    fn mend(&mut self, from: usize, len: usize, slots: Slots<'_>, provider: &dyn Provider) -> usize {
        let standing = self.standing.get_or_insert_with(|| Standing::new(provider.format()));
        let first = standing.update(from, len, |at| slots(at).map(|(slot, _)| &*slot.message));
        let mut mended = std::mem::take(&mut self.mended);
        let Some(now) = Rc::get_mut(&mut mended) else { return 0 };
        now.split_off(&first);
        for (at, lost) in standing.lost_from(first) {
            let Some((slot, node)) = slots(at) else { continue };
            let message = Arc::new(lost.taken_off(&slot.message, provider.format()));
            let form = if slot.form == Form::Whole { Form::Unbound } else { slot.form };
            let lacked_reasoning = lacks_reasoning(slot, node);
            let slot = Slot { message, form, ..slot.clone() };
            now.insert(at, Mended { slot, lost: lost.clone(), lacked_reasoning });
        }
        self.mended = mended;
        first
    }

    /// Adds what stands behind the messages that it is of.
    fn extend(
        &mut self,
        handles: &mut Handles,
        slots: Slots<'_>,
        provider: &dyn Provider,
    ) -> Result<(), JsValue> {
        loop {
            let mut leading = self.runs.is_empty();
            let next = || {
                let run = self.next_entry(slots, provider, leading)?;
                leading = false;
                Some(run)
            };
            let runs: Vec<Entry<'_>> = std::iter::from_fn(next).take(TOGETHER).collect();
            if runs.is_empty() {
                break;
            }
            let mut batch = Batch::default();
            for run in &runs {
                if handles.objects(run, provider.format()).is_none() {
                    handles.make(run, slots, provider, &mut batch)?;
                }
            }
            handles.take(&mut batch)?;
            for run in &runs {
                self.add(run, handles, provider)?;
            }
        }
        self.finish(slots, provider)
    }

    /// Adds an entry, whose objects are there.
    fn add(&mut self, run: &Entry<'_>, handles: &Handles, provider: &dyn Provider) -> Result<(), JsValue> {
        let [(start, (slot, _)), ..] = run[..] else { return Ok(()) };
        let Some(Objects { objects, notes }) = handles.objects(run, provider.format()) else { return Ok(()) };
        let left_out = run.iter().filter_map(|(at, _)| self.mended.get(at)).flat_map(|m| m.lost.notes());
        self.notes.extend(left_out.map(|what| (start, what.to_owned())));
        self.notes.extend(notes.iter().map(|note| (start, note.what.clone())));
        let entries = self.entries.length();
        let opens = self.opened.is_none() && !objects.is_empty() && !slot.message.role.is_instruction();
        if opens {
            self.opened = Some(entries);
            if let Some(opening) = provider.opening(slot.message.role) {
                self.notes.push((start, OPENED.to_owned()));
                self.entries.push(&to_js(&opening)?);
            }
        }
        let written = self.entries.length();
        for object in objects {
            self.entries.push(object);
        }
        self.runs.push(Run { slot: start, entries, written });
        Ok(())
    }

    /// Ends the list as its format wants one to end. What makes no entry may stand behind the last that does.
    fn finish(&mut self, slots: Slots<'_>, provider: &dyn Provider) -> Result<(), JsValue> {
        self.end.clear();
        let mut behind = self.slots;
        for run in self.runs.iter().rev() {
            if run.written < self.entries.length() {
                let shown = (run.slot..behind).filter(|at| !self.head.contains(at));
                let entry: Entry<'_> = shown.filter_map(|at| Some((at, slots(at)?))).collect();
                let Some((items, notes)) = finished(&entry, slots, provider) else { break };
                self.end.extend(notes.into_iter().map(|note| (run.slot, note.what)));
                self.entries.set_length(run.written);
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

    /// The next messages that stand in one entry, with their positions. `leading`: there is no entry before.
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
                let mended = self.mended.get(&self.slots);
                if mended.map_or_else(|| lacks_reasoning(slot, node), |mended| mended.lacked_reasoning) {
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

/// Whether a pass has taken reasoning off it.
fn lacks_reasoning(slot: &Slot, node: &Node) -> bool {
    slot.form != Form::Whole && thoughts(&slot.message) < thoughts(&node.message)
}

fn thoughts(message: &Message) -> usize {
    message.parts.iter().filter(|part| matches!(part, Part::Reasoning(_))).count()
}
