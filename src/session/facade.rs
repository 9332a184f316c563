use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::accuracy::Accuracy;
use super::background::Background;
use super::branches::{Fork, Origin};
use super::config::SessionConfig;
use super::graph::SessionGraph;
use super::journal::Journal;
use super::notices::{NOTHING_LEFT, Summarizer};
use super::recover::Recovery;
use super::run::{Fit, Question, Run, WithoutSummary};
use crate::compaction::ledger::{self, Memo};
use crate::compaction::{FoldPlan, LEAST_SUMMARY, Reason, Redact};
use crate::context::{Context, ContextCost, Event, EventName, NodeIndex, Report, Slot};
use crate::error::{Error, ErrorCode, Result};
use crate::even_cut::target_beside_fixed;
use crate::graph::{ContextParts, GraphLimits, NodeSpec};
use crate::message::{Message, Role};
use crate::passes::{Aim, Pass, Summarize};
use crate::tokens::{Counter, ReportedUsage, TokenUsage, by_rules_of};

/// No summary is asked for to save fewer tokens than this.
const MIN_FOLD_TOKENS: u64 = 64;

/// A fold goes 1 / `FOLD_DEPTH_DIVISOR` of the room further down than a cut does: it also costs a request, so it should come less often.
const FOLD_DEPTH_DIVISOR: u64 = 20;

/// Facts of this many messages are extracted ahead for each message that enters.
const FACTS_AHEAD: usize = 8;

/// One conversation: its history, its view, its tool outputs.
#[derive(Clone)]
pub struct Session {
    pub(super) context: Context,
    /// Counts text; the context's counter adds the rules of the model.
    pub(super) counter: Counter,
    pub(super) config: SessionConfig,
    /// The last usage that was reported since the last fold.
    pub(super) usage: Option<TokenUsage>,
    /// How accurate the token counts are.
    pub(super) accuracy: Accuracy,
    /// Counts the changes that make a waiting run stale.
    pub(super) revision: u64,
    /// The revision at which the ladder was set. Runs that began before are stale, whatever they fold.
    pub(super) ladder_since: u64,
    /// The report of the last successful run.
    pub(super) report: Option<Rc<Report>>,
    /// The report of a run that failed after that. Not saved.
    pub(super) failed: Option<Report>,
    /// The history's length when `prepare` last succeeded: without new messages it has nothing to do.
    pub(super) prepared_at: Option<usize>,
    /// The facts that the newest folds carry over.
    pub(super) carried: Memo,
    /// Redacts what goes to the summariser and into ledgers.
    pub(super) redact: Option<Redact>,
    /// Whether the host has a callback that writes summaries.
    pub(super) summarizer: Summarizer,
    /// A notice about the host's store.
    pub(super) store_notice: Option<String>,
    pub(super) recovery: Recovery,
    /// Skills, memory and injections, as they were set: shown between header and conversation.
    pub(super) parts: ContextParts,
    /// The tools' definitions. `allowed_tools` says which of them the model gets.
    pub(super) tools: Vec<serde_json::Value>,
    pub(super) allowed_tools: Vec<bool>,
    /// A fold was undone by hand: while the view fits, no automatic fold begins below this many tokens.
    pub(super) no_fold_below: u64,
    /// How large the history may grow.
    pub(super) limits: GraphLimits,
    /// The session's name among its branches.
    pub(super) lane: String,
    /// Where the session branched off, if it did.
    pub(super) origin: Option<Origin>,
    /// The sessions that branched off this one.
    pub(super) forks: Vec<Fork>,
    /// The history as a graph, built as far as it was last read.
    pub(super) graph_so_far: SessionGraph,
    /// The summary that is being written while the conversation goes on.
    pub(super) background: Background,
    /// The costs of calls, with the node that answered.
    pub(super) costs: Vec<(NodeIndex, ContextCost)>,
    /// The cost of the call that the model has not answered yet.
    pub(super) unanswered_cost: Option<ContextCost>,
    /// The calls for which no view fitted: the history's length, and what was tried.
    pub(super) failed_calls: Vec<(usize, ContextCost)>,
    /// The record of what changed since the last save.
    pub(super) journal: Journal,
}

/// The counter with the rules of a model.
pub(super) fn counter_for(model: Option<&str>, counter: Counter) -> Counter {
    match model {
        Some(model) => by_rules_of(model, counter),
        None => counter,
    }
}

