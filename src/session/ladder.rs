//! A run of the ladder over the view, from its beginning to its report.
//!
//! Passes change the view one after the other. If one needs a summary, the effects of the passes before it are undone while the
//! summary is awaited, and redone when it is there: until then the session is as it was (INV-4), and messages that are pushed
//! meanwhile are handled as usual.
//!
//! A run that fails after a fold was accepted keeps the fold: it is valid, smaller and paid for, and the error carries the
//! report. The report of a failed run is not saved in snapshots. Two things outlast a failure on purpose: the limit that
//! `recover` learnt from a refusal, and the pause after a failure in the background.
//!
//! A pass may say that it could shrink the view further. If the view is still too large at the end, the ladder goes back to that
//! pass. So a summary that left no room costs one more turn.

use std::rc::Rc;
use std::sync::Arc;

use super::answering::does_not_fit;
use super::run::{Fit, Question, Run, WithoutSummary};
use super::state::Session;
use crate::compaction::Reason;
use crate::context::{
    ContextCost, EventName, LedgerLeftOut, LeftOut, NodeIndex, OnEntry, Report, Slot, View, number_attempts,
};
use crate::error::{Error, ErrorCode, Result};
use crate::even_cut::{fixed_tokens, target_beside_fixed};
use crate::passes::{Aim, Outcome, Pass, Shorten, left_out_of_record};
use crate::tool_output::Mark;

/// The state before passes ran, to undo them.
pub(super) struct Checkpoint {
    view: View,
    pointers: Vec<(NodeIndex, NodeIndex)>,
    /// How many messages the newest fold remembered. Passes make no folds.
    remembered: usize,
    /// The whole list, because a pass may also remove entries: those of messages that it brings back.
    left_out: Vec<LeftOut>,
    outputs: Mark,
    events: usize,
    decisions: usize,
}

/// What [`Session::run_passes_before_fold`] did, to undo it.
pub(super) struct PassesBeforeFold {
    before: Option<Checkpoint>,
    passes_done: usize,
}

impl Session {
    pub(super) fn begin(
        &mut self,
        reason: Reason,
        instructions: Option<String>,
        aim: Aim,
        passes: Arc<[Box<dyn Pass>]>,
    ) -> Run {
        let mut decisions = self.context.decisions_on_entry();
        self.cost_on_entry(&aim, &mut decisions);
        Run {
            reason,
            instructions,
            aim,
            passes,
            passes_done: 0,
            next_pass: 0,
            tokens_before: decisions.first().map_or(self.tokens(), |d| d.tokens_before),
            messages_before: self.context.view.len() as u64,
            decisions,
            summary: None,
            revision: self.runs.revision,
            rounds: None,
            may_fold: true,
            folded: false,
            missing_summary: None,
            summary_failure: None,
            without_summary: match reason {
                Reason::Ladder | Reason::Recover => WithoutSummary::Continues,
                _ => WithoutSummary::Fails,
            },
            keep: Vec::new(),
            background: false,
        }
    }

    /// Runs passes until one needs a summary or all have run. A run that fails leaves the view as it was; a fold that was
    /// accepted before stays.
    pub(super) fn advance(&mut self, run: Run) -> Result<Fit> {
        self.advance_from(run, None)
    }

    fn advance_from(&mut self, run: Run, before: Option<Checkpoint>) -> Result<Fit> {
        let folded = run.folded;
        let came = self.run_passes(run, before);
        if came.is_err() && folded {
            self.drop_bound_thinking(&[]); // thinking after a fold that stays
        }
        came
    }

