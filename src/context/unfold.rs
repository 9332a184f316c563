//! Undoes a fold: its messages return to their places, in the form that they had.

use super::core::Context;
use super::event::EventName;
use super::fold::Fold;
use super::node::{NodeIndex, NodeKind, NodeSet};
use super::slot::{Form, PlacedSlot, Slot};
use crate::error::{Error, ErrorCode, Result};
use crate::hashing::HashMap;
use crate::message::{Role, Step, steps};
use crate::sorted::SortedSet;

const BEGINS_WITH_USER: &str = "a view begins with the user";

impl Context {
    /// The fold with this id, if it can be undone now.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if there is no such fold; `GRAPH_CONSTRAINT` if it is part of a later one.
    pub fn unfoldable(&self, id: &str) -> Result<NodeIndex> {
        let node = self.history.find(id);
        let fold = node.and_then(|node| self.folds.iter().find(|f| f.summary == node));
        let Some(fold) = fold else {
            let why = match node.and_then(|node| self.history.node(node).folded_by) {
                Some(by) => format!("it is folded into `{}`: unfold that one", self.history.node(by).id),
                None => "see folds() for the ids".to_owned(),
            };
            return Err(Error::argument(format!("there is no fold `{id}` in the view; {why}")));
        };
        let Some(outermost) = self.history.folds_around(fold.summary).last() else {
            return Ok(fold.summary);
        };
        let first = &self.history.node(outermost).id;
        let why =
            format!("`{id}`, `{first}`: `{id}` is itself folded into `{first}`; unfold `{first}` first");
        Err(Error::new(ErrorCode::GraphConstraint, why))
    }

    /// Undoes a fold that is part of no other: its members return to their places in the form that they had, and the summary
    /// leaves the view. What came after the fold stays.
    pub fn unfold(&mut self, summary: NodeIndex) {
        self.open_folds(&SortedSet::from_iter([summary]), "the fold was undone");
        self.drop_compacted();
        self.begin_with_user();
        self.replace_stale_pointers();
    }

    /// Undoes folds, outermost first, including those that contain one of them.
    pub(super) fn open_folds(&mut self, summaries: &SortedSet<NodeIndex>, why: &str) {
        let mut opened = summaries.clone();
        for fold in &self.folds {
            if fold.members.iter().any(|m| opened.contains(m)) {
                opened.insert(fold.summary);
            }
        }
        for summary in opened.into_iter().rev() {
            if let Some(at) = self.folds.iter().position(|f| f.summary == summary) {
                let fold = self.folds.remove(at);
                self.open(fold, why);
            }
        }
        self.open_empty_folds(why);
    }

    /// Removes a summary if all its messages were taken out of it, even inside another fold.
    pub(super) fn open_empty_folds(&mut self, why: &str) {
        let is_empty = |fold: &Fold, of: &Self| {
            of.history.node(fold.summary).folded_by.is_none() && of.stands_for_nothing(fold)
        };
        while let Some(at) = self.folds.iter().position(|fold| is_empty(fold, self)) {
            let fold = self.folds.remove(at);
            self.open(fold, why);
        }
    }

    /// Whether all messages were taken out of a fold, and out of the folds inside it.
    pub(super) fn stands_for_nothing(&self, fold: &Fold) -> bool {
        let is_summary = |m: &NodeIndex| self.history.node(*m).kind == NodeKind::Summary;
        fold.members.iter().all(is_summary) && fold.members.iter().all(|m| self.is_empty_fold(*m))
    }

    /// Whether the node is the summary of a fold that stands for nothing.
    pub(super) fn is_empty_fold(&self, node: NodeIndex) -> bool {
        self.folds.iter().any(|fold| fold.summary == node && self.stands_for_nothing(fold))
    }

    fn open(&mut self, fold: Fold, why: &str) {
        let Fold { members, summary, retain, ask, altered, pointers, .. } = fold;
        self.folds_changed += 1;
        let shown_with_summary: NodeSet = [Some(summary), retain, ask].into_iter().flatten().collect();
        // Messages shown with the summary may have become part of another fold without it.
        for other in &mut self.folds {
            other.members.retain(|m| !shown_with_summary.contains(m));
        }
        let mut altered: HashMap<NodeIndex, PlacedSlot> =
            altered.into_iter().map(|placed| (placed.slot.node, placed)).collect();
        let mut placed = |node: &NodeIndex| {
            let whole = || PlacedSlot { slot: Slot::whole(&self.history, *node), shown: true };
            altered.remove(node).unwrap_or_else(whole)
        };
        let mut back: Vec<PlacedSlot> = members.iter().map(&mut placed).collect();
        // Messages that came back so that the view began with the user go again, and those with more room because of the fold
        // have as much as before, if they are still there.
        let mut removed = shown_with_summary;
        if !altered.is_empty() {
            let in_view: NodeSet = self.view.with_dropped().into_iter().map(|slot| slot.node).collect();
            let may_change = |node| in_view.contains(&node) && !self.history.node(node).pinned;
            let came_back = altered.into_values().filter(|placed| may_change(placed.slot.node));
            let came_back: Vec<PlacedSlot> = came_back.collect();
            removed.extend(came_back.iter().map(|placed| placed.slot.node));
            back.extend(came_back);
        }
        let points =
            |node: NodeIndex| back.iter().any(|s| s.slot.node == node && s.slot.form == Form::Pointer);
        let again =
            pointers.into_iter().filter(|pointer| points(pointer.0) && !self.pointers.contains(pointer));
        let again: Vec<_> = again.collect();
        self.pointers.extend(again);
        self.reinsert(&removed, back);
        for member in &members {
            self.history.set_folded_by(*member, None);
        }
        let id = self.history.node(summary).id.to_string();
        self.left_out.retain(|line| line.fold.as_ref().is_none_or(|fold| *fold != id));
        self.emit(EventName::Unfolded, &members, format!("{id}: {why}"));
    }

