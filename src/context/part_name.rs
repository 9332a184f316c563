use serde::{Deserialize, Serialize};

use crate::message::{ItemType, Message, Role};
use crate::names::names;
use crate::saved::saved;

names! {
    /// What tokens of a view are spent on: the names of the report's parts.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum PartName {
        /// System and developer messages.
        System = "system",
        /// Tool definitions.
        Tools = "tools",
        /// Text that an earlier compaction keeps word for word.
        Retain = "retain",
        /// Summaries.
        Summary = "summary",
        /// The carry-over ledger: facts that a summary left out and the engine added.
        Ledger = "ledger",
        /// User messages.
        User = "user",
        /// The assistant's text.
        Assistant = "assistant",
        /// Reasoning and thinking.
        Reasoning = "reasoning",
        /// The assistant's tool calls.
        ToolCalls = "tool_calls",
        /// Tool outputs.
        ToolOutputs = "tool_outputs",
        /// Memory results.
        Memory = "memory",
        /// Prompt injections.
        Injections = "injections",
        /// Skills: what the model is told about them.
        Skills = "skills",
    }
}

impl PartName {
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
