//! A session's history as a graph. It is built when it is first read, and brought up to date at each later read. A session whose
//! graph is never read pays nothing for it: kept eagerly, it would cost some 300 bytes per message.
//!
//! Each message is a node that shares the history's message and id. The graph shows the order in time, not that of the view: a
//! late output is a node at its time and depends on its call. After a rewind, the old past is a dead end. If a newer message takes
//! an id of that past, the older node is named `id@number`.
//!
//! A session's folds may surround a pinned message and may reach the last message. A fold by hand (`compress` on the session's
//! graph) may not, and has to keep the session's constraints, too: whole steps, no pins, not the newest user message. A branch has
//! its own history, a renumbered copy that shares every message, so none of its folds can cross lanes; `merge` adds a `branch`
//! edge from the branch's last node to the result.

use std::sync::Arc;

use super::fork::Fork;
use super::parts::Costs;
use crate::context::{Context, ContextCost, Fold as ContextFold, History, NodeIndex, NodeKind};
use crate::error::Result;
use crate::graph::{ContextGraph, EdgeKind, GraphLimits, NodeState, Place};
use crate::hashing::HashMap;
use crate::message::{Message, Role};
use crate::sorted::SortedMap;

/// Marks a history entry that has no node in the graph, because the engine made it.
const NONE: u32 = u32::MAX;

/// The graph, and how much of the session is in it.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionGraph {
    pub(super) graph: ContextGraph,
    /// The graph's node of each history entry.
    nodes: Vec<u32>,
    /// The messages whose calls have no output yet, by call id.
    callers: HashMap<String, NodeIndex>,
    /// The messages whose calls were still running at the last read.
    running: Vec<NodeIndex>,
    folds: Vec<GraphFold>,
    folds_changed: u64,
    /// How many of the session's costs are on their nodes.
    costs: usize,
    /// The nodes of failed calls: no view fitted.
    failed: Vec<u32>,
    /// The nodes of each fork's lane.
    lanes: Vec<Vec<u32>>,
    /// A lane has nodes, or may get some, that do not come before a node of the main lane that merged them. Nodes that are new
    /// then come before these, so the graph is built again: the order of nodes must not tell when the graph was read.
    is_open: bool,
}

/// What of a session its graph shows.
pub(super) struct Source<'s> {
    pub context: &'s Context,
    pub lane: &'s str,
    pub forks: &'s [Fork],
    pub costs: &'s Costs,
    pub limits: GraphLimits,
}

#[derive(Clone, Debug)]
struct GraphFold {
    summary: NodeIndex,
    members: Vec<NodeIndex>,
    /// `None` if the fold has only members that the engine made.
    place: Option<Place>,
}

impl SessionGraph {
    /// Adds what is new since the last call.
    pub fn catch_up(&mut self, session: &Source<'_>) -> Result<()> {
        let context = session.context;
        if self.nodes.is_empty()
            || self.has_reused_id(&context.history)
            || self.is_open && !self.is_current(session)
        {
            *self = Self { graph: ContextGraph::new(session.limits), ..Self::default() };
        }
        self.is_open = session.forks.iter().any(|fork| fork.merged.is_none_or(|(_, n)| n < fork.story.len()));
        let merges: SortedMap<NodeIndex, (usize, usize)> = session
            .forks
            .iter()
            .enumerate()
            .filter_map(|(n, f)| f.merged.map(|(at, until)| (at, (n, until))))
            .collect();
        for index in self.nodes.len()..context.history.len() {
            self.add_failed_calls(session, index)?;
            let index = NodeIndex(index as u32);
            let mut result = None;
            if let Some((number, until)) = merges.get(&index) {
                self.add_lane(*number, &session.forks[*number], *until)?;
                result = self.lanes[*number].get(until.wrapping_sub(1)).copied();
            }
            let node = self.add_node(&context.history, index, session.lane, result)?;
            self.nodes.push(node);
        }
        self.update_states(&context.history);
        self.add_costs(&session.costs.answered);
        self.add_failed_calls(session, context.history.len())?;
        self.add_failed_costs(&session.costs.failed);
        for (number, fork) in session.forks.iter().enumerate() {
            self.add_lane(number, fork, fork.story.len())?;
        }
        self.update_folds(context)
    }