    fn run_passes(&mut self, mut run: Run, mut before: Option<Checkpoint>) -> Result<Fit> {
        while run.next_pass < run.passes.len() || self.goes_back_to_pass(&mut run) {
            let pass = run.next_pass;
            run.next_pass += 1;
            if run.passes[pass].folds() && !run.may_fold {
                continue;
            }
            match self.run_pass(&mut run, pass, &mut before) {
                Ok(Outcome::Fold(plan)) => {
                    run.decisions.truncate(before.as_ref().map_or(usize::MAX, |b| b.decisions));
                    self.undo(before);
                    self.context.emit(EventName::CompactionStarted, &plan.members, String::new());
                    let name = run.passes[pass].name();
                    return self.ask(Question::first(run, *plan, name));
                }
                Ok(_) => {}
                Err(error) => {
                    self.undo(before);
                    return Err(error);
                }
            }
        }
        if before.is_some() {
            self.restore_opening_thinking(); // a pass may have dropped the step that came first
        }
        if run.missing_summary.as_ref().is_none_or(|missing_summary| missing_summary.may_shorten) {
            self.shorten(&mut run, &mut before)?;
        }
        let most = run.aim.limit;
        let tokens = self.tokens();
        if !run.must_fit() || tokens <= most {
            return Ok(Fit::Done(self.finish(run)));
        }
        // Messages that came back do not fit after all, and no pass removed them again. The view stays as it was before, which fits.
        if let Some(before) = before.take_if(|before| before.view.tokens() <= most) {
            run.decisions.truncate(before.decisions);
            self.undo(Some(before));
            return Ok(Fit::Done(self.finish(run)));
        }
        let missing_summary = run.missing_summary.take().map(|missing_summary| missing_summary.error);
        let largest = self.largest(self.context.view.slots());
        if let Some(why) = run.summary_failure.take() {
            run.summary.get_or_insert_default().fallback = Some(format!("no summary could be made ({why})"));
        }
        let mut report = self.make_report(run);
        if let Some(before) = &before {
            report.left_out.clone_from(&before.left_out);
        }
        self.undo(before);
        let cost = report.context_cost.clone();
        self.runs.failed = Some(report);
        if let Some(error) = missing_summary {
            return Err(does_not_fit(error, tokens, most));
        }
        self.call_failed(cost);
        let why = format!(
            "every pass ran and the view still takes {tokens} tokens, over its limit of {most}{largest}. Shorten the conversation, use a larger context window, or set a `ladder` that removes more; the report lists what was tried"
        );
        Err(Error::new(ErrorCode::ContextWindowExceeded, why))
    }

    /// Goes back to a pass that can shrink the view further, if all have run and the view is still too large.
    fn goes_back_to_pass(&self, run: &mut Run) -> bool {
        if !run.must_fit() || self.tokens() <= run.aim.limit {
            return false;
        }
        let Some(at) = run.passes.iter().position(|p| p.has_more(&self.context)) else { return false };
        let rounds = run.rounds.get_or_insert(self.context.view.len());
        if *rounds == 0 {
            return false;
        }
        *rounds -= 1;
        (run.passes_done, run.next_pass) = (run.passes_done.min(at), at);
        true
    }

    /// Runs the passes before a fold again, now that its summary is there. They make no folds themselves: that is left to the
    /// next run.
    pub(super) fn run_passes_before_fold(&mut self, run: &mut Run) -> Result<PassesBeforeFold> {
        let mut before: Option<Checkpoint> = None;
        let passes_done = run.passes_done;
        for pass in run.passes_done..run.next_pass.saturating_sub(1) {
            if !run.passes[pass].folds()
                && let Err(error) = self.run_pass(run, pass, &mut before)
            {
                self.undo_passes(run, PassesBeforeFold { before, passes_done });
                return Err(error);
            }
        }
        run.passes_done = run.next_pass;
        Ok(PassesBeforeFold { before, passes_done })
    }

    /// Undoes what [`Session::run_passes_before_fold`] did.
    pub(super) fn undo_passes(&mut self, run: &mut Run, done: PassesBeforeFold) {
        run.passes_done = done.passes_done;
        run.decisions.truncate(done.before.as_ref().map_or(usize::MAX, |b| b.decisions));
        self.undo(done.before);
    }

    /// Goes on after the pass whose fold failed. Limits may have changed since it was asked for.
    pub(super) fn continue_without_fold(&mut self, mut run: Run) -> Result<Fit> {
        run.aim = self.updated_aim(&run.aim);
        let done = self.run_passes_before_fold(&mut run)?;
        self.advance_from(run, done.before)
    }

    /// Runs one pass if it wants to run, and records its decision.
    pub(super) fn run_pass(
        &mut self,
        run: &mut Run,
        at: usize,
        before: &mut Option<Checkpoint>,
    ) -> Result<Outcome> {
        let passes = run.passes.clone();
        self.run_one(run, &*passes[at], before)
    }

