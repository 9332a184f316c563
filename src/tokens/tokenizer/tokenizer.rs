use std::collections::HashMap;
use std::rc::Rc;

use crate::added::Finder;
use crate::decoder::Decoder;
use crate::engine_parts::EngineParts;
use crate::error::{Error, Result};
use crate::file::File;
use crate::lazy::{Lazy, lazy};
use crate::model::{Model, Tokens};
use crate::normalizer::Normalizer;
use crate::packed;
use crate::settings::Settings;
use crate::spelling::Spelling;
use crate::splits::Splits;
use crate::vocab::Vocab;

/// A tokenizer, as a `tokenizer.json` describes it. Tokens that a model's template adds around a text (`<s>`) are not
/// included.
pub struct Tokenizer {
    settings: Rc<Settings>,
    vocab: Lazy<Vocab>,
    merges: Lazy<Vec<[u32; 3]>>,
    /// Whether the engine is not built yet and texts are counted by the merges as written. `deferred_bytes` counts their bytes.
    engine_deferred: bool,
    deferred_bytes: usize,
    special_as_text: bool,
    /// Finds the added tokens that are searched for in the original text.
    raw: Option<Finder>,
    normalizer: Normalizer,
    /// Finds the added tokens that are searched for in the normalized text.
    normalized: Option<Finder>,
    splits: Splits,
    model: Model,
    /// Built when something is decoded for the first time.
    decoder: Option<Decoder>,
    /// Places in the vocabulary by id; built when something is decoded for the first time.
    places: Option<HashMap<u32, u32>>,
}

/// The parts of a tokenizer.
pub struct Parts {
    pub settings: Rc<Settings>,
    pub vocab: Lazy<Vocab>,
    /// Left, right and the result of each merge, as places in the vocabulary, in order of rank.
    pub merges: Lazy<Vec<[u32; 3]>>,
    /// The engine's part, if the engine can count for this file.
    pub engine: Option<EngineParts>,
}

/// The maximum bytes of a text that is counted without the engine, and of all such texts together.
const MAX_DEFERRED_TEXT: usize = 256;
const MAX_DEFERRED_BYTES: usize = 1024;

impl Tokenizer {
    /// Reads a `tokenizer.json` or the result of [`Self::pack`]. With `special_as_text`, special tokens in a text count as
    /// plain text.
    ///
    /// # Errors
    /// What is wrong with the file, or what it needs that is not supported.
    pub fn read(bytes: Vec<u8>, special_as_text: bool) -> Result<Self> {
        if packed::is_packed(&bytes) {
            Self::of_packed(bytes, special_as_text)
        } else {
            Self::of_json(bytes, special_as_text)
        }
    }

    // Neither is inlined: a WebAssembly engine compiles a function when it is first called.
    #[inline(never)]
    fn of_packed(bytes: Vec<u8>, special_as_text: bool) -> Result<Self> {
        let mut made = Self::of(packed::unpack(bytes)?, special_as_text)?;
        made.model.make_tables(&made.vocab, &made.merges);
        Ok(made)
    }

    #[inline(never)]
    fn of_json(bytes: Vec<u8>, special_as_text: bool) -> Result<Self> {
        let File { settings, vocab, merges } = File::read(&bytes)?;
        drop(bytes);
        Decoder::new(&settings.decoder.value())?;
        let (vocab, merges) = (lazy(move || vocab), lazy(move || merges));
        let settings = Rc::new(settings);
        let waits = Self::may_defer_engine(&settings, &vocab);
        let engine_parts = if waits { None } else { Self::engine_parts(&settings, &vocab, &merges)? };
        let mut made = Self::of(Parts { settings, vocab, merges, engine: engine_parts }, special_as_text)?;
        made.engine_deferred = waits && made.model.works_without_tables(&made.vocab, &made.merges);
        match waits {
            true if made.engine_deferred => {}
            true => made.build_engine(),
            false => made.model.make_tables(&made.vocab, &made.merges),
        }
        Ok(made)
    }

