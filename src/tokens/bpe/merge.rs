//! The tokens of one piece.
//!
//! Byte-pair merging results in the only sequence of tokens in which all neighbors may be adjacent
//! ([`Vocabulary::may_follow`]). So the sequence can be built from the left: take the longest token that may follow, else a
//! shorter one, else go one token back. An end that was given up once can never be part of the result, so each end is
//! reached only once and the time is linear in the length of the piece. (The idea is from `bpe` in GitHub's rust-gems.)

use super::by_rank;
use super::vocabulary::Vocabulary;

/// The buffers of [`Merge::run`], reused from piece to piece.
#[derive(Default)]
pub(super) struct Merge {
    tokens: Vec<u32>,
    /// The length of each token in bytes.
    lengths: Vec<u8>,
    /// Ends that were given up, as offsets in the piece, one bit each. Empty until there is one.
    dead: Vec<u64>,
}

/// After this many refused tokens, plus two per byte, the piece is merged by rank instead.
const MAX_REFUSED: usize = 500;

/// Buffers larger than this are shrunk after a piece.
const MAX_KEPT: usize = 1 << 14;

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
                if refused > MAX_REFUSED + 2 * (at - start) {
                    by_rank::merge(vocabulary, text.get(start..end).unwrap_or_default(), &mut self.tokens);
                    return &self.tokens;
                }
                if len > 1 {
                    (token, len) = vocabulary.longest(text, at, len - 1);
                    continue;
                }
                // Nothing may follow here: remove the last token and try a shorter one in its place.
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

    /// Frees the memory that a huge piece needed.
    pub fn shrink(&mut self) {
        self.tokens.truncate(MAX_KEPT);
        self.tokens.shrink_to(MAX_KEPT);
        self.lengths.truncate(MAX_KEPT);
        self.lengths.shrink_to(MAX_KEPT);
        self.dead.truncate(MAX_KEPT);
        self.dead.shrink_to(MAX_KEPT);
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
