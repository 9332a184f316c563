use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::tally::{PartName, Tally, text_part};
use crate::error::Result;
use crate::message::Message;
use crate::saved::{Reader, Saved, Writer, saved};

/// A node's place in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeIndex(pub u32);

impl NodeIndex {
    /// As an index.
    pub fn get(self) -> usize {
        self.0 as usize
    }
}

/// Who put a node in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// The caller.
    Message,
    /// The engine: a fold's summary.
    Summary,
    /// The engine: the text that a fold's answer wants retained verbatim.
    Retain,
    /// The engine: the question that a summary answers, in a layout that shows it.
    Ask,
    /// The engine: a piece of a message's text that the caller pinned.
    Pin,
    /// The engine: what stands between header and conversation, as the caller set it.
    Part,
    /// The engine: what stands in for the output of an interrupted call until it comes.
    StandIn,
}

/// A message with what the engine knows of it.
#[derive(Debug, Clone)]
pub struct Node {
    /// Unique in the session: the caller's, or ours (`m1`, `m2`, …; `fold_1` for summaries).
    pub id: Arc<str>,
    /// The message, whole. Never changed.
    pub message: Arc<Message>,
    /// Its tokens, counted when it entered.
    pub tally: Tally,
    /// Who put it in.
    pub kind: NodeKind,
    /// Stands verbatim in every view.
    pub pinned: bool,
    /// The summary that stands for it in the view.
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
    /// The part of the report that its text belongs to.
    pub fn part(&self) -> PartName {
        match self.kind {
            NodeKind::Retain | NodeKind::Pin => PartName::Retain,
            NodeKind::Summary | NodeKind::Ask => PartName::Summary,
            NodeKind::Message | NodeKind::Part | NodeKind::StandIn => text_part(&self.message),
        }
    }

    /// Whether it stands for a fold: its summary, or what stands with that.
    pub fn is_fold(&self) -> bool {
        matches!(self.kind, NodeKind::Retain | NodeKind::Ask | NodeKind::Summary)
    }
}

/// Nodes, to be asked for by number.
pub type NodeSet = HashSet<NodeIndex, BuildHasherDefault<ByNumber>>;

/// Spreads numbers that nobody but the engine gives.
#[derive(Debug, Clone, Copy, Default)]
pub struct ByNumber(u64);

impl Hasher for ByNumber {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u32(u32::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(26);
    }
}