impl Session {
    /// An empty session.
    pub fn new(config: SessionConfig, counter: Counter) -> Self {
        let accuracy = Accuracy::new(config.model.as_deref(), !config.uncalibrated);
        let by_rules = counter_for(config.model.as_deref(), counter.clone());
        let mut context = Context::new(by_rules, config.tool_output_cache.clone(), config.window);
        context.output_budget = config.output_budget();
        context.set_media_budget(config.media);
        context.set_merging(config.ladder.builds_from_turns());
        let mut session = Self {
            context,
            counter,
            config,
            usage: None,
            accuracy,
            revision: 0,
            ladder_since: 0,
            report: None,
            failed: None,
            prepared_at: None,
            recovery: Recovery::default(),
            carried: Memo::default(),
            redact: None,
            summarizer: Summarizer::default(),
            store_notice: None,
            parts: ContextParts::default(),
            tools: Vec::new(),
            allowed_tools: Vec::new(),
            no_fold_below: 0,
            limits: GraphLimits::default(),
            lane: NodeSpec::MAIN_LANE.to_owned(),
            origin: None,
            forks: Vec::new(),
            graph_so_far: SessionGraph::default(),
            background: Background::default(),
            costs: Vec::new(),
            unanswered_cost: None,
            failed_calls: Vec::new(),
            journal: Journal::default(),
        };
        session.update_wording();
        session
    }

    /// Sets how large the history and its graph may grow.
    pub fn set_limits(&mut self, limits: GraphLimits) {
        self.limits = limits;
    }

    /// The limits in effect: the options' `maxNodes`, or else what was set.
    pub(super) fn limits(&self) -> GraphLimits {
        GraphLimits { max_nodes: self.config.max_nodes.unwrap_or(self.limits.max_nodes), ..self.limits }
    }

    /// `SAFETY_LIMIT_EXCEEDED` if this many more messages would be too many.
    pub(super) fn check_node_limit(&self, more: usize) -> Result<()> {
        let there = self.context.history.len();
        GraphLimits::allow(
            there + more,
            self.limits().max_nodes,
            "messages and summaries in a session",
            "maxNodes",
        )
    }

    /// Sets the redaction of what goes to the summariser and into ledgers from now on (COMP-21).
    pub fn set_redact(&mut self, redact: Option<Redact>) {
        self.redact = redact;
        self.carried = Memo::default();
        self.context.history.forget_redacted_facts();
    }

    /// The host's store has taken a tool output of this many bytes: its content leaves memory, its facts stay. Returns the messages
    /// that held it, or `None` if it has to stay in memory.
    ///
    /// # Errors
    /// The error of the redaction; nothing has changed then.
    pub fn move_to_store(&mut self, id: &str, key: &str, bytes: u64) -> Result<Option<Vec<NodeIndex>>> {
        let redact = self.redact.clone();
        let redacted = redact.as_ref().map(|redact| |message: &Message| redact.message(message));
        let redacted = redacted.as_ref().map(|redacted| redacted as &dyn Fn(&Message) -> Result<Message>);
        self.context.send_away(id, key, bytes, redacted)
    }

    /// The redaction of what goes to the summariser and into ledgers.
    pub fn redact(&self) -> Option<&Redact> {
        self.redact.as_ref()
    }

    /// Counts text.
    pub fn counter(&self) -> &Counter {
        &self.counter
    }

    /// History, view and tool outputs.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// History, view and tool outputs.
    pub fn context_mut(&mut self) -> &mut Context {
        &mut self.context
    }

    /// The options.
    pub fn config(&self) -> &SessionConfig {
        &self.config
    }

    /// The report of the last run, even if it failed.
    pub fn report(&self) -> Option<&Report> {
        self.failed.as_ref().or(self.report.as_deref())
    }

    /// Appends messages, all or none. Tool outputs are stored and cut at once; a summary is never asked for here.
    pub fn push(&mut self, messages: Vec<Message>) -> Result<Vec<NodeIndex>> {
        self.check_node_limit(messages.len())?;
        let tokens = self.tokens();
        let answers = messages.first().is_some_and(|m| m.role == Role::Assistant);
        self.drop_bound_thinking(&[]);
        self.context.fold_near = self.fold_near();
        let compactions = self.context.history.compactions().len();
        let added = self.context.push(messages)?;
        let compacted = self.context.history.compactions().len() > compactions;
        self.drop_bound_thinking(&added);
        self.extract_facts_ahead(added.len());
        if let Some(answer) = added.first().filter(|_| answers) {
            // If the provider compacted the view on its side, the usage is not that of the view as we know it.
            self.accuracy.note_answer(if compacted { u64::MAX } else { tokens });
            self.set_cost_of(*answer);
        }
        if compacted {
            self.usage = None;
        }
        Ok(added)
    }

