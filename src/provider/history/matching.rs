//! Matches compacted messages with items of a history, even if the two are divided into messages differently.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use super::content::Content;
use super::index::Index;
use super::piece::{Entry, Piece, by_item, part_of};
use crate::hashing::HashSet;
use crate::message::{Message, Part, Role, ToolOutput};

/// A compacted message, or an item of one.
pub(super) enum Matched<'a> {
    /// It consists of these items of the history.
    Kept(Cow<'a, Arc<Message>>, Range<usize>),
    /// It has to be written, in this form.
    Changed(Box<Message>),
    /// It has to be written.
    New(&'a Message),
}

impl Matched<'_> {
    pub fn message(&self) -> &Message {
        match self {
            Self::Kept(message, _) => message,
            Self::New(message) => message,
            Self::Changed(message) => message,
        }
    }

    pub fn into_message(self) -> Arc<Message> {
        match self {
            Self::Kept(message, _) => message.into_owned(),
            Self::New(message) => Arc::new(message.clone()),
            Self::Changed(message) => message.into(),
        }
    }
}

/// What was matched, with the index of the compacted message that it is for.
pub(super) type Indexed<'a> = (usize, Matched<'a>);

/// Matches the compacted messages. Usually the end of a view is the same as the end of its history, except for trimmed
/// outputs. `lost_reasoning`: the history has reasoning and the messages have none.
pub(super) fn matched<'a>(
    entries: &'a [Entry],
    compacted: &[&'a Message],
    lost_reasoning: bool,
) -> Vec<Indexed<'a>> {
    let from_the_end = entries.iter().rev().zip(compacted.iter().enumerate().rev());
    // Trimmed outputs cannot be matched from the end if reasoning before them may have to be restored, or if ids are
    // used twice, so that an id does not identify an output.
    let ids_are_unique = OnceCell::new();
    let can_walk = || *ids_are_unique.get_or_init(|| !lost_reasoning && are_answered_once(entries));
    let still = |(entry, (index, message)): (&'a Entry, (usize, &&Message))| {
        let matched = kept(entry, message).or_else(|| trimmed(entry, message).filter(|_| can_walk()))?;
        Some((index, matched))
    };
    let end: Vec<Indexed<'a>> = from_the_end.map_while(still).collect();
    let before = &entries[..entries.len() - end.len()];
    let edited = &compacted[..compacted.len() - end.len()];
    let mut out = Vec::with_capacity(compacted.len());
    if !edited.is_empty() {
        let pieces = pieces(before, edited);
        let mut finder = Finder {
            index: Index::new(&pieces, edited.len()),
            pieces: &pieces,
            found: Vec::with_capacity(edited.len()),
        };
        for (index, message) in edited.iter().enumerate() {
            finder.find(message, index);
        }
        with_reasoning(finder.found, &pieces, lost_reasoning, &mut out);
    }
    out.extend(end.into_iter().rev());
    out
}

/// Whether no two outputs have the same call id.
fn are_answered_once(entries: &[Entry]) -> bool {
    let mut ids: HashSet<&str> = HashSet::default();
    entries.iter().flat_map(|entry| entry.message.tool_outputs()).all(|output| ids.insert(&output.call_id))
}

/// Matches if both are the same message.
fn kept<'a>(entry: &'a Entry, message: &Message) -> Option<Matched<'a>> {
    let is_same = Content::from(&*entry.message).same_as(message.into());
    is_same.then(|| Matched::Kept(Cow::Borrowed(&entry.message), entry.items.clone()))
}

/// Matches if both are the answer to the same call, with different content.
fn trimmed<'a>(entry: &'a Entry, message: &Message) -> Option<Matched<'a>> {
    let is_answer = Content::from(&*entry.message).answers_the_same(message.into());
    is_answer.then(|| Matched::Changed(Box::new(merged(&entry.message, message))))
}

/// The pieces of the history that are searched: single items if an edited message may be divided differently.
fn pieces<'a>(before: &'a [Entry], edited: &[&Message]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::with_capacity(before.len());
    let by_item = edited.iter().any(|message| message.role == Role::Assistant);
    for entry in before.iter().enumerate() {
        if by_item {
            Piece::each(entry, &mut pieces);
        } else {
            pieces.push(Piece::whole(entry));
        }
    }
    pieces
}

