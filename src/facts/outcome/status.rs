//! How a call ended, and what its output says about it.

use crate::facts::shorten;

/// How a call ended, based on evidence only (COMP-27).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The exit code is 0, or the tool's last line says so, or tests were counted and none failed.
    Ok,
    /// The host or the tool said so, the exit code is not 0, or a test failed.
    Failed,
    /// The output does not say, or contradicts itself. A line that names an error may be a warning, or expected by a test.
    Unknown,
}

/// What an output says about its call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// The exit code, if one is given.
    pub exit_code: Option<i64>,
    /// The numbers of tests that passed and failed, if they are counted.
    pub tests: Option<(u64, u64)>,
    /// The line that names an error.
    pub error: Option<String>,
    /// The last meaningful line: not a notice of the exit code and, if possible, not a line of code.
    pub last: Option<String>,
}

/// The text before the line that names an error, if a call failed.
pub const FAILED: &str = "failed: ";

impl Outcome {
    /// The output's own words about the end: the line that names an error, or else the last line.
    pub fn line(&self) -> Option<&str> {
        self.error.as_deref().or(self.last.as_deref())
    }

    /// Says that the call failed and why: with the line that names an error, or the last line printed. At most about `most` bytes of it.
    pub fn failure(&self, most: usize) -> String {
        match (&self.error, &self.last) {
            (Some(error), _) => [FAILED, &shorten::line(error, most)].concat(),
            (None, Some(last)) => format!("failed; it printed: {}", shorten::line(last, most)),
            (None, None) => "failed".to_owned(),
        }
    }
}
