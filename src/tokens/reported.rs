//! Reads usage in the shapes that providers and SDKs report into one shape.

use serde_json::{Map, Value};

use super::TokenUsage;
use crate::config::{describe, whole};
use crate::error::{Error, Result};

/// The usage reported for one call, or for a sum of calls.
///
/// Reads the usage objects of `OpenAI` Responses and Chat Completions and of the providers that use the same shapes
/// (`DeepSeek`, Mistral, Groq, xAI, `OpenRouter` …), of Anthropic Messages, Gemini (`usageMetadata`), Bedrock's Converse,
/// the AI SDK (4 to 7), `LangChain` and the `OpenAI` Agents SDK, the specification's `ChatInvokeUsage` and our own
/// [`TokenUsage`]. A whole response or result that contains one of them (`usage`, `usageMetadata`, `usage_metadata`,
/// `totalUsage`) is read too.
///
/// Fields that are missing, `null` or unknown count as 0. **Whether the input includes the cached part** depends on the
/// shape. If a shape is used both ways, the reported total decides; a cached part larger than the input is never included in
/// it. The AI SDK 5 reports Anthropic's cached tokens in addition to the input but `OpenAI`'s as part of it, and the two
/// cannot be told apart if the cached part is the smaller one; it is then assumed to be part of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportedUsage {
    /// The usage that is billed.
    pub usage: TokenUsage,
    /// The usage of the newest single call, which shows how full the context window was. Equal to `usage`, unless that is a
    /// sum: of Anthropic's `iterations`, of an `OpenAI` Agents SDK run (`requests`), of the AI SDK's `totalUsage`, or of an answer for which
    /// the provider ran tools (`server_tool_use`, `toolUsePromptTokenCount`). `None` if it is a sum without its parts. A sum is never taken for a single call.
    pub last_call: Option<TokenUsage>,
}

impl ReportedUsage {
    /// Reads a reported usage.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`: there is no usage in it, or a number is negative or not a whole number.
    pub fn from_value(value: &Value) -> Result<Self> {
        let Value::Object(map) = value else {
            return Err(Error::argument(format!("expected a usage object, got {}", describe(value))));
        };
        let fields = Fields(Some(map));
        if let Some(found) = inner(fields)? {
            return Ok(found);
        }
        let Some(usage) = read_flat(fields)? else {
            let keys: Vec<_> = map.keys().take(8).map(String::as_str).collect();
            return Err(Error::argument(format!(
                "no usage found in an object with the keys [{}]; expected those of a provider's usage, such as \
                 `input_tokens` and `output_tokens`",
                keys.join(", ")
            )));
        };
        Ok(Self { usage, last_call: last_call(fields, usage)? })
    }
}

/// The usage inside a whole response or result.
fn inner(fields: Fields<'_>) -> Result<Option<ReportedUsage>> {
    if let Some(total) = fields.object("totalUsage") {
        let last = match fields.object("usage").or_else(|| fields.last_of("steps")?.object("usage")) {
            Some(last) => read_flat(last)?,
            None => None,
        };
        return Ok(read_flat(total)?.map(|usage| ReportedUsage { usage, last_call: last }));
    }
    for key in ["usage", "usageMetadata", "usage_metadata"] {
        if let Some(value @ Value::Object(_)) = fields.value(key) {
            return ReportedUsage::from_value(value).map(Some);
        }
    }
    Ok(None)
}

/// The newest single call in the object that `usage` was read from.
fn last_call(fields: Fields<'_>, usage: TokenUsage) -> Result<Option<TokenUsage>> {
    if let Some(Value::Array(iterations)) = fields.value("iterations") {
        // Advisor calls and the provider's own compaction have other contexts.
        let own = |v: &&Value| v.get("type").and_then(Value::as_str).is_none_or(|t| t == "message");
        if let Some(Value::Object(last)) = iterations.iter().rev().find(own) {
            return read_flat(Fields(Some(last)));
        }
    }
    if fields.number("requests")?.unwrap_or(1) > 1 {
        let entries = ["requestUsageEntries", "request_usage_entries"];
        return match entries.iter().find_map(|key| fields.last_of(key)) {
            Some(last) => read_flat(last),
            None => Ok(None),
        };
    }
    Ok(Some(usage).filter(|_| !provider_ran_tools(fields)))
}

