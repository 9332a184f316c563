//! Which message made the call that an output answers. This is recorded when the output enters, so that nothing has to be
//! looked up by id. The same for results of tools that the provider runs.
//!
//! Steps and unanswered calls are found from these links without reading any message. Debug builds compare the result with
//! the ids. Restoring a snapshot replays the links, and refuses a history that could not have happened.

use crate::context::node::{Node, NodeIndex, NodeKind, NodeSet};
use crate::growing::append;
use crate::hashing::HashMap;
use crate::message::{Message, Role, ToolCall};

/// For a tool message: the call is not known.
const NONE: u32 = u32::MAX;

/// For each node by its number: for a tool message, the node of the call that it answers; for others, how many of its calls
/// wait for an output.
#[derive(Debug, Clone, Default)]
pub(super) struct Links {
    calls: Vec<u32>,
    /// Calls of tools that the provider runs, and approval requests, that have no result yet.
    server: HashMap<String, NodeIndex>,
    /// Messages that cannot stay without such a call in an earlier message, with that message.
    depends_on: HashMap<NodeIndex, NodeIndex>,
}

impl Links {
    /// The node of the call that a tool message answers, if that was known when it entered. For other messages, the link is
    /// a number of calls.
    pub fn caller(&self, output: NodeIndex) -> Option<NodeIndex> {
        let link = self.calls.get(output.get())?;
        (*link != NONE).then_some(NodeIndex(*link))
    }

    /// How many calls of a message that is not a tool message wait for an output.
    pub fn calls(&self, caller: NodeIndex) -> usize {
        self.calls.get(caller.get()).map_or(0, |calls| *calls as usize)
    }

    /// The earlier message with the provider-run call that a message cannot stay without.
    pub fn depends_on(&self, node: NodeIndex) -> Option<NodeIndex> {
        self.depends_on.get(&node).copied()
    }

    /// The messages with provider-run calls that have no result yet.
    pub fn open_server_calls(&self) -> impl Iterator<Item = NodeIndex> {
        self.server.values().copied()
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.calls.len()
    }

    /// Adds links for further nodes, as far as the nodes themselves determine them. `open` are the calls that wait before
    /// these nodes; returns those that wait after them. Each node in `superseded` leaves the conversation at the given
    /// number of nodes.
    pub fn catch_up<'n>(
        &mut self,
        nodes: &'n [Node],
        superseded: &HashMap<NodeIndex, usize>,
        mut open: HashMap<&'n str, NodeIndex>,
    ) -> HashMap<&'n str, NodeIndex> {
        let known = self.len();
        let leaving = superseded.iter().filter(|(_, at)| **at > known);
        let mut leave: Vec<(usize, NodeIndex)> = leaving.map(|(node, at)| (*at, *node)).collect();
        crate::sorting::sort(&mut leave);
        let mut leave = leave.as_slice();
        let mut removed = NodeSet::default();
        for at in known..=nodes.len() {
            let (leaving, later) = leave.split_at(leave.partition_point(|(when, _)| *when <= at));
            if !leaving.is_empty() {
                let leaving: Vec<NodeIndex> = leaving.iter().map(|(_, node)| *node).collect();
                removed.extend(leaving.iter().copied());
                self.release_calls(nodes, &mut open, &leaving, &removed);
                leave = later;
            }
            let Some(node) = nodes.get(at) else { break };
            let mut caller = None;
            for output in node.message.tool_outputs() {
                caller = match node.kind {
                    // The output itself may still come.
                    NodeKind::StandIn => open.get(output.call_id.as_str()).copied(),
                    _ => open.remove(output.call_id.as_str()),
                };
            }
            open.extend(waiting(&node.message).map(|call| (call.id.as_str(), NodeIndex(at as u32))));
            self.enter(&node.message, caller);
        }
        open
    }

    /// Calls of nodes that left no longer wait, and calls that they answered wait again.
    fn release_calls<'n>(
        &self,
        nodes: &'n [Node],
        open: &mut HashMap<&'n str, NodeIndex>,
        leaving: &[NodeIndex],
        removed: &NodeSet,
    ) {
        for index in leaving {
            let node = &nodes[index.get()];
            let answered = node.message.tool_outputs().filter(|_| node.kind == NodeKind::Message);
            let known = self.calls.get(index.get()).copied().filter(|caller| *caller != NONE);
            let caller = known.filter(|caller| !removed.contains(&NodeIndex(*caller)));
            open.extend(
                answered.zip(caller).map(|(output, caller)| (output.call_id.as_str(), NodeIndex(caller))),
            );
        }
        open.retain(|_, caller| !removed.contains(caller));
    }

    /// Adds the next node; `caller` is the node of the call that it answers.
    pub fn enter(&mut self, message: &Message, caller: Option<NodeIndex>) {
        let link = match message.role {
            Role::Tool if message.tool_outputs().count() == 1 => caller.map_or(NONE, |caller| caller.0),
            Role::Tool => NONE,
            _ => waiting(message).count() as u32,
        };
        self.enter_server_calls(message, NodeIndex(self.calls.len() as u32));
        append(&mut self.calls, link);
    }

    /// A message that was entered makes one more call.
    pub fn claim(&mut self, caller: NodeIndex) {
        if let Some(calls) = self.calls.get_mut(caller.get()) {
            *calls += 1;
        }
    }

    fn enter_server_calls(&mut self, message: &Message, index: NodeIndex) {
        let from = message.required_ids().filter_map(|id| self.server.get(&*id).copied()).min();
        // A message that belongs to calls in several messages goes with the earliest of them.
        if let Some(from) = from {
            self.depends_on.insert(index, from);
        }
        for id in message.provided_ids() {
            self.server.insert(id.to_owned(), index);
        }
        for id in message.parts.iter().filter_map(|part| part.answered_id()) {
            self.server.remove(id);
        }
    }
}

/// The calls of a message that wait for an output.
fn waiting(message: &Message) -> impl Iterator<Item = &ToolCall> {
    message.tool_calls().filter(|call| !call.hosted)
}
