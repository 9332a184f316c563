use std::sync::Arc;

use super::constraint::constraint_error;
use super::content::Content;
use super::edge::{Edge, EdgeKind};
use super::fold::Fold;
use super::lane::Lane;
use super::limits::GraphLimits;
use super::node::{Node, NodeSpec, NodeState, NodeType, Place, SpecContent};
use super::order::Order;
use crate::error::{Error, Result};
use crate::hashing::{HashMap, HashSet};
use crate::sorting::sort;

/// A conversation as a graph. See the [module](super).
#[derive(Debug, Clone, Default)]
pub struct ContextGraph {
    pub(super) limits: GraphLimits,
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    pub(super) lanes: Vec<Lane>,
    /// In the order in which they were made. An undone fold stays as an empty entry until no live fold follows it.
    pub(super) folds: Vec<Fold>,
    pub(super) folds_live: usize,
    pub(super) by_id: HashMap<Arc<str>, Place>,
    pub(super) lane_by_name: HashMap<Arc<str>, u32>,
    pub(super) order: Order,
}

impl ContextGraph {
    /// An empty graph.
    pub fn new(limits: GraphLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// The number of nodes, including summaries.
    pub fn len(&self) -> usize {
        self.nodes.len() + self.folds_live
    }

    /// Whether no node has been added yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Appends a node to its lane and returns its id. The node gets an edge from each node in `after`: `sequence` if that
    /// node is in the same lane; from another lane, `branch` if the new node is its lane's first, else `dependency`.
    ///
    /// # Errors
    /// `GRAPH_CONSTRAINT` if the id is taken, or if a node in `after` is missing or folded; `SAFETY_LIMIT_EXCEEDED`;
    /// `INVALID_ARGUMENT` if the id or the lane is empty, or if the message's role does not fit the node type.
    pub fn add_node(&mut self, spec: NodeSpec) -> Result<Arc<str>> {
        let id: Arc<str> = match spec.id {
            Some(id) if id.is_empty() => {
                return Err(Error::argument("the `id` is empty; leave it out to get a generated one"));
            }
            Some(id) if self.by_id.contains_key(id.as_str()) => {
                return Err(constraint_error(&[id], "the id is already used; ids must be unique in a graph"));
            }
            Some(id) => id.into(),
            None => self.fresh_id("n", self.nodes.len() + 1),
        };
        if spec.lane.is_empty() {
            return Err(Error::argument("the `lane` name is empty; leave it out for the main lane"));
        }
        let content = match spec.content {
            SpecContent::Parts(parts) => Content::of_parts(spec.node_type, &id, parts),
            SpecContent::Message(message) => Content::of_message(spec.node_type, message)?,
        };
        let lane = self.lane_by_name.get(spec.lane.as_str()).copied();
        let mut sources = match &spec.after {
            Some(ids) => ids.iter().map(|id| Ok(self.exit(self.visible(id)?))).collect::<Result<Vec<_>>>()?,
            None => lane.and_then(|l| self.end_of(l)).into_iter().collect(),
        };
        let mut once = HashSet::default();
        sources.retain(|s| once.insert(*s));
        GraphLimits::allow(self.len() + 1, self.limits.max_nodes, "nodes", "maxNodes")?;
        GraphLimits::allow(self.edges.len() + sources.len(), self.limits.max_edges, "edges", "maxEdges")?;
        let lane = lane.unwrap_or_else(|| self.open_lane(spec.lane.into(), None));
        let index = self.insert(id.clone(), spec.node_type, spec.state, lane, content);
        for from in &sources {
            let kind = match (self.nodes[*from as usize].lane == lane, self.nodes[index as usize].position) {
                (true, _) => EdgeKind::Sequence,
                (false, 0) => EdgeKind::Branch,
                (false, _) => EdgeKind::Dependency,
            };
            self.link(Edge { from: *from, to: index, kind });
        }
        self.note_reach(index);
        Ok(id)
    }

    /// Adds an edge. Does nothing if the edge exists already. If `from` is a summary, the edge starts at the last node it
    /// hides; if `to` is a summary, the edge ends at the first node it hides.
    ///
    /// # Errors
    /// `GRAPH_CONSTRAINT` if a node is missing or folded, or if the edge would close a cycle (an edge from a later to an
    /// earlier node of one lane always does); `SAFETY_LIMIT_EXCEEDED`.
    pub fn add_edge(&mut self, from: &str, to: &str, kind: EdgeKind) -> Result<()> {
        let (source, target) = (self.visible(from)?, self.visible(to)?);
        if source == target {
            return Err(constraint_error(&[from], "an edge from a node to itself would close a cycle"));
        }
        let edge = Edge { from: self.exit(source), to: self.entry(target), kind };
        let (outgoing, incoming) =
            (&self.nodes[edge.from as usize].outgoing, &self.nodes[edge.to as usize].incoming);
        let shorter = if outgoing.len() < incoming.len() { outgoing } else { incoming };
        if shorter.iter().any(|e| self.edges[*e as usize] == edge) {
            return Ok(());
        }
        GraphLimits::allow(self.edges.len() + 1, self.limits.max_edges, "edges", "maxEdges")?;
        if !self.try_order(edge.from, edge.to) {
            return Err(constraint_error(
                &[from, to],
                "an edge from the first to the second would close a cycle",
            ));
        }
        self.link(edge);
        Ok(())
    }

    /// Sets a node's state.
    ///
    /// # Errors
    /// `GRAPH_CONSTRAINT` if the node is missing, folded, or a fold's summary, which is always finished.
    pub fn set_state(&mut self, id: &str, state: NodeState) -> Result<()> {
        match self.visible(id)? {
            Place::Node(n) => self.nodes[n as usize].state = state,
            Place::Fold(_) => {
                return Err(constraint_error(
                    &[id],
                    "the state of a fold's summary cannot be changed; it is always finished",
                ));
            }
        }
        Ok(())
    }

    /// Opens a lane that continues from a node: the view of the new lane starts out as that node's view.
    ///
    /// # Errors
    /// `GRAPH_CONSTRAINT` if the node is missing or folded; `INVALID_ARGUMENT` if the lane exists already or has no name.
    pub fn fork(&mut self, id: &str, lane: &str) -> Result<()> {
        let origin = self.exit(self.visible(id)?);
        if lane.is_empty() || self.lane_by_name.contains_key(lane) {
            return Err(Error::argument(format!(
                "the lane `{lane}` already exists or its name is empty; a fork needs a new lane name"
            )));
        }
        self.open_lane(lane.into(), Some(origin));
        Ok(())
    }

    /// The ids of these places, in the same order.
    pub fn ids(&self, places: &[Place]) -> Vec<&str> {
        places.iter().map(|p| &**self.id(*p)).collect()
    }

    /// The id of a node or summary.
    pub fn id(&self, place: Place) -> &Arc<str> {
        match place {
            Place::Node(n) => &self.nodes[n as usize].id,
            Place::Fold(f) => &self.fold_at(f).id,
        }
    }

    /// The type of a node or summary.
    pub fn node_type(&self, place: Place) -> NodeType {
        match place {
            Place::Node(n) => self.nodes[n as usize].kind,
            Place::Fold(_) => NodeType::Summary,
        }
    }

    /// The state of a node or summary.
    pub fn state(&self, place: Place) -> NodeState {
        match place {
            Place::Node(n) => self.nodes[n as usize].state,
            Place::Fold(_) => NodeState::Finished,
        }
    }

    /// The content of a node or summary.
    pub fn content(&self, place: Place) -> &Content {
        match place {
            Place::Node(n) => &self.nodes[n as usize].content,
            Place::Fold(f) => &self.fold_at(f).content,
        }
    }

    /// The name of the lane that a node or summary is in.
    pub fn lane(&self, place: Place) -> &str {
        &self.lanes[self.lane_of(place) as usize].name
    }

    /// Finds the node or summary with this id, folded or not.
    ///
    /// # Errors
    /// `GRAPH_CONSTRAINT` if there is none.
    pub fn find(&self, id: &str) -> Result<Place> {
        self.by_id.get(id).copied().ok_or_else(|| constraint_error(&[id], "there is no node with this id"))
    }

    /// Like `find`, but fails if a fold hides the node.
    pub(super) fn visible(&self, id: &str) -> Result<Place> {
        let place = self.find(id)?;
        let top = self.top(place);
        if top == place {
            return Ok(place);
        }
        let fold = self.id(top);
        Err(constraint_error(&[id], &format!("it is folded into `{fold}`; use that, or expand it first")))
    }

    pub(super) fn lane_of(&self, place: Place) -> u32 {
        self.nodes[self.entry(place) as usize].lane
    }

    /// What is visible in place of a node: the outermost fold that hides it, or the node itself.
    pub(super) fn top(&self, place: Place) -> Place {
        let mut seen = place;
        while let Some(fold) = self.folded_by(seen) {
            seen = Place::Fold(fold);
        }
        seen
    }

    pub(super) fn folded_by(&self, place: Place) -> Option<u32> {
        match place {
            Place::Node(n) => self.nodes[n as usize].folded_by,
            Place::Fold(f) => self.fold_at(f).folded_by,
        }
    }

    /// The first node of a place: the node itself, or the first one that a fold hides. Distinct for all visible places, and
    /// ascending in each lane.
    pub(super) fn entry(&self, place: Place) -> u32 {
        match place {
            Place::Node(n) => n,
            Place::Fold(f) => self.fold_at(f).first,
        }
    }

    /// The last node of a place: the node itself, or the last one that a fold hides.
    pub(super) fn exit(&self, place: Place) -> u32 {
        match place {
            Place::Node(n) => n,
            Place::Fold(f) => self.fold_at(f).last,
        }
    }

    pub(super) fn fold_at(&self, fold: u32) -> &Fold {
        &self.folds[fold as usize]
    }

    /// The lane's last node; if the lane is empty, the node it was forked from.
    fn end_of(&self, lane: u32) -> Option<u32> {
        let lane = &self.lanes[lane as usize];
        lane.nodes.last().copied().or(lane.origin)
    }

    /// `prefix` followed by the first number, starting at `from`, that makes a free id.
    pub(super) fn fresh_id(&self, prefix: &str, from: usize) -> Arc<str> {
        let mut number = from;
        loop {
            let id = format!("{prefix}{number}");
            if !self.by_id.contains_key(id.as_str()) {
                return id.into();
            }
            number += 1;
        }
    }

    pub(super) fn open_lane(&mut self, name: Arc<str>, origin: Option<u32>) -> u32 {
        let index = self.lanes.len() as u32;
        self.lane_by_name.insert(name.clone(), index);
        self.lanes.push(Lane::new(name, origin));
        index
    }

    /// Inserts a node. The id must be free and the lane must exist.
    pub(super) fn insert(
        &mut self,
        id: Arc<str>,
        node_type: NodeType,
        state: NodeState,
        lane: u32,
        content: Content,
    ) -> u32 {
        let index = self.nodes.len() as u32;
        let own = &mut self.lanes[lane as usize];
        let position = own.nodes.len() as u32;
        own.nodes.push(index);
        if node_type.is_pinned() {
            own.pinned.insert(position, Place::Node(index));
        }
        self.by_id.insert(id.clone(), Place::Node(index));
        self.order.append();
        self.nodes.push(Node {
            id,
            kind: node_type,
            state,
            lane,
            position,
            reach: 0,
            content,
            metadata: None,
            folded_by: None,
            incoming: Vec::new(),
            outgoing: Vec::new(),
        });
        index
    }

    /// Inserts an edge that closes no cycle, and adds it to the folds that hide one of its ends.
    pub(super) fn link(&mut self, edge: Edge) {
        let index = self.edges.len() as u32;
        self.edges.push(edge);
        self.nodes[edge.from as usize].outgoing.push(index);
        self.nodes[edge.to as usize].incoming.push(index);
        let (source, target) = (&self.nodes[edge.from as usize], &self.nodes[edge.to as usize]);
        let (here, position) = (target.lane, target.position);
        let follows = edge.kind.is_blocking() || position == 0;
        if source.lane != here && follows {
            let inflows = &mut self.lanes[here as usize].inflows;
            let at = inflows.partition_point(|(p, _)| *p <= position);
            inflows.insert(at, (position, edge.from));
        }
        for (end, outward) in [(edge.from, true), (edge.to, false)] {
            let mut hidden_by = self.nodes[end as usize].folded_by;
            while let Some(fold) = hidden_by.and_then(|f| self.folds.get_mut(f as usize)) {
                if outward {
                    fold.outward.push(index);
                } else {
                    fold.inward.push(index);
                }
                hidden_by = fold.folded_by;
            }
        }
    }

    /// Computes a node's `reach`: how many of its lane's first nodes are its ancestors. That is the largest reach of the
    /// nodes it directly follows, extended by those of them that come next in the lane without a gap.
    pub(super) fn note_reach(&mut self, index: u32) {
        let node = &self.nodes[index as usize];
        let mut before: Vec<(u32, u32)> = Vec::new();
        for edge in node.incoming.iter().map(|e| self.edges[*e as usize]).filter(|e| e.kind.is_blocking()) {
            let source = &self.nodes[edge.from as usize];
            if source.lane == node.lane {
                before.push((source.position, source.reach));
            }
        }
        sort(&mut before);
        let mut reach = before.iter().map(|(_, reach)| *reach).max().unwrap_or(0);
        for (position, _) in before {
            reach += u32::from(position == reach);
        }
        reach += u32::from(reach == node.position);
        self.nodes[index as usize].reach = reach;
    }
}
