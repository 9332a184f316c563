//! A graph as bytes: a first line with kind, version and checksum, then JSON.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::content::Content;
use super::core::ContextGraph;
use super::edge::{Edge, EdgeKind};
use super::fold::Loose;
use super::limits::GraphLimits;
use super::node::{NodeState, NodeType, Place};
use crate::error::{Error, ErrorCode, Result};
use crate::hashing::HashSet;
use crate::message::Message;
use crate::saved::Kind;

/// The version that [`ContextGraph::snapshot`] writes.
pub const VERSION: u32 = 1;

const KIND: Kind = Kind { name: "contextfold-graph", version: VERSION, what: "a graph" };

/// How messages are written into a snapshot: in the shape of a provider format, or as positions in a history that is saved
/// separately.
pub trait MessageCodec {
    /// The message as JSON.
    fn write(&self, message: &Message) -> Value;

    /// The message of that JSON.
    fn read(&self, value: Value) -> Result<Message>;
}

#[derive(Serialize, Deserialize)]
struct Saved {
    limits: GraphLimits,
    lanes: Vec<SavedLane>,
    nodes: Vec<SavedNode>,
    edges: Vec<(u32, u32, EdgeKind)>,
    folds: Vec<SavedFold>,
}

#[derive(Serialize, Deserialize)]
struct SavedLane {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    origin: Option<u32>,
}

#[derive(Serialize, Deserialize)]
struct SavedNode {
    id: String,
    #[serde(rename = "type")]
    node_type: NodeType,
    state: NodeState,
    lane: u32,
    message: Value,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    whole: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Value>>,
}

#[derive(Serialize, Deserialize)]
struct SavedFold {
    id: String,
    members: Vec<Place>,
    message: Value,
    made_at: u32,
    loose: Vec<u32>,
}

impl ContextGraph {
    /// The graph as bytes. Equal graphs give equal bytes.
    ///
    /// # Errors
    /// `INTERNAL` if the JSON cannot be written, which does not happen for any graph.
    pub fn snapshot(&self, codec: &dyn MessageCodec) -> Result<Vec<u8>> {
        let text = serde_json::to_string(&self.saved(codec))
            .map_err(|e| Error::new(ErrorCode::Internal, format!("a graph could not be written: {e}")))?;
        Ok(KIND.framed(text.as_bytes()))
    }

    /// Restores a graph from a snapshot.
    ///
    /// # Errors
    /// `SNAPSHOT_TOO_NEW` if the version is newer than [`VERSION`]; `SNAPSHOT_INVALID` if the bytes are damaged or no
    /// snapshot at all.
    pub fn restore(bytes: &[u8], codec: &dyn MessageCodec) -> Result<Self> {
        let body = KIND.unframed(bytes)?;
        let saved: Saved = serde_json::from_slice(body.rest()).map_err(|e| invalid(&e.to_string()))?;
        Self::rebuilt(saved, codec).map_err(|e| invalid(e.message()))
    }

    fn saved(&self, codec: &dyn MessageCodec) -> Saved {
        let live: Vec<u32> =
            (0..self.folds.len() as u32).filter(|f| !self.fold_at(*f).members.is_empty()).collect();
        // Folds are renumbered, because undone folds are left out.
        let renumbered = |place: &Place| match place {
            Place::Fold(f) => Place::Fold(live.partition_point(|l| l < f) as u32),
            Place::Node(_) => *place,
        };
        let lanes =
            self.lanes.iter().map(|l| SavedLane { name: l.name.to_string(), origin: l.origin }).collect();
        let nodes = self.nodes.iter().map(|node| SavedNode {
            id: node.id.to_string(),
            node_type: node.kind,
            state: node.state,
            lane: node.lane,
            message: codec.write(&node.content.message),
            whole: node.content.whole,
            metadata: node.metadata.clone(),
        });
        let folds = live.iter().map(|f| self.fold_at(*f)).map(|fold| SavedFold {
            id: fold.id.to_string(),
            members: fold.members.iter().map(renumbered).collect(),
            message: codec.write(&fold.content.message),
            made_at: fold.made_at,
            loose: fold.loose.clone(),
        });
        Saved {
            limits: self.limits,
            lanes,
            nodes: nodes.collect(),
            edges: self.edges.iter().map(|e| (e.from, e.to, e.kind)).collect(),
            folds: folds.collect(),
        }
    }

    fn rebuilt(saved: Saved, codec: &dyn MessageCodec) -> Result<Self> {
        let mut graph = Self::new(saved.limits);
        let count = saved.nodes.len();
        for lane in saved.lanes {
            require(!graph.lane_by_name.contains_key(lane.name.as_str()), "a lane appears twice")?;
            require(
                lane.origin.is_none_or(|o| (o as usize) < count),
                "a lane begins at a node that does not exist",
            )?;
            graph.open_lane(lane.name.into(), lane.origin);
        }
        for node in saved.nodes {
            require(!graph.by_id.contains_key(node.id.as_str()), "an id appears twice")?;
            require((node.lane as usize) < graph.lanes.len(), "a node is in no lane")?;
            let message = codec.read(node.message)?.into();
            let content = Content { message, whole: node.whole };
            let index = graph.insert(node.id.into(), node.node_type, node.state, node.lane, content);
            graph.nodes[index as usize].metadata = node.metadata;
        }
        for (from, to, kind) in saved.edges {
            require((from.max(to) as usize) < count && from != to, "an edge does not connect two nodes")?;
            require(graph.try_order(from, to), "its edges close a cycle")?;
            graph.link(Edge { from, to, kind });
        }
        for index in 0..count as u32 {
            graph.note_reach(index);
        }
        for fold in saved.folds {
            graph.restore_fold(fold, codec)?;
        }
        Ok(graph)
    }

    fn restore_fold(&mut self, fold: SavedFold, codec: &dyn MessageCodec) -> Result<()> {
        require(!self.by_id.contains_key(fold.id.as_str()), "an id appears twice")?;
        let there = |place: &Place| match place {
            Place::Node(n) => (*n as usize) < self.nodes.len(),
            Place::Fold(f) => (*f as usize) < self.folds.len(),
        };
        require(
            !fold.members.is_empty() && fold.members.iter().all(there),
            "a fold contains no nodes, or unknown ones",
        )?;
        let mut once = HashSet::default();
        let lane = self.lane_of(fold.members[0]);
        let sound = |m: &Place| self.folded_by(*m).is_none() && self.lane_of(*m) == lane && once.insert(*m);
        require(fold.members.iter().all(sound), "a fold overlaps another, or crosses lanes")?;
        let content = Content { message: codec.read(fold.message)?.into(), whole: false };
        let restored = self.new_fold(fold.id.into(), fold.members, content, fold.made_at);
        let restored = self.bind_edges(restored, Loose::Known(&HashSet::from_iter(fold.loose)))?;
        self.insert_fold(restored);
        Ok(())
    }
}

fn require(holds: bool, otherwise: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(invalid(otherwise)) }
}

fn invalid(reason: &str) -> Error {
    KIND.invalid(reason)
}