    /// The sizes of views in which the tool output budget trims nothing, because a fold is near.
    fn fold_near(&self) -> Range<u64> {
        let waits = self.config.ladder.trims().is_some_and(|pass| pass.waits());
        if waits { self.aim(false).fold_near() } else { 0..0 }
    }

    /// Extracts some of the facts that the next fold's ledger will need, once the view is half way to its threshold. That takes a
    /// few microseconds per message as it enters; all at once it would be most of the fold's cost.
    fn extract_facts_ahead(&mut self, added: usize) {
        let in_sight = self.threshold().is_some_and(|threshold| self.tokens() >= threshold / 2);
        if in_sight {
            self.context.find_duplicates_ahead(FACTS_AHEAD * added);
        }
        if in_sight && self.needs_facts(&self.aim(false)) {
            self.context.extract_facts(FACTS_AHEAD * added);
        }
    }

    /// Extracts all facts that a run will need.
    pub(super) fn extract_facts_for(&mut self, aim: &Aim) {
        if self.needs_facts(aim) {
            self.context.extract_all_facts();
        }
    }

    /// Whether facts of the messages are needed. The marks of an even cut list facts from the view's texts. With a redaction, a
    /// fold's ledger lists facts from the redacted texts, which are extracted again each time.
    fn needs_facts(&self, aim: &Aim) -> bool {
        self.config.ladder.even_cut().is_some() || (!aim.ledger.is_none() && self.redact.is_none())
    }

    /// Replaces the leading system and developer messages.
    pub fn set_header(&mut self, messages: Vec<Message>) -> Result<()> {
        let replaced = self.context.own_header();
        self.replace_in_header(&replaced, messages, 0)?;
        Ok(())
    }

    /// Records the usage of a model call. It decides whether the next compaction is due.
    pub fn record_usage(&mut self, reported: &ReportedUsage) {
        // A sum over several calls does not say how full the window was: the earlier figure is kept then.
        self.usage = reported.last_call.or(self.usage);
        self.accuracy.learn(reported, self.tokens());
    }

    /// Notes that a message had a lone surrogate. It was replaced, because no provider accepts one (INV-5).
    pub fn note_surrogate_replaced(&mut self, node: NodeIndex) {
        self.context.note_left_out(
            node,
            "half a surrogate pair was replaced with U+FFFD: no provider accepts it",
            None,
        );
    }

    /// Records that the view was read. If it is sent, the next usage is compared with its tokens (TOK-6); a view that is only
    /// looked at teaches nothing. After a successful run of the ladder, a call is expected anyway.
    pub fn note_read(&mut self) {
        self.accuracy.note_read(self.tokens());
    }

    /// The view's tokens, as counted.
    pub fn tokens(&self) -> u64 {
        self.context.view.tokens()
    }

    /// The view's tokens as the provider would report them, as far as that is known.
    pub fn corrected_tokens(&self) -> u64 {
        self.corrected(self.tokens())
    }

    /// Converts counted tokens into the model's tokens, as far as the ratio is known. Limits are in the model's tokens.
    pub fn corrected(&self, tokens: u64) -> u64 {
        self.accuracy.corrected(tokens, &*self.context.counter)
    }