/// Whether the provider itself ran tools for the answer (a web search, code): then the usage is the sum of several calls, with what the tools
/// returned.
fn provider_ran_tools(fields: Fields<'_>) -> bool {
    let counts = |value: &Value| value.as_u64().is_some_and(|count| count > 0);
    let of_anthropic = fields.object("server_tool_use").and_then(|counted| counted.0);
    fields.value("toolUsePromptTokenCount").is_some_and(counts)
        || of_anthropic.is_some_and(|counted| counted.values().any(counts))
}

/// Reads a usage object of any shape; `None` if it is not one.
fn read_flat(fields: Fields<'_>) -> Result<Option<TokenUsage>> {
    if fields.any(&["promptTokenCount", "candidatesTokenCount", "totalTokenCount"]) {
        return gemini(fields).map(Some);
    }
    if fields.any(&["prompt_tokens", "completion_tokens", "promptTokens", "completionTokens"]) {
        return chat(fields).map(Some);
    }
    if fields.any(&["cache_creation_tokens", "cache_read_tokens"]) {
        return own(fields).map(Some);
    }
    if fields.any(&["input_tokens_details", "input_token_details"]) {
        return responses(fields).map(Some);
    }
    if fields.any(&["cache_creation_input_tokens", "cache_read_input_tokens", "cache_creation"]) {
        return anthropic(fields).map(Some);
    }
    if fields.any(&["input_tokens", "output_tokens"]) {
        return responses(fields).map(Some);
    }
    if fields.any(&["inputTokens", "outputTokens"]) {
        return ai_sdk(fields).map(Some);
    }
    Ok(None)
}

/// Our own shape: no token is counted twice. The total is computed again.
fn own(f: Fields<'_>) -> Result<TokenUsage> {
    Ok(TokenUsage::new(
        f.count("input_tokens")?,
        f.count("output_tokens")?,
        f.count("cache_creation_tokens")?,
        f.count("cache_read_tokens")?,
    ))
}

/// Anthropic Messages: the input excludes tokens read from or written to the cache.
fn anthropic(f: Fields<'_>) -> Result<TokenUsage> {
    let by_duration = f.object("cache_creation").unwrap_or(Fields::NONE);
    let written = match f.number("cache_creation_input_tokens")? {
        Some(n) => n,
        None => by_duration
            .count("ephemeral_5m_input_tokens")?
            .saturating_add(by_duration.count("ephemeral_1h_input_tokens")?),
    };
    Ok(TokenUsage::new(
        f.count("input_tokens")?,
        f.count("output_tokens")?,
        written,
        f.count("cache_read_input_tokens")?,
    ))
}

/// `OpenAI` Responses and `LangChain`'s `usage_metadata`: the input includes the cached part.
fn responses(f: Fields<'_>) -> Result<TokenUsage> {
    let details = f.object("input_tokens_details").or_else(|| f.object("input_token_details"));
    let details = details.unwrap_or(Fields::NONE);
    Ok(Reading {
        input: f.count("input_tokens")?,
        output: f.count("output_tokens")?,
        reasoning: reasoning(f, &["output_tokens_details", "output_token_details"])?,
        written: details.first(&["cache_write_tokens", "cache_creation_tokens", "cache_creation"])?,
        read: details.first(&["cached_tokens", "cache_read_tokens", "cache_read"])?,
        total: f.number("total_tokens")?,
    }
    .usage())
}

