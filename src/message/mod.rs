//! The internal message model. Provider-specific shapes exist only in `provider/`.
//!
//! A [`Message`] has a role and an ordered list of [`Part`]s. All kinds of calls share one tool-call part and one
//! tool-output part; whatever is special about a kind is carried along unchanged in the part's [`Extras`].

mod boxed_unless_default;
mod compacted;
mod encoded_fields;
mod extras;
mod inserted;
mod pairs;
mod part;
mod provider_summary;
mod saved;
mod steps;

pub use boxed_unless_default::BoxedUnlessDefault;
pub use compacted::ProviderCompaction;
pub use extras::{Extras, Format};
pub use inserted::without_inserted;
pub use part::{CallKind, Media, MediaKind, Part, Reasoning, Text, ToolCall, ToolOutput, ToolOutputRef};
pub use provider_summary::ProviderSummary;
pub use steps::{Dependency, KnownMessage, Step, open_calls, open_calls_of, steps, steps_of};

use std::borrow::Cow;

use crate::names::names;
use serde::{Deserialize, Serialize};

names! {
    /// Who speaks.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Role {
        /// Instructions from the application.
        System = "system",
        /// Instructions from the application; newer `OpenAI` models use this role instead of `system`.
        Developer = "developer",
        /// The user, or a program that acts as the user.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// A tool's answer to one call of the assistant.
        Tool = "tool",
    }
}

impl Role {
    /// System and developer messages.
    pub const fn is_instruction(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }
}

names! {
    /// The kind of a message, used by passes that treat kinds differently.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    pub enum ItemType {
        /// The system prompt.
        SystemPrompt = "SYSTEM_PROMPT",
        /// Instructions on how to use sub-agents.
        SubagentStrategy = "SUBAGENT_STRATEGY",
        /// Instructions on how to use skills.
        SkillStrategy = "SKILL_STRATEGY",
        /// A user message.
        UserMessage = "USER_MESSAGE",
        /// An assistant message.
        AssistantMessage = "ASSISTANT_MESSAGE",
        /// A tool output.
        ToolResult = "TOOL_RESULT",
        /// A skill's prompt.
        SkillPrompt = "SKILL_PROMPT",
        /// A skill's metadata.
        SkillMetadata = "SKILL_METADATA",
        /// A summary (or the retained text) that the engine inserted.
        CompactionSummary = "COMPACTION_SUMMARY",
        /// A memory result.
        Memory = "MEMORY",
        /// A prompt that the caller injected.
        Injection = "INJECTION",
    }
}

/// What the caller specified about a message, besides its content.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The caller's id, or one that the engine assigned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `None`: derived from the role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_type: Option<ItemType>,
    /// Lower goes first. `None`: the item type's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// How many messages of this kind stay in the view; `None` for an ordinary message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ephemeral: Option<u32>,
    /// Kept verbatim in every view.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
}

/// One entry of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The content, in order. A tool message has exactly one part, a [`Part::ToolOutput`].
    pub parts: Vec<Part>,
    /// What the caller specified about it. Most messages have none, so the default takes no memory.
    pub meta: BoxedUnlessDefault<Meta>,
    /// Fields of its provider format that [`Message`] has no field for (unknown fields, the envelope), unchanged.
    pub extras: Extras,
}

impl Message {
    /// A message of one text part.
    pub fn text(role: Role, text: impl Into<Text>) -> Self {
        Self::new(role, vec![Part::text(text)])
    }