    /// The tokens from which on a compaction is due: limit × `thresholdRatio`, or more if the header takes so much of the limit that
    /// the low mark comes near; under a ladder that acts at the limit, the limit itself.
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
        self.usage.map_or_else(|| self.corrected_tokens(), |u| u.total_tokens) >= tokens
    }

    /// Pins or unpins a message. A pinned message is in the view verbatim: if it was cut or folded, it comes back.
    pub fn set_pinned(&mut self, id: &str, pinned: bool) -> Result<()> {
        let index = self.context.history.require(id)?;
        if pinned && !self.context.can_be_pinned(index) {
            return Err(Error::argument(format!(
                "`{id}` can no longer appear in a view: it is empty, its header was replaced, or its part of the history was rewritten; push it again to pin it"
            )));
        }
        if pinned {
            self.context.refuse_away(index)?;
        }
        self.context.set_pinned(index, pinned);
        self.drop_bound_thinking(&[]);
        Ok(())
    }

    /// Pins or unpins a piece of a message's text. The piece is verbatim in every view, in a user message of its own, whatever
    /// happens to its message (COMP-18).
    pub fn set_text_pinned(&mut self, id: &str, text: &str, pinned: bool) -> Result<()> {
        let index = self.context.history.require(id)?;
        if pinned {
            self.context.refuse_away(index)?;
        }
        if pinned { self.context.pin_text(index, text) } else { self.context.unpin_text(index, text) }?;
        self.drop_bound_thinking(&[]);
        Ok(())
    }

    /// Folds if a compaction is due or a background summary is ready; `None` if there is nothing to do.
    pub fn check_and_compact(&mut self) -> Result<Option<Fit>> {
        self.fold_if_due(WithoutSummary::Fails)
    }

    /// Like [`Session::check_and_compact`], for an agent between two steps: if there is no summary, the run goes on as long as the
    /// view fits, and the report says so.
    pub fn keep_up(&mut self) -> Result<Option<Fit>> {
        self.fold_if_due(WithoutSummary::Continues)
    }

    fn fold_if_due(&mut self, unanswered: WithoutSummary) -> Result<Option<Fit>> {
        if self.background.is_ready() || self.should_compact() {
            return self.fold(Reason::Threshold, None, unanswered);
        }
        Ok(None)
    }

    /// Folds what the ladder's first folding pass would fold; if a background summary is ready, it puts in that one. `None`: there
    /// is nothing to fold, or the compaction was not asked for by hand and too little is new since the last fold to be worth
    /// another.
    pub fn compact(&mut self, reason: Reason, instructions: Option<String>) -> Result<Option<Fit>> {
        self.fold(reason, instructions, WithoutSummary::Fails)
    }

    fn fold(
        &mut self,
        reason: Reason,
        instructions: Option<String>,
        unanswered: WithoutSummary,
    ) -> Result<Option<Fit>> {
        let aim = self.aim(false);
        self.refuse_impossible(&aim)?;
        let instructed = instructions.is_some();
        let mut run = self.begin(reason, instructions, aim, Arc::new([]));
        run.without_summary = unanswered;
        self.cut_after_fold(&mut run);
        let was_ready = self.background.is_ready();
        if instructed {
            self.drop_without_instructions(&mut run);
        }
        if self.apply_background(&mut run) {
            return self.advance(run).map(Some);
        }
        if was_ready && reason == Reason::Threshold && !self.should_compact() {
            return Ok(None);
        }
        self.extract_facts_for(&aim);
        let Some((plan, pass)) = self.fold_plan(&aim, reason == Reason::Manual) else {
            let is_cut = run.passes.iter().any(|pass| pass.cuts_evenly() && pass.wants(&self.context, &aim));
            return if is_cut { self.advance(run).map(Some) } else { Ok(None) };
        };
        self.context.emit(EventName::CompactionStarted, &plan.members, String::new());
        self.ask(Question::first(run, plan, pass)).map(Some)
    }

    /// After the fold, the run goes on with the ladder's even cut, if it has one.
    pub(super) fn cut_after_fold(&self, run: &mut Run) {
        let Some(at) = self.config.ladder.even_cut() else { return };
        run.passes = self.config.ladder.passes().clone();
        (run.next_pass, run.passes_done) = (at, at);
    }

    /// What the ladder's first folding pass would fold, and that pass's name.
    pub(super) fn fold_plan(&self, aim: &Aim, by_hand: bool) -> Option<(FoldPlan, &'static str)> {
        let tokens = self.tokens();
        let worth = |plan: &FoldPlan| by_hand || aim.is_worth(plan, tokens);
        let folding = self.config.ladder.passes().iter().find(|p| p.folds());
        let by_default = Summarize::default();
        let folding = folding.map_or(&by_default as &dyn Pass, |p| &**p);
        let plan = folding.fold(&self.context, aim, by_hand).filter(worth)?;
        Some((plan, folding.name()))
    }

    /// The report for a fold that was asked for when there is nothing to fold. It says why.
    pub fn unchanged_report(&mut self, instructions: Option<&str>) -> Rc<Report> {
        let mut run = self.begin(Reason::Manual, None, self.aim(false), Arc::new([]));
        let why = match instructions {
            Some(_) => "there was nothing to fold, so the instructions were not used",
            None => {
                "there was nothing to fold: everything in the view must stay (the last turns, pins, running tool calls)"
            }
        };
        run.decide("compact", self.tokens(), self.tokens(), Vec::new(), why.to_owned());
        self.finish(run)
    }

    /// Runs the ladder until the view fits (API: `prepare`).
    pub fn prepare(&mut self) -> Result<Fit> {
        self.prepare_to(false)
    }

    /// Like [`Session::prepare`], for a conversation that will not go on: a fold keeps as much as there is room for instead of going
    /// down to the low mark (PASS-14).
    pub fn prepare_filling(&mut self) -> Result<Fit> {
        self.prepare_to(true)
    }

    fn prepare_to(&mut self, fill: bool) -> Result<Fit> {
        self.prepare_for(self.aim(fill))
    }

    pub(super) fn prepare_for(&mut self, aim: Aim) -> Result<Fit> {
        self.refuse_impossible(&aim)?;
        let mut run = self.begin(Reason::Ladder, None, aim, Arc::new([]));
        if aim.is_due(self.tokens()) {
            self.extract_facts_for(&aim);
        }
        let news = self.apply_background(&mut run) || self.prepared_at != Some(self.context.history.len());
        let fits = self.tokens() <= aim.limit;
        if news || !fits {
            run.passes = self.config.ladder.passes().clone();
        }
        // A summary that is being written in the background need not be asked for again.
        run.may_fold = !(fits && self.background.is_asked());
        self.advance(run)
    }

    /// Whether the view is over its limit, so that a run that must make it fit needs a fold.
    pub fn is_too_large(&self) -> bool {
        self.tokens() > self.aim(false).limit
    }

    /// Returns the events since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.context.events)
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
        let counted = |tokens| self.accuracy.as_counted(tokens, &*self.context.counter);
        let (most, threshold) = (counted(most), counted(threshold));
        let low = counted(by_limit.min(by_threshold)).min(most);
        let fixed = self.context.view.fixed_tokens();
        let is_even = self.config.ladder.even_cut().is_some();
        let low = if is_even { target_beside_fixed(fixed, low, most) } else { low };
        let enough = if self.context.folds.is_empty() { (low / 20).min(MIN_FOLD_TOKENS) } else { low / 10 };
        // In a view that is made only once, nothing is due while it fits; otherwise it is cut to just fit.
        let (low, threshold) = if fill { (most, most.saturating_add(1)) } else { (low, threshold) };
        // In a view that is made only once, a very short built-in summary is not worth its tokens.
        let is_short = fill && self.summarizer == Summarizer::None && compaction.frame.is_none();
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
            no_auto_fold_below: self.no_fold_below,
            is_cold: false,
            fill,
            min_summary_room: if is_short { LEAST_SUMMARY } else { 0 },
            keep_turns: compaction.retain_last_turns,
            summary_role: compaction.summary_role,
            recent_ratio: compaction.recent_ratio,
            calibration: self.accuracy.factor(&*self.context.counter),
        }
    }

    pub(super) fn margin(&self) -> f64 {
        self.config.safety_margin.unwrap_or_else(|| self.accuracy.margin(&*self.context.counter))
    }

    /// Fails at once if the parts that no pass may touch exceed the limit (COMP-19).
    pub(super) fn refuse_impossible(&mut self, aim: &Aim) -> Result<()> {
        if self.tokens() <= aim.limit {
            return Ok(());
        }
        let droppable = |slot: &&Slot| {
            let item_type = slot.message.item_type();
            self.config.ladder.passes().iter().any(|pass| pass.drops_part(item_type))
        };
        let view = &self.context.view;
        let header =
            view.fixed_tokens() - view.parts().iter().filter(droppable).map(Slot::tokens).sum::<u64>();
        let pinned: u64 = self
            .context
            .view
            .body()
            .iter()
            .filter(|s| self.context.history.node(s.node).pinned)
            .map(Slot::tokens)
            .sum();
        let none_left = self.config.limit == Some(0);
        if header + pinned <= aim.limit && !none_left {
            return Ok(());
        }
        let most = aim.limit;
        let before_body = self.context.view.before_body();
        let stays = |(at, slot): (usize, _)| {
            let slot: &Slot = slot;
            (at < before_body || self.context.history.node(slot.node).pinned).then_some(slot)
        };
        let largest = self.largest(self.context.view.slots().enumerate().filter_map(stays));
        let run = self.begin(Reason::Ladder, None, *aim, Arc::new([]));
        self.failed = Some(self.make_report(run));
        let why = if none_left {
            NOTHING_LEFT.to_owned()
        } else {
            format!(
                "header, tools and context parts take {header} tokens and pins take {pinned}, together more than the view's limit of {most}{largest}. Shorten them, unpin messages, or use a larger context window"
            )
        };
        Err(Error::new(ErrorCode::BudgetImpossible, why))
    }
}
