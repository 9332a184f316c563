//! What changed in a context since the session was last saved: the content of a journal record. A snapshot holds what changed since
//! there was nothing.

use std::borrow::Cow;

use super::core::Context;
use super::fold::Fold;
use super::history::{History, NodeChange, OpenCalls};
use super::node::{Node, NodeIndex};
use super::on_entry::OnEntry;
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

/// What changed in a context. Borrowed where it is found, because a snapshot holds all of it.
#[derive(Debug)]
pub struct ContextChanges<'c> {
    nodes: Cow<'c, [Node]>,
    changed: Vec<NodeChange>,
    view: ViewChanges,
    outputs: MapEdit<u64, Cow<'c, Output>>,
    /// The folds from a position on, if these changed.
    folds: Option<(usize, Vec<FoldChange<'c>>)>,
    left_out: ListEdit<LeftOut>,
    /// The same for the reported lines.
    told: Option<(usize, Cow<'c, [LeftOut]>)>,
    cut: ListEdit<(NodeIndex, u64)>,
    trimmed: ListEdit<(NodeIndex, u64)>,
}

saved!(struct ContextChanges<'c> { nodes, changed, view, outputs, folds, left_out, told, cut, trimmed });

/// A fold as it is saved, and its altered messages. Those that the history holds are not written again.
type FoldChange<'c> = (Cow<'c, Fold>, Vec<(SlotChange, bool)>);

fn change_of<'c>(fold: &'c Fold, history: &History) -> FoldChange<'c> {
    let altered = fold.altered.iter().map(|placed| (SlotChange::of(&placed.slot, history), placed.shown));
    (Cow::Borrowed(fold), altered.collect())
}

/// The fold; `None` if one of its nodes does not exist.
fn fold_of((fold, altered): FoldChange<'_>, history: &History) -> Option<Fold> {
    let placed = |(slot, shown): (SlotChange, bool)| Some(PlacedSlot { slot: slot.slot(history)?, shown });
    let altered = altered.into_iter().map(placed).collect::<Option<_>>()?;
    Some(Fold { altered, ..fold.into_owned() })
}

/// Replaces what a list has from a position on; `None` if it is shorter.
fn put_from<T>(list: &mut Vec<T>, from: usize, new: Vec<T>) -> Option<()> {
    (from <= list.len()).then_some(())?;
    list.truncate(from);
    list.extend(new);
    Some(())
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

impl ContextChanges<'_> {
    /// Whether anything changed.
    pub fn is_any(&self) -> bool {
        let Self { nodes, changed, view, outputs, folds, left_out, told, cut, trimmed } = self;
        let nodes = !nodes.is_empty() || !changed.is_empty();
        let on_entry = !cut.is_empty() || !trimmed.is_empty();
        let lines = !left_out.is_empty() || told.is_some() || on_entry;
        nodes || lines || view.is_any() || !outputs.is_empty() || folds.is_some()
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
    pub fn changes_since(&self, mark: &ContextMark) -> ContextChanges<'_> {
        let history = &self.history;
        // Each new fold counts as one change.
        let new_folds = self.folds_changed.checked_sub(mark.folds_changed);
        let grown = self.folds.len().checked_sub(mark.folds).map(|new| new as u64);
        let only_grew = grown.is_some() && grown == new_folds;
        let same_folds = if only_grew { mark.folds } else { 0 };
        let folds: Vec<_> = self.folds[same_folds..].iter().map(|fold| change_of(fold, history)).collect();
        let same_lines = if self.reported_rewritten { 0 } else { mark.reported };
        let lines = &self.reported[same_lines..];
        ContextChanges {
            nodes: history.nodes().get(mark.nodes..).unwrap_or_default().into(),
            changed: history.node_changes(mark.nodes),
            view: self.view.changes_since(&mark.view, history),
            outputs: self.outputs.changes_since(mark.next_output),
            folds: (!only_grew || !folds.is_empty()).then_some((same_folds, folds)),
            left_out: ListEdit::from_to(&mark.left_out, &self.left_out),
            told: (self.reported_rewritten || !lines.is_empty()).then_some((same_lines, lines.into())),
            cut: ListEdit::from_to(&mark.on_entry.cut, &self.on_entry.cut),
            trimmed: ListEdit::from_to(&mark.on_entry.trimmed, &self.on_entry.trimmed),
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
    pub fn put_changes(&mut self, changes: ContextChanges<'_>, known: &mut Known) -> Option<()> {
        let ContextChanges { nodes, changed, view, outputs, folds, left_out, told, cut, trimmed } = changes;
        if !self.history.only_metadata(&changed) {
            *known = Known::default();
        }
        if !self.view.only_grows(&view) {
            known.shown = 0;
        }
        self.history.put_changes(nodes.into_owned(), changed).then_some(())?;
        let history = &self.history;
        self.view.put_changes(view, history)?;
        self.outputs.put_changes(outputs);
        if let Some((from, folds)) = folds {
            let folds = folds.into_iter().map(|fold| fold_of(fold, history));
            put_from(&mut self.folds, from, folds.collect::<Option<_>>()?)?;
        }
        if let Some((from, lines)) = told {
            put_from(&mut self.reported, from, lines.into_owned())?;
        }
        let fits = left_out.apply(&mut self.left_out)
            && cut.apply(&mut self.on_entry.cut)
            && trimmed.apply(&mut self.on_entry.trimmed);
        fits.then_some(())
    }
}
