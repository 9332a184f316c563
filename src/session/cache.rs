//! What edits cost the provider's prompt cache, and whether they save more than that.

use super::run::Run;
use super::state::Session;
use crate::context::{CacheCost, Decision, ItemId};
use crate::message::Role;
use crate::model::MIN_CACHED_PREFIX_TOKENS;
use crate::passes::{Aim, Pass};

/// The size of future calls is estimated from this many of the newest ones.
const NEWEST_CALLS: usize = 8;

/// The state of the view before an edit, to calculate what the edit costs.
#[derive(Debug, Clone, Copy)]
pub(super) struct ViewBefore {
    /// The view's tokens.
    pub tokens: u64,
    /// Tokens at its beginning that were sent unchanged before.
    pub sent: u64,
}

impl Session {
    /// The state of the view now, before an edit.
    pub(super) fn view_before(&self) -> ViewBefore {
        ViewBefore { tokens: self.tokens(), sent: self.context.view.stable_prefix_tokens() }
    }

    /// Records what a pass did to the view since the state `view_before`, and what that costs.
    pub(super) fn decide(
        &self,
        run: &mut Run,
        pass: &str,
        view_before: ViewBefore,
        items: Vec<ItemId>,
        why: String,
    ) {
        let cache = self.cache_cost(&run.aim, view_before);
        run.decide(pass, (view_before.tokens, self.tokens()), items, why);
        run.set_cache_cost(cache);
    }

    /// What an edit costs the prompt cache, and what it is expected to save.
    pub(super) fn cache_cost(&self, aim: &Aim, view_before: ViewBefore) -> Option<CacheCost> {
        let saved = view_before.tokens.saturating_sub(self.tokens());
        let behind = view_before.sent.saturating_sub(self.context.view.stable_prefix_tokens());
        let was_cached = view_before.sent >= MIN_CACHED_PREFIX_TOKENS && !aim.is_cold;
        let reread = if was_cached { behind.saturating_sub(saved) } else { 0 };
        self.cost_of(aim, reread, saved)
    }

    fn cost_of(&self, aim: &Aim, reread: u64, saved: u64) -> Option<CacheCost> {
        let is_any = reread > 0 || saved > 0;
        let calls = if is_any { self.expected_calls(aim) } else { 0 };
        CacheCost::new(reread, saved, calls, self.config.cache_prices)
    }

    /// Whether an edit saves at least as much as it costs.
    pub(super) fn is_paid(&self, aim: &Aim, view_before: ViewBefore) -> bool {
        self.cache_cost(aim, view_before).is_none_or(|cache| cache.is_paid())
    }

    /// Assigns the cache cost of edits made as messages entered. The first decision that touched what was sent before bears all of it.
    pub(super) fn cost_on_entry(&self, aim: &Aim, decisions: &mut [Decision]) {
        let view = &self.context.view;
        let mut behind = view.marked_tokens().saturating_sub(view.stable_prefix_tokens());
        if view.marked_tokens() < MIN_CACHED_PREFIX_TOKENS || aim.is_cold {
            behind = 0;
        }
        for decision in decisions.iter_mut().filter(|decision| decision.pass != "cut_tool_outputs") {
            let saved = decision.tokens_before - decision.tokens_after;
            let reread = std::mem::take(&mut behind).saturating_sub(saved);
            decision.cache = self.cost_of(aim, reread, saved);
        }
    }

    /// How many calls are expected until the view is full again (PASS-10).
    fn expected_calls(&self, aim: &Aim) -> u64 {
        let (mut calls, mut tokens) = (0, 0);
        for slot in self.context.view.body().iter().rev() {
            tokens += slot.tokens();
            calls += u64::from(slot.role() == Role::Assistant);
            if calls as usize == NEWEST_CALLS {
                break;
            }
        }
        let nodes = self.context.history.nodes().iter();
        let so_far = nodes.filter(|node| node.message.role == Role::Assistant).count() as u64;
        let each = (tokens / calls.max(1)).max(1);
        let room = aim.threshold.min(aim.limit).saturating_sub(self.tokens());
        (room / each).clamp(1, so_far.max(1))
    }

    /// Whether a pass may run only if it saves at least what it costs: the view fits without it, and no document's ladder requires it.
    pub(super) fn must_pay(&self, pass: &dyn Pass, aim: &Aim) -> bool {
        pass.is_optional() && self.config.ladder.name.is_none() && !aim.is_due(self.tokens())
    }
}
