//! The form of a `tokenizer.json` that loads fast: only the tables remain to be built. Little-endian.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..4 | `CFTJ` |
//! | 4..8 | version, 5 |
//! | 8..16 | checksum of everything that follows |
//! | then | the settings: texts, flags and numbers, as [`put_settings`] writes them; the number of added tokens, and for each its flags, id and text; a Unigram model's scores, or none |
//! | then | 1 and the engine's part: its asset, the asset's index, the number of tokens it makes, whether the engine makes any token wrongly (these are overridden), how tokens spell bytes, and which bytes are adjacent; or 0 without an engine's part |
//! | then | parts that are read when needed: the vocabulary (the number of tokens, the length and id of each, the texts), the places of the engine's tokens and of the overridden ones, the merges |
//!
//! Numbers are varints. Everything of variable length is preceded by its length.

use std::ops::Range;
use std::rc::Rc;

use crate::engine_parts::EngineParts;
use crate::error::{Error, Result};
#[cfg(feature = "whole")]
use crate::file::File;
use crate::lazy::lazy;
use crate::settings::{Json, MAX_CHARS, Settings};
use crate::spelling::Spelling;
use crate::strides::in_strides;
use crate::tokenizer::Parts;
use crate::vocab::Vocab;

const MAGIC: &[u8] = b"CFTJ";
const VERSION: u32 = 5;
const HEADER: usize = 16;

/// Whether these are the bytes of a packed tokenizer.
pub fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Packs a file, with the engine's part if there is one.
#[cfg(feature = "whole")]
pub fn pack(file: &File, engine_parts: Option<&EngineParts>) -> Vec<u8> {
    let mut out = Vec::with_capacity(file.vocab.bytes() * 2);
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend([0; 8]);
    put_settings(&mut out, &file.settings);
    let added = &file.settings.added_tokens;
    put(&mut out, added.len() as u32);
    for token in added {
        out.push(token.flags());
        put(&mut out, token.id);
        put_bytes(&mut out, file.settings.text_of(token).as_bytes());
    }
    put(&mut out, file.settings.scores.len() as u32);
    file.settings.scores.iter().for_each(|score| out.extend(score.to_bits().to_le_bytes()));
    match engine_parts {
        Some(engine_parts) => put_engine_parts(&mut out, engine_parts),
        None => out.push(0),
    }
    put_blob(&mut out, |out| put_vocab(out, &file.vocab));
    put_blob(&mut out, |out| {
        if let Some(engine_parts) = &engine_parts {
            put_places(out, &engine_parts.places);
        }
    });
    put_blob(&mut out, |out| {
        if let Some(engine_parts) = &engine_parts {
            put_places(out, &engine_parts.overridden);
        }
    });
    put_blob(&mut out, |out| {
        // The engine needs the merges only for overridden pieces.
        let merges = if engine_parts.is_none_or(|engine_parts| engine_parts.has_overrides) {
            file.merges.as_slice()
        } else {
            &[]
        };
        put(out, merges.len() as u32);
        merges.iter().flatten().for_each(|&place| put(out, place));
    });
    let sum = checksum(out.get(HEADER..).unwrap_or_default());
    if let Some(place) = out.get_mut(8..HEADER) {
        place.copy_from_slice(&sum.to_le_bytes());
    }
    out
}

fn put_settings(out: &mut Vec<u8>, settings: &Settings) {
    let Settings { normalizer, pre_tokenizer, decoder, unk_token, prefix, suffix, note, .. } = settings;
    for text in [&normalizer.0, &pre_tokenizer.0, &decoder.0, prefix, suffix, note] {
        put_bytes(out, text.as_bytes());
    }
    out.extend([settings.fuse_unk, settings.byte_fallback, settings.ignore_merges].map(u8::from));
    put(out, settings.word_piece.map_or(0, |most| most as u32 + 1));
    out.push(u8::from(unk_token.is_some()));
    put_bytes(out, unk_token.as_deref().unwrap_or_default().as_bytes());
}

fn put_engine_parts(out: &mut Vec<u8>, engine_parts: &EngineParts) {
    out.push(1);
    put_bytes(out, &engine_parts.asset);
    put_bytes(out, &bpe::index(&engine_parts.asset).unwrap_or_default());
    put(out, engine_parts.engine_tokens);
    out.push(u8::from(engine_parts.has_overrides));
    let Spelling::Text { space } = engine_parts.spelling else { return out.push(0) };
    out.push(1);
    put(out, space.map_or(0, u32::from));
    let (pairs, characters) =
        engine_parts.adjacent.as_ref().map(|(a, b)| (&a[..], &b[..])).unwrap_or_default();
    for words in [pairs, characters] {
        put_blob(out, |out| words.iter().for_each(|word| out.extend(word.to_le_bytes())));
    }
}

