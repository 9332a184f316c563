use crate::compaction::{Chunks, FoldPlan, Reason, Redact, RequestScope, SummaryRequest};
use crate::context::{CacheCost, Decision, ItemId, NodeIndex, Report, SummaryReport};
use crate::error::Error;
use crate::passes::{Aim, Pass};
use std::rc::Rc;
use std::sync::Arc;

/// The result of a run so far.
pub enum Fit {
    /// The run is done; this is its report.
    Done(Rc<Report>),
    /// A summary is needed: ask the model with `request`, then call [`resume`](super::Session::resume).
    NeedsSummary(Box<Pending>),
}

/// A run that waits for a summary. Until it is resumed, the session is as it was before the run.
pub struct Pending {
    /// What to ask the model.
    pub request: SummaryRequest,
    pub(super) question: Question,
}

/// What a run wants to fold, and the attempts to get its summary.
pub(super) struct Question {
    pub run: Run,
    pub plan: FoldPlan,
    /// The name of the pass that wants the fold.
    pub pass: &'static str,
    pub attempt: u32,
    pub size: RequestScope,
    /// The conversation in pieces, if no request about all of it fits the summariser's window.
    pub chunks: Option<Chunks>,
    /// The redaction that was applied to these pieces.
    pub redacted_by: Option<Redact>,
    /// Why the previous answer was refused.
    pub refused: Option<String>,
    /// Why earlier attempts failed, in words for reports.
    pub failures: Vec<String>,
    /// The tokens that the view has left for this summary, if it replaces turns that did not fit: see [`super::Session::room`].
    pub room: Option<u64>,
    /// The built-in summariser answers, because there is no callback.
    pub built_in: bool,
}

impl Question {
    pub fn first(run: Run, plan: FoldPlan, pass: &'static str) -> Self {
        let size = plan.layout.first_scope();
        Self {
            run,
            plan,
            pass,
            attempt: 1,
            size,
            chunks: None,
            redacted_by: None,
            refused: None,
            failures: Vec::new(),
            room: None,
            built_in: false,
        }
    }
}

/// What happens to a run that gets no summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WithoutSummary {
    /// The run fails even if its view fits: the caller wants the fold.
    Fails,
    /// The run goes on if its view fits without the fold.
    Continues,
}

/// One run of passes over the view: `compact()` or `prepare()`.
pub(super) struct Run {
    pub reason: Reason,
    pub instructions: Option<String>,
    pub aim: Aim,
    pub passes: Arc<[Box<dyn Pass>]>,
    /// The passes before this index are done for good. Those from here to `next_pass` run again once the summary is there,
    /// because their effects are undone while it is awaited.
    pub passes_done: usize,
    pub next_pass: usize,
    pub tokens_before: u64,
    pub messages_before: u64,
    pub decisions: Vec<Decision>,
    pub summary: Option<SummaryReport>,
    /// The session's revision when the run began.
    pub revision: u64,
    /// How often the run may still go back to a pass that can shrink the view further.
    pub rounds: Option<usize>,
    /// Whether passes may ask for summaries.
    pub may_fold: bool,
    /// Whether a fold was put in.
    pub folded: bool,
    /// Set if the run goes on without a summary.
    pub missing_summary: Option<MissingSummary>,
    /// Why the last summary failed, in brief.
    pub summary_failure: Option<String>,
    /// What happens if there is no summary.
    pub without_summary: WithoutSummary,
    /// Messages that no pass may touch during this run, as if they were pinned.
    pub keep: Vec<NodeIndex>,
    /// Nobody waits for this run: only an event reports its failure.
    pub background: bool,
}

/// Why a run goes on without a summary.
pub(super) struct MissingSummary {
    /// The error of the run if its view does not fit in the end.
    pub error: Error,
    /// The last resort may follow. Otherwise the view fits as it is.
    pub may_shorten: bool,
}

impl Run {
    /// Whether the view must fit in the end, or the run fails. A run of `compact` only folds.
    pub fn must_fit(&self) -> bool {
        matches!(self.reason, Reason::Ladder | Reason::Recover)
    }

    /// Records a decision, without its cost.
    pub fn decide(&mut self, pass: &str, tokens: (u64, u64), items: Vec<ItemId>, why: String) {
        self.decisions.push(Decision::new(pass, tokens, items, why));
    }

    /// Records a decision that changed nothing in a view of this size.
    pub fn note(&mut self, pass: &str, tokens: u64, why: String) {
        self.decide(pass, (tokens, tokens), Vec::new(), why);
    }

    /// Sets what the newest decision costs the prompt cache.
    pub fn set_cache_cost(&mut self, cache: Option<CacheCost>) {
        if let Some(decision) = self.decisions.last_mut() {
            decision.cache = cache;
        }
    }
}
