//! Decides whether the engine of the crate `bpe` can count by a vocabulary, and makes the asset for that engine.
//!
//! It can if every merge comes after the merges that make its parts. Then a token is made in one way only: by the first of
//! its merges whose parts stay adjacent while only earlier merges are done. Its other merges never happen. A token that no
//! merge makes this way never occurs in a result, unless the file says that a piece equal to a token is that token
//! (`ignore_merges`).
//!
//! Some vocabularies (such as Llama 3's) have a few hundred merges that come before their parts. Such a merge can only
//! happen if the text contains the bytes of its result. Pieces that contain them are called overridden, and are merged as the file
//! specifies ([`crate::ranked`]).

use std::cell::LazyCell;
use std::rc::Rc;

use bpe::{AdjacentBytes, MAX_BYTES, MAX_IDS, Pattern, PieceOverride, Writer};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

use crate::error::{Error, Result};
use crate::lazy::{Lazy, lazy};
use crate::multi_search::MultiSearch;
use crate::pairs::Pairs;
use crate::ranked::Ranked;
use crate::settings::Settings;
use crate::spelling::Spelling;
use crate::strides::in_strides;
use crate::vocab::Vocab;

/// What the engine is built from.
pub struct EngineParts {
    pub spelling: Spelling,
    pub asset: Vec<u8>,
    /// The asset's index, or empty.
    pub index: Vec<u8>,
    /// Where text may be cut, if tokens are text.
    pub adjacent: Option<(Vec<u64>, Vec<u64>)>,
    /// The place in the vocabulary of each of the engine's ids. Tokens that the engine does not make come last.
    pub places: Lazy<Vec<u32>>,
    /// The number of tokens that the engine makes.
    pub engine_tokens: u32,
    /// Whether there are overridden tokens.
    pub has_overrides: bool,
    /// The places of overridden tokens, which the engine does not make as the file specifies: results of merges that come before
    /// their parts, and tokens that are too long.
    pub overridden: Lazy<Vec<u32>>,
}

/// The name in our assets.
const NAME: &str = "tokenizer";

const NONE: u32 = u32::MAX;

impl EngineParts {
    /// Builds the engine's part for a file with this spelling; `None` if the engine would count differently from the file.
    #[inline(never)]
    pub fn new(settings: &Settings, vocab: &Vocab, merges: &[[u32; 3]], spelling: Spelling) -> Option<Self> {
        let mut tokens = EngineTokens::of_bytes(vocab, spelling)?;
        let characters = tokens.add_characters(vocab, spelling)?;
        let has_byte_tokens = matches!(spelling, Spelling::Text { .. });
        let mut reading =
            Reading { vocab, tokens, has_byte_tokens, early: Vec::new(), overridden: Vec::new() };
        in_strides(merges, &mut reading, Reading::merges)?;
        let Reading { tokens, early, mut overridden, .. } = reading;
        in_strides(&early, &mut (&tokens, &mut overridden), |(tokens, overridden), early| {
            overridden
                .extend(early.iter().filter(|merge| tokens.happens(**merge)).map(|&[.., result]| result));
            Some(())
        });
        overridden.sort_unstable();
        overridden.dedup();
        if overridden.len() > MAX_OVERRIDDEN
            || overridden.iter().map(|&place| vocab.text_of(place).len()).sum::<usize>()
                > MAX_OVERRIDDEN_BYTES
        {
            return None;
        }
        // A piece that is a token counts as one, which would be wrong if it contains the bytes of an overridden token. So the
        // engine must not know such tokens.
        let text = |place: u32| vocab.text_of(place);
        let shortest = overridden.iter().map(|&place| text(place).len()).min().unwrap_or(usize::MAX);
        let finder = LazyCell::new(|| MultiSearch::new(overridden.iter().map(|&place| text(place))));
        let contains_overridden = |place: u32| {
            !settings.ignore_merges
                && text(place).len() >= shortest
                && finder.as_ref().is_none_or(|finder| finder.is_in(text(place).as_bytes()))
        };
        let asset = tokens.asset(&contains_overridden);
        let adjacent = has_byte_tokens.then(|| (adjacent_pairs(vocab, spelling, merges), characters));
        let (places, engine_tokens) = tokens.all_places();
        let has_overrides = !overridden.is_empty();
        let (places, overridden) = (lazy(move || places), lazy(move || overridden));
        Some(Self {
            spelling,
            asset,
            index: Vec::new(),
            adjacent,
            places,
            engine_tokens,
            has_overrides,
            overridden,
        })
    }