/// Chat Completions and providers that use its shape, `ChatInvokeUsage`, and the AI SDK 4.
fn chat(f: Fields<'_>) -> Result<TokenUsage> {
    let details = f.object("prompt_tokens_details").unwrap_or(Fields::NONE);
    let hits = f.number("prompt_cache_hit_tokens")?;
    let misses = f.number("prompt_cache_miss_tokens")?;
    let prompt = f.number("prompt_tokens")?.or(f.number("promptTokens")?);
    let read = details.first(&["cached_tokens", "cache_read_tokens"])?;
    let read =
        read.or(hits).or(f.first(&[
            "prompt_cached_tokens", "cached_tokens", "num_cached_tokens", "cache_read_input_tokens",
        ])?);
    let written = details.first(&["cache_write_tokens", "cache_creation_tokens"])?;
    let written = written.or(f.first(&["prompt_cache_creation_tokens", "cache_creation_input_tokens"])?);
    Ok(Reading {
        input: prompt.unwrap_or_else(|| hits.unwrap_or(0).saturating_add(misses.unwrap_or(0))),
        output: f.first(&["completion_tokens", "completionTokens"])?.unwrap_or(0),
        reasoning: reasoning(f, &["completion_tokens_details"])?,
        written,
        read,
        total: f.first(&["total_tokens", "totalTokens"])?,
    }
    .usage())
}

/// Gemini: the prompt includes the cached part; thoughts and the prompts of its own tools are reported separately.
fn gemini(f: Fields<'_>) -> Result<TokenUsage> {
    let prompt = f.count("promptTokenCount")?.saturating_add(f.count("toolUsePromptTokenCount")?);
    let output = f.first(&["candidatesTokenCount", "responseTokenCount"])?.unwrap_or(0);
    let read = f.count("cachedContentTokenCount")?;
    let output = output.saturating_add(f.count("thoughtsTokenCount")?);
    Ok(TokenUsage::new(prompt.saturating_sub(read), output, 0, read))
}

/// The AI SDK 5 (`cachedInputTokens`), 6 and 7 (`inputTokenDetails`), its providers' own shape (nested `inputTokens`), and
/// the `OpenAI` Agents SDK (`inputTokensDetails`, a list with one entry per request).
fn ai_sdk(f: Fields<'_>) -> Result<TokenUsage> {
    if let Some(input) = f.object("inputTokens") {
        return nested(f, input);
    }
    if f.any(&["cacheReadInputTokens", "cacheWriteInputTokens"]) {
        return bedrock(f);
    }
    let details = f.object("inputTokenDetails").unwrap_or(Fields::NONE);
    let mut read = details.number("cacheReadTokens")?.or(f.number("cachedInputTokens")?);
    let mut written = details.number("cacheWriteTokens")?;
    if let Some(plain) = details.number("noCacheTokens")? {
        let output = f.count("outputTokens")?;
        return Ok(TokenUsage::new(plain, output, written.unwrap_or(0), read.unwrap_or(0)));
    }
    if read.is_none() && written.is_none() {
        read = f.sum("inputTokensDetails", "cached_tokens")?;
        written = f.sum("inputTokensDetails", "cache_write_tokens")?;
    }
    Ok(Reading {
        input: f.count("inputTokens")?,
        output: f.count("outputTokens")?,
        reasoning: None,
        written,
        read,
        total: f.number("totalTokens")?,
    }
    .usage())
}

/// Bedrock's Converse: the input excludes tokens read from or written to the cache.
fn bedrock(f: Fields<'_>) -> Result<TokenUsage> {
    Ok(TokenUsage::new(
        f.count("inputTokens")?,
        f.count("outputTokens")?,
        f.count("cacheWriteInputTokens")?,
        f.count("cacheReadInputTokens")?,
    ))
}

/// `inputTokens: { total, noCache, cacheRead, cacheWrite }, outputTokens: { total, text, reasoning }`.
fn nested(f: Fields<'_>, input: Fields<'_>) -> Result<TokenUsage> {
    let output = f.object("outputTokens").unwrap_or(Fields::NONE);
    let output = match output.number("total")? {
        Some(n) => n,
        None => output.count("text")?.saturating_add(output.count("reasoning")?),
    };
    let (read, written) = (input.count("cacheRead")?, input.count("cacheWrite")?);
    let plain = match (input.number("noCache")?, input.number("total")?) {
        (Some(n), _) => n,
        (None, total) => total.unwrap_or(0).saturating_sub(read).saturating_sub(written),
    };
    Ok(TokenUsage::new(plain, output, written, read))
}

fn reasoning(f: Fields<'_>, keys: &[&str]) -> Result<Option<u64>> {
    let details = keys.iter().find_map(|k| f.object(k)).unwrap_or(Fields::NONE);
    details.first(&["reasoning_tokens", "reasoning"])
}

