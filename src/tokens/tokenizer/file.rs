//! Reading a `tokenizer.json`: vocabulary and merges go where they stay, the rest is small and kept as JSON.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::settings::{Added, Settings};
use crate::strides::in_strides;
use crate::vocab::Vocab;
use crate::word_piece::MAX_CHARS;

/// The largest file that is read: the largest real ones have 34 MB.
const MAX_FILE: usize = 128 << 20;
/// The most tokens: Gemma has 262,144.
const MAX_TOKENS: usize = 1 << 20;
const MAX_MERGES: usize = 1 << 22;
/// Bytes of a token: the longest real ones have 2,048.
const MAX_TOKEN: usize = 1 << 16;
const MAX_ID: u32 = 1 << 24;
/// Bytes of all added tokens: Gemma has 100 kB.
const MAX_ADDED: usize = 4 << 20;

/// A file as it was read.
pub struct File {
    pub settings: Settings,
    pub vocab: Vocab,
    /// Left, right and what they make, by their places in the vocabulary, in the order of their ranks.
    pub merges: Vec<[u32; 3]>,
}

impl File {
    pub fn read(bytes: &[u8]) -> Result<Self> {
        if bytes.len() > MAX_FILE {
            return Err(Error::unsupported(format!(
                "a file of {} MB, where the largest real ones have 34",
                bytes.len() >> 20
            )));
        }
        let text = std::str::from_utf8(bytes).map_err(|e| Error::invalid(format!("it is no text: {e}")))?;
        let mut json = serde_json::Deserializer::from_str(text);
        let raw = Raw::deserialize(&mut json)
            .map_err(|e| Error::invalid(format!("it is no tokenizer.json: {e}")))?;
        json.end().map_err(|e| Error::invalid(format!("something stands behind its end: {e}")))?;
        let model = raw.model.ok_or_else(|| Error::invalid("it has no `model`"))?;
        let kind = match model.kind {
            Some(kind) => kind,
            None if !model.merges.is_empty() || model.byte_fallback.is_some() => "BPE".to_owned(),
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
        let Words { vocab, scores } = model.vocab;
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
        let of_merges = settings.scores.is_empty();
        let merges =
            if of_merges { resolve(&model.merges, &vocab, settings.prefix.len())? } else { Vec::new() };
        Ok(Self { settings, vocab, merges })
    }
}

/// Finds the tokens that merges are of.
fn resolve(merges: &Merges, vocab: &Vocab, prefix: usize) -> Result<Vec<[u32; 3]>> {
    let resolved = Vec::with_capacity(merges.len());
    let mut finding =
        Finding { vocab, text: &merges.text, start: 0, prefix, made: String::new(), resolved, wrong: None };
    in_strides(&merges.ends, &mut finding, Finding::merges);
    finding.wrong.map_or(Ok(finding.resolved), Err)
}

struct Finding<'a> {
    vocab: &'a Vocab,
    text: &'a str,
    start: usize,
    prefix: usize,
    made: String,
    resolved: Vec<[u32; 3]>,
    wrong: Option<Error>,
}

impl Finding<'_> {
    fn merges(&mut self, ends: &[[u32; 2]]) -> Option<()> {
        ends.iter().try_for_each(|&[middle, end]| {
            let (left, right) = (self.start..middle as usize, middle as usize..end as usize);
            self.start = end as usize;
            let (left, right) = (self.text.get(left)?, self.text.get(right)?);
            let found = self.merge(left, right);
            found.map(|merge| self.resolved.push(merge)).map_err(|wrong| self.wrong = Some(wrong)).ok()
        })
    }

    fn merge(&mut self, left: &str, right: &str) -> Result<[u32; 3]> {
        let unknown = |part: &str| Error::invalid(format!("it merges {part:.40?}, which is no token of it"));
        let known = |part: &str| self.vocab.get(part).ok_or_else(|| unknown(part));
        let (l, r) = (known(left)?, known(right)?);
        self.made.clear();
        self.made.push_str(left);
        let rest = right.get(self.prefix..);
        self.made.push_str(rest.ok_or_else(|| Error::invalid("a merge is shorter than the prefix"))?);
        // Mostly it is the token behind the one that the merge before makes, or the same.
        let near = self.resolved.last().map_or(0, |&[.., made]| made);
        Ok([l, r, self.vocab.get_near(&self.made, near).ok_or_else(|| unknown(&self.made))?])
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
    #[serde(default)]
    vocab: Words,
    #[serde(default)]
    merges: Merges,
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

/// A vocabulary as it is written: a map from tokens to ids, or a list of tokens with scores.
#[derive(Default)]
struct Words {
    vocab: Vocab,
    scores: Vec<f64>,
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(VocabVisitor)
    }
}

