//! How a session knows its branches, and a branch the session that it comes from.

use std::sync::Arc;

use crate::context::{History, NodeIndex, NodeKind};
use crate::message::Message;
use crate::saved::saved;

/// A session that branched off this one.
#[derive(Clone, Debug)]
pub(super) struct Fork {
    pub lane: String,
    /// The message after which it branched off.
    pub at: NodeIndex,
    /// The messages of the branch after that, as far as they were read by [`super::Session::read_branch`].
    pub story: Vec<BranchMessage>,
    /// How many entries of the branch's history were read.
    pub heard: usize,
    /// The message that the merged result became, and the length of `story` at that time.
    pub merged: Option<(NodeIndex, usize)>,
    /// Shared by only this fork and its branch: identifies the pair.
    pub bond: Arc<()>,
}

/// A message of a branch, as its parent session knows it.
#[derive(Clone, Debug)]
pub(super) struct BranchMessage {
    pub id: Arc<str>,
    pub message: Arc<Message>,
    /// Its index in the branch's history.
    pub index: NodeIndex,
    /// The entry of the story that it follows.
    pub after: Option<usize>,
    /// The entries of the story with the calls that it answers.
    pub needs: Vec<usize>,
}

/// Where this session branched off.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub bond: Arc<()>,
    /// The message after which it branched off, by its index in the parent's history.
    pub at: NodeIndex,
    /// The length of the inherited history: entries from here on are the branch's own.
    pub own_from: usize,
}

// A bond connects two sessions of one process. A restored session knows its branches but can merge no results of them.
saved!(struct Fork { lane, at, story, heard, merged } fresh { bond: Arc::new(()) });
saved!(struct BranchMessage { id, message, index, after, needs });
saved!(struct Origin { at, own_from } fresh { bond: Arc::new(()) });

impl Fork {
    /// Whether every entry that it refers to exists and came earlier.
    pub fn is_whole(&self, history: &History) -> bool {
        let earlier =
            |(n, known): (usize, &BranchMessage)| known.after.iter().chain(&known.needs).all(|at| *at < n);
        let in_story = self.story.iter().enumerate().all(earlier);
        let is_message = |n: NodeIndex| n.get() < history.len() && history.node(n).kind == NodeKind::Message;
        let merged = self
            .merged
            .is_none_or(|(node, until)| is_message(node) && node > self.at && until <= self.story.len());
        in_story && merged && is_message(self.at)
    }
}
