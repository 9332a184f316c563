use std::sync::Arc;

use super::node::NodeType;
use crate::error::{Error, Result};
use crate::message::{ItemType, Message, Part, Role, ToolOutput};

/// What a node says. Always stored as a message, so that readers of a view need no special case.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// The message.
    pub message: Arc<Message>,
    /// Whether the caller passed a message ([`SpecContent::Message`](super::SpecContent::Message)) rather than content parts.
    pub whole: bool,
}

impl Content {
    /// Wraps content parts in a message. The role follows from the node type; a task becomes the output of a call with the
    /// node's id.
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

    /// Uses a message, whose role must fit the node type (see [`NodeType::role`]). A summary may have any role.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the role does not fit.
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
