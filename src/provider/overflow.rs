//! Recognises errors of providers that say "too long", and reads their figures (COMP-23).

use std::sync::OnceLock;

use super::too_many::too_many;
use crate::pattern::{Options, Pattern};
use crate::tool_output::prefix_bytes;

/// How many bytes of an error are read. Every provider says what is wrong within that length, and matching a page of a
/// megabyte would block the event loop for seconds.
const MAX_BYTES_READ: usize = 16 * 1024;

/// What a provider said when a request was too long for the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overflow {
    /// How many tokens the request may have, if the text says so: the model's limit minus the tokens requested for the
    /// answer, if the text mentions these.
    pub limit: Option<u64>,
    /// The tokens that the provider counted in the request, without the answer, if the text says so.
    pub actual: Option<u64>,
}

/// One pattern for each known text. Named groups: `limit` is the model's limit, `actual` the tokens of the request,
/// `answer` those requested for the answer, `total` both together.
const TEXTS: [&str; 32] = [
    // Anthropic
    r"prompt is too long(: (?<actual>N) tokens > (?<limit>N) maximum)?",
    r"input length and `?max_tokens`? exceed context limit: (?<actual>N) \+ (?<answer>N) > (?<limit>N)",
    r"\bmodel_context_window_exceeded\b",
    // OpenAI, Azure, vLLM, DeepSeek, OpenRouter
    r"exceeds the context window",
    r"maximum context length is (?<limit>N) tokens.{0,40}?requested (?<answer>N) output tokens.{0,60}?(?<actual>N) input tokens",
    r"maximum context length is (?<limit>N) tokens(.{0,80}?(resulted in|you requested|requested about|contains at least) (about )?(?<total>N)( tokens \([^)]*?(?<answer>N) (in|for) the (completion|output)\))?)?",
    r"input length \(?(?<actual>N)\)? exceeds (the )?(model's maximum context length|maximum allowed input length of) \(?(?<limit>N)",
    r"exceeds (the )?maximum allowed input length of (?<limit>N)",
    // SGLang
    r"exceeds the model's maximum context length of (?<limit>N) tokens(.{0,80}?: (?<actual>N) tokens from the input messages)?",
    // Ollama
    r"prompt too long; exceeded max context length",
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
    r"too many input tokens\. max input tokens: (?<limit>N), request input token count: (?<actual>N)",
    r"too many total text bytes",
    // GitHub Models, GitHub Copilot
    r"request body too large for .{1,60} model\. max size: (?<limit>N) tokens",
    r"prompt token count of (?<actual>N) exceeds the limit of (?<limit>N)",
    // llama.cpp, LM Studio
    r"request \(?(?<actual>N)?( tokens\) )?exceeds the available context size( \((?<limit>N) tokens\))?",
    r"exceeds the available context size",
    r"greater than the context length",
    // GLM
    r"prompt exceeds max length",
    // Qwen (DashScope)
    r"range of input length should be \[[0-9]+, ?(?<limit>N)\]",
    // Cohere
    r"number of tokens in the prompt cannot exceed (?<limit>N)( - received (?<actual>N))?",
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
];

/// Texts that are not specific to one provider. If an error also mentions rates, they mean tokens per time.
const VAGUE_TEXTS: [&str; 2] = [r"too many (input )?tokens", r"token limit exceeded"];

/// One request that is larger than the rate allows for a whole minute (OpenAI, Groq): waiting would not help. `total` is said to be
/// requested, answer included.
const OVER_RATE: &str = r"request too large.{0,200}?limit:? (?<limit>N), requested:? (?<total>N)";

/// Texts about too many requests or tokens per time, which are not an overflow.
const RATE: &str =
    r"rate.?limit|per (minute|hour|day|second)|quota|\b[tr]p[md]\b|throttl|please wait|too many requests";

/// Recognises an error's text (its message, or its body as JSON) as "too long"; `None` for any other error.
pub fn overflow(text: &str) -> Option<Overflow> {
    if !mentions_rates(text) {
        return match_texts(text, texts());
    }
    let over_rate = match_texts(text, std::slice::from_ref(over_rate_pattern()?))?;
    Some(over_rate).filter(|said| said.actual > said.limit)
}

