//! How a call ended, according to its output.

mod closing;
mod counts;
mod exit_code;
mod line;
mod status;

use std::borrow::Cow;

use line::{cut, looks_like_code, names_error};
pub use status::{FAILED, Outcome, Status};

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
