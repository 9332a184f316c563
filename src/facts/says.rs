//! What a message of the user says by itself.

use super::clause::only_asks;
use super::constraints::points_back;
use super::literals;
use super::sentences::{Sentence, sentences};
use super::small_talk::{is_assent, is_courtesy, says_what_is_lacking};
use super::words::{lowered, words};
use crate::script::is_cjk;
use crate::tool_output::first_words;

/// Longer messages, in bytes, are not read: they are pasted text, or their facts are enough.
pub const LONGEST_MESSAGE: usize = 800;

/// What is longer, in bytes, explains itself.
const LONGEST_REFERRING: usize = 160;

/// At most so many bytes are read to see whether somebody wrote a text.
const LONGEST_READ: usize = 8_000;

/// The fewest words, and the fewest characters in scripts without blanks between words.
const LEAST_WORDS: usize = 3;
const LEAST_CHARACTERS: usize = 4;

/// Shorter questions are about what was said before and were answered there, unless they name something.
const LONG_QUESTION: usize = 10;
const LONG_CJK_QUESTION: usize = 20;

/// Endings of questions that have no question mark.
const CJK_QUESTIONS: [&str; 6] = ["吗", "嗎", "ますか", "ですか", "でしょうか", "까요"];

/// What a message of the user says to a reader who sees none of the messages around it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Says {
    /// Nothing: it only thanks, agrees or asks.
    #[default]
    Nothing,
    /// Something that only the message before it explains: "Actually no, put it back in.", "Better not."
    Back,
    /// Something about a path or the like that it names, or so much that it was pasted.
    OfOneThing,
    /// Something that may be a rule, although no word marks it.
    Something,
}

/// What a message that consists of these sentences says, in any language.
pub fn says(text: &str, sentences: &[Sentence<'_>]) -> Says {
    if text.len() > LONGEST_MESSAGE {
        return Says::OfOneThing;
    }
    let said = || sentences.iter().filter(|sentence| sentence.is_said());
    let telling: Vec<&str> = said().map(|sentence| sentence.text).filter(|one| says_something(one)).collect();
    match telling[..] {
        [] if refers_back(text, said()) => Says::Back,
        [] => Says::Nothing,
        _ if telling.iter().all(|sentence| names_something(sentence)) => Says::OfOneThing,
        _ => Says::Something,
    }
}

/// Whether a text is mostly sentences, such as a specification, rather than pasted code or output.
pub fn is_written(text: &str) -> bool {
    let beginning = first_words(text, LONGEST_READ);
    are_written(&sentences(beginning), beginning.len())
}

/// The same for a text of so many bytes with these sentences.
pub(super) fn are_written(sentences: &[Sentence<'_>], of_bytes: usize) -> bool {
    let written = |sentence: &&Sentence<'_>| sentence.is_said() && is_sentence(sentence.text);
    2 * sentences.iter().filter(written).map(|sentence| sentence.text.len()).sum::<usize>() >= of_bytes
}

/// Whether it consists of words, and is neither code nor copied from a terminal.
fn is_sentence(text: &str) -> bool {
    let has_words = || {
        text.split_whitespace().filter(|w| w.contains(char::is_alphanumeric)).take(LEAST_WORDS).count()
            == LEAST_WORDS
            || text.chars().filter(|c| is_cjk(*c)).take(LEAST_CHARACTERS).count() == LEAST_CHARACTERS
    };
    let is_code = || text.contains(['{', '}', '<', '>', '|', '=', '`']) && !text.contains(". ");
    text.contains(char::is_alphabetic) && has_words() && !is_code() && !is_pasted(text)
}

/// Whether a sentence tells something by itself: it is no mere question, and it names something, or it is neither courtesy, nor about what
/// somebody lacks, nor a short question, nor about "it" or "that", which only the sentence before names.
fn says_something(sentence: &str) -> bool {
    // What was only asked was answered, or is told as open work.
    let only_asks = || sentence.ends_with('?') && only_asks(&lowered(sentence));
    let is_vague = || {
        is_short_question(sentence)
            || is_courtesy(sentence)
            || says_what_is_lacking(sentence)
            || points_back(sentence)
    };
    is_sentence(sentence)
        && !sentence.ends_with([':', '\u{FF1A}']) // it only leads on
        && !only_names_what_to_read(sentence)
        && (sentence.contains(|c: char| c.is_ascii_digit())
            || (!only_asks() && (names_something(sentence) || !is_vague())))
}

/// Whether the sentences of a text say something that only the message before it explains.
fn refers_back<'a>(text: &str, mut all: impl Iterator<Item = &'a Sentence<'a>>) -> bool {
    let says = |sentence: &Sentence<'_>| {
        let says_more = || words(sentence.text).any(|word| !is_assent(word));
        !sentence.text.ends_with(['?', '\u{FF1F}'])
            && if sentence.text.contains(is_cjk) { !is_courtesy(sentence.text) } else { says_more() }
            && !says_what_is_lacking(sentence.text)
    };
    text.len() <= LONGEST_REFERRING && all.any(says)
}

/// "ok, read src/a.rs and src/b.rs in full": names fill most of it, and a ledger lists those by themselves.
pub fn only_names_what_to_read(sentence: &str) -> bool {
    let does = words(sentence).find(|word| !is_assent(word)).map(str::to_lowercase);
    let named = || literals(sentence).iter().map(|name| name.text.len()).sum::<usize>();
    does.as_deref() == Some("read") && 2 * named() >= sentence.len()
}

/// Whether a line was only pasted: it was copied from a terminal, or has no word besides names.
pub fn is_pasted(line: &str) -> bool {
    is_prompt(line) || is_only_names(line)
}

/// Whether a line was copied from a terminal: it begins with a prompt of bash, zsh or fish, or of one of their usual themes.
fn is_prompt(line: &str) -> bool {
    const MARKS: [&str; 5] = ["$", "%", "❯", "➜", "λ"];
    let Some((first, _)) = line.split_once(' ') else { return false };
    let names_host = || first.contains('@') && first.contains(':') && first.ends_with(['$', '#', '%']);
    MARKS.contains(&first) || names_host()
}

/// Whether a sentence has no word besides paths, URLs and ids. A ledger lists those by themselves.
fn is_only_names(sentence: &str) -> bool {
    let mut end = 0;
    let mut says = false;
    for name in literals(sentence) {
        says |= sentence[end..name.at].contains(char::is_alphabetic);
        end = name.at + name.text.len();
    }
    !says && !sentence[end..].contains(char::is_alphabetic)
}

fn is_short_question(sentence: &str) -> bool {
    let bare = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
    let asks = sentence[bare.len()..].contains(['?', '\u{FF1F}']);
    if sentence.contains(is_cjk) {
        let is_question = asks || CJK_QUESTIONS.iter().any(|end| bare.ends_with(end));
        return is_question && bare.chars().count() < LONG_CJK_QUESTION;
    }
    asks && sentence.split_whitespace().count() < LONG_QUESTION
}

/// Whether it contains something like a path, a name in code, or an address.
pub fn names_something(sentence: &str) -> bool {
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    sentence.contains(['/', '\\', '_', '#', '@']) || sentence.split('.').skip(1).any(goes_on)
}
