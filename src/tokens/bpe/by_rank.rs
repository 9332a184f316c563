//! Merges as byte-pair encoding defines it: the pair with the lowest rank first, and the leftmost of several.
//!
//! Building from the left ([`super::merge`]) is almost always faster, but a long run of one sign (`-`, `=`) with tokens of
//! many lengths leads it into dead ends at every step. Ranks only grow here, because a merge never makes a pair with a lower
//! rank, so a radix heap keeps the queue's cost linear in the length of the piece.

use super::vocabulary::Vocabulary;

const NOWHERE: u32 = u32::MAX;

/// The bytes that are merged at a time, so that the data fits in the processor's cache.
const WINDOW: usize = 4096;

/// Puts the tokens of `piece` into `tokens`.
///
/// Works in windows. Of each window but the last, the tokens in the first three quarters are kept, and the next window
/// begins where they end. If all neighbors may be adjacent, the result equals that of merging the whole piece at once, and
/// only the seams between windows need to be checked for that.
pub(super) fn merge(vocabulary: &Vocabulary, piece: &[u8], tokens: &mut Vec<u32>) {
    tokens.clear();
    let mut merger = Merger::default();
    let mut at = 0;
    while at < piece.len() {
        let window = piece.get(at..piece.len().min(at + WINDOW)).unwrap_or_default();
        let is_last = at + window.len() == piece.len();
        let (mut kept, mut cut_amiss) = (0, false);
        let mut seam = tokens.last().copied();
        for (start, token) in merger.merge(vocabulary, window) {
            if !is_last && start > WINDOW * 3 / 4 {
                break;
            }
            if seam.take().is_some_and(|before| !vocabulary.may_follow(before, token)) {
                cut_amiss = true;
                break;
            }
            tokens.push(token);
            kept = start;
        }
        if cut_amiss {
            tokens.clear();
            tokens.extend(merger.merge(vocabulary, piece).map(|(_, token)| token));
            return;
        }
        if is_last {
            return;
        }
        // The last token pushed begins the next window.
        tokens.pop();
        at += kept;
    }
}

#[derive(Default)]
struct Merger {
    parts: Vec<Part>,
    queue: Queue,
}

impl Merger {
    /// The tokens of `piece`, each with its start.
    fn merge(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> impl Iterator<Item = (usize, u32)> {
        let Self { parts, queue } = self;
        parts.clear();
        queue.last = 0;
        parts.extend(piece.iter().enumerate().map(|(at, &byte)| Part {
            token: vocabulary.single(byte),
            before: if at == 0 { NOWHERE } else { at as u32 - 1 },
            after: if at + 1 == piece.len() { NOWHERE } else { at as u32 + 1 },
            made: NOWHERE,
        }));
        for at in 0..piece.len() as u32 {
            offer(vocabulary, parts, queue, at);
        }
        while let Some(next) = queue.pop() {
            let (made, at) = ((next >> 32) as u32, next as u32);
            // The pair may no longer exist: its left part was merged away or has grown, or its right part has grown.
            let Some(&left) = parts.get(at as usize) else { continue };
            let Some(&right) = parts.get(left.after as usize) else { continue };
            if left.made != made {
                continue;
            }
            set(parts, left.after, |part| (part.token, part.made) = (NOWHERE, NOWHERE));
            set(parts, right.after, |part| part.before = at);
            set(parts, at, |part| (part.token, part.after) = (made, right.after));
            offer(vocabulary, parts, queue, left.before);
            offer(vocabulary, parts, queue, at);
        }
        parts.iter().enumerate().map(|(at, part)| (at, part.token)).filter(|&(_, token)| token != NOWHERE)
    }
}

#[derive(Clone, Copy)]
struct Part {
    /// [`NOWHERE`] after it was merged into the part before it.
    token: u32,
    before: u32,
    after: u32,
    /// The token that it would make with the part after it.
    made: u32,
}

/// Adds the pair that begins at `at` to the queue, if it makes a token.
fn offer(vocabulary: &Vocabulary, parts: &mut [Part], queue: &mut Queue, at: u32) {
    let Some(&left) = parts.get(at as usize) else { return };
    let made = parts.get(left.after as usize).and_then(|right| vocabulary.merge(left.token, right.token));
    set(parts, at, |part| part.made = made.unwrap_or(NOWHERE));
    if let Some(made) = made {
        queue.push(key(made, at));
    }
}

fn set(parts: &mut [Part], at: u32, change: impl FnOnce(&mut Part)) {
    if let Some(part) = parts.get_mut(at as usize) {
        change(part);
    }
}

const fn key(rank: u32, at: u32) -> u64 {
    (rank as u64) << 32 | at as u64
}

/// A radix heap by rank. Nothing may be pushed with a rank as low as the last one popped. Bucket n holds the keys whose rank
/// differs from that one in bit n as the highest bit; keys with that very rank are in `ready`, from left to right.
struct Queue {
    last: u32,
    /// The complements of the keys, so that the leftmost is at the end.
    ready: Vec<u64>,
    buckets: [Vec<u64>; 32],
    spare: Vec<u64>,
}

impl Default for Queue {
    fn default() -> Self {
        let buckets = std::array::from_fn(|_| Vec::new());
        Self { last: 0, ready: Vec::new(), buckets, spare: Vec::new() }
    }
}

impl Queue {
    #[inline]
    fn push(&mut self, key: u64) {
        let differing = (key >> 32) as u32 ^ self.last;
        if let Some(bucket) = differing.checked_ilog2().and_then(|bit| self.buckets.get_mut(bit as usize)) {
            bucket.push(key);
        }
    }

    fn pop(&mut self) -> Option<u64> {
        if self.ready.is_empty() {
            let bucket = self.buckets.iter_mut().find(|bucket| !bucket.is_empty())?;
            let mut keys = std::mem::replace(bucket, std::mem::take(&mut self.spare));
            self.last = (keys.iter().min()? >> 32) as u32;
            for &key in &keys {
                if (key >> 32) as u32 == self.last {
                    self.ready.push(!key);
                } else {
                    self.push(key);
                }
            }
            keys.clear();
            self.spare = keys;
            self.ready.sort_unstable();
        }
        self.ready.pop().map(|key| !key)
    }
}
