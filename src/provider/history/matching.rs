//! Which items of a history compacted messages are, however either side was cut into messages.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::Entry;
use crate::hashing::HashMap;
use crate::message::{Extras, Message, Part, Reasoning, Role, ToolOutput};
use crate::provider::links::has_reasoning;

/// A compacted message, or an item of one.
pub(super) enum Matched<'a> {
    /// It is these items of the history.
    Kept(Piece<'a>),
    /// It is to be written, as it is told here.
    Changed(Box<Message>),
    /// It is to be written.
    New(&'a Message),
}

impl Matched<'_> {
    pub fn message(&self) -> &Message {
        match self {
            Self::Kept(piece) => piece.message(),
            Self::New(message) => message,
            Self::Changed(message) => message,
        }
    }
}

/// A message of the history, or what of it stands in one item: items that came one by one are messages of their own, and those
/// that came together are one.
#[derive(Clone)]
pub(super) struct Piece<'a> {
    message: Told<'a>,
    pub items: Range<usize>,
    /// The message that it is of.
    entry: usize,
}

#[derive(Clone)]
enum Told<'a> {
    Whole(&'a Arc<Message>),
    Part(Arc<Message>),
}

impl<'a> Piece<'a> {
    fn whole((at, entry): (usize, &'a Entry)) -> Self {
        Self { message: Told::Whole(&entry.message), items: entry.items.clone(), entry: at }
    }

    fn each((at, entry): (usize, &'a Entry)) -> Vec<Self> {
        let parts = by_item(&entry.message);
        if parts.len() < 2 || parts.len() != entry.items.len() {
            return vec![Self::whole((at, entry))];
        }
        let pieces = parts.into_iter().zip(entry.items.clone()).map(|(parts, item)| Self {
            message: Told::Part(Arc::new(part_of(&entry.message, parts))),
            items: item..item + 1,
            entry: at,
        });
        pieces.collect()
    }

    pub fn message(&self) -> &Message {
        self.shared()
    }

    pub fn shared(&self) -> &Arc<Message> {
        match &self.message {
            Told::Whole(message) => message,
            Told::Part(message) => message,
        }
    }

    fn is_reasoning(&self) -> bool {
        self.message().parts.iter().all(|part| matches!(part, Part::Reasoning(_)))
    }
}

/// The parts of a model's message that stand in one item each: texts beside each other are one item's.
fn by_item(message: &Message) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    if message.role != Role::Assistant {
        return out;
    }
    let mut goes_on = false;
    for (at, part) in message.parts.iter().enumerate() {
        let is_text = matches!(part, Part::Text { .. } | Part::Refusal { .. } | Part::Media(_));
        match out.last_mut() {
            Some(last) if is_text && goes_on => last.end = at + 1,
            _ => out.push(at..at + 1),
        }
        goes_on = is_text;
    }
    out
}

/// A message of some parts of another; what is said of all of it goes along with its text.
fn part_of(message: &Message, parts: Range<usize>) -> Message {
    let parts = message.parts[parts].to_vec();
    let is_text = matches!(parts.first(), Some(Part::Text { .. } | Part::Refusal { .. }));
    let extras = if is_text { message.extras.clone() } else { Extras::default() };
    Message { role: message.role, parts, meta: message.meta.clone(), extras }
}

/// What the compacted messages are. A view mostly ends as its history does.
pub(super) fn matched<'a>(entries: &'a [Entry], compacted: &[&'a Message]) -> Vec<Matched<'a>> {
    let from_the_end = entries.iter().rev().zip(compacted.iter().rev());
    let end = from_the_end.take_while(|(entry, message)| same_said(&entry.message, message)).count();
    let before = entries.iter().enumerate().take(entries.len() - end);
    let edited = &compacted[..compacted.len() - end];
    let pieces: Vec<Piece<'a>> = if edited.iter().any(|message| message.role == Role::Assistant) {
        before.flat_map(Piece::each).collect()
    } else {
        before.map(Piece::whole).collect()
    };
    let mut finder = Matcher::new(&pieces, edited.len());
    let mut out = Vec::with_capacity(compacted.len());
    for message in edited {
        finder.find(message, &mut out);
    }
    let told_without = !compacted.iter().any(|message| has_reasoning(message));
    let mut out = with_reasoning(out, &pieces, told_without);
    let there = entries.iter().enumerate().skip(entries.len() - end);
    out.extend(there.map(|entry| Matched::Kept(Piece::whole(entry))));
    out
}

/// A place in a list of pieces, or what is to be written.
enum Found<'a> {
    At(usize),
    Not(Matched<'a>),
}

/// What stays keeps the reasoning that led to it, where that was lost on the way: a list that went through another format has
/// none.
fn with_reasoning<'a>(found: Vec<Found<'a>>, pieces: &[Piece<'a>], told_without: bool) -> Vec<Matched<'a>> {
    let mut is_taken = vec![false; pieces.len()];
    for at in found.iter().filter_map(|found| if let Found::At(at) = found { Some(*at) } else { None }) {
        is_taken[at] = true;
    }
    let mut out = Vec::with_capacity(found.len());
    for found in found {
        let at = match found {
            Found::At(at) => at,
            Found::Not(matched) => {
                out.push(matched);
                continue;
            }
        };
        let goes_along = |before: &usize| {
            let (led, to) = (&pieces[*before], &pieces[at]);
            led.is_reasoning() && !is_taken[*before] && (led.entry == to.entry || told_without)
        };
        let first = if pieces[at].is_reasoning() {
            at
        } else {
            (0..at).rev().take_while(goes_along).last().unwrap_or(at)
        };
        out.extend(pieces[first..=at].iter().cloned().map(Matched::Kept));
    }
    out
}

/// Finds compacted messages in the history, in order. What a message is looked up by is unique for calls, outputs and reasoning,
/// and nearly so for texts, so that a rebuild costs what the messages cost, however many there are.
struct Matcher<'p, 'a> {
    pieces: &'p [Piece<'a>],
    /// `None` where few are to be found: they are looked for one by one.
    at: Option<HashMap<Key<'p>, Vec<usize>>>,
    next: usize,
}

/// So few messages are looked for without an index.
const FEW: usize = 4;

/// What a message is looked up by.
#[derive(PartialEq, Eq, Hash)]
enum Key<'a> {
    Output(&'a str),
    Call(&'a str),
    Thought(&'a str),
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
        if let [Part::Reasoning(thought)] = &message.parts[..] {
            return Self::Thought(name_of(thought));
        }
        Self::Text(message.role, looks(message))
    }
}

/// By what reasoning is known: its id, or what it says.
fn name_of(thought: &Reasoning) -> &str {
    let said = thought.encrypted.as_deref().or(thought.signature.as_deref()).or(thought.text.as_deref());
    thought.id.as_deref().or(said).unwrap_or_default()
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

impl<'p, 'a> Matcher<'p, 'a> {
    /// `wanted`: how many messages are to be found.
    fn new(pieces: &'p [Piece<'a>], wanted: usize) -> Self {
        let index = || {
            let mut at: HashMap<Key<'p>, Vec<usize>> = HashMap::default();
            for (i, piece) in pieces.iter().enumerate() {
                at.entry(Key::of(piece.message())).or_default().push(i);
            }
            at
        };
        Self { pieces, at: (wanted > FEW).then(index), next: 0 }
    }

    /// The places behind the last message found of those that a message is looked up by.
    fn places<'k>(&'k self, message: &'k Message) -> Cow<'k, [usize]> {
        let key = Key::of(message);
        if let Some(at) = &self.at {
            let known = at.get(&key).map_or(&[][..], Vec::as_slice);
            return Cow::Borrowed(&known[known.partition_point(|&i| i < self.next)..]);
        }
        let alike = |i: &usize| {
            let of = self.pieces[*i].message();
            of.role == message.role && Key::of(of) == key
        };
        Cow::Owned((self.next..self.pieces.len()).filter(alike).collect())
    }

    /// What in the history `message` is, behind what was found before it: all of it, or item by item.
    fn find(&mut self, message: &'a Message, out: &mut Vec<Found<'a>>) {
        if let Some(at) = self.same(message) {
            out.push(Found::At(at));
            return;
        }
        let parts = by_item(message);
        if parts.len() > 1 {
            let found = parts.into_iter().map(|parts| {
                let part = part_of(message, parts);
                self.same(&part).map_or_else(|| Found::Not(Matched::Changed(Box::new(part))), Found::At)
            });
            let found: Vec<Found<'a>> = found.collect();
            if found.iter().any(|found| matches!(found, Found::At(_))) {
                out.extend(found);
                return;
            }
        }
        let trimmed = self.places(message).first().copied().filter(|_| message.role == Role::Tool);
        out.push(Found::Not(match trimmed {
            Some(at) => {
                self.next = at + 1;
                Matched::Changed(Box::new(merged(self.pieces[at].message(), message)))
            }
            None => Matched::New(message),
        }));
    }

    /// Where the very same is said.
    fn same(&mut self, message: &Message) -> Option<usize> {
        let at =
            self.places(message).iter().copied().find(|at| same_said(self.pieces[*at].message(), message))?;
        self.next = at + 1;
        Some(at)
    }
}

/// Whether two messages say the same, whatever format they went through: same role, texts, media, calls, outputs, reasoning.
fn same_said(old: &Message, new: &Message) -> bool {
    old.role == new.role
        && old.parts.len() == new.parts.len()
        && old.parts.iter().zip(&new.parts).all(|(a, b)| same_part(a, b))
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
        (Part::Reasoning(a), Part::Reasoning(b)) => name_of(a) == name_of(b),
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

/// Whether two texts are the same: eight bytes at a time, where the module's own comparison looks at one.
fn same_text(a: &str, b: &str) -> bool {
    let ((a, end_of_a), (b, end_of_b)) = (a.as_bytes().as_chunks::<8>(), b.as_bytes().as_chunks::<8>());
    let same = |(a, b): (&[u8; 8], &[u8; 8])| u64::from_ne_bytes(*a) == u64::from_ne_bytes(*b);
    a.len() == b.len() && end_of_a == end_of_b && a.iter().zip(b).all(same)
}
