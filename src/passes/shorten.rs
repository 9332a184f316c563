use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use serde_json::Value;

use super::pass::{Aim, Outcome, Pass};
use crate::context::{Context, Form, NodeIndex, Slot, Tally};
use crate::error::Result;
use crate::message::{Message, Part, Role, Text};
use crate::tool_output::{prefix_bytes, suffix_bytes};

/// A message is never shortened below this many tokens.
const LEAST: u64 = 128;

const WHY: &str = "shortened as a last resort: the view exceeded its limit";

/// The last resort (COMP-19): older tool outputs become placeholders, then the largest messages lose their middle. The
/// newest user message loses its own last of all, and only where it alone exceeds the limit (INV-11). Full texts stay in the tool output cache, by ref.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shorten;

impl Pass for Shorten {
    fn name(&self) -> &'static str {
        "shorten"
    }

    fn options(&self) -> Value {
        Value::Null
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        context.view.tokens() > aim.most
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        let mut items = drop_older_outputs(context, aim.most);
        let cut = [Cut::Others, Cut::NewestUser, Cut::Folds].map(|what| cut_middles(context, aim.most, what));
        let cut = cut.into_iter().collect::<Result<Vec<_>>>()?.concat();
        if items.is_empty() && cut.is_empty() {
            return Ok(Outcome::Unchanged);
        }
        for item in &items {
            context.note_left_out(*item, WHY, None);
        }
        for (item, ref_id) in cut {
            context.note_left_out_by_ref(item, WHY, Some(ref_id), None);
            items.push(item);
        }
        let why = format!("still over {} tokens; full texts stay in the tool output cache", aim.most);
        Ok(Outcome::Changed { items, why })
    }
}

/// Makes placeholders of tool outputs, oldest first; those of the newest step stay.
fn drop_older_outputs(context: &mut Context, most: u64) -> Vec<NodeIndex> {
    let newest_step =
        context.view.body().iter().rposition(|s| s.message.role == Role::Assistant).unwrap_or(0);
    let mut dropped = Vec::new();
    for at in 0..newest_step {
        if context.view.tokens() <= most {
            break;
        }
        if context.view.body()[at].message.role == Role::Tool && context.make_placeholder(at) {
            dropped.push(context.view.body()[at].node);
        }
    }
    dropped
}

/// What may lose its middle, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Others,
    /// The newest user message, where it alone exceeds the limit.
    NewestUser,
    /// What stands for a fold is all that is left of it.
    Folds,
}

/// Cuts the middle out of the largest messages, largest first. Gives what was cut, with the refs of the full texts.
fn cut_middles(context: &mut Context, most: u64, what: Cut) -> Result<Vec<(NodeIndex, String)>> {
    let newest = context.view.body().iter().rposition(|s| s.message.opens_turn());
    let candidate = |(at, slot): &(usize, &Slot)| {
        let of = match context.history.node(slot.node).is_fold() {
            true => Cut::Folds,
            false if Some(*at) == newest => Cut::NewestUser,
            false => Cut::Others,
        };
        of == what
            && (what != Cut::NewestUser || slot.tokens() > most)
            && slot.form != Form::Placeholder
            && slot.form != Form::Shortened
            && !context.history.node(slot.node).pinned
    };
    let mut largest: BinaryHeap<(u64, Reverse<usize>)> = context
        .view
        .body()
        .iter()
        .enumerate()
        .filter(candidate)
        .map(|(at, s)| (s.tokens(), Reverse(at)))
        .collect();
    let mut cut = Vec::new();
    while context.view.tokens() > most {
        let Some((tokens, Reverse(at))) = largest.pop() else { break };
        let over = context.view.tokens() - most;
        let goal = tokens.saturating_sub(over).max(LEAST);
        if goal >= tokens {
            continue;
        }
        if let Some(ref_id) = cut_middle(context, at, goal)? {
            cut.push((context.view.body()[at].node, ref_id));
        }
    }
    Ok(cut)
}

/// Cuts the middle of the longest text of the message at `at`, so that the message takes about `goal` tokens. Gives the
/// ref of the full text; none where that made nothing smaller.
fn cut_middle(context: &mut Context, at: usize, goal: u64) -> Result<Option<String>> {
    let mut slot = context.view.body()[at].clone();
    if matches!(slot.form, Form::Compressed | Form::Truncated | Form::Pointer) {
        slot.message = context.history.node(slot.node).message.clone(); // a piece of the output, not of what stood for it
    }
    let Some(text) = longest_text(&slot.message).cloned() else { return Ok(None) };
    let text_tokens = context.counter.count(&text);
    let others = slot.tokens().saturating_sub(text_tokens);
    let known_ref = slot
        .message
        .tool_outputs()
        .find_map(|o| o.output_ref.as_ref())
        .map(|r| r.id.clone())
        .filter(|id| context.outputs.contains(id));
    let ref_id = match known_ref {
        Some(id) => id,
        None => context.outputs.put_text(text.clone(), None)?.id,
    };
    let mut room = goal.saturating_sub(others).max(LEAST / 2);
    for _ in 0..8 {
        let bytes = (text.len() as u64 * room / text_tokens.max(1)) as usize;
        let shorter = without_middle(&text, bytes, &ref_id);
        let mut message = Message::clone(&slot.message);
        if let Some(longest) = longest_text_mut(&mut message) {
            *longest = shorter.into();
        }
        let tally = Tally::of(&message, &*context.counter);
        if tally.total() <= goal || room <= LEAST / 2 {
            if tally.total() >= slot.tokens() {
                return Ok(None);
            }
            context.view.replace(at, Arc::new(message), tally, Form::Shortened);
            return Ok(Some(ref_id));
        }
        room = room * 9 / 10;
    }
    Ok(None)
}

/// Head and tail of a text, `bytes` in all, and a notice between them that says where the rest is.
fn without_middle(text: &str, bytes: usize, ref_id: &str) -> String {
    let head = prefix_bytes(text, bytes / 2);
    let tail = suffix_bytes(&text[head.len()..], bytes - bytes / 2);
    let left_out = text[head.len()..text.len() - tail.len()].chars().count();
    format!(
        "{head}\n[… {left_out} characters left out; the full text: tool_output_cache({{ ref_id: \"{ref_id}\" }}) …]\n{tail}"
    )
}

fn longest_text(message: &Message) -> Option<&Text> {
    texts(&message.parts).max_by_key(|t| t.len())
}

fn texts(parts: &[Part]) -> impl Iterator<Item = &Text> {
    parts.iter().flat_map(|part| {
        let own = match part {
            Part::Text { text, .. } => Some(text),
            _ => None,
        };
        let inner = match part {
            Part::ToolOutput(output) => output.content.as_slice(),
            _ => &[],
        };
        let inner = inner.iter().filter_map(|p| match p {
            Part::Text { text, .. } => Some(text),
            _ => None,
        });
        own.into_iter().chain(inner)
    })
}

fn longest_text_mut(message: &mut Message) -> Option<&mut Text> {
    let mut longest: Option<&mut Text> = None;
    for part in &mut message.parts {
        let inner: Vec<&mut Part> = match part {
            Part::ToolOutput(output) => output.content.iter_mut().collect(),
            other => vec![other],
        };
        for part in inner {
            if let Part::Text { text, .. } = part
                && longest.as_ref().is_none_or(|l| text.len() >= l.len())
            {
                longest = Some(text);
            }
        }
    }
    longest
}