    /// Runs `Shorten`, the last resort of every ladder.
    fn shorten(&mut self, run: &mut Run, before: &mut Option<Checkpoint>) -> Result<()> {
        if !run.must_fit() || run.passes.iter().any(|p| p.builds_from_turns()) {
            return Ok(());
        }
        match self.run_one(run, &Shorten, before) {
            Ok(Outcome::Changed { items, .. }) => self.count_left_out_of_records(run, &items),
            Ok(_) => {}
            Err(error) => {
                self.undo(before.take());
                return Err(error);
            }
        }
        Ok(())
    }

    /// Counts what records lost because they were cut.
    fn count_left_out_of_records(&self, run: &mut Run, items: &[NodeIndex]) {
        for slot in self.context.view.body().iter().filter(|slot| items.contains(&slot.node)) {
            let lost = left_out_of_record(&self.context, slot);
            if lost == LedgerLeftOut::default() {
                continue;
            }
            let summed = run.summary.get_or_insert_default();
            summed.ledger_tokens = slot.tally.ledger();
            let all = summed.ledger_left_out.get_or_insert_default();
            all.rules += lost.rules;
            all.facts += lost.facts;
        }
    }

    fn run_one(
        &mut self,
        run: &mut Run,
        pass: &dyn Pass,
        before: &mut Option<Checkpoint>,
    ) -> Result<Outcome> {
        if !pass.wants(&self.context, &run.aim) {
            return Ok(Outcome::Unchanged);
        }
        before.get_or_insert_with(|| self.checkpoint(run));
        let way_back = self.must_pay(pass, &run.aim).then(|| self.checkpoint(run));
        let view_before = self.view_before();
        let told = (self.context.events.len(), view_before.tokens);
        let held = self.pin_kept(&run.keep);
        let outcome = self.context.by_pass(pass.name(), |context| pass.run(context, &run.aim));
        for node in held {
            self.context.history.set_pinned(node, false);
        }
        let outcome = outcome?;
        match &outcome {
            Outcome::Changed { items, why } => {
                if way_back.is_some() && !self.is_paid(&run.aim, view_before) {
                    self.undo(way_back);
                    return Ok(Outcome::Unchanged);
                }
                self.context.emit_changed(items, why, told);
                let items = self.context.item_ids(items);
                self.decide(run, pass.name(), view_before, items, why.clone());
            }
            Outcome::Steps(steps) => {
                for step in steps {
                    let items = self.context.item_ids(&step.items);
                    run.decide(step.pass, (step.tokens_before, step.tokens_after), items, step.why.clone());
                }
                if !steps.is_empty() {
                    run.set_cache_cost(self.cache_cost(&run.aim, view_before));
                }
            }
            Outcome::Unchanged | Outcome::Fold(_) => {}
        }
        Ok(outcome)
    }

    /// Pins what a run keeps while a pass runs. Returns the nodes that were not pinned before.
    fn pin_kept(&mut self, keep: &[NodeIndex]) -> Vec<NodeIndex> {
        let held: Vec<NodeIndex> =
            keep.iter().copied().filter(|n| !self.context.history.node(*n).pinned).collect();
        for node in &held {
            self.context.history.set_pinned(*node, true);
        }
        held
    }

    fn checkpoint(&self, run: &Run) -> Checkpoint {
        Checkpoint {
            view: self.context.view.clone(),
            pointers: self.context.pointers.clone(),
            remembered: self.context.remembered(),
            left_out: self.context.left_out.clone(),
            outputs: self.context.outputs.mark(),
            events: self.context.events.len(),
            decisions: run.decisions.len(),
        }
    }

    /// Undoes what passes did to the view, with the full texts that they stored and the events that they emitted.
    pub(super) fn undo(&mut self, before: Option<Checkpoint>) {
        let Some(before) = before else { return };
        self.context.view.restore_from(before.view);
        self.context.pointers = before.pointers;
        self.context.forget_after(before.remembered);
        self.context.left_out = before.left_out;
        self.context.events.truncate(before.events);
        self.context.outputs.roll_back(before.outputs);
    }

