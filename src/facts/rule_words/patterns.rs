//! The patterns of all languages, indexed by their marked words.

use std::sync::OnceLock;

use super::telling::{SEED, hashed};
use super::{LANGUAGES, TONGUES, Tongue};
use crate::sorting::{sort, sort_by_key};

/// What a matching pattern means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::facts) enum Says {
    /// A rule.
    Rule,
    /// A rule, if no speaker word is next to it.
    Modal,
    /// A wish.
    Wish,
    /// Nothing by itself, but an order with this word, or a sentence that begins with it, may be a rule.
    Bound,
}

/// A pattern.
#[derive(Debug, Clone, Copy)]
pub(in crate::facts) struct Pattern {
    word: u32,
    /// The index of its language in [`TONGUES`].
    pub tongue: usize,
    pub says: Says,
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
    let mut names: Vec<u32> = LANGUAGES.split(' ').map(hash).collect();
    sort(&mut names);
    names
}

fn hash(word: &str) -> u32 {
    word.bytes().fold(SEED, hashed)
}

fn sorted() -> Vec<Pattern> {
    let mut out = Vec::new();
    for (tongue, said) in TONGUES.iter().enumerate() {
        let Tongue { rules, revoking, modals, wishes, always, only, bars, .. } = said;
        for (list, says) in
            [(rules, Says::Rule), (revoking, Says::Rule), (modals, Says::Modal), (wishes, Says::Wish)]
        {
            out.extend(list.split(',').map(str::trim).filter_map(|text| {
                let marked = text.split(' ').find_map(|element| element.strip_prefix('='))?;
                Some(Pattern { word: hash(marked), tongue, says, text })
            }));
        }
        let bounds = [always, only, bars].into_iter().flat_map(|list| list.split(' '));
        let bounds = bounds.filter(|text| !text.is_empty());
        out.extend(bounds.map(|text| Pattern { word: hash(text), tongue, says: Says::Bound, text }));
    }
    sort_by_key(&mut out, |pattern| pattern.word);
    out
}
