//! Ways to make a view smaller. A ladder is an ordered list of them.

mod shorten;
mod summarize;

pub use shorten::Shorten;
pub use summarize::Summarize;

use crate::compaction::FoldPlan;
use crate::context::{Context, NodeIndex};
use crate::error::Result;

/// The figures that passes aim at, in tokens of the view. `None` where neither model nor window is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aim {
    /// Above this, a compaction is due.
    pub threshold: u64,
    /// Where a compaction aims.
    pub low: u64,
    /// The limit less the safety margin: no view may be larger.
    pub most: u64,
    /// What must be new since the last fold for another to be worth its price, while the view still fits (COMP-20).
    pub enough: u64,
}

impl Aim {
    /// Whether a fold is worth asking for a summary.
    pub fn worth(&self, plan: &FoldPlan, tokens: u64) -> bool {
        tokens > self.most || plan.new_tokens >= self.enough
    }
}

/// What a pass did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing: it was not needed, or there was nothing to do.
    Unchanged,
    /// It changed these nodes' slots.
    Changed {
        /// The nodes.
        items: Vec<NodeIndex>,
        /// Why, in words.
        why: String,
    },
    /// It wants to fold this, and needs a summary.
    Fold(FoldPlan),
}

/// One way to make a view smaller. It may touch slots; never the history, the header, pins or the newest user message's
/// meaning (that one is only shortened where it alone exceeds the limit).
pub trait Pass {
    /// The name in the report.
    fn name(&self) -> &'static str;

    /// Does its work if it is needed.
    fn run(&self, context: &mut Context, aim: &Aim) -> Result<Outcome>;
}