    /// The engine, and the file's id for each of the engine's ids.
    #[inline(never)]
    pub fn engine(
        self,
        settings: &Rc<Settings>,
        vocab: &Lazy<Vocab>,
        merges: &Lazy<Vec<[u32; 3]>>,
        pattern: Option<Pattern>,
    ) -> Result<(bpe::Engine, Lazy<Vec<u32>>)> {
        let (own_vocab, places) = (vocab.clone(), self.places.clone());
        let ids = lazy(move || places.iter().map(|&place| own_vocab.id_of(place)).collect());
        let overridden = self.piece_override(settings, vocab, merges);
        let adjacent = self.adjacent.map(|(pairs, characters)| AdjacentBytes::new(pairs, characters));
        let engine = bpe::Engine::with_pattern(
            self.asset,
            self.index,
            pattern,
            adjacent.unwrap_or_default(),
            overridden,
        );
        Ok((engine.map_err(Error::Invalid)?, ids))
    }

    /// The callback for pieces that the engine would tokenize wrongly.
    fn piece_override(
        &self,
        settings: &Rc<Settings>,
        vocab: &Lazy<Vocab>,
        merges: &Lazy<Vec<[u32; 3]>>,
    ) -> Option<PieceOverride> {
        let has_bytes = matches!(self.spelling, Spelling::Text { .. });
        let has_more = self.has_overrides || settings.ignore_merges;
        if !has_bytes && !has_more {
            return None;
        }
        let (spelling, made, settings) = (self.spelling, self.engine_tokens, settings.clone());
        let (vocab, merges, places, overridden) =
            (vocab.clone(), merges.clone(), self.places.clone(), self.overridden.clone());
        let mut pieces = has_more.then(|| {
            lazy(move || OverriddenPieces::new(spelling, settings, vocab, merges, &places, made, &overridden))
        });
        Some(Box::new(move |piece, out| {
            if has_bytes && is_one_character(piece) {
                // The engine's first 256 ids are the bytes.
                out.extend(piece.iter().map(|&byte| u32::from(byte)));
                return true;
            }
            pieces.as_mut().is_some_and(|pieces| pieces.tokens(piece, out))
        }))
    }
}

/// Whether `piece`, which is not a token, is a single character beyond ASCII.
fn is_one_character(piece: &[u8]) -> bool {
    let continues = |byte: &u8| byte & 0xC0 == 0x80;
    piece.len() <= 4 && piece.first().is_some_and(|&byte| byte >= 128) && piece.iter().skip(1).all(continues)
}

/// Handles pieces that the engine would tokenize wrongly.
struct OverriddenPieces {
    /// With `ignore_merges`: tokens that no merge makes, by their bytes. A piece with these bytes is that token.
    whole: HashMap<Vec<u8>, u32, FixedState>,
    /// Finds the texts of overridden tokens. If it could not be built, all pieces count as overridden.
    finder: Option<MultiSearch>,
    shortest: usize,
    /// The engine's id for each place.
    own: Vec<u32>,
    /// Built for the first overridden piece.
    ranked: Lazy<std::cell::RefCell<Ranked>>,
    spelling: Spelling,
    vocab: Lazy<Vocab>,
    merges: Lazy<Vec<[u32; 3]>>,
}

impl OverriddenPieces {
    #[inline(never)]
    fn new(
        spelling: Spelling,
        settings: Rc<Settings>,
        vocab: Lazy<Vocab>,
        merges: Lazy<Vec<[u32; 3]>>,
        places: &[u32],
        made: u32,
        overridden: &[u32],
    ) -> Self {
        let unmade = places.get(made as usize..).filter(|_| settings.ignore_merges).unwrap_or_default();
        let unmade: HashSet<u32, FixedState> = unmade.iter().copied().collect();
        let mut whole = HashMap::with_hasher(FixedState::default());
        let mut own = vec![0; vocab.len()];
        let mut bytes = Vec::new();
        for (id, &place) in (0..).zip(places) {
            if let Some(slot) = own.get_mut(place as usize) {
                *slot = id;
            }
            if unmade.contains(&place) && spelling.bytes_of(vocab.text_of(place), &mut bytes) {
                whole.insert(std::mem::take(&mut bytes), id);
            }
        }
        let mut texts = Vec::with_capacity(overridden.len());
        for &place in overridden {
            if spelling.bytes_of(vocab.text_of(place), &mut bytes) {
                texts.push(bytes.clone());
            }
        }
        let shortest = texts.iter().map(Vec::len).min().unwrap_or(usize::MAX);
        let finder = MultiSearch::new(texts);
        let (own_vocab, own_merges) = (vocab.clone(), merges.clone());
        let ranked =
            lazy(move || std::cell::RefCell::new(Ranked::with_tables(&own_vocab, &own_merges, &settings)));
        Self { whole, finder, shortest, own, ranked, spelling, vocab, merges }
    }

