mod arguments;
mod parts;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::sync::Arc;

use serde_json::Value;

use super::pass::{Aim, Outcome, Pass};
use crate::context::{Context, Form, NodeIndex, Slot, Tally};
use crate::error::Result;
use crate::message::{Message, Part, Role, Text, open_calls};
use crate::tool_output::{Output, prefix_bytes, suffix_bytes};

/// A message is never shortened below this many tokens.
const LEAST: u64 = 128;

const WHY: &str = "shortened as a last resort: the view exceeded its limit";

/// The last resort (COMP-19): older tool outputs become placeholders, then the largest messages lose their middle. The
/// newest user message loses its own last, and only where it alone exceeds the limit (INV-11). Where that is not enough,
/// the arguments of tool calls lose the middles of their longest strings. Full texts stay in the tool output cache, by ref.
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
        let mut cut = Vec::new();
        for what in [Cut::Others, Cut::NewestUser, Cut::Folds, Cut::Arguments, Cut::OpenArguments] {
            cut.extend(cut_middles(context, aim.most, what)?);
        }
        if items.is_empty() && cut.is_empty() {
            return Ok(Outcome::Unchanged);
        }
        for item in &items {
            context.note_left_out(*item, WHY, None);
        }
        for (item, ref_id) in cut {
            context.note_left_out_by_ref(item, WHY, Some(ref_id), None);
            if !items.contains(&item) {
                items.push(item);
            }
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
    /// Arguments of calls that have their outputs.
    Arguments,
    /// Arguments of calls that are still being executed.
    OpenArguments,
}

/// Cuts the middle out of the largest messages, largest first. Gives what was cut, with the refs of the full texts.
fn cut_middles(context: &mut Context, most: u64, what: Cut) -> Result<Vec<(NodeIndex, String)>> {
    let body = context.view.body();
    let newest = body.iter().rposition(|s| s.message.opens_turn());
    let open: HashSet<&str> = open_calls(body.iter().map(|s| &*s.message)).into_iter().collect();
    let candidate = |(at, slot): &(usize, &Slot)| {
        let is_fold = context.history.node(slot.node).is_fold();
        let may = match what {
            Cut::Others => !is_fold && Some(*at) != newest,
            Cut::NewestUser => !is_fold && Some(*at) == newest && slot.tokens() > most,
            Cut::Folds => is_fold,
            Cut::Arguments => !slot.message.tool_calls().any(|c| open.contains(c.id.as_str())),
            Cut::OpenArguments => true,
        };
        may && slot.form != Form::Placeholder && !context.history.node(slot.node).pinned
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
        let refs = match what {
            Cut::Arguments | Cut::OpenArguments => arguments::cut(context, at, goal)?,
            _ => match parts::replace(context, at, longest_tokens(context, at))? {
                Some(ref_id) => {
                    largest.push((context.view.body()[at].tokens(), Reverse(at))); // its texts may have to give way as well
                    vec![ref_id]
                }
                None => cut_middle(context, at, goal)?.into_iter().collect(),
            },
        };
        let node = context.view.body()[at].node;
        cut.extend(refs.into_iter().map(|ref_id| (node, ref_id)));
    }
    Ok(cut)
}

