//! Recognises rules by patterns, in languages with spaces between words.

use super::rule_words::{LANGUAGE_NAMES, LANGUAGES, Language, Pattern, PatternMeaning, folded, patterns_at};
use super::words::is_listed;
use crate::sorting::sort_by_key;

/// The most words of a short sentence.
const SHORT: usize = 6;
/// How far `..` reaches, in words.
const FEW: usize = 6;
/// In an order, "always" may be at most this many words after the verb.
const NEAR: usize = 10;

/// A sentence with more words, such as a minified file on one line, is not a rule.
const MOST_WORDS: usize = 80;

/// Frequent English words that are none in the other languages.
const ENGLISH_ALONE: &str = "the of it you and is with they";

/// Whether a sentence lays down a rule in any of the languages. A question is not a rule.
pub(super) fn sets_rule(sentence: &str) -> bool {
    if sentence.ends_with('?') {
        return false;
    }
    let mut folded = folded(sentence);
    if folded.contains("il te plait") || folded.contains("il vous plait") {
        // Becomes one word, because "il" and "vous" would otherwise be taken for the speaker of a report.
        folded = folded.replace("s'il te plait", "stp").replace("s'il vous plait", "svp");
    }
    let words = words(&folded);
    if words.len() > MOST_WORDS {
        return false;
    }
    let is_english = is_english(&words);
    let mut patterns = Vec::new();
    for word in &words {
        patterns_at(word.text, &mut |pattern| {
            if pattern.language == 0 || !is_english {
                patterns.push(pattern);
            }
        });
    }
    sort_by_key(&mut patterns, |pattern| (pattern.language, pattern.text));
    patterns.dedup_by_key(|pattern| (pattern.language, pattern.text));
    let mut sets_rule = false;
    for of_language in patterns.chunk_by(|one, other| one.language == other.language) {
        let parsed = ParsedSentence::of(&words, LANGUAGES[of_language[0].language]);
        if of_language.iter().any(|pattern| parsed.sets_rule(*pattern)) {
            if parsed.reports() {
                return false;
            }
            sets_rule = true;
        }
    }
    sets_rule
}

/// Whether a sentence refers to something named in the sentence before, in one of the languages.
pub(super) fn points_back(sentence: &str) -> bool {
    sentence.split_whitespace().count() <= FEW + SHORT && contains_any(sentence, |language| language.pointing)
}

/// Whether a sentence contains any of these patterns, in any of the languages.
pub(super) fn contains_any(sentence: &str, patterns: impl Fn(&Language) -> &str) -> bool {
    let folded = folded(sentence);
    let words = words(&folded);
    let may_be = if is_english(&words) { 1 } else { LANGUAGES.len() };
    LANGUAGES[..may_be]
        .iter()
        .any(|language| ParsedSentence::of(&words, language).contains_any(patterns(language)))
}

/// "No, use the other one" is no Spanish prohibition.
fn is_english(words: &[Word<'_>]) -> bool {
    words.iter().any(|word| is_listed(word.text, ENGLISH_ALONE))
}

/// The position of a word in its clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Inside,
    /// After a comma.
    Behind,
    /// At the beginning of a clause.
    First,
}

#[derive(Debug, Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    place: Place,
}

/// The words of a sentence, also split at apostrophes.
fn words(folded: &str) -> Vec<Word<'_>> {
    let mut out = Vec::new();
    let mut place = Place::First;
    let mut start = None;
    for (at, c) in folded.char_indices().chain([(folded.len(), ' ')]) {
        if c.is_alphanumeric() {
            start.get_or_insert(at);
            continue;
        }
        if let Some(start) = start.take() {
            out.push(Word { text: &folded[start..at], place });
            place = Place::Inside;
        }
        place = place.max(match c {
            ':' | ';' | '(' | '[' | '—' | '–' | '!' | '\n' => Place::First,
            ',' => Place::Behind,
            _ => Place::Inside,
        });
    }
    out
}

/// A sentence as one of the languages reads it.
struct ParsedSentence<'a> {
    language: &'static Language,
    words: Vec<Word<'a>>,
}

