use std::sync::Arc;

use super::node::NodeType;
use crate::error::{Error, Result};
use crate::message::{ItemType, Message, Part, Role, ToolOutput};

/// What a node says: always a message, so that what reads a view need not ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// The message.
    pub message: Arc<Message>,
    /// It was handed in as a message, not as mere content.
    pub whole: bool,
}

impl Content {
    /// Mere content: the role is the node type's, and a task answers a call of its own id.
    pub fn of_parts(node_type: NodeType, id: &str, parts: Vec<Part>) -> Self {
        let role = node_type.role();
        let parts = if role == Role::Tool {
            vec![Part::from(ToolOutput { content: parts, ..ToolOutput::text(id, "") })]
        } else {
            parts
        };
        let mut message = Message::new(role, parts);
        if node_type == NodeType::Summary {
            message.meta.item_type = Some(ItemType::CompactionSummary);
        }
        Self { message: Arc::new(message), whole: false }
    }

    /// A message, which must fit the node's type: a task is a tool message, a user message a user's, and so on.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` where it does not.
    pub fn of_message(node_type: NodeType, message: Arc<Message>) -> Result<Self> {
        let fits = node_type == NodeType::Summary || message.role == node_type.role();
        if !fits {
            let (name, wanted, got) = (node_type.as_str(), node_type.role().as_str(), message.role.as_str());
            return Err(Error::argument(format!(
                "a node of type `{name}` holds a message of role `{wanted}`, not `{got}`"
            )));
        }
        Ok(Self { message, whole: true })
    }
}
