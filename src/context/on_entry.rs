use super::node::{NodeIndex, NodeSet};
use crate::saved::{ListEdit, saved};

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

/// What changed in it since the session was saved.
#[derive(Debug)]
pub struct OnEntryChanges {
    cut: ListEdit<(NodeIndex, u64)>,
    trimmed: ListEdit<(NodeIndex, u64)>,
}

saved!(struct OnEntryChanges { cut, trimmed });

impl OnEntryChanges {
    /// Whether anything changed.
    pub fn is_any(&self) -> bool {
        !self.cut.is_empty() || !self.trimmed.is_empty()
    }
}

impl OnEntry {
    /// The changes since `before`.
    pub(super) fn changes_since(&self, before: &Self) -> OnEntryChanges {
        let edit = |before: &[(NodeIndex, u64)], now: &[(NodeIndex, u64)]| {
            ListEdit::between(before, now, |before, now| before == now)
        };
        OnEntryChanges { cut: edit(&before.cut, &self.cut), trimmed: edit(&before.trimmed, &self.trimmed) }
    }

    /// Applies changes; false if they belong to another session.
    pub(super) fn put_changes(&mut self, changes: OnEntryChanges) -> bool {
        changes.cut.apply(&mut self.cut) && changes.trimmed.apply(&mut self.trimmed)
    }

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