/// Cuts the middle of the longest text of the message at `at`, so that the message takes about `goal` tokens. Gives the
/// ref of the full text; none where that made nothing smaller.
fn cut_middle(context: &mut Context, at: usize, goal: u64) -> Result<Option<String>> {
    let slot = context.view.body()[at].clone();
    let whole = restored(context, &slot);
    let Some(text) = longest_text(&whole).cloned() else { return Ok(None) };
    let text_tokens = context.counter.count(&text);
    let others = Tally::of(&whole, &*context.counter).total().saturating_sub(text_tokens);
    let known_ref = slot
        .message
        .tool_outputs()
        .find_map(|o| o.output_ref.as_ref())
        .map(|r| r.id.clone())
        .filter(|id| context.outputs.contains(id))
        .or_else(|| texts(&slot.message.parts).find_map(|shown| named_ref(context, shown, &text)));
    let ref_id = match known_ref {
        Some(id) => id,
        None if text_tokens <= LEAST / 2 => return Ok(None), // the notice takes as much
        None => context.outputs.put_text(text.clone(), None)?.id,
    };
    let mut room = goal.saturating_sub(others).max(LEAST / 2);
    for _ in 0..8 {
        let bytes = (text.len() as u64 * room / text_tokens.max(1)) as usize;
        let shorter = without_middle(&text, bytes, &ref_id);
        let mut message = Message::clone(&whole);
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

/// The message with its texts as they were before they were shortened. Its calls are as they stand in the view.
fn restored(context: &Context, slot: &Slot) -> Arc<Message> {
    let whole = &context.history.node(slot.node).message;
    match slot.form {
        Form::Compressed | Form::Truncated | Form::Pointer => whole.clone(), // a piece of the output, not of what stood for it
        Form::Shortened if slot.message.role == Role::Tool => whole.clone(),
        Form::Shortened => {
            let mut message = Message::clone(&slot.message);
            // Its calls or its reasoning may have left it: only texts stand for one another.
            if texts(&whole.parts).count() == texts(&message.parts).count() {
                for (text, full) in texts_mut(&mut message.parts).zip(texts(&whole.parts)) {
                    *text = full.clone();
                }
            }
            message.into()
        }
        _ => slot.message.clone(),
    }
}

/// The ref in a notice of `shown` that opens `full`.
fn named_ref(context: &Context, shown: &str, full: &Text) -> Option<String> {
    let ids = shown.split("ref_id: ").skip(1).map(|rest| {
        let rest = rest.trim_start_matches(['\\', '"']);
        &rest[..rest.find(['\\', '"']).unwrap_or(rest.len())]
    });
    let opens = |id: &&str| {
        let stored = context.outputs.get(id).map(Output::parts);
        stored.is_ok_and(|parts| parts == [Part::text(full.clone())])
    };
    ids.filter(|id| !id.is_empty()).find(opens).map(str::to_owned)
}

/// Head and tail of a text, `bytes` in all, and a notice between them that says where the rest is.
fn without_middle(text: &str, bytes: usize, ref_id: &str) -> String {
    let head = prefix_bytes(text, bytes / 2);
    let tail = suffix_bytes(&text[head.len()..], bytes - bytes / 2);
    let left_out = text[head.len()..text.len() - tail.len()].chars().count();
    format!("{head}\n{}\n{tail}", notice(left_out, ref_id))
}

fn notice(left_out: usize, ref_id: &str) -> String {
    format!(
        "[… {left_out} characters left out; the full text: tool_output_cache({{ ref_id: \"{ref_id}\" }}) …]"
    )
}

/// Tokens of the longest text of the message at `at`.
fn longest_tokens(context: &Context, at: usize) -> u64 {
    longest_text(&context.view.body()[at].message).map_or(0, |text| context.counter.count(text))
}

fn longest_text(message: &Message) -> Option<&Text> {
    texts(&message.parts).max_by_key(|t| t.len())
}

fn longest_text_mut(message: &mut Message) -> Option<&mut Text> {
    texts_mut(&mut message.parts).max_by_key(|t| t.len())
}

fn texts(parts: &[Part]) -> impl Iterator<Item = &Text> {
    let shown = parts.iter().flat_map(|part| match part {
        Part::ToolOutput(output) => output.content.as_slice(),
        other => std::slice::from_ref(other),
    });
    shown.filter_map(|part| match part {
        Part::Text { text, .. } => Some(text),
        _ => None,
    })
}

fn texts_mut(parts: &mut [Part]) -> impl Iterator<Item = &mut Text> {
    let shown = parts.iter_mut().flat_map(|part| match part {
        Part::ToolOutput(output) => output.content.as_mut_slice(),
        other => std::slice::from_mut(other),
    });
    shown.filter_map(|part| match part {
        Part::Text { text, .. } => Some(text),
        _ => None,
    })
}
