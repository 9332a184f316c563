//! Searches for many texts at once.

use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Input, MatchKind};

/// Finds the longest of the texts at the first position where one begins. Only this one of the crate's automatons is used,
/// to keep the module small.
pub struct MultiSearch(NFA);

impl MultiSearch {
    /// `None` if there are too many texts.
    pub fn new<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Option<Self> {
        NFA::builder().match_kind(MatchKind::LeftmostLongest).prefilter(false).build(texts).ok().map(Self)
    }

    /// The next match at or after `from`: the index of the text, start and end.
    pub fn find(&self, text: &[u8], from: usize) -> Option<(usize, usize, usize)> {
        let found = self.0.try_find(&Input::new(text).range(from..)).ok()??;
        Some((found.pattern().as_usize(), found.start(), found.end()))
    }

    /// Whether `text` contains one of the texts.
    pub fn is_in(&self, text: &[u8]) -> bool {
        self.0.try_find(&Input::new(text).earliest(true)).is_ok_and(|found| found.is_some())
    }
}
