use super::node::{NodeIndex, NodeSet};

/// What entering tool outputs caused in the view, outside of any run. Each entry is a node and the tokens saved.
#[derive(Debug, Clone, Default)]
pub struct OnEntry {
    /// Outputs that were cut to the in-context view's bounds.
    pub(super) cut: Vec<(NodeIndex, u64)>,
    /// Outputs that became placeholders.
    pub(super) trimmed: Vec<(NodeIndex, u64)>,
    /// Messages whose media became placeholders. Reported once, not saved.
    pub(super) media: Vec<(NodeIndex, u64)>,
}

impl OnEntry {
    /// Records that an output was cut as it entered.
    pub(super) fn note_cut(&mut self, index: NodeIndex, saved: u64) {
        self.cut.push((index, saved));
    }

    /// Records that media became placeholders.
    pub(super) fn note_media(&mut self, trimmed: Vec<(NodeIndex, u64)>) {
        self.media.extend(trimmed);
    }

    /// Every node with an entry.
    pub(super) fn nodes(&self) -> impl Iterator<Item = &NodeIndex> {
        self.cut.iter().chain(&self.trimmed).chain(&self.media).map(|(index, _)| index)
    }

    /// The nodes from `first` on whose outputs were cut.
    pub(super) fn cut_since(&self, first: NodeIndex) -> NodeSet {
        self.cut.iter().rev().map(|(index, _)| *index).take_while(|index| *index >= first).collect()
    }

    /// Removes the entries of nodes that are whole again or gone.
    pub(super) fn forget(&mut self, removed: impl Fn(NodeIndex) -> bool) {
        self.cut.retain(|(i, _)| !removed(*i));
        self.trimmed.retain(|(i, _)| !removed(*i));
        self.media.retain(|(i, _)| !removed(*i));
    }
}
