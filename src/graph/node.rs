use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::content::Content;
use crate::message::{Message, Part, Role};
use crate::names::names;

names! {
    /// What a node is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
    #[serde(rename_all = "snake_case")]
    pub enum NodeType {
        /// A message of the user. Opens a turn.
        UserMessage = "user_message",
        /// A message of the model.
        AgentMessage = "agent_message",
        /// A tool call's work and its result.
        Task = "task",
        /// Replaces other nodes. Pinned.
        Summary = "summary",
        /// Instructions of the application. Pinned.
        SystemMessage = "system_message",
        /// Instructions of the application, in the role that newer models use. Pinned.
        DeveloperMessage = "developer_message",
    }
}

impl NodeType {
    /// Whether it is part of every view of the nodes after it, even if the view's turn limit excludes its turn.
    pub const fn is_pinned(self) -> bool {
        matches!(self, Self::Summary | Self::SystemMessage | Self::DeveloperMessage)
    }

    /// The role of the node's message.
    pub const fn role(self) -> Role {
        match self {
            Self::UserMessage => Role::User,
            Self::AgentMessage => Role::Assistant,
            Self::Task => Role::Tool,
            Self::Summary | Self::SystemMessage => Role::System,
            Self::DeveloperMessage => Role::Developer,
        }
    }
}

names! {
    /// The state of a node's work.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
    #[serde(rename_all = "lowercase")]
    pub enum NodeState {
        /// Not started.
        Pending = "pending",
        /// In progress.
        Running = "running",
        /// Ended successfully. Only finished nodes can be folded.
        Finished = "finished",
        /// Failed.
        Errored = "errored",
    }
}

/// Describes a node to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeSpec {
    /// Unique in the graph. `None`: an id is generated (`n1`, `n2`, …).
    pub id: Option<String>,
    /// The type.
    pub node_type: NodeType,
    /// The name of its lane, which is created if it does not exist.
    pub lane: String,
    /// The state.
    pub state: NodeState,
    /// The content.
    pub content: SpecContent,
    /// The ids of the nodes it comes after. `None`: the lane's last node or, in an empty lane, the node it was forked from.
    pub after: Option<Vec<String>>,
}

/// The content of a new node.
#[derive(Debug, Clone, PartialEq)]
pub enum SpecContent {
    /// Content only; the message is made from it.
    Parts(Vec<Part>),
    /// A complete message.
    Message(Arc<Message>),
}

impl NodeSpec {
    /// The lane of a node that does not name one.
    pub const MAIN_LANE: &'static str = "main";

    /// A finished node without content, at the end of the main lane.
    pub fn new(node_type: NodeType) -> Self {
        Self {
            id: None,
            node_type,
            lane: Self::MAIN_LANE.to_owned(),
            state: NodeState::Finished,
            content: SpecContent::Parts(Vec::new()),
            after: None,
        }
    }

    /// Like `new`, with a text as content.
    pub fn text(node_type: NodeType, text: &str) -> Self {
        Self { content: SpecContent::Parts(vec![Part::text(text)]), ..Self::new(node_type) }
    }
}

/// Identifies a node or a fold's summary, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// An appended node.
    Node(u32),
    /// A fold's summary.
    Fold(u32),
}

/// A node as the graph stores it.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub id: Arc<str>,
    pub kind: NodeType,
    pub state: NodeState,
    pub lane: u32,
    /// Its index in its lane.
    pub position: u32,
    /// At least this many of its lane's first nodes are its ancestors (or itself). A bounded view need not walk them.
    pub reach: u32,
    pub content: Content,
    /// What the caller or a run recorded about it.
    pub metadata: Option<Map<String, Value>>,
    /// The innermost fold that hides it.
    pub folded_by: Option<u32>,
    pub incoming: Vec<u32>,
    pub outgoing: Vec<u32>,
}