struct VocabVisitor;

impl<'de> Visitor<'de> for VocabVisitor {
    type Value = Words;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map from tokens to ids, or a list of tokens with scores")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Words, A::Error> {
        let mut vocab = Vocab::default();
        while let Some(token) = map.next_key_seed(Text)? {
            let id: u32 = map.next_value()?;
            if id > MAX_ID || vocab.len() >= MAX_TOKENS {
                return Err(A::Error::custom(format!(
                    "more than {MAX_TOKENS} tokens, or an id above {MAX_ID}"
                )));
            }
            if token.len() > MAX_TOKEN {
                return Err(A::Error::custom(format!("a token of {} bytes", token.len())));
            }
            vocab.push(&token, id);
        }
        Ok(Words { vocab, scores: Vec::new() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Words, A::Error> {
        let mut words = Words::default();
        while list.next_element_seed(Scored(&mut words))?.is_some() {
            if words.vocab.len() > MAX_TOKENS {
                return Err(A::Error::custom(format!("more than {MAX_TOKENS} tokens")));
            }
        }
        Ok(words)
    }
}

/// A token and its score; its id is its place in the list.
struct Scored<'a>(&'a mut Words);

impl<'de> DeserializeSeed<'de> for Scored<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Scored<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a token and its score")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<(), A::Error> {
        let wrong = || A::Error::custom("a token and its score were expected");
        let token = list.next_element_seed(Text)?.ok_or_else(wrong)?;
        let score = list.next_element()?.ok_or_else(wrong)?;
        if list.next_element::<IgnoredAny>()?.is_some() || token.len() > MAX_TOKEN {
            return Err(wrong());
        }
        let Words { vocab, scores } = self.0;
        vocab.push(&token, vocab.len() as u32);
        scores.push(score);
        Ok(())
    }
}

/// Merges as they are written, one text behind the other.
#[derive(Default)]
struct Merges {
    text: String,
    /// Where each left and each right part ends.
    ends: Vec<[u32; 2]>,
}

impl Merges {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn push(&mut self, left: &str, right: &str) {
        self.text.push_str(left);
        let middle = self.text.len() as u32;
        self.text.push_str(right);
        self.ends.push([middle, self.text.len() as u32]);
    }
}

impl<'de> Deserialize<'de> for Merges {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_seq(MergesVisitor)
    }
}

struct MergesVisitor;

impl<'de> Visitor<'de> for MergesVisitor {
    type Value = Merges;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of merges")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Merges, A::Error> {
        let mut merges = Merges::default();
        while list.next_element_seed(Merge(&mut merges))?.is_some() {
            if merges.len() > MAX_MERGES {
                return Err(A::Error::custom(format!("more than {MAX_MERGES} merges")));
            }
        }
        Ok(merges)
    }
}

/// One merge, `"a b"` or `["a", "b"]`.
struct Merge<'a>(&'a mut Merges);

impl<'de> DeserializeSeed<'de> for Merge<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Merge<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a merge: two tokens")
    }

    fn visit_str<E: serde::de::Error>(self, line: &str) -> std::result::Result<(), E> {
        if line.starts_with("#version") {
            return Ok(());
        }
        let mut parts = line.split(' ');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(left), Some(right), None) => {
                self.0.push(left, right);
                Ok(())
            }
            _ => Err(E::custom(format!("a merge of two tokens was expected, not {line:.60?}"))),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<(), A::Error> {
        let short = || A::Error::custom("a merge has two tokens");
        let left = list.next_element_seed(Text)?.ok_or_else(short)?;
        let right = list.next_element_seed(Text)?.ok_or_else(short)?;
        if list.next_element::<IgnoredAny>()?.is_some() {
            return Err(short());
        }
        self.0.push(&left, &right);
        Ok(())
    }
}

/// A text, borrowed from the file where nothing in it is escaped.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> std::result::Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> std::result::Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> std::result::Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}
