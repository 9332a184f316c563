use serde::Serialize;

use super::Retention;
use crate::context::{Decision, PartReport};
use crate::error::ErrorCode;
use crate::model::{Costs, Rates};

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
