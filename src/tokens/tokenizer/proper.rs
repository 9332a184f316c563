//! Whether a vocabulary of bytes is one that the engine of the crate `bpe` counts by, and its asset for that engine.
//!
//! It is, where every merge comes after those that make its parts. Then a token is made in one way only: by the first of
//! its merges whose parts stay side by side as long as only earlier merges are done. The others never happen. Tokens that
//! no merge makes so are in no text, unless the file says that a piece that is a token is that token (`ignore_merges`).
//!
//! Some vocabularies (Llama 3's) have a few hundred merges that come before their parts. Such a merge can only happen where the
//! text has the bytes of what it makes; pieces that have them are merged as it is written ([`crate::ranked`]).

use std::cell::LazyCell;
use std::rc::Rc;

use bpe::{Joints, MAX_BYTES, MAX_IDS, Odd, Pattern, Writer};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

use crate::error::{Error, Result};
use crate::late::{Late, late};
use crate::pairs::Pairs;
use crate::ranked::Ranked;
use crate::settings::Settings;
use crate::sought::Sought;
use crate::spelling::Spelling;
use crate::strides::in_strides;
use crate::vocab::Vocab;

/// What the engine is made of.
pub struct Proper {
    pub spelling: Spelling,
    pub asset: Vec<u8>,
    /// Its index, or nothing.
    pub index: Vec<u8>,
    /// Where text may be cut, where tokens are text.
    pub joints: Option<(Vec<u64>, Vec<u64>)>,
    /// Places in the vocabulary of the engine's ids; those that it does not make itself come last.
    pub places: Late<Vec<u32>>,
    /// Where those begin.
    pub made: u32,
    /// Whether there are odd tokens.
    pub is_odd: bool,
    /// Places of tokens that the engine does not make as the file says: of merges that come before their parts, and too long.
    pub odd: Late<Vec<u32>>,
}

/// The name that assets of ours bear.
const NAME: &str = "tokenizer";

const NONE: u32 = u32::MAX;

impl Proper {
    /// Of a file whose tokens are spelled so; `None` where the engine would not count as it says.
    #[inline(never)]
    pub fn new(settings: &Settings, vocab: &Vocab, merges: &[[u32; 3]], spelling: Spelling) -> Option<Self> {
        let mut made = Made::of_bytes(vocab, spelling)?;
        let characters = made.add_characters(vocab, spelling)?;
        let has_byte_tokens = matches!(spelling, Spelling::Text { .. });
        let mut reading = Reading { vocab, made, has_byte_tokens, early: Vec::new(), odd: Vec::new() };
        in_strides(merges, &mut reading, Reading::merges)?;
        let Reading { made, early, mut odd, .. } = reading;
        in_strides(&early, &mut (&made, &mut odd), |(made, odd), early| {
            odd.extend(early.iter().filter(|merge| made.happens(**merge)).map(|&[.., result]| result));
            Some(())
        });
        odd.sort_unstable();
        odd.dedup();
        if odd.len() > MAX_ODD
            || odd.iter().map(|&place| vocab.text_of(place).len()).sum::<usize>() > MAX_ODD_BYTES
        {
            return None;
        }
        // A piece that is a token counts one, which would be wrong for one with these bytes in it: so that is no token of the
        // engine's.
        let text = |place: u32| vocab.text_of(place);
        let shortest = odd.iter().map(|&place| text(place).len()).min().unwrap_or(usize::MAX);
        let finder = LazyCell::new(|| Sought::new(odd.iter().map(|&place| text(place))));
        let contains_odd = |place: u32| {
            !settings.ignore_merges
                && text(place).len() >= shortest
                && finder.as_ref().is_none_or(|finder| finder.is_in(text(place).as_bytes()))
        };
        let asset = made.asset(&contains_odd);
        let joints = has_byte_tokens.then(|| (pairs(vocab, spelling, merges), characters));
        let (places, made) = made.all_places();
        let is_odd = !odd.is_empty();
        let (places, odd) = (late(move || places), late(move || odd));
        Some(Self { spelling, asset, index: Vec::new(), joints, places, made, is_odd, odd })
    }

