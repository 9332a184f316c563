use serde::Serialize;

use super::{PageFaults, Retention};
use crate::context::{Decision, PartReport};
use crate::error::ErrorCode;
use crate::model::{Costs, Price, Rates};
use crate::sorting::sort_by_key;

/// A transcript replayed under several ladders.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct Simulation {
    /// Tokens of the whole transcript as recorded.
    pub transcript_tokens: u64,
    /// The prices used for the costs; `null` if no price is known. Name a model or pass `prices` to set them.
    pub prices: Option<SimulationPrices>,
    /// The transcript as recorded: every call with everything said before it, whatever its size.
    pub recorded: RecordedRun,
    /// One run per ladder, in the given order.
    pub runs: Vec<SimulatedRun>,
}

/// The prices that a simulation uses. The part of a call that was also the beginning of the call before is charged at the
/// cache-read price, from 1,024 tokens on. The rest is charged at the cache-write price if there is one, else at the input
/// price.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct SimulationPrices {
    /// The model whose prices they are. Absent if one price was given for every model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// When the built-in prices were looked up, as `YYYY-MM`; `null` for your own prices.
    pub as_of: Option<&'static str>,
    /// Where the prices come from: the sources of the built-in table, or `"prices"`.
    pub source: &'static str,
    /// The rates for a short prompt, in US dollars per token.
    pub rates: Rates,
}

/// A transcript as it was recorded.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct RecordedRun {
    /// The model calls in order. Their `decisions` are empty.
    pub calls: Vec<SimulatedCall>,
    /// Input tokens of all calls.
    pub tokens_total: u64,
    /// Input tokens of the largest call.
    pub tokens_largest: u64,
    /// Tokens of all answers.
    pub output_tokens: u64,
    /// The share of `tokens_total` that a prompt cache could serve, 0 to 1.
    pub cache_hit_ratio: f64,
    /// The total cost in US dollars; `null` without a price.
    pub cost: Option<f64>,
    /// The cost by kind; `null` without a price.
    pub costs: Option<Costs>,
}

/// A transcript replayed under one ladder.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct SimulatedRun {
    /// The preset's name. For a list of passes: their names, joined by ` + `.
    pub preset: String,
    /// The context window in tokens.
    pub window: u64,
    /// The maximum tokens of a view, in the model's tokens: the `limit` of the report.
    pub limit: u64,
    /// The tokens at which the ladder compacts, in the model's tokens. If this is above the limit, the limit triggers.
    pub threshold: u64,
    /// The model calls in order.
    pub calls: Vec<SimulatedCall>,
    /// The compactions, and what asking a model for their summaries would have cost.
    pub compactions: SimulatedCompactions,
    /// Input tokens of all calls, without the requests for summaries.
    pub tokens_total: u64,
    /// Tokens of the largest view that was sent.
    pub tokens_largest: u64,
    /// Tokens of all answers, as recorded.
    pub output_tokens: u64,
    /// Calls whose view was above the limit. If it is not 0, the ladder is not sufficient for this transcript and window.
    pub calls_over_limit: u64,
    /// The share of `tokens_total` that a prompt cache could serve, 0 to 1: the sum of `cached_tokens` divided by that of
    /// `tokens`.
    pub cache_hit_ratio: f64,
    /// Tokens of all calls that were written to the cache: the sum of `cache_write_tokens`.
    pub cache_write_tokens: u64,
    /// What broke the prompt cache, most tokens first.
    pub cache_breaks: Vec<CacheBreak>,
    /// The cost of the calls and of the requests for summaries, in US dollars; `null` without a price.
    pub cost: Option<f64>,
    /// The cost of the calls, by kind. The difference to `cost` is `compactions.cost`.
    pub costs: Option<Costs>,
    /// The retention of the last call's view: how much it keeps of what was said by then.
    pub retention: Retention,
    /// The mean retention over the calls since the first compaction; `null` if nothing was folded.
    pub retention_mean: Option<Retention>,
    /// What the recorded agent needed again, and how much of it the views no longer showed.
    pub page_faults: PageFaults,
}

