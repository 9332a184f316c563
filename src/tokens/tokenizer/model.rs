//! The model of a tokenizer: the engine if it counts as the file specifies, else an implementation of the file's own model.

use std::rc::Rc;

use crate::alphabet;
use crate::engine_parts::EngineParts;
use crate::error::{Error, Result};
use crate::lazy::Lazy;
use crate::ranked::Ranked;
use crate::settings::Settings;
use crate::splits::Splits;
#[cfg(feature = "whole")]
use crate::unigram::Unigram;
use crate::vocab::Vocab;
#[cfg(feature = "whole")]
use crate::word_piece::WordPiece;

pub enum Model {
    /// The engine, which works on bytes, and the file's id for each of the engine's ids.
    Engine { engine: Box<bpe::Engine>, ids: Lazy<Vec<u32>> },
    /// Merges characters by rank.
    Ranked(Box<Ranked>),
    /// Takes the longest tokens first.
    #[cfg(feature = "whole")]
    WordPiece(Box<WordPiece>),
    /// Takes the tokens with the best sum of scores.
    #[cfg(feature = "whole")]
    Unigram(Box<Unigram>),
}

impl Model {
    pub fn new(
        settings: &Rc<Settings>,
        vocab: &Lazy<Vocab>,
        merges: &Lazy<Vec<[u32; 3]>>,
        engine_parts: Option<EngineParts>,
        splits: &Splits,
    ) -> Result<Self> {
        if let Some(engine_parts) = engine_parts {
            let (engine, ids) = engine_parts.engine(settings, vocab, merges, splits.pattern)?;
            return Ok(Self::Engine { engine: Box::new(engine), ids });
        }
        if cfg!(not(feature = "whole")) && (settings.word_piece.is_some() || !settings.scores.is_empty()) {
            return Err(Error::NeedsWholeModule);
        }
        #[cfg(feature = "whole")]
        if let Some(most_chars) = settings.word_piece {
            return Ok(Self::WordPiece(Box::new(WordPiece::new(vocab, settings, most_chars))));
        }
        #[cfg(feature = "whole")]
        if !settings.scores.is_empty() {
            return Ok(Self::Unigram(Box::new(Unigram::new(vocab, settings)?)));
        }
        Ok(Self::Ranked(Box::new(Ranked::new(vocab, settings))))
    }

    /// Builds the tables that a model that merges by rank does not need for a few short texts.
    pub fn make_tables(&mut self, vocab: &Lazy<Vocab>, merges: &Lazy<Vec<[u32; 3]>>) {
        if let Self::Ranked(ranked) = self {
            ranked.make_tables(vocab, merges);
        }
    }

    /// Whether it can count a few short texts without tables.
    pub fn works_without_tables(&self, vocab: &Vocab, merges: &[[u32; 3]]) -> bool {
        if let Self::Ranked(ranked) = self { ranked.works_without_tables(vocab, merges) } else { true }
    }

    /// Adds the tokens of `text` to `out` until `out` reaches its limit, and returns whether it did not. `first`: the text
    /// begins where the whole text does.
    pub fn tokenize(
        &mut self,
        vocab: &Lazy<Vocab>,
        merges: &Lazy<Vec<[u32; 3]>>,
        splits: &Splits,
        text: &str,
        first: bool,
        out: &mut Tokens,
    ) -> bool {
        match self {
            Self::Engine { engine, ids } => {
                if splits.pattern.is_some() || splits.steps.is_empty() {
                    return out.count_by(engine, ids, text.as_bytes());
                }
                let mut text = text.to_owned();
                let pieces = splits.cut(&mut text, first);
                let bytes = text.as_bytes();
                pieces
                    .into_iter()
                    .all(|(start, end)| out.count_by(engine, ids, bytes.get(start..end).unwrap_or_default()))
            }
            Self::Ranked(ranked) => each_piece(splits, text, first, |piece| {
                ranked.tokens(vocab, merges, piece, |tokens| out.add(vocab, tokens))
            }),
            #[cfg(feature = "whole")]
            Self::Unigram(unigram) => each_piece(splits, text, first, |piece| {
                unigram.tokens(vocab, piece, |tokens| out.add(vocab, tokens))
            }),
            #[cfg(feature = "whole")]
            Self::WordPiece(words) => each_piece(splits, text, first, |piece| {
                words.tokens(vocab, piece, |tokens| out.add(vocab, tokens))
            }),
        }
    }
}

/// Calls `each` with the pieces of `text`, as tokens spell them, until it returns `false`.
fn each_piece(splits: &Splits, text: &str, first: bool, mut each: impl FnMut(&str) -> bool) -> bool {
    let mut spelled = |piece: &str| {
        if splits.byte_level { each(&alphabet::spelled(piece.as_bytes())) } else { each(piece) }
    };
    if let Some(pattern) = splits.pattern {
        let mut start = 0;
        return bpe::ends(pattern, text.as_bytes()).into_iter().all(|end| {
            let piece = text.get(std::mem::replace(&mut start, end)..end);
            spelled(piece.unwrap_or_default())
        });
    }
    if splits.steps.is_empty() {
        return spelled(text);
    }
    let mut text = text.to_owned();
    let pieces = splits.cut(&mut text, first);
    pieces.into_iter().all(|(start, end)| spelled(text.get(start..end).unwrap_or_default()))
}

/// Collects tokens: counts them up to a limit, and keeps their ids if they are needed.
pub struct Tokens {
    pub count: u64,
    pub limit: u64,
    pub ids: Option<Vec<u32>>,
}

impl Tokens {
    pub fn one(&mut self, id: u32) -> bool {
        self.count += 1;
        if let Some(ids) = &mut self.ids {
            ids.push(id);
        }
        self.count <= self.limit
    }

    fn add(&mut self, vocab: &Vocab, tokens: &[u32]) -> bool {
        self.count += tokens.len() as u64;
        if let Some(ids) = &mut self.ids {
            ids.extend(tokens.iter().map(|&token| vocab.id_of(token)));
        }
        self.count <= self.limit
    }

    fn count_by(&mut self, engine: &mut bpe::Engine, own: &Lazy<Vec<u32>>, text: &[u8]) -> bool {
        if let Some(ids) = &mut self.ids {
            let tokens = engine.encode(text);
            self.count += tokens.len() as u64;
            ids.extend(tokens.into_iter().map(|token| own.get(token as usize).copied().unwrap_or_default()));
            return self.count <= self.limit;
        }
        if let Some(count) = engine.count_up_to(text, self.limit.saturating_sub(self.count)) {
            self.count += count;
            true
        } else {
            self.count = u64::MAX;
            false
        }
    }
}
