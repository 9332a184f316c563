//! How a call ended, according to its output.

mod closing;
mod counts;
mod exit_code;

use std::borrow::Cow;

use super::shorten;

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

/// Longer lines, in bytes, are data or are cut: the important part of an error message comes first.
const LONGEST_LINE: usize = 240;

/// Reads a tool output. `trust_text`: the text consists of a program's own messages and not of a file's content, so an error in it is an
/// error of the call.
pub fn outcome(text: &str, is_error: bool, trust_text: bool) -> Outcome {
    let plain = without_colours(text);
    let plain = if exit_code::is_object(&plain) { Cow::Owned(plain.replace("\\n", "\n")) } else { plain };
    let lines: Vec<&str> = plain.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let exit_code = exit_code::exit_code(&lines);
    let tests = if trust_text { counts::test_counts(&lines) } else { None };
    let closing = if trust_text { closing::closing(&lines, exit_code::is_notice) } else { None };
    let named = lines.iter().find(|l| names_error(l));
    let tests_failed = tests.map(|(_, failed)| failed > 0);
    let status = match (exit_code, closing) {
        _ if is_error => Status::Failed,
        (Some(code), _) if code != 0 => Status::Failed,
        _ if tests_failed == Some(true) => Status::Failed,
        // A pipe hides the exit code of its earlier commands, and a script may continue after a failure.
        (Some(_), Some(Status::Failed)) => Status::Unknown,
        (None, Some(Status::Failed)) => Status::Failed,
        (Some(_), _) | (None, Some(Status::Ok)) => Status::Ok,
        (None, _) if tests.is_some_and(|(passed, _)| passed > 0) => Status::Ok,
        (None, _) => Status::Unknown,
    };
    let last = last_meaningful_line(&lines);
    let error = match status {
        Status::Unknown if !trust_text => None,
        Status::Failed | Status::Unknown => named.copied(),
        Status::Ok => None,
    };
    Outcome { status, exit_code, tests, error: error.map(cut), last: last.map(cut) }
}

/// The text without ANSI colour sequences.
fn without_colours(text: &str) -> Cow<'_, str> {
    const BEGINS: &str = "\u{1b}[";
    if memchr::memchr(0x1B, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split(BEGINS);
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(part.len());
        out.push_str(part[end..].strip_prefix('m').unwrap_or(&part[end..]));
    }
    Cow::Owned(out)
}

fn cut(line: &str) -> String {
    let mut end = line.len().min(LONGEST_LINE);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line[..end].to_owned()
}

/// The last meaningful line: not a notice of the exit code and, if possible, not a line of code.
fn last_meaningful_line<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let is_meaningful = |l: &&&str| exit_code::code_in_notice(l).is_none() && **l != "(no output)";
    let last = lines.iter().rev().find(is_meaningful).copied()?;
    if !looks_like_code(last) {
        return Some(last);
    }
    // A line of a diff or a listing says nothing by itself, but the first line may.
    lines.iter().find(is_meaningful).copied().filter(|first| !looks_like_code(first)).or(Some(last))
}

/// Whether a line is code, or part of a diff or a drawing.
fn looks_like_code(line: &str) -> bool {
    line.starts_with(['+', '-', '|', '}', ')', ']', '^', '~', '@', '{', '<'])
        || line.ends_with(['{', '}', ';', ',', '(', '[', '=', '|', '^', '~'])
        || !line.contains(|c: char| c.is_alphabetic())
}

/// Whether the line is a program's own error message.
fn names_error(line: &str) -> bool {
    const STARTS: [&str; 18] = [
        "error:", "error[", "error TS", "fatal:", "ERROR:", "ERROR ", "Error:", "npm ERR!", "npm error",
        "panic:", "FAILED", "thread '", "✗ ", "✖ ", "E   ", "curl: (", "Error response from ",
        "Error from server",
    ];
    const HOLDS: [&str; 12] = [
        " error TS", ": error:", ": error[", ": *** ", ": fatal error", "command not found",
        "No such file or directory", "Permission denied", "panicked at", "Cannot find module",
        "not recognized as", "Segmentation fault",
    ];
    line.len() <= 4 * LONGEST_LINE
        && (STARTS.iter().any(|s| line.starts_with(s))
            || HOLDS.iter().any(|s| line.contains(s))
            || is_exception(line))
}

