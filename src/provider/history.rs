//! `OpenAI`'s input items beside a conversation that is compacted now and then (PROV-1).

mod matching;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use matching::{Matched, matched};

use super::{Calls, links, provider};
use crate::error::Result;
use crate::hashing::HashSet;
use crate::message::{Format, Message};

/// The input items of the Responses API: only appended to, until a compaction rebuilds them.
#[derive(Debug, Clone, Default)]
pub struct OpenAiHistory {
    entries: Vec<Entry>,
    len: usize,
    /// What a rebuild discarded. To free thousands of messages takes longer than to rebuild the list: it is done bit by bit, as
    /// items come in.
    discarded: Vec<Entry>,
}

/// A message and the items that it came from.
#[derive(Debug, Clone)]
struct Entry {
    message: Arc<Message>,
    items: Range<usize>,
}

/// One item after a rebuild.
#[derive(Debug, Clone, PartialEq)]
pub enum Rebuilt {
    /// The item at this index before the rebuild, untouched.
    Kept(usize),
    /// An item written anew.
    New(Box<Value>),
}

impl OpenAiHistory {
    /// An empty history.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no item.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The messages that the items are.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.entries.iter().map(|entry| &*entry.message)
    }

    /// The items, as they came.
    pub fn items(&self) -> Vec<Value> {
        let messages: Vec<&Message> = self.messages().collect();
        provider(Format::OpenaiResponses).write(&messages).items
    }

    /// Appends items: what the caller adds, or what a response brought in its `output`.
    ///
    /// # Errors
    /// `INVALID_MESSAGE` with the index of the item among those handed in; nothing is appended then.
    pub fn append(&mut self, items: &[Value]) -> Result<()> {
        let read = provider(Format::OpenaiResponses).read_list(items)?;
        let at = self.len;
        let entry = |(message, r): (Message, Range<usize>)| Entry {
            message: Arc::new(message),
            items: r.start + at..r.end + at,
        };
        self.entries.extend(read.into_iter().map(entry));
        self.discarded.truncate(self.discarded.len().saturating_sub(64 * items.len()));
        self.len += items.len();
        Ok(())
    }

    /// Rebuilds the items from the compacted messages. Items whose messages are still there untouched come back as
    /// they were, with what belongs to them (reasoning); items that no longer fit are discarded.
    ///
    /// # Errors
    /// None so far; a message that the format cannot say leaves no item.
    pub fn rebuild<'a>(&mut self, compacted: impl IntoIterator<Item = &'a Message>) -> Result<Vec<Rebuilt>> {
        let compacted: Vec<&Message> = compacted.into_iter().collect();
        let mut matched = matched(&self.entries, &compacted);
        drop_lone_outputs(&mut matched);
        let linked = linked(&self.entries, &matched);
        let mut out: Vec<Rebuilt> = Vec::new();
        let mut entries: Vec<Entry> = Vec::new();
        let writer = provider(Format::OpenaiResponses);
        for (at, matched) in matched.iter().enumerate() {
            let linked =
                linked.as_ref().map_or(Some(Cow::Borrowed(matched.message())), |view| view[at].clone());
            let Some(message) = linked else { continue };
            let start = out.len();
            let message = match (message, matched) {
                (Cow::Borrowed(_), Matched::Kept(piece)) => {
                    out.extend(piece.items.clone().map(Rebuilt::Kept));
                    piece.shared().clone()
                }
                (message, _) => {
                    let calls = |id: &str| {
                        let before = entries.iter().rev().map(|entry| &*entry.message);
                        std::iter::once(&*message)
                            .chain(before)
                            .find_map(|m| m.tool_calls().rfind(|call| call.id == id))
                    };
                    let items = writer.write_one(&message, &Calls::looked_up(&calls));
                    out.extend(items.into_iter().map(|item| Rebuilt::New(Box::new(item))));
                    Arc::new(message.into_owned())
                }
            };
            entries.push(Entry { message, items: start..out.len() });
        }
        drop(linked);
        drop(matched);
        self.len = out.len();
        self.discarded = std::mem::replace(&mut self.entries, entries);
        Ok(out)
    }
}

/// The messages as they are without what lost its other half (`None` where one goes), where anything is linked at all.
fn linked<'a>(entries: &'a [Entry], matched: &'a [Matched<'a>]) -> Option<Vec<Option<Cow<'a, Message>>>> {
    let history = || entries.iter().map(|entry| &*entry.message);
    let view = || matched.iter().map(Matched::message);
    let is_linked = history().chain(view()).any(links::has_reasoning);
    is_linked.then(|| links::unlink_each(history(), view().map(Cow::Borrowed)))
}

/// An output that has no call before it goes.
fn drop_lone_outputs(matched: &mut Vec<Matched<'_>>) {
    let mut calls: HashSet<&str> = HashSet::default();
    let mut stays: Vec<bool> = Vec::with_capacity(matched.len());
    for message in matched.iter().map(Matched::message) {
        calls.extend(message.tool_calls().map(|call| call.id.as_str()));
        stays.push(message.tool_outputs().all(|output| calls.contains(output.call_id.as_str())));
    }
    let mut stays = stays.into_iter();
    matched.retain(|_| stays.next().unwrap_or(true));
}
