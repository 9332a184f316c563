use std::ops::Range;

use serde_json::{Value, json};

use super::super::Calls;
use super::super::fields::Object;
use super::super::note::Note;
use super::super::results::JOINS;
use super::{BLANK, CONTENTS, parts};
use crate::message::{Format, Message, Part, Role};

const FORMAT: Format = Format::Gemini;

/// The API's role for ours.
pub(super) fn role(role: Role) -> &'static str {
    if role == Role::Assistant { "model" } else { "user" }
}

/// Writes messages that share one content, or a message of several contents. Empty if nothing of them can be expressed.
pub(super) fn run(run: &[&Message], calls: &Calls<'_>, notes: &mut Vec<Note>) -> Vec<Value> {
    let Some(first) = run.first() else { return Vec::new() };
    if let ([message], Some(contents)) = (run, contents_of(first)) {
        let of = |(range, template): (Range<usize>, Option<Object>)| {
            content(first, template, &message.parts[range], calls, notes)
        };
        return contents.into_iter().filter_map(of).collect();
    }
    let own = first.extras.came_in(FORMAT) && !first.extras.has(FORMAT, CONTENTS);
    let template = own.then(|| Object::of(&first.extras, FORMAT));
    let parts = run.iter().flat_map(|message| &message.parts);
    content(first, template, parts, calls, notes).into_iter().collect()
}

/// The contents that a message came in, each with the range of its parts and its template; `None` if it came in one, or
/// if its parts are no longer the same.
fn contents_of(message: &Message) -> Option<Vec<(Range<usize>, Option<Object>)>> {
    let list = message.extras.field(FORMAT, CONTENTS)?;
    let mut out: Vec<(Range<usize>, Option<Object>)> = Vec::new();
    for content in list.as_array()? {
        let start = out.last().map_or(0, |(range, _)| range.end);
        let end = usize::try_from(content.get(0)?.as_u64()?).ok().filter(|end| *end >= start)?;
        out.push((start..end, content.get(1)?.as_object().cloned().map(Object::from)));
    }
    out.last().is_some_and(|(range, _)| range.end == message.parts.len()).then_some(out)
}

/// Writes a content of these parts, or `None` if none of them can be expressed. `template`: what it came with, if it came
/// in this format.
fn content<'p>(
    first: &Message,
    template: Option<Object>,
    parts: impl IntoIterator<Item = &'p Part>,
    calls: &Calls<'_>,
    notes: &mut Vec<Note>,
) -> Option<Value> {
    let own = template.is_some();
    let was_apart = !first.extras.has(FORMAT, JOINS); // otherwise it came after other messages in its content
    let mut out = template.unwrap_or_default();
    out.remove(JOINS);
    let mut written: Vec<Value> = Vec::new();
    let mut signs = first.role == Role::Assistant;
    for part in parts {
        let Some(mut value) = parts::write(part, calls, notes) else { continue };
        // If several calls are made together, the first one carries the signature.
        if let Part::ToolCall(call) = part
            && std::mem::take(&mut signs)
        {
            parts::sign(&mut value, call);
        }
        written.push(value);
    }
    if written.is_empty() && !own && first.role == Role::User {
        notes.push(Note::new("none of it can be written in this format: a placeholder text is used"));
        written.push(json!({ "text": BLANK }));
    }
    if written.is_empty() {
        let came_empty = own && (out.had_empty_list("parts") || !out.has("parts"));
        if !came_empty {
            return None;
        }
    }
    if !own || !was_apart || out.get("role").is_some_and(|role| role == "") {
        out.set("role", role(first.role));
    }
    if !written.is_empty() || out.has("parts") {
        out.set("parts", written);
    }
    Some(out.into_value())
}

/// Writes instructions as a content of texts.
pub(super) fn head(head: &[&Message], notes: &mut Vec<Note>) -> Option<Value> {
    let mut out = head.first().map(|first| Object::of(&first.extras, FORMAT))?;
    let is_text = |part: &&Part| matches!(part, Part::Text { .. } | Part::Refusal { .. });
    let all = || head.iter().flat_map(|message| &message.parts);
    if !all().all(|part| is_text(&part)) {
        notes.push(Note::new("non-text content is left out: instructions must be text"));
    }
    let calls = Calls::default();
    let texts: Vec<Value> =
        all().filter(is_text).filter_map(|part| parts::write(part, &calls, notes)).collect();
    if texts.is_empty() {
        return None;
    }
    out.set("parts", texts);
    Some(out.into_value())
}
