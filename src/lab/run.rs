use serde::Serialize;

use super::Retention;
use crate::context::{Decision, PartReport};
use crate::error::ErrorCode;
use crate::model::{Costs, Rates};
use crate::sorting::sort_by_key;

/// A transcript, replayed under several ladders.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Simulation {
    /// Tokens of the whole transcript, as it was recorded.
    pub transcript_tokens: u64,
    /// What money is counted by; `null` where no price is known: name a model, or give `prices`.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "SimulationPrices | null"))]
    pub prices: Option<SimulationPrices>,
    /// The transcript as it was recorded: every call with all that was said before it, whatever its size.
    pub recorded: RecordedRun,
    /// One run a ladder, in the order in which they were given.
    pub runs: Vec<SimulatedRun>,
}

/// The price that a simulation counts by. A call's prefix that stood in the call before is paid at the cache's price, from
/// 1,024 tokens on; the rest at the input's, or where writing to the cache has its price, at that.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SimulationPrices {
    /// The model whose price it is; left out where one price was given for whatever model.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Of the built-in table: when its prices were looked up, as `YYYY-MM`; `null` for your own.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "string | null"))]
    pub as_of: Option<&'static str>,
    /// Where it is from: the built-in table's sources, or `"prices"`.
    pub source: &'static str,
    /// The rates for a short prompt, in US dollars a token.
    pub rates: Rates,
}

/// A transcript as it was recorded.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct RecordedRun {
    /// The model calls in order; nothing is decided in them.
    pub calls: Vec<SimulatedCall>,
    /// Input tokens of all calls together.
    pub tokens_total: u64,
    /// Tokens of the largest call.
    pub tokens_largest: u64,
    /// Tokens of all answers.
    pub output_tokens: u64,
    /// The share of `tokens_total` that a prompt cache could serve, 0 to 1.
    pub cache_hit_ratio: f64,
    /// What it costs, in US dollars; `null` without a price.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub cost: Option<f64>,
    /// The same by what it is for.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Costs | null"))]
    pub costs: Option<Costs>,
}

/// A transcript, replayed under one ladder.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SimulatedRun {
    /// The preset's name; of a list of passes, the names of its passes with ` + ` between them.
    pub preset: String,
    /// The context window in tokens.
    pub window: u64,
    /// Tokens that a view may take, as the model counts: what the report's `limit` says.
    pub limit: u64,
    /// From here on the ladder compacts, in the model's tokens; where it is above the limit, the limit triggers.
    pub threshold: u64,
    /// The model calls in order.
    pub calls: Vec<SimulatedCall>,
    /// What was folded, and what asking for it would have cost.
    pub compactions: SimulatedCompactions,
    /// Input tokens of all calls together; the requests for summaries are not among them.
    pub tokens_total: u64,
    /// Tokens of the largest view that was sent.
    pub tokens_largest: u64,
    /// Tokens of all answers, as they were recorded.
    pub output_tokens: u64,
    /// Calls whose view was larger than the limit: 0, or the ladder does not do for this transcript and window.
    pub calls_over_limit: u64,
    /// The share of `tokens_total` that a prompt cache could serve, 0 to 1: the calls' `cached_tokens` over their `tokens`.
    pub cache_hit_ratio: f64,
    /// Tokens of all calls that were written to the cache: their `cache_write_tokens`.
    pub cache_write_tokens: u64,
    /// What took calls out of the cache, what cost most first.
    pub cache_breaks: Vec<CacheBreak>,
    /// What the calls and the requests for summaries cost together, in US dollars; `null` without a price.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub cost: Option<f64>,
    /// The calls' part of it, by what it is for; what is missing to `cost` is `compactions.cost`.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Costs | null"))]
    pub costs: Option<Costs>,
    /// What the last call's view has of what was said until then.
    pub retention: Retention,
    /// The same as a mean over the calls from the first compaction on; `null` where nothing was folded.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "Retention | null"))]
    pub retention_mean: Option<Retention>,
}

/// One model call of a replayed transcript.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SimulatedCall {
    /// Tokens of the view that was sent.
    pub tokens: u64,
    /// The same by part; they sum to `tokens`.
    pub parts: Vec<PartReport>,
    /// What was done to the view before this call.
    pub decisions: Vec<Decision>,
    /// Tokens at the view's beginning that stood there in the call before, too.
    pub cached_tokens: u64,
    /// The rest: what no cache serves, and what is written to it.
    pub cache_write_tokens: u64,
    /// Tokens of the call before that this one does not find in the cache, because something before its end was edited.
    pub cache_lost_tokens: u64,
    /// The pass that edited it; where several did, the one that took most from the cache. Left out where nothing was lost, and where it
    /// was no pass.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_broken_by: Option<String>,
    /// Tokens of the answer, as it was recorded.
    pub output_tokens: u64,
    /// What the call costs, in US dollars; left out without a price.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Why the view could not be prepared: it was sent as it was.
    #[cfg_attr(target_arch = "wasm32", tsify(optional))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<SimulatedError>,
}

impl SimulatedCall {
    /// What it does not find in the cache of the call before, which had so many tokens, and which pass that is of.
    pub(super) fn lose(&mut self, before: u64) {
        self.cache_lost_tokens = before.saturating_sub(self.cached_tokens);
        if self.cache_lost_tokens > 0 {
            let costly = self.decisions.iter().filter_map(|decision| Some((decision.cache?, decision)));
            let most = costly.max_by_key(|(cache, _)| (cache.reread_tokens, cache.saved_per_call));
            self.cache_broken_by = most.map(|(_, decision)| decision.pass.clone());
        }
    }
}

/// What a pass took out of the prompt cache in a replayed transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CacheBreak {
    /// The pass; `null` where it was none: the transcript's header changed, or a late output went to its call.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "PassName | null"))]
    pub pass: Option<String>,
    /// Calls before which it did.
    pub calls: u64,
    /// Tokens that the calls before had in the cache, and these did not find: their `cache_lost_tokens`.
    pub tokens: u64,
}

impl CacheBreak {
    /// Those of a run's calls.
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

/// What `prepare` failed with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SimulatedError {
    /// The error's code.
    pub code: ErrorCode,
    /// Its message.
    pub message: String,
}

/// The compactions of a replayed transcript, and what a model would have been asked for their summaries.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SimulatedCompactions {
    /// How many there were.
    pub count: u64,
    /// Requests for their summaries; more than one where a conversation is larger than the summariser's window.
    pub requests: u64,
    /// Input tokens of these requests.
    pub request_tokens: u64,
    /// Tokens of the answers.
    pub output_tokens: u64,
    /// What the requests cost, in US dollars, at the price of the calls; `null` without a price.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "number | null"))]
    pub cost: Option<f64>,
    /// Each request's place and size, in order.
    pub asked: Vec<SimulatedRequest>,
}

/// A request for a summary.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SimulatedRequest {
    /// The index of the call before which it was asked.
    pub call: u64,
    /// Its input tokens.
    pub input_tokens: u64,
    /// Tokens of its answer.
    pub output_tokens: u64,
}
