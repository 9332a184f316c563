//! What belongs together: a reasoning item and what it produced.
//!
//! The Responses API refuses an item that keeps its id when the reasoning item before it is gone, and a reasoning
//! item that keeps its id when the item after it is. So either both stay, or the reasoning goes and what it produced
//! loses its ids.

use std::borrow::{Borrow, Cow};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::item_ids::{item_id, without_item_id};
use crate::message::{Message, Part, Role};

/// The runs of an assistant message's parts that belong together: reasoning, and what the model made after it up to
/// the next reasoning. Parts before the first reasoning stand alone and are in no run.
pub fn belongs_together<P: Borrow<Part>>(parts: &[P]) -> Vec<Range<usize>> {
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

/// Sets right what lost its other half when `view` was made out of `history`: reasoning whose next item is gone
/// leaves the view, and items whose reasoning is gone lose their ids. An item that cannot stand without its id goes,
/// a call with its output; a message of which nothing remains goes, too. Everything else is as it was, and is not
/// copied.
pub fn unlink_orphans<'a>(
    history: impl IntoIterator<Item = &'a Message>,
    view: impl IntoIterator<Item = Cow<'a, Message>>,
) -> Vec<Cow<'a, Message>> {
    unlink_each(history, view).into_iter().flatten().collect()
}

/// The same, message by message: `None` where it goes.
pub fn unlink_each<'a>(
    history: impl IntoIterator<Item = &'a Message>,
    view: impl IntoIterator<Item = Cow<'a, Message>>,
) -> Vec<Option<Cow<'a, Message>>> {
    let links = Links::of(history);
    let view: Vec<Cow<'a, Message>> = view.into_iter().collect();
    if links.reasoning_of.is_empty() && links.next_of.is_empty() && !view.iter().any(|m| has_reasoning(m)) {
        return view.into_iter().map(Some).collect();
    }
    let lost = Lost::of(&view, &links);
    let mut dropped_calls: HashSet<String> = HashSet::new();
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
                .any(|(n, p)| lost.tails.contains(&(i, n)) || lost.needs(p, &links));
        if !touched {
            out.push(Some(message));
            continue;
        }
        let mut message = message.into_owned();
        let mut parts = Vec::with_capacity(message.parts.len());
        for (n, part) in std::mem::take(&mut message.parts).into_iter().enumerate() {
            if lost.tails.contains(&(i, n)) {
                continue;
            }
            if !lost.needs(&part, &links) {
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

/// Whether there is reasoning in a message: what has none is linked to nothing.
pub fn has_reasoning(message: &Message) -> bool {
    message.parts.iter().any(is_reasoning)
}

fn is_reasoning(part: &Part) -> bool {
    matches!(part, Part::Reasoning(_))
}

/// What a view lost.
struct Lost {
    /// Reasoning that stands in the view without what must follow it, by message and part.
    tails: HashSet<(usize, usize)>,
    /// The ids of the reasoning that stays.
    kept: HashSet<String>,
}

impl Lost {
    fn of(view: &[Cow<'_, Message>], links: &Links) -> Self {
        let mut lost = Self { tails: HashSet::new(), kept: HashSet::new() };
        let mut next: Option<&Part> = None; // what the model made next, further reasoning left out
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
                    lost.kept.extend(id);
                } else {
                    lost.tails.insert((i, n));
                }
            }
        }
        lost
    }

    /// Whether the reasoning that made this item is gone.
    fn needs(&self, part: &Part, links: &Links) -> bool {
        item_id(part).and_then(|id| links.reasoning_of.get(&id)).is_some_and(|rs| !self.kept.contains(rs))
    }
}

/// Which item was made by which reasoning, by ids.
#[derive(Default)]
struct Links {
    /// The reasoning item before an item.
    reasoning_of: HashMap<String, String>,
    /// The items directly after a reasoning item. Empty ids are items without one.
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

    /// Whether the reasoning still has after it what it needs: the very item, where the history knows it by an id.
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
