use serde_json::{Value, json};

use super::super::Calls;
use super::super::fields::Object;
use super::super::note::Note;
use super::super::results::JOINS;
use super::{BLANK, parts};
use crate::message::{Format, Message, Part, Role};

const FORMAT: Format = Format::Gemini;

/// The API's role for ours.
pub(super) fn role(role: Role) -> &'static str {
    if role == Role::Assistant { "model" } else { "user" }
}

/// Writes messages that share one content; `None` if nothing of them can be expressed.
pub(super) fn run(run: &[&Message], calls: &Calls<'_>, notes: &mut Vec<Note>) -> Option<Value> {
    let first = run.first()?;
    let own = first.extras.came_in(FORMAT);
    let was_apart = !first.extras.has(FORMAT, JOINS); // otherwise it came after other messages in its content
    let mut out = Object::of(&first.extras, FORMAT);
    out.remove(JOINS);
    let mut written: Vec<Value> = Vec::new();
    let mut signs = first.role == Role::Assistant;
    for part in run.iter().flat_map(|message| &message.parts) {
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
