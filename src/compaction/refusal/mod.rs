//! Recognises answers that only decline. Models sometimes refuse a request that they find in the conversation instead of summarising it.

mod words;

use words::{
    CHINESE, ENGLISH, FRENCH, GERMAN, ITALIAN, JAPANESE, KOREAN, Language, PORTUGUESE, RUSSIAN, SPANISH,
};

use crate::facts::words::lowered;

/// A longer text, in bytes, is more than a refusal.
const LONGEST: usize = 400;

/// The most words in a polite sentence beside the refusal.
const MAX_POLITE_WORDS: usize = 14;

/// Whether the whole text is a refusal: "I'm sorry, I can't help with that."
pub fn refuses(text: &str) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    let lower = lowered(text);
    let spaced = [&ENGLISH, &GERMAN, &FRENCH, &SPANISH, &ITALIAN, &PORTUGUESE, &RUSSIAN]
        .into_iter()
        .any(|l| l.refuses(&lower, Language::has_only_known_words));
    spaced
        || [&CHINESE, &JAPANESE, &KOREAN]
            .into_iter()
            .any(|l| l.refuses(&lower, Language::is_made_of_known_pieces))
}

impl Language {
    /// Whether at least one sentence refuses and all others are polite.
    fn refuses(&self, text: &str, has_no_other_words: fn(&Self, &str) -> bool) -> bool {
        let mut refused = false;
        for sentence in sentences(text) {
            if has_no_other_words(self, sentence) {
                let joined = sentence.replace(' ', "");
                refused |= self
                    .refusing
                    .split(", ")
                    .any(|refusing| sentence.contains(refusing) || joined.contains(refusing));
            } else if !self.is_polite(sentence) {
                return false;
            }
        }
        refused
    }

    /// Whether a sentence may accompany a refusal: it is short and names no file.
    fn is_polite(&self, sentence: &str) -> bool {
        let names_a_file = sentence.contains('/') && !sentence.contains("://");
        let is_short = sentence.split_whitespace().count() <= MAX_POLITE_WORDS;
        is_short && !names_a_file && self.polite_starts.split(", ").any(|start| sentence.starts_with(start))
    }

    /// Whether the sentence consists of the known words, for languages that separate words by spaces.
    fn has_only_known_words(&self, sentence: &str) -> bool {
        let mut words = sentence
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .map(|word| word.trim_matches('\''))
            .filter(|word| !word.is_empty());
        words.all(|word| self.words.split(' ').chain(self.refusing.split(", ")).any(|one| one == word))
    }

    /// Like `has_only_known_words`, for languages without spaces or with varying endings: removes the longest known word at the front until nothing
    /// is left.
    fn is_made_of_known_pieces(&self, sentence: &str) -> bool {
        let mut rest = sentence;
        loop {
            rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
            if rest.is_empty() {
                return true;
            }
            let behind = self.words.split(' ').filter_map(|word| without(rest, word));
            let Some(shortest) = behind.min_by_key(|rest| rest.len()) else { return false };
            rest = shortest;
        }
    }
}

/// The text after `word`, ignoring spaces; `None` if it does not begin with it.
fn without<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let mut rest = text;
    for c in word.chars() {
        rest = rest.trim_start_matches(' ').strip_prefix(c)?;
    }
    Some(rest)
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.split(['\n', '。', '\u{FF01}', '\u{FF1F}']);
    let sentences =
        lines.flat_map(|line| line.split(". ").flat_map(|s| s.split("! ").flat_map(|s| s.split("? "))));
    sentences.map(str::trim).filter(|sentence| !sentence.is_empty())
}

#[cfg(test)]
mod tests {
    use super::refuses;
    use crate::corpus::agrees;

    #[test]
    fn only_a_text_that_does_nothing_but_decline_is_a_refusal() {
        agrees(include_str!("answers.tsv"), |text| if refuses(text) { "refusal" } else { "summary" });
    }
}
