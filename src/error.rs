//! The one error type. It imports nothing from the other modules.

use std::fmt;

use crate::names::names;
use serde::{Deserialize, Serialize};

names! {
    /// What went wrong, as a stable code. The code is the contract; the message may change.
    ///
    /// - `NOT_INITIALIZED`: the WebAssembly module was used before `await init()` (browsers only), or could not be loaded.
    /// - `INVALID_CONFIG`: an option has an unknown key, a wrong type or a value out of range.
    /// - `INVALID_MESSAGE`: a message is malformed or would break the history (an orphan tool output, a duplicate call id).
    /// - `INVALID_ARGUMENT`: an argument of a call is malformed.
    /// - `UNKNOWN_MODEL`: the model's limits, price or tokenizer are not known.
    /// - `UNKNOWN_REF`: no tool output has this ref, or no session is saved under this key.
    /// - `ENCODING_INVALID`: the file of an encoding or tokenizer is damaged, truncated, or of another version or encoding.
    /// - `ENCODING_UNSUPPORTED`: a tokenizer needs something that is not supported; the error message names it.
    /// - `CONTEXT_WINDOW_EXCEEDED`: every pass ran and the view is still larger than its limit.
    /// - `BUDGET_IMPOSSIBLE`: the parts that may not be compacted (header, tools, pins) alone exceed the limit.
    /// - `SUMMARY_FAILED`: the `summarize` callback threw, rejected, or returned something that is not a summary.
    /// - `SUMMARY_EMPTY`: the summary is empty.
    /// - `SUMMARY_TRUNCATED`: the summary was cut off by its own length limit or by the provider's filter.
    /// - `SUMMARY_NOT_SMALLER`: the summary is not smaller than what it would replace.
    /// - `SUMMARY_INVALID`: the summary lacks what its profile requires, or is not a summary: a refusal, a tool call, an error page.
    /// - `STALE_PLAN`: the view was changed, by more than new messages, after the plan or the summary request was made.
    /// - `ABORTED`: the `AbortSignal` that you passed fired.
    /// - `GRAPH_CONSTRAINT`: a graph operation would break a rule of the graph.
    /// - `SAFETY_LIMIT_EXCEEDED`: a graph or a history grew beyond its safety limits (`maxNodes`).
    /// - `SNAPSHOT_INVALID`: a snapshot's bytes are damaged.
    /// - `SNAPSHOT_TOO_NEW`: a snapshot was written by a newer version.
    /// - `STORE_FAILED`: the store threw, is down, is full, or returned invalid data.
    /// - `STORE_CONFLICT`: another writer saved first.
    /// - `FREED`: the object was freed.
    /// - `INTERNAL`: a bug in contextfold. The module must be loaded again.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    #[non_exhaustive]
    pub enum ErrorCode {
        /// The WebAssembly module was used before `await init()` (browsers only), or could not be loaded.
        NotInitialized = "NOT_INITIALIZED",
        /// An option has an unknown key, a wrong type or a value out of range.
        InvalidConfig = "INVALID_CONFIG",
        /// A message is malformed or would break the history (an orphan tool output, a duplicate call id).
        InvalidMessage = "INVALID_MESSAGE",
        /// An argument of a call is malformed.
        InvalidArgument = "INVALID_ARGUMENT",
        /// The model's limits, price or tokenizer are not known.
        UnknownModel = "UNKNOWN_MODEL",
        /// No tool output has this ref, or no session is saved under this key.
        UnknownRef = "UNKNOWN_REF",
        /// The file of an encoding or tokenizer is damaged, truncated, or of another version or encoding.
        EncodingInvalid = "ENCODING_INVALID",
        /// A tokenizer needs something that is not supported; the error message names it.
        EncodingUnsupported = "ENCODING_UNSUPPORTED",
        /// Every pass ran and the view is still larger than its limit.
        ContextWindowExceeded = "CONTEXT_WINDOW_EXCEEDED",
        /// The parts that may not be compacted (header, tools, pins) alone exceed the limit.
        BudgetImpossible = "BUDGET_IMPOSSIBLE",
        /// The `summarize` callback threw, rejected, or returned something that is not a summary.
        SummaryFailed = "SUMMARY_FAILED",
        /// The summary is empty.
        SummaryEmpty = "SUMMARY_EMPTY",
        /// The summary was cut off by its own length limit or by the provider's filter.
        SummaryTruncated = "SUMMARY_TRUNCATED",
        /// The summary is not smaller than what it would replace.
        SummaryNotSmaller = "SUMMARY_NOT_SMALLER",
        /// The summary lacks what its profile requires, or is not a summary: a refusal, a tool call, an error page.
        SummaryInvalid = "SUMMARY_INVALID",
        /// The view was changed, by more than new messages, after the plan or the summary request was made.
        StalePlan = "STALE_PLAN",
        /// The `AbortSignal` that you passed fired.
        Aborted = "ABORTED",
        /// A graph operation would break a rule of the graph.
        GraphConstraint = "GRAPH_CONSTRAINT",
        /// A graph or a history grew beyond its safety limits (`maxNodes`).
        SafetyLimitExceeded = "SAFETY_LIMIT_EXCEEDED",
        /// A snapshot's bytes are damaged.
        SnapshotInvalid = "SNAPSHOT_INVALID",
        /// A snapshot was written by a newer version.
        SnapshotTooNew = "SNAPSHOT_TOO_NEW",
        /// The store threw, is down, is full, or returned invalid data.
        StoreFailed = "STORE_FAILED",
        /// Another writer saved first.
        StoreConflict = "STORE_CONFLICT",
        /// The object was freed.
        Freed = "FREED",
        /// A bug in contextfold. The module must be loaded again.
        Internal = "INTERNAL",
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
