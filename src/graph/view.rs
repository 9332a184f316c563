//! A whole view walks back from its node. A bounded one stops at its turn, then takes in what its nodes depend on, then what is
//! pinned. Each lane keeps its pinned places by position, and each node knows how many of its lane's first nodes are all its
//! ancestors, so no lane is walked. Entry order is the view's order unless an edge runs against it.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use super::core::ContextGraph;
use super::edge::{Edge, EdgeKind};
use super::limits::GraphLimits;
use super::node::{NodeState, NodeType, Place};
use crate::error::{Error, Result};
use crate::sorting::sort_by_key;

/// What a node's context consists of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphView {
    /// The nodes in order, the one that was asked for last.
    pub nodes: Vec<Place>,
    /// How many nodes and edges were looked at to find them: what the view cost.
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
    /// Takes a place in; `true` where it is new.
    pub(super) fn keep(&mut self, place: Place) -> bool {
        let new = self.kept.insert(place);
        if new {
            self.places.push(place);
        }
        new
    }
}

impl ContextGraph {
    /// A node's context (GRAPH-2): its ancestors in order and itself; summaries stand in for what they fold. With
    /// `limit_turns` the last so many turns of them, what these depend on by `dependency`, and whatever is pinned (system and
    /// developer messages, summaries).
    ///
    /// The order is a topological one that keeps each lane's time; where these leave it open, what entered first comes first. A
    /// turn begins with a user message of the node's own lane, or of those that it was forked from. An edge of kind `branch`
    /// is followed into a lane's first node only: what comes back from a forked lane brings its result, not its story.
    ///
    /// # Errors
    /// `GRAPH_CONSTRAINT` for a missing or folded node; `SAFETY_LIMIT_EXCEEDED` for more nodes than `max_context_nodes`;
    /// `INVALID_ARGUMENT` for a limit of no turns.
    pub fn context_for_full(&self, id: &str, limit_turns: Option<usize>) -> Result<GraphView> {
        if limit_turns == Some(0) {
            return Err(Error::argument("`limitTurns`: a context has at least one turn"));
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

    /// What a smaller view has lost and a fold can stand in for: finished nodes of the viewed node's own lane that are neither
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

    /// Takes in `start` and its ancestors, newest first, until the turns are full. `true`: they are, and more is there.
    fn walk(&self, start: Place, limit_turns: Option<usize>, gathering: &mut Gathering) -> Result<bool> {
        let mut spine = HashSet::from([self.lane_of(start)]);
        let mut turns = 0;
        let mut seen = HashSet::from([start]);
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

    /// Takes in what the nodes taken in depend on.
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

    /// What a view of `place` goes on to, as it is seen: by blocking edges, and from a lane's first node to where the lane
    /// began. Of what stands loosely between the nodes of a fold: the instructions.
    fn followed(&self, place: Place) -> impl Iterator<Item = (Place, Edge)> {
        self.into(place).filter(|e| self.is_followed(*e)).map(|e| {
            let edge = self.edges[e as usize];
            (self.top(Place::Node(edge.from)), edge)
        })
    }

    /// Whether a view goes on along an edge.
    pub(super) fn is_followed(&self, edge: u32) -> bool {
        let edge = self.edges[edge as usize];
        edge.kind.is_blocking() || self.nodes[edge.to as usize].position == 0
    }

    /// The places in order. Mostly that is the order in which they entered; where an edge runs against it, places wait for
    /// what comes before them.
    fn in_order(&self, gathering: &mut Gathering) -> Vec<Place> {
        let mut places = std::mem::take(&mut gathering.places);
        sort_by_key(&mut places, |p| self.entry(*p));
        let before = |p: Place| self.seen_before(p).filter(|s| gathering.kept.contains(s));
        let in_time = |p: &Place| before(*p).all(|s| self.entry(s) < self.entry(*p));
        if places.iter().all(in_time) {
            return places;
        }
        let index: HashMap<Place, usize> = places.iter().enumerate().map(|(i, p)| (*p, i)).collect();
        let mut later: Vec<Vec<usize>> = vec![Vec::new(); places.len()];
        let mut waits_for = vec![0_usize; places.len()];
        let mut last_of_lane: HashMap<u32, usize> = HashMap::new();
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

    /// The places that an edge, as it is seen, leads from to this one.
    pub(super) fn seen_before(&self, place: Place) -> impl Iterator<Item = Place> {
        let edges = match place {
            Place::Node(n) => &self.nodes[n as usize].incoming,
            Place::Fold(f) => &self.fold_at(f).inward,
        };
        edges.iter().map(|e| self.top(Place::Node(self.edges[*e as usize].from)))
    }
}