fn put_vocab(out: &mut Vec<u8>, vocab: &Vocab) {
    put(out, vocab.len() as u32);
    let mut before = 0_u32;
    for place in 0..vocab.len() as u32 {
        put(out, vocab.text_of(place).len() as u32);
        let id = vocab.id_of(place);
        put(out, zigzag(id.wrapping_sub(before)));
        before = id;
    }
    put_bytes(out, vocab.text().as_bytes());
}

/// Reads the result of [`pack`].
#[inline(never)]
pub fn unpack(bytes: Vec<u8>) -> Result<Parts> {
    let damaged = || Error::invalid("the packed tokenizer is damaged or cut off");
    let header = bytes.first_chunk::<HEADER>().ok_or_else(damaged)?;
    let payload = bytes.get(HEADER..).unwrap_or_default();
    let [_, _, _, _, a, b, c, d, sum @ ..] = *header;
    let version = u32::from_le_bytes([a, b, c, d]);
    if version != VERSION {
        return Err(Error::invalid(format!(
            "the packed tokenizer has version {version}, but this build reads version {VERSION}: pack it again"
        )));
    }
    if u64::from_le_bytes(sum) != checksum(payload) {
        return Err(damaged());
    }
    read(bytes).ok_or_else(damaged)
}

fn read(bytes: Vec<u8>) -> Option<Parts> {
    let all = Rc::new(bytes);
    let mut from = Reader(all.get(HEADER..)?);
    let mut settings = from.settings()?;
    from.added(&mut settings)?;
    for _ in 0..from.count()? {
        settings.scores.push(f64::from_bits(u64::from_le_bytes(from.eight()?)));
    }
    let engine = if from.byte()? == 1 { Some(from.engine()?) } else { None };
    // The rest is read when it is needed.
    let mut blob = || {
        let len = from.bytes()?.len();
        let end = all.len() - from.0.len();
        Some((all.clone(), end - len..end))
    };
    let (vocab, places, overridden, merges) = (blob()?, blob()?, blob()?, blob()?);
    from.0.is_empty().then_some(())?;
    let vocab = lazy(move || reader(&vocab).vocab().unwrap_or_default());
    let merges = lazy(move || reader(&merges).merges().unwrap_or_default());
    let engine_parts = engine.map(|(asset, index, made, has_overrides, spelling, adjacent)| EngineParts {
        spelling,
        asset,
        index,
        adjacent,
        places: lazy(move || reader(&places).places().unwrap_or_default()),
        engine_tokens: made,
        has_overrides,
        overridden: lazy(move || reader(&overridden).places().unwrap_or_default()),
    });
    if engine_parts.is_none() {
        let known = |&place: &u32| (place as usize) < vocab.len();
        merges.iter().flatten().all(known).then_some(())?;
    }
    Some(Parts { settings: Rc::new(settings), vocab, merges, engine: engine_parts })
}

fn reader((all, range): &(Rc<Vec<u8>>, Range<usize>)) -> Reader<'_> {
    Reader(all.get(range.clone()).unwrap_or_default())
}

type EnginesPart = (Vec<u8>, Vec<u8>, u32, bool, Spelling, Option<(Vec<u64>, Vec<u64>)>);

