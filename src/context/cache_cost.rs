//! The cost of an edit to the provider's prompt cache. In the caller's own ladder, an optional pass (`Pass::is_optional`)
//! that edits a view with room left is undone if its edit does not pay.

use serde::Serialize;

use crate::model::CachePrices;
use crate::saved::saved;

/// What an edit of the view costs the provider's prompt cache, and what it is expected to save.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct CacheCost {
    /// Tokens after the edit that were in the cache, and that the next call has to write to it again.
    pub reread_tokens: u64,
    /// By how many tokens each of the next calls is shorter.
    pub saved_per_call: u64,
    /// How many calls are expected until the view is full again: as many as there is room for at the size of the newest
    /// ones, but no more than there were so far.
    pub expected_calls: u64,
    /// What rewriting the cache costs once: `reread_tokens` at the price of a cache write minus that of a cache read. Like
    /// `saves`, in input tokens at the model's list price. The price of requesting a summary is not included.
    pub cost: u64,
    /// What the edit saves: `saved_per_call` in each of the `expected_calls`, at the price of a cache read.
    pub saves: u64,
}

saved!(struct CacheCost { reread_tokens, saved_per_call, expected_calls, cost, saves });

impl CacheCost {
    /// The cost of an edit at these prices; `None` if it neither invalidates cached tokens nor makes calls shorter.
    pub fn new(
        reread_tokens: u64,
        saved_per_call: u64,
        expected_calls: u64,
        prices: CachePrices,
    ) -> Option<Self> {
        let cost = (reread_tokens as f64 * (prices.write - prices.read).max(0.0)).round() as u64;
        let saves = (saved_per_call as f64 * expected_calls as f64 * prices.read).round() as u64;
        let is_any = reread_tokens > 0 || saved_per_call > 0;
        is_any.then_some(Self { reread_tokens, saved_per_call, expected_calls, cost, saves })
    }

    /// Whether it saves at least what it costs.
    pub fn is_paid(&self) -> bool {
        self.saves >= self.cost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_pays_if_the_shorter_calls_save_more_than_it_costs() {
        let edit = |reread, saved, calls| CacheCost::new(reread, saved, calls, CachePrices::NEUTRAL).unwrap();
        let dear = edit(100_000, 2_000, 50);
        assert_eq!((dear.cost, dear.saves, dear.is_paid()), (115_000, 10_000, false));
        let cheap = edit(5_000, 20_000, 50);
        assert_eq!((cheap.cost, cheap.saves, cheap.is_paid()), (5_750, 100_000, true));
        assert!(edit(0, 1, 1).is_paid(), "what was not sent yet costs nothing");
        assert_eq!(CacheCost::new(0, 0, 9, CachePrices::NEUTRAL), None);
    }

    #[test]
    fn without_a_discount_every_saved_token_counts() {
        let flat = CachePrices { read: 1.0, write: 1.0 };
        let edit = CacheCost::new(100_000, 10, 1, flat).unwrap();
        assert_eq!((edit.cost, edit.saves, edit.is_paid()), (0, 10, true));
    }
}
