use super::ModelLimits;

/// When the built-in limits were looked up, as `YYYY-MM`. Newer models come in through `models`.
pub const BUILT_IN_AS_OF: &str = "2026-06";

/// The limits of a model of this exact name, from the built-in table.
pub(super) fn find(name: &str) -> Option<ModelLimits> {
    let at = TABLE.binary_search_by_key(&name, |row| row.0).ok()?;
    let (_, window, max_input, max_output) = TABLE[at];
    Some(ModelLimits {
        max_input_tokens: max_input,
        context_window: Some(window),
        max_output_tokens: Some(max_output),
    })
}

/// The names in the table.
pub(super) fn names<'a>() -> impl Iterator<Item = &'a str> {
    TABLE.iter().map(|row| row.0)
}

/// Name, context window, largest input, largest output; sorted by name. Figures as models.dev lists them; where its
/// providers differ, the smallest window.
#[rustfmt::skip]
const TABLE: [(&str, u64, u64, u64); 87] = [
    ("claude-3-5-sonnet", 200_000, 200_000, 8192),
    ("claude-3-7-sonnet", 200_000, 200_000, 64_000),
    ("claude-3-haiku", 200_000, 200_000, 4096),
    ("claude-3-opus", 200_000, 200_000, 4096),
    ("claude-fable-5", 1_000_000, 1_000_000, 128_000),
    ("claude-haiku-4-5", 200_000, 200_000, 64_000),
    ("claude-opus-4", 200_000, 200_000, 32_000),
    ("claude-opus-4-0", 200_000, 200_000, 32_000),
    ("claude-opus-4-1", 200_000, 200_000, 32_000),
    ("claude-opus-4-5", 200_000, 200_000, 64_000),
    ("claude-opus-4-6", 200_000, 200_000, 128_000),
    ("claude-opus-4-7", 1_000_000, 1_000_000, 128_000),
    ("claude-opus-4-8", 200_000, 200_000, 128_000),
    ("claude-sonnet-4", 200_000, 200_000, 64_000),
    ("claude-sonnet-4-0", 200_000, 200_000, 64_000),
    ("claude-sonnet-4-5", 200_000, 200_000, 64_000),
    ("claude-sonnet-4-6", 1_000_000, 1_000_000, 64_000),
    ("claude-sonnet-5", 1_000_000, 1_000_000, 128_000),
    ("deepseek-chat", 1_000_000, 1_000_000, 384_000),
    ("deepseek-reasoner", 1_000_000, 1_000_000, 384_000),
    ("deepseek-v4-flash", 1_000_000, 1_000_000, 384_000),
    ("deepseek-v4-pro", 1_000_000, 1_000_000, 384_000),
    ("devstral-2512", 262_144, 262_144, 262_144),
    ("gemini-2.0-flash", 1_048_576, 1_048_576, 8192),
    ("gemini-2.0-flash-lite", 1_048_576, 1_048_576, 8192),
    ("gemini-2.5-flash", 1_048_576, 1_048_576, 65_536),
    ("gemini-2.5-flash-lite", 1_048_576, 1_048_576, 65_536),
    ("gemini-2.5-pro", 1_048_576, 1_048_576, 65_536),
    ("gemini-3-flash-preview", 1_048_576, 1_048_576, 65_536),
    ("gemini-3-pro-preview", 1_048_576, 1_048_576, 65_536),
    ("gemini-3.1-flash-lite", 1_048_576, 1_048_576, 65_536),
    ("gemini-3.1-pro-preview", 1_048_576, 1_048_576, 65_536),
    ("gemini-3.5-flash", 1_048_576, 1_048_576, 65_536),
    ("glm-4.7", 204_800, 204_800, 131_072),
    ("glm-5", 202_752, 202_752, 101_376),
    ("glm-5.1", 200_000, 200_000, 131_072),
    ("glm-5.2", 1_000_000, 1_000_000, 131_072),
    ("gpt-3.5-turbo", 16_385, 16_385, 4096),
    ("gpt-4", 8192, 8192, 8192),
    ("gpt-4-turbo", 128_000, 128_000, 4096),
    ("gpt-4.1", 1_047_576, 1_047_576, 32_768),
    ("gpt-4.1-mini", 1_047_576, 1_047_576, 32_768),
    ("gpt-4.1-nano", 1_047_576, 1_047_576, 32_768),
    ("gpt-4o", 128_000, 128_000, 16_384),
    ("gpt-4o-2024-05-13", 128_000, 128_000, 4096),
    ("gpt-4o-mini", 128_000, 128_000, 16_384),
    ("gpt-5", 400_000, 272_000, 128_000),
    ("gpt-5-chat", 128_000, 128_000, 16_384),
    ("gpt-5-codex", 400_000, 272_000, 128_000),
    ("gpt-5-mini", 400_000, 272_000, 128_000),
    ("gpt-5-nano", 400_000, 272_000, 128_000),
    ("gpt-5-pro", 400_000, 272_000, 272_000),
    ("gpt-5.1", 400_000, 272_000, 128_000),
    ("gpt-5.1-chat", 128_000, 128_000, 16_384),
    ("gpt-5.1-codex", 400_000, 272_000, 128_000),
    ("gpt-5.1-codex-max", 400_000, 272_000, 128_000),
    ("gpt-5.1-codex-mini", 400_000, 272_000, 128_000),
    ("gpt-5.2", 400_000, 272_000, 128_000),
    ("gpt-5.2-chat", 128_000, 128_000, 16_384),
    ("gpt-5.2-codex", 400_000, 272_000, 128_000),
    ("gpt-5.2-pro", 400_000, 272_000, 128_000),
    ("gpt-5.3-chat", 128_000, 128_000, 16_384),
    ("gpt-5.3-codex", 400_000, 272_000, 128_000),
    ("gpt-5.4", 1_050_000, 922_000, 128_000),
    ("gpt-5.4-mini", 400_000, 272_000, 128_000),
    ("gpt-5.4-nano", 400_000, 272_000, 128_000),
    ("gpt-5.4-pro", 1_050_000, 922_000, 128_000),
    ("gpt-5.5", 1_050_000, 922_000, 128_000),
    ("gpt-5.5-pro", 1_050_000, 922_000, 128_000),
    ("gpt-oss-120b", 128_000, 128_000, 16_384),
    ("gpt-oss-20b", 128_000, 128_000, 16_384),
    ("grok-4.3", 1_000_000, 1_000_000, 30_000),
    ("kimi-k2-thinking", 262_144, 262_144, 16_000),
    ("kimi-k2.5", 262_144, 262_144, 16_000),
    ("kimi-k2.6", 262_144, 262_144, 262_144),
    ("mistral-large-2512", 262_144, 262_144, 262_144),
    ("mistral-medium-2604", 262_144, 262_144, 262_144),
    ("mistral-small-2603", 256_000, 256_000, 256_000),
    ("o1", 200_000, 200_000, 100_000),
    ("o1-mini", 128_000, 128_000, 65_536),
    ("o1-pro", 200_000, 200_000, 100_000),
    ("o3", 200_000, 200_000, 100_000),
    ("o3-mini", 200_000, 200_000, 100_000),
    ("o3-pro", 200_000, 200_000, 100_000),
    ("o4-mini", 200_000, 200_000, 100_000),
    ("qwen3-coder-plus", 1_000_000, 1_000_000, 65_536),
    ("qwen3-max", 262_144, 262_144, 65_536),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_sane() {
        assert!(TABLE.is_sorted_by(|a, b| a.0 < b.0));
        for (name, window, input, output) in TABLE {
            assert!(input <= window && output <= window && output > 0, "{name}");
            assert_eq!(find(name).map(|l| l.max_input_tokens), Some(input));
        }
    }
}