/// One model call of a replayed transcript.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SimulatedCall {
    /// Tokens of the view that was sent.
    pub tokens: u64,
    /// The tokens by part; their sum is `tokens`.
    pub parts: Vec<PartReport>,
    /// What was done to the view before this call.
    pub decisions: Vec<Decision>,
    /// Tokens at the beginning of the view that were also at the beginning of the previous call's view.
    pub cached_tokens: u64,
    /// The other tokens: not served from the cache, and written to it.
    pub cache_write_tokens: u64,
    /// Tokens of the previous call that are not served from the cache, because something before its end was edited.
    pub cache_lost_tokens: u64,
    /// The pass that edited it; if there were several, the one that cost the most cached tokens. Absent if nothing was lost,
    /// or if no pass was the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_broken_by: Option<String>,
    /// Tokens of the answer, as recorded.
    pub output_tokens: u64,
    /// The cost of the call in US dollars. Absent without a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Why the view could not be prepared. It was sent unprepared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<SimulatedError>,
}

impl SimulatedCall {
    /// A call with a view of `tokens`, of which the prompt cache serves the first `cached_tokens`.
    pub(super) fn of(
        tokens: u64,
        cached_tokens: u64,
        parts: Vec<PartReport>,
        decisions: Vec<Decision>,
    ) -> Self {
        let cache_write_tokens = tokens - cached_tokens.min(tokens);
        Self { tokens, parts, decisions, cached_tokens, cache_write_tokens, ..Self::default() }
    }

    /// Sets the cost of the call and returns it by kind.
    pub(super) fn charge(&mut self, price: &Price) -> Costs {
        let costs = price.request(self.tokens, self.cached_tokens, self.output_tokens);
        self.cost = Some(costs.total());
        costs
    }

    /// Sets which tokens of the previous call, which had `before` tokens, are lost from the cache, and by which pass.
    pub(super) fn set_cache_break(&mut self, before: u64) {
        self.cache_lost_tokens = before.saturating_sub(self.cached_tokens);
        if self.cache_lost_tokens > 0 {
            let costly = self.decisions.iter().filter_map(|decision| Some((decision.cache?, decision)));
            let most = costly.max_by_key(|(cache, _)| (cache.reread_tokens, cache.saved_per_call));
            self.cache_broken_by = most.map(|(_, decision)| decision.pass.clone());
        }
    }
}

/// How often and by how much a pass broke the prompt cache in a replayed transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CacheBreak {
    /// The pass; `null` if it was none: the transcript's header changed, or a late output was moved to its call.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "PassName | null"))]
    pub pass: Option<String>,
    /// How many calls were affected.
    pub calls: u64,
    /// Tokens that were in the cache for the previous calls and were lost for these: the sum of their `cache_lost_tokens`.
    pub tokens: u64,
}

impl CacheBreak {
    /// The cache breaks of a run's calls.
    pub(super) fn of(calls: &[SimulatedCall]) -> Vec<Self> {
        let mut breaks: Vec<Self> = Vec::new();
        for call in calls.iter().filter(|call| call.cache_lost_tokens > 0) {
            let pass = &call.cache_broken_by;
            let at = breaks.iter().position(|known| known.pass == *pass).unwrap_or_else(|| {
                breaks.push(Self { pass: pass.clone(), calls: 0, tokens: 0 });
                breaks.len() - 1
            });
            breaks[at].calls += 1;
            breaks[at].tokens += call.cache_lost_tokens;
        }
        sort_by_key(&mut breaks, |known| std::cmp::Reverse(known.tokens));
        breaks
    }
}

/// The error that `prepare` failed with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SimulatedError {
    /// The error's code.
    pub code: ErrorCode,
    /// The error's message.
    pub message: String,
}

/// The compactions of a replayed transcript, and the requests that a model would have received for their summaries.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct SimulatedCompactions {
    /// The number of compactions.
    pub count: u64,
    /// The number of requests. A conversation larger than the summariser's window needs several.
    pub requests: u64,
    /// Input tokens of the requests.
    pub request_tokens: u64,
    /// Tokens of their answers.
    pub output_tokens: u64,
    /// The cost of the requests in US dollars, at the price of the calls; `null` without a price.
    pub cost: Option<f64>,
    /// The call and size of each request, in order.
    pub asked: Vec<SimulatedRequest>,
}

/// A request for a summary.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SimulatedRequest {
    /// The index of the call before which it was made.
    pub call: u64,
    /// Its input tokens.
    pub input_tokens: u64,
    /// Tokens of its answer.
    pub output_tokens: u64,
}

/// The share of the calls' tokens that were at the beginning of the previous call's view.
pub(super) fn cache_hit_ratio(calls: &[SimulatedCall]) -> f64 {
    let total: u64 = calls.iter().map(|c| c.tokens).sum();
    let cached: u64 = calls.iter().map(|c| c.cached_tokens).sum();
    if total == 0 { 0.0 } else { cached as f64 / total as f64 }
}
