use std::sync::Arc;

use super::node::{Node, NodeIndex, NodeKind, NodeSet};
use super::tally::Tally;
use crate::error::{Error, ErrorCode, Result};
use crate::growing::append;
use crate::hashing::{HashMap, HashSet};
use crate::message::{Message, Part, Role};
use crate::sorted::SortedMap;
use crate::tokens::MESSAGE_OVERHEAD;

mod away;
mod calls;
mod check;
mod ids;
mod journal;
mod links;
mod open_calls;
mod place;
mod renamed;
mod renumbered;
mod saved;
mod stored_calls;
mod superseded;

use away::Away;
use ids::Ids;
pub use journal::NodeChange;
use links::Links;
pub use open_calls::OpenCalls;
use place::InsertedNodes;
pub use renamed::CallRenamed;
pub use superseded::Superseded;

/// Every message that ever entered. Append-only.
#[derive(Debug, Clone, Default)]
pub struct History {
    nodes: Vec<Node>,
    ids: Ids,
    open_calls: OpenCalls,
    generated: u64,
    /// Ids of messages that are entering.
    reserved: HashSet<String>,
    /// Nodes of a past that the caller rewrote or rewound, with the number of nodes at that time. Their ids and calls are
    /// free again.
    superseded: HashMap<NodeIndex, usize>,
    /// Whether any message holds reasoning.
    has_reasoning: bool,
    /// Messages that hold a provider's own compaction.
    compactions: Vec<NodeIndex>,
    inserted: InsertedNodes,
    /// Messages whose output is in the host's store, with their tokens when they were pushed.
    /// In boxes, because outputs come back in any order.
    away: SortedMap<NodeIndex, Box<Away>>,
    links: Links,
    pushed_tokens: u64,
    /// Nodes whose metadata have changed since the session was last saved …
    touched: NodeSet,
    /// … and those of them whose message was replaced.
    rewritten: NodeSet,
}

impl History {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The message with the reasoning that led to this one, if it is another one: items may be pushed one by one.
    pub fn reasoning_before(&self, index: NodeIndex) -> Option<NodeIndex> {
        let answers = |node: &Node| node.kind == NodeKind::Message && node.message.role == Role::Assistant;
        let begins = self.node(index).message.parts.first();
        if !self.has_reasoning || !answers(self.node(index)) || matches!(begins, Some(Part::Reasoning(_))) {
            return None;
        }
        // A summary may have been written meanwhile.
        let before = (0..index.0).rev().map(NodeIndex).filter(|at| self.node(*at).kind == NodeKind::Message);
        let mut answer = before.take_while(|at| answers(self.node(*at)) && !self.is_superseded(*at));
        answer.find(|at| reasons(&self.node(*at).message))
    }

    /// The assistant's message before a message of the user, if nothing but instructions is between them.
    pub fn answer_before(&self, index: NodeIndex) -> Option<NodeIndex> {
        if self.root(index) != index {
            return None; // it was inserted later
        }
        let is_said = |at: &NodeIndex| {
            let node = self.node(*at);
            node.kind == NodeKind::Message && !node.message.role.is_instruction() && !self.is_superseded(*at)
        };
        let before = (0..index.0).rev().map(NodeIndex).find(is_said);
        before.filter(|at| self.node(*at).message.role == Role::Assistant)
    }

    /// Whether any message holds reasoning.
    pub fn has_reasoning(&self) -> bool {
        self.has_reasoning
    }

    /// The messages that hold a provider's own compaction, including those of a rewritten or rewound past.
    pub fn compactions(&self) -> &[NodeIndex] {
        &self.compactions
    }

    /// How many messages the caller pushed.
    pub fn pushed(&self) -> usize {
        self.nodes.iter().filter(|n| n.kind == NodeKind::Message).count()
    }

    /// Whether nothing has entered yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes in the order in which they entered.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The nodes from position `known` on, each with its index.
    pub fn nodes_from(&self, known: usize) -> impl Iterator<Item = (NodeIndex, &Node)> {
        self.nodes.iter().enumerate().skip(known).map(|(at, node)| (NodeIndex(at as u32), node))
    }

    /// The node at `index`.
    pub fn node(&self, index: NodeIndex) -> &Node {
        &self.nodes[index.get()]
    }

    /// The summaries that a node is folded into, directly or through an earlier fold, innermost first.
    pub fn folds_around(&self, index: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        std::iter::successors(self.node(index).folded_by, |summary| self.node(*summary).folded_by)
    }

    /// Counts every message again. For an output that is not in memory, the first count is scaled like the counts of all
    /// others.
    pub(super) fn recount(&mut self, count: impl Fn(&Message) -> Tally) {
        let (mut before, mut now) = (0, 0);
        self.touched = (0..self.nodes.len() as u32).map(NodeIndex).collect();
        for node in &mut self.nodes {
            before += node.tally.total().saturating_sub(MESSAGE_OVERHEAD);
            node.tally = count(&node.message);
            now += node.tally.total().saturating_sub(MESSAGE_OVERHEAD);
        }
        self.recount_away(before, now);
        self.pushed_tokens = self.all_pushed_tokens();
    }

    /// Tokens of all messages that were pushed and are not rewound, as they were pushed: a sum, because each cut asks for it.
    pub fn pushed_tokens(&self) -> u64 {
        debug_assert_eq!(self.pushed_tokens, self.all_pushed_tokens());
        self.pushed_tokens
    }