    /// Whether a new message has an id that the graph already knows from an abandoned past. The graph is then built again.
    fn has_reused_id(&self, history: &History) -> bool {
        let new = history.nodes().iter().skip(self.nodes.len());
        new.filter(|n| n.kind == NodeKind::Message).any(|n| self.graph.find(&n.id).is_ok())
    }

    /// Whether everything in the session has its node.
    fn is_current(&self, session: &Source<'_>) -> bool {
        self.nodes.len() == session.context.history.len()
            && self.failed.len() == session.costs.failed.len()
            && self.lanes.iter().map(Vec::len).eq(session.forks.iter().map(|fork| fork.story.len()))
    }

    /// Adds the node of one history entry. `result` is the node of another lane whose result it merges.
    fn add_node(
        &mut self,
        history: &History,
        index: NodeIndex,
        lane: &str,
        result: Option<u32>,
    ) -> Result<u32> {
        let node = history.node(index);
        if node.kind != NodeKind::Message {
            return Ok(NONE);
        }
        let before = (0..index.0).rev().map(NodeIndex).find(|n| {
            let went_on = history.superseded_at(*n).is_none_or(|at| at > index.get());
            went_on && history.node(*n).kind == NodeKind::Message
        });
        let mut after: Vec<(u32, EdgeKind)> =
            before.iter().map(|n| (self.nodes[n.get()], EdgeKind::Sequence)).collect();
        for output in node.message.tool_outputs() {
            let caller =
                self.callers.remove(&output.call_id).or_else(|| caller(history, index, &output.call_id));
            let caller = caller.map(|n| self.nodes[n.get()]).filter(|node| *node != NONE);
            after.extend(caller.map(|node| (node, EdgeKind::Dependency)));
        }
        after.extend(result.map(|n| (n, EdgeKind::Branch)));
        let is_named = history.find(&node.id) == Some(index);
        let id = if is_named { node.id.clone() } else { Arc::from(format!("{}@{}", node.id, index.0)) };
        let added = self.graph.follow(id, lane, node.message.clone(), &after)?;
        for call in node.message.tool_calls().filter(|c| !c.hosted) {
            self.callers.insert(call.id.clone(), index);
        }
        Ok(added)
    }

    /// A message with calls that are still running is `Running`; every other one is `Finished`.
    fn update_states(&mut self, history: &History) {
        let mut running: Vec<NodeIndex> = if history.has_open_calls() {
            history.unanswered().into_iter().map(|(_, n)| n).collect()
        } else {
            Vec::new()
        };
        running.dedup();
        for ended in std::mem::replace(&mut self.running, running) {
            self.graph.follow_state(self.nodes[ended.get()], NodeState::Finished);
        }
        for node in &self.running {
            self.graph.follow_state(self.nodes[node.get()], NodeState::Running);
        }
    }

    /// Writes the cost of each call to the message that answered it (GRAPH-8).
    fn add_costs(&mut self, costs: &[(NodeIndex, ContextCost)]) {
        for (node, cost) in &costs[self.costs.min(costs.len())..] {
            if let Ok(cost) = serde_json::to_value(cost) {
                self.graph.set_metadata(self.nodes[node.get()], "context_cost", cost);
            }
        }
        self.costs = costs.len();
    }

