use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;

use super::Options;
use crate::compaction::ledger::Allowance;
use crate::compaction::{FoldPlan, Layout, SummaryRole};
use crate::config::Keys;
use crate::context::{Context, NodeIndex};
use crate::error::Result;
use crate::message::ItemType;

/// A fold is near once the view is within one part in this many of its threshold.
const NEAR: u64 = 10;

/// The figures that passes work with, in tokens of the view. If neither the model nor its window is known, `limit` is so
/// large that no view reaches it, and so is `threshold` unless a pass of the ladder has its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aim {
    /// The model's context window.
    pub window: Option<u64>,
    /// A compaction is due from this size on.
    pub threshold: u64,
    /// The size that a compaction aims at.
    pub target: u64,
    /// The same when a summary is written and the rest is cut evenly. It is lower than `target`, so that the next summary,
    /// which costs a request, comes later.
    pub target_after_fold: u64,
    /// How many tokens the carry-over ledger of a fold may take.
    pub ledger: Allowance,
    /// The limit minus the safety margin: no view may be larger.
    pub limit: u64,
    /// While the view still fits, another fold is worth its price only with this many new tokens since the last one
    /// (COMP-20).
    pub min_new_tokens: u64,
    /// Whether compactions may start automatically.
    pub auto: bool,
    /// While the view fits and is smaller than this, no fold starts automatically, because the user undid one by hand.
    pub no_auto_fold_below: u64,
    /// The provider's prompt cache no longer holds anything of the view, so an edit invalidates nothing.
    pub is_cold: bool,
    /// The conversation does not continue, so a cut keeps as much as there is room for (PASS-14).
    pub fill: bool,
    /// If there is less room than this, no summary is written; one line says how many messages were left out.
    pub min_summary_room: u64,
    /// How many turns stay whole unless the pass says otherwise.
    pub keep_turns: u64,
    /// The role that a summary is written in, if the caller set one.
    pub summary_role: Option<SummaryRole>,
    /// The share of a cut's room in which the newest steps stay whole.
    pub recent_ratio: f64,
    /// The model's token count divided by our own.
    pub calibration: f64,
}

impl Aim {
    /// Whether a view of this size has to become smaller.
    pub fn is_due(&self, tokens: u64) -> bool {
        tokens > self.limit || (self.auto && tokens >= self.threshold)
    }

    /// View sizes at which a fold is expected within the next calls: what the fold will take need not be taken now.
    pub fn fold_near(&self) -> Range<u64> {
        let due = self.threshold.max(self.no_auto_fold_below).min(self.limit.saturating_add(1));
        if self.auto && due < u64::MAX { due - due / NEAR..due } else { 0..0 }
    }

    /// Whether a fold may start automatically in a view of this size.
    pub fn may_fold_automatically(&self, tokens: u64) -> bool {
        tokens > self.limit || tokens >= self.no_auto_fold_below
    }

    /// Converts the model's tokens to counted ones. A pass's own options are in the model's tokens.
    pub fn as_counted(&self, tokens: u64) -> u64 {
        (tokens as f64 / self.calibration) as u64
    }

    /// Whether a fold is worth asking for a summary. It does not save the user's rules: its ledger repeats them.
    pub fn is_worth(&self, context: &Context, plan: &FoldPlan) -> bool {
        let saves = |of_rules| plan.new_tokens >= self.min_new_tokens.saturating_add(of_rules);
        let of_rules = || if self.ledger.is_none() { 0 } else { plan.tokens_of_rules(context) };
        context.view.tokens() > self.limit || (saves(0) && saves(of_rules()))
    }
}

/// What a pass did.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Nothing: either it was not needed, or there was nothing to do.
    Unchanged,
    /// It changed or dropped the slots of these nodes.
    Changed {
        /// The nodes.
        items: Vec<NodeIndex>,
        /// The reason, for the report.
        why: String,
    },
    /// It took several steps; each is reported as a decision of its own.
    Steps(Vec<Step>),
    /// It wants to fold these messages and needs a summary.
    Fold(Box<FoldPlan>),
}

/// One of several decisions of a pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The pass that did the work.
    pub pass: &'static str,
    /// Tokens of the view before.
    pub tokens_before: u64,
    /// Tokens of the view after.
    pub tokens_after: u64,
    /// The nodes that it changed or dropped.
    pub items: Vec<NodeIndex>,
    /// The reason, for the report.
    pub why: String,
}

impl Outcome {
    /// `Changed` if there are any items, otherwise `Unchanged`.
    pub fn changed(items: Vec<NodeIndex>, why: impl Into<String>) -> Self {
        if items.is_empty() { Self::Unchanged } else { Self::Changed { items, why: why.into() } }
    }
}

/// One way to make a view smaller.
///
/// It may edit slots of the view's body, but never the history, the header, pins, the newest user message, or a step whose
/// calls are still being executed. Steps stay or go as a whole. The ladder runs the pass, records its decision, and undoes
/// its edits if the run fails.
pub trait Pass: Any + Options + Debug + Send + Sync {
    /// The name in the report and in the `ladder` option.
    fn name(&self) -> &'static str;

    /// Refuses options that contradict one another.
    fn check(&self, _keys: &mut Keys<'_>) -> Result<()> {
        Ok(())
    }

    /// Whether it may have something to do. Must be cheap, since it is asked at every call.
    fn wants(&self, context: &Context, aim: &Aim) -> bool;

    /// Does its work.
    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome>;

    /// What it would fold if a compaction were due or requested by hand; `None` for a pass that does not fold.
    fn fold(&self, _context: &Context, _aim: &Aim, _by_hand: bool) -> Option<FoldPlan> {
        None
    }

    /// Where its folds appear in the view; `None` for a pass that does not fold.
    fn layout(&self) -> Option<Layout> {
        None
    }

    /// Whether it folds.
    fn folds(&self) -> bool {
        self.layout().is_some()
    }

    /// Its own threshold in place of limit × thresholdRatio: the number of tokens from which a compaction is due.
    fn threshold(&self) -> Option<u64> {
        None
    }

    /// Whether it may remove context parts of this type.
    fn drops_part(&self, _item_type: ItemType) -> bool {
        false
    }

    /// Called once with the passes before it in its ladder, and with those behind it.
    fn set_neighbours(&mut self, _before: &[Box<dyn Pass>], _behind: &[Box<dyn Pass>]) {}

    /// Whether it cuts what a fold leaves, so that the fold need not take everything that is too large: see
    /// [`EvenCut`](super::EvenCut).
    fn cuts_evenly(&self) -> bool {
        false
    }

    /// Whether it edits even views that have room. In the caller's own ladder it then runs only if that saves more than it
    /// costs the prompt cache (PASS-10).
    fn is_optional(&self) -> bool {
        false
    }

    /// Whether it limits the view to the conversation's last turns, as the ladder document does: see
    /// [`ShrinkTurns`](super::ShrinkTurns).
    fn builds_from_turns(&self) -> bool {
        false
    }

    /// Whether it could make the view even smaller if it ran again.
    fn has_more(&self, _context: &Context) -> bool {
        false
    }

    /// The index of its function, if the host implements it.
    fn host_function(&self) -> Option<usize> {
        None
    }

    /// Its token budgets by name, for the report.
    fn budgets(&self, _context: &Context, _aim: &Aim) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

impl dyn Pass {
    /// It as a pass of this type, if it is one.
    pub(super) fn as_a<P: Pass>(&self) -> Option<&P> {
        let any: &dyn Any = self;
        any.downcast_ref()
    }
}
