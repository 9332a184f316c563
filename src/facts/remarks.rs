//! Finds sentences that may be rules although no word marks them, in any language.

use super::clause::only_asks;
use super::constraints::points_back;
use super::literals;
use super::sentences::{Sentence, joined, pieces, sentences};
use super::small_talk::{is_assent, is_courtesy, says_what_is_lacking};
use super::words::{is_listed, lowered, words, words_with_apostrophes};
use crate::script::is_cjk;
use crate::tool_output::first_words;

/// Longer messages, in bytes, are skipped: they are pasted text, or their facts are enough.
pub const LONGEST_MESSAGE: usize = 800;

/// Shorter sentences, in bytes, say no more than "go on"; longer ones are descriptions.
const SHORTEST: usize = 10;
const LONGEST: usize = 160;

/// At most so many bytes are read to see whether somebody wrote a text.
const LONGEST_READ: usize = 8_000;

/// The fewest words, and the fewest characters in scripts without blanks between words.
const LEAST_WORDS: usize = 3;
const LEAST_CHARACTERS: usize = 4;

/// Shorter questions are about what was said before and were answered there, unless they name something.
const LONG_QUESTION: usize = 10;
const LONG_CJK_QUESTION: usize = 20;

/// Words by which a sentence is known to be German, where every noun has a capital.
const GERMAN: &str = "ich und ist nicht der das eine einen mein meine mir mich bitte kann habe haben noch wir für sie mit dank";

/// Endings of questions that have no question mark.
const CJK_QUESTIONS: [&str; 6] = ["吗", "嗎", "ますか", "ですか", "でしょうか", "까요"];

/// Such sentences in a message's text, in order.
pub fn remarks(text: &str) -> Vec<Sentence<'_>> {
    if text.len() > LONGEST_MESSAGE {
        return Vec::new();
    }
    let is_remark = |sentence: &Sentence<'_>| sentence.is_said() && says_something(sentence.text);
    let pieces = pieces(text);
    let all = pieces.chunk_by(|_, next| next.continues()).flat_map(|parts| {
        let whole = joined(text, parts);
        let all = if is_remark(&whole) { vec![whole] } else { parts.to_vec() };
        all.into_iter().filter(is_remark)
    });
    all.collect()
}

/// Whether a text is mostly sentences, such as a specification, rather than pasted code or output.
pub fn is_written(text: &str) -> bool {
    let beginning = first_words(text, LONGEST_READ);
    let written = |sentence: &&Sentence<'_>| sentence.is_said() && is_sentence(sentence.text);
    let bytes: usize = sentences(beginning).iter().filter(written).map(|sentence| sentence.text.len()).sum();
    2 * bytes >= beginning.len()
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

fn says_something(sentence: &str) -> bool {
    (SHORTEST..=LONGEST).contains(&sentence.len())
        && is_sentence(sentence)
        && !leads_on(sentence)
        && !only_names_what_to_read(sentence)
        && is_worth_telling(sentence)
}

/// Whether a text says something that only the message before it explains: "Actually no, put it back in.", "Better not."
pub fn refers_back(text: &str) -> bool {
    let says = |sentence: &Sentence<'_>| {
        let says_more = || words(sentence.text).any(|word| !is_assent(word));
        sentence.is_said()
            && !sentence.text.ends_with(['?', '\u{FF1F}'])
            && if sentence.text.contains(is_cjk) { !is_courtesy(sentence.text) } else { says_more() }
            && !says_what_is_lacking(sentence.text)
    };
    text.len() <= LONGEST && sentences(text).iter().any(says)
}

/// "ok, read src/a.rs and src/b.rs in full": names fill most of it, and a ledger lists those by themselves.
pub fn only_names_what_to_read(sentence: &str) -> bool {
    let does = words(sentence).find(|word| !is_assent(word)).map(str::to_lowercase);
    let named = || literals(sentence).iter().map(|name| name.text.len()).sum::<usize>();
    does.as_deref() == Some("read") && 2 * named() >= sentence.len()
}

/// Whether a sentence only leads on to what follows it: "From the other terminal:".
fn leads_on(sentence: &str) -> bool {
    sentence.ends_with([':', '\u{FF1A}'])
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

/// Whether a sentence tells something to a reader who did not see its message: it is no mere question, and it names something, or it is
/// neither courtesy, nor about what somebody lacks, nor a short question, nor about "it" or "that", which only the sentence before names.
fn is_worth_telling(sentence: &str) -> bool {
    let is_specific = names_something(sentence) || has_proper_name(sentence);
    // What was only asked was answered, or is told as open work.
    let only_asks = || sentence.ends_with('?') && only_asks(&lowered(sentence));
    let is_vague = || {
        is_short_question(sentence)
            || is_courtesy(sentence)
            || says_what_is_lacking(sentence)
            || points_back(sentence)
            || is_about_that(sentence)
    };
    sentence.contains(|c: char| c.is_ascii_digit()) || (!only_asks() && (is_specific || !is_vague()))
}

/// Whether its subject is only in the sentence before: "That works for me."
fn is_about_that(sentence: &str) -> bool {
    const SUBJECTS: &str = "that this";
    const JOINED: &str = "that's this's";
    /// What is judged. Other verbs tell what has to be done: "This should use the old database."
    const VERBS: &str = "is was sounds looks works seems feels";
    /// A longer sentence says more.
    const MANY: usize = 7;
    let lower = lowered(sentence);
    let words: Vec<&str> = words_with_apostrophes(&lower).take(MANY + 1).collect();
    words.len() <= MANY
        && match words[..] {
            [first, verb, ..] => {
                is_listed(first, JOINED) || is_listed(first, SUBJECTS) && is_listed(verb, VERBS)
            }
            _ => false,
        }
}

/// Whether it has a name: a word behind the first one with a capital, or any word with a capital inside: "Ethan Lopez", "JFK", "toolTitle",
/// but not "I'd" or "my ID".
fn has_proper_name(sentence: &str) -> bool {
    let words = || words(sentence);
    let is_name = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase)
            && (letters.clone().next().is_some_and(char::is_lowercase) || letters.nth(1).is_some())
    };
    let joined = |word: &str| word.starts_with(char::is_lowercase) && word.contains(char::is_uppercase);
    words().any(joined)
        || (words().skip(1).any(is_name) && !words().any(|word| is_listed(&word.to_lowercase(), GERMAN)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_sentences_of_several_words() {
        let text = "Go on. The tests are slow today, all 14 of them.\nSee src/a.rs for the rest.\n```\nlet it be so\n```\n测试今天很慢。";
        let texts: Vec<&str> = remarks(text).iter().map(|remark| remark.text).collect();
        assert_eq!(
            texts,
            ["The tests are slow today, all 14 of them.", "See src/a.rs for the rest.", "测试今天很慢。"]
        );
        assert_eq!(texts.iter().map(|text| names_something(text)).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(remarks(&"The tests are slow today. ".repeat(40)), []);
    }
}
