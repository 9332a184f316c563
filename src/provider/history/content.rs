//! The content of a message or a part, to compare and look up independently of the format it came in.

use crate::message::{Message, Part, Reasoning, Role};

/// Parts of a message, with its role.
#[derive(Clone, Copy)]
pub(super) struct Content<'a> {
    pub role: Role,
    pub parts: &'a [Part],
}

impl<'a> From<&'a Message> for Content<'a> {
    fn from(message: &'a Message) -> Self {
        Self { role: message.role, parts: &message.parts }
    }
}

impl<'a> Content<'a> {
    /// Whether both have the same content: role, texts, media, calls, outputs and reasoning.
    pub fn same_as(self, other: Content<'_>) -> bool {
        self.role == other.role && same_parts(self.parts, other.parts)
    }

    /// Whether each is one output, and both are for the same call.
    pub fn answers_the_same(self, other: Content<'_>) -> bool {
        let of = |content: Content<'_>| content.role == Role::Tool && content.parts.len() == 1;
        match (self.parts, other.parts) {
            ([Part::ToolOutput(a)], [Part::ToolOutput(b)]) => {
                of(self) && of(other) && same_text(&a.call_id, &b.call_id)
            }
            _ => false,
        }
    }

    pub fn is_reasoning(self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Reasoning(_)))
    }

    /// The key to look it up by.
    pub fn key(self) -> Key<'a> {
        let call = |part: &'a Part| if let Part::ToolCall(call) = part { Some(&*call.id) } else { None };
        let output = |part: &'a Part| part.as_tool_output().map(|output| &*output.call_id);
        let name = if let Some(id) = self.parts.iter().find_map(output) {
            KeyName::Output(id)
        } else if let Some(id) = self.parts.iter().find_map(call) {
            KeyName::Call(id)
        } else if let [Part::Reasoning(thought)] = self.parts {
            KeyName::Thought(reasoning_key(thought))
        } else {
            KeyName::Text(text_key(self.parts))
        };
        Key { role: self.role, name }
    }
}

/// A lookup key: unique for calls, outputs and reasoning, nearly unique for texts. The same content has the same key.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Key<'a> {
    role: Role,
    name: KeyName<'a>,
}

#[derive(PartialEq, Eq, Hash)]
enum KeyName<'a> {
    Output(&'a str),
    Call(&'a str),
    Thought(&'a str),
    Text(TextKey),
}

/// The total length of the texts, and both ends of the first one: rarely the same for different texts.
type TextKey = (usize, EdgeWords, EdgeWords);

/// As numbers: hashing them as bytes takes twice as long.
type EdgeWords = (u64, u64, u64);

fn text_key(parts: &[Part]) -> TextKey {
    let texts = || parts.iter().filter_map(Part::as_text_or_refusal).map(|text| text.as_bytes());
    let first = texts().next().unwrap_or_default();
    let end = first.len().min(24);
    (texts().map(<[u8]>::len).sum(), words(&first[..end]), words(&first[first.len() - end..]))
}

fn words(end: &[u8]) -> EdgeWords {
    let mut bytes = [0; 24];
    bytes[..end.len()].copy_from_slice(end);
    let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    let mut word = || words.next().unwrap_or_default();
    (word(), word(), word())
}

/// What identifies reasoning: its id, or else its content.
fn reasoning_key(thought: &Reasoning) -> &str {
    let content = thought.encrypted.as_deref().or(thought.signature.as_deref()).or(thought.text.as_deref());
    thought.id.as_deref().or(content).unwrap_or_default()
}

fn same_parts(a: &[Part], b: &[Part]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_part(a, b))
}

fn same_part(a: &Part, b: &Part) -> bool {
    match (a, b) {
        (Part::Text { text: a, .. }, Part::Text { text: b, .. })
        | (Part::Refusal { text: a, .. }, Part::Refusal { text: b, .. }) => same_text(a, b),
        (Part::ToolCall(a), Part::ToolCall(b)) => {
            same_text(&a.id, &b.id) && same_text(&a.name, &b.name) && same_text(&a.input, &b.input)
        }
        (Part::ToolOutput(a), Part::ToolOutput(b)) => {
            same_text(&a.call_id, &b.call_id) && same_parts(&a.content, &b.content)
        }
        (Part::Media(a), Part::Media(b)) => {
            (&a.url, &a.data, &a.file_id) == (&b.url, &b.data, &b.file_id) && a.kind == b.kind
        }
        (Part::Reasoning(a), Part::Reasoning(b)) => reasoning_key(a) == reasoning_key(b),
        (a, b) => a == b,
    }
}

/// Whether two texts are the same. Compares sixteen bytes at a time, because the built-in comparison of a WebAssembly
/// module compares single bytes.
fn same_text(a: &str, b: &str) -> bool {
    let ((a, end_of_a), (b, end_of_b)) = (a.as_bytes().as_chunks::<16>(), b.as_bytes().as_chunks::<16>());
    let is_same = |(a, b): (&[u8; 16], &[u8; 16])| u128::from_ne_bytes(*a) == u128::from_ne_bytes(*b);
    (a.len(), end_of_a.len()) == (b.len(), end_of_b.len())
        && (std::ptr::eq(a, b) || a.iter().zip(b).all(is_same))
        && end_of_a.iter().zip(end_of_b).all(|(a, b)| a == b)
}