/// A position in the list of pieces, or a message to be written.
enum Found<'a> {
    At(usize),
    Not(Matched<'a>),
}

/// Finds compacted messages in the history, in order.
struct Finder<'p, 'a> {
    pieces: &'p [Piece<'a>],
    index: Index<'p, 'a>,
    /// With the indexes of the compacted messages.
    found: Vec<(usize, Found<'a>)>,
}

impl<'a> Finder<'_, 'a> {
    /// Finds `message` in the history after what was found before: all of it, or item by item.
    fn find(&mut self, message: &'a Message, index: usize) {
        let content = Content::from(message);
        if let Some(at) = self.index.find_same(content) {
            self.found.push((index, Found::At(at)));
        } else if !self.find_items(message, index) {
            let trimmed = if message.role == Role::Tool { self.index.find_by_key(content) } else { None };
            let written = match trimmed {
                Some(at) => Matched::Changed(Box::new(merged(&self.pieces[at].message(), message))),
                None => Matched::New(message),
            };
            self.found.push((index, Found::Not(written)));
        }
    }

    /// If it has several items and some of them are found, adds all of them. Returns whether it did.
    fn find_items(&mut self, message: &'a Message, index: usize) -> bool {
        if message.parts.len() < 2 {
            return false;
        }
        let part = |parts: Range<usize>| {
            let content = Content { role: message.role, parts: &message.parts[parts.clone()] };
            (self.index.find_same(content), parts)
        };
        let items: Vec<(Option<usize>, Range<usize>)> = by_item(message).map(part).collect();
        let is_found = items.iter().any(|(at, _)| at.is_some());
        if is_found {
            let changed = |parts| Found::Not(Matched::Changed(Box::new(part_of(message, parts))));
            let found = items.into_iter().map(|(at, parts)| at.map_or_else(|| changed(parts), Found::At));
            self.found.extend(found.map(|found| (index, found)));
        }
        is_found
    }
}

/// Adds what was found, together with the reasoning that led to it if that was lost: a list that went through another
/// format has no reasoning.
fn with_reasoning<'a>(
    found: Vec<(usize, Found<'a>)>,
    pieces: &[Piece<'a>],
    lost_reasoning: bool,
    out: &mut Vec<Indexed<'a>>,
) {
    let mut is_taken = vec![false; pieces.len()];
    for (_, found) in &found {
        if let Found::At(at) = found {
            is_taken[*at] = true;
        }
    }
    for (index, found) in found {
        let at = match found {
            Found::At(at) => at,
            Found::Not(matched) => {
                out.push((index, matched));
                continue;
            }
        };
        let goes_along = |before: &usize| {
            let (led, to) = (&pieces[*before], &pieces[at]);
            led.content().is_reasoning() && !is_taken[*before] && (led.entry == to.entry || lost_reasoning)
        };
        let first = if pieces[at].content().is_reasoning() {
            at
        } else {
            (0..at).rev().take_while(goes_along).last().unwrap_or(at)
        };
        let kept = |piece: &Piece<'a>| (index, Matched::Kept(piece.message(), piece.items.clone()));
        out.extend(pieces[first..=at].iter().map(kept));
    }
}

/// The old tool message with the new content: its item keeps its kind and everything except the content.
fn merged(old: &Message, new: &Message) -> Message {
    let (Some((Part::ToolOutput(output), beside)), Some(new_output)) =
        (old.parts.split_first(), new.tool_outputs().next())
    else {
        return old.clone();
    };
    let ToolOutput { call_id, is_error, extras, .. } = &**output;
    let output = ToolOutput {
        call_id: call_id.clone(),
        content: new_output.content.clone(),
        is_error: *is_error,
        output_ref: new_output.output_ref.clone(),
        extras: extras.clone(),
    };
    let parts = std::iter::once(output.into()).chain(beside.iter().cloned()).collect();
    Message { role: old.role, parts, meta: old.meta.clone(), extras: old.extras.clone() }
}

#[cfg(test)]
mod tests;
