//! Whether a vocabulary of bytes is one that the engine of the crate `bpe` counts by, and its asset for that engine.
//!
//! It is, where every merge comes after those that make its parts. Then a token is made in one way only: by the first of
//! its merges whose parts stay side by side as long as only earlier merges are done. The others never happen. Tokens that
//! no merge makes so are in no text, unless the file says that a piece that is a token is that token (`ignore_merges`).
//!
//! Some vocabularies (Llama 3's) have a few hundred merges that come before their parts. Such a merge can only happen where the
//! text has the bytes of what it makes; pieces that have them are merged as it is written ([`crate::ranked`]).

use std::rc::Rc;

use aho_corasick::AhoCorasick;
use bpe::{MAX_BYTES, MAX_IDS, Odd, Pattern, Writer};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

use crate::alphabet;
use crate::error::{Error, Result};
use crate::file::File;
use crate::ranked::Ranked;
use crate::vocab::Vocab;

/// What the engine is made of.
#[derive(Default)]
pub struct Proper {
    pub asset: Vec<u8>,
    /// Places in the vocabulary of the engine's ids; those that it does not make itself come last.
    pub places: Vec<u32>,
    /// Where those begin.
    pub made: u32,
    /// Places of tokens that merges make which come before their parts.
    pub odd: Vec<u32>,
}

/// The name that assets of ours bear.
pub const NAME: &str = "tokenizer";

const NONE: u32 = u32::MAX;

impl Proper {
    /// Of a file whose pieces are spelled in GPT-2's alphabet; `None` where the engine would not count as it says.
    pub fn new(file: &File) -> Option<Self> {
        let vocab = &file.vocab;
        if !file.settings.prefix.is_empty() || !file.settings.suffix.is_empty() {
            return None;
        }
        // The engine's id of each token.
        let mut own = vec![NONE; vocab.len()];
        let mut made = Made {
            parts: Vec::new(),
            merges: HashMap::with_capacity_and_hasher(vocab.len(), FixedState::default()),
        };
        let mut places = Vec::with_capacity(vocab.len());
        let mut lengths: Vec<u16> = Vec::with_capacity(vocab.len());
        let mut buffer = [0; 4];
        for byte in 0..=255_u8 {
            let place = vocab.get(alphabet::char_of(byte).encode_utf8(&mut buffer))?;
            *own.get_mut(place as usize)? = u32::from(byte);
            places.push(place);
            lengths.push(1);
            made.parts.push([u32::from(byte); 2]);
        }
        let mut writer = Writer::default();
        // Merges that came when a part of them was no token yet.
        let mut early = Vec::new();
        for &[left, right, result] in &file.merges {
            let (l, r) = (own[left as usize], own[right as usize]);
            if l == NONE || r == NONE {
                early.push([left, right, result]);
                continue;
            }
            if made.merges.contains_key(&(l, r)) {
                return None; // of a merge that is written twice the later one counts
            }
            if own[result as usize] != NONE || !made.stay_apart(l, r, made.parts.len() as u32) {
                continue;
            }
            let len = lengths[l as usize] + lengths[r as usize];
            if usize::from(len) > MAX_BYTES || places.len() == MAX_IDS {
                return None;
            }
            let id = writer.add(l, r);
            own[result as usize] = id;
            made.merges.insert((l, r), id);
            made.parts.push([l, r]);
            places.push(result);
            lengths.push(len);
        }
        // They never happen if their result is made before their parts are, or a part never, or the parts never stand side by
        // side.
        let happens = |&[left, right, result]: &[u32; 3]| {
            let (left, right) = (own[left as usize], own[right as usize]);
            let later = left.max(right);
            later != NONE && own[result as usize] > later && made.stay_apart(left, right, later + 1)
        };
        let mut odd: Vec<u32> =
            early.iter().filter(|merge| happens(merge)).map(|&[.., result]| result).collect();
        odd.sort_unstable();
        odd.dedup();
        if odd.len() > MAX_ODD {
            return None;
        }
        if !odd.is_empty() && !file.settings.ignore_merges {
            // A piece that is a token counts one, which would be wrong for one with these bytes in it.
            let finder = finder(vocab, &odd).ok()?;
            if places.iter().any(|&place| finder.is_match(vocab.text_of(place))) {
                return None;
            }
        }
        let made = places.len() as u32;
        places.extend((0..vocab.len() as u32).filter(|&place| own.get(place as usize) == Some(&NONE)));
        Some(Self { asset: writer.finish(NAME), places, made, odd })
    }

