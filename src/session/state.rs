//! What a session holds, and what can be read from it alone. Its operations are in the files beside this one.

use std::rc::Rc;

use super::accuracy::Accuracy;
use super::background::Background;
use super::config::SessionConfig;
use super::fork::{Fork, Origin};
use super::graph::{SessionGraph, Source};
use super::journal::Journal;
use super::refusals::Refusals;
use super::summarizer::Summarizer;
use crate::compaction::Redact;
use crate::compaction::ledger::Memo;
use crate::context::{Context, ContextCost, Event, NodeIndex, Report};
use crate::error::Result;
use crate::graph::{ContextGraph, ContextParts, GraphLimits, NodeSpec};
use crate::tokens::{Counter, TokenUsage, by_rules_of};

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
    /// The revision at which the ladder was last set or a message erased. Runs that began before are stale, whatever they fold.
    pub(super) stale_before: u64,
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
    pub(super) refusals: Refusals,
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
            stale_before: 0,
            report: None,
            failed: None,
            prepared_at: None,
            refusals: Refusals::default(),
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

    /// The limits in effect: the options' `maxNodes`, or else those it was saved with.
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

    /// Returns the events since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.context.events)
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

    /// The history as a graph: one node per message in the session's lane, outputs after their calls, folds over their members,
    /// forks as lanes. A call costs only what is new since the last one.
    ///
    /// # Errors
    /// `SAFETY_LIMIT_EXCEEDED` if the graph would have more nodes than the session's limits allow.
    pub fn graph(&mut self) -> Result<&ContextGraph> {
        let limits = self.limits();
        let Self { context, lane, forks, costs, failed_calls, graph_so_far, .. } = self;
        graph_so_far.catch_up(&Source { context, lane, forks, costs, failed_calls, limits })?;
        Ok(&graph_so_far.graph)
    }
}
