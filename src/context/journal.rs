//! What changed in a context since the session was last saved: the content of a journal record. A snapshot holds what changed since
//! there was nothing.

use super::core::Context;
use super::fold::Fold;
use super::history::{History, NodeChange, OpenCalls};
use super::node::Node;
use super::on_entry::{OnEntry, OnEntryChanges};
use super::report::LeftOut;
use super::slot::PlacedSlot;
use super::view::{SlotChange, ViewChanges, ViewMark};
use crate::saved::{ListEdit, MapEdit, saved};
use crate::tool_output::Output;

/// A saved context, as far as it is needed to find out what changed since. The default: nothing is saved.
#[derive(Debug, Default)]
pub struct ContextMark {
    nodes: usize,
    view: ViewMark,
    next_output: u64,
    folds: usize,
    folds_changed: u64,
    reported: usize,
    left_out: Vec<LeftOut>,
    on_entry: OnEntry,
}

/// What changed in a context.
#[derive(Debug)]
pub struct ContextChanges {
    nodes: Vec<Node>,
    changed: Vec<NodeChange>,
    view: ViewChanges,
    outputs: MapEdit<u64, Output>,
    folds: ListEdit<FoldChange>,
    left_out: ListEdit<LeftOut>,
    told: ListEdit<LeftOut>,
    on_entry: OnEntryChanges,
}

saved!(struct ContextChanges { nodes, changed, view, outputs, folds, left_out, told, on_entry });

/// A fold for the journal. Messages that the history holds are not written again.
type FoldChange = Fold<(SlotChange, bool)>;

fn change_of(fold: &Fold, history: &History) -> FoldChange {
    let altered = fold.altered.iter().map(|placed| (SlotChange::of(&placed.slot, history), placed.shown));
    fold.clone().with_altered(altered.collect())
}

/// The fold; `None` if one of its nodes does not exist.
fn fold_of(mut change: FoldChange, history: &History) -> Option<Fold> {
    let altered = std::mem::take(&mut change.altered).into_iter();
    let placed = altered.map(|(slot, shown)| Some(PlacedSlot { slot: slot.slot(history)?, shown }));
    Some(change.with_altered(placed.collect::<Option<_>>()?))
}

/// How much of a context is already complete and not changed by the records to apply, so that it need not be derived again.
/// Nothing of a context that is read from a snapshot.
#[derive(Debug, Default)]
pub struct Known {
    /// This many nodes of the history …
    pub(super) nodes: usize,
    /// … with the calls that wait after them …
    pub(super) waited: OpenCalls,
    /// … and this many messages of the view's body.
    pub(super) shown: usize,
}

impl ContextChanges {
    /// Whether anything changed.
    pub fn is_any(&self) -> bool {
        let Self { nodes, changed, view, outputs, folds, left_out, told, on_entry } = self;
        let nodes = !nodes.is_empty() || !changed.is_empty();
        let lines = !left_out.is_empty() || !told.is_empty() || on_entry.is_any();
        nodes || lines || view.is_any() || !outputs.is_empty() || !folds.is_empty()
    }
}

impl Context {
    /// The context as it is saved now.
    pub fn mark_saved(&mut self) -> ContextMark {
        self.history.mark_saved();
        self.outputs.mark_saved();
        self.reported_rewritten = false;
        ContextMark {
            nodes: self.history.len(),
            view: self.view.mark_saved(),
            next_output: self.outputs.next_place(),
            folds: self.folds.len(),
            folds_changed: self.folds_changed,
            reported: self.reported.len(),
            left_out: self.left_out.clone(),
            on_entry: self.on_entry.clone(),
        }
    }

    /// What changed since the context was saved.
    pub fn changes_since(&self, mark: &ContextMark) -> ContextChanges {
        let history = &self.history;
        let fold = |fold: &Fold| change_of(fold, history);
        // Each new fold counts as one change.
        let new_folds = self.folds_changed.checked_sub(mark.folds_changed);
        let grown = self.folds.len().checked_sub(mark.folds).map(|new| new as u64);
        let folds = if grown.is_some() && grown == new_folds {
            ListEdit::append(mark.folds, self.folds[mark.folds..].iter().map(fold).collect())
        } else {
            ListEdit::replace_all(mark.folds, self.folds.iter().map(fold).collect())
        };
        let told = if self.reported_rewritten {
            ListEdit::replace_all(mark.reported, self.reported.clone())
        } else {
            ListEdit::append(mark.reported, self.reported[mark.reported..].to_vec())
        };
        ContextChanges {
            nodes: history.new_nodes(mark.nodes),
            changed: history.node_changes(mark.nodes),
            view: self.view.changes_since(&mark.view, history),
            outputs: self.outputs.changes_since(mark.next_output),
            folds,
            left_out: ListEdit::between(&mark.left_out, &self.left_out, |before, now| before == now),
            told,
            on_entry: self.on_entry.changes_since(&mark.on_entry),
        }
    }

    /// Describes a context that is complete.
    pub fn known(&self) -> Known {
        Known {
            nodes: self.history.len(),
            waited: self.history.open_calls().clone(),
            shown: self.view.body().len(),
        }
    }

    /// Applies changes. [`Context::complete`] then derives the rest, also for everything that is not `known`. `None` if the
    /// changes belong to another context.
    pub fn put_changes(&mut self, changes: ContextChanges, known: &mut Known) -> Option<()> {
        let ContextChanges { nodes, changed, view, outputs, folds, left_out, told, on_entry } = changes;
        if !self.history.only_metadata(&changed) {
            *known = Known::default();
        }
        if !self.view.only_grows(&view) {
            known.shown = 0;
        }
        self.history.put_changes(nodes, changed).then_some(())?;
        let history = &self.history;
        self.view.put_changes(view, history)?;
        self.outputs.put_changes(outputs);
        let folds = folds.try_map(|fold| fold_of(fold, history))?;
        let fits = folds.apply(&mut self.folds)
            && left_out.apply(&mut self.left_out)
            && told.apply(&mut self.reported)
            && self.on_entry.put_changes(on_entry);
        fits.then_some(())
    }
}
