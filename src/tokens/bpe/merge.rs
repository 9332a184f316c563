//! The tokens of one piece.
//!
//! Byte-pair merging gives the one sequence of tokens in which every two neighbours may stand side by side
//! ([`Vocabulary::may_follow`]). So the sequence can be built from the left: the longest token that may follow, or
//! else a shorter one, or else one step back. From an end that led nowhere no sequence leads on, so each end is
//! reached once, and the time is linear in the piece. (The insight is that of `bpe` by GitHub's rust-gems.)

use super::by_rank;
use super::vocabulary::Vocabulary;

/// What [`Merge::run`] needs again and again, kept from piece to piece.
#[derive(Default)]
pub(super) struct Merge {
    tokens: Vec<u32>,
    /// The length of each in bytes.
    lengths: Vec<u8>,
    /// Ends, as offsets in the piece, that led nowhere: one bit each. Empty until there is one.
    dead: Vec<u64>,
}

/// So many refused tokens, and two for every byte: then the piece is merged by rank instead.
const ENOUGH: usize = 500;

/// Beyond this many entries the buffers are given back after a piece.
const KEEP: usize = 1 << 14;

impl Merge {
    /// The tokens of `text[start..end]`.
    #[inline]
    pub fn run(&mut self, vocabulary: &Vocabulary, text: &[u8], start: usize, end: usize) -> &[u32] {
        self.tokens.clear();
        self.lengths.clear();
        self.dead.clear();
        let mut at = start;
        let mut room = usize::MAX;
        let mut refused = 0;
        while at < end {
            let (mut token, mut len) = vocabulary.longest(text, at, room.min(end - at));
            let last = self.tokens.last().copied();
            loop {
                let fits = !self.is_dead(at + len - start)
                    && last.is_none_or(|last| vocabulary.may_follow(last, token));
                if fits {
                    self.tokens.push(token);
                    self.lengths.push(len as u8);
                    at += len;
                    room = usize::MAX;
                    break;
                }
                refused += 1;
                if refused > ENOUGH + 2 * (at - start) {
                    by_rank::merge(vocabulary, text.get(start..end).unwrap_or_default(), &mut self.tokens);
                    return &self.tokens;
                }
                if len > 1 {
                    (token, len) = vocabulary.longest(text, at, len - 1);
                    continue;
                }
                // Nothing follows here: take the last token back and try a shorter one in its place.
                let (Some(_), Some(len)) = (self.tokens.pop(), self.lengths.pop()) else { return &[] };
                self.mark_dead(at - start, end - start);
                let len = usize::from(len);
                at -= len;
                room = len - 1;
                break;
            }
        }
        &self.tokens
    }

    /// Gives back what a huge piece needed.
    pub fn shrink(&mut self) {
        self.tokens.truncate(KEEP);
        self.tokens.shrink_to(KEEP);
        self.lengths.truncate(KEEP);
        self.lengths.shrink_to(KEEP);
        self.dead.truncate(KEEP);
        self.dead.shrink_to(KEEP);
    }

    #[inline(always)]
    fn is_dead(&self, offset: usize) -> bool {
        self.dead.get(offset / 64).is_some_and(|word| word >> (offset % 64) & 1 != 0)
    }

    #[inline(never)]
    fn mark_dead(&mut self, offset: usize, len: usize) {
        if self.dead.is_empty() {
            self.dead.resize(len / 64 + 1, 0);
        }
        if let Some(word) = self.dead.get_mut(offset / 64) {
            *word |= 1 << (offset % 64);
        }
    }
}