    /// Converts a `tokenizer.json` to the form that loads fast, including a note of the caller.
    ///
    /// # Errors
    /// What is wrong with the file, or what it needs that is not supported.
    #[cfg(feature = "whole")]
    pub fn pack(json: &[u8], note: &str) -> Result<Vec<u8>> {
        let mut file = File::read(json)?;
        note.clone_into(&mut file.settings.note);
        let engine_parts = Self::engine_parts(&file.settings, &file.vocab, &file.merges)?;
        let packed = packed::pack(&file, engine_parts.as_ref());
        Decoder::new(&file.settings.decoder.value())?;
        Self::of(packed::unpack(packed.clone())?, true)?; // what cannot be loaded is not packed
        Ok(packed)
    }

    /// Whether a few short texts may be counted by the merges as written before the engine is built. Not if building it
    /// decides whether the file is refused.
    fn may_defer_engine(settings: &Settings, vocab: &Vocab) -> bool {
        settings.word_piece.is_none()
            && settings.scores.is_empty()
            && settings.unk_token.as_deref().is_none_or(|token| vocab.get(token).is_some())
    }

    /// The engine's part, if the engine counts as the file specifies.
    fn engine_parts(settings: &Settings, vocab: &Vocab, merges: &[[u32; 3]]) -> Result<Option<EngineParts>> {
        let splits = Splits::new(&settings.pre_tokenizer.value())?;
        let normalizer = Normalizer::new(&settings.normalizer.value())?;
        let spelling = Spelling::of(settings, vocab, &splits, &normalizer);
        Ok(spelling.and_then(|spelling| EngineParts::new(settings, vocab, merges, spelling)))
    }

    /// Builds what all further texts are counted with.
    #[cold]
    fn build_engine(&mut self) {
        self.engine_deferred = false;
        let Self { settings, vocab, merges, .. } = self;
        if let Ok(Some(engine_parts)) = Self::engine_parts(settings, vocab, merges)
            && let (spelling, Ok(model)) =
                (engine_parts.spelling, Model::new(settings, vocab, merges, Some(engine_parts), &self.splits))
        {
            self.model = model;
            self.apply_spelling(spelling);
            self.read_special(self.special_as_text);
        } else {
            self.model.make_tables(vocab, merges);
        }
    }

    /// Changes normalizing and splitting so that text arrives as the engine reads it.
    fn apply_spelling(&mut self, spelling: Spelling) {
        if let Spelling::Text { space: Some(space) } = spelling {
            self.normalizer.leave_spaces(space);
            self.splits.steps.clear();
        }
    }

    fn of(parts: Parts, special_as_text: bool) -> Result<Self> {
        let Parts { settings, vocab, merges, engine: engine_parts } = parts;
        let splits = Splits::new(&settings.pre_tokenizer.value())?;
        let normalizer = Normalizer::new(&settings.normalizer.value())?;
        if splits.knows_beginning() && normalizer.moves_beginning() {
            return Err(Error::unsupported("a Metaspace for the first word after a Strip"));
        }
        // If bytes are spelled, no character is unknown.
        if let Some(token) = &settings.unk_token
            && engine_parts.is_none()
            && !splits.byte_level
            && vocab.get(token).is_none()
        {
            return Err(Error::invalid(format!("its `unk_token` {token:.40?} is not in its vocabulary")));
        }
        let spelling = engine_parts.as_ref().map(|engine_parts| engine_parts.spelling);
        let model = Model::new(&settings, &vocab, &merges, engine_parts, &splits)?;
        let mut made = Self {
            engine_deferred: false,
            deferred_bytes: 0,
            special_as_text,
            settings,
            vocab,
            merges,
            raw: None,
            normalizer,
            normalized: None,
            splits,
            model,
            decoder: None,
            places: None,
        };
        if let Some(spelling) = spelling {
            made.apply_spelling(spelling);
        }
        made.read_special(special_as_text);
        Ok(made)
    }

