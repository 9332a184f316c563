use serde_json::Value;

use super::super::fields::{Object, json, text_or_list};
use super::super::note::Note;
use super::super::results::JOINS;
use super::blocks;
use super::refused::{BLANK, is_blank};
use crate::message::{Format, Message, Part, Role};
use crate::sorting::sort_by_key;

const FORMAT: Format = Format::Anthropic;

/// The key that marks a message that came as `system` blocks.
pub(super) const HEAD: &str = "system";

/// The API's role for ours.
pub(in crate::provider) fn role(role: Role) -> &'static str {
    match role {
        Role::System | Role::Developer => "system",
        Role::User | Role::Tool => "user",
        Role::Assistant => "assistant",
    }
}

/// Writes messages that share one entry; `None` if nothing of them can be expressed.
pub(super) fn run(run: &[&Message], notes: &mut Vec<Note>) -> Option<Value> {
    let first = run.first()?;
    let mut out = Object::of(&first.extras, FORMAT);
    out.remove(JOINS);
    out.remove(HEAD);
    out.set("role", role(first.role));
    if let [message] = run
        && let [Part::Text { text, extras }] = message.parts.as_slice()
        && !extras.came_in(FORMAT)
        && !out.had_array("content")
        && !is_blank(text)
    {
        out.set("content", json(text));
        return Some(out.into_value());
    }
    let mut parts: Vec<&Part> = Vec::new();
    for message in run {
        // Every text stays a separate block, because joined texts could not be separated again.
        parts.extend(&message.parts);
    }
    let came_so = run.iter().skip(1).all(|m| m.extras.has(FORMAT, JOINS));
    if !came_so {
        sort_by_key(&mut parts, |part| !blocks::is_result(part)); // results come first, or the API refuses them
    }
    let texts_only = first.role != Role::User && first.role != Role::Tool;
    let mut written: Vec<Value> = Vec::new();
    for part in parts {
        match part {
            Part::Text { text, extras } if !extras.came_in(FORMAT) && !is_blank(text) => {
                written.push(blocks::text(text));
            }
            part => written.extend(blocks::write(part, texts_only, notes)),
        }
    }
    // A blank text that came in this format is written unchanged.
    let blank_text = || match first.parts.as_slice() {
        [Part::Text { text, .. }] => {
            let is_text = |p: &Part| matches!(p, Part::Text { .. });
            run.iter().all(|m| m.parts.iter().all(is_text)).then(|| json(text))
        }
        _ => None,
    };
    match (written.is_empty(), first.extras.came_in(FORMAT)) {
        (true, true) if out.had_empty_list("content") => {
            out.set("content", written);
        }
        (true, true)
            if !out.had_array("content")
                && let Some(text) = blank_text() =>
        {
            out.set("content", text);
        }
        (true, _) if run.iter().any(|m| m.parts.iter().any(is_white_space)) => {
            notes.push(Note::new("a text of only white space is replaced: the API rejects such texts"));
            out.set("content", BLANK);
        }
        (true, _) => return None,
        (false, came) => {
            let as_list = came || run.len() > 1;
            out.set("content", text_or_list(written, as_list));
        }
    }
    Some(out.into_value())
}

pub(in crate::provider) fn is_white_space(part: &Part) -> bool {
    part.as_text().is_some_and(|text| !text.is_empty() && is_blank(text))
}

/// Removes white space from the end of a final assistant message, which the API refuses. Returns whether there was any. `last`: the
/// position of the block that the message ends with.
pub(in crate::provider) fn trim_end(
    items: &mut Vec<Value>,
    last: impl Fn(&[Value]) -> Option<usize>,
) -> bool {
    let Some(message) =
        items.last_mut().filter(|m| m.get("role").and_then(Value::as_str) == Some("assistant"))
    else {
        return false;
    };
    let Some(content) = message.get_mut("content") else { return false };
    let (text, at, is_alone) = match content {
        Value::Array(blocks) => {
            let (Some(at), is_alone) = (last(blocks), blocks.len() == 1) else { return false };
            (blocks[at].get_mut("text"), at, is_alone)
        }
        text => (Some(text), 0, true),
    };
    let Some(Value::String(text)) = text else { return false };
    let trimmed = text.trim_end().len();
    if trimmed == text.len() {
        return false;
    }
    text.truncate(trimmed);
    if trimmed == 0 && is_alone {
        items.pop();
    } else if trimmed == 0
        && let Some(Value::Array(blocks)) = message.get_mut("content")
    {
        blocks.remove(at);
    }
    true
}

/// The position of the last block, if it is a text.
pub(super) fn last_text(blocks: &[Value]) -> Option<usize> {
    let at = blocks.len().checked_sub(1)?;
    (blocks[at].get("type").and_then(Value::as_str) == Some("text")).then_some(at)
}
