//! The one error type. It imports nothing from the other modules.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What went wrong, as a stable code. The code is the contract; the message may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum ErrorCode {
    /// The WebAssembly module is used before `await init()` (browsers only).
    NotInitialized,
    /// An option has an unknown key, a wrong type or a number out of range.
    InvalidConfig,
    /// A message is malformed or would break the history (an orphan tool output, a duplicate call id).
    InvalidMessage,
    /// An argument of a call is malformed.
    InvalidArgument,
    /// The model is in no registry, or its tokenizer is not public.
    UnknownModel,
    /// No tool output has this ref, and no session is saved under this key.
    UnknownRef,
    /// An encoding asset is damaged, truncated, of another version or another encoding.
    EncodingInvalid,
    /// A tokenizer needs something that is not supported; the error message names it.
    EncodingUnsupported,
    /// Every pass ran and the view is still larger than its limit.
    ContextWindowExceeded,
    /// The parts that may not be compacted (header, tools, pins) alone exceed the limit.
    BudgetImpossible,
    /// The summarize callback threw, rejected, or returned something that is not a summary.
    SummaryFailed,
    /// The summary is empty.
    SummaryEmpty,
    /// The summary was cut off by its own length limit or by the provider's filter.
    SummaryTruncated,
    /// The summary is not smaller than what it would replace.
    SummaryNotSmaller,
    /// The summary lacks what its profile requires.
    SummaryInvalid,
    /// The history was rewritten after the plan or the summary request was made.
    StalePlan,
    /// The caller's `AbortSignal` fired.
    Aborted,
    /// A graph operation would break a rule of the graph.
    GraphConstraint,
    /// A graph grew beyond its safety limits.
    SafetyLimitExceeded,
    /// A snapshot's bytes are damaged.
    SnapshotInvalid,
    /// A snapshot was written by a newer version.
    SnapshotTooNew,
    /// The store threw, is down, is full, or returned invalid data.
    StoreFailed,
    /// Another writer saved first.
    StoreConflict,
    /// The object was freed.
    Freed,
    /// A bug in contextfold. The module must be loaded again.
    Internal,
}

impl ErrorCode {
    /// Every code, in the order of the public documentation.
    pub const ALL: [Self; 25] = [
        Self::NotInitialized,
        Self::InvalidConfig,
        Self::InvalidMessage,
        Self::InvalidArgument,
        Self::UnknownModel,
        Self::UnknownRef,
        Self::EncodingInvalid,
        Self::EncodingUnsupported,
        Self::ContextWindowExceeded,
        Self::BudgetImpossible,
        Self::SummaryFailed,
        Self::SummaryEmpty,
        Self::SummaryTruncated,
        Self::SummaryNotSmaller,
        Self::SummaryInvalid,
        Self::StalePlan,
        Self::Aborted,
        Self::GraphConstraint,
        Self::SafetyLimitExceeded,
        Self::SnapshotInvalid,
        Self::SnapshotTooNew,
        Self::StoreFailed,
        Self::StoreConflict,
        Self::Freed,
        Self::Internal,
    ];

    /// The code as JavaScript sees it in `ContextError.code`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotInitialized => "NOT_INITIALIZED",
            Self::InvalidConfig => "INVALID_CONFIG",
            Self::InvalidMessage => "INVALID_MESSAGE",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::UnknownModel => "UNKNOWN_MODEL",
            Self::UnknownRef => "UNKNOWN_REF",
            Self::EncodingInvalid => "ENCODING_INVALID",
            Self::EncodingUnsupported => "ENCODING_UNSUPPORTED",
            Self::ContextWindowExceeded => "CONTEXT_WINDOW_EXCEEDED",
            Self::BudgetImpossible => "BUDGET_IMPOSSIBLE",
            Self::SummaryFailed => "SUMMARY_FAILED",
            Self::SummaryEmpty => "SUMMARY_EMPTY",
            Self::SummaryTruncated => "SUMMARY_TRUNCATED",
            Self::SummaryNotSmaller => "SUMMARY_NOT_SMALLER",
            Self::SummaryInvalid => "SUMMARY_INVALID",
            Self::StalePlan => "STALE_PLAN",
            Self::Aborted => "ABORTED",
            Self::GraphConstraint => "GRAPH_CONSTRAINT",
            Self::SafetyLimitExceeded => "SAFETY_LIMIT_EXCEEDED",
            Self::SnapshotInvalid => "SNAPSHOT_INVALID",
            Self::SnapshotTooNew => "SNAPSHOT_TOO_NEW",
            Self::StoreFailed => "STORE_FAILED",
            Self::StoreConflict => "STORE_CONFLICT",
            Self::Freed => "FREED",
            Self::Internal => "INTERNAL",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error with a stable [`ErrorCode`], and a message that says what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    code: ErrorCode,
    message: String,
    /// What reports and events say instead of `message`, if `message` holds advice that only concerns the caller.
    brief: Option<Box<str>>,
}

impl Error {
    /// An error with this code. The message says what was wrong and what to do.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), brief: None }
    }

    /// Sets what reports and events say instead of the message. Advice in the message is only for the caller.
    #[must_use]
    pub fn with_brief(mut self, brief: impl Into<Box<str>>) -> Self {
        self.brief = Some(brief.into());
        self
    }

    /// Appends advice to the message. Reports and events do not show it.
    #[must_use]
    pub fn with_advice(mut self, advice: &str) -> Self {
        self.brief = Some(self.brief().into());
        self.message.push_str(advice);
        self
    }

    /// `INVALID_CONFIG` for one option: `key` is its full path, such as `compaction.thresholdRatio`.
    pub fn config(key: &str, expected: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidConfig, format!("`{key}`: {expected}"))
    }

    /// `INVALID_MESSAGE` for the message at `index` of the given list.
    pub fn message_at(index: usize, reason: impl fmt::Display) -> Self {
        Self::new(ErrorCode::InvalidMessage, format!("message {index}: {reason}"))
    }

    /// `INVALID_ARGUMENT`.
    pub fn argument(reason: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidArgument, reason)
    }

    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// What was wrong and what to do, without the code.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether reports and events use other words than the message.
    pub fn has_brief(&self) -> bool {
        self.brief.is_some()
    }

    /// What reports and events say, besides the code.
    pub fn brief(&self) -> &str {
        self.brief.as_deref().unwrap_or(&self.message)
    }

    /// One line for a report or an event: the code and what happened.
    pub fn in_brief(&self) -> String {
        format!("{}: {}", self.code, self.brief())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}

/// A result with our [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_complete() {
        let mut names: Vec<_> = ErrorCode::ALL.iter().map(|c| c.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ErrorCode::ALL.len());
    }

    #[test]
    fn a_code_serialises_as_its_name() {
        for code in ErrorCode::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }

    #[test]
    fn a_config_error_names_its_key() {
        let e = Error::config("compaction.thresholdRatio", "expected a number from 0 to 1, got 7");
        assert_eq!(
            e.to_string(),
            "INVALID_CONFIG: `compaction.thresholdRatio`: expected a number from 0 to 1, got 7"
        );
    }
}