    /// Passes may have brought back more media than a request may hold.
    fn keep_media_budget(&mut self, run: &mut Run) {
        let budget = self.config.media;
        if budget.holds(self.context.view.media()) {
            return;
        }
        let view_before = self.view_before();
        let end = self.context.view.body().len();
        let trimmed = self.context.by_pass("trim_media", |context| context.trim_media_to(&budget, end));
        if !trimmed.is_empty() {
            let nodes: Vec<NodeIndex> = trimmed.into_iter().map(|(node, _)| node).collect();
            let items = self.context.item_ids(&nodes);
            self.decide(run, "trim_media", view_before, items, budget.why());
        }
    }

    /// Ends a run: makes its report, and resets what the next one collects.
    pub(super) fn finish(&mut self, mut run: Run) -> Rc<Report> {
        let (must_fit, aim) = (run.must_fit(), run.aim);
        if let Some(why) = run.summary_failure.take() {
            let fits = run.missing_summary.take().is_some_and(|missing_summary| !missing_summary.may_shorten);
            let went_on = if fits { "the view fits without one" } else { "the ladder continued without one" };
            run.summary.get_or_insert_default().fallback =
                Some(format!("no summary could be made ({why}); {went_on}"));
        }
        self.keep_media_budget(&mut run);
        self.context.replace_stale_pointers();
        self.decide_bound_thinking(&mut run);
        let left_out = std::mem::take(&mut self.context.left_out);
        self.context.keep_lines(&left_out);
        let mut report = self.make_report(run);
        report.left_out = left_out;
        if let Some(trouble) = self.context.take_placeholder_error() {
            report.notices.push(trouble.into());
        }
        report.notices.extend(self.runs.refusals.take_notice().map(Into::into));
        self.context.on_entry = OnEntry::default();
        if must_fit {
            self.emit_compaction_due(&aim);
        }
        self.context.view.mark();
        if must_fit {
            self.counting.accuracy.note_prepared(self.tokens());
            self.costs.unanswered.clone_from(&report.context_cost);
            self.runs.prepared_at = Some(self.context.history.len());
        }
        self.runs.failed = None;
        self.runs.report.insert(Rc::new(report)).clone()
    }

    /// The report of the run so far.
    pub(super) fn make_report(&self, mut run: Run) -> Report {
        number_attempts(&mut run.decisions);
        let tokens_after = self.tokens();
        let view = &self.context.view;
        let mut budgets = self.context.budgets();
        for (name, tokens) in run.passes.iter().flat_map(|p| p.budgets(&self.context, &run.aim)) {
            budgets.insert(name.into(), tokens);
        }
        let fits_only = self.config.ladder.builds_from_turns();
        let is_cut = run.decisions.iter().any(|decision| decision.pass == "even_cut");
        let aimed = if run.folded { run.aim.target_after_fold } else { run.aim.target };
        let target = if fits_only || !(run.folded || is_cut) {
            run.aim.limit
        } else if run.passes.iter().any(|pass| pass.cuts_evenly()) {
            let is_fold = |slot: &&Slot| self.context.history.node(slot.node).is_fold();
            let folds: u64 = view.body().iter().filter(is_fold).map(Slot::tokens).sum();
            target_beside_fixed(fixed_tokens(&self.context) + folds, aimed, run.aim.limit)
        } else {
            aimed
        };
        let limit = self.config.limit;
        let cost = run
            .must_fit()
            .then(|| ContextCost::new(limit, tokens_after, &run.decisions, |tokens| self.corrected(tokens)));
        Report {
            window: self.config.window,
            limit,
            threshold: self.threshold(),
            target: (target < u64::MAX).then_some(target),
            tokens_before: run.tokens_before,
            tokens_after,
            messages_before: run.messages_before,
            messages_after: view.len() as u64,
            reduction: if run.tokens_before == 0 {
                0.0
            } else {
                (1.0 - tokens_after as f64 / run.tokens_before as f64).max(0.0)
            },
            budgets,
            counter: self.counting.accuracy.report(&*self.context.counter, self.margin(), tokens_after),
            parts: self.context.part_reports(),
            tool_outputs: view.output_counts(),
            decisions: run.decisions,
            left_out: self.context.left_out.clone(),
            stable_prefix_tokens: view.stable_prefix_tokens().min(tokens_after),
            context_cost: cost,
            summary: run.summary,
            notices: self.notices(),
        }
    }
}
