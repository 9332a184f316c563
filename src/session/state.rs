//! What a session holds, and what can be read from it alone. Its operations are in the files beside this one.

use super::accuracy::Accuracy;
use super::background::Background;
use super::config::SessionConfig;
use super::graph::Source;
use super::journal::Journal;
use super::parts::{Costs, Counting, Host, Lanes, Prompt, Runs};
use crate::compaction::Redact;
use crate::compaction::ledger::Memo;
use crate::context::{Context, Event, Report};
use crate::error::Result;
use crate::graph::{ContextGraph, GraphLimits};
use crate::tokens::{Counter, by_rules_of};

/// One conversation: its history, its view, its tool outputs.
#[derive(Clone)]
pub struct Session {
    pub(super) context: Context,
    pub(super) config: SessionConfig,
    pub(super) counting: Counting,
    pub(super) runs: Runs,
    pub(super) host: Host,
    pub(super) prompt: Prompt,
    pub(super) lanes: Lanes,
    /// The summary that is being written while the conversation goes on.
    pub(super) background: Background,
    pub(super) costs: Costs,
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
            config,
            counting: Counting { counter, usage: None, accuracy },
            runs: Runs::default(),
            host: Host::default(),
            prompt: Prompt::default(),
            lanes: Lanes::default(),
            background: Background::default(),
            costs: Costs::default(),
            journal: Journal::default(),
        };
        session.update_wording();
        session
    }

    /// The limits in effect: the options' `maxNodes`, or else those it was saved with.
    pub(super) fn limits(&self) -> GraphLimits {
        GraphLimits {
            max_nodes: self.config.max_nodes.unwrap_or(self.lanes.limits.max_nodes),
            ..self.lanes.limits
        }
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
        self.host.redact = redact;
        self.runs.carried = Memo::default();
        self.context.history.forget_redacted_facts();
    }

    /// The redaction of what goes to the summariser and into ledgers.
    pub fn redact(&self) -> Option<&Redact> {
        self.host.redact.as_ref()
    }

    /// Counts text.
    pub fn counter(&self) -> &Counter {
        &self.counting.counter
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
        self.runs.failed.as_ref().or(self.runs.report.as_deref())
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
        self.counting.accuracy.corrected(tokens, &*self.context.counter)
    }

    /// The history as a graph: one node per message in the session's lane, outputs after their calls, folds over their members,
    /// forks as lanes. A call costs only what is new since the last one.
    ///
    /// # Errors
    /// `SAFETY_LIMIT_EXCEEDED` if the graph would have more nodes than the session's limits allow.
    pub fn graph(&mut self) -> Result<&ContextGraph> {
        let limits = self.limits();
        let Self { context, lanes, costs, .. } = self;
        let Lanes { lane, forks, graph, .. } = lanes;
        graph.catch_up(&Source { context, lane, forks, costs, limits })?;
        Ok(&graph.graph)
    }
}
