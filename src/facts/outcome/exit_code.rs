//! Reads the exit code that a harness reports beside the command's output.

use super::line::LONGEST_LINE;
use crate::facts::words::is_listed;

/// Such a notice is within this many lines of the start or end of the output.
const EDGE: usize = 2;

/// A line `Output:` within this many lines separates the notice from the command's output.
const TOP: usize = 6;

/// The only words in a line that is such a notice.
const WORDS: &str = "error elifecycle the command process program shell tool script bash failed exited finished completed \
    terminated ended returned with a an exit code status exitcode exit_code exit_status returncode return_code \
    return non-zero nonzero is was value";
/// One of these words must be in it.
const NAMES: &str = "code status exitcode exit_code exit_status returncode return_code";
const ENDS: &str = "exit exited return returned exitcode exit_code exit_status returncode return_code";

/// The exit code that the lines report.
pub(super) fn exit_code(lines: &[&str]) -> Option<i64> {
    let edges = lines.iter().enumerate().rev();
    // At the top, a program may have printed the notice of another program, unless the output is clearly separated.
    let is_set_off = lines.iter().take(TOP).any(|line| line.starts_with("Output:"));
    let begins = |line: &str| {
        let line = line.trim_start_matches(['<', '[', '(']);
        is_set_off
            || line.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("exit"))
            || line.starts_with("return")
    };
    let edges = edges.filter(|(i, line)| *i + EDGE >= lines.len() || (*i < EDGE && begins(line)));
    edges.map(|(_, line)| *line).find_map(code_in_notice).or_else(|| in_json(lines))
}

/// Whether a line is from the harness: a notice of the exit code, or the end of a tag or an object around the output.
pub(super) fn is_notice(line: &str) -> bool {
    code_in_notice(line).is_some()
        || (line.starts_with("\",") && line.ends_with('}'))
        || (line.starts_with("</") && line.ends_with('>') && !line.contains(' '))
}

/// The exit code in a line that says nothing else.
pub(super) fn code_in_notice(line: &str) -> Option<i64> {
    if line.len() > LONGEST_LINE {
        return None;
    }
    let lower = line.to_ascii_lowercase();
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
    let mut code = None;
    let (mut is_named, mut is_end) = (false, false);
    for word in words.filter(|word| !word.is_empty()) {
        match word.parse::<i64>() {
            Ok(number) if code.is_none() => code = Some(number),
            Err(_) if is_listed(word, WORDS) => {
                is_named |= is_listed(word, NAMES);
                is_end |= is_listed(word, ENDS);
            }
            _ => return None,
        }
    }
    code.filter(|_| is_named && is_end)
}

/// Whether a text is a JSON object that contains a command's output.
pub(super) fn is_object(text: &str) -> bool {
    text.starts_with('{') && has_output(text)
}

fn has_output(text: &str) -> bool {
    ["\"output\"", "\"stdout\"", "\"stderr\""].iter().any(|key| text.contains(key))
}

/// The exit code in a JSON object that also contains the command's output.
fn in_json(lines: &[&str]) -> Option<i64> {
    const KEYS: [&str; 5] =
        ["\"exit_code\"", "\"exitCode\"", "\"exit_status\"", "\"returncode\"", "\"return_code\""];
    if !lines.first()?.starts_with('{')
        || !lines.last()?.ends_with('}')
        || !lines.iter().any(|line| has_output(line))
    {
        return None;
    }
    lines.iter().rev().find_map(|line| {
        let (at, key) = KEYS.iter().find_map(|key| Some((line.rfind(key)?, key)))?;
        let rest = line[at + key.len()..].trim_start().strip_prefix(':')?.trim_start();
        let len =
            rest.char_indices().take_while(|(i, c)| c.is_ascii_digit() || (*i == 0 && *c == '-')).count();
        rest[..len].parse().ok()
    })
}
