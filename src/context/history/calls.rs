//! Which calls wait for an output, and which message made the call that an output answers.

use std::sync::Arc;

use super::History;
use super::open_calls::{OpenCall, OpenCalls};
use crate::context::node::{NodeIndex, NodeKind};
use crate::context::tally::Tally;
use crate::message::{Message, Role, ToolCall};
use crate::provider::{answer_by_item_id, is_answer_by_id};

impl History {
    /// The node with the call `call_id`, if no output has answered it yet.
    pub fn open_call(&self, call_id: &str) -> Option<NodeIndex> {
        self.open_calls.get(call_id).map(|c| c.caller)
    }

    /// The call `call_id`, if no output has answered it yet.
    pub fn waiting_call(&self, call_id: &str) -> Option<&ToolCall> {
        let open = self.open_calls.get(call_id)?;
        open.find(call_id, &self.node(open.caller).message)
    }

    /// The call `call_id` of a message.
    pub fn call_of(&self, caller: NodeIndex, call_id: &str) -> Option<&ToolCall> {
        let open = self.open_calls.get(call_id).copied().filter(|open| open.caller == caller);
        open.unwrap_or(OpenCall::of(caller)).find(call_id, &self.node(caller).message)
    }

    /// Gives outputs that name their call by the id of the call's item the id of the call. Only open calls are looked at: if a call
    /// has its output, another one is refused under either id.
    pub fn name_calls(&self, messages: &mut [Message]) {
        for output in messages.iter_mut().flat_map(Message::tool_outputs_mut).filter(|o| is_answer_by_id(o)) {
            let open = self.open_calls.in_order();
            open.keys().filter_map(|id| self.waiting_call(id)).find(|call| answer_by_item_id(output, call));
        }
    }

    /// The calls that wait for an output.
    pub fn open_calls(&self) -> &OpenCalls {
        &self.open_calls
    }

    /// Whether a call still waits for its output.
    pub fn has_open_calls(&self) -> bool {
        !self.open_calls.is_empty()
    }

    /// The calls that neither an output nor a stand-in answers, with the nodes that made them.
    pub fn unanswered(&self) -> Vec<(String, NodeIndex)> {
        let open = self.open_calls.in_order();
        let waiting = open.into_iter().filter(|(_, c)| c.stand_in.is_none());
        waiting.map(|(id, c)| (id.clone(), c.caller)).collect()
    }

    /// Removes and returns the stand-in of an open call whose output is entering.
    pub fn take_stand_in(&mut self, call_id: &str) -> Option<NodeIndex> {
        self.open_calls.get_mut(call_id).and_then(|c| c.stand_in.take())
    }

    /// Appends a stand-in for the output of `call_id`; the call stays open.
    pub fn append_stand_in(&mut self, call_id: &str, message: Arc<Message>, tally: Tally) -> NodeIndex {
        let open = self.open_calls.get(call_id).copied();
        let id = self.fresh_id("interrupted_");
        let index = self.insert(id, message, tally, NodeKind::StandIn);
        if let Some(open) = open {
            self.open_calls.insert(call_id.to_owned(), OpenCall { stand_in: Some(index), ..open });
        }
        index
    }

    /// The node of the call that a tool message answers, if that was known when it entered.
    pub fn caller(&self, output: NodeIndex) -> Option<NodeIndex> {
        let is_output = self.nodes.get(output.get())?.message.role == Role::Tool;
        self.links.caller(output).filter(|_| is_output)
    }

    /// How many calls of a message that is not a tool message wait for an output.
    pub fn calls(&self, caller: NodeIndex) -> usize {
        self.links.calls(caller)
    }

    /// The earlier message with the provider-run call that this message cannot stay without.
    pub fn depends_on(&self, node: NodeIndex) -> Option<NodeIndex> {
        self.links.depends_on(node)
    }

    /// The messages with provider-run calls that have no result yet.
    pub fn open_server_calls(&self) -> impl Iterator<Item = NodeIndex> {
        self.links.open_server_calls()
    }
}