    /// Sets whether special tokens in a text count as plain text from now on.
    pub fn read_special(&mut self, as_text: bool) {
        self.special_as_text = as_text;
        self.raw = Finder::new(&self.settings, as_text, false, Into::into);
        self.normalized = Finder::new(&self.settings, as_text, true, |text| self.normalizer.apply(text));
    }

    /// The note that it was packed with.
    pub fn note(&self) -> &str {
        &self.settings.note
    }

    /// Whether `text` is an added token.
    pub fn is_added(&self, text: &str) -> bool {
        self.settings.added_tokens.iter().any(|token| self.settings.text_of(token) == text)
    }

    /// The number of tokens in `text`.
    pub fn count(&mut self, text: &str) -> u64 {
        let mut out = Tokens { count: 0, limit: u64::MAX, ids: None };
        self.run(text, &mut out);
        out.count
    }

    /// The number of tokens in `text`, if there are at most `limit`.
    pub fn count_up_to(&mut self, text: &str, limit: u64) -> Option<u64> {
        let mut out = Tokens { count: 0, limit, ids: None };
        self.run(text, &mut out);
        (out.count <= limit).then_some(out.count)
    }

    /// The tokens of `text`.
    pub fn encode(&mut self, text: &str) -> Vec<u32> {
        let mut out = Tokens { count: 0, limit: u64::MAX, ids: Some(Vec::with_capacity(text.len() / 3)) };
        self.run(text, &mut out);
        out.ids.unwrap_or_default()
    }

    /// The text of `tokens`.
    ///
    /// # Errors
    /// The first id that is not a token.
    pub fn decode(&mut self, tokens: &[u32]) -> std::result::Result<String, u32> {
        let Self { settings, vocab, places, decoder, .. } = self;
        let places = places.get_or_insert_with(|| {
            (0..vocab.len() as u32).rev().map(|place| (vocab.id_of(place), place)).collect()
        });
        let text_of = |id: u32| {
            let added = settings.added_tokens.iter().find(|token| token.id == id);
            added
                .map(|token| settings.text_of(token).to_owned())
                .or_else(|| places.get(&id).map(|&place| vocab.text_of(place).to_owned()))
        };
        let texts: std::result::Result<Vec<String>, u32> =
            tokens.iter().map(|&id| text_of(id).ok_or(id)).collect();
        // The decoder was checked when the file was read or packed.
        let decoder =
            decoder.get_or_insert_with(|| Decoder::new(&settings.decoder.value()).unwrap_or_default());
        Ok(decoder.decode(texts?))
    }

    fn run(&mut self, text: &str, out: &mut Tokens) {
        self.deferred_bytes = self.deferred_bytes.saturating_add(text.len());
        if self.engine_deferred
            && (text.len() > MAX_DEFERRED_TEXT || self.deferred_bytes > MAX_DEFERRED_BYTES)
        {
            self.build_engine();
        }
        let Self { vocab, merges, raw, normalizer, normalized, splits, model, .. } = self;
        let mut between = |start: usize, end: usize, out: &mut Tokens| {
            let stretch = normalizer.apply(text.get(start..end).unwrap_or_default());
            let mut piece = |from: usize, to: usize, out: &mut Tokens| {
                let piece = stretch.get(from..to).unwrap_or_default();
                model.tokenize(vocab, merges, splits, piece, start == 0 && from == 0, out)
            };
            match normalized {
                None => piece(0, stretch.len(), out),
                Some(finder) => finder.split(&stretch, |(token, from, to)| match token {
                    Some(id) => out.one(id),
                    None => piece(from, to, out),
                }),
            }
        };
        match raw {
            None => {
                between(0, text.len(), out);
            }
            Some(finder) => {
                finder.split(text, |(token, start, end)| match token {
                    Some(id) => out.one(id),
                    None => between(start, end, out),
                });
            }
        }
    }
}
