//! Reads an answer in plain text.

use super::{is_ask_user_tool, json};
use crate::facts::sentences;
use crate::facts::words::{is_listed, lowered, words_with_apostrophes};

/// The content of an element like `<answer>` that makes up the whole text.
pub(super) fn without_element(text: &str) -> &str {
    let inner = text.trim().strip_prefix('<').and_then(|rest| {
        let (name, rest) = rest.split_once('>')?;
        let inner = rest.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
        json::is_answer(name).then_some(inner.trim())
    });
    inner.unwrap_or(text)
}

/// Whether a text is from the tool: an error, or a note that nobody answered.
pub(super) fn is_from_tool(text: &str) -> bool {
    is_error(text) || says_nobody_answered(text)
}

const ERRORS: [&str; 10] =
    ["error", "failed", "failure", "exception", "timeout", "错误", "錯誤", "失败", "エラー", "失敗"];
/// Words before the word for an error: "tool error", "MCP error -32001".
const ERROR_OWNERS: [&str; 16] = [
    "api", "call", "execution", "fatal", "input", "internal", "mcp", "network", "request", "runtime",
    "server", "system", "tool", "unexpected", "unknown", "validation",
];
/// Words after it: "error executing the tool", "failed to ask".
const DOING: [&str; 7] = ["calling", "executing", "running", "invoking", "processing", "while", "to"];

/// "Error: …", "Tool error: …", "Failed to ask. …", "<error>…</error>".
fn is_error(text: &str) -> bool {
    let text = text.trim_start();
    if let Some(element) = text.strip_prefix('<')
        && let Some((name, _)) = element.split_once('>')
    {
        return is_error_name(name) && text.contains(&format!("</{name}>"));
    }
    if let Some((name, _)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']'))
        && is_error_name(name)
    {
        return true;
    }
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let Some(end) = head_end(text) else { return false };
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let words: Vec<&str> = text[..end]
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty() && !is_number(word))
        .collect();
    match words.as_slice() {
        [one] => is_error_name(one),
        [first, next, ..] if is_error_name(first) && is_any(&DOING, next) => true,
        [before @ .., last] => {
            let whose = |word: &&str| is_any(&ERROR_OWNERS, word) || word.contains('_');
            is_any(&ERRORS, last) && before.iter().all(whose)
        }
        [] => false,
    }
}

/// The end of the first words of a text, where an error is named.
fn head_end(text: &str) -> Option<usize> {
    let at_blank = |at: usize| text[at..].chars().nth(1).is_none_or(char::is_whitespace);
    let ends = |(at, c): (usize, char)| match c {
        '\u{FF1A}' | '\n' | '。' | '!' => true,
        ':' | '.' => at_blank(at),
        '-' | '–' | '—' => at_blank(at) && text[..at].ends_with(char::is_whitespace),
        _ => false,
    };
    text.char_indices().find(|found| ends(*found)).map(|(at, _)| at)
}

/// `error`, `tool_use_error`, `TimeoutError`; not `errors`.
fn is_error_name(name: &str) -> bool {
    let last = name.rsplit(['_', '-', ' ']).next().unwrap_or(name);
    is_any(&ERRORS, last) || (last.is_ascii() && (last.ends_with("Error") || last.ends_with("Exception")))
}

fn is_any(words: &[&str], word: &str) -> bool {
    words.iter().any(|one| word.eq_ignore_ascii_case(one))
}

