use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ToolRules;
use crate::config::Keys;
use crate::error::Result;

/// The fewest bytes that `maxMessageBytes` may be: room for the shortest notice of a cut.
pub const MIN_MESSAGE_BYTES: u64 = 64;

const BUDGET_SHARE: f64 = 0.25;
const BUDGET_FLOOR: u64 = 20_000;
const BUDGET_CEILING: u64 = 60_000;
/// Of a large window, beyond the ceiling: from 500,000 tokens on.
const LARGE_BUDGET_SHARE: f64 = 0.12;

/// How tool outputs stand in the context window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct ToolOutputCacheConfig {
    /// Store tool outputs and cut what stands of them in the view. `false`: they stay as they are, without refs.
    /// Default `true`.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub enabled: bool,
    /// Tokens that all tool outputs in the view may take together; the oldest beyond it become placeholders.
    /// Default `null`: a quarter of the context window, but from 20,000 to 60,000; 12 % of a window of 500,000 and more, but for the
    /// preset `"spec"`; 20,000 without a window. It holds under a ladder that lists `trim_tool_outputs`; a number, under every ladder.
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "number | null"))]
    pub context_budget_tokens: Option<u64>,
    /// UTF-8 bytes of text of one tool output in the view, the notice included. Default 51,200; at least 64.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub max_message_bytes: u64,
    /// Code points of one line of a tool output in the view. Default 2,000; at least 1.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    pub max_line_length: u64,
    /// What holds for the outputs of single tools, by the tool's name; `*` in it stands for any characters, a name stands before a
    /// pattern, and a longer pattern before a shorter one. `"keep"`: no pass trims or shortens them (a summary may still stand for
    /// them). `"first"`: they are trimmed before those of other tools. `{ maxTokens }`: each is cut to so many tokens as it enters.
    #[serde(skip_serializing_if = "ToolRules::is_empty")]
    #[cfg_attr(
        target_arch = "wasm32",
        tsify(optional, type = "Record<string, \"keep\" | \"first\" | { maxTokens: number }>")
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
    /// Reads the options at `toolOutputCache`; what is not there has its default.
    ///
    /// # Errors
    /// `INVALID_CONFIG` for an unknown key, a wrong type or a number out of range.
    pub fn from_value(value: &Value) -> Result<Self> {
        let mut keys = Keys::of("toolOutputCache", value)?;
        let config = Self::from_keys(&mut keys)?;
        keys.finish()?;
        Ok(config)
    }

    /// Reads its own keys of a larger object; the caller reads the rest and finishes.
    pub fn from_keys(keys: &mut Keys<'_>) -> Result<Self> {
        let default = Self::default();
        Ok(Self {
            enabled: keys.bool("enabled")?.unwrap_or(default.enabled),
            context_budget_tokens: keys
                .or_null("contextBudgetTokens", |keys, key| keys.u64_in(key, 0..))?
                .flatten(),
            max_message_bytes: keys
                .u64_in("maxMessageBytes", MIN_MESSAGE_BYTES..)?
                .unwrap_or(default.max_message_bytes),
            max_line_length: keys.u64_in("maxLineLength", 1..)?.unwrap_or(default.max_line_length),
            tools: keys.map("tools")?.map(ToolRules::from_map).transpose()?.unwrap_or_default(),
        })
    }

    /// `max_message_bytes` as a length.
    pub(super) fn max_bytes(&self) -> usize {
        usize::try_from(self.max_message_bytes).unwrap_or(usize::MAX)
    }

    /// `max_line_length` as a length.
    pub(super) fn max_line(&self) -> usize {
        usize::try_from(self.max_line_length).unwrap_or(usize::MAX)
    }

    /// The same where no document fixes it: it grows with a large window.
    pub fn growing_budget(&self, window: Option<u64>) -> u64 {
        let grown = window.map_or(0, |window| (window as f64 * LARGE_BUDGET_SHARE) as u64);
        let budget = self.budget(window);
        if self.context_budget_tokens.is_none() && grown > BUDGET_CEILING { grown } else { budget }
    }

    /// Tokens that all tool outputs in the view may take together, in a context window of `window` tokens (CACHE-1).
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
    use serde_json::json;

    #[test]
    fn defaults_are_the_specifications() {
        let c = ToolOutputCacheConfig::from_value(&json!({})).unwrap();
        assert_eq!(c, ToolOutputCacheConfig::default());
        assert_eq!(
            serde_json::to_value(&c).unwrap(),
            json!({ "enabled": true, "contextBudgetTokens": null, "maxMessageBytes": 51200, "maxLineLength": 2000 })
        );
    }

    #[test]
    fn the_budget_is_a_quarter_of_the_window_within_bounds() {
        let c = ToolOutputCacheConfig::default();
        let of = |w| c.budget(w);
        assert_eq!(
            [of(None), of(Some(0)), of(Some(128_000)), of(Some(200_000)), of(Some(1_000_000))],
            [20_000, 20_000, 32_000, 50_000, 60_000]
        );
        let set = ToolOutputCacheConfig::from_value(&json!({ "contextBudgetTokens": 5 })).unwrap();
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
        let null = ToolOutputCacheConfig::from_value(&json!({ "contextBudgetTokens": null })).unwrap();
        assert_eq!(null.budget(Some(128_000)), 32_000);
    }

    #[test]
    fn nothing_is_clamped_in_silence() {
        let no = |v| ToolOutputCacheConfig::from_value(&v).unwrap_err().to_string();
        let lines = [
            no(json!({ "maxMessageBytes": 63 })),
            no(json!({ "maxLineLength": 0 })),
            no(json!({ "contextBudgetTokens": -1 })),
            no(json!({ "enabled": 1 })),
            no(json!({ "maxLineLenght": 10 })),
            no(json!([])),
        ];
        insta::assert_snapshot!(lines.join("\n"), @r"
        INVALID_CONFIG: `toolOutputCache.maxMessageBytes`: expected a whole number of at least 64, got 63
        INVALID_CONFIG: `toolOutputCache.maxLineLength`: expected a whole number of at least 1, got 0
        INVALID_CONFIG: `toolOutputCache.contextBudgetTokens`: expected a whole number of at least 0, got -1
        INVALID_CONFIG: `toolOutputCache.enabled`: expected true or false, got 1
        INVALID_CONFIG: `toolOutputCache.maxLineLenght`: unknown key; did you mean `maxLineLength`?
        INVALID_CONFIG: `toolOutputCache`: expected an object, got a list
        ");
    }
}
