use serde_json::{Value, json};

use super::pass::{Aim, Outcome, Pass};
use crate::config::Keys;
use crate::context::{Context, NodeIndex, PartName, Unit, UnitKind, begin_with_user};
use crate::error::Result;

const WHY: &str = "outside the recent window; no summary covers it yet";

/// Keeps the newest messages within a budget; older ones leave the view (PASS-7).
#[derive(Debug, Clone, PartialEq)]
pub struct RecentWindow {
    /// If false, it does nothing.
    pub enabled: bool,
    /// It does nothing in a view of up to this many messages.
    pub min_messages: u64,
    /// The share of the window that a view may take.
    pub target_ratio: f64,
    /// The summary's share of what the header leaves of that …
    pub summary_ratio: f64,
    /// … and the share for the recent messages; the rest is a buffer.
    pub recent_ratio: f64,
}

impl Default for RecentWindow {
    fn default() -> Self {
        Self { enabled: true, min_messages: 10, target_ratio: 0.6, summary_ratio: 0.26, recent_ratio: 0.65 }
    }
}

/// Budgets in tokens.
struct Budgets {
    target: u64,
    system: u64,
    available: u64,
    summary: u64,
    recent: u64,
}

impl RecentWindow {
    pub(super) fn read(keys: &mut Keys<'_>) -> Result<Box<dyn Pass>> {
        let d = Self::default();
        let pass = Self {
            enabled: keys.bool("enabled")?.unwrap_or(d.enabled),
            min_messages: keys.u64_in("minMessages", ..)?.unwrap_or(d.min_messages),
            target_ratio: keys.number_in("targetRatio", 0.0..=1.0)?.unwrap_or(d.target_ratio),
            summary_ratio: keys.number_in("summaryRatio", 0.0..=1.0)?.unwrap_or(d.summary_ratio),
            recent_ratio: keys.number_in("recentRatio", 0.0..=1.0)?.unwrap_or(d.recent_ratio),
        };
        if pass.summary_ratio + pass.recent_ratio > 1.0 {
            let (summary, recent) = (pass.summary_ratio, pass.recent_ratio);
            let why = format!("together with summaryRatio ({summary}) must be at most 1, got {recent}");
            return Err(keys.error("recentRatio", why));
        }
        Ok(Box::new(pass))
    }

    /// The document's formula; shares are rounded as in its log.
    fn budget(&self, context: &Context, window: u64) -> Budgets {
        let target = (window as f64 * self.target_ratio).round() as u64;
        let system = context.view.fixed_tokens();
        let available = target.saturating_sub(system);
        let share = |ratio: f64| (available as f64 * ratio).round() as u64;
        Budgets {
            target,
            system,
            available,
            summary: share(self.summary_ratio),
            recent: share(self.recent_ratio),
        }
    }
}

impl Pass for RecentWindow {
    fn name(&self) -> &'static str {
        "recent_window"
    }

    fn options(&self) -> Value {
        json!({
            "enabled": self.enabled,
            "minMessages": self.min_messages,
            "targetRatio": self.target_ratio,
            "summaryRatio": self.summary_ratio,
            "recentRatio": self.recent_ratio,
        })
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        let Some(window) = aim.window.filter(|_| self.enabled) else { return false };
        let in_folds: u64 = context
            .view
            .tokens_by_part()
            .iter()
            .filter(|(part, ..)| matches!(part, PartName::Summary | PartName::Ledger | PartName::Retain))
            .map(|(_, tokens, _)| tokens)
            .sum();
        let recent = context.view.tokens().saturating_sub(context.view.fixed_tokens() + in_folds);
        context.view.body().len() as u64 > self.min_messages && recent > self.budget(context, window).recent
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        let Some(window) = aim.window else { return Ok(Outcome::Unchanged) };
        let budget = self.budget(context, window).recent;
        let mut units = context.units();
        let left = choose(&mut units, budget);
        begin_with_user(&mut units, left);
        let removed: Vec<NodeIndex> =
            units.iter().filter(|u| u.is_removed()).flat_map(|u| u.nodes.iter().copied()).collect();
        let removed: Vec<NodeIndex> =
            removed.into_iter().filter(|n| context.view.dropped(*n).is_none()).collect();
        context.drop_from_view(&removed, WHY);
        Ok(Outcome::changed(removed, format!("the recent messages were limited to {budget} tokens")))
    }

    fn budgets(&self, context: &Context, aim: &Aim) -> Vec<(&'static str, u64)> {
        let Some(window) = aim.window.filter(|_| self.enabled) else { return Vec::new() };
        let budgets = self.budget(context, window);
        vec![
            ("window", window),
            ("target", budgets.target),
            ("system", budgets.system),
            ("available", budgets.available),
            ("summary", budgets.summary),
            ("recent", budgets.recent),
        ]
    }
}

/// Marks the units that go. Going back from the newest, it skips steps with calls that do not fit, and stops at the first
/// other message that does not fit. Summaries, the newest user message and fixed units stay in any case. Returns what is
/// left of the budget.
fn choose(units: &mut [Unit], budget: u64) -> u64 {
    let newest_user = units.iter().rposition(Unit::opens_turn);
    let stays = |i: usize, u: &Unit| u.is_fold() || !u.may_be_removed() || Some(i) == newest_user;
    let held: u64 = units
        .iter()
        .enumerate()
        .filter(|(i, u)| stays(*i, u) && !u.is_fold() && u.stays())
        .map(|(_, u)| u.tokens)
        .sum();
    let mut left = budget.saturating_sub(held);
    let mut ended = false;
    for (i, unit) in units.iter_mut().enumerate().rev() {
        if stays(i, unit) {
            continue;
        }
        if !ended && unit.tokens <= left {
            left -= unit.tokens;
            continue;
        }
        ended |= unit.kind != UnitKind::Calls;
        unit.mark_removed();
    }
    left
}
