//! The patterns of all languages, indexed by their marked words.

use std::sync::OnceLock;

use super::word_table::hash;
use super::{LANGUAGE_NAMES, LANGUAGES, Language};
use crate::sorting::{sort, sort_by_key};

/// What a matching pattern means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::facts) enum PatternMeaning {
    /// A rule.
    Rule,
    /// A rule, if no speaker word is next to it.
    Modal,
    /// Nothing by itself, but an order with this word, or a sentence that begins with it, may be a rule.
    MayBind,
}

/// A pattern.
#[derive(Debug, Clone, Copy)]
pub(in crate::facts) struct Pattern {
    word: u32,
    /// The index of its language in [`LANGUAGES`].
    pub language: usize,
    pub meaning: PatternMeaning,
    pub text: &'static str,
}

/// Calls `each` with the patterns whose marked word is `word`.
pub(in crate::facts) fn patterns_at(word: &str, each: &mut dyn FnMut(Pattern)) {
    static SORTED: OnceLock<(Vec<Pattern>, Vec<u32>)> = OnceLock::new();
    let (patterns, languages) = SORTED.get_or_init(|| (sorted(), sorted_languages()));
    let at = |word: u32| {
        let from = patterns.partition_point(|pattern| pattern.word < word);
        patterns[from..].iter().take_while(move |pattern| pattern.word == word)
    };
    let word = hash(word);
    at(word).copied().for_each(&mut *each);
    if languages.binary_search(&word).is_ok() {
        at(hash("#")).copied().for_each(each);
    }
}

fn sorted_languages() -> Vec<u32> {
    let mut names: Vec<u32> = LANGUAGE_NAMES.split(' ').map(hash).collect();
    sort(&mut names);
    names
}

fn sorted() -> Vec<Pattern> {
    let mut out = Vec::new();
    for (language, forms) in LANGUAGES.into_iter().enumerate() {
        each_pattern(forms, &mut |word, meaning, text| {
            out.push(Pattern { word: hash(word), language, meaning, text });
        });
    }
    sort_by_key(&mut out, |pattern| pattern.word);
    out
}

/// Calls `each` with every pattern of a language: its marked word (once for each, if there are alternatives), its meaning and its text. A word
/// that may bind is a pattern by itself.
pub(super) fn each_pattern(
    language: &Language,
    each: &mut dyn FnMut(&'static str, PatternMeaning, &'static str),
) {
    let Language { rules, modals, always, only, bars, .. } = language;
    for (list, meaning) in [(rules, PatternMeaning::Rule), (modals, PatternMeaning::Modal)] {
        for text in list.split(',').map(str::trim) {
            let marked = text.split(' ').find_map(|element| element.strip_prefix('='));
            marked
                .into_iter()
                .flat_map(|marked| marked.split('|'))
                .for_each(|word| each(word, meaning, text));
        }
    }
    let words = [always, only, bars].into_iter().flat_map(|list| list.split(' '));
    words.filter(|word| !word.is_empty()).for_each(|word| each(word, PatternMeaning::MayBind, word));
}
