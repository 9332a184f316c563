//! Keeps a list of `OpenAI` input items in step with a conversation that is compacted from time to time (PROV-1).

mod content;
mod index;
mod matching;
mod piece;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use matching::{Indexed, Matched, matched};
use piece::Entry;

use super::{Calls, Note, links, provider};
use crate::error::Result;
use crate::hashing::HashSet;
use crate::message::{Format, Message, ToolOutput};

/// Input items of the Responses API. Items are only appended, until a compaction rebuilds the list.
#[derive(Debug, Clone, Default)]
pub struct OpenAiHistory {
    entries: Vec<Entry>,
    len: usize,
    /// Whether it contains reasoning.
    has_reasoning: bool,
    /// Entries that a rebuild discarded. Freeing thousands of messages takes longer than the rebuild itself, so they
    /// are freed gradually as items are appended.
    discarded: Vec<Entry>,
}

/// The planned result of a rebuild.
#[derive(Debug)]
pub struct Rebuild {
    /// The new list, item by item.
    pub items: Vec<Rebuilt>,
    /// What of the compacted messages gets no item, or is expressed differently.
    pub notes: Vec<Note>,
    entries: Vec<Entry>,
    reasons: bool,
}

/// One item after a rebuild.
#[derive(Debug, Clone, PartialEq)]
pub enum Rebuilt {
    /// The item that had this index before the rebuild, unchanged.
    Kept(usize),
    /// A newly written item.
    New(Box<Value>),
}

impl Rebuilt {
    /// The item, if it was newly written.
    pub fn new_item(&self) -> Option<&Value> {
        if let Self::New(item) = self { Some(item) } else { None }
    }
}

impl OpenAiHistory {
    /// Appends items: new input of the caller, or the `output` of a response.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` with the index of the item in `items`; nothing is appended then.
    pub fn append(&mut self, items: &[Value]) -> Result<()> {
        let read = provider(Format::OpenaiResponses).read_list(items)?;
        let at = self.len;
        let entry = |(message, r): (Message, Range<usize>)| Entry {
            message: Arc::new(message),
            items: r.start + at..r.end + at,
        };
        self.has_reasoning |= read.iter().any(|(message, _)| links::has_reasoning(message));
        self.entries.extend(read.into_iter().map(entry));
        self.discarded.truncate(self.discarded.len().saturating_sub(64 * items.len()));
        self.len += items.len();
        Ok(())
    }

    /// Plans a rebuild from the compacted messages. Items whose messages are unchanged are kept, together with the
    /// reasoning that belongs to them; items that no longer fit are discarded. An output without its call, and what the
    /// format cannot express, get no item; the plan's notes say so.
    pub fn plan<'a>(&self, compacted: impl IntoIterator<Item = &'a Message>) -> Rebuild {
        let compacted: Vec<&Message> = compacted.into_iter().collect();
        let compacted_has_reasoning = compacted.iter().any(|message| links::has_reasoning(message));
        let mut matched = matched(&self.entries, &compacted, self.has_reasoning && !compacted_has_reasoning);
        let mut notes = drop_lone_outputs(&mut matched);
        let is_linked = self.has_reasoning || compacted_has_reasoning;
        if is_linked {
            matched = without_broken_links(&self.entries, matched);
        }
        let mut items: Vec<Rebuilt> = Vec::with_capacity(matched.len());
        let mut entries: Vec<Entry> = Vec::with_capacity(matched.len());
        let writer = provider(Format::OpenaiResponses);
        for (index, matched) in matched {
            let start = items.len();
            if let Matched::Kept(message, at) = matched {
                items.extend(at.map(Rebuilt::Kept));
                entries.push(Entry { message: message.into_owned(), items: start..items.len() });
                continue;
            }
            let is_as_given = matches!(matched, Matched::New(_));
            let message = matched.into_message();
            let calls = |id: &str| {
                let before = entries.iter().rev().map(|entry| &*entry.message);
                std::iter::once(&*message)
                    .chain(before)
                    .find_map(|m| m.tool_calls().rfind(|call| call.id == id))
            };
            let mut told = Vec::new();
            let written = writer.write_run(&[&message], &Calls::with_lookup(&calls), &mut told);
            let told = told.into_iter().filter(|_| is_as_given);
            notes.extend(told.map(|note| Note { index, ..note }));
            items.extend(written.into_iter().map(|item| Rebuilt::New(Box::new(item))));
            entries.push(Entry { message, items: start..items.len() });
        }
        let reasons = is_linked && entries.iter().any(|entry| links::has_reasoning(&entry.message));
        Rebuild { items, notes, entries, reasons }
    }

    /// Carries out a plan. It must be a plan of this history, and nothing may have been appended since.
    pub fn apply(&mut self, plan: Rebuild) {
        let Rebuild { items, entries, reasons, .. } = plan;
        self.len = items.len();
        self.has_reasoning = reasons;
        self.discarded = std::mem::replace(&mut self.entries, entries);
    }
}

