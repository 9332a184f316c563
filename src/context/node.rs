//! The nodes of a history, and sets of them.

use std::sync::Arc;

use super::part_name::PartName;
use super::tally::Tally;
use crate::error::Result;
use crate::message::Message;
use crate::saved::{Reader, Saved, Writer, saved};

/// A node's position in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeIndex(pub u32);

impl NodeIndex {
    /// As a `usize` index.
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

/// Who created a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// The caller.
    Message,
    /// The engine: a fold's summary.
    Summary,
    /// The engine: text that the summariser asked to keep word for word.
    Retain,
    /// The engine: the request that a summary answers, in a layout that shows it.
    Ask,
    /// The engine: a piece of a message's text that the caller pinned.
    Pin,
    /// The engine: a context part between header and conversation, as the caller set it.
    Part,
    /// The engine: a replacement for the output of an interrupted call until the output comes.
    StandIn,
}

/// A message with its metadata.
#[derive(Debug, Clone)]
pub struct Node {
    /// Unique in the session: the caller's, or generated (`m1`, `m2`, …; `fold_1` for summaries).
    pub id: Arc<str>,
    /// The whole message. What a model reads of it changes only if it is erased, or while its output is kept in the host's
    /// store; metadata in its format are updated when the message comes in again.
    pub message: Arc<Message>,
    /// Its tokens, counted when it entered.
    pub tally: Tally,
    /// Who created it.
    pub kind: NodeKind,
    /// Whether every view shows it verbatim.
    pub pinned: bool,
    /// The summary that replaced it in the view.
    pub folded_by: Option<NodeIndex>,
}

saved!(
    enum NodeKind {
        Message,
        Summary,
        Retain,
        Ask,
        Pin,
        StandIn,
        Part,
    }
);
saved!(struct Node { id, message, tally, kind, pinned, folded_by });

impl Saved for NodeIndex {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        self.0.save(out);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        u32::load(from).map(Self)
    }
}

impl Node {
    /// The part of the report that its text counts toward.
    pub fn part(&self) -> PartName {
        match self.kind {
            NodeKind::Retain | NodeKind::Pin => PartName::Retain,
            NodeKind::Summary | NodeKind::Ask => PartName::Summary,
            NodeKind::Message | NodeKind::Part | NodeKind::StandIn => PartName::of_text(&self.message),
        }
    }

    /// Whether it represents a fold in the view: the summary, or a message shown with it.
    pub fn is_fold(&self) -> bool {
        matches!(self.kind, NodeKind::Retain | NodeKind::Ask | NodeKind::Summary)
    }
}

/// A set of nodes as a bit set over their positions.
#[derive(Debug, Clone, Default)]
pub struct NodeSet {
    bits: Vec<u64>,
    len: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the same methods as the sets of the standard library")]
impl NodeSet {
    /// How many nodes are in the set.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether a node is in the set.
    pub fn contains(&self, node: &NodeIndex) -> bool {
        self.bits.get(node.get() / 64).is_some_and(|bits| bits >> (node.get() % 64) & 1 == 1)
    }

    /// Adds a node. Returns whether it was not in the set before.
    pub fn insert(&mut self, node: NodeIndex) -> bool {
        let at = node.get() / 64;
        if at >= self.bits.len() {
            self.bits.resize(at + 1, 0);
        }
        let is_new = !self.contains(&node);
        self.bits[at] |= 1 << (node.get() % 64);
        self.len += usize::from(is_new);
        is_new
    }

    /// Removes a node. Returns whether it was in the set.
    pub fn remove(&mut self, node: &NodeIndex) -> bool {
        let was_here = self.contains(node);
        if was_here {
            self.bits[node.get() / 64] &= !(1 << (node.get() % 64));
            self.len -= 1;
        }
        was_here
    }

    /// Removes all nodes.
    pub fn clear(&mut self) {
        self.bits.clear();
        self.len = 0;
    }

    /// All nodes, in order.
    pub fn iter(&self) -> impl Iterator<Item = NodeIndex> + '_ {
        let words = self.bits.iter().zip(0_u32..).filter(|(bits, _)| **bits != 0);
        let in_word = |(bits, word): (&u64, u32)| {
            let bits = *bits;
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| NodeIndex(word * 64 + bit))
        };
        words.flat_map(in_word)
    }
}

impl Extend<NodeIndex> for NodeSet {
    fn extend<I: IntoIterator<Item = NodeIndex>>(&mut self, nodes: I) {
        for node in nodes {
            self.insert(node);
        }
    }
}

impl FromIterator<NodeIndex> for NodeSet {
    fn from_iter<I: IntoIterator<Item = NodeIndex>>(nodes: I) -> Self {
        let mut set = Self::default();
        set.extend(nodes);
        set
    }
}
