use crate::facts::without_ledger;
use crate::message::{ItemType, Message, Part, Role};
use crate::saved::saved;
use crate::tokens::{TokenCounter, count_part};

/// The tokens of one message, by what they are spent on. Counted once, when the message enters (TOK-5). Every message has
/// two of these (node and slot), so each figure takes only four bytes and saturates at `u32::MAX`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    text: u32,
    reasoning: u32,
    calls: u32,
    outputs: u32,
    ledger: u32,
}

saved!(struct Tally { text, reasoning, calls, outputs, ledger });

impl Tally {
    /// Converted to another counter, given that `before` tokens of this one are `now` tokens of the other.
    #[must_use]
    pub fn scaled(self, now: u64, before: u64) -> Self {
        let of = |tokens: u32| {
            let scaled = u128::from(tokens) * u128::from(now) / u128::from(before.max(1));
            u32::try_from(scaled).unwrap_or(u32::MAX)
        };
        Self {
            text: of(self.text),
            reasoning: of(self.reasoning),
            calls: of(self.calls),
            outputs: of(self.outputs),
            ledger: of(self.ledger),
        }
    }

    /// Counts a message.
    pub fn of(message: &Message, counter: &dyn TokenCounter) -> Self {
        let mut tally = Self { text: small(counter.rules().frames.message(message.role)), ..Self::default() };
        for part in &message.parts {
            let sum = match part {
                Part::Reasoning(_) => &mut tally.reasoning,
                Part::ToolCall(_) => &mut tally.calls,
                Part::ToolOutput(_) => &mut tally.outputs,
                _ => &mut tally.text,
            };
            *sum = sum.saturating_add(small(count_part(part, counter)));
        }
        if message.item_type() == ItemType::CompactionSummary {
            let text = message.plain_text();
            if let Some(ledger) = without_ledger(&text).1 {
                tally.ledger = small(counter.count(ledger)).min(tally.text);
                tally.text -= tally.ledger;
            }
            let kept = message.kept_by_provider().iter().map(|text| counter.count(text)).sum();
            tally.text = tally.text.saturating_add(small(kept));
        }
        if message.role == Role::Tool {
            tally.outputs = tally.outputs.saturating_add(std::mem::take(&mut tally.text));
        }
        tally
    }

    /// Whether it can be the count of this message: only messages with calls have tokens for calls.
    pub(super) fn may_be_of(&self, message: &Message) -> bool {
        (self.calls > 0) == message.tool_calls().next().is_some()
    }

    /// The sum of all.
    pub fn total(&self) -> u64 {
        [self.text, self.reasoning, self.calls, self.outputs, self.ledger].into_iter().map(u64::from).sum()
    }

    /// The message's own frame, text, refusals and media.
    pub fn text(&self) -> u64 {
        self.text.into()
    }

    /// Reasoning and thinking.
    pub fn reasoning(&self) -> u64 {
        self.reasoning.into()
    }

    /// Tool calls.
    pub fn calls(&self) -> u64 {
        self.calls.into()
    }

    /// Tool outputs.
    pub fn outputs(&self) -> u64 {
        self.outputs.into()
    }

    /// The carry-over ledger at a summary's end.
    pub fn ledger(&self) -> u64 {
        self.ledger.into()
    }
}

fn small(tokens: u64) -> u32 {
    u32::try_from(tokens).unwrap_or(u32::MAX)
}