impl Reader<'_> {
    fn settings(&mut self) -> Option<Settings> {
        let mut text = || self.text().map(str::to_owned);
        let (normalizer, pre_tokenizer, decoder) = (Json(text()?), Json(text()?), Json(text()?));
        let (prefix, suffix, note) = (text()?, text()?, text()?);
        let mut flag = || Some(self.byte()? != 0);
        let (fuse_unk, byte_fallback, ignore_merges) = (flag()?, flag()?, flag()?);
        let word_piece = self.number()?.checked_sub(1).map(|most| (most as usize).min(MAX_CHARS));
        let has_unk = self.byte()? != 0;
        let unk_token = Some(self.text()?.to_owned()).filter(|_| has_unk);
        Some(Settings {
            normalizer,
            pre_tokenizer,
            decoder,
            unk_token,
            prefix,
            suffix,
            fuse_unk,
            byte_fallback,
            ignore_merges,
            word_piece,
            note,
            ..Settings::default()
        })
    }

    // Not inlined: it is small, so that the engine soon optimizes it.
    #[inline(never)]
    fn added(&mut self, settings: &mut Settings) -> Option<()> {
        for _ in 0..self.count()? {
            let (flags, id) = (self.byte()?, self.number()?);
            settings.add(id, flags, self.text()?);
        }
        Some(())
    }

    fn engine(&mut self) -> Option<EnginesPart> {
        let (asset, index) = (self.bytes()?.to_vec(), self.bytes()?.to_vec());
        let (made, has_overrides) = (self.number()?, self.byte()? != 0);
        if self.byte()? == 0 {
            return Some((asset, index, made, has_overrides, Spelling::Alphabet, None));
        }
        let space = char::from_u32(self.number()?).filter(|&space| space != '\0');
        let mut words = || {
            let (words, _) = self.bytes()?.as_chunks::<8>();
            Some(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
        };
        let adjacent = Some((words()?, words()?));
        Some((asset, index, made, has_overrides, Spelling::Text { space }, adjacent))
    }

    fn vocab(&mut self) -> Option<Vocab> {
        let tokens = self.count()?;
        let mut sizes = Vec::with_capacity(tokens);
        let mut id = 0_u32;
        for _ in 0..tokens {
            let len = self.number()? as usize;
            id = id.wrapping_add(unzigzag(self.number()?));
            sizes.push((len, id));
        }
        Vocab::of(self.text()?, &sizes)
    }

    fn merges(&mut self) -> Option<Vec<[u32; 3]>> {
        let count = self.count()?;
        (0..count).map(|_| Some([self.number()?, self.number()?, self.number()?])).collect()
    }

    fn text(&mut self) -> Option<&str> {
        std::str::from_utf8(self.bytes()?).ok()
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    fn eight(&mut self) -> Option<[u8; 8]> {
        let (&bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(bytes)
    }

    fn number(&mut self) -> Option<u32> {
        let mut value = 0;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            value |= u32::from(byte & 127) << shift;
            if byte < 128 {
                return Some(value);
            }
        }
        None
    }

    /// A number of items that follow; each takes at least one byte.
    fn count(&mut self) -> Option<usize> {
        let count = self.number()? as usize;
        (count <= self.0.len()).then_some(count)
    }

    fn places(&mut self) -> Option<Vec<u32>> {
        let count = self.count()?;
        let mut places = Vec::with_capacity(count);
        let mut place = 0_u32;
        for _ in 0..count {
            place = place.wrapping_add(unzigzag(self.number()?));
            places.push(place);
        }
        Some(places)
    }

    // Not inlined: it has many callers, and inlined code would be compiled once for each.
    #[inline(never)]
    fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.number()? as usize;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }
}

fn put(out: &mut Vec<u8>, mut value: u32) {
    while value > 127 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

/// Writes what `write` writes, preceded by its length.
fn put_blob(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let mut blob = Vec::new();
    write(&mut blob);
    put_bytes(out, &blob);
}

fn put_places(out: &mut Vec<u8>, places: &[u32]) {
    put(out, places.len() as u32);
    let mut before = 0_u32;
    for &place in places {
        put(out, zigzag(place.wrapping_sub(before)));
        before = place;
    }
}

const fn zigzag(difference: u32) -> u32 {
    (difference << 1) ^ (0_u32.wrapping_sub(difference >> 31))
}

const fn unzigzag(value: u32) -> u32 {
    (value >> 1) ^ (0_u32.wrapping_sub(value & 1))
}

/// A change of any one word changes the sum, because each step is a bijection of both the sum so far and the word.
fn checksum(bytes: &[u8]) -> u64 {
    let mut sums = [0xCF01_7AB5_93D2_E84F_u64 ^ bytes.len() as u64, 1, 2, 3];
    let (rounds, rest) = bytes.as_chunks::<32>();
    in_strides(rounds, &mut sums, |sums, rounds| {
        let [mut first, mut second, mut third, mut fourth] = *sums;
        for round in rounds {
            let (words, _) = round.as_chunks::<8>();
            let &[a, b, c, d] = words.first_chunk::<4>()?;
            first = mixed(first, u64::from_le_bytes(a));
            second = mixed(second, u64::from_le_bytes(b));
            third = mixed(third, u64::from_le_bytes(c));
            fourth = mixed(fourth, u64::from_le_bytes(d));
        }
        *sums = [first, second, third, fourth];
        Some(())
    });
    let [first, others @ ..] = sums;
    let sum = others.into_iter().fold(first, mixed);
    rest.iter().fold(sum, |sum, &byte| mixed(sum, u64::from(byte)))
}

const fn mixed(sum: u64, word: u64) -> u64 {
    (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}
