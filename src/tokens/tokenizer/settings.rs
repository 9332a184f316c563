//! What a file says beside its vocabulary and merges.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// All but the vocabulary and the merges.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "as the file has them")]
pub struct Settings {
    /// In a packed file they stand by themselves.
    #[serde(skip)]
    pub added_tokens: Vec<Added>,
    pub normalizer: Value,
    pub pre_tokenizer: Value,
    pub decoder: Value,
    pub unk_token: Option<String>,
    pub prefix: String,
    pub suffix: String,
    pub fuse_unk: bool,
    pub byte_fallback: bool,
    pub ignore_merges: bool,
    /// Of a `WordPiece` model: how many characters a word may have.
    #[serde(default)]
    pub word_piece: Option<usize>,
    /// Of a Unigram model: the score of each token. In a packed file they stand by themselves.
    #[serde(skip)]
    pub scores: Vec<f64>,
    /// What the caller packed with it.
    #[serde(default)]
    pub note: String,
}

/// A token that is found in the text before all else.
#[derive(Debug, Clone, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "as the file has them")]
pub struct Added {
    pub id: u32,
    pub content: String,
    #[serde(default)]
    pub single_word: bool,
    #[serde(default)]
    pub lstrip: bool,
    #[serde(default)]
    pub rstrip: bool,
    #[serde(default)]
    pub normalized: bool,
    #[serde(default)]
    pub special: bool,
}

impl Added {
    /// What it is, a bit each.
    pub fn flags(&self) -> u8 {
        [self.single_word, self.lstrip, self.rstrip, self.normalized, self.special]
            .iter()
            .fold(0, |flags, &is| flags << 1 | u8::from(is))
    }

    /// The reverse.
    pub fn of_flags(flags: u8, id: u32, content: String) -> Self {
        let is = |bit: u8| flags >> bit & 1 != 0;
        let (single_word, lstrip, rstrip) = (is(4), is(3), is(2));
        Self { id, content, single_word, lstrip, rstrip, normalized: is(1), special: is(0) }
    }
}
