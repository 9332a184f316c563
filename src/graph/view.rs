//! A full view walks back from its node. A view with a turn limit stops at the start of its last turn, then adds what its
//! nodes depend on and all pinned ancestors. Each lane keeps its pinned places by position, and each node knows how many of
//! its lane's first nodes are its ancestors, so no lane has to be walked. Nodes are shown in the order in which they were
//! added, unless an edge requires otherwise.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::core::ContextGraph;
use super::edge::{Edge, EdgeKind};
use super::limits::GraphLimits;
use super::node::{NodeState, NodeType, Place};
use crate::error::{Error, Result};
use crate::hashing::{HashMap, HashSet};
use crate::sorting::sort_by_key;

/// A node's context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphView {
    /// The nodes in order; the requested node comes last.
    pub nodes: Vec<Place>,
    /// How many nodes and edges were visited to find them: the cost of the view.
    pub looked_at: usize,
}

/// A view under construction.
#[derive(Default)]
pub(super) struct Gathering {
    kept: HashSet<Place>,
    places: Vec<Place>,
    pub(super) looked_at: usize,
}

impl Gathering {
    /// Adds a place; `true` if it is new.
    pub(super) fn keep(&mut self, place: Place) -> bool {
        let new = self.kept.insert(place);
        if new {
            self.places.push(place);
        }
        new
    }
}

impl ContextGraph {
    /// A node's context (GRAPH-2): its ancestors in order and the node itself, with summaries in place of what they hide.
    /// With `limit_turns`: the last `limit_turns` turns, what they depend on by `dependency`, and everything pinned (system
    /// and developer messages, summaries).
    ///
    /// The order is topological and keeps the order within each lane; where that leaves a choice, the node that was added
    /// first comes first. A turn begins with a user message in the node's own lane or in a lane that it was forked from. An
    /// edge of kind `branch` is followed only into a lane's first node: a forked lane that comes back contributes its result
    /// but not its history.
    ///
    /// # Errors
    /// `GRAPH_CONSTRAINT` if the node is missing or folded; `SAFETY_LIMIT_EXCEEDED` if the view has more than
    /// `max_context_nodes` nodes; `INVALID_ARGUMENT` if `limit_turns` is 0.
    pub fn context_for_full(&self, id: &str, limit_turns: Option<usize>) -> Result<GraphView> {
        if limit_turns == Some(0) {
            return Err(Error::argument("`limitTurns`: must be at least 1"));
        }
        let start = self.visible(id)?;
        let mut gathering = Gathering::default();
        if self.walk(start, limit_turns, &mut gathering)? {
            self.gather_dependencies(&mut gathering)?;
            self.gather_pinned(start, &mut gathering);
            self.bounded(&gathering)?;
        }
        let nodes = self.in_order(&mut gathering);
        Ok(GraphView { nodes, looked_at: gathering.looked_at })
    }

    /// The nodes that `shrunk` lacks and a fold can replace: finished nodes in the viewed node's lane that are neither
    /// instructions nor summaries (PASS-5).
    pub fn dropped(&self, full: &GraphView, shrunk: &GraphView) -> Vec<Place> {
        let Some(lane) = full.nodes.last().map(|p| self.lane_of(*p)) else { return Vec::new() };
        let left: HashSet<Place> = shrunk.nodes.iter().copied().collect();
        let can_fold = |p: &&Place| {
            self.lane_of(**p) == lane
                && self.state(**p) == NodeState::Finished
                && !self.node_type(**p).is_pinned()
                && !left.contains(*p)
        };
        full.nodes.iter().filter(can_fold).copied().collect()
    }

