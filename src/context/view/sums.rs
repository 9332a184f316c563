use serde::Serialize;

use crate::context::media_budget::MediaSums;
use crate::context::part_name::PartName;
use crate::context::slot::{Form, Slot};
use crate::context::tally::Tally;
use crate::message::Role;
use crate::saved::saved;

/// Running sums over a view: tokens and messages by part.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sums {
    tokens: [u64; PartName::ALL.len()],
    messages: [u64; PartName::ALL.len()],
    pub total: u64,
    pub media: MediaSums,
    pub outputs: OutputCounts,
    /// Tokens of the tool outputs that are placeholders.
    pub placeholder_tokens: u64,
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
    /// The sums over these slots.
    pub fn over<'s>(slots: impl Iterator<Item = &'s Slot>) -> Self {
        let mut sums = Self::default();
        slots.for_each(|slot| sums.add(slot));
        sums
    }

    /// Tokens of one part.
    pub fn of(&self, part: PartName) -> u64 {
        self.tokens[part as usize]
    }

    pub fn add(&mut self, slot: &Slot) {
        self.change(slot, |sum, by| *sum += by);
    }

    pub fn remove(&mut self, slot: &Slot) {
        self.change(slot, |sum, by| *sum -= by);
    }

    fn change(&mut self, slot: &Slot, change: impl Fn(&mut u64, u64)) {
        let media = MediaSums::of(&slot.message);
        change(&mut self.media.images, media.images);
        change(&mut self.media.bytes, media.bytes);
        if let Some(count) = self.outputs.of(slot) {
            change(count, 1);
            change(&mut self.placeholder_tokens, tokens_of_placeholder(slot));
        }
        for (part, tokens) in split(slot.part, &slot.tally) {
            if tokens > 0 {
                change(&mut self.tokens[part as usize], tokens);
                change(&mut self.messages[part as usize], 1);
                change(&mut self.total, tokens);
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
