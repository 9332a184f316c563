//! When a run is due, and how far down it takes the view.

use super::state::Session;
use super::summarizer::Summarizer;
use crate::compaction::LEAST_SUMMARY;
use crate::compaction::ledger;
use crate::even_cut::target_beside_fixed;
use crate::passes::Aim;

/// No summary is asked for to save fewer tokens than this.
const MIN_FOLD_TOKENS: u64 = 64;

/// A fold goes 1 / `FOLD_DEPTH_DIVISOR` of the room further down than a cut does: it also costs a request, so it should come less often.
const FOLD_DEPTH_DIVISOR: u64 = 20;

impl Session {
    /// The tokens from which on a compaction is due: limit × `thresholdRatio`, or more if the header takes so much of the
    /// limit that the target comes near; under a ladder that acts at the limit, the limit itself.
    pub fn threshold(&self) -> Option<u64> {
        self.config.ladder.threshold().or_else(|| self.config.limit.map(|limit| self.due_below(limit)))
    }

    fn due_below(&self, limit: u64) -> u64 {
        let compaction = &self.config.compaction;
        if self.config.acts_at_limit {
            return limit;
        }
        let (low, due) = (compaction.target(limit), compaction.threshold(limit));
        if self.config.ladder.even_cut().is_none() {
            return due;
        }
        let fixed = self.corrected(self.context.view.fixed_tokens()).min(limit);
        let apart = (due - low) as f64 * (limit - fixed) as f64 / limit.max(1) as f64;
        due.max(target_beside_fixed(fixed, low, limit) + (apart / 2.0) as u64)
    }

    /// Whether a compaction is due (COMP-2): by the last usage since the last compaction, or else by counted tokens.
    pub fn should_compact(&self) -> bool {
        let config = &self.config.compaction;
        let due = self.threshold().is_some_and(|threshold| self.has_reached(threshold));
        config.enabled && config.auto && due && self.aim(false).may_fold_automatically(self.tokens())
    }

    /// Whether the view has at least this many tokens: by the last usage since the last compaction, or else as counted.
    pub(super) fn has_reached(&self, tokens: u64) -> bool {
        self.counting.usage.map_or_else(|| self.corrected_tokens(), |u| u.total_tokens) >= tokens
    }

    /// Whether the view is over its limit, so that a run that must make it fit needs a fold.
    pub fn is_too_large(&self) -> bool {
        self.tokens() > self.aim(false).limit
    }

    /// The targets of a run. With `fill`, a cut keeps as much as there is room for.
    pub(super) fn aim(&self, fill: bool) -> Aim {
        let compaction = &self.config.compaction;
        let limit = self.config.limit;
        let most = limit.map_or(u64::MAX, |limit| (limit as f64 * (1.0 - self.margin())) as u64);
        let threshold = self.threshold().unwrap_or(u64::MAX);
        let by_limit = limit.map_or(u64::MAX, |limit| compaction.target(limit));
        let by_threshold = self.config.ladder.threshold().map_or(u64::MAX, |t| compaction.target_for(t));
        // From here on in counted tokens, like the view's.
        let counted = |tokens| self.counting.accuracy.as_counted(tokens, &*self.context.counter);
        let (most, threshold) = (counted(most), counted(threshold));
        let low = counted(by_limit.min(by_threshold)).min(most);
        let fixed = self.context.view.fixed_tokens();
        let is_even = self.config.ladder.even_cut().is_some();
        let low = if is_even { target_beside_fixed(fixed, low, most) } else { low };
        let enough = if self.context.folds.is_empty() { (low / 20).min(MIN_FOLD_TOKENS) } else { low / 10 };
        // In a view that is made only once, nothing is due while it fits; otherwise it is cut to just fit.
        let (low, threshold) = if fill { (most, most.saturating_add(1)) } else { (low, threshold) };
        // In a view that is made only once, a very short built-in summary is not worth its tokens.
        let is_short = fill && self.host.summarizer == Summarizer::None && compaction.frame.is_none();
        // The documents' presets fold as their documents say: there, a ledger is only written if the caller asks for one.
        let by_preset = self.config.ladder.name.filter(|name| *name != "contextfold").map(|_| 0);
        Aim {
            window: self.config.window,
            threshold,
            target: low,
            target_after_fold: if is_even && !fill {
                low - low.saturating_sub(fixed) / FOLD_DEPTH_DIVISOR
            } else {
                low
            },
            ledger: ledger::Allowance { configured: compaction.ledger_tokens.or(by_preset), once: fill },
            limit: most,
            min_new_tokens: enough,
            auto: compaction.enabled && compaction.auto,
            no_auto_fold_below: self.runs.no_fold_below,
            is_cold: false,
            fill,
            min_summary_room: if is_short { LEAST_SUMMARY } else { 0 },
            keep_turns: compaction.retain_last_turns,
            summary_role: compaction.summary_role,
            recent_ratio: compaction.recent_ratio,
            calibration: self.counting.accuracy.factor(&*self.context.counter),
        }
    }

    pub(super) fn margin(&self) -> f64 {
        self.config.safety_margin.unwrap_or_else(|| self.counting.accuracy.margin(&*self.context.counter))
    }
}