/// `TypeError: …`, `foo.BarException: …`, `Uncaught RangeError: …`
fn is_exception(line: &str) -> bool {
    let Some((head, message)) = line.split_once(": ") else { return false };
    let name = head.rsplit(['.', ' ', ':']).next().unwrap_or("");
    let kind = name.ends_with("Error") || name.ends_with("Exception");
    let shaped =
        name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(char::is_alphanumeric);
    kind && shaped && !message.is_empty() && head.split(' ').count() <= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Outcome {
        outcome(text, false, true)
    }

    #[test]
    fn exit_codes() {
        assert_eq!(read("x\n\nCommand exited with code 2").exit_code, Some(2));
        assert_eq!(read("{\"output\":\"\",\"exit_code\": 0}").status, Status::Ok);
        let boom = read("Exit code: -1\nboom");
        assert_eq!((boom.error.as_deref(), boom.line()), (None, Some("boom")));
        assert_eq!(boom.failure(80), "failed; it printed: boom");
        assert_eq!(read("it will exit code blocks").exit_code, None);
    }

    #[test]
    fn test_runs() {
        let rust =
            "test result: ok. 3 passed; 0 failed\n\ntest result: FAILED. 4 passed; 2 failed; 0 ignored";
        assert_eq!((read(rust).tests, read(rust).status), (Some((7, 2)), Status::Failed));
        assert_eq!(
            read("Test Suites: 1 passed\nTests:       2 failed, 12 passed, 14 total").tests,
            Some((12, 2))
        );
        assert_eq!(read("==== 5 passed in 0.1s ====").status, Status::Ok);
        assert_eq!(read("# tests 4\n# pass 3\n# fail 1").tests, Some((3, 1)));
        assert_eq!(read("  10 passing (3ms)").tests, Some((10, 0)));
        assert_eq!(read("login failed twice").tests, None);
    }

    #[test]
    fn without_evidence_the_outcome_is_unknown() {
        for text in ["error: x", "Done in 3 s", "", "job 2: exit code 0", "3 failed attempts, 2 passed by"] {
            assert_eq!(read(text).status, Status::Unknown, "{text}");
        }
        let piped = read("error: could not compile `x` (lib) due to 1 previous error\nExit code: 0");
        assert_eq!(piped.status, Status::Unknown, "a pipe hides it");
        assert_eq!(read("1 passed, 1 error in 0.10s").status, Status::Failed);
        let diff = read("Diff in /a/b.rs:1:\n-fn a() {}\n+fn a() {\n+}\nexit code: 1");
        assert_eq!(diff.failure(80), "failed; it printed: Diff in /a/b.rs:1:");
        assert_eq!(read("Already up to date.\n").last.as_deref(), Some("Already up to date."));
    }

    #[test]
    fn errors_named_in_the_output() {
        let python = "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: bad digit";
        assert_eq!(read(python).error.as_deref(), Some("ValueError: bad digit"));
        let rust = "Checking x\nerror[E0308]: mismatched types\n --> src/a.rs:1";
        assert_eq!(read(rust).error.as_deref(), Some("error[E0308]: mismatched types"));
        assert!(read("a.ts(1,2): error TS2307: no module").error.is_some());
        assert!(read("src/a.ts:4:7 - error TS2322: Type 'string' is not assignable.").error.is_some());
        assert!(read("make: *** [Makefile:12: all] Error 2").error.is_some());
        assert_eq!(read("All good: no errors").error, None);
        assert_eq!(outcome("error: x", false, false).error, None, "the content of a file");
        assert_eq!(outcome("", true, false).status, Status::Failed);
    }

    proptest::proptest! {
        #[test]
        fn any_output_can_be_read(text in "\\PC{0,80}|([0-9]{1,25}|passed|failed|exit code|: |家|\n| |Error){0,20}") {
            let _ = outcome(&text, false, true);
        }
    }
}
