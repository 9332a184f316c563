use crate::compaction::{Chunks, FoldPlan, Reason, Redact, Size, SummaryRequest};
use crate::context::{CacheCost, Decision, ItemId, NodeIndex, Report, SummaryReport};
use crate::error::Error;
use crate::passes::{Aim, Pass};
use std::rc::Rc;
use std::sync::Arc;

/// How far a run has come.
pub enum Fit {
    /// The view is what the run made of it.
    Done(Rc<Report>),
    /// A summary is needed: ask the model with `request`, then [`resume`](super::Session::resume).
    NeedsSummary(Box<Pending>),
}

/// A run that waits for a summary. Until it is resumed the session is as it was before the run.
pub struct Pending {
    /// What to ask the model.
    pub request: SummaryRequest,
    pub(super) question: Question,
}

/// What a run wants to know, and how it was asked so far.
pub(super) struct Question {
    pub run: Run,
    pub plan: FoldPlan,
    /// The name of the pass that wants the fold.
    pub pass: &'static str,
    pub attempt: u32,
    pub size: Size,
    /// The conversation in pieces, where no request about all of it fits the summariser's window.
    pub chunks: Option<Chunks>,
    /// What saw these pieces.
    pub redacted_by: Option<Redact>,
    /// Why the answer before was refused.
    pub refused: Option<String>,
    /// Why the attempts before failed, as reports may tell it.
    pub failures: Vec<String>,
    /// Tokens that the view has left for the summary of the turns that it was too small for.
    pub room: Option<u64>,
    /// The built-in summariser answers: there is no callback.
    pub built_in: bool,
}

impl Question {
    pub fn first(run: Run, plan: FoldPlan, pass: &'static str) -> Self {
        let size = plan.layout.first_size();
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

/// What becomes of a run whose summary cannot be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unanswered {
    /// It fails, though its view may fit: whoever asked wants the fold.
    Fails,
    /// It goes on where its view fits without.
    GoesOn,
}

/// One run of passes over the view: `compact()` or `prepare()`.
pub(super) struct Run {
    pub reason: Reason,
    pub instructions: Option<String>,
    pub aim: Aim,
    pub passes: Arc<[Box<dyn Pass>]>,
    /// The passes before this one have done their work for good; those between it and `next_pass` run anew once the
    /// summary is there, for the view is left as it was while it is awaited.
    pub settled: usize,
    pub next_pass: usize,
    pub tokens_before: u64,
    pub messages_before: u64,
    pub decisions: Vec<Decision>,
    pub summary: Option<SummaryReport>,
    /// The session's count of rewrites when the run began.
    pub revision: u64,
    /// How often it may go back to a pass that has more to give.
    pub rounds: Option<usize>,
    /// Its passes may ask for summaries.
    pub may_fold: bool,
    /// A fold was put in.
    pub folded: bool,
    /// It goes on without a summary that could not be had.
    pub unsummed: Option<Unsummed>,
    /// Why its last summary could not be had, in brief.
    pub without: Option<String>,
    /// What becomes of it where no summary can be had.
    pub unanswered: Unanswered,
    /// What no pass may touch while it runs, as if it was pinned.
    pub keep: Vec<NodeIndex>,
    /// Nobody waits for it: its failure is told by an event alone.
    pub background: bool,
}

/// Why a run goes on without a summary.
pub(super) struct Unsummed {
    /// What it fails with where its view does not fit in the end.
    pub error: Error,
    /// It goes on to the last resort; otherwise its view fits as it is.
    pub shortens: bool,
}

impl Run {
    /// Whether its view must fit in the end, or an error says why not; a compaction alone only folds.
    pub fn must_fit(&self) -> bool {
        matches!(self.reason, Reason::Ladder | Reason::Recover)
    }

    pub fn decide(
        &mut self,
        pass: &str,
        tokens_before: u64,
        tokens_after: u64,
        items: Vec<ItemId>,
        why: String,
    ) {
        self.decisions.push(Decision {
            pass: pass.to_owned(),
            attempt: None, // told when all decisions are known
            tokens_before,
            tokens_after,
            items,
            why,
            cache: None,
        });
    }

    /// What the newest decision costs the prompt cache.
    pub fn costs(&mut self, cache: Option<CacheCost>) {
        if let Some(decision) = self.decisions.last_mut() {
            decision.cache = cache;
        }
    }
}
