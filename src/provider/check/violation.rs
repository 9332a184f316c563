use serde::Serialize;

use super::super::tool_names;
use super::bedrock;

/// How bad a violation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Some models or gateways refuse it, or it is likely to be a mistake.
    Warn,
    /// The provider answers with an error.
    Error,
}

/// One rule that a history breaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Violation {
    /// How bad it is.
    pub severity: Severity,
    /// The rule's name, such as `R-orphan-output`: `R` for Responses, `C` for Chat Completions, `A` for Anthropic, `B`
    /// for Bedrock, `G` for Gemini, `S` for the AI SDK, `M` for our own messages; `schema` for an entry of the wrong
    /// shape. Rules of all formats have no prefix, such as `provider-unknown`.
    pub rule: &'static str,
    /// The index of the entry in the list.
    pub index: usize,
    /// What is wrong, for people to read.
    pub message: String,
}

/// The violations found so far.
#[derive(Default)]
pub(super) struct Violations {
    pub list: Vec<Violation>,
    /// Whether the format is Bedrock's Converse, whose rules have names of their own.
    pub is_converse: bool,
    /// Whether thinking must be signed.
    pub is_signed: bool,
}

impl Violations {
    pub fn add(&mut self, severity: Severity, rule: &'static str, index: usize, message: impl Into<String>) {
        let rule = if self.is_converse { bedrock::named(rule) } else { rule };
        self.list.push(Violation { severity, rule, index, message: message.into() });
    }

    pub fn error(&mut self, rule: &'static str, index: usize, message: impl Into<String>) {
        self.add(Severity::Error, rule, index, message);
    }

    pub fn warn(&mut self, rule: &'static str, index: usize, message: impl Into<String>) {
        self.add(Severity::Warn, rule, index, message);
    }
}

/// Reports a tool's name that APIs refuse. Some accept dots as well; none is known to accept more.
pub(super) fn tool_name(rule: &'static str, name: Option<&str>, index: usize, found: &mut Violations) {
    if let Some(name) = name.filter(|name| !tool_names::fits(name, tool_names::MAX_NAME_CHARS)) {
        let longest = tool_names::MAX_NAME_CHARS;
        let why = format!("the tool name `{name}` is not 1 to {longest} letters, digits, _ and -");
        found.warn(rule, index, why);
    }
}
