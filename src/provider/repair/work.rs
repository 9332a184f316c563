use std::ops::Range;

use serde::Serialize;

use crate::message::{Format, Message};

/// What was done to one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(type_prefix = "Repair"))]
pub struct Change {
    /// The index of the entry in what was handed in (of the call, for an output that was put in).
    pub index: usize,
    /// The rule that was broken there.
    pub rule: &'static str,
    /// What was done.
    pub what: String,
}

/// What stands for an output that was never given. A model reads it.
pub const MISSING_OUTPUT: &str = "[no output: the call was not completed]";

/// A message on its way, with the entries that it came from. What was put in has the index of its call's entry.
pub(super) struct Entry {
    pub message: Message,
    pub from: Range<usize>,
}

/// Everything that the steps of a repair share.
pub(super) struct Work {
    pub format: Format,
    pub entries: Vec<Entry>,
    pub changes: Vec<Change>,
    pub pending: bool,
    /// Thinking has to be signed.
    pub is_signed: bool,
}

impl Work {
    pub fn changed(&mut self, index: usize, rule: &'static str, what: impl Into<String>) {
        self.changes.push(Change { index, rule, what: what.into() });
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
