//! A message of the history, or the part of it that is one item. Items that were appended one by one are separate
//! messages; items that were appended together are one message.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::content::Content;
use crate::message::{Extras, Message, Part, Role};

/// A message and the items that it came from.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub message: Arc<Message>,
    pub items: Range<usize>,
}

pub(super) struct Piece<'a> {
    message: &'a Arc<Message>,
    parts: Range<usize>,
    pub items: Range<usize>,
    /// The index of the message in the history.
    pub entry: usize,
}

impl<'a> Piece<'a> {
    pub fn whole((at, entry): (usize, &'a Entry)) -> Self {
        let Entry { message, items } = entry;
        Self { message, parts: 0..message.parts.len(), items: items.clone(), entry: at }
    }

    /// The pieces of a message, one for each item.
    pub fn each((at, entry): (usize, &'a Entry), out: &mut Vec<Self>) {
        let Entry { message, items } = entry;
        if message.parts.len() < 2 || items.len() < 2 || by_item(message).count() != items.len() {
            out.push(Self::whole((at, entry)));
            return;
        }
        let pieces = by_item(message).zip(items.clone());
        out.extend(pieces.map(|(parts, item)| Self { message, parts, items: item..item + 1, entry: at }));
    }

    pub fn content(&self) -> Content<'a> {
        Content { role: self.message.role, parts: &self.message.parts[self.parts.clone()] }
    }

    /// The piece as a message.
    pub fn message(&self) -> Cow<'a, Arc<Message>> {
        if self.parts.len() == self.message.parts.len() {
            Cow::Borrowed(self.message)
        } else {
            Cow::Owned(Arc::new(part_of(self.message, self.parts.clone())))
        }
    }
}

/// The ranges of parts of an assistant message that are one item each. Adjacent texts are one item.
pub(super) fn by_item(message: &Message) -> impl Iterator<Item = Range<usize>> {
    let parts = if message.role == Role::Assistant { &message.parts[..] } else { &[] };
    let is_text = |part: &Part| matches!(part, Part::Text { .. } | Part::Refusal { .. } | Part::Media(_));
    let mut at = 0;
    parts.chunk_by(move |a, b| is_text(a) && is_text(b)).map(move |of_one| {
        at += of_one.len();
        at - of_one.len()..at
    })
}

/// A message with some parts of another. The extras of the whole message go with its text.
pub(super) fn part_of(message: &Message, parts: Range<usize>) -> Message {
    let parts = message.parts[parts].to_vec();
    let is_text = matches!(parts.first(), Some(Part::Text { .. } | Part::Refusal { .. }));
    let extras = if is_text { message.extras.clone() } else { Extras::default() };
    Message { role: message.role, parts, meta: message.meta.clone(), extras }
}
