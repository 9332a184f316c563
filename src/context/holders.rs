//! Which messages hold a stored output. Built only for sessions that move outputs out of memory; reads each message once.

use super::history::History;
use super::node::NodeIndex;
use crate::facts::is_ask_user_tool;
use crate::hashing::{HashMap, HashSet};
use crate::message::Role;

/// The tool messages, by the ref of their output.
#[derive(Debug, Clone, Default)]
pub(super) struct Holders {
    /// How many nodes were read.
    read: usize,
    by_ref: HashMap<String, Vec<NodeIndex>>,
    /// Ids of calls that ask the user a question.
    asking_calls: HashSet<String>,
    /// Nodes with the user's answers: they may contain rules.
    user_answers: HashSet<NodeIndex>,
}

impl Holders {
    /// Reads new nodes.
    pub fn catch_up(&mut self, history: &History) {
        for (index, node) in history.nodes_from(self.read) {
            let asking_calls = node.message.tool_calls().filter(|call| is_ask_user_tool(&call.name));
            self.asking_calls.extend(asking_calls.map(|call| call.id.clone()));
            for output in node.message.tool_outputs() {
                if self.asking_calls.contains(&output.call_id) {
                    self.user_answers.insert(index);
                }
                let known = output.output_ref.as_ref().filter(|_| node.message.role == Role::Tool);
                if let Some(known) = known {
                    let nodes = self.by_ref.entry(known.id.clone()).or_default();
                    if nodes.last() != Some(&index) {
                        nodes.push(index);
                    }
                }
            }
        }
        self.read = history.len();
    }

    /// The nodes whose output has this ref.
    pub fn of(&self, id: &str) -> &[NodeIndex] {
        self.by_ref.get(id).map_or(&[], Vec::as_slice)
    }

    /// Whether a node contains an answer of the user.
    pub fn is_users_answer(&self, node: NodeIndex) -> bool {
        self.user_answers.contains(&node)
    }
}
