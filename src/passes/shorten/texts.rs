//! Cuts the middles of texts. If a message has several texts, the longest are cut first.

use std::sync::Arc;

use super::notice::{opener, without_middle};
use super::parts;
use crate::context::{Context, Form, Slot, Tally};
use crate::error::Result;
use crate::message::{Message, Part, Role, Text};

/// Roughly how many tokens a notice takes.
const NOTICE_TOKENS: u64 = 24;

/// How many cuts are tried, each by what the one before showed: tokens are not spread evenly over a text.
const TRIES: u32 = 16;

/// A cut is close enough if it leaves free one part in this many of the message's goal.
const CLOSE: u64 = 64;

/// Cuts the middles of the longest texts of the message at `at` down to one length, so that the message takes about `goal`
/// tokens, of which each text keeps at least half of `least`. Returns the refs of the full texts; empty if the message did not become
/// smaller.
pub(super) fn cut(context: &mut Context, at: usize, goal: u64, least: u64) -> Result<Vec<Option<String>>> {
    let least = least / 2;
    let slot = context.view.body()[at].clone();
    let counter = context.counter.clone();
    let mut whole = restored(context, &slot)?;
    let (mut tokens, mut limit) = limit_for_each(context, &whole, goal);
    if limit < least && tokens.len() > 1 && matches!(whole.role, Role::User | Role::Tool) {
        whole = joined(&whole);
        (tokens, limit) = limit_for_each(context, &whole, goal);
    }
    let longest = tokens.iter().copied().max().unwrap_or(0);
    let (mut fitting, mut too_long) = (least, longest);
    let mut limit = limit.min(longest).max(least);
    for _ in 0..TRIES {
        let stored = context.outputs.mark();
        let (message, cut) = cut_to(context, &slot, &whole, &tokens, (limit, least))?;
        context.outputs.roll_back(stored); // only the last cut names refs
        let (total, each) = (Tally::of(&message, &*counter).total(), cut.len().max(1) as u64);
        let next = if total <= goal {
            fitting = limit;
            limit + (goal - total) / each
        } else {
            too_long = limit;
            limit.saturating_sub((total - goal) / each)
        };
        if too_long <= fitting + 1 || total <= goal && goal - total <= goal / CLOSE {
            break;
        }
        let is_between = fitting < next && next < too_long;
        limit = if is_between { next } else { fitting.midpoint(too_long) };
    }
    let stored = context.outputs.mark();
    let (message, cut) = cut_to(context, &slot, &whole, &tokens, (fitting, least))?;
    let tally = Tally::of(&message, &*counter);
    if cut.is_empty() || tally.total() >= slot.tokens() {
        context.outputs.roll_back(stored);
        return Ok(Vec::new());
    }
    context.view.replace(at, Arc::new(message), tally, Form::Shortened);
    Ok(cut)
}

/// The message with its texts cut to `limit` tokens each, of `tokens` that each has, and the refs of the full texts.
fn cut_to(
    context: &mut Context,
    slot: &Slot,
    whole: &Message,
    tokens: &[u64],
    (limit, least): (u64, u64),
) -> Result<(Message, Vec<Option<String>>)> {
    let mut message = whole.clone();
    let mut cut = Vec::new();
    for (text, takes) in texts_mut(&mut message).zip(tokens.iter().copied()) {
        if takes <= limit.max(least + NOTICE_TOKENS) {
            continue;
        }
        let room = limit.min(takes - NOTICE_TOKENS);
        let ref_id = opener(context, slot, text)?;
        let bytes = (text.len() as u128 * u128::from(room) / u128::from(takes)) as usize;
        *text = without_middle(text, bytes, ref_id.as_deref()).into();
        cut.push(ref_id);
    }
    Ok((message, cut))
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
