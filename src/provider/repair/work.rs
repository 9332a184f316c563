use std::ops::Range;

use serde::Serialize;

use crate::message::{Format, Message, Part, Role};

/// A change to one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(type_prefix = "Repair"))]
pub struct Change {
    /// The index of the entry in the input; for an inserted output, that of its call.
    pub index: usize,
    /// The rule that the entry broke.
    pub rule: &'static str,
    /// What was changed.
    pub what: String,
}

impl Change {
    pub(super) fn new(index: usize, rule: &'static str, what: impl Into<String>) -> Self {
        Self { index, rule, what: what.into() }
    }
}

/// Replaces an output that never came. The model reads it.
pub const MISSING_OUTPUT: &str = "[no output: the call was not completed]";

/// A message in progress, with the range of entries that it came from. An inserted output has the range of its call.
pub(super) struct Entry {
    pub message: Message,
    pub from: Range<usize>,
}

/// A broken rule, and what was done.
pub(super) type Broken = (&'static str, String);

/// The state that all steps of a repair share.
pub(super) struct Work {
    pub format: Format,
    pub entries: Vec<Entry>,
    pub changes: Vec<Change>,
    pub pending: bool,
    /// Whether thinking must be signed.
    pub is_signed: bool,
}

impl Work {
    pub fn note_change(&mut self, index: usize, rule: &'static str, what: impl Into<String>) {
        self.changes.push(Change::new(index, rule, what));
    }

    /// Removes the parts for which `judge` names a broken rule and says what was done.
    pub fn remove_parts(&mut self, judge: &mut dyn FnMut(Role, &Part) -> Option<Broken>) {
        for Entry { message, from } in &mut self.entries {
            let role = message.role;
            message.parts.retain(|part| {
                let broken = judge(role, part).map(|(rule, what)| Change::new(from.start, rule, what));
                let keeps = broken.is_none();
                self.changes.extend(broken);
                keeps
            });
        }
    }

    /// The rule's name in this format: Responses, Chat Completions, Anthropic, AI SDK, Gemini, Bedrock, our own.
    pub fn rule(&self, names: [&'static str; 7]) -> &'static str {
        let [responses, chat, anthropic, ai_sdk, gemini, bedrock, messages] = names;
        match self.format {
            Format::OpenaiResponses => responses,
            Format::OpenaiChat => chat,
            Format::Anthropic => anthropic,
            Format::AiSdk => ai_sdk,
            Format::Gemini => gemini,
            Format::BedrockConverse => bedrock,
            Format::Messages => messages,
        }
    }
}
