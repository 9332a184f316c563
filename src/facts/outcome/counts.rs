//! Reads test runners' counts.

use super::line::LONGEST_LINE;
use crate::facts::words::is_listed;

/// Runners print their counts within this many lines of the end.
const END: usize = 40;

/// How many tests passed and failed: the sum of all `test result:` lines, or else the last line that counts both.
pub(super) fn test_counts(lines: &[&str]) -> Option<(u64, u64)> {
    let mut sum: Option<(u64, u64)> = None;
    let mut last: Option<(u64, u64)> = None;
    let (mut pass, mut fail) = (None, None);
    let end = lines.len().saturating_sub(END);
    for (at, line) in lines.iter().enumerate().filter(|(_, l)| l.len() <= LONGEST_LINE) {
        if let Some(counts) = line.strip_prefix("test result:").map(counted_both) {
            let (counts, before) = (counts.unwrap_or_default(), sum.unwrap_or_default());
            sum = Some((before.0.saturating_add(counts.0), before.1.saturating_add(counts.1)));
            continue;
        }
        if at < end {
            continue;
        }
        // TAP, mocha and some others print the two on separate lines.
        let alone = |verb: &str| {
            let marked = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "));
            let number =
                marked.and_then(|rest| rest.strip_prefix(verb)).or_else(|| line.strip_suffix(verb))?;
            number.trim().parse::<u64>().ok()
        };
        pass = alone("pass").or_else(|| counted(line, "passing")).or(pass);
        fail = alone("fail").or_else(|| counted(line, "failing")).or(fail);
        // Test files are not tests.
        let of_files = ["Test Suites", "Test Files", "Test Runs"].iter().any(|mark| line.starts_with(mark));
        if let Some(counts) = in_words(line).or_else(|| counted_both(line)).filter(|_| !of_files) {
            last = Some(match last {
                // Browser test runners print failed and passed tests on separate lines.
                Some((0, failed)) if counts.1 == 0 => (counts.0, failed),
                _ => counts,
            });
        }
    }
    let listed = (pass.is_some() || fail.is_some()).then(|| (pass.unwrap_or(0), fail.unwrap_or(0)));
    sum.or(last).or(listed)
}

/// A line that consists of counts: `2 failed, 12 passed, 1 error`.
fn counted_both(line: &str) -> Option<(u64, u64)> {
    const ALSO: &str = "skipped total todo ignored measured xfailed xpassed deselected warning warnings flaky pending rerun \
        interrupted filtered";
    let (mut passed, mut failed, mut errors) = (None, None, None);
    let line = line.trim_matches(|c: char| c == '=' || c.is_whitespace());
    let line = line.strip_prefix("Tests:").or_else(|| line.strip_prefix("Tests ")).unwrap_or(line);
    for part in line.split([',', '|', ';']).map(str::trim).filter(|part| !part.is_empty()) {
        let part = part.trim_start_matches("ok. ").trim_start_matches("FAILED. ");
        if matches!(part, "ok" | "FAILED") || part.starts_with("finished in ") {
            continue;
        }
        let (number, rest) = part.split_once(' ')?;
        let number: u64 = number.parse().ok()?;
        let (word, behind) = rest.split_once(' ').unwrap_or((rest, ""));
        if !behind.is_empty()
            && !behind.starts_with(['(', '['])
            && !behind.starts_with("in ")
            && behind != "out"
        {
            return None;
        }
        match word {
            "passed" => passed = Some(number),
            "failed" => failed = Some(number),
            "error" | "errors" => errors = Some(number),
            _ if is_listed(word, ALSO) => {}
            _ => return None,
        }
    }
    let not_passed = failed.unwrap_or(0).saturating_add(errors.unwrap_or(0));
    // "0 errors" does not say that there were tests.
    (passed.is_some() || not_passed > 0).then(|| (passed.unwrap_or(0), not_passed))
}

/// Other forms: `5 examples, 1 failure`, `OK (5 tests, 9 assertions)`, `Tests run: 5, Failures: 0`.
fn in_words(line: &str) -> Option<(u64, u64)> {
    let number_behind = |word: &str| {
        let rest = line[line.find(word)? + word.len()..].trim_start();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest[..digits].parse::<u64>().ok()
    };
    let bad = |words: [&str; 4]| {
        let found = words.map(|word| counted(line, word));
        found.iter().any(Option::is_some).then(|| found.into_iter().flatten().fold(0, u64::saturating_add))
    };
    if let Some(all) = number_behind("Tests run: ").or_else(|| number_behind("Tests: ")) {
        let failed =
            ["Failures: ", "Errors: "].iter().filter_map(|w| number_behind(w)).fold(0, u64::saturating_add);
        let says = line.contains("Failures: ") || line.contains("Errors: ");
        return says.then_some((all.saturating_sub(failed), failed));
    }
    if let Some(rest) = line.strip_prefix("OK (") {
        return counted(rest, "tests").or_else(|| counted(rest, "test")).map(|all| (all, 0));
    }
    if line.starts_with("Passed!") || line.starts_with("Failed!") {
        return Some((number_behind("Passed:")?, number_behind("Failed:")?));
    }
    let all = ["examples", "example", "runs", "tests", "test"].iter().find_map(|word| counted(line, word))?;
    let failed = bad(["failures", "failure", "errors", "error"])?;
    Some((all.saturating_sub(failed), failed))
}

/// The number before this word, if the word ends a part of the line: "3 failed attempts" does not count tests.
fn counted(line: &str, word: &str) -> Option<u64> {
    let at = line.find(word)?;
    let before = line[..at].trim_end();
    let behind = &line[at + word.len()..];
    let behind = behind.trim_start_matches("\u{1b}[0m").trim_start_matches("\u{1b}[22m");
    let ends = behind.trim().is_empty()
        || behind.starts_with([',', ';', '.', ')', '|', '(', '\u{1b}'])
        || [" in ", " (", " |", " and ", " =", " out of", " with", ", "]
            .iter()
            .any(|s| behind.starts_with(s));
    let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    if ends { before[before.len() - digits..].parse().ok() } else { None }
}
