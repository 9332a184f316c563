use serde::{Deserialize, Serialize};

use super::ToolRules;
use crate::config::Keys;
use crate::error::Result;

/// The minimum of `maxMessageBytes`: room for the shortest notice.
pub const MIN_MESSAGE_BYTES: u64 = 64;

const BUDGET_SHARE: f64 = 0.25;
const BUDGET_FLOOR: u64 = 20_000;
const BUDGET_CEILING: u64 = 60_000;
/// For large windows, above the ceiling: from 500,000 tokens on.
const LARGE_BUDGET_SHARE: f64 = 0.12;

/// How the context window shows tool outputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ToolOutputCacheConfig {
    /// Whether to store tool outputs and cut long ones in the view. `false`: they are shown unchanged, without refs.
    /// Default `true`.
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "boolean | undefined"))]
    pub enabled: bool,
    /// Tokens that all tool outputs in the view may have together; the oldest ones beyond it become placeholders.
    /// Default `null`: a quarter of the context window, but at least 20,000 and at most 60,000; 12 % of a window of
    /// 500,000 or more, except with the preset `"spec"`; 20,000 without a window. The default only applies to ladders
    /// with the pass `trim_tool_outputs`; a number applies to every ladder.
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number | null | undefined"))]
    pub context_budget_tokens: Option<u64>,
    /// Maximum UTF-8 bytes of text of one tool output in the view, including the notice. Default 51,200; at least 64.
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number | undefined"))]
    pub max_message_bytes: u64,
    /// Maximum code points of one line of a tool output in the view. Default 2,000; at least 1.
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number | undefined"))]
    pub max_line_length: u64,
    /// Rules for the outputs of single tools, by the tool's name. `*` in a name matches any characters; an exact name
    /// takes precedence over a pattern, and a longer pattern over a shorter one. `"keep"`: no pass trims or shortens
    /// them (a summary may still replace them). `"first"`: they are trimmed before those of other tools.
    /// `{ maxTokens }`: each is cut to that many tokens when it is added.
    #[serde(skip_serializing_if = "ToolRules::is_empty")]
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(optional, type = "Record<string, \"keep\" | \"first\" | { maxTokens: number }> | undefined")
    )]
    pub tools: ToolRules,
}

impl Default for ToolOutputCacheConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            context_budget_tokens: None,
            max_message_bytes: 50 * 1024,
            max_line_length: 2000,
            tools: ToolRules::default(),
        }
    }
}

impl ToolOutputCacheConfig {
    /// Reads its own keys of a larger object; the caller reads the rest and calls `finish`.
    pub fn from_keys(keys: &mut Keys<'_>) -> Result<Self> {
        let default = Self::default();
        Ok(Self {
            enabled: keys.bool("enabled")?.unwrap_or(default.enabled),
            context_budget_tokens: keys.u64_or_null("contextBudgetTokens", 0..)?.flatten(),
            max_message_bytes: keys
                .u64_in("maxMessageBytes", MIN_MESSAGE_BYTES..)?
                .unwrap_or(default.max_message_bytes),
            max_line_length: keys.u64_in("maxLineLength", 1..)?.unwrap_or(default.max_line_length),
            tools: keys.map("tools")?.map(ToolRules::from_map).transpose()?.unwrap_or_default(),
        })
    }

    /// `max_message_bytes` as a `usize`.
    pub(super) fn max_bytes(&self) -> usize {
        usize::try_from(self.max_message_bytes).unwrap_or(usize::MAX)
    }

    /// `max_line_length` as a `usize`.
    pub(super) fn max_line(&self) -> usize {
        usize::try_from(self.max_line_length).unwrap_or(usize::MAX)
    }

    /// Like [`Self::budget`], but with a larger budget for a large window. Not used with presets whose document defines
    /// the budget.
    pub fn growing_budget(&self, window: Option<u64>) -> u64 {
        let grown = window.map_or(0, |window| (window as f64 * LARGE_BUDGET_SHARE) as u64);
        let budget = self.budget(window);
        if self.context_budget_tokens.is_none() && grown > BUDGET_CEILING { grown } else { budget }
    }

    /// Tokens that all tool outputs in the view may have together, in a context window of `window` tokens (CACHE-1).
    pub fn budget(&self, window: Option<u64>) -> u64 {
        self.context_budget_tokens.unwrap_or_else(|| {
            window.map_or(BUDGET_FLOOR, |w| {
                ((w as f64 * BUDGET_SHARE) as u64).clamp(BUDGET_FLOOR, BUDGET_CEILING)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_a_quarter_of_the_window_within_bounds() {
        let c = ToolOutputCacheConfig::default();
        let of = |w| c.budget(w);
        assert_eq!(
            [of(None), of(Some(0)), of(Some(128_000)), of(Some(200_000)), of(Some(1_000_000))],
            [20_000, 20_000, 32_000, 50_000, 60_000]
        );
        let set = ToolOutputCacheConfig { context_budget_tokens: Some(5), ..c.clone() };
        assert_eq!(set.budget(Some(1_000_000)), 5);
        assert_eq!(set.growing_budget(Some(1_000_000)), 5);
        let grown = |w| c.growing_budget(w);
        assert_eq!(
            [
                grown(None),
                grown(Some(128_000)),
                grown(Some(499_999)),
                grown(Some(500_000)),
                grown(Some(1_000_000))
            ],
            [20_000, 32_000, 60_000, 60_000, 120_000]
        );
    }
}
