use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::reported::ReportedUsage;
use crate::error::Result;
use crate::saved::saved;

/// The tokens that one model call used. No cached token is counted twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct TokenUsage {
    /// Input that was neither read from nor written to the prompt cache.
    pub input_tokens: u64,
    /// Output, including reasoning.
    pub output_tokens: u64,
    /// Input written to the prompt cache.
    pub cache_creation_tokens: u64,
    /// Input read from the prompt cache.
    pub cache_read_tokens: u64,
    /// input + `cache_creation` + `cache_read` + output.
    pub total_tokens: u64,
}

saved!(struct TokenUsage { input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens, total_tokens });

impl TokenUsage {
    /// A usage with its total. `input` must not include tokens counted in `cache_creation` or `cache_read`.
    pub fn new(input: u64, output: u64, cache_creation: u64, cache_read: u64) -> Self {
        Self {
            input_tokens: input,
            output_tokens: output,
            cache_creation_tokens: cache_creation,
            cache_read_tokens: cache_read,
            total_tokens: input
                .saturating_add(output)
                .saturating_add(cache_creation)
                .saturating_add(cache_read),
        }
    }

    /// Reads the usage that a provider or an SDK reported, in any of the shapes listed at [`ReportedUsage`], which also
    /// explains sums over several calls.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`: there is no usage in it, or a number is negative or not a whole number.
    pub fn from_value(value: &Value) -> Result<Self> {
        ReportedUsage::from_value(value).map(|reported| reported.usage)
    }

    /// All input: uncached, written to the cache and read from it.
    pub fn all_input(&self) -> u64 {
        self.input_tokens.saturating_add(self.cache_creation_tokens).saturating_add(self.cache_read_tokens)
    }
}

impl std::ops::Add for TokenUsage {
    type Output = Self;

    /// The sum of two usages.
    fn add(self, other: Self) -> Self {
        Self::new(
            self.input_tokens.saturating_add(other.input_tokens),
            self.output_tokens.saturating_add(other.output_tokens),
            self.cache_creation_tokens.saturating_add(other.cache_creation_tokens),
            self.cache_read_tokens.saturating_add(other.cache_read_tokens),
        )
    }
}
