use super::options::options;
use super::pass::{Aim, Outcome, Pass};
use crate::compaction::{FoldPlan, Keep, Layout, plan};
use crate::config::Keys;
use crate::context::{Context, Unit};
use crate::error::Result;

/// The share of the space after compaction that is reserved for the summary (from the document).
const SUMMARY_SHARE: f64 = 0.26;

options! {
    /// A summary that each later one extends, as a system message directly behind the header (COMP-15).
    ///
    /// It also covers what other passes left out of the view. If that is most of it, the view gains a summary and does not
    /// become smaller itself; the conditions on new messages keep this from repeating.
    #[derive(Debug, Clone, PartialEq)]
    pub struct RollingSummary {
        /// A summary is due above this many tokens.
        "upperThreshold": u64_in(1..) => upper_threshold: u64 = 50_000,
        /// After a summary, the view stays below this many tokens.
        "lowerThreshold": u64_in(1..) => lower_threshold: u64 = 30_000,
        /// The first summary needs at least this many messages.
        "minMessages": u64_in(..) => min_messages: u64 = 20,
        /// Each later one needs at least this many new messages …
        "minNewMessages": u64_in(..) => min_new_messages: u64 = 10,
        /// … with more tokens than this × those of the summary.
        "triggerRatio": number_in(0.0..) => trigger_ratio: f64 = 0.5,
    }
}

impl RollingSummary {
    /// Whether there are enough messages that no summary covers: the document's conditions for a first and for a later
    /// summary.
    fn has_enough_messages(&self, context: &Context) -> bool {
        let (folds, new): (Vec<Unit>, Vec<Unit>) = context.units().into_iter().partition(Unit::is_fold);
        let messages = new.iter().map(|u| u.nodes.len() as u64).sum::<u64>();
        let tokens = new.iter().map(|u| u.tokens + u.hidden_tokens).sum::<u64>();
        let summary = folds.iter().map(|u| u.tokens).sum::<u64>();
        if summary == 0 {
            return messages >= self.min_messages;
        }
        messages >= self.min_new_messages && tokens as f64 > self.trigger_ratio * summary as f64
    }

    /// The plan keeps the view below the lower threshold. By hand, everything but the last turn is folded, however little it
    /// is.
    fn plan(&self, context: &Context, aim: &Aim, by_hand: bool) -> Option<FoldPlan> {
        let target = aim.limit.min(aim.as_counted(self.lower_threshold).saturating_sub(1));
        let summary = (target as f64 * SUMMARY_SHARE) as u64;
        let keep = Keep {
            fill: !by_hand,
            hidden_too: true,
            summary: Some(summary),
            role: aim.summary_role,
            ..Keep::last(1, Some(target))
        };
        plan(context, keep, Layout::SystemNote).map(|plan| FoldPlan { max_after: Some(target), ..plan })
    }
}

impl Pass for RollingSummary {
    fn name(&self) -> &'static str {
        "rolling_summary"
    }

    fn check(&self, keys: &mut Keys<'_>) -> Result<()> {
        let (low, high) = (self.lower_threshold, self.upper_threshold);
        if low < high {
            return Ok(());
        }
        let is_given = keys.value("lowerThreshold").is_some();
        let key = if is_given { "lowerThreshold" } else { "upperThreshold" };
        Err(keys.error(key, format!("lowerThreshold ({low}) must be below upperThreshold ({high})")))
    }

    fn wants(&self, context: &Context, aim: &Aim) -> bool {
        aim.auto
            && aim.may_fold_automatically(context.view.tokens())
            && context.view.tokens() + context.view.dropped_tokens() > aim.as_counted(self.upper_threshold)
    }

    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome> {
        if !self.has_enough_messages(context) {
            return Ok(Outcome::Unchanged);
        }
        Ok(self.plan(context, aim, false).map_or(Outcome::Unchanged, |plan| Outcome::Fold(Box::new(plan))))
    }

    fn fold(&self, context: &Context, aim: &Aim, by_hand: bool) -> Option<FoldPlan> {
        if by_hand || self.has_enough_messages(context) { self.plan(context, aim, by_hand) } else { None }
    }

    fn layout(&self) -> Option<Layout> {
        Some(Layout::SystemNote)
    }

    fn threshold(&self) -> Option<u64> {
        Some(self.upper_threshold.saturating_add(1))
    }
}
