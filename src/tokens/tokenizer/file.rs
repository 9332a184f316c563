//! Reads a `tokenizer.json`. Vocabulary and merges are stored in their final form as they are read; everything else is
//! small.

use crate::error::{Error, Result};
use crate::json::Scanner;
use crate::merges::{self, Merges};
use crate::normalizer::Normalizer;
use crate::settings::{Json, MAX_CHARS, Settings};
use crate::splits::Splits;
use crate::value::Value;
use crate::vocab::Vocab;
use crate::words::Words;

/// The maximum size of a file. The largest real ones have 34 MB.
const MAX_FILE: usize = 128 << 20;
/// The maximum bytes of all added tokens. Gemma has 100 kB.
const MAX_ADDED: usize = 4 << 20;

/// The contents of a file.
pub struct File {
    pub settings: Settings,
    pub vocab: Vocab,
    /// Left, right and the result of each merge, as places in the vocabulary, in order of rank.
    pub merges: Merges,
}

impl File {
    pub fn read(bytes: &[u8]) -> Result<Self> {
        if bytes.len() > MAX_FILE {
            return Err(Error::unsupported(format!(
                "a file of {} MB; the largest real ones have 34",
                bytes.len() >> 20
            )));
        }
        let mut read = Read { bytes, ..Read::default() };
        let mut scanner = Scanner::new(bytes, 0);
        read.file(&mut scanner)?;
        if !scanner.is_end() {
            return Err(no_json(&scanner));
        }
        if !read.has_model {
            return Err(Error::invalid("it has no `model`"));
        }
        let Read { merges_at, merges, words, settings, model, .. } = read;
        let text = |key: &str| model.text(key);
        let flag = |key: &str| model.flag(key);
        let kind = match text("type")? {
            Some(kind) => kind,
            None if merges_at.is_some() || model.has("byte_fallback") => "BPE".to_owned(),
            None => return Err(Error::invalid("its model has no `type`")),
        };
        if cfg!(not(feature = "whole")) && kind != "BPE" {
            return Err(Error::NeedsWholeModule);
        }
        let word_piece = match kind.as_str() {
            "BPE" | "Unigram" => None,
            "WordPiece" => Some(model.number("max_input_chars_per_word")?.unwrap_or(100)),
            _ => {
                return Err(Error::unsupported(format!(
                    "a model of the type {kind:?}; only BPE, Unigram and WordPiece are supported"
                )));
            }
        };
        if word_piece.is_some_and(|most| most > MAX_CHARS) {
            return Err(Error::unsupported(format!("words of more than {MAX_CHARS} characters")));
        }
        if model.get("dropout").is_some_and(|dropout| dropout.as_f64() != Some(0.0)) {
            return Err(Error::unsupported(
                "a model with `dropout`, which splits the same text differently each time",
            ));
        }
        let Words { vocab, scores } = words.unwrap_or_default();
        if (kind == "Unigram") == scores.is_empty() {
            return Err(Error::invalid(format!("its vocabulary has the wrong form for a {kind} model")));
        }
        let unk_token = match model.number("unk_id")? {
            Some(id) if kind == "Unigram" && id >= vocab.len() => {
                return Err(Error::invalid(format!(
                    "its `unk_id` is {id}, but it has only {} tokens",
                    vocab.len()
                )));
            }
            Some(id) if kind == "Unigram" => Some(vocab.text_of(id as u32).to_owned()),
            _ => text("unk_token")?,
        };
        if !vocab.is_distinct() {
            return Err(Error::invalid("its vocabulary has a token twice"));
        }
        let mut settings = settings;
        if settings.added_text.len() > MAX_ADDED {
            return Err(Error::unsupported(format!("added tokens of more than {} MB", MAX_ADDED >> 20)));
        }
        for token in &mut settings.added_tokens {
            if let Some(place) = settings.added_text.get(token.text.clone()).and_then(|text| vocab.get(text))
            {
                token.id = vocab.id_of(place);
            }
        }
        let settings = Settings {
            unk_token: unk_token.or_else(|| word_piece.map(|_| "[UNK]".to_owned())),
            prefix: text("continuing_subword_prefix")?
                .unwrap_or_else(|| if word_piece.is_some() { "##" } else { "" }.to_owned()),
            suffix: text("end_of_word_suffix")?.unwrap_or_default(),
            fuse_unk: flag("fuse_unk")?,
            byte_fallback: flag("byte_fallback")?,
            ignore_merges: flag("ignore_merges")?,
            word_piece,
            scores,
            ..settings
        };
        // If the vocabulary came first, the merges were read on the assumption that there is no prefix.
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

fn no_json(scanner: &Scanner<'_>) -> Error {
    Error::invalid(format!("it is not a tokenizer.json: unexpected content at byte {}", scanner.at()))
}

/// What has been read of a file.
#[derive(Default)]
struct Read<'a> {
    bytes: &'a [u8],
    settings: Settings,
    has_model: bool,
    model: Model,
    words: Option<Words>,
    /// Where the merges begin.
    merges_at: Option<usize>,
    /// The merges, if the vocabulary came before them in the file.
    merges: Option<Result<Merges>>,
}

impl<'a> Read<'a> {
    fn file(&mut self, scanner: &mut Scanner<'a>) -> Result<()> {
        each_key(scanner, |key, scanner| {
            let json = match key {
                "model" if scanner.peek() == Some(b'{') && !self.has_model => {
                    self.has_model = true;
                    return self.model(scanner).map(Some);
                }
                "model" if self.has_model => return Err(twice("model")),
                "added_tokens" => {
                    return Ok(scanner.each(b'[', b']', |scanner| self.settings.read_added(scanner)));
                }
                "normalizer" => &mut self.settings.normalizer,
                "pre_tokenizer" => &mut self.settings.pre_tokenizer,
                "decoder" => &mut self.settings.decoder,
                _ => return Ok(Value::skip(scanner)),
            };
            if !json.0.is_empty() {
                return Err(twice(key));
            }
            Ok(Json::read(scanner).map(|read| *json = read))
        })
    }

