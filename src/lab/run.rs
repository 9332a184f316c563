use serde::Serialize;

use super::Retention;
use crate::context::{Decision, PartReport};
use crate::error::ErrorCode;

/// A transcript, replayed under several ladders.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Simulation {
    /// Tokens of the whole transcript, as it was recorded.
    pub transcript_tokens: u64,
    /// One run a ladder, in the order in which they were given.
    pub runs: Vec<SimulatedRun>,
}

/// A transcript, replayed under one ladder.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SimulatedRun {
    /// The preset's name; of a list of passes, the names of its passes with ` + ` between them.
    pub preset: String,
    /// The context window in tokens.
    pub window: u64,
    /// Tokens that a view may take: what the report's `limit` says.
    pub limit: u64,
    /// From here on the ladder compacts, in tokens; where it is above the limit, the limit triggers.
    pub threshold: u64,
    /// The model calls in order.
    pub calls: Vec<SimulatedCall>,
    /// What was folded, and what asking for it would have cost.
    pub compactions: SimulatedCompactions,
    /// Input tokens of all calls together; the requests for summaries are not among them.
    pub tokens_total: u64,
    /// Tokens of the largest view that was sent.
    pub tokens_largest: u64,
    /// Calls whose view was larger than the limit: 0, or the ladder does not do for this transcript and window.
    pub calls_over_limit: u64,
    /// The share of `tokens_total` that a prompt cache could serve, 0 to 1: the calls' `cached_tokens` over their `tokens`.
    pub cache_hit_ratio: f64,
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

/// The compactions of a replayed transcript.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct SimulatedCompactions {
    /// How many there were.
    pub count: u64,
    /// Input tokens of the requests that a model would have been sent for their summaries. A request that its window takes
    /// only in pieces counts with its first.
    pub request_tokens: u64,
}
