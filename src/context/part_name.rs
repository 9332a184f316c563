use serde::{Deserialize, Serialize};

use crate::message::{ItemType, Message, Role};
use crate::saved::saved;

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

    /// The part that a message's own text counts toward, unless the engine made it.
    pub(super) fn of_text(message: &Message) -> Self {
        match (message.item_type(), message.role) {
            (ItemType::CompactionSummary, _) => Self::Summary,
            (ItemType::Memory, _) => Self::Memory,
            (ItemType::Injection, _) => Self::Injections,
            (ItemType::SkillMetadata, _) => Self::Skills,
            (_, Role::System | Role::Developer) => Self::System,
            (_, Role::User) => Self::User,
            (_, Role::Assistant) => Self::Assistant,
            (_, Role::Tool) => Self::ToolOutputs,
        }
    }
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
