//! The parts of a session.

use std::rc::Rc;

use super::accuracy::Accuracy;
use super::fork::{Fork, Origin};
use super::graph::SessionGraph;
use super::refusals::Refusals;
use super::summarizer::Summarizer;
use crate::compaction::Redact;
use crate::compaction::ledger::Memo;
use crate::context::{ContextCost, NodeIndex, Report};
use crate::graph::{ContextParts, GraphLimits, NodeSpec};
use crate::saved::saved;
use crate::tokens::{Counter, TokenUsage};

/// How messages are counted.
#[derive(Clone)]
pub(super) struct Counting {
    /// Counts text; the context's counter adds the rules of the model.
    pub counter: Counter,
    /// The last usage that was reported since the last fold.
    pub usage: Option<TokenUsage>,
    pub accuracy: Accuracy,
}

/// What runs of the ladder left behind.
#[derive(Clone, Default)]
pub(super) struct Runs {
    /// Counts the changes that make a waiting run stale.
    pub revision: u64,
    /// The revision at which the ladder was last set or a message erased. Runs that began before are stale, whatever they fold.
    pub stale_before: u64,
    /// The report of the last successful run.
    pub report: Option<Rc<Report>>,
    /// The report of a run that failed after that. Not saved.
    pub failed: Option<Report>,
    /// The history's length when `prepare` last succeeded: without new messages it has nothing to do.
    pub prepared_at: Option<usize>,
    /// The facts that the newest folds carry over.
    pub carried: Memo,
    pub refusals: Refusals,
    /// A fold was undone by hand: while the view fits, no automatic fold begins below this many tokens.
    pub no_fold_below: u64,
}

/// What the host does for the session, and tells it.
#[derive(Clone, Default)]
pub(super) struct Host {
    /// Redacts what goes to the summariser and into ledgers.
    pub redact: Option<Redact>,
    /// Whether it has a callback that writes summaries.
    pub summarizer: Summarizer,
    /// A notice about its store.
    pub store_notice: Option<String>,
}

/// What a request has besides the conversation.
#[derive(Clone, Default)]
pub(super) struct Prompt {
    /// Skills, memory and injections, as they were set: shown between header and conversation.
    pub parts: ContextParts,
    /// The tools' definitions. `allowed_tools` says which of them the model gets.
    pub tools: Vec<serde_json::Value>,
    pub allowed_tools: Vec<bool>,
}

/// The session among its branches, and its history as a graph.
#[derive(Clone)]
pub(super) struct Lanes {
    /// How large the history may grow.
    pub limits: GraphLimits,
    /// The session's own name.
    pub lane: String,
    /// Where it branched off, if it did.
    pub origin: Option<Origin>,
    /// The sessions that branched off it.
    pub forks: Vec<Fork>,
    /// Built as far as it was last read.
    pub graph: SessionGraph,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            limits: GraphLimits::default(),
            lane: NodeSpec::MAIN_LANE.to_owned(),
            origin: None,
            forks: Vec::new(),
            graph: SessionGraph::default(),
        }
    }
}

/// What calls cost.
#[derive(Clone, Default)]
pub(super) struct Costs {
    /// The costs of calls, with the node that answered.
    pub answered: Vec<(NodeIndex, ContextCost)>,
    /// The cost of the call that the model has not answered yet.
    pub unanswered: Option<ContextCost>,
    /// The calls for which no view fitted: the history's length, and what was tried.
    pub failed: Vec<(usize, ContextCost)>,
}

saved!(place Counting { usage, accuracy } but {
    counter, // written before, because the session is made with it
});
saved!(place Runs { prepared_at, refusals, no_fold_below } but {
    report, carried, // only if they changed: see `Changes`
    revision, stale_before, // concern only waiting runs
    failed, // a failed run leaves the session as it was
});
saved!(place Prompt { tools, allowed_tools } but { parts });
saved!(place Lanes { limits, lane, origin } but {
    forks,
    graph, // built again from the history when it is read
});
saved!(place Costs { unanswered, failed } but { answered });