    /// Adds `start` and its ancestors, newest first, until the turn limit is reached. Returns `true` if it was, so that
    /// older nodes may be missing.
    fn walk(&self, start: Place, limit_turns: Option<usize>, gathering: &mut Gathering) -> Result<bool> {
        let mut spine = HashSet::from_iter([self.lane_of(start)]);
        let mut turns = 0;
        let mut seen = HashSet::from_iter([start]);
        let mut ahead = BinaryHeap::from([(self.entry(start), start)]);
        while let Some((_, place)) = ahead.pop() {
            gathering.keep(place);
            gathering.looked_at += 1;
            self.bounded(gathering)?;
            let lane = self.lane_of(place);
            if self.node_type(place) == NodeType::UserMessage && spine.contains(&lane) {
                turns += 1;
                if Some(turns) == limit_turns {
                    return Ok(true);
                }
            }
            for (source, edge) in self.followed(place) {
                gathering.looked_at += 1;
                if edge.kind == EdgeKind::Branch && spine.contains(&lane) {
                    spine.insert(self.lane_of(source));
                }
                if seen.insert(source) {
                    ahead.push((self.entry(source), source));
                }
            }
        }
        Ok(false)
    }

    /// Adds what the view's nodes depend on, transitively.
    fn gather_dependencies(&self, gathering: &mut Gathering) -> Result<()> {
        let mut at = 0;
        while let Some(&place) = gathering.places.get(at) {
            at += 1;
            for (source, edge) in self.followed(place) {
                gathering.looked_at += 1;
                if edge.kind == EdgeKind::Dependency && gathering.keep(source) {
                    self.bounded(gathering)?;
                }
            }
        }
        Ok(())
    }

    fn bounded(&self, gathering: &Gathering) -> Result<()> {
        let limit = self.limits.max_context_nodes;
        GraphLimits::allow(gathering.places.len(), limit, "nodes in a context", "maxContextNodes")
    }

    /// The visible places that a view of `place` continues to: along blocking edges, and from a lane's first node to where
    /// the lane was forked. Loose edges are included.
    fn followed(&self, place: Place) -> impl Iterator<Item = (Place, Edge)> {
        self.into(place).filter(|e| self.is_followed(*e)).map(|e| {
            let edge = self.edges[e as usize];
            (self.top(Place::Node(edge.from)), edge)
        })
    }

    /// Whether a view follows an edge.
    pub(super) fn is_followed(&self, edge: u32) -> bool {
        let edge = self.edges[edge as usize];
        edge.kind.is_blocking() || self.nodes[edge.to as usize].position == 0
    }

    /// Sorts the places. Usually that is the order in which they were added; if an edge runs against it, a place waits until
    /// all places before it are done.
    fn in_order(&self, gathering: &mut Gathering) -> Vec<Place> {
        let mut places = std::mem::take(&mut gathering.places);
        sort_by_key(&mut places, |p| self.entry(*p));
        let before = |p: Place| self.visible_sources(p).filter(|s| gathering.kept.contains(s));
        let in_time = |p: &Place| before(*p).all(|s| self.entry(s) < self.entry(*p));
        if places.iter().all(in_time) {
            return places;
        }
        let index: HashMap<Place, usize> = places.iter().enumerate().map(|(i, p)| (*p, i)).collect();
        let mut later: Vec<Vec<usize>> = vec![Vec::new(); places.len()];
        let mut waits_for = vec![0_usize; places.len()];
        let mut last_of_lane: HashMap<u32, usize> = HashMap::default();
        for (i, place) in places.iter().enumerate() {
            let lane = last_of_lane.insert(self.lane_of(*place), i);
            for earlier in before(*place).filter_map(|s| index.get(&s).copied()).chain(lane) {
                later[earlier].push(i);
                waits_for[i] += 1;
            }
        }
        let mut ready: BinaryHeap<Reverse<usize>> =
            waits_for.iter().enumerate().filter(|(_, n)| **n == 0).map(|(i, _)| Reverse(i)).collect();
        let mut ordered = Vec::with_capacity(places.len());
        while let Some(Reverse(i)) = ready.pop() {
            ordered.push(places[i]);
            for next in std::mem::take(&mut later[i]) {
                waits_for[next] -= 1;
                if waits_for[next] == 0 {
                    ready.push(Reverse(next));
                }
            }
        }
        ordered
    }

    /// The visible sources of the edges into this place, without loose ones.
    pub(super) fn visible_sources(&self, place: Place) -> impl Iterator<Item = Place> {
        let edges = match place {
            Place::Node(n) => &self.nodes[n as usize].incoming,
            Place::Fold(f) => &self.fold_at(f).inward,
        };
        edges.iter().map(|e| self.top(Place::Node(self.edges[*e as usize].from)))
    }
}
