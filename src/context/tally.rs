use serde::{Deserialize, Serialize};

use super::fold::without_ledger;
use super::media::MediaSums;
use super::view::{Form, Slot};
use crate::error::Result;
use crate::message::{ItemType, Message, Part, Role};
use crate::saved::{Reader, Saved, Writer, saved};
use crate::tokens::{TokenCounter, count_part};

/// What tokens of a view are spent on: the names of the report's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartName {
    /// System and developer messages.
    System,
    /// Tool definitions.
    Tools,
    /// Text that an earlier compaction keeps word for word.
    Retain,
    /// Summaries.
    Summary,
    /// The carry-over ledger: facts that a summary left out and the engine added.
    Ledger,
    /// User messages.
    User,
    /// The assistant's text.
    Assistant,
    /// Reasoning and thinking.
    Reasoning,
    /// The assistant's tool calls.
    ToolCalls,
    /// Tool outputs.
    ToolOutputs,
    /// Memory results.
    Memory,
    /// Prompt injections.
    Injections,
    /// Skills: what the model is told about them.
    Skills,
}

impl PartName {
    /// Every part, in the order of the report.
    pub const ALL: [Self; 13] = [
        Self::System,
        Self::Tools,
        Self::Retain,
        Self::Summary,
        Self::Ledger,
        Self::User,
        Self::Assistant,
        Self::Reasoning,
        Self::ToolCalls,
        Self::ToolOutputs,
        Self::Memory,
        Self::Injections,
        Self::Skills,
    ];

    /// The name in the report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Tools => "tools",
            Self::Retain => "retain",
            Self::Summary => "summary",
            Self::Ledger => "ledger",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Reasoning => "reasoning",
            Self::ToolCalls => "tool_calls",
            Self::ToolOutputs => "tool_outputs",
            Self::Memory => "memory",
            Self::Injections => "injections",
            Self::Skills => "skills",
        }
    }
}

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

saved!(
    enum PartName {
        System,
        Tools,
        Retain,
        Summary,
        User,
        Assistant,
        Reasoning,
        ToolCalls,
        ToolOutputs,
        Memory,
        Injections,
        Skills,
        Ledger,
    }
);

impl Saved for Tally {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        let Self { text, reasoning, calls, outputs, ledger } = self;
        for tokens in [text, reasoning, calls, outputs, ledger] {
            out.number(u64::from(*tokens));
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        Ok(Self {
            text: u32::load(from)?,
            reasoning: u32::load(from)?,
            calls: u32::load(from)?,
            outputs: u32::load(from)?,
            ledger: u32::load(from)?,
        })
    }
}

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

/// The part that a message's own text counts toward, unless the engine made it.
pub(super) fn text_part(message: &Message) -> PartName {
    match (message.item_type(), message.role) {
        (ItemType::CompactionSummary, _) => PartName::Summary,
        (ItemType::Memory, _) => PartName::Memory,
        (ItemType::Injection, _) => PartName::Injections,
        (ItemType::SkillMetadata, _) => PartName::Skills,
        (_, Role::System | Role::Developer) => PartName::System,
        (_, Role::User) => PartName::User,
        (_, Role::Assistant) => PartName::Assistant,
        (_, Role::Tool) => PartName::ToolOutputs,
    }
}

/// Running sums over a view: tokens and messages by part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sums {
    tokens: [u64; PartName::ALL.len()],
    messages: [u64; PartName::ALL.len()],
    total: u64,
    media: MediaSums,
    outputs: OutputCounts,
    placeholder_tokens: u64,
}

/// How many tool messages of a view are whole, shortened or placeholders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct OutputCounts {
    /// As they were pushed.
    pub whole: u64,
    /// With only a part of their text.
    pub shortened: u64,
    /// Placeholders and pointers, without their text.
    pub placeholders: u64,
}

saved!(struct OutputCounts { whole, shortened, placeholders });

impl OutputCounts {
    fn of(&mut self, slot: &Slot) -> Option<&mut u64> {
        (slot.message.role == Role::Tool).then_some(match slot.form {
            Form::Whole => &mut self.whole,
            Form::Placeholder | Form::Pointer => &mut self.placeholders,
            _ => &mut self.shortened,
        })
    }
}

impl Sums {
    /// Images, documents and sounds.
    pub fn media(&self) -> MediaSums {
        self.media
    }

    /// Tokens of the tool outputs that are placeholders.
    pub fn placeholder_tokens(&self) -> u64 {
        self.placeholder_tokens
    }

    /// How many tool outputs are whole, shortened or placeholders.
    pub fn outputs(&self) -> OutputCounts {
        self.outputs
    }

    pub fn total(&self) -> u64 {
        self.total
    }

    /// Tokens of one part.
    pub fn of(&self, part: PartName) -> u64 {
        self.tokens[part as usize]
    }

    pub fn add(&mut self, slot: &Slot) {
        let media = MediaSums::of(&slot.message);
        self.media.images += media.images;
        self.media.bytes += media.bytes;
        if let Some(count) = self.outputs.of(slot) {
            *count += 1;
            self.placeholder_tokens += tokens_of_placeholder(slot);
        }
        let (part, tally) = (slot.part, &slot.tally);
        for (part, tokens) in split(part, tally) {
            if tokens > 0 {
                self.tokens[part as usize] += tokens;
                self.messages[part as usize] += 1;
                self.total += tokens;
            }
        }
    }

    pub fn remove(&mut self, slot: &Slot) {
        let media = MediaSums::of(&slot.message);
        self.media.images -= media.images;
        self.media.bytes -= media.bytes;
        if let Some(count) = self.outputs.of(slot) {
            *count -= 1;
            self.placeholder_tokens -= tokens_of_placeholder(slot);
        }
        let (part, tally) = (slot.part, &slot.tally);
        for (part, tokens) in split(part, tally) {
            if tokens > 0 {
                self.tokens[part as usize] -= tokens;
                self.messages[part as usize] -= 1;
                self.total -= tokens;
            }
        }
    }

    /// `(part, tokens, messages)` of every part that is not empty.
    pub fn parts(&self) -> impl Iterator<Item = (PartName, u64, u64)> + '_ {
        PartName::ALL
            .into_iter()
            .map(|p| (p, self.tokens[p as usize], self.messages[p as usize]))
            .filter(|(_, tokens, _)| *tokens > 0)
    }
}

fn tokens_of_placeholder(slot: &Slot) -> u64 {
    if matches!(slot.form, Form::Placeholder | Form::Pointer) { slot.tally.outputs() } else { 0 }
}

fn split(text: PartName, tally: &Tally) -> [(PartName, u64); 5] {
    [
        (text, tally.text()),
        (PartName::Reasoning, tally.reasoning()),
        (PartName::ToolCalls, tally.calls()),
        (PartName::ToolOutputs, tally.outputs()),
        (PartName::Ledger, tally.ledger()),
    ]
}
