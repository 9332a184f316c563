use serde_json::{Value, json};

use super::super::anthropic::{BLANK, NO_ERROR_TEXT, is_white_space, role};
use super::super::fields::Object;
use super::super::note::Note;
use super::super::results::JOINS;
use super::blocks::{self, CACHE_POINT};
use super::documents::is_document;
use crate::message::{Format, Message, Part, Role};
use crate::sorting::sort_by_key;

const FORMAT: Format = Format::BedrockConverse;

/// The text beside a document without one: the API requires a text there.
pub(super) const DOCUMENT: &str = "(see the document)";

/// Where blocks are written. Not every place allows every kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    System,
    Message,
    Result,
}

/// Writes parts as blocks, each followed by its cache point if it has one.
pub fn blocks<'p>(
    parts: impl IntoIterator<Item = &'p Part>,
    place: Place,
    notes: &mut Vec<Note>,
) -> Vec<Value> {
    let mut out = Vec::new();
    for part in parts {
        let Some(mut block) = blocks::write(part, place, notes) else { continue };
        let fields = block.as_object_mut().filter(|block| block.len() > 1);
        let mark = fields.and_then(|block| block.shift_remove(CACHE_POINT));
        out.push(block);
        out.extend(mark.map(|mark| json!({ CACHE_POINT: mark })));
    }
    out
}

/// The text for a result without content, which models refuse.
pub fn text_of_empty_result(is_error: bool) -> &'static str {
    if is_error { NO_ERROR_TEXT } else { BLANK }
}

/// Whether it is a cache point that belongs to no block.
pub fn is_mark(part: &Part) -> bool {
    let Part::Opaque { format: FORMAT, raw } = part else { return false };
    raw.as_object().is_some_and(|block| block.len() == 1 && block.contains_key(CACHE_POINT))
}

/// Whether writing the message would yield no blocks, or only cache points.
pub fn writes_nothing(message: &Message) -> bool {
    message.parts.iter().all(|part| match part {
        Part::Text { text, extras } => text.is_empty() && !extras.came_in(FORMAT),
        Part::ToolOutput(_) => false,
        part if is_mark(part) => true,
        part => blocks::write(part, Place::Message, &mut Vec::new()).is_none(),
    })
}

/// Writes messages that share one entry; `None` if nothing of them can be expressed.
pub fn run(run: &[&Message], notes: &mut Vec<Note>) -> Option<Value> {
    let first = run.first()?;
    let mut out = Object::of(&first.extras, FORMAT);
    out.remove(JOINS);
    out.set("role", role(first.role));
    // Messages of the other role among them have no content.
    let same_role = run.iter().filter(|message| role(message.role) == role(first.role));
    let mut parts: Vec<&Part> = same_role.flat_map(|message| &message.parts).collect();
    let came_so = run.iter().skip(1).all(|m| m.extras.has(FORMAT, JOINS));
    if !came_so {
        sort_by_key(&mut parts, |part| !matches!(part, Part::ToolOutput(_))); // results come first, or models refuse them
    }
    let mut content = blocks(parts, Place::Message, notes);
    let own = first.extras.came_in(FORMAT);
    if !own
        && run.iter().any(|message| lacks_text(message))
        && content.iter().any(|b| b.get("document").is_some())
        && !content.iter().any(|b| b.get("text").is_some())
    {
        notes.push(Note::new("a text is added next to a document: the API requires one"));
        content.push(json!({ "text": DOCUMENT }));
    }
    if content.is_empty() && !(own && out.had_empty_list("content")) {
        if !run.iter().any(|m| m.parts.iter().any(is_white_space)) {
            return None;
        }
        notes.push(Note::new("a text of only white space is replaced: the API rejects such texts"));
        content.push(json!({ "text": BLANK }));
    }
    out.set("content", content);
    Some(out.into_value())
}

/// The position of the last block that is no cache point.
pub fn last_block(blocks: &[Value]) -> Option<usize> {
    blocks.iter().rposition(|block| block.get(CACHE_POINT).is_none())
}

/// Whether it has a document and no text.
pub(super) fn lacks_text(message: &Message) -> bool {
    message.role == Role::User
        && message.parts.iter().any(is_document)
        && !message.parts.iter().any(|part| matches!(part, Part::Text { .. }))
}
