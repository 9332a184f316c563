//! A fold marks its members as hidden and changes no node or edge; what is visible in place of a node is the outermost fold
//! over it. A summary's edges are derived from the edges that cross the fold's border, so `expand` only has to remove the
//! marks. A summary takes the position of the first node it hides. Instructions between the hidden nodes stay visible, and
//! so does a lane that was forked there and came back by a `branch`. A fold is refused if any other path leads out of it and
//! in again.

use std::sync::Arc;

use super::constraint::constraint_error;
use super::content::Content;
use super::core::ContextGraph;
use super::limits::GraphLimits;
use super::node::{Node, NodeState, NodeType, Place};
use crate::error::{Error, ErrorCode, Result};
use crate::hashing::HashSet;
use crate::message::Part;
use crate::sorting::{sort, sort_by_key};

/// A summary that replaces nodes of one lane.
#[derive(Debug, Clone)]
pub(super) struct Fold {
    pub id: Arc<str>,
    /// The nodes and earlier folds that it hides, in lane order. Empty once the fold is undone.
    pub members: Vec<Place>,
    /// The first node that it hides, in lane order.
    pub first: u32,
    /// The last node that it hides, in lane order.
    pub last: u32,
    pub content: Content,
    /// How many nodes the graph had when the fold was made.
    pub made_at: u32,
    /// The fold that hides this one.
    pub folded_by: Option<u32>,
    /// Edges into it from outside, ascending.
    pub inward: Vec<u32>,
    /// Edges into it from nodes that lie between its members. Redirected to the summary they would close a cycle, so they
    /// are not.
    pub loose: Vec<u32>,
    /// Edges out of it, ascending.
    pub outward: Vec<u32>,
    /// The constraints that this fold added to the topological order.
    order_constraints: Vec<(u32, u32)>,
}

/// Which edges into a fold, from nodes that lie between its members, may be loose.
#[derive(Debug, Clone, Copy)]
pub(super) enum Loose<'a> {
    /// Those from instructions, and those from lanes that came back by a `branch`.
    Allowed,
    /// Only these edges.
    Known(&'a HashSet<u32>),
    /// All edges that would close a cycle otherwise.
    Any,
}

impl ContextGraph {
    /// Folds nodes into a summary, which replaces them in every view, and returns the summary's id. The nodes and their
    /// edges are kept and only marked as hidden; edges to and from other nodes now lead to and from the summary. Summaries
    /// can be folded again.
    ///
    /// Nodes between the folded ones stay visible if they are instructions of the lane, or were forked there and came back
    /// by a `branch`. They then come after the summary.
    ///
    /// # Errors
    /// `GRAPH_CONSTRAINT` with the ids, if a node is missing, folded already, named twice, not finished, or in another lane
    /// than the first; if no blocking edge leads out of the nodes, because a summary cannot be a leaf; or if another node
    /// comes after one of them and before another. `SUMMARY_EMPTY`, `SAFETY_LIMIT_EXCEEDED`. A failure changes nothing.
    pub fn compress(&mut self, ids: &[impl AsRef<str>], summary: &str) -> Result<Arc<str>> {
        if summary.trim().is_empty() {
            return Err(Error::new(ErrorCode::SummaryEmpty, "the summary is empty"));
        }
        let members = self.foldable(ids)?;
        GraphLimits::allow(self.len() + 1, self.limits.max_nodes, "nodes", "maxNodes")?;
        let id = self.fresh_id("fold_", self.folds_live + 1);
        let content = Content::of_parts(NodeType::Summary, &id, vec![Part::text(summary)]);
        let fold = self.new_fold(id.clone(), members, content, self.nodes.len() as u32);
        let leads_out = fold.outward.iter().any(|e| self.edges[*e as usize].kind.is_blocking());
        if !leads_out {
            return Err(constraint_error(
                ids,
                "nothing comes after these nodes, and a summary cannot be a leaf; leave the last node out",
            ));
        }
        let fold = self.bind_edges(fold, Loose::Allowed)?;
        self.insert_fold(fold);
        Ok(id)
    }

