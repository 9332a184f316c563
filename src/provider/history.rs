//! `OpenAI`'s input items beside a conversation that is compacted now and then (PROV-1).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use serde_json::Value;

use super::{Calls, links, provider};
use crate::error::Result;
use crate::message::{Format, Message, Part, Role, ToolOutput};

/// The input items of the Responses API: only appended to, until a compaction rebuilds them.
#[derive(Debug, Clone, Default)]
pub struct OpenAiHistory {
    entries: Vec<Entry>,
    len: usize,
}

/// A message and the items that it came from.
#[derive(Debug, Clone)]
struct Entry {
    message: Message,
    items: Range<usize>,
}

/// One item after a rebuild.
#[derive(Debug, Clone, PartialEq)]
pub enum Rebuilt {
    /// The item at this index before the rebuild, untouched.
    Kept(usize),
    /// An item written anew.
    New(Value),
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
        self.entries.iter().map(|entry| &entry.message)
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
        self.entries
            .extend(read.into_iter().map(|(message, r)| Entry { message, items: r.start + at..r.end + at }));
        self.len += items.len();
        Ok(())
    }

    /// Rebuilds the items from the compacted messages. Items whose messages are still there untouched come back as
    /// they were, with what belongs to them (reasoning); items that no longer fit are discarded.
    ///
    /// # Errors
    /// None so far; a message that the format cannot say leaves no item.
    pub fn rebuild(&mut self, compacted: &[Message]) -> Result<Vec<Rebuilt>> {
        let mut finder = Matcher::new(&self.entries);
        let matched: Vec<Matched<'_>> = compacted.iter().map(|m| finder.find(m)).collect();
        let answered = Pairing::of(&matched);
        let view: Vec<Cow<'_, Message>> = matched
            .iter()
            .filter(|m| answered.fits(m.message()))
            .map(|m| Cow::Borrowed(m.message()))
            .collect();
        let view = links::unlink_orphans(self.entries.iter().map(|e| &e.message), view);
        let by_address: HashMap<*const Message, &Range<usize>> =
            self.entries.iter().map(|e| (std::ptr::from_ref(&e.message), &e.items)).collect();
        let mut out: Vec<Rebuilt> = Vec::new();
        let mut entries: Vec<Entry> = Vec::new();
        let mut calls = Calls::default();
        let writer = provider(Format::OpenaiResponses);
        for message in &view {
            calls.add(message);
            let start = out.len();
            match message {
                Cow::Borrowed(m) if by_address.contains_key(&std::ptr::from_ref(*m)) => {
                    let items = by_address[&std::ptr::from_ref(*m)].clone();
                    out.extend(items.map(Rebuilt::Kept));
                }
                m => out.extend(writer.write_one(m, &calls).into_iter().map(Rebuilt::New)),
            }
            entries.push(Entry { message: message.as_ref().clone(), items: start..out.len() });
        }
        drop(calls);
        self.len = out.len();
        self.entries = entries;
        Ok(out)
    }
}

/// A compacted message, or the message of the history that it is.
enum Matched<'a> {
    Kept(&'a Message),
    Changed(Box<Message>),
    New(&'a Message),
}

impl Matched<'_> {
    fn message(&self) -> &Message {
        match self {
            Self::Kept(message) | Self::New(message) => message,
            Self::Changed(message) => message,
        }
    }
}

/// Finds compacted messages in the history, in order. What a message is looked up by is unique for calls and outputs
/// and nearly so for texts, so that a rebuild costs what the messages cost, however many there are.
struct Matcher<'a> {
    entries: &'a [Entry],
    at: HashMap<Key<'a>, Vec<usize>>,
    next: usize,
}

/// What a message is looked up by.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Output(&'a str),
    Call(&'a str),
    Text(Role, u64),
}

impl<'a> Key<'a> {
    fn of(message: &'a Message) -> Self {
        if let Some(output) = message.tool_outputs().next() {
            return Self::Output(&output.call_id);
        }
        if let Some(call) = message.tool_calls().next() {
            return Self::Call(&call.id);
        }
        let mut hasher = DefaultHasher::new();
        message.plain_text().hash(&mut hasher);
        Self::Text(message.role, hasher.finish())
    }
}

impl<'a> Matcher<'a> {
    fn new(entries: &'a [Entry]) -> Self {
        let mut at: HashMap<Key<'a>, Vec<usize>> = HashMap::new();
        for (i, entry) in entries.iter().enumerate() {
            at.entry(Key::of(&entry.message)).or_default().push(i);
        }
        Self { entries, at, next: 0 }
    }

    /// The message of the history that `message` is, if it stands after the last one found.
    fn find(&mut self, message: &'a Message) -> Matched<'a> {
        let known = self.at.get(&Key::of(message)).map_or(&[][..], Vec::as_slice);
        let rest = &known[known.partition_point(|&i| i < self.next)..];
        let old = |i: usize| &self.entries[i].message;
        let untouched = rest.iter().copied().find(|&i| same_said(old(i), message));
        let Some(i) = untouched.or_else(|| rest.first().copied().filter(|_| message.role == Role::Tool))
        else {
            return Matched::New(message);
        };
        self.next = i + 1;
        if untouched.is_some() {
            Matched::Kept(old(i))
        } else {
            Matched::Changed(Box::new(merged(old(i), message))) // the same call with other content: it was trimmed
        }
    }
}

/// Whether two messages say the same, whatever format they went through: same role, texts, media, calls, outputs.
/// Reasoning is not compared: a list that went through another format has lost it.
fn same_said(old: &Message, new: &Message) -> bool {
    let said = |m: &'_ Message| m.parts.iter().filter(|p| !matches!(p, Part::Reasoning(_))).count();
    old.role == new.role
        && (old.parts == new.parts
            || said(old) == said(new) && {
                let of_old = old.parts.iter().filter(|p| !matches!(p, Part::Reasoning(_)));
                let of_new = new.parts.iter().filter(|p| !matches!(p, Part::Reasoning(_)));
                of_old.zip(of_new).all(|(a, b)| same_part(a, b))
            })
}

fn same_part(a: &Part, b: &Part) -> bool {
    match (a, b) {
        (Part::Text { text: a, .. }, Part::Text { text: b, .. })
        | (Part::Refusal { text: a, .. }, Part::Refusal { text: b, .. }) => a == b,
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

/// Which outputs have their call before them.
struct Pairing(HashSet<String>);

impl Pairing {
    fn of(matched: &[Matched<'_>]) -> Self {
        let mut open = HashSet::new();
        let mut fitting = HashSet::new();
        for message in matched.iter().map(Matched::message) {
            open.extend(message.tool_calls().map(|c| c.id.clone()));
            fitting.extend(
                message.tool_outputs().filter(|o| open.contains(&o.call_id)).map(|o| o.call_id.clone()),
            );
        }
        Self(fitting)
    }

    /// Whether it is no output, or one that has its call.
    fn fits(&self, message: &Message) -> bool {
        message.tool_outputs().all(|output| self.0.contains(&output.call_id))
    }
}