/// The texts that refuse a request for its size, among the `texts` of an error and of the errors that it wraps. Each
/// text is judged separately, so that one about rates (of an earlier attempt, for example) does not hide an overflow in
/// another. Empty for any other error.
pub fn refusal_texts(texts: &[String]) -> Vec<&str> {
    let rates = texts.iter().any(|text| mentions_rates(text));
    let firm = self::texts().get(..TEXTS.len()).unwrap_or_default();
    let of = if rates { firm } else { self::texts() };
    let of_tokens = |text: &&str| {
        if mentions_rates(text) { overflow(text).is_some() } else { match_texts(text, of).is_some() }
    };
    let refused: Vec<&str> = texts.iter().map(String::as_str).filter(of_tokens).collect();
    if !refused.is_empty() {
        return refused;
    }
    texts.iter().map(String::as_str).filter(|text| too_many(text).is_some()).collect()
}

fn match_texts(text: &str, texts: &[Pattern]) -> Option<Overflow> {
    let mut found: Option<Overflow> = None;
    for known_text in texts {
        let Some(captures) = known_text.captures(prefix_bytes(text, MAX_BYTES_READ)) else { continue };
        let figure = |name: &str| {
            let digits: String = captures.name(name)?.chars().filter(char::is_ascii_digit).collect();
            digits.parse::<u64>().ok()
        };
        let known = found.get_or_insert_default();
        let answer = figure("answer").unwrap_or_default();
        let without_answer = |tokens: u64| tokens.checked_sub(answer).filter(|rest| *rest > 0);
        known.limit = known.limit.or_else(|| figure("limit").and_then(without_answer));
        known.actual =
            known.actual.or_else(|| figure("actual").or_else(|| figure("total").and_then(without_answer)));
    }
    found
}

/// Whether an error's text refuses the request for its size: in tokens, in bytes or in images.
pub fn is_too_large(text: &str) -> bool {
    overflow(text).is_some() || too_many(text).is_some()
}

fn compile(pattern: &str) -> Option<Pattern> {
    let pattern = pattern.replace('N', "(?:[0-9]{1,3}(?:[,_][0-9]{3})+|[0-9]+)");
    Pattern::new(&pattern, Options { ignore_case: true, dot_matches_new_line: true, multi_line: false }).ok()
}

fn texts() -> &'static [Pattern] {
    static TEXTS_COMPILED: OnceLock<Vec<Pattern>> = OnceLock::new();
    TEXTS_COMPILED.get_or_init(|| TEXTS.iter().chain(&VAGUE_TEXTS).filter_map(|t| compile(t)).collect())
}

fn mentions_rates(text: &str) -> bool {
    rate_pattern().is_some_and(|r| r.is_match(prefix_bytes(text, MAX_BYTES_READ)))
}

fn rate_pattern() -> Option<&'static Pattern> {
    static RATE_COMPILED: OnceLock<Option<Pattern>> = OnceLock::new();
    RATE_COMPILED
        .get_or_init(|| Pattern::new(RATE, Options { ignore_case: true, ..Options::default() }).ok())
        .as_ref()
}

fn over_rate_pattern() -> Option<&'static Pattern> {
    static OVER_RATE_COMPILED: OnceLock<Option<Pattern>> = OnceLock::new();
    OVER_RATE_COMPILED.get_or_init(|| compile(OVER_RATE)).as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_over_the_rate_of_a_whole_minute_is_too_large() {
        let said = |requested: u64| {
            format!(
                "Request too large for gpt-4o in organization o on tokens per min (TPM): Limit 30000, Requested {requested}. The input or output tokens must be reduced in order to run successfully."
            )
        };
        assert_eq!(overflow(&said(45_000)), Some(Overflow { limit: Some(30_000), actual: Some(45_000) }));
        assert_eq!(overflow(&said(20_000)), None, "the rest of the minute is used up: wait");
        assert_eq!(overflow("Rate limit reached (TPM): Limit 30000, Used 29000, Requested 2000."), None);
        let qwen = overflow("Range of input length should be [1, 129024]");
        assert_eq!(qwen, Some(Overflow { limit: Some(129_024), actual: None }));
    }

    #[test]
    fn refusals_of_gateways_are_recognised() {
        let sglang = "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 9500 tokens: 9000 tokens from the input messages and 500 tokens for the completion.";
        assert_eq!(overflow(sglang), Some(Overflow { limit: Some(8_192), actual: Some(9_000) }));
        for said in [
            "Request body too large for gpt-4o model. Max size: 8000 tokens.",
            "Your input exceeds maximum allowed input length of 8000 tokens",
        ] {
            assert_eq!(overflow(said), Some(Overflow { limit: Some(8_000), actual: None }), "{said}");
        }
        assert_eq!(overflow("400 status code (no body)"), None, "it may be any error");
    }

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(texts().len(), TEXTS.len() + VAGUE_TEXTS.len());
        assert!(rate_pattern().is_some() && over_rate_pattern().is_some());
    }
}