    /// What a node adds to the sum.
    fn pushed_tokens_of(&self, index: NodeIndex) -> u64 {
        let counts = self.node(index).kind == NodeKind::Message && !self.is_superseded(index);
        if counts { self.tally_as_pushed(index).total() } else { 0 }
    }

    fn all_pushed_tokens(&self) -> u64 {
        (0..self.nodes.len() as u32).map(|at| self.pushed_tokens_of(NodeIndex(at))).sum()
    }

    /// The node with this id.
    pub fn find(&self, id: &str) -> Option<NodeIndex> {
        self.ids.find(&self.nodes, id)
    }

    /// The node with this id, or `INVALID_ARGUMENT`.
    pub fn require(&self, id: &str) -> Result<NodeIndex> {
        self.find(id).ok_or_else(|| {
            Error::new(
                ErrorCode::InvalidArgument,
                format!("no message has the id `{id}`; see items() for the ids"),
            )
        })
    }

    /// Replaces a message with the same message and its new metadata.
    pub(super) fn renew(&mut self, index: NodeIndex, message: Arc<Message>) {
        self.rewritten.insert(index);
        self.nodes[index.get()].message = message;
    }

    /// Replaces a message that was erased.
    pub(super) fn erase(&mut self, index: NodeIndex, message: Arc<Message>, tally: Tally) {
        self.rewritten.insert(index);
        let before = self.pushed_tokens_of(index);
        self.away.remove(&index);
        let node = &mut self.nodes[index.get()];
        (node.message, node.tally) = (message, tally);
        self.pushed_tokens = self.pushed_tokens - before + self.pushed_tokens_of(index);
        self.has_reasoning = self.nodes.iter().any(|node| reasons(&node.message));
        self.compactions = compactions(&self.nodes, 0).collect();
    }

    /// Pins or unpins a node.
    pub fn set_pinned(&mut self, index: NodeIndex, pinned: bool) {
        self.touched.insert(index);
        self.nodes[index.get()].pinned = pinned;
    }

    /// Records that a node was folded into a summary, or no longer is.
    pub fn set_folded_by(&mut self, index: NodeIndex, summary: Option<NodeIndex>) {
        self.touched.insert(index);
        self.nodes[index.get()].folded_by = summary;
    }

    /// Appends a node. The message has passed [`History::check`].
    pub fn append(&mut self, message: Arc<Message>, tally: Tally) -> NodeIndex {
        let id: Arc<str> = match &message.meta.id {
            Some(id) => Arc::from(id.as_str()),
            None => self.fresh_id("m"),
        };
        self.insert(id, message, tally, NodeKind::Message)
    }

    /// Appends a message that the engine made.
    pub fn append_engine_made(&mut self, kind: NodeKind, message: Arc<Message>, tally: Tally) -> NodeIndex {
        let id = self.fresh_id(match kind {
            NodeKind::Retain => "retain_",
            NodeKind::Ask => "ask_",
            NodeKind::Pin => "pin_",
            NodeKind::Part => "context_",
            _ => "fold_",
        });
        self.insert(id, message, tally, kind)
    }

    fn insert(&mut self, id: Arc<str>, message: Arc<Message>, tally: Tally, kind: NodeKind) -> NodeIndex {
        let index = NodeIndex(self.nodes.len() as u32);
        let mut caller = None;
        for output in message.tool_outputs() {
            caller = self.open_calls.remove(&output.call_id).map(|call| call.caller);
        }
        self.open_calls.enter(index, &message);
        self.has_reasoning |= reasons(&message);
        if message.provider_compaction().is_some() {
            self.compactions.push(index);
        }
        self.links.enter(&message, caller);
        let pinned = message.meta.pinned;
        append(&mut self.nodes, Node { id, message, tally, kind, pinned, folded_by: None });
        self.ids.insert(&self.nodes, index);
        self.pushed_tokens += self.pushed_tokens_of(index);
        index
    }

    /// Records that a node was inserted behind another one, not at the end.
    pub(super) fn record_inserted(&mut self, index: NodeIndex, behind: Option<NodeIndex>) {
        if let Some(behind) = behind {
            self.inserted.enter(index, behind);
        }
    }

    /// The regular node that this one follows; the node itself if it was not inserted.
    pub(super) fn root(&self, node: NodeIndex) -> NodeIndex {
        self.inserted.root(node)
    }

    /// Reserves the ids of entering messages, so that no generated id equals one of them.
    pub fn reserve_ids(&mut self, messages: &[Message]) {
        self.reserved = messages.iter().filter_map(|m| m.meta.id.clone()).collect();
    }

    /// An id that is not taken; deterministic (INV-6).
    fn fresh_id(&mut self, prefix: &str) -> Arc<str> {
        loop {
            self.generated += 1;
            let id = format!("{prefix}{}", self.generated);
            if self.find(&id).is_none() && !self.reserved.contains(&id) {
                return Arc::from(id);
            }
        }
    }
}

/// The nodes from position `known` on whose message holds a provider's own compaction.
fn compactions(nodes: &[Node], known: usize) -> impl Iterator<Item = NodeIndex> + '_ {
    let holds = |(at, node): (usize, &Node)| node.message.provider_compaction().map(|_| NodeIndex(at as u32));
    nodes.iter().enumerate().skip(known).filter_map(holds)
}

/// Whether a message holds reasoning.
fn reasons(message: &Message) -> bool {
    message.parts.iter().any(|part| matches!(part, Part::Reasoning(_)))
}