    /// Adds an errored node for each call for which no view fitted, after the message that it was to answer (GRAPH-8): those
    /// that failed when the history had at most `until` entries.
    fn add_failed_calls(&mut self, session: &Source<'_>, until: usize) -> Result<()> {
        while let Some((entered, _)) = session.costs.failed.get(self.failed.len()).filter(|f| f.0 <= until) {
            let asked = self.nodes[..(*entered).min(self.nodes.len())].iter().rfind(|n| **n != NONE);
            let after: Vec<(u32, EdgeKind)> = asked.map(|n| (*n, EdgeKind::Sequence)).into_iter().collect();
            let free = |id: &String| self.graph.find(id).is_err();
            let number = self.failed.len() + 1;
            let id = (number..=number + self.nodes.len()).map(|n| format!("failed_call_{n}")).find(free);
            let message = Arc::new(Message::text(Role::Assistant, ""));
            let node = self.graph.follow(id.unwrap_or_default().into(), session.lane, message, &after)?;
            self.graph.follow_state(node, NodeState::Errored);
            self.failed.push(node);
        }
        Ok(())
    }

    /// Writes the cost of each failed call to its node.
    fn add_failed_costs(&mut self, costs: &[(usize, ContextCost)]) {
        for (node, (_, cost)) in self.failed.iter().zip(costs) {
            self.graph.set_metadata(*node, "context_cost", serde_json::to_value(cost).unwrap_or_default());
        }
    }

    fn update_folds(&mut self, context: &Context) -> Result<()> {
        if self.folds_changed == context.folds_changed {
            return Ok(());
        }
        let is_unchanged = |(known, fold): &(&GraphFold, &ContextFold)| {
            known.summary == fold.summary && known.members == fold.members
        };
        let same = self.folds.iter().zip(&context.folds).take_while(is_unchanged).count();
        for fold in self.folds.split_off(same).into_iter().rev() {
            if fold.place.is_some() {
                self.graph.expand(&context.history.node(fold.summary).id)?;
            }
        }
        for fold in &context.folds[same..] {
            let members: Vec<Place> = fold.members.iter().filter_map(|n| self.place(*n)).collect();
            let before = self.nodes[..fold.summary.get()].iter().rfind(|n| **n != NONE);
            let made_at = before.map_or(0, |n| n + 1);
            let id = context.history.node(fold.summary).id.clone();
            let place = if members.is_empty() {
                None
            } else {
                Some(self.graph.follow_fold(id, members, &fold.text, made_at)?)
            };
            self.folds.push(GraphFold { summary: fold.summary, members: fold.members.clone(), place });
        }
        self.folds_changed = context.folds_changed;
        Ok(())
    }

    fn place(&self, node: NodeIndex) -> Option<Place> {
        match self.nodes[node.get()] {
            NONE => self.folds.iter().find(|f| f.summary == node).and_then(|f| f.place),
            node => Some(Place::Node(node)),
        }
    }

    /// Adds the first `until` messages of a fork's lane.
    fn add_lane(&mut self, number: usize, fork: &Fork, until: usize) -> Result<()> {
        let origin = self.nodes[fork.at.get()];
        while self.lanes.len() <= number {
            self.lanes.push(Vec::new());
        }
        self.graph.follow_fork(origin, &fork.lane);
        while let Some(message) = fork.story[..until].get(self.lanes[number].len()) {
            let lane = &self.lanes[number];
            let mut after: Vec<(u32, EdgeKind)> = Vec::new();
            after.push(match message.after {
                Some(before) => (lane[before], EdgeKind::Sequence),
                None if lane.is_empty() => (origin, EdgeKind::Branch),
                None => (origin, EdgeKind::Dependency),
            });
            after.extend(message.needs.iter().map(|n| (lane[*n], EdgeKind::Dependency)));
            let id = format!("{}/{}", fork.lane, message.id);
            let taken = self.graph.find(&id).is_ok();
            let id = if taken { format!("{id}@{}", lane.len()) } else { id };
            let node = self.graph.follow(id.into(), &fork.lane, message.message.clone(), &after)?;
            self.lanes[number].push(node);
        }
        Ok(())
    }
}

/// The message that made the call which an output at `index` answers.
fn caller(history: &History, index: NodeIndex, call_id: &str) -> Option<NodeIndex> {
    let calls = |n: &NodeIndex| history.node(*n).message.tool_calls().any(|c| c.id == call_id);
    (0..index.0).rev().map(NodeIndex).find(calls)
}
