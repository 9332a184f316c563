//! What a model's chat template adds to texts.

use crate::message::Role;

/// Tokens added per message for role and separators (`message:openai-cookbook`).
pub const MESSAGE_OVERHEAD: u64 = 4;

/// Tokens added per tool call or output for the frame around name, id and arguments (`call:estimate`).
pub const CALL_OVERHEAD: u64 = 8;

/// What a chat template adds, in tokens of its tokenizer. Measured elsewhere, by rendering the template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Template {
    /// The name of the template, for the report.
    pub source: &'static str,
    /// Around a system message.
    pub system: u64,
    /// Around a user message.
    pub user: u64,
    /// Around an assistant message.
    pub assistant: u64,
    /// Around a tool call's name and arguments.
    pub call: u64,
    /// Around a tool output, including the frame of its message.
    pub output: u64,
    /// Added once if there are tools.
    pub tools: u64,
    /// Around each tool definition.
    pub tool: u64,
}

/// The tokens around messages, calls and outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Frames {
    /// `message:openai-cookbook` and `call:estimate`.
    #[default]
    Usual,
    /// Those of a chat template.
    Of(Template),
}

impl Frames {
    /// Around a message.
    pub const fn message(&self, role: Role) -> u64 {
        match (self, role) {
            (Self::Usual, _) => MESSAGE_OVERHEAD,
            (Self::Of(template), Role::System | Role::Developer) => template.system,
            (Self::Of(template), Role::User) => template.user,
            (Self::Of(template), Role::Assistant) => template.assistant,
            (Self::Of(_), Role::Tool) => 0, // counted with its outputs
        }
    }

    /// Around a call.
    pub const fn call(&self) -> u64 {
        match self {
            Self::Usual => CALL_OVERHEAD,
            Self::Of(template) => template.call,
        }
    }

    /// Around a tool output.
    pub const fn output(&self) -> u64 {
        match self {
            Self::Usual => CALL_OVERHEAD,
            Self::Of(template) => template.output,
        }
    }
}