    /// Checks whether [`ContextGraph::expand`] would undo this fold.
    ///
    /// # Errors
    /// The errors of `expand`.
    pub fn expandable(&self, summary: &str) -> Result<()> {
        self.expandable_fold(summary).map(|_| ())
    }

    fn expandable_fold(&self, summary: &str) -> Result<u32> {
        match self.visible(summary)? {
            Place::Fold(index) => Ok(index),
            Place::Node(_) => {
                Err(constraint_error(&[summary], "it is not a fold's summary, so there is nothing to expand"))
            }
        }
    }

    /// Undoes a fold: the graph is as if the fold had never been made, and keeps what was appended since. Nodes that
    /// followed the summary now follow the last node it hid. Undoing a fold of folds makes the inner folds visible again.
    ///
    /// # Errors
    /// `GRAPH_CONSTRAINT` if the node is missing, is not a fold's summary, or if the fold is itself folded.
    pub fn expand(&mut self, summary: &str) -> Result<()> {
        let index = self.expandable_fold(summary)?;
        let fold = &mut self.folds[index as usize];
        let (members, order_constraints) =
            (std::mem::take(&mut fold.members), std::mem::take(&mut fold.order_constraints));
        for (from, to) in order_constraints {
            self.order.release(from, to);
        }
        self.pin(Place::Fold(index), false);
        for member in members {
            self.set_folded_by(member, None);
            self.pin(member, true);
        }
        self.by_id.remove(summary);
        self.folds_live -= 1;
        while self.folds.pop_if(|f| f.members.is_empty()).is_some() {}
        Ok(())
    }

    /// Checks that the ids can be folded together and returns their places in lane order.
    fn foldable(&self, ids: &[impl AsRef<str>]) -> Result<Vec<Place>> {
        let mut members = Vec::with_capacity(ids.len());
        for id in ids {
            members.push(self.visible(id.as_ref())?);
        }
        let Some(first) = members.first() else {
            return Err(constraint_error::<&str>(&[], "there is nothing to fold; name at least one node"));
        };
        let lane = self.lane_of(*first);
        let mut once = HashSet::default();
        let offending = |wrong: &mut dyn FnMut(&Place) -> bool| -> Vec<&str> {
            members.iter().filter(|m| wrong(m)).map(|m| &**self.id(*m)).collect()
        };
        let refuse = |wrong: Vec<&str>, what: String| {
            if wrong.is_empty() { Ok(()) } else { Err(constraint_error(&wrong, &what)) }
        };
        refuse(offending(&mut |m| !once.insert(*m)), "named more than once in the same fold".to_owned())?;
        refuse(
            offending(&mut |m| self.state(*m) != NodeState::Finished),
            "only finished nodes can be folded".to_owned(),
        )?;
        refuse(
            offending(&mut |m| self.lane_of(*m) != lane),
            format!("not in the lane `{}`; a fold cannot cross lanes", self.lanes[lane as usize].name),
        )?;
        sort_by_key(&mut members, |m| self.entry(*m));
        Ok(members)
    }

    /// A fold of these members, which are in lane order, with the edges that cross its border.
    pub(super) fn new_fold(&self, id: Arc<str>, members: Vec<Place>, content: Content, made_at: u32) -> Fold {
        let inside: HashSet<Place> = members.iter().copied().collect();
        let (mut inward, mut outward) = (Vec::new(), Vec::new());
        for member in &members {
            let outside = |node: u32| !inside.contains(&self.top(Place::Node(node)));
            inward.extend(self.into(*member).filter(|e| outside(self.edges[*e as usize].from)));
            outward.extend(self.out_of(*member).filter(|e| outside(self.edges[*e as usize].to)));
        }
        sort(&mut inward);
        sort(&mut outward);
        let first = members.iter().map(|m| self.entry(*m)).min().unwrap_or_default();
        let by_time = |m: &Place| (self.nodes[self.exit(*m) as usize].position, self.exit(*m));
        let last = members.iter().map(by_time).max().map_or(first, |(_, exit)| exit);
        let (loose, order_constraints) = (Vec::new(), Vec::new());
        Fold {
            id,
            members,
            first,
            last,
            content,
            made_at,
            folded_by: None,
            inward,
            loose,
            outward,
            order_constraints,
        }
    }

