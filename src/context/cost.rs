use serde::Serialize;

use super::decision::Decision;
use crate::saved::saved;

/// The limit and the tokens of a model call's prompt, and what was done to make it fit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify), tsify(missing_as_null))]
pub struct ContextCost {
    /// Tokens that the prompt may take; `null` if neither model nor window is known. All figures here are in the model's own
    /// tokens.
    pub limit: Option<u64>,
    /// The last estimate of the prompt's tokens: of the final prompt, or of the smallest one that was tried.
    pub estimated_tokens: u64,
    /// What was done to make it fit, in order.
    pub decisions: Vec<CostDecision>,
}

/// One step that made a prompt smaller.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CostDecision {
    /// The pass.
    pub pass: String,
    /// The number of this run of the same pass, from 1.
    pub attempt: u32,
    /// Tokens of the prompt before.
    pub tokens_before: u64,
    /// Tokens of the prompt after.
    pub tokens_after: u64,
}

saved!(struct ContextCost { limit, estimated_tokens, decisions });
saved!(struct CostDecision { pass, attempt, tokens_before, tokens_after });

impl ContextCost {
    /// For a view of `tokens` tokens after these decisions; `corrected` converts counted tokens to the model's.
    pub fn new(
        limit: Option<u64>,
        tokens: u64,
        decisions: &[Decision],
        corrected: impl Fn(u64) -> u64,
    ) -> Self {
        let summary = |decision: &Decision| CostDecision {
            pass: decision.pass.clone(),
            attempt: decision.attempt.unwrap_or(1),
            tokens_before: corrected(decision.tokens_before),
            tokens_after: corrected(decision.tokens_after),
        };
        Self {
            limit,
            estimated_tokens: corrected(tokens),
            decisions: decisions.iter().map(summary).collect(),
        }
    }
}
