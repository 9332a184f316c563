//! What a message of the user tells to a later reader, besides its rules and names. It is found once, so that a fold does not read again
//! what was pasted long ago.

use std::borrow::Cow;

use super::marks::has_marks;
use super::says::{LONGEST_MESSAGE, Says, are_written, is_pasted, is_written, says};
use super::sentences::{Sentence, sentences};
use super::shorten::{GAP, both_ends_within, marked_line};
use super::small_talk::is_assent;
use super::words::words;
use crate::hashing::hash;
use crate::script::is_cjk;
use crate::sorting::sort;
use crate::tool_output::first_words;

/// Of a longer text, about so many bytes at its ends are read.
const LONGEST_READ: usize = 2_000;

/// Of a longer text, in bytes, most of which was pasted, what was written around the paste is told, or else its ends. What the user wrote
/// may have `LONGEST_MESSAGE`.
const LONGEST_PASTED: usize = 240;

/// Two messages with so many rare words in common are about the same, and so are two with the same quantity: "12 pages". A name, such as
/// `created_at`, is as good as two words.
pub const SHARED: usize = 3;

/// A text with fewer words is not a request of its own.
pub const LEAST_WORDS: usize = 4;

/// The same limit, in characters, for scripts without blanks between words.
const LEAST_CHARACTERS: usize = 8;

/// A line with fewer words that are no names of code is a part of a paste.
const LEAST_PLAIN: usize = 3;

/// What a message of the user tells.
#[derive(Debug, Clone)]
pub struct UserText {
    /// Whether it asks for something.
    pub asks: bool,
    /// What it says by itself.
    pub says: Says,
    /// A hash that is the same for messages that differ only by their numbers.
    pub kind: u64,
    /// The same for messages that differ besides in the middle of long ones.
    pub kind_of_ends: u64,
    /// What is told of it, unless that is all of it.
    pub part: Option<Box<Told>>,
}

/// What is told of a message.
#[derive(Debug, Clone)]
pub struct Told {
    /// The message, or both ends of a long one.
    pub line: String,
    /// Hashes of what it is about.
    pub about: Vec<u64>,
}

impl UserText {
    /// What this text tells.
    pub fn of(text: &str) -> Self {
        let ends = ends_of(text);
        let kind_of_ends = hash(without_numbers(&ends).as_bytes());
        let is_whole = ends.len() == text.len();
        let kind = if is_whole { kind_of_ends } else { hash(without_numbers(text).as_bytes()) };
        let sentences = sentences(&ends);
        let part = Told::part_of(text, &ends, &sentences).map(Box::new);
        Self { asks: asks_for(text, 1), says: says(text, &sentences), kind, kind_of_ends, part }
    }
}

impl Told {
    /// All of a text.
    pub fn all_of(text: &str) -> Self {
        Self { line: entry(text), about: about(text) }
    }

