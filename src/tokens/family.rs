//! Models whose tokenizer is not public.

/// A family of models that cannot be counted exactly, and how its token counts compare with those of `OpenAI`'s models,
/// which our estimate and encodings count.
///
/// | family | factor | source |
/// | --- | --: | --- |
/// | `claude` | 8 / 7 | Anthropic, glossary, "Tokens": about 3.5 English characters a token, where `OpenAI` says 4 |
/// | `gemini` | 1 | Google, "Understand and count tokens": about 4 characters a token |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Family {
    /// Its name in the report, as `family:claude`.
    pub name: &'static str,
    /// The model's tokens divided by counted tokens.
    pub factor: f64,
    /// The source of the factor.
    pub source: &'static str,
}

const FAMILIES: [(&str, Family); 2] = [
    (
        "claude",
        Family {
            name: "family:claude",
            factor: 8.0 / 7.0,
            source: "Anthropic, glossary, Tokens: about 3.5 English characters a token; OpenAI: about 4",
        },
    ),
    (
        "gemini",
        Family {
            name: "family:gemini",
            factor: 1.0,
            source: "Google, Understand and count tokens: about 4 characters a token, as OpenAI's",
        },
    ),
];

impl Family {
    /// The family of the model of this name, if it belongs to one.
    pub fn of_model(model: &str) -> Option<Self> {
        let name = model.to_ascii_lowercase();
        FAMILIES.into_iter().find(|(part, _)| name.contains(part)).map(|(_, family)| family)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::encoding_for_model;

    #[test]
    fn a_family_has_no_encoding() {
        for model in
            ["claude-sonnet-4-5", "us.anthropic.claude-3-7-sonnet-20250219-v1:0", "google/gemini-2.5-pro"]
        {
            assert!(Family::of_model(model).is_some_and(|family| family.factor >= 1.0), "{model}");
            assert!(encoding_for_model(model).is_err(), "{model}");
        }
        assert_eq!(Family::of_model("gpt-5"), None);
    }
}
