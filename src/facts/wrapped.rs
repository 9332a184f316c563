//! Decides whether a line continues on the next line.

use std::borrow::Cow;

use super::sentences::{is_closing, is_entry, is_heading, starts_new_block};
use crate::script::is_cjk;

/// A line of more characters than this may have been wrapped.
const WRAPPED_AT: usize = 50;

/// The same for scripts with characters of double width.
const WIDE_WRAPPED_AT: usize = WRAPPED_AT / 2;

/// Words that end a line only if it was wrapped.
const NEVER_LAST: [&str; 32] = [
    "the", "a", "an", "to", "of", "in", "on", "at", "by", "for", "from", "with", "without", "into", "and",
    "or", "nor", "but", "that", "which", "than", "as", "if", "when", "unless", "is", "are", "be", "must",
    "may", "should", "never",
];

/// First words of lines that limit the line before, so they always continue it.
const ALWAYS_CONTINUE: [&str; 7] = ["unless", "except", "excluding", "until", "till", "than", "nor"];

/// The first `EVEN_IF_CAPITAL` of these limit the line before even if they are capitalised.
const EVEN_IF_CAPITAL: usize = 5;

/// Words at the start of lines that may continue the line before or begin a new sentence: "if tests fail tell me".
const MAY_CONTINUE: [&str; 31] = [
    "in", "on", "of", "by", "for", "from", "to", "with", "without", "into", "at", "as", "if", "when",
    "whenever", "while", "because", "since", "before", "after", "during", "and", "or", "but", "that",
    "which", "including", "besides", "like", "even", "not",
];

/// Phrases that begin a new sentence, although their first word often continues one.
const NEW_SENTENCE: [&str; 5] = ["from now on", "from here on", "until then", "till then", "of course"];

/// How two consecutive lines are connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineBreak {
    /// The first line ends there.
    Ends,
    /// It may be one sentence or two.
    InDoubt,
    /// The first line continues on the next.
    GoesOn,
}

/// How a text, up to a line, is connected to that line.
pub(super) fn line_break(before: &str, next: &str) -> LineBreak {
    let line = last_line(before);
    let next = next.trim_start_matches('(');
    let (Some(last), Some(first)) = (line.chars().next_back(), next.chars().next()) else {
        return LineBreak::Ends;
    };
    if ends_sentence(line) || line.ends_with(COLONS) || is_heading(line) || starts_new_block(next) {
        return LineBreak::Ends;
    }
    let word = line.rsplit(char::is_whitespace).next().unwrap_or(line);
    // If no line begins with a capital, a small letter means nothing: each short line is a sentence, as in a chat.
    let chats = !is_entry(before) && before.starts_with(char::is_lowercase);
    let small = first.is_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| starts_with_word(next, word));
    let wide = is_cjk(last) && is_cjk(first);
    let limiting = if small { &ALWAYS_CONTINUE[..] } else { &ALWAYS_CONTINUE[..EVEN_IF_CAPITAL] };
    let anew = NEW_SENTENCE.iter().any(|words| next.starts_with(words));
    let limits = !anew && (begins(limiting) || is_without_doing(next));
    if last == ','
        || NEVER_LAST.iter().any(|between| word.eq_ignore_ascii_case(between))
        || (small && (limits || !chats))
        || (wide && (line.chars().nth(WIDE_WRAPPED_AT).is_some() || matches!(last, '、' | '\u{FF0C}')))
    {
        return LineBreak::GoesOn;
    }
    if wide || limits || (small && !anew && begins(&MAY_CONTINUE)) || line.chars().nth(WRAPPED_AT).is_some() {
        return LineBreak::InDoubt;
    }
    LineBreak::Ends
}

/// "without asking me", but not "without tests it fails".
fn is_without_doing(line: &str) -> bool {
    let doing = line.strip_prefix("without ").and_then(|rest| rest.split(' ').next());
    doing.is_some_and(|word| word.ends_with("ing"))
}

fn last_line(text: &str) -> &str {
    text.rsplit('\n').next().unwrap_or(text).trim()
}

const COLONS: [char; 2] = [':', '\u{FF1A}'];

/// Whether a line ends like a sentence or cannot be continued.
fn ends_sentence(line: &str) -> bool {
    let Some(last) = line.chars().next_back() else { return false };
    matches!(last, '.' | '!' | '?' | ';' | '|' | '>' | '{' | '}' | '。' | '．' | '…')
        || matches!(last, '\u{FF01}' | '\u{FF1F}' | '\u{FF1B}')
        || (is_closing(last) && line.trim_end_matches(is_closing).len() + last.len_utf8() < line.len())
}

fn starts_with_word(line: &str, word: &str) -> bool {
    line.split(|c: char| !c.is_alphanumeric()).next().is_some_and(|first| first.eq_ignore_ascii_case(word))
}

/// A sentence as it is written in a list, with wrapped lines joined. A list inside it stays below it, indented, and so does a line that may
/// be a separate sentence, so that the reader sees both as they were written.
pub fn unwrapped(sentence: &str) -> Cow<'_, str> {
    if !sentence.contains('\n') {
        return Cow::Borrowed(sentence);
    }
    let mut out = String::with_capacity(sentence.len() + 8);
    let mut announced = false; // by a colon, line by line
    let mut end = 0; // the end of the lines before
    let mut at = 0;
    for whole in sentence.split_inclusive('\n') {
        let line = whole.trim();
        let before = sentence[..end].trim_end();
        let is_further_in = whole.starts_with([' ', '\t']) && at > 0;
        at += whole.len();
        if line.is_empty() {
            continue;
        }
        end = at;
        announced = !starts_new_block(line) && (announced || before.ends_with(COLONS));
        let goes_on = ends_sentence(last_line(before)) || line_break(before, line) == LineBreak::GoesOn;
        let one = is_further_in || (goes_on && !announced);
        let wide = out.chars().next_back().is_some_and(is_cjk) && line.starts_with(is_cjk);
        match out.is_empty() {
            false if starts_new_block(line) || !one => out.push_str("\n  "),
            false if !wide => out.push(' '),
            _ => {}
        }
        out.push_str(line);
    }
    Cow::Owned(out)
}
