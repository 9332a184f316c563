//! Lets a graph follow a history that is kept elsewhere. What that history guarantees is not checked again.

use std::sync::Arc;

use serde_json::Value;

use super::content::Content;
use super::core::ContextGraph;
use super::edge::{Edge, EdgeKind};
use super::fold::Loose;
use super::limits::GraphLimits;
use super::node::{NodeState, NodeType, Place};
use crate::error::Result;
use crate::message::{Message, Part, Role};

impl NodeType {
    /// The type of the node for a message of this role.
    pub const fn of(role: Role) -> Self {
        match role {
            Role::User => Self::UserMessage,
            Role::Assistant => Self::AgentMessage,
            Role::Tool => Self::Task,
            Role::System => Self::SystemMessage,
            Role::Developer => Self::DeveloperMessage,
        }
    }
}

impl ContextGraph {
    /// Appends a message to a lane, which is opened if it does not exist. The nodes in `after` may be folded. The id must be
    /// free.
    ///
    /// # Errors
    /// `SAFETY_LIMIT_EXCEEDED`; nothing has changed then.
    pub(crate) fn follow(
        &mut self,
        id: Arc<str>,
        lane: &str,
        message: Arc<Message>,
        after: &[(u32, EdgeKind)],
    ) -> Result<u32> {
        GraphLimits::allow(self.len() + 1, self.limits.max_nodes, "nodes", "maxNodes")?;
        GraphLimits::allow(self.edges.len() + after.len(), self.limits.max_edges, "edges", "maxEdges")?;
        let known = self.lane_by_name.get(lane).copied();
        let lane = known.unwrap_or_else(|| self.open_lane(lane.into(), None));
        let node_type = NodeType::of(message.role);
        let content = Content { message, whole: true };
        let index = self.insert(id, node_type, NodeState::Finished, lane, content);
        for (from, kind) in after {
            self.link(Edge { from: *from, to: index, kind: *kind });
        }
        self.note_reach(index);
        Ok(index)
    }

    /// Opens a lane at a node, which may be folded. Does nothing if a lane of this name exists.
    pub(crate) fn follow_fork(&mut self, at: u32, lane: &str) {
        if !self.lane_by_name.contains_key(lane) {
            self.open_lane(lane.into(), Some(at));
        }
    }

    /// Sets a node's state, even if it is folded.
    pub(crate) fn follow_state(&mut self, node: u32, state: NodeState) {
        self.nodes[node as usize].state = state;
    }

    /// Sets a metadata value of a node, such as the `context_cost` of a run.
    pub fn set_metadata(&mut self, node: u32, key: &str, value: Value) {
        self.nodes[node as usize].metadata.get_or_insert_default().insert(key.to_owned(), value);
    }

    /// Folds places of one lane that no fold hides yet. Unlike `compress`, any node may lie between them and stay visible,
    /// and the last one may be the lane's end.
    ///
    /// # Errors
    /// `SAFETY_LIMIT_EXCEEDED`; nothing has changed then.
    pub(crate) fn follow_fold(
        &mut self,
        id: Arc<str>,
        mut members: Vec<Place>,
        summary: &str,
        made_at: u32,
    ) -> Result<Place> {
        GraphLimits::allow(self.len() + 1, self.limits.max_nodes, "nodes", "maxNodes")?;
        crate::sorting::sort_by_key(&mut members, |m| self.entry(*m));
        let content = Content::of_parts(NodeType::Summary, &id, vec![Part::text(summary)]);
        let fold = self.new_fold(id, members, content, made_at);
        let fold = self.bind_edges(fold, Loose::Any)?;
        let place = Place::Fold(self.folds.len() as u32);
        self.insert_fold(fold);
        Ok(place)
    }
}