/// The figures of a shape whose input usually includes the cached part.
struct Reading {
    input: u64,
    output: u64,
    reasoning: Option<u64>,
    written: Option<u64>,
    read: Option<u64>,
    total: Option<u64>,
}

impl Reading {
    fn usage(self) -> TokenUsage {
        let (written, read) = (self.written.unwrap_or(0), self.read.unwrap_or(0));
        let sum = self.input.saturating_add(self.output);
        // xAI reports reasoning in addition to the completion, as its total shows.
        let reasoning = self.reasoning.unwrap_or(0);
        let reasoning_beside = reasoning > 0 && self.total == Some(sum.saturating_add(reasoning));
        let output = self.output.saturating_add(if reasoning_beside { reasoning } else { 0 });
        let all_inside = reasoning_beside || self.total == Some(sum);
        let inside = self.input.checked_sub(read.saturating_add(written));
        let (plain, written) = match (inside, self.input.checked_sub(read)) {
            (Some(plain), _) if all_inside => (plain, written),
            // Tokens read and written are the same ones, and were billed once.
            (None, Some(plain)) if all_inside => (plain, 0),
            (_, unread) => {
                let plain = self.is_plain_beside(written, read).or(inside).or(unread).unwrap_or(self.input);
                (plain, written)
            }
        };
        TokenUsage::new(plain, output, written, read)
    }

    /// The uncached input, if the total shows that the cached part, or some of it, is not part of the input.
    fn is_plain_beside(&self, written: u64, read: u64) -> Option<u64> {
        let total = self.total?;
        let sum = self.input.saturating_add(self.output);
        if total == sum.saturating_add(read).saturating_add(written) {
            return Some(self.input); // none of it is part of the input
        }
        if read <= self.input && written > 0 && total == sum.saturating_add(written) {
            return Some(self.input - read); // only the tokens read are part of the input
        }
        // A `ChatInvokeUsage` made from Anthropic: the tokens read were added to the prompt but not to the total.
        (read <= self.input && total == sum.saturating_sub(read)).then(|| self.input - read)
    }
}

/// The fields of a usage object; empty for a nested object that is missing.
#[derive(Clone, Copy)]
struct Fields<'a>(Option<&'a Map<String, Value>>);

impl<'a> Fields<'a> {
    const NONE: Self = Self(None);

    fn value(self, key: &str) -> Option<&'a Value> {
        self.0?.get(key)
    }

    fn any(self, keys: &[&str]) -> bool {
        keys.iter().any(|k| self.value(k).is_some())
    }

    fn object(self, key: &str) -> Option<Self> {
        self.value(key)?.as_object().map(|map| Self(Some(map)))
    }

    fn last_of(self, key: &str) -> Option<Self> {
        self.value(key)?.as_array()?.last()?.as_object().map(|map| Self(Some(map)))
    }

    /// A number of tokens; `null` counts as missing.
    fn number(self, key: &str) -> Result<Option<u64>> {
        match self.value(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => whole(value).map(Some).ok_or_else(|| {
                Error::argument(format!("usage `{key}`: expected a count of tokens, got {}", describe(value)))
            }),
        }
    }

    fn count(self, key: &str) -> Result<u64> {
        self.number(key).map(Option::unwrap_or_default)
    }

    /// The first of these fields that is present.
    fn first(self, keys: &[&str]) -> Result<Option<u64>> {
        for key in keys {
            if let Some(n) = self.number(key)? {
                return Ok(Some(n));
            }
        }
        Ok(None)
    }

    /// The sum of `field` over the list (or the single object) at `key`.
    fn sum(self, key: &str, field: &str) -> Result<Option<u64>> {
        let entries = match self.value(key) {
            Some(Value::Array(entries)) => entries.as_slice(),
            Some(one @ Value::Object(_)) => std::slice::from_ref(one),
            _ => return Ok(None),
        };
        let mut sum = None;
        for entry in entries {
            if let Some(n) = Self(entry.as_object()).number(field)? {
                sum = Some(n.saturating_add(sum.unwrap_or(0)));
            }
        }
        Ok(sum)
    }
}

#[cfg(test)]
#[path = "reported_tests.rs"]
mod tests;
