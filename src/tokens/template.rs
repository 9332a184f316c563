//! What a model's chat template adds to texts.

use crate::message::Role;

/// Tokens that a provider adds per message: role and separators (`message:openai-cookbook`).
pub const MESSAGE_OVERHEAD: u64 = 4;

/// Tokens that a provider adds per tool call or output: the frame around name, id and arguments (`call:estimate`).
pub const CALL_OVERHEAD: u64 = 8;

/// What a chat template adds, in tokens of its tokenizer. It is measured outside, by rendering the template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Template {
    /// Which template, for the report.
    pub source: &'static str,
    /// Around a system message.
    pub system: u64,
    /// Around a user message.
    pub user: u64,
    /// Around an assistant message.
    pub assistant: u64,
    /// Around a tool call's name and arguments.
    pub call: u64,
    /// Around a tool output, its message's frame included.
    pub output: u64,
    /// Where there are tools.
    pub tools: u64,
    /// Around each definition.
    pub tool: u64,
}

/// What stands around messages, calls and outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Frames {
    /// `message:openai-cookbook` and `call:estimate`.
    #[default]
    Usual,
    /// As a template has it.
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
            (Self::Of(_), Role::Tool) => 0, // that is its outputs'
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
