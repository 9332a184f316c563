use serde_json::{Value, json};

use super::pass::{Aim, Outcome, Pass};
use crate::compaction::{FoldPlan, Keep, Layout, plan};
use crate::config::Keys;
use crate::context::{Context, Unit};
use crate::error::Result;

/// The share of the space after compaction that is reserved for the summary (from the document).
const SUMMARY_SHARE: f64 = 0.26;

/// A summary that each later one extends, as a system message directly behind the header (COMP-15).
///
/// It also covers what other passes left out of the view. If that is most of it, the view gains a summary and does not
/// become smaller itself; the conditions on new messages keep this from repeating.
#[derive(Debug, Clone, PartialEq)]
pub struct RollingSummary {
    /// A summary is due above this many tokens.
    pub upper_threshold: u64,
    /// After a summary, the view stays below this many tokens.
    pub lower_threshold: u64,
    /// The first summary needs at least this many messages.
    pub min_messages: u64,
    /// Each later one needs at least this many new messages …
    pub min_new_messages: u64,
    /// … with more tokens than this × those of the summary.
    pub trigger_ratio: f64,
}

impl Default for RollingSummary {
    fn default() -> Self {
        Self {
            upper_threshold: 50_000,
            lower_threshold: 30_000,
            min_messages: 20,
            min_new_messages: 10,
            trigger_ratio: 0.5,
        }
    }
}

impl RollingSummary {
    pub(super) fn read(keys: &mut Keys<'_>) -> Result<Box<dyn Pass>> {
        let d = Self::default();
        let upper = keys.u64_in("upperThreshold", 1..)?;
        let lower = keys.u64_in("lowerThreshold", 1..)?;
        let pass = Self {
            upper_threshold: upper.unwrap_or(d.upper_threshold),
            lower_threshold: lower.unwrap_or(d.lower_threshold),
            min_messages: keys.u64_in("minMessages", ..)?.unwrap_or(d.min_messages),
            min_new_messages: keys.u64_in("minNewMessages", ..)?.unwrap_or(d.min_new_messages),
            trigger_ratio: keys.number_in("triggerRatio", 0.0..)?.unwrap_or(d.trigger_ratio),
        };
        if pass.lower_threshold >= pass.upper_threshold {
            let (key, (low, high)) = (
                if lower.is_some() { "lowerThreshold" } else { "upperThreshold" },
                (pass.lower_threshold, pass.upper_threshold),
            );
            return Err(
                keys.error(key, format!("lowerThreshold ({low}) must be below upperThreshold ({high})"))
            );
        }
        Ok(Box::new(pass))
    }

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

    fn options(&self) -> Value {
        json!({
            "upperThreshold": self.upper_threshold,
            "lowerThreshold": self.lower_threshold,
            "minMessages": self.min_messages,
            "minNewMessages": self.min_new_messages,
            "triggerRatio": self.trigger_ratio,
        })
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
        Ok(self.plan(context, aim, false).map_or(Outcome::Unchanged, Outcome::Fold))
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