    /// The engine, and the file's id of each of its own.
    #[inline(never)]
    pub fn engine(
        self,
        settings: &Rc<Settings>,
        vocab: &Late<Vocab>,
        merges: &Late<Vec<[u32; 3]>>,
        pattern: Option<Pattern>,
    ) -> Result<(bpe::Engine, Late<Vec<u32>>)> {
        let (own_vocab, places) = (vocab.clone(), self.places.clone());
        let ids = late(move || places.iter().map(|&place| own_vocab.id_of(place)).collect());
        let odd = self.odd(settings, vocab, merges);
        let joints = self.joints.map(|(pairs, characters)| Joints::new(pairs, characters));
        let engine =
            bpe::Engine::with_pattern(self.asset, self.index, pattern, joints.unwrap_or_default(), odd);
        Ok((engine.map_err(Error::Invalid)?, ids))
    }

    /// What knows the pieces that the engine would get wrong.
    fn odd(&self, settings: &Rc<Settings>, vocab: &Late<Vocab>, merges: &Late<Vec<[u32; 3]>>) -> Option<Odd> {
        let has_bytes = matches!(self.spelling, Spelling::Text { .. });
        let has_more = self.is_odd || settings.ignore_merges;
        if !has_bytes && !has_more {
            return None;
        }
        let (spelling, made, settings) = (self.spelling, self.made, settings.clone());
        let (vocab, merges, places, odd) =
            (vocab.clone(), merges.clone(), self.places.clone(), self.odd.clone());
        let mut pieces = has_more
            .then(|| late(move || OddPieces::new(spelling, settings, vocab, merges, &places, made, &odd)));
        Some(Box::new(move |piece, out| {
            if has_bytes && is_one_character(piece) {
                // The engine's first ids are the bytes.
                out.extend(piece.iter().map(|&byte| u32::from(byte)));
                return true;
            }
            pieces.as_mut().is_some_and(|pieces| pieces.tokens(piece, out))
        }))
    }
}

/// Whether `piece`, which is no token, is one character beyond ASCII.
fn is_one_character(piece: &[u8]) -> bool {
    let continues = |byte: &u8| byte & 0xC0 == 0x80;
    piece.len() <= 4 && piece.first().is_some_and(|&byte| byte >= 128) && piece.iter().skip(1).all(continues)
}

/// Pieces that the engine would get wrong.
struct OddPieces {
    /// Those that are tokens which no merge makes, by their bytes, where such a piece is that token.
    whole: HashMap<Vec<u8>, u32, FixedState>,
    /// What odd tokens are of; where none can be sought, all pieces are odd.
    finder: Option<Sought>,
    shortest: usize,
    /// The engine's ids of places.
    own: Vec<u32>,
    /// Made when the first such piece comes.
    ranked: Late<std::cell::RefCell<Ranked>>,
    spelling: Spelling,
    vocab: Late<Vocab>,
    merges: Late<Vec<[u32; 3]>>,
}

