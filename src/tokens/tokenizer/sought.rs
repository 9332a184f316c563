//! Many texts, sought at once.

use aho_corasick::automaton::Automaton;
use aho_corasick::nfa::contiguous::NFA;
use aho_corasick::{Input, MatchKind};

/// What finds the longest of them where one begins. Of the crate's automatons only this one, for the module's size.
pub struct Sought(NFA);

impl Sought {
    /// `None` where they are too many.
    pub fn new<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Option<Self> {
        NFA::builder().match_kind(MatchKind::LeftmostLongest).prefilter(false).build(texts).ok().map(Self)
    }

    /// The next one at or behind `from`: which it is, and where.
    pub fn find(&self, text: &[u8], from: usize) -> Option<(usize, usize, usize)> {
        let found = self.0.try_find(&Input::new(text).range(from..)).ok()??;
        Some((found.pattern().as_usize(), found.start(), found.end()))
    }

    /// Whether `text` has one of them.
    pub fn is_in(&self, text: &[u8]) -> bool {
        self.0.try_find(&Input::new(text).earliest(true)).is_ok_and(|found| found.is_some())
    }
}
