//! Nodes and edges are never touched: a fold marks its members, and what is seen of a node is the outermost fold over it.
//! Re-laid edges are derived from the edges that cross the fold's border, so `expand` only takes the marks away. A fold stands
//! where its first node stood. Instructions between its nodes stay, and so does a lane that was forked off there and came back
//! by a `branch`. Any other way out of the fold and in again is refused.

use std::collections::HashSet;
use std::sync::Arc;

use super::constraint::broken;
use super::content::Content;
use super::core::ContextGraph;
use super::limits::GraphLimits;
use super::node::{Node, NodeState, NodeType, Place};
use crate::error::{Error, ErrorCode, Result};
use crate::message::Part;
use crate::sorting::{sort, sort_by_key};

/// A summary that stands in for nodes of one lane.
#[derive(Debug, Clone)]
pub(super) struct Fold {
    pub id: Arc<str>,
    /// What it hides, in the lane's time; earlier folds among it. None once it is undone.
    pub members: Vec<Place>,
    /// The first node behind it, in the lane's time.
    pub first: u32,
    /// The last one.
    pub last: u32,
    pub content: Content,
    /// How many nodes had entered when it was made: the graph's own time.
    pub made_at: u32,
    /// The fold that hides this one.
    pub folded_by: Option<u32>,
    /// Edges into it from outside, in their order.
    pub inward: Vec<u32>,
    /// Edges into it that would close a cycle if they were re-laid: from what stands between its nodes.
    pub loose: Vec<u32>,
    /// Edges out of it, in their order.
    pub outward: Vec<u32>,
    /// What the order keeps for it.
    bound: Vec<(u32, u32)>,
}

/// Which of the edges into a fold, from what stands between its nodes, may be loose.
#[derive(Debug, Clone, Copy)]
pub(super) enum Loose<'a> {
    /// Those of instructions, and of what came back to the lane.
    Allowed,
    /// Just these.
    Known(&'a HashSet<u32>),
    /// All that must.
    Any,
}

impl ContextGraph {
    /// Folds nodes into a summary, which stands in their place in every view, and gives the summary's id. The nodes and
    /// their edges stay as they are, marked; edges to and from other nodes are re-laid to the summary. Summaries can be folded
    /// in their turn.
    ///
    /// Nodes that stand between the folded ones stay where they are: the instructions of the lane, and what was forked off
    /// and came back by a `branch`. The summary stands before them.
    ///
    /// # Errors
    /// `GRAPH_CONSTRAINT` with the ids where a node is missing, folded already, named twice, not finished or of another lane
    /// than the first; where no blocking edge leads out of them, for a summary is never a leaf; and where another node comes
    /// after one of them and before another. `SUMMARY_EMPTY`, `SAFETY_LIMIT_EXCEEDED`. Nothing has changed then.
    pub fn compress(&mut self, ids: &[impl AsRef<str>], summary: &str) -> Result<Arc<str>> {
        if summary.trim().is_empty() {
            return Err(Error::new(ErrorCode::SummaryEmpty, "a summary needs a text"));
        }
        let members = self.foldable(ids)?;
        GraphLimits::allow(self.len() + 1, self.limits.max_nodes, "nodes", "maxNodes")?;
        let id = self.fresh_id("fold_", self.folds_live + 1);
        let content = Content::of_parts(NodeType::Summary, &id, vec![Part::text(summary)]);
        let fold = self.outlined(id.clone(), members, content, self.nodes.len() as u32);
        let leads_out = fold.outward.iter().any(|e| self.edges[*e as usize].kind.is_blocking());
        if !leads_out {
            return Err(broken(
                ids,
                "nothing else comes after these; a summary cannot be a leaf, so leave the last node out",
            ));
        }
        let fold = self.bound(fold, Loose::Allowed)?;
        self.lay(fold);
        Ok(id)
    }

    /// Whether [`ContextGraph::expand`] would undo this fold.
    ///
    /// # Errors
    /// Those of `expand`.
    pub fn expandable(&self, summary: &str) -> Result<()> {
        self.expandable_fold(summary).map(|_| ())
    }

    fn expandable_fold(&self, summary: &str) -> Result<u32> {
        match self.visible(summary)? {
            Place::Fold(index) => Ok(index),
            Place::Node(_) => {
                Err(broken(&[summary], "it stands in for nothing, so there is nothing to expand"))
            }
        }
    }

