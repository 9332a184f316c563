//! Reading a `tokenizer.json`: vocabulary and merges go where they stay, the rest is small and left to serde.

use serde::Deserialize;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::json::Scanner;
use crate::merges::{self, Merges};
use crate::settings::{Added, Settings};
use crate::vocab::Vocab;
use crate::word_piece::MAX_CHARS;
use crate::words::Words;

/// The largest file that is read: the largest real ones have 34 MB.
const MAX_FILE: usize = 128 << 20;
/// Bytes of all added tokens: Gemma has 100 kB.
const MAX_ADDED: usize = 4 << 20;

/// A file as it was read.
pub struct File {
    pub settings: Settings,
    pub vocab: Vocab,
    /// Left, right and what they make, by their places in the vocabulary, in the order of their ranks.
    pub merges: Merges,
}

impl File {
    pub fn read(bytes: &[u8]) -> Result<Self> {
        if bytes.len() > MAX_FILE {
            return Err(Error::unsupported(format!(
                "a file of {} MB, where the largest real ones have 34",
                bytes.len() >> 20
            )));
        }
        let Long { rest, words, merges_at, merges } = Long::of(bytes)?;
        let raw: Raw = serde_json::from_slice(&rest).map_err(no_file)?;
        let model = raw.model.ok_or_else(|| Error::invalid("it has no `model`"))?;
        let kind = match model.kind {
            Some(kind) => kind,
            None if merges_at.is_some() || model.byte_fallback.is_some() => "BPE".to_owned(),
            None => return Err(Error::invalid("its model has no `type`")),
        };
        let word_piece = match kind.as_str() {
            "BPE" | "Unigram" => None,
            "WordPiece" => Some(model.max_input_chars_per_word.unwrap_or(100)),
            _ => {
                return Err(Error::unsupported(format!(
                    "a model of the type {kind:?}; BPE, Unigram and WordPiece are known"
                )));
            }
        };
        if word_piece.is_some_and(|most| most > MAX_CHARS) {
            return Err(Error::unsupported(format!("words of more than {MAX_CHARS} characters")));
        }
        if model.dropout.is_some_and(|dropout| dropout != 0.0) {
            return Err(Error::unsupported(
                "a model with `dropout`: the same text has other tokens each time",
            ));
        }
        let Words { vocab, scores } = words.unwrap_or_default();
        if (kind == "Unigram") == scores.is_empty() {
            return Err(Error::invalid(format!("the vocabulary of a {kind} model is not like that")));
        }
        let unk_token = match model.unk_id {
            Some(id) if kind == "Unigram" && id >= vocab.len() => {
                return Err(Error::invalid(format!("its `unk_id` is {id}, of {} tokens", vocab.len())));
            }
            Some(id) if kind == "Unigram" => Some(vocab.text_of(id as u32).to_owned()),
            _ => model.unk_token,
        };
        if !vocab.is_distinct() {
            return Err(Error::invalid("its vocabulary has a token twice"));
        }
        let mut added_tokens = raw.added_tokens;
        if added_tokens.iter().map(|token| token.content.len()).sum::<usize>() > MAX_ADDED {
            return Err(Error::unsupported(format!("added tokens of more than {} MB", MAX_ADDED >> 20)));
        }
        for token in &mut added_tokens {
            if let Some(place) = vocab.get(&token.content) {
                token.id = vocab.id_of(place);
            }
        }
        let settings = Settings {
            added_tokens,
            normalizer: raw.normalizer,
            pre_tokenizer: raw.pre_tokenizer,
            decoder: raw.decoder,
            unk_token: unk_token.or_else(|| word_piece.map(|_| "[UNK]".to_owned())),
            prefix: model
                .continuing_subword_prefix
                .unwrap_or_else(|| if word_piece.is_some() { "##" } else { "" }.to_owned()),
            suffix: model.end_of_word_suffix.unwrap_or_default(),
            fuse_unk: model.fuse_unk.unwrap_or_default(),
            byte_fallback: model.byte_fallback.unwrap_or_default(),
            ignore_merges: model.ignore_merges.unwrap_or_default(),
            word_piece,
            scores,
            note: String::new(),
        };
        // They were read as if there was no prefix, once the vocabulary was.
        let merges = match (merges_at, merges) {
            (Some(_), Some(merges)) if settings.prefix.is_empty() => merges?,
            (Some(at), _) if settings.scores.is_empty() => {
                merges::read(bytes, at, &vocab, settings.prefix.len())?.0
            }
            _ => Merges::new(),
        };
        Ok(Self { settings, vocab, merges })
    }
}

fn no_file(why: impl std::fmt::Display) -> Error {
    Error::invalid(format!("it is no tokenizer.json: {why}"))
}

/// What is long in a file.
#[derive(Default)]
struct Long {
    /// The file with `null` in their places.
    rest: Vec<u8>,
    words: Option<Words>,
    /// Where the merges begin.
    merges_at: Option<usize>,
    /// Where the vocabulary stands before them.
    merges: Option<Result<Merges>>,
}

