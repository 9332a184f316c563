//! Plans a compaction without doing it, and applies such a plan.
//!
//! A plan is a dry run on a copy of the session, with the extractive summariser in place of the callback, so no separate code
//! predicts what passes do. A plan holds while its messages are in the view as they were (`PlanBasis` compares); new messages do not
//! matter. Messages that `apply` has to keep are pinned while passes run.

use std::sync::Arc;

use super::config::SessionConfig;
use super::ladder::Checkpoint;
use super::run::{Fit, Question, Run, WithoutSummary};
use super::state::Session;
use crate::compaction::{FoldPlan, Reason, SummaryRequest, adjust, check_kept};
use crate::context::{EventName, Form, NodeIndex, NodeKind, NodeSet, Slot, View};
use crate::error::{Error, ErrorCode, Result};
use crate::hashing::HashMap;
use crate::message::Message;
use crate::passes::{Outcome, Pass, Summarize};

/// What to plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanOptions {
    /// Plan only what `prepare` would do now: no fold before one is due.
    pub if_due: bool,
    /// Keep as much as there is room for, as `prepare({ fill: true })` does.
    pub fill: bool,
    /// Instructions added to the summary request.
    pub instructions: Option<String>,
}

/// What a compaction would do. Every message of the view is folded, kept or trimmed.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Ids of the messages that the summary would replace.
    pub folded: Vec<String>,
    /// Ids of the messages that would stay in the view unchanged.
    pub kept: Vec<String>,
    /// Ids of the messages that passes would shorten or leave out.
    pub trimmed: Vec<String>,
    /// The request to the summariser; `None` if nothing would be folded.
    pub request: Option<SummaryRequest>,
    /// The view's tokens now.
    pub tokens_before: u64,
    /// The view's tokens afterwards, with a summary as long as the extractive summariser's.
    pub tokens_after_estimate: u64,
    fold: Option<PlannedFold>,
    options: PlanOptions,
    basis: PlanBasis,
}

/// A fold that a pass wants.
#[derive(Debug, Clone)]
struct PlannedFold {
    plan: FoldPlan,
    pass: &'static str,
    /// The index of the pass to run after the fold.
    next_pass: usize,
}

/// The state of the session that a plan was made for.
#[derive(Debug, Clone)]
struct PlanBasis {
    revision: u64,
    config: SessionConfig,
    fixed_tokens: u64,
    header: Vec<NodeIndex>,
    /// The history's length.
    known: usize,
    message_states: Vec<MessageState>,
}

/// How a message was shown in the view.
#[derive(Debug, Clone, Copy)]
struct MessageState {
    node: NodeIndex,
    pinned: bool,
    dropped: bool,
    form: Form,
}

impl MessageState {
    /// Whether a plan for `self` holds for `now`. An output that became a placeholder meanwhile, because of its budget, does no harm.
    fn still_holds(self, now: Self) -> bool {
        (self.node, self.pinned, self.dropped) == (now.node, now.pinned, now.dropped)
            && (self.form == now.form || now.form == Form::Placeholder)
    }
}

impl Session {
    /// Plans a compaction: the passes of the ladder, with one fold, due or not. Changes nothing. The same session always gives the
    /// same plan.
    ///
    /// # Errors
    /// `BUDGET_IMPOSSIBLE`, as for the compaction itself.
    pub fn plan(&self, options: PlanOptions) -> Result<Plan> {
        let mut dry = self.clone();
        let aim = dry.aim(options.fill);
        dry.refuse_impossible(&aim)?;
        let mut run = dry.run_of(&options, Vec::new());
        let mut before = None;
        let fold = dry.run_to_first_fold(&mut run, options.if_due, &mut before)?;
        let passed = dry.context.view.clone();
        dry.undo(before);

        let members: NodeSet = fold.iter().flat_map(|f| f.plan.members.iter().copied()).collect();
        let mut request = None;
        let mut fit = dry.carry_out(&options, fold.clone(), Vec::new());
        while let Ok(Fit::NeedsSummary(pending)) = fit {
            request.get_or_insert_with(|| pending.request.clone());
            fit = dry.resume_extractive(*pending);
        }
        let (after, tokens) = if fit.is_ok() {
            (&dry.context.view, dry.tokens())
        } else {
            // The view does not fit with this summary; a shorter one may fit.
            let gone = fold.as_ref().map_or(0, |f| f.plan.tokens);
            (&passed, passed.tokens() - gone + gone.min(aim.target / 4) / 2)
        };
        let (kept, trimmed) = self.kept_and_left_out(&members, after);
        let folded: Vec<NodeIndex> = fold.iter().flat_map(|f| f.plan.members.iter().copied()).collect();
        Ok(Plan {
            folded: self.context.ids(&folded),
            kept,
            trimmed,
            request,
            tokens_before: self.tokens(),
            tokens_after_estimate: tokens,
            fold,
            options,
            basis: self.basis(),
        })
    }