/// "The user did not answer.", "No response from user within 300 s.", "Request timed out."
fn says_nobody_answered(text: &str) -> bool {
    /// Words after "the user", not counting "did", "has" and "was".
    const TURNED_DOWN: &str = "afk away offline unavailable aborted cancelled canceled closed declined didn't dismissed doesn't \
        hasn't ignored interrupted isn't not refused rejected skipped";
    const NOTHING: &str = "response answer reply input feedback";
    const LACKING: &str = "from was received within given after provided yet in";
    const RULING: &str = "must never always should";
    let all = sentences(text);
    let Some(first) = all.first() else { return false };
    if first.text.split_whitespace().next().is_some_and(is_ask_user_tool) {
        return true;
    }
    let lower = lowered(first.text);
    let words: Vec<&str> = words_with_apostrophes(&lower).collect();
    if words.iter().any(|word| is_listed(word, RULING)) {
        return false;
    }
    let bare = match words.as_slice() {
        ["the", rest @ ..] => rest,
        all => all,
    };
    match bare {
        ["no", "user", "is" | "was" | "available" | "present", ..] => true,
        ["user", "input", "is" | "was", rest @ ..] => says_unavailable(rest),
        ["user", "did" | "has" | "is" | "was" | "does", next, ..] | ["user", next, ..] => {
            is_listed(next, TURNED_DOWN) || (*next == "timed" && bare.contains(&"out"))
        }
        ["cannot" | "can't" | "couldn't", what, "the", "user", ..]
        | ["could", "not", what, "the", "user", ..]
        | ["unable", "to", what, "the", "user", ..] => {
            matches!(*what, "ask" | "reach" | "prompt" | "contact")
        }
        ["no", "user", what, rest @ ..] | ["no", what, rest @ ..] if is_listed(what, NOTHING) => {
            rest.first().is_none_or(|next| is_listed(next, LACKING))
        }
        [.., "timed", "out"] => bare.len() <= 5,
        [_, "timed", "out", ..] | ["timed", "out", ..] => true,
        _ => false,
    }
}

fn says_unavailable(words: &[&str]) -> bool {
    matches!(
        words,
        ["unavailable" | "disabled", ..] | ["not", "available" | "supported" | "possible" | "enabled", ..]
    )
}

/// The answers in a text that consists of `"question"="answer"` pairs, perhaps with words of the tool around them.
pub(super) fn answers(text: &str) -> Option<Vec<String>> {
    let (before, _) = text.split_once("\"=\"")?;
    let (head, _) = before.split_once('"')?;
    if !(head.trim().is_empty() || head.trim_end().ends_with(':')) {
        return None;
    }
    let mut out = Vec::new();
    let mut behind = text.split("\"=\"").skip(1).peekable();
    while let Some(piece) = behind.next() {
        let is_last = behind.peek().is_none();
        let piece = if is_last { before_the_end(piece)? } else { before_the_next(piece)? };
        let (answer, more) = split_answer(piece);
        out.push(answer.to_owned());
        out.extend(noted(more).map(str::to_owned));
    }
    Some(out)
}

/// The part that belongs to the answer, from text that continues with the next question: up to the first `, "` outside quotes.
fn before_the_next(piece: &str) -> Option<&str> {
    let ends = || piece.match_indices(", \"").map(|(at, _)| at);
    let even = |at: &usize| piece[..*at].matches('"').count() % 2 == 1;
    ends().find(even).or_else(|| piece.rfind(", \"")).map(|at| &piece[..at])
}

/// The part that belongs to the last answer; `None` if the text is not such a list after all.
fn before_the_end(piece: &str) -> Option<&str> {
    const GO_ON: &str = ". You can now";
    let piece = piece.rfind(GO_ON).map_or(piece, |at| &piece[..at]).trim_end();
    let (_, more) = split_answer(piece);
    let closed = piece.contains('"');
    (closed && (more.is_empty() || more == "." || is_noted(more))).then_some(piece)
}

const NOTES: &str = " user notes: ";
const PREVIEW: &str = " selected preview:";

fn is_noted(more: &str) -> bool {
    more.starts_with(NOTES) || more.starts_with(PREVIEW)
}

/// An answer, and the text after its closing quote.
fn split_answer(piece: &str) -> (&str, &str) {
    let noted = [NOTES, PREVIEW].iter().filter_map(|mark| piece.find(&format!("\"{mark}"))).min();
    let end = noted.or_else(|| piece.rfind('"')).unwrap_or(piece.len());
    (&piece[..end], piece[end..].strip_prefix('"').unwrap_or(""))
}

fn noted(more: &str) -> Option<&str> {
    more.split_once(NOTES).map(|(_, notes)| notes.trim())
}