    #[inline(never)]
    fn tokens(&self, piece: &[u8], out: &mut Vec<u32>) -> bool {
        if let Some(&id) = self.whole.get(piece) {
            out.push(id);
            return true;
        }
        if piece.len() < self.shortest || self.finder.as_ref().is_some_and(|finder| !finder.is_in(piece)) {
            return false;
        }
        self.ranked.borrow_mut().tokens(&self.vocab, &self.merges, &self.spelling.spelled(piece), |tokens| {
            out.extend(tokens.iter().map(|&place| self.own.get(place as usize).copied().unwrap_or_default()));
            true
        })
    }
}

/// Which bytes are adjacent in the tokens that these merges make.
fn adjacent_pairs(vocab: &Vocab, spelling: Spelling, merges: &[[u32; 3]]) -> Vec<u64> {
    let mut joining = (vec![0; AdjacentBytes::WORDS], vec![false; vocab.len()], Vec::new(), vocab, spelling);
    in_strides(merges, &mut joining, |(all, seen, bytes, vocab, spelling), merges| {
        for &[.., made] in merges {
            if !std::mem::replace(&mut seen[made as usize], true) {
                spelling.bytes_of(vocab.text_of(made), bytes);
                AdjacentBytes::add_token(all, bytes);
            }
        }
        Some(())
    });
    joining.0
}

/// With more overridden tokens than this, the engine is not used.
const MAX_OVERRIDDEN: usize = 10_000;
const MAX_OVERRIDDEN_BYTES: usize = 1 << 20;

/// The state while the merges are read.
struct Reading<'a> {
    vocab: &'a Vocab,
    tokens: EngineTokens,
    has_byte_tokens: bool,
    /// Merges that came when one of their parts was not a token yet.
    early: Vec<[u32; 3]>,
    /// The places of tokens that are too long.
    overridden: Vec<u32>,
}

impl Reading<'_> {
    /// Adds merges; `None` if the engine would count differently from them.
    fn merges(&mut self, merges: &[[u32; 3]]) -> Option<()> {
        let made = &mut self.tokens;
        for &[left, right, result] in merges {
            let (l, r) = (made.own[left as usize], made.own[right as usize]);
            if l == NONE || r == NONE {
                self.early.push([left, right, result]);
                continue;
            }
            if made.merge(l, r).is_some() {
                return None; // if a merge occurs twice, the later one counts
            }
            if self.has_byte_tokens
                && [left, right, result].iter().any(|&place| made.is_byte_token(self.vocab, place))
            {
                return None; // to the engine, these are bytes of characters
            }
            if made.own[result as usize] != NONE || !made.stay_adjacent(l, r, made.parts.len() as u32) {
                continue;
            }
            if usize::from(made.lengths[l as usize]) + usize::from(made.lengths[r as usize]) > MAX_BYTES {
                self.overridden.push(result);
                continue;
            }
            made.add(l, r, result)?;
        }
        Some(())
    }
}

/// The tokens added so far.
struct EngineTokens {
    /// The engine's id for each place.
    own: Vec<u32>,
    /// For each of the engine's ids: the place, the parts, and the length in bytes.
    places: Vec<u32>,
    parts: Vec<[u32; 2]>,
    lengths: Vec<u16>,
    merges: Pairs,
}