    /// Carries out `plan`, except that the messages `keep` stay and the messages `fold` are folded, too (ids). Messages that came
    /// after the plan follow the fold.
    ///
    /// # Errors
    /// `STALE_PLAN` if anything else happened since, such as applying the same plan; `INVALID_ARGUMENT` naming a message that
    /// cannot be kept or folded; those of [`Session::compact`] if there is no summary; and those of
    /// [`Session::prepare`].
    pub fn apply(&mut self, plan: &Plan, keep: &[String], fold: &[String]) -> Result<Fit> {
        if !self.is_current(&plan.basis) {
            let why = "the session has changed since this plan was made: the plan was already applied, or messages or options were changed; call plan() again";
            return Err(Error::new(ErrorCode::StalePlan, why));
        }
        let find = |ids: &[String]| ids.iter().map(|id| self.context.history.require(id)).collect();
        let (keep, add): (Result<Vec<_>>, Result<Vec<_>>) = (find(keep), find(fold));
        let (keep, add) = (keep?, add?);
        let mut intended = plan.fold.clone();
        if intended.is_none() && !add.is_empty() {
            let why = format!("`{}` cannot be added to the fold: this plan folds nothing", fold[0]);
            return Err(Error::argument(why));
        }
        check_kept(&self.context, &keep)?;
        if let Some(fold) = &mut intended {
            self.refresh(&mut fold.plan);
            match self.adjusted(&plan.options, fold, &keep, &add)? {
                Some(plan) => fold.plan = plan,
                None => intended = None,
            }
        }
        let aim = self.aim(plan.options.fill);
        self.refuse_impossible(&aim)?;
        let fit = self.carry_out(&plan.options, intended, keep)?;
        if matches!(fit, Fit::Done(_)) {
            self.runs.revision += 1; // nothing was folded, but the plan counts as applied
        }
        Ok(fit)
    }

    /// Changes the planned fold as the caller wants. The passes before it run for this and are undone again. A message that they
    /// leave out cannot be kept.
    fn adjusted(
        &mut self,
        options: &PlanOptions,
        fold: &PlannedFold,
        keep: &[NodeIndex],
        add: &[NodeIndex],
    ) -> Result<Option<FoldPlan>> {
        let mut run = self.run_of(options, keep.to_vec());
        run.next_pass = fold.next_pass;
        let done = self.run_passes_before_fold(&mut run)?;
        let plan = adjust(&self.context, &fold.plan, keep, add);
        self.undo_passes(&mut run, done);
        plan
    }

    /// A run that does what was planned and makes no other fold.
    fn run_of(&mut self, options: &PlanOptions, keep: Vec<NodeIndex>) -> Run {
        let aim = self.aim(options.fill);
        let passes = self.config.ladder.passes().clone();
        let mut run = self.begin(Reason::Ladder, options.instructions.clone(), aim, passes);
        run.may_fold = false;
        run.keep = keep;
        run
    }

