//! What a file says beside its vocabulary and merges.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// All but the vocabulary and the merges.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools, reason = "as the file has them")]
pub struct Settings {
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
}

/// A token that is found in the text before all else.
#[derive(Debug, Clone, Serialize, Deserialize)]
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