    fn model(&mut self, scanner: &mut Scanner<'a>) -> Result<()> {
        each_key(scanner, |key, scanner| match key {
            "vocab" if self.words.is_some() => Err(twice(key)),
            "vocab" => {
                self.is_here()?;
                self.words = Some(Words::read(scanner, self.bytes)?);
                Ok(Some(()))
            }
            "merges" => self.merges(scanner),
            _ => Ok(Value::read(scanner).map(|value| self.model.0.push((key.to_owned(), value)))),
        })
    }

    /// Refuses files that need the whole module, before the long parts are read.
    fn is_here(&self) -> Result<()> {
        if cfg!(feature = "whole") {
            return Ok(());
        }
        Splits::new(&self.settings.pre_tokenizer.value())?;
        Normalizer::new(&self.settings.normalizer.value())?;
        if self.model.text("type")?.is_some_and(|kind| kind != "BPE") {
            return Err(Error::NeedsWholeModule);
        }
        Ok(())
    }

    fn merges(&mut self, scanner: &mut Scanner<'a>) -> Result<Option<()>> {
        if self.merges_at.is_some() {
            return Err(twice("merges"));
        }
        scanner.peek();
        let at = scanner.at();
        let is_empty = scanner.take(b'[').is_some() && scanner.peek() == Some(b']');
        self.merges_at = (!is_empty).then_some(at);
        *scanner = Scanner::new(self.bytes, at);
        let words = self.words.as_ref().filter(|words| words.scores.is_empty());
        match words.map(|words| merges::read(self.bytes, at, &words.vocab, 0)) {
            Some(Ok((merges, end))) => {
                self.merges = Some(Ok(merges));
                *scanner = Scanner::new(self.bytes, end);
                return Ok(Some(()));
            }
            Some(Err(error)) => self.merges = Some(Err(error)),
            None => {}
        }
        Ok(scanner.skip())
    }
}

#[cold]
fn twice(key: &str) -> Error {
    Error::invalid(format!("it is not a tokenizer.json: it has `{key}` twice"))
}

/// Calls `each` with every key of a map. It must move past the value, or return `None` if the value is invalid.
fn each_key<'a>(
    scanner: &mut Scanner<'a>,
    mut each: impl FnMut(&str, &mut Scanner<'a>) -> Result<Option<()>>,
) -> Result<()> {
    let mut failed = None;
    let read = scanner.each(b'{', b'}', |scanner| {
        let key = scanner.string()?;
        scanner.take(b':')?;
        match each(&key, scanner) {
            Ok(read) => read,
            Err(error) => {
                failed = Some(error);
                None
            }
        }
    });
    match failed {
        Some(error) => Err(error),
        None => read.ok_or_else(|| no_json(scanner)),
    }
}

/// The small values of a model. `null` counts as missing.
#[derive(Default)]
struct Model(Vec<(String, Value)>);

impl Model {
    fn get(&self, key: &str) -> Option<&Value> {
        let value = self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value);
        value.filter(|value| !value.is_null())
    }

    fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    fn of<T>(&self, key: &str, read: impl Fn(&Value) -> Option<T>) -> Result<Option<T>> {
        let no =
            || Error::invalid(format!("it is not a tokenizer.json: its model's `{key}` has the wrong form"));
        self.get(key).map(|value| read(value).ok_or_else(no)).transpose()
    }

    fn text(&self, key: &str) -> Result<Option<String>> {
        self.of(key, |value| value.as_str().map(str::to_owned))
    }

    fn flag(&self, key: &str) -> Result<bool> {
        Ok(self.of(key, Value::as_bool)?.unwrap_or_default())
    }

    fn number(&self, key: &str) -> Result<Option<usize>> {
        self.of(key, |value| value.as_u64().and_then(|number| usize::try_from(number).ok()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_keys_are_recognised() {
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