impl OddPieces {
    #[inline(never)]
    fn new(
        spelling: Spelling,
        settings: Rc<Settings>,
        vocab: Late<Vocab>,
        merges: Late<Vec<[u32; 3]>>,
        places: &[u32],
        made: u32,
        odd: &[u32],
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
        let mut texts = Vec::with_capacity(odd.len());
        for &place in odd {
            if spelling.bytes_of(vocab.text_of(place), &mut bytes) {
                texts.push(bytes.clone());
            }
        }
        let shortest = texts.iter().map(Vec::len).min().unwrap_or(usize::MAX);
        let finder = Sought::new(texts);
        let (own_vocab, own_merges) = (vocab.clone(), merges.clone());
        let ranked =
            late(move || std::cell::RefCell::new(Ranked::with_tables(&own_vocab, &own_merges, &settings)));
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

/// Which bytes stand side by side in the tokens that these merges make.
fn pairs(vocab: &Vocab, spelling: Spelling, merges: &[[u32; 3]]) -> Vec<u64> {
    let mut joining = (vec![0; Joints::WORDS], vec![false; vocab.len()], Vec::new(), vocab, spelling);
    in_strides(merges, &mut joining, |(all, seen, bytes, vocab, spelling), merges| {
        for &[.., made] in merges {
            if !std::mem::replace(&mut seen[made as usize], true) {
                spelling.bytes_of(vocab.text_of(made), bytes);
                Joints::join(all, bytes);
            }
        }
        Some(())
    });
    joining.0
}

/// Of more merges that come before their parts, the engine is not what counts.
const MAX_ODD: usize = 10_000;
const MAX_ODD_BYTES: usize = 1 << 20;

/// The merges that were read.
struct Reading<'a> {
    vocab: &'a Vocab,
    made: Made,
    has_byte_tokens: bool,
    /// Those that came when a part of them was no token yet.
    early: Vec<[u32; 3]>,
    /// Places of what is too long.
    odd: Vec<u32>,
}

impl Reading<'_> {
    /// `None` where the engine would not count as they say.
    fn merges(&mut self, merges: &[[u32; 3]]) -> Option<()> {
        let made = &mut self.made;
        for &[left, right, result] in merges {
            let (l, r) = (made.own[left as usize], made.own[right as usize]);
            if l == NONE || r == NONE {
                self.early.push([left, right, result]);
                continue;
            }
            if made.merge(l, r).is_some() {
                return None; // of a merge that is written twice the later one counts
            }
            if self.has_byte_tokens
                && [left, right, result].iter().any(|&place| made.is_byte_token(self.vocab, place))
            {
                return None; // to the engine these are bytes of characters
            }
            if made.own[result as usize] != NONE || !made.stay_apart(l, r, made.parts.len() as u32) {
                continue;
            }
            if usize::from(made.lengths[l as usize]) + usize::from(made.lengths[r as usize]) > MAX_BYTES {
                self.odd.push(result);
                continue;
            }
            made.add(l, r, result)?;
        }
        Some(())
    }
}

/// The tokens so far.
struct Made {
    /// The engine's id of each place.
    own: Vec<u32>,
    /// By the engine's id: the place, the parts, and how many bytes it has.
    places: Vec<u32>,
    parts: Vec<[u32; 2]>,
    lengths: Vec<u16>,
    merges: Pairs,
}

impl Made {
    /// A token a byte.
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

    /// Characters that are tokens, made of their bytes before all that they make: what a text has of a character's bytes alone is
    /// no token of the file.
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
            Joints::add(&mut characters, c);
        }
        Some(characters)
    }

    #[inline]
    fn merge(&self, left: u32, right: u32) -> Option<u32> {
        self.merges.get(left, right, &self.parts)
    }

    /// A token that these two make; `None` if there are too many.
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

    /// The places of all tokens, and how many of them are made: these come first.
    #[inline(never)]
    fn all_places(self) -> (Vec<u32>, u32) {
        let Self { mut places, own, .. } = self;
        let made = places.len() as u32;
        places.extend((0..).zip(own).filter(|&(_, own)| own == NONE).map(|(place, _)| place));
        (places, made)
    }

    /// Whether a merge happens that came before its parts: not if its result is made before them, or a part never, or the parts
    /// never stand side by side.
    #[inline(never)]
    fn happens(&self, [left, right, result]: [u32; 3]) -> bool {
        let (left, right) = (self.own[left as usize], self.own[right as usize]);
        let later = left.max(right);
        later != NONE && self.own[result as usize] > later && self.stay_apart(left, right, later + 1)
    }

    /// Whether the token at `place` stands for a byte of characters that are no tokens.
    fn is_byte_token(&self, vocab: &Vocab, place: u32) -> bool {
        self.own.get(place as usize).is_some_and(|&id| id < 256) && vocab.text_of(place).starts_with("<0x")
    }

    /// Whether `left` and `right` stand side by side once all merges to tokens below `limit` are done to their bytes.
    ///
    /// As `Vocabulary::may_follow` of the crate `bpe`, which says why.
    fn stay_apart(&self, left: u32, right: u32, limit: u32) -> bool {
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