    /// Takes the step of a folded node out of its fold and puts it back into the view, in the order of the history.
    pub(super) fn take_out_of_fold(&mut self, index: NodeIndex, summary: NodeIndex, why: &str) {
        let Some(fold) = self.folds.iter_mut().find(|f| f.summary == summary) else { return };
        let messages = fold.members.iter().map(|m| &*self.history.node(*m).message);
        let holds = |step: &Step| fold.members[step.range.clone()].contains(&index);
        let Some(step) = steps(messages).into_iter().find(holds) else { return };
        let back: Vec<NodeIndex> = fold.members.drain(step.range).collect();
        fold.altered.retain(|placed| !back.contains(&placed.slot.node));
        self.folds_changed += 1;
        let whole = |n: &NodeIndex| PlacedSlot { slot: Slot::whole(&self.history, *n), shown: true };
        self.reinsert(&NodeSet::default(), back.iter().map(whole).collect());
        for node in &back {
            self.history.set_folded_by(*node, None);
        }
        self.emit(EventName::Unfolded, &back, why.to_owned());
        self.open_empty_folds(why);
    }

    /// Puts `back` into the view, each message in its place, and removes `removed`.
    pub(super) fn reinsert(&mut self, removed: &NodeSet, mut back: Vec<PlacedSlot>) {
        let place = |placed: &PlacedSlot| self.history.place(placed.slot.node);
        back.sort_by_cached_key(place);
        let mut back = back.into_iter().peekable();
        let mut all = Vec::with_capacity(back.len() + self.view.len());
        for placed in self.view.placed_slots().filter(|s| !removed.contains(&s.slot.node)) {
            if back.peek().is_some() {
                let here = place(&placed);
                while let Some(earlier) = back.next_if(|s| place(s) < here) {
                    all.push(earlier);
                }
            }
            all.push(placed);
        }
        all.extend(back);
        self.view.arrange(all);
    }

    /// After a new fold, too, the view must begin with the user. The fold remembers a message that comes back for this, and
    /// an unfold hides it again.
    pub fn begin_with_user_behind(&mut self, summary: NodeIndex) {
        if self.first_that_is_not_user().is_none() {
            return;
        }
        let before: Vec<PlacedSlot> = self.view.placed_slots().filter(PlacedSlot::is_altered).collect();
        self.begin_with_user();
        let is_whole_now: NodeSet = {
            let now = self.view.body().iter().filter(|slot| slot.form == Form::Whole);
            now.map(|slot| slot.node).collect()
        };
        if let Some(fold) = self.folds.iter_mut().find(|fold| fold.summary == summary) {
            fold.altered.extend(before.into_iter().filter(|placed| is_whole_now.contains(&placed.slot.node)));
        }
    }

    /// Providers want a conversation to begin with the user. If the message that began it was dropped while a summary came
    /// before it, or folded while a pinned text did, it comes back.
    pub fn begin_with_user(&mut self) {
        let Some(node) = self.first_that_is_not_user() else { return };
        let before: Vec<(NodeIndex, Role)> = self
            .view
            .with_dropped()
            .into_iter()
            .take_while(|s| s.node != node)
            .map(|s| (s.node, s.message.role))
            .collect();
        if let Some((user_message, _)) = before.into_iter().rfind(|(_, role)| *role == Role::User) {
            self.restore_step(user_message, BEGINS_WITH_USER);
        } else if let Some((user_message, summary)) = self.folded_request_before(node) {
            self.take_out_of_fold(user_message, summary, BEGINS_WITH_USER);
        }
    }

    /// What the view begins with, if that is neither a user message nor a provider's own compaction.
    fn first_that_is_not_user(&self) -> Option<NodeIndex> {
        let first = self.view.body().iter().find(|slot| !slot.message.role.is_instruction())?;
        let is_other = first.message.role != Role::User && !self.is_compaction(first.node);
        is_other.then_some(first.node)
    }

    /// The last folded user message before this node, and the summary that replaced it.
    fn folded_request_before(&self, node: NodeIndex) -> Option<(NodeIndex, NodeIndex)> {
        let here = self.history.place(node);
        let is_request = |m: &NodeIndex| {
            let node = self.history.node(*m);
            node.kind == NodeKind::Message && node.message.role == Role::User && self.history.place(*m) < here
        };
        let of_fold = |fold: &Fold| {
            let requests = fold.members.iter().copied().filter(is_request);
            requests.max_by_key(|m| self.history.place(*m)).map(|user_message| (user_message, fold.summary))
        };
        self.folds
            .iter()
            .filter_map(of_fold)
            .max_by_key(|(user_message, _)| self.history.place(*user_message))
    }

    /// The folds that directly contain some of these nodes.
    pub(super) fn folds_over(&self, nodes: &NodeSet) -> SortedSet<NodeIndex> {
        let over = self.folds.iter().filter(|f| f.members.iter().any(|m| nodes.contains(m)));
        over.map(|f| f.summary).collect()
    }

    /// Whether the node is a message of the current conversation: pushed, and not superseded.
    pub(super) fn is_in_conversation(&self, index: NodeIndex) -> bool {
        self.history.node(index).kind == NodeKind::Message && !self.history.is_superseded(index)
    }
}
