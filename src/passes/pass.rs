use std::fmt::Debug;
use std::ops::Range;

use serde_json::Value;

use super::{PruneToolOutputs, TrimToolOutputs};
use crate::compaction::ledger::Allowance;
use crate::compaction::{FoldPlan, Layout, SummaryRole};
use crate::context::{Context, NodeIndex};
use crate::error::Result;
use crate::message::ItemType;

/// A fold is near from this part of its threshold on.
const NEAR: u64 = 10;

/// The figures that passes aim at, in tokens of the view. Where neither model nor window is known, `most` is out of
/// reach, and so is `threshold` unless a pass of the ladder has one of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aim {
    /// The model's context window.
    pub window: Option<u64>,
    /// From here on a compaction is due.
    pub threshold: u64,
    /// Where a compaction goes down to.
    pub low: u64,
    /// The same where a summary is written, beside which the rest is cut evenly: further down, so that the next one, which costs a
    /// request, comes later.
    pub low_after_fold: u64,
    /// Tokens that the carry-over ledger of a fold may take.
    pub ledger: Allowance,
    /// The limit less the safety margin: no view may be larger.
    pub most: u64,
    /// What must be new since the last fold for another to be worth its price, while the view still fits (COMP-20).
    pub enough: u64,
    /// Compactions may begin on their own account.
    pub auto: bool,
    /// Below so many tokens no fold begins on its own account, while the view fits: one was undone by hand.
    pub resting: u64,
    /// The provider's prompt cache has nothing of the view any more: an edit takes nothing from it.
    pub is_cold: bool,
    /// The conversation does not go on: a cut keeps as much as there is room for (PASS-14).
    pub fill: bool,
    /// In less room than this there is no summary: one line says how many messages were left out.
    pub least_summary: u64,
    /// Turns that stay whole where a pass does not say.
    pub keep_turns: u64,
    /// Whose words a summary is, where the caller says so.
    pub summary_role: Option<SummaryRole>,
    /// The share of a cut's target that is for messages verbatim, at the least.
    pub recent_ratio: f64,
    /// The model's tokens over counted ones.
    pub calibration: f64,
}

impl Aim {
    /// Whether a view of this size has to become smaller.
    pub fn is_due(&self, tokens: u64) -> bool {
        tokens > self.most || (self.auto && tokens >= self.threshold)
    }

    /// Views of these sizes are folded within the next calls: what that takes need not be taken before.
    pub fn fold_near(&self) -> Range<u64> {
        let due = self.threshold.max(self.resting).min(self.most.saturating_add(1));
        if self.auto && due < u64::MAX { due - due / NEAR..due } else { 0..0 }
    }

    /// Whether a fold may begin on its own account in a view of this size.
    pub fn is_awake(&self, tokens: u64) -> bool {
        tokens > self.most || tokens >= self.resting
    }

    /// How many counted tokens are so many of the model's: figures of a pass's own are in the latter.
    pub fn as_counted(&self, tokens: u64) -> u64 {
        (tokens as f64 / self.calibration) as u64
    }

    /// Whether a fold is worth asking for a summary.
    pub fn is_worth(&self, plan: &FoldPlan, tokens: u64) -> bool {
        tokens > self.most || plan.new_tokens >= self.enough
    }
}

/// What a pass did.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Nothing: it was not needed, or there was nothing to do.
    Unchanged,
    /// It changed or dropped these nodes' slots.
    Changed {
        /// The nodes.
        items: Vec<NodeIndex>,
        /// Why, in words.
        why: String,
    },
    /// It came to this in several steps, each a decision of its own.
    Steps(Vec<Step>),
    /// It wants to fold this, and needs a summary.
    Fold(FoldPlan),
}

/// One decision of a pass that takes several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The pass whose work it was.
    pub pass: &'static str,
    /// Tokens of the view before.
    pub tokens_before: u64,
    /// Tokens of the view after.
    pub tokens_after: u64,
    /// The nodes that it changed or dropped.
    pub items: Vec<NodeIndex>,
    /// Why, in words.
    pub why: String,
}

impl Outcome {
    /// Changed if any node was.
    pub fn changed(items: Vec<NodeIndex>, why: impl Into<String>) -> Self {
        if items.is_empty() { Self::Unchanged } else { Self::Changed { items, why: why.into() } }
    }
}

/// One way to make a view smaller.
///
/// It may touch slots of the view's body; never the history, the header, pins, the newest user message, or a step whose
/// calls are still being executed. Steps stay whole or go whole. The ladder runs it, writes its decision, and takes back
/// what it did if the run fails.
pub trait Pass: Debug + Send + Sync {
    /// The name in the report and in the `ladder` option.
    fn name(&self) -> &'static str;

    /// Its options, as the `ladder` option takes them, without the name.
    fn options(&self) -> Value;

    /// Whether it may have something to do. Asked at every call, so it costs next to nothing.
    fn wants(&self, context: &Context, aim: &Aim) -> bool;

    /// Does its work.
    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome>;

    /// What it would fold if a compaction were due by the last usage, or asked for by hand; `None` for a pass that folds
    /// nothing.
    fn fold(&self, _context: &Context, _aim: &Aim, _by_hand: bool) -> Option<FoldPlan> {
        None
    }

    /// How its folds stand; `None` for a pass that folds nothing.
    fn layout(&self) -> Option<Layout> {
        None
    }

    /// Whether it folds.
    fn folds(&self) -> bool {
        self.layout().is_some()
    }

    /// A threshold of its own, in the place of limit × thresholdRatio: the fewest tokens at which a compaction is due.
    fn threshold(&self) -> Option<u64> {
        None
    }

    /// Whether it may take context parts of this type out.
    fn drops_part(&self, _item_type: ItemType) -> bool {
        false
    }

    /// Told once of the passes that stand before it in its ladder, and of those behind it.
    fn stands_between(&mut self, _before: &[Box<dyn Pass>], _behind: &[Box<dyn Pass>]) {}

    /// Whether it cuts what a fold leaves, so that the fold need not take all that is too large: see [`EvenCut`](super::EvenCut).
    fn cuts_evenly(&self) -> bool {
        false
    }

    /// Whether it edits views that need not become smaller: in a ladder of the caller's own, only where that is paid (PASS-10).
    fn is_optional(&self) -> bool {
        false
    }

    /// How it prunes tool outputs, if it does.
    fn prunes(&self) -> Option<PruneToolOutputs> {
        None
    }

    /// How it keeps tool outputs within a budget, if it does.
    fn trims(&self) -> Option<TrimToolOutputs> {
        None
    }

    /// Whether it takes the view from the conversation's turns, as the ladder document does: see
    /// [`ShrinkTurns`](super::ShrinkTurns).
    fn builds_from_turns(&self) -> bool {
        false
    }

    /// Whether it could make the view smaller still if it ran again.
    fn has_more(&self, _context: &Context) -> bool {
        false
    }

    /// The place of its function, for a pass that is the host's own.
    fn asks_host(&self) -> Option<usize> {
        None
    }

    /// What it may spend on what, for the report.
    fn budgets(&self, _context: &Context, _aim: &Aim) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}
