use super::price::{Price, Rates};

/// When the built-in prices were looked up, as `YYYY-MM`. Prices change; the caller's own table takes precedence.
pub const PRICES_AS_OF: &str = "2026-11";

/// The source of the built-in prices.
pub const PRICES_SOURCE: &str = "models.dev and LiteLLM's price table";

/// The price of a model of this exact name.
pub(super) fn find(name: &str) -> Option<Price> {
    let at = TABLE.binary_search_by_key(&name, |row| row.0).ok()?;
    let (_, input, output, cache_read, cache_write) = TABLE[at];
    Some(Price::of(Rates::per_million(input, output, cache_read, cache_write)))
}

/// The names in the table.
pub(super) fn names<'a>() -> impl Iterator<Item = &'a str> {
    TABLE.iter().map(|row| row.0)
}

/// Name; dollars per million tokens of input, output, input read from the cache, input written to the cache (0: no such
/// rate). Sorted by name. These are the makers' list prices; prompts of any length are charged at the price for short ones.
#[rustfmt::skip]
const TABLE: [(&str, f64, f64, f64, f64); 60] = [
    ("claude-fable-5", 10.0, 50.0, 1.0, 12.5),
    ("claude-fable-5-1", 10.0, 50.0, 0.25, 12.5),
    ("claude-haiku-4-5", 1.0, 5.0, 0.1, 1.25),
    ("claude-haiku-5-5", 0.1, 0.5, 0.01, 0.125),
    ("claude-opus-4-1", 15.0, 75.0, 1.5, 18.75),
    ("claude-opus-4-5", 5.0, 25.0, 0.5, 6.25),
    ("claude-opus-4-6", 5.0, 25.0, 0.5, 6.25),
    ("claude-opus-4-7", 5.0, 25.0, 0.5, 6.25),
    ("claude-opus-4-8", 5.0, 25.0, 0.5, 6.25),
    ("claude-opus-5", 5.0, 25.0, 0.5, 6.25),
    ("claude-opus-5-5", 4.0, 20.0, 0.2, 5.0),
    ("claude-sonnet-4", 3.0, 15.0, 0.3, 3.75),
    ("claude-sonnet-4-5", 3.0, 15.0, 0.3, 3.75),
    ("claude-sonnet-4-6", 3.0, 15.0, 0.3, 3.75),
    ("claude-sonnet-5", 2.0, 10.0, 0.2, 2.5),
    ("claude-sonnet-5-5", 2.0, 10.0, 0.1, 2.5),
    ("deepseek-chat", 0.28, 0.42, 0.028, 0.0),
    ("deepseek-v4-flash", 0.3, 1.2, 0.006, 0.0),
    ("deepseek-v4-pro", 1.32, 3.96, 0.044, 0.0),
    ("gemini-2.5-flash", 0.3, 2.5, 0.03, 0.0),
    ("gemini-2.5-pro", 1.25, 10.0, 0.125, 0.0),
    ("gemini-3-flash-preview", 0.5, 3.0, 0.05, 0.0),
    ("gemini-3.1-pro-preview", 2.0, 12.0, 0.2, 0.0),
    ("gemini-3.5-flash", 1.5, 9.0, 0.15, 0.0),
    ("gemini-3.8-flash", 0.75, 3.75, 0.075, 0.0),
    ("gemini-4-argon", 2.0, 10.0, 0.1, 0.0),
    ("gemini-4-hydrogen", 1.5, 7.5, 0.075, 0.0),
    ("glm-5.3", 1.4, 4.4, 0.26, 0.0),
    ("gpt-4.1", 2.0, 8.0, 0.5, 0.0),
    ("gpt-4.1-mini", 0.4, 1.6, 0.1, 0.0),
    ("gpt-4o", 2.5, 10.0, 1.25, 0.0),
    ("gpt-4o-mini", 0.15, 0.6, 0.075, 0.0),
    ("gpt-5", 1.25, 10.0, 0.125, 0.0),
    ("gpt-5-codex", 1.25, 10.0, 0.125, 0.0),
    ("gpt-5-mini", 0.25, 2.0, 0.025, 0.0),
    ("gpt-5-nano", 0.05, 0.4, 0.005, 0.0),
    ("gpt-5.1", 1.25, 10.0, 0.125, 0.0),
    ("gpt-5.2", 1.75, 14.0, 0.175, 0.0),
    ("gpt-5.4", 2.5, 15.0, 0.25, 0.0),
    ("gpt-5.4-mini", 0.75, 4.5, 0.075, 0.0),
    ("gpt-5.5", 5.0, 30.0, 0.5, 0.0),
    ("gpt-5.6", 4.0, 20.0, 0.4, 5.0),
    ("gpt-5.6-luna", 0.2, 1.2, 0.02, 0.25),
    ("gpt-5.6-sol", 4.0, 20.0, 0.4, 5.0),
    ("gpt-5.6-terra", 2.0, 12.0, 0.2, 2.5),
    ("gpt-6-astra", 10.0, 50.0, 1.0, 12.5),
    ("gpt-6-luna", 0.1, 0.5, 0.01, 0.125),
    ("gpt-6-sol", 2.0, 10.0, 0.2, 2.5),
    ("gpt-6.1-sol", 2.0, 10.0, 0.1, 2.5),
    ("gpt-6.1-terra", 1.0, 5.0, 0.05, 1.25),
    ("grok-4.3", 1.25, 2.5, 0.2, 0.0),
    ("grok-4.5", 2.0, 6.0, 0.3, 0.0),
    ("grok-4.7", 2.0, 6.0, 0.5, 0.0),
    ("kimi-k3", 3.0, 15.0, 0.3, 3.0),
    ("mistral-large", 0.5, 1.5, 0.05, 0.0),
    ("mistral-large-4", 0.7, 2.1, 0.07, 0.0),
    ("mistral-medium", 1.5, 7.5, 0.15, 0.0),
    ("o3", 2.0, 8.0, 0.5, 0.0),
    ("o4-mini", 1.1, 4.4, 0.275, 0.0),
    ("qwen3.8-max", 2.0, 6.0, 0.25, 0.0),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_plausible() {
        assert!(TABLE.is_sorted_by(|a, b| a.0 < b.0));
        for (name, input, output, read, write) in TABLE {
            assert!(input > 0.0 && output > input && read < input, "{name}");
            assert!(write <= 0.0 || write >= input, "{name}");
        }
        assert!(find("gpt-5").is_some() && find("gpt-6").is_none());
    }
}
