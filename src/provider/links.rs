//! Keeps reasoning items together with the items that they produced.
//!
//! The Responses API refuses an item with an id if the reasoning item before it is gone, and a reasoning item with an
//! id if the item after it is gone. So either both stay, or the reasoning is removed and the items that it produced
//! lose their ids.

use std::borrow::{Borrow, Cow};
use std::ops::Range;

use super::item_ids::{item_id, without_item_id};
use crate::hashing::{HashMap, HashSet};
use crate::message::{Message, Part, Role};

/// Groups the parts of an assistant message: each range has reasoning and what the model made after it, up to the next
/// reasoning. Parts before the first reasoning are in no range.
pub fn reasoning_groups<P: Borrow<Part>>(parts: &[P]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut produced = true;
    for (i, part) in parts.iter().enumerate() {
        let is_reasoning = is_reasoning(part.borrow());
        match runs.last_mut() {
            Some(run) if !is_reasoning || !produced => run.end = i + 1,
            _ if is_reasoning => runs.push(i..i + 1),
            _ => {}
        }
        produced = !is_reasoning;
    }
    runs
}

/// Corrects pairs that were broken when `view` was made from `history`: reasoning whose next item is gone is removed,
/// and items whose reasoning is gone lose their ids. An item that is invalid without its id is removed, a call together
/// with its output; a message that becomes empty is removed, too. Everything else is unchanged and not copied. The result
/// has an entry for each message: `None` if it is removed.
pub fn unlink_each<'a>(
    history: impl IntoIterator<Item = &'a Message>,
    view: impl IntoIterator<Item = Cow<'a, Message>>,
) -> Vec<Option<Cow<'a, Message>>> {
    let links = Links::of(history);
    let view: Vec<Cow<'a, Message>> = view.into_iter().collect();
    if links.reasoning_of.is_empty() && links.next_of.is_empty() && !view.iter().any(|m| has_reasoning(m)) {
        return view.into_iter().map(Some).collect();
    }
    let broken = BrokenLinks::of(&view, &links);
    let mut dropped_calls: HashSet<String> = HashSet::default();
    let mut out: Vec<Option<Cow<'a, Message>>> = Vec::new();
    for (i, message) in view.into_iter().enumerate() {
        if message.tool_outputs().any(|output| dropped_calls.remove(&output.call_id)) {
            out.push(None);
            continue;
        }
        let touched = message.role == Role::Assistant
            && message
                .parts
                .iter()
                .enumerate()
                .any(|(n, p)| broken.tails.contains(&(i, n)) || broken.needs(p, &links));
        if !touched {
            out.push(Some(message));
            continue;
        }
        let mut message = message.into_owned();
        let mut parts = Vec::with_capacity(message.parts.len());
        for (n, part) in std::mem::take(&mut message.parts).into_iter().enumerate() {
            if broken.tails.contains(&(i, n)) {
                continue;
            }
            if !broken.needs(&part, &links) {
                parts.push(part);
                continue;
            }
            let bare = without_item_id(part);
            match &bare {
                Part::ToolCall(call) if item_id(&bare).is_some() && !call.hosted => {
                    dropped_calls.insert(call.id.clone());
                }
                _ if item_id(&bare).is_some() => {}
                _ => parts.push(bare),
            }
        }
        message.parts = parts;
        out.push((!message.parts.is_empty()).then_some(Cow::Owned(message)));
    }
    out
}

/// Whether a message contains reasoning. A list without reasoning has no links.
pub fn has_reasoning(message: &Message) -> bool {
    message.parts.iter().any(is_reasoning)
}

fn is_reasoning(part: &Part) -> bool {
    matches!(part, Part::Reasoning(_))
}

/// What a view has lost.
struct BrokenLinks {
    /// Reasoning in the view without the item that must follow it, as indexes of message and part.
    tails: HashSet<(usize, usize)>,
    /// The ids of the reasoning that is kept.
    kept: HashSet<String>,
}

impl BrokenLinks {
    fn of(view: &[Cow<'_, Message>], links: &Links) -> Self {
        let mut broken = Self { tails: HashSet::default(), kept: HashSet::default() };
        let mut next: Option<&Part> = None; // what the model made next, other than reasoning
        for (i, message) in view.iter().enumerate().rev() {
            if message.role != Role::Assistant {
                next = None;
                continue;
            }
            for (n, part) in message.parts.iter().enumerate().rev() {
                if !is_reasoning(part) {
                    next = Some(part);
                    continue;
                }
                let id = reasoning_id(part);
                if links.is_followed(id.as_deref(), next) {
                    broken.kept.extend(id);
                } else {
                    broken.tails.insert((i, n));
                }
            }
        }
        broken
    }

    /// Whether the reasoning that produced this item is gone.
    fn needs(&self, part: &Part, links: &Links) -> bool {
        item_id(part).and_then(|id| links.reasoning_of.get(&id)).is_some_and(|rs| !self.kept.contains(rs))
    }
}

/// Which reasoning produced which item, by ids.
#[derive(Default)]
struct Links {
    /// The id of the reasoning item before an item, by the item's id.
    reasoning_of: HashMap<String, String>,
    /// The id of the item directly after a reasoning item, by the reasoning's id. `None` for an item without an id.
    next_of: HashMap<String, Option<String>>,
}

impl Links {
    fn of<'a>(history: impl IntoIterator<Item = &'a Message>) -> Self {
        let mut links = Self::default();
        let mut current: Option<String> = None;
        let mut waiting: Vec<String> = Vec::new();
        for message in history {
            if message.role != Role::Assistant {
                current = None;
                waiting.clear();
                continue;
            }
            for part in &message.parts {
                if let Part::Reasoning(_) = part {
                    let id = reasoning_id(part);
                    waiting.extend(id.clone());
                    current = id.or(current);
                    continue;
                }
                if current.is_none() && waiting.is_empty() {
                    continue;
                }
                let id = item_id(part);
                for rs in waiting.drain(..) {
                    links.next_of.insert(rs, id.clone());
                }
                if let (Some(rs), Some(id)) = (&current, id) {
                    links.reasoning_of.insert(id, rs.clone());
                }
            }
        }
        links
    }

    /// Whether the reasoning is still followed by the item that it needs. If the history has an id for this item, it
    /// must be the same.
    fn is_followed(&self, reasoning: Option<&str>, next: Option<&Part>) -> bool {
        let Some(next) = next else { return false };
        match reasoning.and_then(|id| self.next_of.get(id)) {
            Some(Some(wanted)) => item_id(next).as_ref() == Some(wanted),
            _ => true,
        }
    }
}

fn reasoning_id(part: &Part) -> Option<String> {
    match part {
        Part::Reasoning(reasoning) => reasoning.id.clone(),
        _ => None,
    }
}