impl Long {
    fn of(bytes: &[u8]) -> Result<Self> {
        let mut long = Self::default();
        let mut scanner = Scanner::new(bytes, 0);
        let mut copied = 0;
        if long.walk(bytes, &mut scanner, &mut copied)?.is_none() {
            // Not JSON; serde says why.
            serde_json::from_slice::<serde::de::IgnoredAny>(bytes).map_err(no_file)?;
            return Err(no_file("its beginning is not like one"));
        }
        long.rest.extend_from_slice(bytes.get(copied..).unwrap_or_default());
        Ok(long)
    }

    /// Reads on to the end of the model; `None` where this is not JSON, or not a map.
    fn walk<'a>(
        &mut self,
        bytes: &'a [u8],
        scanner: &mut Scanner<'a>,
        copied: &mut usize,
    ) -> Result<Option<()>> {
        each_key(scanner, |key, scanner| {
            if key != b"model" || scanner.peek() != Some(b'{') {
                return Ok(scanner.skip());
            }
            each_key(scanner, |key, scanner| {
                scanner.peek();
                let at = scanner.at();
                let done = match key {
                    b"vocab" => self.vocab(bytes, scanner)?,
                    b"merges" => self.merges(bytes, scanner)?,
                    _ => return Ok(scanner.skip()),
                };
                self.rest.extend_from_slice(bytes.get(*copied..at).unwrap_or_default());
                self.rest.extend(b"null");
                *copied = scanner.at();
                Ok(done)
            })
        })
    }

    fn vocab(&mut self, bytes: &[u8], scanner: &mut Scanner<'_>) -> Result<Option<()>> {
        if self.words.is_some() {
            return Err(no_file("it has `vocab` twice"));
        }
        self.words = Some(Words::read(scanner, bytes)?);
        Ok(Some(()))
    }

    fn merges<'a>(&mut self, bytes: &'a [u8], scanner: &mut Scanner<'a>) -> Result<Option<()>> {
        if self.merges_at.is_some() {
            return Err(no_file("it has `merges` twice"));
        }
        let at = scanner.at();
        let is_empty = scanner.take(b'[').is_some() && scanner.peek() == Some(b']');
        self.merges_at = (!is_empty).then_some(at);
        *scanner = Scanner::new(bytes, at);
        let words = self.words.as_ref().filter(|words| words.scores.is_empty());
        match words.map(|words| merges::read(bytes, at, &words.vocab, 0)) {
            Some(Ok((merges, end))) => {
                self.merges = Some(Ok(merges));
                *scanner = Scanner::new(bytes, end);
                return Ok(Some(()));
            }
            Some(Err(error)) => self.merges = Some(Err(error)),
            None => {}
        }
        Ok(scanner.skip())
    }
}

/// Calls `each` with every key of a map, which goes behind its value.
fn each_key<'a>(
    scanner: &mut Scanner<'a>,
    mut each: impl FnMut(&[u8], &mut Scanner<'a>) -> Result<Option<()>>,
) -> Result<Option<()>> {
    if scanner.take(b'{').is_none() {
        return Ok(None);
    }
    if scanner.peek() == Some(b'}') {
        return Ok(scanner.take(b'}'));
    }
    let mut buffer = Vec::new();
    loop {
        let Some(key) = scanner.text().and_then(|key| key.said(&mut buffer)) else { return Ok(None) };
        if scanner.take(b':').is_none() || each(key, scanner)?.is_none() {
            return Ok(None);
        }
        match scanner.more(b'}') {
            Some(true) => {}
            Some(false) => return Ok(Some(())),
            None => return Ok(None),
        }
    }
}

#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    added_tokens: Vec<Added>,
    #[serde(default)]
    normalizer: Value,
    #[serde(default)]
    pre_tokenizer: Value,
    #[serde(default)]
    decoder: Value,
    model: Option<RawModel>,
}

#[derive(Deserialize)]
struct RawModel {
    #[serde(rename = "type")]
    kind: Option<String>,
    unk_token: Option<String>,
    unk_id: Option<usize>,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
    fuse_unk: Option<bool>,
    byte_fallback: Option<bool>,
    ignore_merges: Option<bool>,
    dropout: Option<f64>,
    max_input_chars_per_word: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_what_it_says_however_it_is_written() {
        let plain = r#"{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}"#;
        let escaped = plain
            .replace("vocab", "vo\\u0063ab")
            .replace("merges", "m\\u0065rges")
            .replace("model", "\\u006dodel");
        let read = [plain, &escaped]
            .map(|text| File::read(text.as_bytes()).map(|file| (file.vocab.len(), file.merges.len())));
        assert!(matches!(read, [Ok((3, 1)), Ok((3, 1))]));
    }
}