impl<'a> ParsedSentence<'a> {
    /// Reads the words. A word after softeners at the start of a clause counts as the start.
    fn of(words: &[Word<'a>], language: &'static Language) -> Self {
        let mut open = Place::Inside;
        let mut words = words.to_vec();
        for word in &mut words {
            word.place = word.place.max(open);
            open = if is_listed(word.text, language.softeners) { word.place } else { Place::Inside };
        }
        Self { language, words }
    }

    /// Whether a pattern of this language finds a rule in the sentence.
    fn sets_rule(&self, pattern: Pattern) -> bool {
        match pattern.meaning {
            PatternMeaning::Rule => self.contains(pattern.text, |_| true),
            PatternMeaning::Modal => self.contains(pattern.text, |at| !self.is_next_to_speaker(at)),
            PatternMeaning::MayBind => self.orders() || self.rules_out(),
        }
    }

    fn is_next_to_speaker(&self, at: usize) -> bool {
        let nearby = &self.words[at.saturating_sub(2)..self.words.len().min(at + 3)];
        nearby.iter().any(|word| is_listed(word.text, self.language.speakers))
    }

    fn reports(&self) -> bool {
        self.contains_any(self.language.reports)
    }

    fn contains_any(&self, patterns: &str) -> bool {
        let mut patterns = patterns.split(',').map(str::trim);
        patterns.any(|pattern| !pattern.is_empty() && self.contains(pattern, |_| true))
    }

    /// "Always answer …", "only use …": an order with a word that makes it a rule.
    fn orders(&self) -> bool {
        let Language { always, only, subordinating, .. } = self.language;
        let binds = |word: &Word<'_>| is_listed(word.text, always) || is_listed(word.text, only);
        let orders = |at: usize| {
            let (first, behind) = (&self.words[at], &self.words[at + 1..self.clause(at, NEAR)]);
            let mut before_subordinate =
                behind.iter().take_while(|word| !is_listed(word.text, subordinating));
            if self.is_order(first.text) {
                return before_subordinate.any(binds);
            }
            is_listed(first.text, only) && behind.first().is_some_and(|word| self.is_order(word.text))
        };
        (0..self.words.len()).any(|at| self.words[at].place == Place::First && orders(at))
    }

    /// "No new dependencies": a short sentence that rules something out.
    fn rules_out(&self) -> bool {
        let Language { bars, small_talk, .. } = self.language;
        let mut behind = self.words.iter().skip_while(|word| is_listed(word.text, self.language.softeners));
        let first = behind.next().is_some_and(|word| is_listed(word.text, bars));
        first
            && behind.clone().count() < SHORT
            && behind.clone().next().is_some()
            && !behind.any(|word| is_listed(word.text, small_talk))
    }

    /// The end of the clause around a word, but at most `max_words` words after it.
    fn clause(&self, at: usize, max_words: usize) -> usize {
        let end = self.words.len().min(at + 1 + max_words);
        (at + 1..end).find(|at| self.words[*at].place != Place::Inside).unwrap_or(end)
    }

    /// Whether a word matches an element of a pattern.
    fn is_word(&self, word: &str, element: &str) -> bool {
        match element {
            "_" => true,
            "%" => self.is_order(word),
            "!" => self.is_form(word, self.language.bans),
            "#" => is_listed(word, LANGUAGE_NAMES),
            form => self.matches_form(word, form),
        }
    }

    fn is_order(&self, word: &str) -> bool {
        self.is_form(word, self.language.orders)
    }

    fn is_form(&self, word: &str, forms: &str) -> bool {
        forms.split(' ').any(|form| self.matches_form(word, form))
            && !self.language.except.split(' ').any(|form| self.matches_form(word, form))
    }

    fn matches_form(&self, word: &str, form: &str) -> bool {
        match form.as_bytes() {
            [] => false,
            [b'*', ..] => word.len() > form.len() && word.ends_with(&form[1..]),
            [.., b'*'] => word.starts_with(&form[..form.len() - 1]),
            [.., b'+'] => word
                .strip_prefix(&form[..form.len() - 1])
                .is_some_and(|end| end.is_empty() || is_listed(end, self.language.endings)),
            _ => word == form,
        }
    }

    /// Whether a pattern occurs in the sentence, starting at a word that is `allowed`.
    fn contains(&self, pattern: &str, allowed: impl Fn(usize) -> bool) -> bool {
        (0..self.words.len()).any(|at| self.matches_from(at, pattern) && allowed(at))
    }

    /// Whether a pattern matches from this word on.
    fn matches_from(&self, at: usize, pattern: &str) -> bool {
        let (element, rest) = pattern.split_once(' ').unwrap_or((pattern, ""));
        let element = element.strip_prefix('=').unwrap_or(element);
        element.split('|').any(|one| self.matches_element(at, one, rest))
    }

    /// Whether one element of a pattern matches at this word, and the `rest` of the pattern behind it.
    fn matches_element(&self, at: usize, element: &str, rest: &str) -> bool {
        let is_place = |least: Place| self.words.get(at).is_some_and(|word| word.place >= least);
        match element {
            "" => true,
            "$" => at >= self.words.len(),
            "^" => is_place(Place::First) && self.matches_from(at, rest),
            "~" => is_place(Place::Behind) && self.matches_from(at, rest),
            ".." => (at..self.clause(at.saturating_sub(1), FEW)).any(|at| self.matches_from(at, rest)),
            "..." => (at..self.words.len()).any(|at| self.matches_from(at, rest)),
            _ => {
                self.words.get(at).is_some_and(|word| self.is_word(word.text, element))
                    && self.matches_from(at + 1, rest)
            }
        }
    }
}

#[cfg(test)]
mod tests;
