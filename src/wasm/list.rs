//! A list of a format's objects, kept from one look to the next: what is new since is added, what was edited is made anew.

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::handles::{Handles, Shown, finished};
use super::value::to_js;
use crate::context::Form;
use crate::message::{Message, Part};
use crate::provider::{Calls, Provider};

/// The messages that a list is of, by position; none behind the last.
pub type Slots<'a> = &'a dyn Fn(usize) -> Option<Shown<'a>>;

/// Messages that stand in one entry, with their positions.
pub type Entry<'a> = Vec<(usize, Shown<'a>)>;

/// Messages that stand in one entry: where they begin, and the entries that there are before theirs.
struct Run {
    slot: usize,
    entries: u32,
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
    runs: Vec<Run>,
    /// The entry that the format wants before a list that would begin otherwise.
    opened: Option<u32>,
}

impl List {
    /// A copy for the caller, who may do with it what he likes.
    pub fn handed_out(&self) -> Array {
        self.entries.slice(0, self.entries.length())
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
        self.head.truncate(self.head.partition_point(|head| *head < slots));
        self.lost_reasoning = self.lost_reasoning.filter(|at| *at < slots);
        self.opened = self.opened.filter(|at| *at < entries);
    }

    /// Adds what stands behind the messages that it is of.
    pub fn extend(
        &mut self,
        handles: &mut Handles,
        slots: Slots<'_>,
        provider: &dyn Provider,
    ) -> Result<(), JsValue> {
        let mut next = self.next_entry(slots, provider);
        while let Some(run) = next.take() {
            let [(start, (slot, _)), ..] = run[..] else { break };
            let entries = self.entries.length();
            self.runs.push(Run { slot: start, entries });
            next = self.next_entry(slots, provider);
            let behind = run.last().map_or(start, |(at, _)| *at) + 1;
            let is_last = (behind..).map_while(slots).all(|(slot, _)| is_unwritten(&slot.message, provider));
            let at_the_end = if is_last || next.is_none() { finished(&run, slots, provider) } else { None };
            let objects = match at_the_end {
                Some(items) => items.iter().map(to_js).collect::<Result<Vec<_>, _>>()?.into(),
                None => handles.objects(&run, slots, provider)?,
            };
            let opens = self.opened.is_none() && !objects.is_empty() && !slot.message.role.is_instruction();
            if opens {
                self.opened = Some(entries);
                if let Some(opening) = provider.opening(slot.message.role) {
                    self.entries.push(&to_js(&opening)?);
                }
            }
            for object in objects.iter() {
                self.entries.push(object);
            }
        }
        Ok(())
    }

    /// The next messages that stand in one entry, with their positions.
    fn next_entry<'a>(&mut self, slots: Slots<'a>, provider: &dyn Provider) -> Option<Entry<'a>> {
        let mut run: Vec<(usize, Shown<'a>)> = Vec::new();
        let mut messages: Vec<&Message> = Vec::new();
        while let Some((slot, node)) = slots(self.slots) {
            let message = &*slot.message;
            let leading = self.runs.is_empty() && run.is_empty();
            if provider.is_head(message, leading) {
                self.head.push(self.slots);
            } else if run.is_empty() || provider.joins(&messages, message) {
                if slot.form != Form::Whole && thoughts(message) < thoughts(&node.message) {
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

/// Whether a message without a word makes no entry in this format.
fn is_unwritten(message: &Message, provider: &dyn Provider) -> bool {
    let is_blank = |part: &Part| matches!(part, Part::Text { text, .. } if text.is_empty());
    message.parts.iter().all(is_blank)
        && provider.write_run(&[message], &Calls::default(), &mut Vec::new()).is_empty()
}

fn thoughts(message: &Message) -> usize {
    message.parts.iter().filter(|part| matches!(part, Part::Reasoning(_))).count()
}
