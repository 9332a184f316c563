use super::shorten;

/// How a call ended, on evidence only (COMP-27).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The exit code is 0, or tests were counted and none failed.
    Ok,
    /// The tool said so, the exit code is not 0, or a test failed.
    Failed,
    /// The output does not tell: a line that names an error may be a warning, or what a test expects.
    Unknown,
}

/// What an output says about the call that it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub status: Status,
    /// The exit code, where one is named.
    pub exit_code: Option<i64>,
    /// Tests that passed and failed, where they are counted.
    pub tests: Option<(u64, u64)>,
    /// The line that names an error.
    pub error: Option<String>,
    /// The last line that is more than a notice of the exit code.
    pub last: Option<String>,
}

impl Outcome {
    /// What it says of its end itself: the line that names an error, or else its last.
    pub fn said(&self) -> Option<&str> {
        self.error.as_deref().or(self.last.as_deref())
    }

    /// That it failed, and with what: the line that names an error, or the last one, told as such.
    pub fn failure(&self, most: usize) -> String {
        match (&self.error, &self.last) {
            (Some(error), _) => format!("failed: {}", shorten::line(error, most)),
            (None, Some(last)) => format!("failed, and its last line is: {}", shorten::line(last, most)),
            (None, None) => "failed".to_owned(),
        }
    }
}

/// Longer lines are data; an error message has said what it has to say by then.
const LONGEST_LINE: usize = 240;

/// Reads a tool output. `trust_text`: its text is a program's own messages rather than the content of some file, so
/// that an error in it is an error of the call.
pub fn outcome(text: &str, is_error: bool, trust_text: bool) -> Outcome {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    let edge = |i: usize| i < 4 || i + 4 >= lines.len();
    let exit_code =
        lines.iter().enumerate().rev().filter(|(i, _)| edge(*i)).find_map(|(_, line)| exit_code(line));
    let tests = if trust_text { test_counts(&lines) } else { None };
    let named = lines.iter().find(|l| names_error(l));
    let code_failed = exit_code.is_some_and(|code| code != 0);
    let tests_failed = tests.is_some_and(|(_, failed)| failed > 0);
    let succeeded = exit_code == Some(0) || tests.is_some();
    let status = if is_error || code_failed || tests_failed {
        Status::Failed
    } else if succeeded {
        Status::Ok
    } else {
        Status::Unknown
    };
    let last = last_words(&lines);
    let error = match status {
        Status::Unknown if !trust_text => None,
        Status::Failed | Status::Unknown => named.copied(),
        Status::Ok => None,
    };
    Outcome { status, exit_code, tests, error: error.map(cut), last: last.map(cut) }
}

fn cut(line: &str) -> String {
    let mut end = line.len().min(LONGEST_LINE);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line[..end].to_owned()
}

/// The last line that is more than a notice of the exit code.
fn last_words<'a>(lines: &[&'a str]) -> Option<&'a str> {
    lines.iter().rev().find(|l| exit_code(l).is_none() && **l != "(no output)").copied()
}

fn exit_code(line: &str) -> Option<i64> {
    const BEFORE: [&str; 9] = [
        "exited with code", "exit code", "exit status", "exitcode", "exit_code", "returncode", "return code",
        "exited with status", "process exited with",
    ];
    if line.len() > LONGEST_LINE {
        return None;
    }
    let lower = line.to_ascii_lowercase();
    BEFORE.iter().find_map(|phrase| {
        let rest = &lower[lower.find(phrase)? + phrase.len()..];
        let rest = rest.trim_start_matches([':', '"', '=', ' ', '(']);
        let len =
            rest.char_indices().take_while(|(i, c)| c.is_ascii_digit() || (*i == 0 && *c == '-')).count();
        rest[..len].parse().ok()
    })
}

/// Sums the `test result:` lines, or takes the last line that counts passed and failed tests.
fn test_counts(lines: &[&str]) -> Option<(u64, u64)> {
    let mut sum: Option<(u64, u64)> = None;
    let mut last: Option<(u64, u64)> = None;
    let (mut pass, mut fail) = (None, None);
    for line in lines.iter().filter(|l| l.len() <= LONGEST_LINE) {
        // TAP and mocha put the two on lines of their own.
        let tap = |mark: &str| line.strip_prefix(mark).and_then(|n| n.trim().parse::<u64>().ok());
        pass = tap("# pass ").or_else(|| tap("ℹ pass ")).or_else(|| counted(line, "passing")).or(pass);
        fail = tap("# fail ").or_else(|| tap("ℹ fail ")).or_else(|| counted(line, "failing")).or(fail);
        let counts = (counted(line, "passed"), counted(line, "failed"));
        if counts == (None, None) {
            continue;
        }
        let counts = (counts.0.unwrap_or(0), counts.1.unwrap_or(0));
        if line.starts_with("test result:") {
            let (p, f) = sum.unwrap_or((0, 0));
            sum = Some((p.saturating_add(counts.0), f.saturating_add(counts.1)));
        } else if line.len() <= 120 {
            last = Some(counts);
        }
    }
    let listed = (pass.is_some() || fail.is_some()).then(|| (pass.unwrap_or(0), fail.unwrap_or(0)));
    sum.or(last).or(listed)
}

/// The number before this word.
fn counted(line: &str, word: &str) -> Option<u64> {
    let before = line[..line.find(word)?].trim_end();
    let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    before[before.len() - digits..].parse().ok()
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
        assert_eq!((boom.error.as_deref(), boom.said()), (None, Some("boom")));
        assert_eq!(boom.failure(80), "failed, and its last line is: boom");
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
    fn without_evidence_no_outcome_is_told() {
        for text in ["error: x", "Done in 3 s", "", "Error response from daemon: No such container: abc"] {
            assert_eq!(read(text).status, Status::Unknown, "{text}");
        }
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
