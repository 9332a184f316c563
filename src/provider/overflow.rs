//! "Too long" answers of providers, with their figures (COMP-23).

use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

/// What a provider said when a request was too long for the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overflow {
    /// The model's limit in tokens, where the text says it.
    pub limit: Option<u64>,
    /// The tokens that the provider counted in the request, where the text says it.
    pub actual: Option<u64>,
}

/// The texts, one a line, `limit` and `actual` where they name them.
const TEXTS: [&str; 22] = [
    // Anthropic
    r"prompt is too long(: (?<actual>N) tokens > (?<limit>N) maximum)?",
    r"input length and `?max_tokens`? exceed context limit: (?<actual>N) \+ N > (?<limit>N)",
    // OpenAI, Azure, vLLM, DeepSeek, OpenRouter
    r"exceeds the context window",
    r"maximum context length is (?<limit>N) tokens(.{0,80}?(resulted in|you requested|requested about|contains at least) (about )?(?<actual>N))?",
    r"context[_ ]length[_ ]exceeded",
    r"prompt \(length (?<actual>N)\) is longer than the maximum model length of (?<limit>N)",
    // Google
    r"input token count \(?(?<actual>N)?\)?.{0,20}exceeds the maximum number of tokens allowed( \(?(?<limit>N)\)?)?",
    // xAI
    r"maximum prompt length is (?<limit>N)( but the request contains (?<actual>N) tokens)?",
    // Groq, Cerebras
    r"reduce the length of the (messages|prompt|input)",
    // Amazon Bedrock
    r"input is too long for requested model",
    // GitHub Copilot
    r"prompt token count of (?<actual>N) exceeds the limit of (?<limit>N)",
    // llama.cpp, LM Studio
    r"request \(?(?<actual>N)?( tokens\) )?exceeds the available context size( \((?<limit>N) tokens\))?",
    r"exceeds the available context size",
    r"greater than the context length",
    // MiniMax
    r"context window exceeds limit",
    // Kimi
    r"exceeded model token limit(: (?<limit>N) \(requested: (?<actual>N)\))?",
    // Mistral
    r"prompt contains (?<actual>N) tokens.{0,80}too large for model with (?<limit>N) maximum context length",
    r"too large for model with (?<limit>N) maximum context length",
    // Together, Hugging Face
    r"input \((?<actual>N) tokens\) is longer than the model's context length \((?<limit>N) tokens\)",
    r"`?inputs`? tokens \+ `?max_new_tokens`? must be <= (?<limit>N)(\. Given: (?<actual>N))?",
    // no one in particular
    r"too many (input )?tokens",
    r"token limit exceeded",
];

/// What is said of too many requests or tokens in some time, which is no overflow.
const RATE: &str = r"rate.?limit|per (minute|hour|day|second)|quota|\b[tr]p[md]\b";

/// Recognises an error's text (its message, or its body as JSON) as "too long"; `None` for any other error.
pub fn overflow(text: &str) -> Option<Overflow> {
    if rate().is_some_and(|r| r.is_match(text)) {
        return None;
    }
    let mut found: Option<Overflow> = None;
    for regex in texts() {
        let Some(captures) = regex.captures(text) else { continue };
        let figure = |name: &str| {
            let digits: String = captures.name(name)?.as_str().chars().filter(char::is_ascii_digit).collect();
            digits.parse().ok()
        };
        let known = found.get_or_insert_default();
        known.limit = known.limit.or_else(|| figure("limit"));
        known.actual = known.actual.or_else(|| figure("actual"));
    }
    found
}

/// Whether an error's text says that the request was too long.
pub fn is_overflow(text: &str) -> bool {
    overflow(text).is_some()
}

fn compile(pattern: &str) -> Option<Regex> {
    let pattern = pattern.replace('N', "(?:[0-9]{1,3}(?:[,_][0-9]{3})+|[0-9]+)");
    RegexBuilder::new(&pattern).case_insensitive(true).dot_matches_new_line(true).build().ok()
}

fn texts() -> &'static [Regex] {
    static TEXTS_COMPILED: OnceLock<Vec<Regex>> = OnceLock::new();
    TEXTS_COMPILED.get_or_init(|| TEXTS.iter().filter_map(|t| compile(t)).collect())
}

fn rate() -> Option<&'static Regex> {
    static RATE_COMPILED: OnceLock<Option<Regex>> = OnceLock::new();
    RATE_COMPILED.get_or_init(|| RegexBuilder::new(RATE).case_insensitive(true).build().ok()).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_compiles() {
        assert_eq!(texts().len(), TEXTS.len());
        assert!(rate().is_some());
    }
}
