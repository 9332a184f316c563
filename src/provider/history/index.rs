//! Finds content in a history.

use super::content::{Content, Key};
use super::piece::Piece;
use crate::hashing::HashMap;

/// Finds content in the pieces of a history, in order. The index makes the cost of a rebuild proportional to the number
/// of messages.
pub(super) struct Index<'p, 'a> {
    pieces: &'p [Piece<'a>],
    /// The first position of each key. `None` if only a few are wanted: these are searched for one by one.
    first: Option<HashMap<Key<'a>, usize>>,
    /// For each position, the next one with the same key.
    later: Vec<usize>,
    /// The position after the one found last.
    next: usize,
}

/// Up to this many are searched for without an index.
const MAX_WITHOUT_INDEX: usize = 4;

impl<'p, 'a> Index<'p, 'a> {
    /// `wanted`: how many will be searched for.
    pub fn new(pieces: &'p [Piece<'a>], wanted: usize) -> Self {
        let mut index = Self { pieces, first: None, later: Vec::new(), next: 0 };
        if wanted > MAX_WITHOUT_INDEX {
            let end = pieces.len();
            let mut first = HashMap::with_capacity_and_hasher(end, foldhash::fast::RandomState::default());
            index.later = vec![end; end];
            for (at, piece) in pieces.iter().enumerate().rev() {
                index.later[at] = first.insert(piece.content().key(), at).unwrap_or(end);
            }
            index.first = Some(first);
        }
        index
    }

    /// The next position of the same content.
    pub fn find_same(&mut self, content: Content<'a>) -> Option<usize> {
        self.find(content, |other| other.same_as(content))
    }

    /// The next position of content with the same key.
    pub fn find_by_key(&mut self, content: Content<'a>) -> Option<usize> {
        let key = content.key();
        self.find(content, |other| other.key() == key)
    }

    fn find(&mut self, content: Content<'a>, is_wanted: impl Fn(Content<'a>) -> bool) -> Option<usize> {
        let is_there = |at: &usize| is_wanted(self.pieces[*at].content());
        let found = match &mut self.first {
            None => (self.next..self.pieces.len()).find(is_there),
            Some(first) => {
                let first = first.get_mut(&content.key())?;
                while *first < self.next {
                    *first = self.later[*first];
                }
                let later = |at: &usize| self.later.get(*at).copied();
                std::iter::successors(Some(*first), later)
                    .take_while(|at| *at < self.pieces.len())
                    .find(is_there)
            }
        };
        self.next = found.map_or(self.next, |at| at + 1);
        found
    }
}
