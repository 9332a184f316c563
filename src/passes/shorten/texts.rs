//! Cuts the middles of texts. If a message has several texts, the longest are cut first.

use std::sync::Arc;

use super::notice::{opener, without_middle};
use super::parts;
use crate::context::{Context, Form, Slot, Tally};
use crate::error::Result;
use crate::message::{Message, Part, Role, Text};

/// A message is never shortened below this many tokens.
pub(super) const LEAST: u64 = 128;

/// A text is never cut to fewer tokens.
const LEAST_TEXT: u64 = LEAST / 2;

/// Roughly how many tokens a notice takes.
const NOTICE_TOKENS: u64 = 24;

/// How many cuts are tried, each a tenth shorter than the one before.
const TRIES: u32 = 16;

/// Cuts the middles of the longest texts of the message at `at` down to one length, so that the message takes about `goal`
/// tokens. Returns the refs of the full texts; empty if the message did not become smaller.
pub(super) fn cut(context: &mut Context, at: usize, goal: u64) -> Result<Vec<Option<String>>> {
    let slot = context.view.body()[at].clone();
    let counter = context.counter.clone();
    let mut whole = restored(context, &slot)?;
    let (mut tokens, mut limit) = limit_for_each(context, &whole, goal);
    if limit < LEAST_TEXT && tokens.len() > 1 && matches!(whole.role, Role::User | Role::Tool) {
        whole = joined(&whole);
        (tokens, limit) = limit_for_each(context, &whole, goal);
    }
    let longest = tokens.iter().copied().max().unwrap_or(0);
    let mut limit = limit.min(longest).max(LEAST_TEXT);
    let mut refs: Vec<Option<Option<String>>> = vec![None; tokens.len()];
    for _ in 0..TRIES {
        let mut message = Message::clone(&whole);
        let mut cut = Vec::new();
        for (n, text) in texts_mut(&mut message).enumerate() {
            let takes = tokens[n];
            if takes <= limit.max(LEAST_TEXT + NOTICE_TOKENS) {
                continue;
            }
            let room = limit.min(takes - NOTICE_TOKENS);
            let ref_id = match refs[n].take() {
                Some(id) => id,
                None => opener(context, &slot, text)?,
            };
            let bytes = (text.len() as u128 * u128::from(room) / u128::from(takes)) as usize;
            *text = without_middle(text, bytes, ref_id.as_deref()).into();
            cut.push(ref_id.clone());
            refs[n] = Some(ref_id);
        }
        let tally = Tally::of(&message, &*counter);
        let is_smaller = !cut.is_empty() && tally.total() < slot.tokens();
        if is_smaller && (tally.total() <= goal || limit <= LEAST_TEXT) {
            context.view.replace(at, Arc::new(message), tally, Form::Shortened);
            return Ok(cut);
        }
        if limit <= LEAST_TEXT {
            break;
        }
        limit = (limit / 10 * 9).max(LEAST_TEXT);
    }
    Ok(Vec::new())
}

/// The tokens of the longest text of the message at `at`.
pub(super) fn longest(context: &Context, at: usize) -> u64 {
    texts(&context.view.body()[at].message).map(|text| context.counter.count(text)).max().unwrap_or(0)
}

/// The tokens of each of a message's texts, and how many each may take at most so that the message takes `goal`.
fn limit_for_each(context: &Context, message: &Message, goal: u64) -> (Vec<u64>, u64) {
    let tokens: Vec<u64> = texts(message).map(|text| context.counter.count(text)).collect();
    let others = Tally::of(message, &*context.counter)
        .total()
        .saturating_sub(tokens.iter().copied().fold(0, u64::saturating_add));
    let mut left = goal.saturating_sub(others);
    let mut shortest_first = tokens.clone();
    shortest_first.sort_unstable();
    for (n, takes) in shortest_first.iter().enumerate() {
        let each = left / (shortest_first.len() - n) as u64;
        if *takes > each {
            return (tokens, each);
        }
        left -= takes;
    }
    (tokens, u64::MAX)
}

/// The message with all its texts joined into one, at the position of the first.
fn joined(message: &Message) -> Arc<Message> {
    let all: Vec<&str> = texts(message).map(|text| &**text).collect();
    let mut all = Some(Part::text(all.join("\n")));
    let mut message = Message::clone(message);
    let parts = match message.parts.as_mut_slice() {
        [Part::ToolOutput(output)] => &mut output.content,
        _ => &mut message.parts,
    };
    parts.retain_mut(|part| match part.as_text_or_refusal().and_then(|_| all.take()) {
        Some(whole) => {
            *part = whole;
            true
        }
        None => part.as_text_or_refusal().is_none(),
    });
    message.into()
}

/// The message with its texts as the history has them, but with its calls and media as the view shows them. So a text that was cut is
/// cut again from its beginning, and no mark stands in another.
pub(super) fn restored(context: &mut Context, slot: &Slot) -> Result<Arc<Message>> {
    let is_cut =
        matches!(slot.form, Form::Cut | Form::Compressed | Form::Truncated | Form::Pointer | Form::Shortened);
    // Of an output that is away, the history has only a placeholder.
    if !is_cut || context.history.is_away(slot.node) {
        return Ok(slot.message.clone());
    }
    let whole = context.history.node(slot.node).message.clone();
    let mut message = Message::clone(&slot.message);
    if message.contents().filter(|part| is_content(part)).count()
        == whole.contents().filter(|part| is_content(part)).count()
    {
        let shown = message.contents_mut().filter(|part| is_content(part));
        for (shown, full) in shown.zip(whole.contents().filter(|part| is_content(part))) {
            if full.as_text_or_refusal().is_some() {
                shown.clone_from(full);
            }
        }
    } else if matches!(message.role, Role::User | Role::Tool) {
        message = Message::clone(&whole); // its texts were joined
        for part in
            message.contents_mut().filter(|part| slot.message.contents().all(|shown| shown != &**part))
        {
            parts::stand_in(context, slot, part)?;
        }
    }
    Ok(message.into())
}

/// What stays a part of its own while texts are cut: calls and thinking may go.
fn is_content(part: &Part) -> bool {
    matches!(part, Part::Text { .. } | Part::Refusal { .. } | Part::Media(_) | Part::Opaque { .. })
}

pub(super) fn texts(message: &Message) -> impl Iterator<Item = &Text> {
    message.contents().filter_map(Part::as_text_or_refusal)
}

pub(super) fn texts_mut(message: &mut Message) -> impl Iterator<Item = &mut Text> {
    message.contents_mut().filter_map(|part| match part {
        Part::Text { text, .. } | Part::Refusal { text, .. } => Some(text),
        _ => None,
    })
}
