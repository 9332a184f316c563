use std::borrow::Cow;

use serde::Serialize;

use super::cost::ContextCost;
use super::decision::Decision;
use super::item_id::ItemId;
use super::view::OutputCounts;
use crate::saved::saved;
use crate::sorted::SortedMap;
use crate::tokens::TokenUsage;

/// What a run did to the view, and why.
///
/// Tokens are as counted by the session's counter, and sum up. `window`, `limit`, `threshold` and `context_cost` are in the
/// model's own tokens: counted ones times `counter.calibration`, as in `counter.corrected_tokens`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct Report {
    /// The model's context window in tokens; `null` if neither model nor window is known.
    pub window: Option<u64>,
    /// Tokens that a view may take: min(max input, window − reserved output). In the model's own tokens: compare it with
    /// `counter.corrected_tokens`.
    pub limit: Option<u64>,
    /// From here on, `shouldCompact` returns `true`: limit × `thresholdRatio`, or more if the header takes much of the
    /// limit, or if the ladder says so.
    pub threshold: Option<u64>,
    /// The size that this run aimed at, in counted tokens (already divided by `counter.calibration`). Without the pass
    /// `even_cut`, a fold may go far below it: everything but the last `retainLastTurns` turns becomes the summary, however
    /// much room there is. With `fill`, it is the limit. It is higher if the header, the newest user message and the last
    /// step take most of the limit.
    pub target: Option<u64>,
    /// Tokens of the view before the run; tool outputs that were trimmed since the last report still count here.
    pub tokens_before: u64,
    /// Tokens of the view after the run, as counted. If `counter.calibration` is below 1, this may exceed `limit` although
    /// the view fits; compare `counter.corrected_tokens`.
    pub tokens_after: u64,
    /// Messages in the view before.
    pub messages_before: u64,
    /// Messages in the view after.
    pub messages_after: u64,
    /// `1 - tokens_after / tokens_before`, 0 to 1.
    pub reduction: f64,
    /// Token budgets of passes that have one, by name.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Record<string, number>"))]
    pub budgets: SortedMap<Cow<'static, str>, u64>,
    /// How tokens were counted.
    pub counter: CounterReport,
    /// Tokens and messages by part; the tokens sum to `tokens_after`.
    pub parts: Vec<PartReport>,
    /// How many tool messages of the view are whole, shortened or placeholders.
    pub tool_outputs: OutputCounts,
    /// What was decided, in order.
    pub decisions: Vec<Decision>,
    /// Messages that left the view or were shortened since the last report, with refs and folds to bring them back.
    pub left_out: Vec<LeftOut>,
    /// Tokens at the view's beginning that have not changed: what the provider's prompt cache can still serve.
    pub stable_prefix_tokens: u64,
    /// The prompt's limit and tokens, and what was done to make it fit. Present after `prepare` and `recover`, even if they
    /// failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_cost: Option<ContextCost>,
    /// The summary, if one was inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<SummaryReport>,
    /// What you may not expect, in words; absent if there is nothing of this kind (`report.notices ?? []`). For instance, no window is known, a callback of a saved session was not passed
    /// again, the store's data was damaged, or a refusal was not learnt from.
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "string[]"))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Cow<'static, str>>,
}

/// How tokens were counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CounterReport {
    /// `"estimate"`, `"bytes/4"`, the name of an encoding, `"callback"`, or the `name` that was passed to `loadTokenizer`.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "CounterMethod"))]
    pub method: Cow<'static, str>,
    /// Whether text counts equal the model's: the counter is exact, and for this model.
    pub exact: bool,
    /// The share of the limit that passes leave free as a safety margin, 0 to 1.
    pub margin: f64,
    /// The model's tokens divided by counted ones: the input tokens that the latest calls reported, divided by the counts of
    /// the views that were sent. Before the first report: the factor of the model's family (Claude), else 1. Limits,
    /// thresholds and targets are compared with counts times this; the counts themselves are not changed, and sum to
    /// `tokens_after`.
    pub calibration: f64,
    /// `tokens_after` × `calibration`: the input tokens that the provider is expected to report.
    pub corrected_tokens: u64,
    /// The rules by which everything besides text is counted.
    pub rules: Vec<RuleReport>,
}

/// A rule by which something besides text is counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RuleReport {
    /// Such as `image:openai-tiles`; `…:estimate` if no provider publishes a rule.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "string"))]
    pub name: Cow<'static, str>,
    /// Where the rule is published.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "string"))]
    pub source: Cow<'static, str>,
}

impl Default for CounterReport {
    fn default() -> Self {
        Self {
            method: Cow::Borrowed("estimate"),
            exact: false,
            margin: 0.0,
            calibration: 1.0,
            corrected_tokens: 0,
            rules: Vec::new(),
        }
    }
}

/// One part of a view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct PartReport {
    /// Which part.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "PartName"))]
    pub name: Cow<'static, str>,
    /// Tokens.
    pub tokens: u64,
    /// Messages with tokens of this part.
    pub messages: u64,
}

/// A message that left the view, or that the view shows shorter than it was pushed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LeftOut {
    /// The message's id.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "string"))]
    pub id: ItemId,
    /// The reason, in words.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "string"))]
    pub why: Cow<'static, str>,
    /// The ref that opens its full content in the tool output cache.
    #[serde(rename = "ref", skip_serializing_if = "Option::is_none")]
    pub output_ref: Option<String>,
    /// The id of the fold that replaced it.
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "string"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold: Option<ItemId>,
    /// The pass that did it; absent if it was none.
    #[cfg_attr(target_arch = "wasm32", tsify(optional, type = "PassName"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass: Option<Cow<'static, str>>,
}

/// What the summary cost, and how it was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SummaryReport {
    /// How many times it was requested.
    pub attempts: u32,
    /// The usage that the callback reported, summed over all attempts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenUsage>,
    /// Tokens of the carry-over ledger in the summary.
    pub ledger_tokens: u64,
    /// What did not fit into the carry-over ledger and is nowhere else in the view, and what a summary lost because it was cut as a last
    /// resort; absent if there is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger_left_out: Option<LedgerLeftOut>,
    /// What was done instead of what was requested, in words (missing tags, the extractive summariser …), with code and
    /// message of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

/// How many entries did not fit into a carry-over ledger.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct LedgerLeftOut {
    /// The user's rules.
    pub rules: u64,
    /// Paths, URLs, ids and error codes. Those of stored outputs can be read in the cache.
    pub facts: u64,
}

saved!(struct Report { window, limit, threshold, target, tokens_before, tokens_after, messages_before, messages_after, reduction, budgets,
    counter, parts, decisions, left_out, stable_prefix_tokens, summary, context_cost, notices, tool_outputs });
saved!(struct CounterReport { method, exact, margin, calibration, corrected_tokens, rules });
saved!(struct RuleReport { name, source });
saved!(struct PartReport { name, tokens, messages });
saved!(struct LeftOut { id, why, output_ref, fold, pass });
saved!(struct SummaryReport { attempts, usage, ledger_tokens, fallback, ledger_left_out });
saved!(struct LedgerLeftOut { rules, facts });
