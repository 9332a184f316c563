//! How a call ended, according to its output.

mod closing;
mod counts;
mod exit_code;
mod line;
mod status;

use std::borrow::Cow;

use super::marks::with_quotes;
use line::{cut, looks_like_code, names_error};
pub use status::{FAILED, Outcome, Status};

/// Reads a tool output. `trust_text`: the text consists of a program's own messages and not of a file's content, so an error in it is an
/// error of the call.
pub fn outcome(text: &str, is_error: bool, trust_text: bool) -> Outcome {
    let plain = without_colours(text);
    let plain = if exit_code::is_object(&plain) { Cow::Owned(plain.replace("\\n", "\n")) } else { plain };
    let plain = with_quotes(plain);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_told_in_one_line() {
        let failed = outcome("Exit code: -1\nboom", false, true);
        assert_eq!((failed.line(), &*failed.failure(80)), (Some("boom"), "failed; it printed: boom"));
        let diff = outcome("Diff in /a/b.rs:1:\n-fn a() {}\n+fn a() {\n+}\nexit code: 1", false, true);
        assert_eq!(diff.failure(80), "failed; it printed: Diff in /a/b.rs:1:");
        assert_eq!(
            outcome("Already up to date.\n", false, true).last.as_deref(),
            Some("Already up to date.")
        );
    }

    #[test]
    fn what_is_known_of_a_call_is_not_read_from_its_text() {
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