    fn carry_out(
        &mut self,
        options: &PlanOptions,
        fold: Option<PlannedFold>,
        keep: Vec<NodeIndex>,
    ) -> Result<Fit> {
        let mut run = self.run_of(options, keep);
        let Some(PlannedFold { plan, pass, next_pass }) = fold else { return self.advance(run) };
        run.next_pass = next_pass;
        run.without_summary = WithoutSummary::Fails;
        self.context.emit(EventName::CompactionStarted, &plan.members, String::new());
        self.ask(Question::first(run, plan, pass))
    }

    /// Runs passes up to the first one that folds. Returns the fold that it wants.
    fn run_to_first_fold(
        &mut self,
        run: &mut Run,
        if_due: bool,
        before: &mut Option<Checkpoint>,
    ) -> Result<Option<PlannedFold>> {
        let passes = run.passes.clone();
        for (at, pass) in passes.iter().enumerate() {
            let plan = if !pass.folds() {
                self.run_pass(run, at, before)?;
                None
            } else if if_due {
                match self.run_pass(run, at, before)? {
                    Outcome::Fold(plan) => Some(*plan),
                    _ => None,
                }
            } else {
                pass.fold(&self.context, &run.aim, true)
            };
            if let Some(plan) = plan {
                return Ok(Some(PlannedFold { plan, pass: pass.name(), next_pass: at + 1 }));
            }
        }
        if if_due || passes.iter().any(|p| p.folds()) {
            return Ok(None);
        }
        // The ladder never folds: plan what `compact()` would fold after all its passes.
        let by_default = Summarize::default();
        let plan = by_default.fold(&self.context, &run.aim, true);
        Ok(plan.map(|plan| PlannedFold { plan, pass: by_default.name(), next_pass: passes.len() + 1 }))
    }

    /// The ids of messages that are not folded: those that are unchanged in `after`, and the others.
    fn kept_and_left_out(&self, folded: &NodeSet, after: &View) -> (Vec<String>, Vec<String>) {
        let then: HashMap<NodeIndex, &Arc<Message>> = after.slots().map(|s| (s.node, &s.message)).collect();
        let same = |slot: &&Slot| then.get(&slot.node).is_some_and(|m| Arc::ptr_eq(m, &slot.message));
        let (kept, trimmed): (Vec<_>, Vec<_>) =
            self.context.view.slots().filter(|s| !folded.contains(&s.node)).partition(same);
        let ids =
            |slots: Vec<&Slot>| self.context.ids(&slots.into_iter().map(|s| s.node).collect::<Vec<_>>());
        (ids(kept), ids(trimmed))
    }

    fn basis(&self) -> PlanBasis {
        PlanBasis {
            revision: self.runs.revision,
            config: self.config.clone(),
            fixed_tokens: self.context.view.fixed_tokens(),
            header: self.context.view.header().iter().map(|s| s.node).collect(),
            known: self.context.history.len(),
            message_states: self.message_states(self.context.history.len()),
        }
    }

    /// How the first `known` entries of the history are shown in the view, or were dropped from it. Stand-ins are left out, because
    /// the real output may replace them.
    fn message_states(&self, known: usize) -> Vec<MessageState> {
        let Self { context, .. } = self;
        let slots = context.view.with_dropped();
        let slots = slots
            .iter()
            .filter(|s| s.node.get() < known && context.history.node(s.node).kind != NodeKind::StandIn);
        slots
            .map(|slot| MessageState {
                node: slot.node,
                pinned: context.history.node(slot.node).pinned,
                dropped: context.view.dropped(slot.node).is_some(),
                form: slot.form,
            })
            .collect()
    }

    /// Whether only messages were added since.
    fn is_current(&self, basis: &PlanBasis) -> bool {
        let view = &self.context.view;
        let now = self.message_states(basis.known);
        self.runs.revision == basis.revision
            && self.config == basis.config
            && view.fixed_tokens() == basis.fixed_tokens
            && view.header().iter().map(|s| s.node).eq(basis.header.iter().copied())
            && now.len() == basis.message_states.len()
            && basis.message_states.iter().zip(now).all(|(then, now)| then.still_holds(now))
            && self.context.history.nodes()[basis.known..]
                .iter()
                .all(|n| matches!(n.kind, NodeKind::Message | NodeKind::StandIn))
    }
}
