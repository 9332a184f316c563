//! `Unigram`: finds the way to cut a text into tokens that has the highest sum of scores.
//!
//! If no token crosses a position, the best way goes through it, so the tokens up to there can be returned. The sum is still
//! carried on from there, because rounding decides between ways that are equally good.

use crate::error::{Error, Result};
use crate::settings::Settings;
use crate::trie::Trie;
use crate::vocab::Vocab;

/// A model with a score for each token.
pub struct Unigram {
    scores: Vec<f64>,
    trie: Trie,
    unknown: u32,
    unknown_score: f64,
    /// The tokens `<0x00>` to `<0xFF>`, if unknown characters are represented by bytes.
    bytes: Option<Vec<u32>>,
    best: Vec<Best>,
    path: Vec<(usize, u32)>,
    found: Vec<u32>,
}

/// The best way to a position in the text.
#[derive(Clone, Copy)]
struct Best {
    score: f64,
    /// The last token of the way.
    token: u32,
    /// The length of that token; 0 if no way leads here yet.
    len: u16,
}

const NOWHERE: Best = Best { score: 0.0, token: 0, len: 0 };
/// How much lower the score of an unknown character is than that of the worst token.
const PENALTY: f64 = 10.0;
/// The maximum length of a token in bytes, which bounds the time per byte of text.
const MAX_TOKEN: usize = 512;
/// The maximum bytes of all tokens together; real vocabularies have up to 3 MB.
const MAX_BYTES: usize = 16 << 20;
/// Working memory above this size is freed after a text.
const MAX_KEPT: usize = 1 << 16;

impl Unigram {
    #[inline(never)]
    pub fn new(vocab: &Vocab, settings: &Settings) -> Result<Self> {
        if vocab.bytes() > MAX_BYTES {
            return Err(Error::unsupported(format!(
                "a Unigram vocabulary of more than {} MB",
                MAX_BYTES >> 20
            )));
        }
        if let Some(long) = (0..vocab.len() as u32).map(|place| vocab.text_of(place).len()).max()
            && long > MAX_TOKEN
        {
            return Err(Error::unsupported(format!("a Unigram token of {long} bytes")));
        }
        let unknown = settings.unk_token.as_deref().and_then(|token| vocab.get(token));
        let unknown = unknown.ok_or_else(|| Error::unsupported("a Unigram model without `unk_id`"))?;
        let scores = settings.scores.clone();
        if scores.len() != vocab.len() {
            return Err(Error::invalid("not every token has a score"));
        }
        let worst =
            scores.iter().fold(f64::INFINITY, |worst, &score| if score < worst { score } else { worst });
        let bytes = settings.byte_fallback.then(|| {
            let tokens = (0..=255_u8).map(|byte| vocab.get(&format!("<0x{byte:02X}>")));
            tokens.map(|token| token.unwrap_or(u32::MAX)).collect()
        });
        let (best, path, found) = (Vec::new(), Vec::new(), Vec::new());
        let trie = Trie::new(vocab);
        Ok(Self { scores, trie, unknown, unknown_score: worst - PENALTY, bytes, best, path, found })
    }

    /// Calls `each` with the places of the tokens of `piece`, part by part, until it returns `false`.
    pub fn tokens(&mut self, vocab: &Vocab, piece: &str, mut each: impl FnMut(&[u32]) -> bool) -> bool {
        // Where the current part begins, and how far its tokens reach.
        let (mut base, mut reach) = (0, 0);
        // Where the unknown characters before `base` begin.
        let mut unknown = None;
        self.best.clear();
        self.best.push(NOWHERE);
        for (at, c) in piece.char_indices() {
            if at == reach && at > base {
                if !self.give(vocab, piece, base, at, &mut unknown, &mut each) {
                    return false;
                }
                base = at;
            }
            reach = reach.max(self.weigh(piece, base, at, c.len_utf8()));
        }
        let enough = !self.give(vocab, piece, base, piece.len(), &mut unknown, &mut each);
        if let Some(from) = unknown
            && !enough
        {
            self.found.clear();
            self.spell(vocab, piece.get(from..).unwrap_or_default());
            return each(&self.found);
        }
        if self.best.capacity() > MAX_KEPT {
            (self.best, self.path, self.found) = (Vec::new(), Vec::new(), Vec::new());
        }
        !enough
    }

    /// Extends the best way to `at` by each token that begins there. Returns the end of the longest.
    fn weigh(&mut self, piece: &str, base: usize, at: usize, char_len: usize) -> usize {
        let Self { best, trie, scores, .. } = self;
        let here = best.get(at - base).map_or(0.0, |best| best.score);
        let mut reach = at;
        let mut offer = |len: usize, token: u32, score: f64| {
            let end = at - base + len;
            if best.len() <= end {
                best.resize(end + 1, NOWHERE);
            }
            let score = score + here;
            if let Some(best) = best.get_mut(end)
                && (best.len == 0 || score > best.score)
            {
                *best = Best { score, token, len: len as u16 };
            }
            reach = reach.max(at + len);
        };
        let mut is_known = false;
        trie.beginnings(piece.as_bytes().get(at..).unwrap_or_default(), |len, token| {
            is_known |= len == char_len;
            offer(len, token, scores.get(token as usize).copied().unwrap_or_default());
        });
        if !is_known {
            offer(char_len, self.unknown, self.unknown_score);
        }
        reach
    }

    /// Calls `each` with the tokens of the best way from `base` to `end`, except for unknown characters at its end.
    fn give(
        &mut self,
        vocab: &Vocab,
        piece: &str,
        base: usize,
        end: usize,
        unknown: &mut Option<usize>,
        each: &mut impl FnMut(&[u32]) -> bool,
    ) -> bool {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let mut at = end;
        while let Some(best) = self.best.get(at.wrapping_sub(base)).filter(|best| best.len > 0) {
            at -= usize::from(best.len);
            path.push((at, best.token));
        }
        self.found.clear();
        for &(start, token) in path.iter().rev() {
            if token == self.unknown {
                unknown.get_or_insert(start);
                continue;
            }
            if let Some(from) = unknown.take() {
                self.spell(vocab, piece.get(from..start).unwrap_or_default());
            }
            self.found.push(token);
        }
        self.path = path;
        let score = self.best.get(end - base).map_or(0.0, |best| best.score);
        self.best.clear();
        self.best.push(Best { score, ..NOWHERE });
        each(&self.found)
    }

    /// The tokens of a run of unknown characters. The run as a whole may be a token.
    fn spell(&mut self, vocab: &Vocab, text: &str) {
        if let Some(token) = vocab.get(text) {
            return self.found.push(token);
        }
        let from = self.found.len();
        if let Some(bytes) = &self.bytes {
            let spelled = text.bytes().map(|byte| bytes.get(usize::from(byte)).copied().unwrap_or(u32::MAX));
            self.found.extend(spelled);
            if self.found.iter().skip(from).all(|&token| token != u32::MAX) {
                return;
            }
            self.found.truncate(from);
        }
        self.found.push(self.unknown);
    }
}
