//! Which encoding a model uses.

use super::model_table::{MODELS, PREFIXES};
use crate::{Error, ErrorCode, Result};

/// Encodings by name, each with the asset that holds its ordinary tokens. `o200k_harmony`, `p50k_edit` and `gpt2`
/// differ from their assets' encodings in special tokens alone, which are never counted as such.
const ENCODINGS: [(&str, &str); 7] = [
    ("o200k_base", "o200k_base"),
    ("cl100k_base", "cl100k_base"),
    ("o200k_harmony", "o200k_base"),
    ("p50k_base", "p50k_base"),
    ("p50k_edit", "p50k_base"),
    ("r50k_base", "r50k_base"),
    ("gpt2", "r50k_base"),
];

/// The encoding of this name, and the name of the asset that it is loaded from.
pub fn asset_of(encoding: &str) -> Option<(&'static str, &'static str)> {
    ENCODINGS.into_iter().find(|(name, _)| *name == encoding)
}

/// The encoding that tiktoken gives for a model: `o200k_base` for `gpt-5-mini`. A fine-tuned model
/// (`ft:gpt-4o:org::id`) has its base model's.
///
/// # Errors
/// `UNKNOWN_MODEL` for a model that tiktoken does not know, or whose tokenizer is not public (Claude, Gemini …):
/// nothing counts those exactly, so use the estimate.
pub fn encoding_for_model(model: &str) -> Result<&'static str> {
    let base = model.strip_prefix("ft:").map_or(model, |rest| rest.split(':').next().unwrap_or(rest));
    let exact = MODELS.iter().find(|(name, _)| *name == base);
    let found = exact.or_else(|| PREFIXES.iter().find(|(prefix, _)| base.starts_with(prefix)));
    found.map(|&(_, encoding)| encoding).ok_or_else(|| {
        Error::new(
            ErrorCode::UnknownModel,
            format!(
                "no public tokenizer is known for the model `{model}`: count with \"estimate\", or name an encoding"
            ),
        )
    })
}
