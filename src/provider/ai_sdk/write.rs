use serde_json::Value;

use super::super::Calls;
use super::super::anthropic::is_blank;
use super::super::fields::{Object, json, text_or_list};
use super::super::item_ids;
use super::super::links::reasoning_groups;
use super::super::note::Note;
use super::{IN_TOOL_MESSAGE, JOINS, in_tool_message, outputs, parts};
use crate::message::{Format, Message, Part, Role};

const FORMAT: Format = Format::AiSdk;

/// Writes messages that share one entry; `None` if nothing of them can be expressed.
pub(super) fn run(run: &[&Message], calls: &Calls<'_>, notes: &mut Vec<Note>) -> Option<Value> {
    let first = run.first()?;
    let mut out = Object::of(&first.extras, FORMAT);
    out.remove(JOINS);
    out.remove(IN_TOOL_MESSAGE);
    if in_tool_message(first) {
        let content: Vec<Value> = run
            .iter()
            .flat_map(|m| &m.parts)
            .filter_map(|part| match part {
                Part::ToolOutput(output) => Some(outputs::write(output, calls, notes)),
                other => parts::write(other, notes),
            })
            .collect();
        out.set("role", "tool").set("content", content);
        return Some(out.into_value());
    }
    let role = match first.role {
        Role::Developer => Role::System,
        role => role,
    };
    out.set("role", role.as_str());
    // A text that is empty in another format has no meaning, and some providers refuse it.
    let is_empty = |part: &&Part| matches!(part, Part::Text { text, extras } if is_blank(text) && !extras.came_in(FORMAT));
    let may_be_empty = role != Role::Assistant || first.extras.came_in(FORMAT);
    let sent_parts: Vec<&Part> =
        run.iter().flat_map(|m| &m.parts).filter(|part| may_be_empty || !is_empty(part)).collect();
    match sent_parts.as_slice() {
        [part @ Part::Text { text, extras }]
            if !extras.came_in(FORMAT)
                && !out.had_array("content")
                && item_ids::of_responses(part).is_none() =>
        {
            out.set("content", json(text));
        }
        sent_parts if role == Role::System && !first.extras.came_in(FORMAT) => {
            let texts: Vec<&str> =
                sent_parts.iter().filter_map(|p| p.as_text_or_refusal()).map(|text| &**text).collect();
            if texts.len() < sent_parts.len() {
                notes.push(Note::new("non-text content is left out: a system message must be a string"));
            }
            if texts.is_empty() {
                return None;
            }
            out.set("content", texts.join("\n"));
        }
        sent_parts => {
            let written = match role {
                Role::Assistant => made(sent_parts, notes),
                _ => sent_parts.iter().filter_map(|part| parts::write(part, notes)).collect(),
            };
            if written.is_empty() && !out.had_empty_list("content") {
                return None;
            }
            let as_list = first.extras.came_in(FORMAT) || run.len() > 1;
            out.set("content", text_or_list(written, as_list));
        }
    }
    Some(out.into_value())
}

/// Writes the parts of an assistant message. If what reasoning led to cannot be expressed, the reasoning is left out,
/// too (PROV-3). Reasoning that is an `OpenAI` item needs the item directly after it; without it, the later items that
/// it led to lose their ids. Other reasoning only needs something after it.
fn made(sent_parts: &[&Part], notes: &mut Vec<Note>) -> Vec<Value> {
    let mut written: Vec<Option<Value>> =
        sent_parts.iter().map(|part| parts::write_made(part, notes)).collect();
    for run in reasoning_groups(sent_parts).into_iter().rev() {
        let reasoning = |at: &usize| match sent_parts[*at] {
            Part::Reasoning(reasoning) => Some(reasoning),
            _ => None,
        };
        let Some(next) = run.clone().find(|at| reasoning(at).is_none()) else { continue }; // nothing followed it
        let is_item =
            (run.start..next).filter_map(|at| reasoning(&at)).any(|reasoning| reasoning.id.is_some());
        let needed = next..if is_item { next + 1 } else { sent_parts.len() };
        if written[needed].iter().any(Option::is_some) {
            continue;
        }
        written[run.start..next].fill(None);
        let led_to = written[next..run.end].iter_mut().flatten().filter_map(Value::as_object_mut);
        led_to.for_each(item_ids::unlink_ai_sdk);
        notes.push(Note::new(
            "reasoning is left out: the content that followed it cannot be written in this format",
        ));
    }
    written.into_iter().flatten().collect()
}