impl EngineTokens {
    /// Starts with one token for each byte.
    #[inline(never)]
    fn of_bytes(vocab: &Vocab, spelling: Spelling) -> Option<Self> {
        let mut made = Self {
            own: vec![NONE; vocab.len()],
            places: Vec::with_capacity(vocab.len()),
            parts: Vec::with_capacity(vocab.len()),
            lengths: Vec::with_capacity(vocab.len()),
            // A character takes up to three.
            merges: Pairs::new(vocab.len() * if spelling == Spelling::Alphabet { 1 } else { 4 }),
        };
        for byte in 0..=255_u8 {
            let place = spelling.byte(vocab, byte)?;
            *made.own.get_mut(place as usize)? = u32::from(byte);
            made.places.push(place);
            made.lengths.push(1);
            made.parts.push([u32::from(byte); 2]);
        }
        Some(made)
    }

    /// Adds the characters that are tokens, built from their bytes, before everything made from them. Parts of a character's
    /// bytes are not tokens of the file.
    #[inline(never)]
    fn add_characters(&mut self, vocab: &Vocab, spelling: Spelling) -> Option<Vec<u64>> {
        let mut characters = Vec::new();
        if spelling == Spelling::Alphabet {
            return Some(characters);
        }
        for place in 0..vocab.len() as u32 {
            let Some(c) = spelling.character(vocab.text_of(place)) else { continue };
            let mut buffer = [0; 4];
            let [first, middle @ .., last] = c.encode_utf8(&mut buffer).as_bytes() else { continue };
            let mut left = u32::from(*first);
            for &byte in middle {
                left = match self.merge(left, u32::from(byte)) {
                    Some(id) => id,
                    None => self.add(left, u32::from(byte), NONE)?,
                };
            }
            self.add(left, u32::from(*last), place)?;
            AdjacentBytes::add_character(&mut characters, c);
        }
        Some(characters)
    }

    #[inline]
    fn merge(&self, left: u32, right: u32) -> Option<u32> {
        self.merges.get(left, right, &self.parts)
    }

    /// Adds the token that these two make; `None` if there are too many.
    fn add(&mut self, left: u32, right: u32, place: u32) -> Option<u32> {
        if self.places.len() == MAX_IDS {
            return None;
        }
        let id = self.places.len() as u32;
        if let Some(own) = self.own.get_mut(place as usize) {
            *own = id;
        }
        self.merges.insert(left, right, id);
        self.parts.push([left, right]);
        self.places.push(place);
        self.lengths.push(self.lengths[left as usize] + self.lengths[right as usize]);
        Some(id)
    }

    /// The engine's asset, without the tokens that it must not know.
    fn asset(&self, without: &dyn Fn(u32) -> bool) -> Vec<u8> {
        let mut writing = (Writer::default(), without, self);
        let ids: Vec<u32> = (256..self.places.len() as u32).collect();
        in_strides(&ids, &mut writing, |(writer, without, made), ids| {
            for &id in ids {
                let [left, right] = made.parts[id as usize];
                if without(made.places[id as usize]) { writer.skip() } else { writer.add(left, right) }
            }
            Some(())
        });
        writing.0.finish(NAME)
    }

    /// The places of all tokens, and the number of tokens that the engine makes, which come first.
    #[inline(never)]
    fn all_places(self) -> (Vec<u32>, u32) {
        let Self { mut places, own, .. } = self;
        let made = places.len() as u32;
        places.extend((0..).zip(own).filter(|&(_, own)| own == NONE).map(|(place, _)| place));
        (places, made)
    }

    /// Whether a merge that came before its parts happens. It does not if its result is made before its parts, if a part is
    /// never made, or if the parts are never adjacent.
    #[inline(never)]
    fn happens(&self, [left, right, result]: [u32; 3]) -> bool {
        let (left, right) = (self.own[left as usize], self.own[right as usize]);
        let later = left.max(right);
        later != NONE && self.own[result as usize] > later && self.stay_adjacent(left, right, later + 1)
    }

    /// Whether the token at `place` represents a byte of characters that are not tokens.
    fn is_byte_token(&self, vocab: &Vocab, place: u32) -> bool {
        self.own.get(place as usize).is_some_and(|&id| id < 256) && vocab.text_of(place).starts_with("<0x")
    }

    /// Whether `left` and `right` remain adjacent after all merges to tokens below `limit` are applied to their bytes.
    ///
    /// Works like `Vocabulary::may_follow` in the crate `bpe`, which explains it.
    fn stay_adjacent(&self, left: u32, right: u32, limit: u32) -> bool {
        let (mut left, mut right, mut limit) = (left, right, limit);
        loop {
            if self.merge(left, right).is_some_and(|made| made < limit) {
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
