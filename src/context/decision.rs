//! The decisions of passes: what each did to the view, and why.

use serde::Serialize;

use super::cache_cost::CacheCost;
use super::item_id::ItemId;
use crate::saved::saved;
use crate::sorted::SortedMap;

/// One decision: a pass, and what it changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Decision {
    /// The pass.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "PassName"))]
    pub pass: String,
    /// The number of this run of the same pass, from 1, if it ran several times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// Tokens of the view before.
    pub tokens_before: u64,
    /// Tokens of the view after.
    pub tokens_after: u64,
    /// Ids of the messages that it changed or removed.
    #[cfg_attr(target_arch = "wasm32", tsify(type = "string[]"))]
    pub items: Vec<ItemId>,
    /// The reason, in words.
    pub why: String,
    /// What it costs the provider's prompt cache, and what it is expected to save; absent if the view did not change. If a
    /// pass made several decisions, only the last one has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheCost>,
}

saved!(struct Decision { pass, attempt, tokens_before, tokens_after, items, why, cache });

impl Decision {
    /// A decision whose number and cost are not known yet.
    pub fn new(
        pass: &str,
        (tokens_before, tokens_after): (u64, u64),
        items: Vec<ItemId>,
        why: String,
    ) -> Self {
        Self { pass: pass.to_owned(), attempt: None, tokens_before, tokens_after, items, why, cache: None }
    }
}

/// Numbers the decisions of passes that ran several times.
pub fn number_attempts(decisions: &mut [Decision]) {
    let mut runs: SortedMap<String, (u32, u32)> = SortedMap::new();
    for decision in &*decisions {
        runs.or_default(decision.pass.clone()).0 += 1;
    }
    for decision in decisions {
        let (all, nth) = runs.or_default(decision.pass.clone());
        *nth += 1;
        decision.attempt = Some(*nth).filter(|_| *all > 1);
    }
}
