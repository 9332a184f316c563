//! Puts an accepted summary into the view.

use std::fmt::Write as _;

use super::answering::Judged;
use super::run::{Fit, Pending, Question, Run};
use super::state::Session;
use crate::compaction::{Accepted, Chunks, FoldPlan, Layout, Reason, RequestScope};
use crate::context::{EventName, LedgerLeftOut, NodeIndex};
use crate::error::Result;

const CUT_INSIDE_TURN: &str = "the turns to keep exceeded the target on their own, so the earlier steps of the oldest one were summarised too";

const TEXT_INSTEAD: &str = "the provider's own compaction can be used only at the beginning of a view, and only if it covers everything that is folded; its text is used as the summary instead";

/// An accepted summary, and where it came from.
pub(super) struct Summarized {
    pub judged: Judged,
    pub pass: &'static str,
    pub request: RequestShape,
}

/// How the summary was asked for.
pub(super) struct RequestShape {
    pub size: RequestScope,
    pub chunks: Option<Chunks>,
    /// The note in the report if `max_tokens` was lowered.
    pub lowered: Option<String>,
}

impl Session {
    /// Puts the fold into the view, before messages that were pushed meanwhile, and goes on with the ladder.
    pub(super) fn accept(&mut self, pending: Pending, judged: Judged) -> Result<Fit> {
        let lowered = pending.request.lowered();
        let Question { mut run, pass, size, chunks, .. } = pending.question;
        let plan = &judged.plan;
        let why = match (plan.cut_within_turn, run.reason) {
            _ if plan.layout == Layout::SystemSummary && run.must_fit() => {
                "the turns that did not fit into the view became a summary".to_owned()
            }
            (false, Reason::Recover) => self.runs.refusals.why(),
            (true, Reason::Recover) => format!("{}; {CUT_INSIDE_TURN}", self.runs.refusals.why()),
            (true, _) => CUT_INSIDE_TURN.to_owned(),
            (false, Reason::Manual) => "compact() was called".to_owned(),
            (false, _) => "the view reached its threshold".to_owned(),
        };
        let asked = RequestShape { size, chunks, lowered };
        self.apply_fold(&mut run, Summarized { judged, pass, request: asked }, why);
        self.advance(run)
    }

    /// Whether the folded messages have tool outputs that the summary request can leave out.
    fn has_outputs(&self, plan: &FoldPlan) -> bool {
        let of = |node: &NodeIndex| &self.context.history.node(*node).message;
        plan.members.iter().any(|node| of(node).tool_outputs().next().is_some())
    }

    /// Whether the summary is alone at the beginning of the view. A provider accepts its own compaction only there.
    fn is_first_in_view(&self, plan: &FoldPlan, accepted: &Accepted) -> bool {
        let alone = accepted.retain.is_none() && !plan.layout.with_role(plan.role).needs_user_behind();
        alone && self.context.compaction().is_none()
    }

    /// Folds the plan's messages under the accepted summary.
    pub(super) fn apply_fold(&mut self, run: &mut Run, summarized: Summarized, mut why: String) {
        let Summarized { judged, pass, request: asked } = summarized;
        let Judged { plan, mut accepted, carried } = judged;
        if let Some(note) = asked.lowered {
            accepted.note(&note);
        }
        let in_pieces = asked.chunks.is_some();
        match asked.chunks {
            Some(chunks) => chunks.note().iter().for_each(|note| accepted.note(note)),
            None if asked.size == RequestScope::NoOutputs && self.has_outputs(&plan) => {
                accepted.note("tool outputs were left out of the summary request to make it fit");
            }
            None => {}
        }
        let view_before = self.view_before();
        let items = self.context.item_ids(&plan.members);
        let recorded = plan.recorded(&self.context);
        let is_even = plan.cut.is_some();
        let mut by_provider = accepted.by_provider.take();
        if by_provider.is_some() && (in_pieces || !self.is_first_in_view(&plan, &accepted)) {
            by_provider = None;
            accepted.note(TEXT_INSTEAD);
        }
        let mut made = plan.messages(accepted.retain.take(), accepted.summary, recorded);
        if let Some((summary, ledger)) = by_provider {
            let beside = ledger.map(|ledger| plan.messages(None, ledger, recorded).summary.plain_text());
            made.summary.set_provider_summary(summary, beside.unwrap_or_default());
        }
        let summary = self.context.by_pass(pass, |context| context.fold(plan.members, made));
        self.restore_opening_thinking();
        self.context.replace_stale_pointers(); // the fold stays even if the run fails
        self.runs.carried.keep(summary, carried);
        if self.config.ladder.even_cut().is_some() {
            self.context.view.request_recut(); // there is room now
        }
        self.runs.revision += 1;
        self.runs.no_fold_below = 0;
        run.revision = self.runs.revision;
        run.folded = true;
        if !is_even {
            run.aim.target_after_fold = run.aim.target; // a fold made by hand keeps as much as the caller wants to keep
        }
        (run.missing_summary, run.summary_failure) = (None, None);
        self.counting.usage = None;
        let omitted = accepted.omitted;
        if omitted.rules > 0 {
            let _ = write!(why, "; {} of the user's rules did not fit into the ledger", omitted.rules);
        }
        self.decide(run, pass, view_before, items, why);
        let summed = run.summary.get_or_insert_default();
        summed.ledger_tokens = self.context.history.node(summary).tally.ledger();
        summed.ledger_left_out = (omitted.rules + omitted.facts > 0)
            .then_some(LedgerLeftOut { rules: omitted.rules, facts: omitted.facts });
        summed.fallback = accepted.fallback;
        if plan.layout == Layout::Replace {
            self.context.emit(EventName::ConversationReplaced, &[summary], String::new());
        }
        self.context.emit(EventName::CompactionFinished, &[summary], String::new());
        self.drop_superseded(run);
        self.background.folded();
        self.extract_facts_for(&run.aim); // the summary's, once for all passes that follow
    }
}
