//! `OpenAI`'s input items beside a conversation that is compacted now and then (PROV-1).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::{Calls, links, provider};
use crate::error::Result;
use crate::message::{Format, Message, Part, Role, ToolOutput};

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
                (Cow::Borrowed(_), Matched::Kept(entry)) => {
                    out.extend(entry.items.clone().map(Rebuilt::Kept));
                    entry.message.clone()
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

/// The messages of the history that compacted ones are. A view mostly ends as its history does.
fn matched<'a>(entries: &'a [Entry], compacted: &[&'a Message]) -> Vec<Matched<'a>> {
    let from_the_end = entries.iter().rev().zip(compacted.iter().rev());
    let end = from_the_end.take_while(|(entry, message)| same_said(&entry.message, message)).count();
    let (before, there) = entries.split_at(entries.len() - end);
    let edited = &compacted[..compacted.len() - end];
    let mut finder = Matcher::new(before, edited.len());
    let edited = edited.iter().map(|message| finder.find(message));
    edited.chain(there.iter().map(Matched::Kept)).collect()
}

/// A compacted message, or the message of the history that it is.
enum Matched<'a> {
    Kept(&'a Entry),
    Changed(Box<Message>),
    New(&'a Message),
}

impl Matched<'_> {
    fn message(&self) -> &Message {
        match self {
            Self::Kept(entry) => &entry.message,
            Self::New(message) => message,
            Self::Changed(message) => message,
        }
    }
}

/// Finds compacted messages in the history, in order. What a message is looked up by is unique for calls and outputs
/// and nearly so for texts, so that a rebuild costs what the messages cost, however many there are.
struct Matcher<'a> {
    entries: &'a [Entry],
    /// `None` where few are to be found: they are looked for one by one.
    at: Option<HashMap<Key<'a>, Vec<usize>>>,
    next: usize,
}

/// So few messages are looked for without an index.
const FEW: usize = 4;

/// What a message is looked up by.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Output(&'a str),
    Call(&'a str),
    Text(Role, Looks<'a>),
}

impl<'a> Key<'a> {
    fn of(message: &'a Message) -> Self {
        if let Some(output) = message.tool_outputs().next() {
            return Self::Output(&output.call_id);
        }
        if let Some(call) = message.tool_calls().next() {
            return Self::Call(&call.id);
        }
        Self::Text(message.role, looks(message))
    }
}

/// How long a text is, and its two ends: unlike those of most others.
type Looks<'a> = (usize, &'a [u8], &'a [u8]);

fn looks(message: &Message) -> Looks<'_> {
    const END: usize = 24;
    let texts = || {
        message.parts.iter().filter_map(|part| match part {
            Part::Text { text, .. } | Part::Refusal { text, .. } => Some(text.as_bytes()),
            _ => None,
        })
    };
    let first = texts().next().unwrap_or_default();
    let end = first.len().min(END);
    (texts().map(<[u8]>::len).sum(), &first[..end], &first[first.len() - end..])
}

impl<'a> Matcher<'a> {
    /// `wanted`: how many messages are to be found.
    fn new(entries: &'a [Entry], wanted: usize) -> Self {
        let index = || {
            let mut at: HashMap<Key<'a>, Vec<usize>> = HashMap::new();
            for (i, entry) in entries.iter().enumerate() {
                at.entry(Key::of(&entry.message)).or_default().push(i);
            }
            at
        };
        Self { entries, at: (wanted > FEW).then(index), next: 0 }
    }

    /// The places behind the last message found of those that a message is looked up by.
    fn places(&self, message: &'a Message) -> Cow<'_, [usize]> {
        let key = Key::of(message);
        if let Some(at) = &self.at {
            let known = at.get(&key).map_or(&[][..], Vec::as_slice);
            return Cow::Borrowed(&known[known.partition_point(|&i| i < self.next)..]);
        }
        let alike = |i: &usize| {
            let of = &*self.entries[*i].message;
            of.role == message.role && Key::of(of) == key
        };
        Cow::Owned((self.next..self.entries.len()).filter(alike).collect())
    }

    /// The message of the history that `message` is, if it stands after the last one found.
    fn find(&mut self, message: &'a Message) -> Matched<'a> {
        let rest = self.places(message);
        let entries: &'a [Entry] = self.entries;
        let old = |i: usize| &*entries[i].message;
        let untouched = rest.iter().copied().find(|&i| same_said(old(i), message));
        let Some(i) = untouched.or_else(|| rest.first().copied().filter(|_| message.role == Role::Tool))
        else {
            return Matched::New(message);
        };
        self.next = i + 1;
        if untouched.is_some() {
            Matched::Kept(&entries[i])
        } else {
            Matched::Changed(Box::new(merged(old(i), message))) // the same call with other content: it was trimmed
        }
    }
}

/// Whether two messages say the same, whatever format they went through: same role, texts, media, calls, outputs.
/// Reasoning is not compared: a list that went through another format has lost it.
fn same_said(old: &Message, new: &Message) -> bool {
    let said = |m: &'_ Message| m.parts.iter().filter(|p| !matches!(p, Part::Reasoning(_))).count();
    old.role == new.role && said(old) == said(new) && {
        let of_old = old.parts.iter().filter(|p| !matches!(p, Part::Reasoning(_)));
        let of_new = new.parts.iter().filter(|p| !matches!(p, Part::Reasoning(_)));
        of_old.zip(of_new).all(|(a, b)| same_part(a, b))
    }
}

fn same_part(a: &Part, b: &Part) -> bool {
    match (a, b) {
        (Part::Text { text: a, .. }, Part::Text { text: b, .. })
        | (Part::Refusal { text: a, .. }, Part::Refusal { text: b, .. }) => same_text(a, b),
        (Part::ToolCall(a), Part::ToolCall(b)) => a.id == b.id && a.name == b.name && a.input == b.input,
        (Part::ToolOutput(a), Part::ToolOutput(b)) => {
            a.call_id == b.call_id
                && a.content.len() == b.content.len()
                && a.content.iter().zip(&b.content).all(|(a, b)| same_part(a, b))
        }
        (Part::Media(a), Part::Media(b)) => {
            (&a.url, &a.data, &a.file_id) == (&b.url, &b.data, &b.file_id) && a.kind == b.kind
        }
        (a, b) => a == b,
    }
}

/// The old tool message with the new content: its item keeps its kind and everything beside the content.
fn merged(old: &Message, new: &Message) -> Message {
    let mut out = old.clone();
    if let (Some(Part::ToolOutput(output)), Some(changed)) =
        (out.parts.first_mut(), new.tool_outputs().next())
    {
        let ToolOutput { content, output_ref, .. } = changed.clone();
        output.content = content;
        output.output_ref = output_ref;
    }
    out
}

/// An output that has no call before it goes.
fn drop_lone_outputs(matched: &mut Vec<Matched<'_>>) {
    let mut calls: HashSet<&str> = HashSet::new();
    let mut stays: Vec<bool> = Vec::with_capacity(matched.len());
    for message in matched.iter().map(Matched::message) {
        calls.extend(message.tool_calls().map(|call| call.id.as_str()));
        stays.push(message.tool_outputs().all(|output| calls.contains(output.call_id.as_str())));
    }
    let mut stays = stays.into_iter();
    matched.retain(|_| stays.next().unwrap_or(true));
}

/// Whether two texts are the same: eight bytes at a time, where the module's own comparison looks at one.
fn same_text(a: &str, b: &str) -> bool {
    let ((a, end_of_a), (b, end_of_b)) = (a.as_bytes().as_chunks::<8>(), b.as_bytes().as_chunks::<8>());
    let same = |(a, b): (&[u8; 8], &[u8; 8])| u64::from_ne_bytes(*a) == u64::from_ne_bytes(*b);
    a.len() == b.len() && end_of_a == end_of_b && a.iter().zip(b).all(same)
}
