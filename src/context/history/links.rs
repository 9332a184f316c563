//! Which message made the call that an output answers: known when the output enters, so that nobody has to look it up by id.

use super::History;
use crate::context::node::{Node, NodeIndex, NodeKind};
use crate::growing::append;
use crate::hashing::HashMap;
use crate::message::{Message, Role, ToolCall};

/// Of a tool message: no call that is known.
const NONE: u32 = u32::MAX;

/// Of each node, by its number: who made the call that it answers, or how many calls it makes that wait for an output.
#[derive(Debug, Clone, Default)]
pub(in crate::context) struct Links(Vec<u32>);

impl Links {
    /// Those of nodes, as far as they tell it themselves.
    pub fn of(nodes: &[Node]) -> Self {
        let mut links = Self::default();
        let mut open: HashMap<&str, NodeIndex> = HashMap::default();
        for (node, at) in nodes.iter().zip(0..) {
            let mut caller = None;
            for output in node.message.tool_outputs() {
                caller = match node.kind {
                    // The output itself may come yet.
                    NodeKind::StandIn => open.get(output.call_id.as_str()).copied(),
                    _ => open.remove(output.call_id.as_str()),
                };
            }
            open.extend(waiting(&node.message).map(|call| (call.id.as_str(), NodeIndex(at))));
            links.enter(&node.message, caller);
        }
        links
    }

    /// The next node; `caller`: who made the call that it answers.
    pub fn enter(&mut self, message: &Message, caller: Option<NodeIndex>) {
        let link = match message.role {
            Role::Tool if message.tool_outputs().count() == 1 => caller.map_or(NONE, |caller| caller.0),
            Role::Tool => NONE,
            _ => waiting(message).count() as u32,
        };
        append(&mut self.0, link);
    }
}

/// The calls of a message that wait for an output.
fn waiting(message: &Message) -> impl Iterator<Item = &ToolCall> {
    message.tool_calls().filter(|call| !call.hosted)
}

impl History {
    /// Who made the one call that a tool message answers, where that was known when it entered.
    pub fn caller(&self, output: NodeIndex) -> Option<NodeIndex> {
        let link = self.links.0.get(output.get())?;
        let answers = self.nodes.get(output.get())?.message.role == Role::Tool; // of any other, the link is a number of calls
        (answers && *link != NONE).then_some(NodeIndex(*link))
    }

    /// How many calls a message that is no tool's makes that wait for an output.
    pub fn calls(&self, caller: NodeIndex) -> usize {
        self.links.0.get(caller.get()).map_or(0, |calls| *calls as usize)
    }
}