    /// A message of these parts.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self { role, parts, meta: BoxedUnlessDefault::default(), extras: Extras::default() }
    }

    /// A tool message that answers `call_id` with text.
    pub fn tool(call_id: impl Into<String>, text: impl Into<Text>) -> Self {
        Self::new(Role::Tool, vec![Part::from(ToolOutput::text(call_id, text))])
    }

    /// The same message with this id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.meta.id = Some(id.into());
        self
    }

    /// Whether it is a tool output written as a system message. Some systems write an output like this if its call is
    /// gone.
    pub fn is_output_note(&self) -> bool {
        self.role == Role::System && self.plain_text().starts_with("[tool:")
    }

    /// The tool calls in it, in order.
    pub fn tool_calls(&self) -> impl DoubleEndedIterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|p| match p {
            Part::ToolCall(c) => Some(&**c),
            _ => None,
        })
    }

    /// The tool outputs in it (one in a tool message, none elsewhere).
    pub fn tool_outputs(&self) -> impl Iterator<Item = &ToolOutput> {
        self.parts.iter().filter_map(|p| match p {
            Part::ToolOutput(o) => Some(&**o),
            _ => None,
        })
    }

    /// The tool outputs in it, to change them.
    pub fn tool_outputs_mut(&mut self) -> impl Iterator<Item = &mut ToolOutput> {
        self.parts.iter_mut().filter_map(|p| match p {
            Part::ToolOutput(o) => Some(&mut **o),
            _ => None,
        })
    }

    /// Its parts, with the parts of a tool output in place of the output.
    pub fn contents(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter().flat_map(|part| match part {
            Part::ToolOutput(output) => output.content.as_slice(),
            other => std::slice::from_ref(other),
        })
    }

    /// Like [`Self::contents`], to change them.
    pub fn contents_mut(&mut self) -> impl Iterator<Item = &mut Part> {
        self.parts.iter_mut().flat_map(|part| match part {
            Part::ToolOutput(output) => output.content.as_mut_slice(),
            other => std::slice::from_mut(other),
        })
    }

    /// Where the full content of its tool output is stored.
    pub fn output_ref(&self) -> Option<&ToolOutputRef> {
        self.tool_outputs().find_map(|o| o.output_ref.as_deref())
    }

    /// All visible text, joined by line breaks: text parts and refusals, and the content of tool outputs.
    pub fn plain_text(&self) -> String {
        let mut out = String::new();
        for part in &self.parts {
            part.push_plain_text(&mut out);
        }
        out
    }

    /// Its text without what the program around an agent inserted into it.
    pub fn said_text(&self) -> String {
        let text = self.plain_text();
        let said = match without_inserted(&text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(said) => Some(said),
        };
        said.unwrap_or(text)
    }

    /// Whether it has nothing but what the program around an agent inserted.
    fn is_inserted(&self) -> bool {
        let mut texts = self.parts.iter().map(Part::as_text);
        let is_blank = |text: &str| text.trim().is_empty();
        let is_none_said =
            |text: Option<&Text>| text.is_some_and(|text| is_blank(text) || inserted::is_inserted(text));
        texts.clone().flatten().any(|text| !is_blank(text)) && texts.all(is_none_said)
    }

    /// Whether it contains only white space.
    pub fn is_blank(&self) -> bool {
        let is_text = |part: &Part| matches!(part, Part::Text { .. });
        self.parts.iter().all(is_text) && self.plain_text().trim().is_empty()
    }

    /// Whether it has no parts at all: every provider refuses such a message. A message with an empty text is not
    /// empty: some providers accept it, and their models produce such answers.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Frees spare capacity, because the message is kept from now on.
    pub fn shrink(&mut self) {
        self.parts.shrink_to_fit();
        for part in &mut self.parts {
            if let Part::ToolOutput(output) = part {
                output.content.shrink_to_fit();
            }
        }
    }

    /// The item type that the caller set, or else the one that follows from the role.
    pub fn item_type(&self) -> ItemType {
        self.meta.item_type.unwrap_or(match self.role {
            Role::System | Role::Developer => ItemType::SystemPrompt,
            Role::User => ItemType::UserMessage,
            Role::Assistant => ItemType::AssistantMessage,
            Role::Tool => ItemType::ToolResult,
        })
    }

    /// Whether it opens a turn: it comes from the user, and is not a message that the engine, the caller's own code
    /// (a skill, a memory) or the program around an agent (a reminder) inserted with the user's role.
    pub fn opens_turn(&self) -> bool {
        self.role == Role::User && self.item_type() == ItemType::UserMessage && !self.is_inserted()
    }
}
