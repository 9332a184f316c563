//! Estimated sizes of the texts in a message, exact enough to choose a level without counting.

use super::Level;
use crate::context::{Slot, Tally};
use crate::message::{CallKind, Message, Part, Role, Text, ToolCall};
use crate::tokens::{TokenCounter, count_part};
use crate::tool_output::Json;

/// A text that can be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// The text's tokens.
    pub tokens: u64,
    /// The text keeps this many times the level.
    pub times: u64,
}

impl Size {
    /// Roughly how many tokens the text takes at a level.
    pub fn tokens_at(self, level: Level) -> u64 {
        level.times(self.times).size_of(self.tokens)
    }
}

/// How many times the level a text keeps, by its speaker: the user's words and instructions weigh most, a tool's least.
pub(super) const fn times(role: Role) -> u64 {
    match role {
        Role::User | Role::System | Role::Developer => 3,
        Role::Assistant => 2,
        Role::Tool => 1,
    }
}

/// Calls `found` with each text of a message that can be cut; never if the message fits into the smallest level as a whole.
pub(super) fn each(
    message: &Message,
    tally: &Tally,
    counter: &dyn TokenCounter,
    found: &mut dyn FnMut(Size),
) {
    if Level::LEAST.keeps_whole(tally.total()) {
        return;
    }
    let times = times(message.role);
    for tokens in of_texts(message, tally, counter) {
        found(Size { tokens, times });
    }
    for (call, tokens) in message.tool_calls().zip(of_inputs(message, tally, counter)) {
        if Level::LEAST.keeps_whole(tokens) || !can_be_cut(call) {
            continue;
        }
        match Json::parse(&call.input) {
            Some(json) => json.strings().for_each(|string| {
                found(Size { tokens: share(tokens, string.len(), call.input.len()), times: 1 });
            }),
            None => found(Size { tokens, times: 1 }),
        }
    }
}

/// Roughly what a message takes at a level, without names.
pub(super) fn at_level(slot: &Slot, level: Level, counter: &dyn TokenCounter) -> u64 {
    let mut tokens = slot.tokens();
    each(&slot.message, &slot.tally, counter, &mut |size| {
        tokens = tokens.saturating_sub(size.tokens) + size.tokens_at(level);
    });
    tokens
}

/// The tokens of a message's texts, in order: the message's text tokens divided by length in bytes. Exact if there is only
/// one text.
pub(super) fn of_texts(message: &Message, tally: &Tally, counter: &dyn TokenCounter) -> Vec<u64> {
    let frames = counter.rules().frames;
    let (tokens, frame) = match message.role {
        Role::Tool => (
            tally.outputs(),
            frames.message(Role::Tool) + message.tool_outputs().count() as u64 * frames.output(),
        ),
        role => (tally.text(), frames.message(role)),
    };
    let parts = || message.contents().filter(|p| !matches!(p, Part::ToolCall(_) | Part::Reasoning(_)));
    let length = |part: &Part| part.as_text().map(|text| text.len());
    let others: u64 = parts().filter(|p| length(p).is_none()).map(|p| count_part(p, counter)).sum();
    let tokens = tokens.saturating_sub(frame + others);
    let all: usize = parts().filter_map(length).sum();
    parts().filter_map(length).map(|bytes| share(tokens, bytes, all)).collect()
}

/// The tokens of the arguments of a message's calls, in order, divided by length in the same way.
pub(super) fn of_inputs(message: &Message, tally: &Tally, counter: &dyn TokenCounter) -> Vec<u64> {
    let frame = message.tool_calls().count() as u64 * counter.rules().frames.call();
    let tokens = tally.calls().saturating_sub(frame);
    let all: usize = message.tool_calls().map(|call| call.name.len() + call.input.len()).sum();
    message.tool_calls().map(|call| share(tokens, call.input.len(), all)).collect()
}

/// Whether a call's arguments may be cut: those of a function if they are JSON, those of a custom tool in any case. Not
/// those of a call that the provider runs, nor of one that is sent back as the raw item it came as.
pub(super) fn can_be_cut(call: &ToolCall) -> bool {
    match call.kind {
        _ if call.hosted => false,
        CallKind::Function => Json::parse(&call.input).is_some(),
        CallKind::Custom => true,
        CallKind::Other { .. } => false,
    }
}

/// The tokens of `part` bytes out of `all`, which take `tokens` together.
pub(super) fn share(tokens: u64, part: usize, all: usize) -> u64 {
    (u128::from(tokens) * part as u128 / (all as u128).max(1)) as u64
}

/// Whether a part is reasoning that is removed when its step is cut: no other item depends on it. `opens_turn`: the step opens the
/// running turn. If thinking is enabled, Anthropic refuses a turn with tool calls that does not begin with thinking.
pub(super) fn is_removed(part: &Part, opens_turn: bool) -> bool {
    let is_bound = opens_turn && part.is_bound_thinking();
    matches!(part, Part::Reasoning(reasoning) if reasoning.id.is_none() && reasoning.encrypted.is_none() && !is_bound)
}

/// The texts among a message's parts, in order.
pub(super) fn texts_mut(message: &mut Message) -> impl Iterator<Item = &mut Text> {
    message.contents_mut().filter_map(|part| match part {
        Part::Text { text, .. } => Some(text),
        _ => None,
    })
}