    /// The engine, and the file's id of each of its own.
    pub fn engine(
        self,
        file: &mut File,
        vocab: &Rc<Vocab>,
        pattern: Option<Pattern>,
    ) -> Result<(bpe::Engine, Vec<u32>)> {
        let ids = self.places.iter().map(|&place| vocab.id_of(place)).collect();
        let odd = self.odd(file, vocab)?;
        let pattern = pattern.unwrap_or(Pattern::Whole);
        let engine = bpe::Engine::with_pattern(self.asset, NAME, pattern, odd).map_err(Error::Invalid)?;
        Ok((engine, ids))
    }

    /// What knows the pieces that the engine would get wrong.
    fn odd(&self, file: &mut File, vocab: &Rc<Vocab>) -> Result<Option<Odd>> {
        let mut whole = HashSet::with_hasher(FixedState::default());
        if file.settings.ignore_merges {
            let unmade = self.places.get(self.made as usize..).unwrap_or_default();
            whole.extend(unmade.iter().copied());
        }
        if whole.is_empty() && self.odd.is_empty() {
            return Ok(None);
        }
        // Pieces that are such tokens, by their bytes.
        let mut by_bytes = HashMap::with_hasher(FixedState::default());
        let mut own = vec![0; vocab.len()];
        let mut bytes = Vec::new();
        for (id, &place) in (0..).zip(&self.places) {
            if let Some(slot) = own.get_mut(place as usize) {
                *slot = id;
            }
            if whole.contains(&place) && alphabet::bytes_of(vocab.text_of(place), &mut bytes) {
                by_bytes.insert(std::mem::take(&mut bytes), id);
            }
        }
        let finder = finder_of_bytes(vocab, &self.odd)?;
        // Made when the first such piece comes.
        let mut ranked = None;
        let (merges, settings) = (std::mem::take(&mut file.merges), file.settings.clone());
        let vocab = vocab.clone();
        Ok(Some(Box::new(move |piece, out| {
            if let Some(&id) = by_bytes.get(piece) {
                out.push(id);
                return true;
            }
            if !finder.as_ref().is_some_and(|finder| finder.is_match(piece)) {
                return false;
            }
            let ranked = ranked.get_or_insert_with(|| Ranked::new(&vocab, &merges, &settings));
            ranked.tokens(&vocab, &alphabet::spelled(piece), |tokens| {
                out.extend(tokens.iter().map(|&place| own.get(place as usize).copied().unwrap_or_default()));
                true
            })
        })))
    }
}

/// Of more merges that come before their parts, the engine is not what counts.
const MAX_ODD: usize = 10_000;

fn finder(vocab: &Vocab, places: &[u32]) -> Result<AhoCorasick> {
    let texts = places.iter().map(|&place| vocab.text_of(place));
    AhoCorasick::new(texts).map_err(|e| Error::unsupported(format!("a vocabulary of this kind: {e}")))
}

fn finder_of_bytes(vocab: &Vocab, places: &[u32]) -> Result<Option<AhoCorasick>> {
    if places.is_empty() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let mut texts = Vec::with_capacity(places.len());
    for &place in places {
        if alphabet::bytes_of(vocab.text_of(place), &mut bytes) {
            texts.push(bytes.clone());
        }
    }
    let finder = AhoCorasick::new(texts);
    finder.map(Some).map_err(|e| Error::unsupported(format!("a vocabulary of this kind: {e}")))
}

/// The tokens so far.
struct Made {
    parts: Vec<[u32; 2]>,
    merges: HashMap<(u32, u32), u32, FixedState>,
}

impl Made {
    /// Whether `left` and `right` stand side by side once all merges to tokens below `limit` are done to their bytes.
    ///
    /// As `Vocabulary::may_follow` of the crate `bpe`, which says why.
    fn stay_apart(&self, left: u32, right: u32, limit: u32) -> bool {
        let (mut left, mut right, mut limit) = (left, right, limit);
        loop {
            if self.merges.get(&(left, right)).is_some_and(|&made| made < limit) {
                return false;
            }
            if left > right {
                let [_, end] = self.parts[left as usize];
                if end == left {
                    return true;
                }
                (limit, left) = (left, end);
            } else {
                let [start, _] = self.parts[right as usize];
                if start == right {
                    return true;
                }
                (limit, right) = (right + 1, start);
            }
        }
    }
}
