use std::collections::HashMap;
use std::rc::Rc;

use crate::added::Finder;
use crate::decoder::Decoder;
use crate::error::{Error, Result};
use crate::file::File;
use crate::late::{Late, late};
use crate::model::{Model, Tokens};
use crate::normalizer::Normalizer;
use crate::packed;
use crate::proper::Proper;
use crate::settings::Settings;
use crate::spelling::Spelling;
use crate::splits::Splits;
use crate::vocab::Vocab;

/// A tokenizer, as a `tokenizer.json` describes it. What a model's template puts around a text (`<s>`) is no part of it.
pub struct Tokenizer {
    settings: Rc<Settings>,
    vocab: Late<Vocab>,
    /// Added tokens that are sought in the text as it came.
    raw: Option<Finder>,
    normalizer: Normalizer,
    /// Added tokens that are sought in the normalized text.
    normalized: Option<Finder>,
    splits: Splits,
    model: Model,
    decoder: Decoder,
    /// Places in the vocabulary by id, once something was decoded.
    places: Option<HashMap<u32, u32>>,
}

/// What a tokenizer is made of.
pub struct Parts {
    pub settings: Rc<Settings>,
    pub vocab: Late<Vocab>,
    /// Left, right and what they make, by their places in the vocabulary, in the order of their ranks.
    pub merges: Late<Vec<[u32; 3]>>,
    /// Where the engine counts.
    pub proper: Option<Proper>,
}

impl Tokenizer {
    /// Of the bytes of a `tokenizer.json`, or of what [`Self::pack`] gave. With `special_as_text`, special tokens in a text count
    /// as the text that they are.
    ///
    /// # Errors
    /// What is wrong with the file, or what it needs that is not known here.
    pub fn read(bytes: Vec<u8>, special_as_text: bool) -> Result<Self> {
        if packed::is_packed(&bytes) {
            return Self::of(packed::unpack(bytes)?, special_as_text);
        }
        let file = File::read(&bytes)?;
        drop(bytes);
        let proper = Self::proper(&file)?;
        let File { settings, vocab, merges } = file;
        let (vocab, merges) = (late(move || vocab), late(move || merges));
        Self::of(Parts { settings: Rc::new(settings), vocab, merges, proper }, special_as_text)
    }

    /// The fast-loading form of a `tokenizer.json`, with a note of the caller's in it.
    ///
    /// # Errors
    /// What is wrong with the file, or what it needs that is not known here.
    pub fn pack(json: &[u8], note: &str) -> Result<Vec<u8>> {
        let mut file = File::read(json)?;
        note.clone_into(&mut file.settings.note);
        let packed = packed::pack(&file, Self::proper(&file)?.as_ref());
        Self::of(packed::unpack(packed.clone())?, true)?; // what cannot be loaded is not packed
        Ok(packed)
    }

    /// What the engine needs, where it counts as the file says.
    fn proper(file: &File) -> Result<Option<Proper>> {
        let splits = Splits::new(&file.settings.pre_tokenizer)?;
        let normalizer = Normalizer::new(&file.settings.normalizer)?;
        let spelling = Spelling::of(file, &splits, &normalizer);
        Ok(spelling.and_then(|spelling| Proper::new(file, spelling)))
    }

    fn of(parts: Parts, special_as_text: bool) -> Result<Self> {
        let Parts { settings, vocab, merges, proper } = parts;
        let mut splits = Splits::new(&settings.pre_tokenizer)?;
        let mut normalizer = Normalizer::new(&settings.normalizer)?;
        if let Some(Proper { spelling: Spelling::Text { space: Some(space) }, .. }) = proper {
            normalizer.leave_spaces(space);
            splits.steps.clear();
        }
        if splits.knows_beginning() && normalizer.moves_beginning() {
            return Err(Error::unsupported("a Metaspace for the first word behind a Strip"));
        }
        // Where bytes are spelled, no character is unknown.
        if let Some(token) = &settings.unk_token
            && proper.is_none()
            && !splits.byte_level
            && vocab.get(token).is_none()
        {
            return Err(Error::invalid(format!("its `unk_token` {token:.40?} is no token of it")));
        }
        let decoder = Decoder::new(&settings.decoder)?;
        let model = Model::new(&settings, &vocab, &merges, proper, &splits)?;
        let mut made = Self {
            settings,
            vocab,
            raw: None,
            normalizer,
            normalized: None,
            splits,
            model,
            decoder,
            places: None,
        };
        made.read_special(special_as_text);
        Ok(made)
    }

    /// From here on special tokens in a text count as the text that they are, or as themselves.
    pub fn read_special(&mut self, as_text: bool) {
        self.raw = Finder::new(&self.settings, as_text, false, Into::into);
        self.normalized = Finder::new(&self.settings, as_text, true, |text| self.normalizer.apply(text));
    }

    /// The note that it was packed with.
    pub fn note(&self) -> &str {
        &self.settings.note
    }

    /// Whether `text` is an added token.
    pub fn is_added(&self, text: &str) -> bool {
        self.settings.added_tokens.iter().any(|token| token.content == text)
    }

    /// How many tokens `text` has.
    pub fn count(&mut self, text: &str) -> u64 {
        let mut out = Tokens { count: 0, limit: u64::MAX, ids: None };
        self.run(text, &mut out);
        out.count
    }

    /// How many tokens `text` has, if they are no more than `limit`.
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
    /// The first that is no token.
    pub fn decode(&mut self, tokens: &[u32]) -> std::result::Result<String, u32> {
        let Self { settings, vocab, places, decoder, .. } = self;
        let places = places.get_or_insert_with(|| {
            (0..vocab.len() as u32).rev().map(|place| (vocab.id_of(place), place)).collect()
        });
        let text_of = |id: u32| {
            let added = settings.added_tokens.iter().find(|token| token.id == id);
            added
                .map(|token| token.content.clone())
                .or_else(|| places.get(&id).map(|&place| vocab.text_of(place).to_owned()))
        };
        let texts: std::result::Result<Vec<String>, u32> =
            tokens.iter().map(|&id| text_of(id).ok_or(id)).collect();
        Ok(decoder.decode(texts?))
    }

    fn run(&mut self, text: &str, out: &mut Tokens) {
        let Self { vocab, raw, normalizer, normalized, splits, model, .. } = self;
        let mut between = |start: usize, end: usize, out: &mut Tokens| {
            let stretch = normalizer.apply(text.get(start..end).unwrap_or_default());
            let mut piece = |from: usize, to: usize, out: &mut Tokens| {
                let piece = stretch.get(from..to).unwrap_or_default();
                model.tokenize(vocab, splits, piece, start == 0 && from == 0, out)
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
