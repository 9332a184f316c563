//! Merging as it is defined: the pair of the lowest rank first, the leftmost one of several.
//!
//! The way from the left is faster nearly always, but a long run of one sign (`-`, `=`) with tokens of many lengths
//! leads it into dead ends at every step. Ranks only grow here (a merge makes no pair that ranks before it), so a
//! radix heap keeps the queue in time linear in the piece.

use super::vocabulary::Vocabulary;

const NOWHERE: u32 = u32::MAX;

/// Bytes that are merged at a time, so that the work stays in the cache.
const WINDOW: usize = 4096;

/// The tokens of `piece`, in `tokens`.
///
/// Window by window: of each one but the last the first three quarters of its tokens are kept, and the next one begins
/// where they end. Where every two neighbours may stand side by side, the whole is what merging it at once would give;
/// that needs a look at the seams only.
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
        // The last one pushed begins the next window.
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
    /// The tokens of `piece`, each with where it begins.
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
            // The pair may be gone: its left part merged away or grown, its right part grown.
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
    /// [`NOWHERE`] once it has gone into the part before it.
    token: u32,
    before: u32,
    after: u32,
    /// What it and the part after it would make.
    made: u32,
}

/// Puts the pair that begins at `at` into the queue, if it makes a token.
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

/// A radix heap by rank: nothing pushed has a rank as low as what was popped last. Bucket n holds the keys whose rank
/// differs from the last one in bit n first; those of the last one itself are ready, from left to right.
struct Queue {
    last: u32,
    /// Their complements, so that the leftmost comes last.
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
