//! Finds sentences that may be rules although no word marks them, in any language.

use super::{is_cjk, sentences};
use crate::hashing::hash;

/// Longer messages, in bytes, are skipped: they are pasted text, or their facts are enough.
const LONGEST_MESSAGE: usize = 800;

/// Shorter sentences, in bytes, say no more than "go on"; longer ones are descriptions.
const SHORTEST: usize = 10;
const LONGEST: usize = 160;

/// The fewest words, and the fewest characters in scripts without blanks between words.
const LEAST_WORDS: usize = 3;
const LEAST_CHARACTERS: usize = 4;

/// The position of such a sentence in its message's text, and its properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remark {
    at: u16,
    len: u16,
    /// It names a path or the like and is about that.
    pub about_one_thing: bool,
    /// A hash that is the same for sentences that differ only by their numbers.
    pub kind: u64,
}

impl Remark {
    /// Its byte offset in the text.
    pub fn at(self) -> usize {
        self.at.into()
    }

    /// The sentence, taken from the text in which it was found.
    pub fn text(self, of: &str) -> &str {
        of.get(self.at()..self.at() + usize::from(self.len)).unwrap_or_default()
    }
}

/// Such sentences in a message's text, in order.
pub fn remarks(text: &str) -> Vec<Remark> {
    if text.len() > LONGEST_MESSAGE {
        return Vec::new();
    }
    let all = sentences(text).into_iter().filter(|s| !s.fenced && says_something(s.text));
    let remark = |sentence: super::Sentence<'_>| Remark {
        at: sentence.at as u16,
        len: sentence.text.len() as u16,
        about_one_thing: names_something(sentence.text),
        kind: hash(without_numbers(sentence.text).as_bytes()),
    };
    all.map(remark).collect()
}

fn says_something(sentence: &str) -> bool {
    if !(SHORTEST..=LONGEST).contains(&sentence.len()) {
        return false;
    }
    let has_words = || {
        sentence.split_whitespace().filter(|w| w.contains(char::is_alphabetic)).take(LEAST_WORDS).count()
            == LEAST_WORDS
            || sentence.chars().filter(|c| is_cjk(*c)).take(LEAST_CHARACTERS).count() == LEAST_CHARACTERS
    };
    let is_code = || sentence.contains(['{', '}', '<', '>', '|', '=', '`']) && !sentence.contains(". ");
    has_words() && !is_code()
}

/// Whether it contains something like a path, a name in code, or an address.
fn names_something(sentence: &str) -> bool {
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    sentence.contains(['/', '\\', '_', '#', '@']) || sentence.split('.').skip(1).any(goes_on)
}

fn without_numbers(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len());
    for c in sentence.chars() {
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
    fn remarks_are_sentences_of_several_words_with_their_positions() {
        let text = "Go on. The tests are slow today, all 14 of them.\nSee src/a.rs for the rest.\n```\nlet it be so\n```\n测试今天很慢。";
        let found = remarks(text);
        let texts: Vec<&str> = found.iter().map(|r| r.text(text)).collect();
        assert_eq!(
            texts,
            ["The tests are slow today, all 14 of them.", "See src/a.rs for the rest.", "测试今天很慢。"]
        );
        assert_eq!(found.iter().map(|r| r.about_one_thing).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(remarks("THE tests are slow today, all 3 of them.")[0].kind, found[0].kind);
        assert_eq!(remarks(&"The tests are slow today. ".repeat(40)), []);
    }
}
