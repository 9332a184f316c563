//! Where in a history something is said.

use super::piece::Piece;
use super::said::{Key, Said};
use crate::hashing::HashMap;

/// Finds what is said in the pieces of a history, in order, so that a rebuild costs what the messages cost, however many there
/// are.
pub(super) struct Index<'p, 'a> {
    pieces: &'p [Piece<'a>],
    /// The first place of each key. `None` where few are to be found: they are looked for one by one.
    first: Option<HashMap<Key<'a>, usize>>,
    /// For each place the next one of the same key.
    later: Vec<usize>,
    /// Behind what was found last.
    next: usize,
}

/// So few are looked for without an index.
const FEW: usize = 4;

impl<'p, 'a> Index<'p, 'a> {
    /// `wanted`: how many are to be found.
    pub fn new(pieces: &'p [Piece<'a>], wanted: usize) -> Self {
        let mut index = Self { pieces, first: None, later: Vec::new(), next: 0 };
        if wanted > FEW {
            let end = pieces.len();
            let mut first = HashMap::with_capacity_and_hasher(end, foldhash::fast::RandomState::default());
            index.later = vec![end; end];
            for (at, piece) in pieces.iter().enumerate().rev() {
                index.later[at] = first.insert(piece.said().key(), at).unwrap_or(end);
            }
            index.first = Some(first);
        }
        index
    }

    /// Where the very same is said, behind what was found before.
    pub fn same(&mut self, said: Said<'a>) -> Option<usize> {
        self.find(said, |other| other.is(said))
    }

    /// Where something is said that is looked up by the same.
    pub fn alike(&mut self, said: Said<'a>) -> Option<usize> {
        let key = said.key();
        self.find(said, |other| other.key() == key)
    }

    fn find(&mut self, said: Said<'a>, is_wanted: impl Fn(Said<'a>) -> bool) -> Option<usize> {
        let is_there = |at: &usize| is_wanted(self.pieces[*at].said());
        let found = match &mut self.first {
            None => (self.next..self.pieces.len()).find(is_there),
            Some(first) => {
                let first = first.get_mut(&said.key())?;
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