    /// Undoes a fold: the graph is as if it had never been made, with what was appended since. What came after the summary
    /// comes after the last node that it stood in for. A fold of folds gives back the folds.
    ///
    /// # Errors
    /// `GRAPH_CONSTRAINT` for a missing node, for one that is no fold's summary, and for a fold that is itself folded.
    pub fn expand(&mut self, summary: &str) -> Result<()> {
        let index = self.expandable_fold(summary)?;
        let fold = &mut self.folds[index as usize];
        let (members, bound) = (std::mem::take(&mut fold.members), std::mem::take(&mut fold.bound));
        for (from, to) in bound {
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

    /// The places of ids that can be folded together, in their lane's time.
    fn foldable(&self, ids: &[impl AsRef<str>]) -> Result<Vec<Place>> {
        let mut members = Vec::with_capacity(ids.len());
        for id in ids {
            members.push(self.visible(id.as_ref())?);
        }
        let Some(first) = members.first() else {
            return Err(broken::<&str>(&[], "there is nothing to fold; name at least one node"));
        };
        let lane = self.lane_of(*first);
        let mut once = HashSet::new();
        let offending = |wrong: &mut dyn FnMut(&Place) -> bool| -> Vec<&str> {
            members.iter().filter(|m| wrong(m)).map(|m| &**self.id(*m)).collect()
        };
        let refuse = |wrong: Vec<&str>, what: String| {
            if wrong.is_empty() { Ok(()) } else { Err(broken(&wrong, &what)) }
        };
        refuse(offending(&mut |m| !once.insert(*m)), "named twice in one fold".to_owned())?;
        refuse(
            offending(&mut |m| self.state(*m) != NodeState::Finished),
            "only finished nodes can be folded".to_owned(),
        )?;
        refuse(
            offending(&mut |m| self.lane_of(*m) != lane),
            format!("not in the lane `{}`; a fold never crosses lanes", self.lanes[lane as usize].name),
        )?;
        sort_by_key(&mut members, |m| self.entry(*m));
        Ok(members)
    }

    /// A fold of these members with the edges that cross its border. The members stand in their lane's time.
    pub(super) fn outlined(&self, id: Arc<str>, members: Vec<Place>, content: Content, made_at: u32) -> Fold {
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
        let (loose, bound) = (Vec::new(), Vec::new());
        Fold { id, members, first, last, content, made_at, folded_by: None, inward, loose, outward, bound }
    }

    /// The edges into a place, loose ones among them.
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

    /// The fold with its inward edges kept before its first node by the order, but for loose ones.
    pub(super) fn bound(&mut self, mut fold: Fold, loose: Loose<'_>) -> Result<Fold> {
        for index in std::mem::take(&mut fold.inward) {
            let from = self.edges[index as usize].from;
            if matches!(loose, Loose::Known(known) if known.contains(&index)) {
                fold.loose.push(index);
            } else if self.admits(from, fold.first) {
                self.order.bind(from, fold.first);
                fold.bound.push((from, fold.first));
                fold.inward.push(index);
            } else if matches!(loose, Loose::Any)
                || (matches!(loose, Loose::Allowed) && self.may_be_loose(index))
            {
                fold.loose.push(index);
            } else {
                for (from, to) in fold.bound {
                    self.order.release(from, to);
                }
                let between = self.id(self.top(Place::Node(from))).clone();
                return Err(broken(
                    &[between],
                    "it comes after one of the nodes and before another, so a summary of them would close a cycle; fold it too, or less",
                ));
            }
        }
        Ok(fold)
    }

    /// What stands between the nodes of a fold and may stay there: the lane's instructions, and what came back to it.
    fn may_be_loose(&self, edge: u32) -> bool {
        let edge = self.edges[edge as usize];
        let source = self.top(Place::Node(edge.from));
        let same_lane = self.lane_of(source) == self.nodes[edge.to as usize].lane;
        !edge.kind.is_blocking() || (same_lane && self.node_type(source).is_pinned())
    }

    /// Puts a fold over its members.
    pub(super) fn lay(&mut self, fold: Fold) {
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

    /// Puts a place among what its lane shows in every view, or takes it away; only pinned types stand there.
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