/// Removes what lost its other half.
fn without_broken_links<'a>(entries: &[Entry], matched: Vec<Indexed<'a>>) -> Vec<Indexed<'a>> {
    enum Linked {
        Same,
        Other(Message),
        Gone,
    }
    let history = entries.iter().map(|entry| &*entry.message);
    let linked =
        links::unlink_each(history, matched.iter().map(|(_, matched)| Cow::Borrowed(matched.message())));
    let linked = linked.into_iter().map(|message| match message {
        Some(Cow::Borrowed(_)) => Linked::Same,
        Some(Cow::Owned(message)) => Linked::Other(message),
        None => Linked::Gone,
    });
    let linked: Vec<Linked> = linked.collect();
    let set_right = |((index, matched), linked)| match linked {
        Linked::Same => Some((index, matched)),
        Linked::Other(message) => Some((index, Matched::Changed(Box::new(message)))),
        Linked::Gone => None,
    };
    matched.into_iter().zip(linked).filter_map(set_right).collect()
}

/// Removes outputs without a call before them, with a note on each.
fn drop_lone_outputs(matched: &mut Vec<Indexed<'_>>) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut lone = lone_outputs(matched).into_iter();
    if lone.len() == 0 {
        return notes;
    }
    matched.retain(|(index, matched)| {
        let is_lone = lone.next().unwrap_or_default();
        for output in matched.message().tool_outputs().filter(|_| is_lone) {
            notes.push(Note {
                index: *index,
                what: format!(
                    "the output of the call `{}` is left out: the call does not come before it",
                    output.call_id
                ),
            });
        }
        !is_lone
    });
    notes
}

/// For each message whether it is an output without a call before it; empty if there is none. Most outputs come
/// directly after their call, so the ids of all calls are only collected for an output that does not.
fn lone_outputs(matched: &[Indexed<'_>]) -> Vec<bool> {
    const NEARBY_CALLS: usize = 8;
    let mut lone: Vec<bool> = Vec::new();
    let mut calls: HashSet<&str> = HashSet::default();
    let mut gathered = 0;
    let mut caller: Option<&Message> = None;
    for (at, message) in matched.iter().map(|(_, matched)| matched.message()).enumerate() {
        caller = message.tool_calls().next().map(|_| message).or(caller);
        let mut is_called = |output: &ToolOutput| {
            let mut near = caller.into_iter().flat_map(Message::tool_calls).take(NEARBY_CALLS);
            if near.any(|call| call.id == output.call_id) {
                return true;
            }
            let before =
                matched[gathered..=at].iter().flat_map(|(_, matched)| matched.message().tool_calls());
            calls.extend(before.map(|call| call.id.as_str()));
            gathered = at + 1;
            calls.contains(output.call_id.as_str())
        };
        if !message.tool_outputs().all(&mut is_called) {
            lone.resize(matched.len(), false);
            lone[at] = true;
        }
    }
    lone
}
