use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::content::Content;
use crate::message::{Message, Part, Role};

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum NodeType {
    /// What the person says. Opens a turn.
    UserMessage,
    /// What the model says.
    AgentMessage,
    /// A tool's work, and its result.
    Task,
    /// Stands in for other nodes. Pinned.
    Summary,
    /// Instructions of the application. Pinned.
    SystemMessage,
    /// Instructions of the application, in the words of newer models. Pinned.
    DeveloperMessage,
}

impl NodeType {
    /// Every type.
    pub const ALL: [Self; 6] = [
        Self::UserMessage,
        Self::AgentMessage,
        Self::Task,
        Self::Summary,
        Self::SystemMessage,
        Self::DeveloperMessage,
    ];

    /// The type's name in the public API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UserMessage => "user_message",
            Self::AgentMessage => "agent_message",
            Self::Task => "task",
            Self::Summary => "summary",
            Self::SystemMessage => "system_message",
            Self::DeveloperMessage => "developer_message",
        }
    }

    /// The type of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.as_str() == name)
    }

    /// Whether it stands in every view of what comes after it, however few turns that may take.
    pub const fn is_pinned(self) -> bool {
        matches!(self, Self::Summary | Self::SystemMessage | Self::DeveloperMessage)
    }

    /// The role of its message.
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

/// How far a node's work has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
#[serde(rename_all = "lowercase")]
pub enum NodeState {
    /// It has not begun.
    Pending,
    /// It is going on.
    Running,
    /// It has ended well. Only such a node can be folded.
    Finished,
    /// It has failed.
    Errored,
}

impl NodeState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Running, Self::Finished, Self::Errored];

    /// The state's name in the public API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Errored => "errored",
        }
    }

    /// The state of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.as_str() == name)
    }
}

/// What a new node is to be.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeSpec {
    /// Unique in the graph; made (`n1`, `n2`, …) where there is none.
    pub id: Option<String>,
    /// What it is.
    pub node_type: NodeType,
    /// Its lane, which is made where there is none of this name.
    pub lane: String,
    /// How far its work has come.
    pub state: NodeState,
    /// What it says.
    pub said: Said,
    /// What it comes after. `None`: the lane's last node, or where the lane was forked off.
    pub after: Option<Vec<String>>,
}

/// What a new node says.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// Mere content.
    Parts(Vec<Part>),
    /// A message.
    Message(Arc<Message>),
}

impl NodeSpec {
    /// The lane of a node that names none.
    pub const MAIN_LANE: &'static str = "main";

    /// A finished node of this type that says nothing yet, at the end of the main lane.
    pub fn new(node_type: NodeType) -> Self {
        Self {
            id: None,
            node_type,
            lane: Self::MAIN_LANE.to_owned(),
            state: NodeState::Finished,
            said: Said::Parts(Vec::new()),
            after: None,
        }
    }

    /// The same with a text.
    pub fn text(node_type: NodeType, text: &str) -> Self {
        Self { said: Said::Parts(vec![Part::text(text)]), ..Self::new(node_type) }
    }
}

/// Where a node lies: one that entered, or a fold's summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// A node that entered.
    Node(u32),
    /// A fold's summary.
    Fold(u32),
}

/// A node in its place.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub id: Arc<str>,
    pub kind: NodeType,
    pub state: NodeState,
    pub lane: u32,
    /// Its place in its lane.
    pub position: u32,
    /// So many of its lane's first nodes are known to be its ancestors, or itself: what a bounded view need not walk.
    pub reach: u32,
    pub content: Content,
    /// What the caller, or a run, wrote down about it.
    pub metadata: Option<Map<String, Value>>,
    /// The innermost fold that hides it.
    pub folded_by: Option<u32>,
    pub incoming: Vec<u32>,
    pub outgoing: Vec<u32>,
}
