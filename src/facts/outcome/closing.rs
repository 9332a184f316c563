//! Lines with which tools say how they ended.
//!
//! Each line is written by its tool in that case only. In a pattern, `#` stands for a number above 0, and `*` for anything. The patterns
//! are in `closing.txt`, in sections that begin with `= NAME`; a line with `==` is a heading in one. Blanks and tabs are part of a pattern.

use std::sync::OnceLock;

use super::line::LONGEST_LINE;
use super::status::Status;

/// A tool that failed says so within this many lines of the end. After that come only hints and logs.
const NEAR: usize = 8;

/// A success counts only if none of this many last lines says that something failed.
const BEFORE: usize = 30;

struct Patterns {
    failed: Vec<&'static str>,
    /// Like `failed`, but only as the last line: what a shell says about a command.
    failed_last: Vec<&'static str>,
    ok: Vec<&'static str>,
    /// Lines that a tool may write after such a line.
    trailers: Vec<&'static str>,
}

fn patterns() -> &'static Patterns {
    static PATTERNS: OnceLock<Patterns> = OnceLock::new();
    PATTERNS.get_or_init(|| Patterns {
        failed: section("= FAILED"),
        failed_last: section("= FAILED_LAST"),
        ok: section("= OK"),
        trailers: section("= TRAILERS"),
    })
}

fn section(title: &str) -> Vec<&'static str> {
    let behind = include_str!("closing.txt").lines().skip_while(|line| *line != title).skip(1);
    let lines = behind.take_while(|line| !line.starts_with("= "));
    lines.filter(|line| !line.is_empty() && !line.starts_with("== ")).collect()
}

/// How a tool ended, according to its last lines; `None` if none of them is known. `is_notice`: whether a line is from the harness and not
/// from the tool.
pub(super) fn closing(lines: &[&str], is_notice: impl Fn(&str) -> bool) -> Option<Status> {
    let end = lines.iter().rposition(|line| !is_notice(line)).map_or(0, |last| last + 1);
    let lines = &lines[..end];
    let near = &lines[lines.len().saturating_sub(BEFORE)..];
    let Patterns { failed, ok, trailers, .. } = patterns();
    let failed = near.iter().rposition(|line| is_any(failed, line) || ends_uncaught(line, near));
    let mut ends =
        near.iter().enumerate().rev().skip_while(|(_, line)| is_any(trailers, line) && !is_any(ok, line));
    let is_ok = ends.next().is_some_and(|(_, line)| is_any(ok, line));
    match failed {
        None if is_ok => Some(Status::Ok),
        // What failed before the success may have been another command.
        Some(_) if is_ok => None,
        Some(at) if at + NEAR >= near.len() => Some(Status::Failed),
        _ => None,
    }
}

/// Whether this is the last line of a program that ended with an uncaught exception: Node prints its version, Java names its thread. Python
/// is left out, because it prints the same for exceptions that a program caught and logged.
fn ends_uncaught(line: &str, near: &[&str]) -> bool {
    if near.last().is_none_or(|last| *last != line) {
        return false;
    }
    let is_traced = |mark: &str| near.iter().any(|line| line.starts_with(mark));
    is_any(&patterns().failed_last, line)
        || (line.starts_with("Node.js v") && is_traced("at "))
        || (line.starts_with("at ") && is_traced("Exception in thread \"main\""))
        || (line.starts_with("... ") && is_traced("Exception in thread \"main\""))
}

fn is_any(patterns: &[&str], line: &str) -> bool {
    let first = line.bytes().next();
    let may_begin = |pattern: &str| match pattern.as_bytes()[0] {
        b'*' => true,
        b'#' => first.is_some_and(|byte| byte.is_ascii_digit()),
        byte => first == Some(byte),
    };
    line.len() <= LONGEST_LINE && patterns.iter().any(|pattern| may_begin(pattern) && is_like(line, pattern))
}

fn is_like(line: &str, pattern: &str) -> bool {
    let end = pattern.find(['*', '#']).unwrap_or(pattern.len());
    let Some(line) = line.strip_prefix(&pattern[..end]) else { return false };
    let pattern = &pattern[end..];
    if let Some(rest) = pattern.strip_prefix('#') {
        let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_some = line[..digits].bytes().any(|digit| digit != b'0');
        return is_some && is_like(&line[digits..], rest);
    }
    let Some(rest) = pattern.strip_prefix('*') else { return line.is_empty() };
    match rest.find(['*', '#']).unwrap_or(rest.len()) {
        _ if rest.is_empty() => true,
        0 => line.char_indices().any(|(at, _)| is_like(&line[at..], rest)),
        end if end == rest.len() => line.ends_with(rest),
        end => line.match_indices(&rest[..end]).any(|(at, _)| is_like(&line[at + end..], &rest[end..])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_in_a_section_that_is_read() {
        let Patterns { failed, failed_last, ok, trailers } = patterns();
        let read: Vec<&str> = [failed, failed_last, ok, trailers].into_iter().flatten().copied().collect();
        let lines = include_str!("closing.txt").lines();
        let all: Vec<&str> = lines
            .filter(|line| !line.is_empty() && !line.starts_with("= ") && !line.starts_with("== "))
            .collect();
        assert_eq!(read, all);
        assert!(read.contains(&"ok  \t*s") && read.contains(&"ERROR:  *"), "blanks and tabs are kept");
    }
}
