//! Calls that are stored with the provider: the list has only a reference to each. Which one it is, its output says, and that may come later.

use std::sync::Arc;

use super::History;
use super::open_calls::OpenCall;
use crate::context::node::{NodeIndex, NodeKind};
use crate::context::tally::Tally;
use crate::hashing::HashSet;
use crate::message::{Message, Role};
use crate::provider::count_stored_calls;

impl History {
    /// The references that become calls because these messages answer them: for each the message that has it, and the call's id. They are
    /// those of the newest answer that has any, in order, as in a list that is read at once.
    pub fn stored_calls(&self, messages: &[Message]) -> Vec<(NodeIndex, String)> {
        let mut called: HashSet<&str> = HashSet::default();
        let mut answered = Vec::new();
        for message in messages {
            called.extend(message.tool_calls().map(|call| call.id.as_str()));
            let outputs = message.tool_outputs().map(|output| output.call_id.as_str());
            answered.extend(outputs.filter(|id| self.open_call(id).is_none() && called.insert(id)));
        }
        if answered.is_empty() {
            return Vec::new(); // the usual case
        }
        let message = |index: &NodeIndex| &self.node(*index).message;
        let is_shown =
            |index: &NodeIndex| self.node(*index).kind == NodeKind::Message && !self.is_superseded(*index);
        let newest_first = (0..self.len() as u32).rev().map(NodeIndex).filter(is_shown);
        let turn: Vec<NodeIndex> =
            newest_first.take_while(|index| message(index).role != Role::User).collect();
        // A second output of a call that is known answers no other one.
        let known = |id: &str| {
            turn.iter().map(message).any(|message| {
                message.tool_calls().any(|call| call.id == id)
                    || message.tool_outputs().any(|output| output.call_id == id)
            })
        };
        answered.retain(|id| !known(id));
        let count = |index: &NodeIndex| count_stored_calls(message(index));
        let behind = turn.iter().copied().skip_while(|index| count(index) == 0);
        let answer: Vec<NodeIndex> =
            behind.take_while(|index| message(index).role == Role::Assistant).collect();
        let references = answer.iter().rev().flat_map(|index| std::iter::repeat_n(*index, count(index)));
        references.zip(answered).map(|(index, id)| (index, id.to_owned())).collect()
    }

    /// Shows the message as one that makes this call, which waits for its output from now on.
    pub(in crate::context) fn claim(
        &mut self,
        index: NodeIndex,
        id: String,
        message: Arc<Message>,
        tally: Tally,
    ) {
        self.rewritten.insert(index);
        let before = self.pushed_tokens_of(index);
        let node = &mut self.nodes[index.get()];
        (node.message, node.tally) = (message, tally);
        self.pushed_tokens = self.pushed_tokens - before + self.pushed_tokens_of(index);
        self.links.claim(index);
        self.open_calls.insert(id, OpenCall::of(index));
    }
}