    /// The edges into a place, including loose ones.
    pub(super) fn into(&self, place: Place) -> impl Iterator<Item = u32> {
        let (edges, loose) = match place {
            Place::Node(n) => (&self.nodes[n as usize].incoming[..], &[][..]),
            Place::Fold(f) => (&self.fold_at(f).inward[..], &self.fold_at(f).loose[..]),
        };
        edges.iter().chain(loose).copied()
    }

    /// The edges out of a place.
    pub(super) fn out_of(&self, place: Place) -> impl Iterator<Item = u32> {
        match place {
            Place::Node(n) => self.nodes[n as usize].outgoing.iter().copied(),
            Place::Fold(f) => self.fold_at(f).outward.iter().copied(),
        }
    }

    /// Binds the fold's inward edges: the topological order keeps each source before the fold's first node. Edges that
    /// `loose` allows to stay loose are not bound.
    pub(super) fn bind_edges(&mut self, mut fold: Fold, loose: Loose<'_>) -> Result<Fold> {
        for index in std::mem::take(&mut fold.inward) {
            let from = self.edges[index as usize].from;
            if matches!(loose, Loose::Known(known) if known.contains(&index)) {
                fold.loose.push(index);
            } else if self.try_order(from, fold.first) {
                self.order.bind(from, fold.first);
                fold.order_constraints.push((from, fold.first));
                fold.inward.push(index);
            } else if matches!(loose, Loose::Any)
                || (matches!(loose, Loose::Allowed) && self.may_be_loose(index))
            {
                fold.loose.push(index);
            } else {
                for (from, to) in fold.order_constraints {
                    self.order.release(from, to);
                }
                let between = self.id(self.top(Place::Node(from))).clone();
                return Err(constraint_error(
                    &[between],
                    "it comes between the nodes to fold, so a summary of them would close a cycle; fold this node too, or fold fewer nodes",
                ));
            }
        }
        Ok(fold)
    }

    /// Whether an edge from between a fold's members may stay loose: it comes from an instruction in the lane, or from a
    /// lane that came back by a `branch`.
    fn may_be_loose(&self, edge: u32) -> bool {
        let edge = self.edges[edge as usize];
        let source = self.top(Place::Node(edge.from));
        let same_lane = self.lane_of(source) == self.nodes[edge.to as usize].lane;
        !edge.kind.is_blocking() || (same_lane && self.node_type(source).is_pinned())
    }

    /// Inserts a fold and hides its members.
    pub(super) fn insert_fold(&mut self, fold: Fold) {
        let index = self.folds.len() as u32;
        for member in &fold.members {
            self.pin(*member, false);
            self.set_folded_by(*member, Some(index));
        }
        self.by_id.insert(fold.id.clone(), Place::Fold(index));
        self.folds.push(fold);
        self.folds_live += 1;
        self.pin(Place::Fold(index), true);
    }

    fn set_folded_by(&mut self, place: Place, fold: Option<u32>) {
        match place {
            Place::Node(n) => self.nodes[n as usize].folded_by = fold,
            Place::Fold(f) => self.folds[f as usize].folded_by = fold,
        }
    }

    /// Adds a place to its lane's pinned places, or removes it. Does nothing if its type is not pinned.
    fn pin(&mut self, place: Place, pinned: bool) {
        if !self.node_type(place).is_pinned() {
            return;
        }
        let entry = self.entry(place);
        let Node { lane, position, .. } = &self.nodes[entry as usize];
        let (lane, position) = (*lane as usize, *position);
        if pinned {
            self.lanes[lane].pinned.insert(position, place);
        } else {
            self.lanes[lane].pinned.remove(&position);
        }
    }
}
