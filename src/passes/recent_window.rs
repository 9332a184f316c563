use super::options::options;
use super::pass::{Aim, Outcome, Pass};
use crate::config::Keys;
use crate::context::{Context, NodeIndex, PartName, Unit, UnitKind, begin_with_user};
use crate::error::Result;

const WHY: &str = "outside the recent window; no summary covers it yet";

options! {
    /// Keeps the newest messages within a budget; older ones leave the view (PASS-7).
    #[derive(Debug, Clone, PartialEq)]
    pub struct RecentWindow {
        /// If false, it does nothing.
        "enabled": bool => enabled: bool = true,
        /// It does nothing in a view of up to this many messages.
        "minMessages": u64_in(..) => min_messages: u64 = 10,
        /// The share of the window that a view may take.
        "targetRatio": number_in(0.0..=1.0) => target_ratio: f64 = 0.6,
        /// The summary's share of what the header leaves of that …
        "summaryRatio": number_in(0.0..=1.0) => summary_ratio: f64 = 0.26,
        /// … and the share for the recent messages; the rest is a buffer.
        "recentRatio": number_in(0.0..=1.0) => recent_ratio: f64 = 0.65,
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

    fn check(&self, keys: &mut Keys<'_>) -> Result<()> {
        let (summary, recent) = (self.summary_ratio, self.recent_ratio);
        if summary + recent > 1.0 {
            let why = format!("together with summaryRatio ({summary}) must be at most 1, got {recent}");
            return Err(keys.error("recentRatio", why));
        }
        Ok(())
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