    /// What is told of a text that is too long to be told whole, or that was pasted.
    fn part_of(text: &str, ends: &str, sentences: &[Sentence<'_>]) -> Option<Self> {
        let line = entry(ends);
        let is_said = line.len() <= LONGEST_PASTED || are_written(sentences, ends.len());
        if is_said && text.len() <= LONGEST_MESSAGE {
            return None;
        }
        let line = if is_said {
            both_ends_within(&line, LONGEST_MESSAGE)
        } else if let Some(written) = around_paste(ends) {
            both_ends_within(&written, LONGEST_MESSAGE)
        } else {
            both_ends_within(&line, LONGEST_PASTED)
        };
        let mut about = about(ends);
        sort(&mut about);
        about.dedup();
        about.shrink_to_fit();
        Some(Self { line, about })
    }
}

/// Whether a text has this many times the words of a short request.
pub fn asks_for(text: &str, times: usize) -> bool {
    // A long text is read only as far as necessary.
    let said = |line: &&str| !is_pasted(line.trim());
    let in_cjk = text.lines().filter(|line| line.contains(is_cjk)).filter(said).flat_map(str::chars);
    if in_cjk.filter(|c| is_cjk(*c)).take(times * LEAST_CHARACTERS).count() == times * LEAST_CHARACTERS {
        return true;
    }
    let mut words = text.lines().filter(said).flat_map(words);
    let goes_on = words.next().is_some_and(is_assent);
    let least = times * if goes_on { 2 * LEAST_WORDS } else { LEAST_WORDS };
    words.take(least).count() + 1 >= least
}

/// A text as an entry of a list, with its line breaks unless it was cut before.
pub fn entry(text: &str) -> String {
    if has_marks(text) {
        return marked_line(text);
    }
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("\n  ")
}

/// What somebody wrote above and below a paste, with a mark in its place.
fn around_paste(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let above = lines.iter().take_while(|line| has_plain_words(line)).count();
    let below = lines[above..].iter().rev().take_while(|line| has_plain_words(line)).count();
    let told = [&lines[..above], &[GAP], &lines[lines.len() - below..]].concat();
    (above + below > 0).then(|| told.join("\n  "))
}

/// Whether a line has some words that are no names of code.
fn has_plain_words(line: &str) -> bool {
    let is_plain = |word: &&str| {
        let mut letters = word.trim_matches(|c: char| c.is_ascii_punctuation()).chars();
        letters.next().is_some_and(char::is_alphabetic) && letters.all(|c| c.is_lowercase() || c == '\'')
    };
    is_written(line)
        && (line.split_whitespace().filter(is_plain).nth(LEAST_PLAIN - 1).is_some()
            || line.chars().filter(|c| is_cjk(*c)).nth(LEAST_CHARACTERS - 1).is_some())
}

/// A text, or both ends of a long one, which loses its middle in any case.
fn ends_of(text: &str) -> Cow<'_, str> {
    if text.len() <= 2 * LONGEST_READ {
        return text.into();
    }
    let end = text.ceil_char_boundary(text.len() - LONGEST_READ);
    format!("{}\n{}", first_words(text, LONGEST_READ), &text[end..]).into()
}

/// Hashes of the words and quantities of a text.
fn about(text: &str) -> Vec<u64> {
    let mut about = Vec::new();
    let mut before: Option<&str> = None;
    for word in words(text) {
        let lower = word.to_lowercase();
        if let Some(count) = before.filter(|count| count.bytes().all(|byte| byte.is_ascii_digit())) {
            about.extend((0..SHARED).map(|times| hash(format!("{times} {count} {lower}").as_bytes())));
        }
        if word.len() > 2 {
            about.push(hash(lower.as_bytes()));
        }
        before = Some(word);
    }
    let names = text.split_whitespace().map(|name| name.trim_matches(|c: char| !c.is_alphanumeric()));
    for name in names.filter(|name| name.contains(['_', '/'])) {
        about.extend((1..SHARED).map(|times| hash(format!("{times} {name}").as_bytes())));
    }
    about
}

/// A text in lower case, with the same sign for each number.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'A'..='Z' => out.push(c.to_ascii_lowercase()),
            _ if !c.is_ascii_digit() => out.extend(c.to_lowercase()),
            _ if !out.ends_with('#') => out.push('#'),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_paste_what_stands_around_it_is_told() {
        let paste = "➜ shop git:(main) ✗ echo $COLORTERM\ntruecolor\n{\"level\":30,\"msg\":\"the cache is not warm\"}\n".repeat(8);
        let told = |text: String| UserText::of(&text).part.unwrap().line;
        assert_eq!(
            told(format!("any idea why this fails?\n{paste}please look into it")),
            "any idea why this fails?\n  […]\n  please look into it"
        );
        assert_eq!(told(format!("{paste}为什么会这样？请看一下。")), "[…]\n  为什么会这样？请看一下。");
        assert!(told(paste).starts_with("➜ shop"));
    }

    #[test]
    fn messages_that_differ_only_by_numbers_are_of_a_kind() {
        let kind = |text: &str| UserText::of(text).kind;
        assert_eq!(kind("The tests are slow, all 14 of them."), kind("THE tests are slow, all 3 of them."));
        let log = |line: &str| [&"a line of it\n".repeat(500), line, &"a line of it\n".repeat(500)].concat();
        let (one, other) = (UserText::of(&log("one")), UserText::of(&log("other")));
        assert!(one.kind != other.kind && one.kind_of_ends == other.kind_of_ends);
    }

    #[test]
    fn only_what_is_told_of_a_long_message_is_kept() {
        assert!(UserText::of("The tests are slow.").part.is_none());
        let long = UserText::of(&"The tests are slow today, all of them. ".repeat(2_000));
        let told = long.part.map(|told| (told.line.len(), told.about.len()));
        assert!(told.is_some_and(|(line, about)| line < 1_000 && about < 10), "{told:?}");
    }
}
