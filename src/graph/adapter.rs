use std::sync::Arc;

use super::core::ContextGraph;
use super::element::element;
use super::node::{NodeState, NodeType, Place};
use crate::message::{ItemType, Message, Part, Role};

/// The text of a failed task's result if the task has no content.
const FAILED: &str = "[the tool failed without a message]";

/// A view's nodes converted to messages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Adapted {
    /// The base prompt and all system and developer nodes, in order, separated by empty lines.
    pub system: Option<String>,
    /// All other messages in order, each with the node it was made from.
    pub messages: Vec<(Place, Arc<Message>)>,
}

/// Converts nodes to messages (GRAPH-6). User and agent messages are kept as they are. A task becomes its tool result,
/// marked as an error if the task failed. A summary becomes a system message `<summary>…</summary>`. System and developer
/// messages are appended to the base prompt.
///
/// Tasks that have not ended and messages without content are left out.
pub fn adapt(graph: &ContextGraph, nodes: &[Place], base_prompt: Option<&str>) -> Adapted {
    let mut system: Vec<String> = base_prompt.map(str::to_owned).into_iter().collect();
    let mut messages = Vec::with_capacity(nodes.len());
    for place in nodes {
        let message = &graph.content(*place).message;
        match graph.node_type(*place) {
            NodeType::SystemMessage | NodeType::DeveloperMessage => system.push(message.plain_text()),
            NodeType::Summary => messages.push((*place, Arc::new(summary(message, graph.id(*place))))),
            NodeType::Task => {
                messages.extend(result(message, graph.state(*place)).map(|result| (*place, result)));
            }
            NodeType::UserMessage | NodeType::AgentMessage => {
                if !message.is_empty() {
                    messages.push((*place, message.clone()));
                }
            }
        }
    }
    system.retain(|text| !text.is_empty());
    Adapted { system: (!system.is_empty()).then(|| system.join("\n\n")), messages }
}

/// A summary's text in a `<summary>…</summary>` element, as the system message shows it. The text cannot close the element.
pub fn summary_element(text: &str) -> String {
    element("summary", text)
}

fn summary(message: &Message, id: &str) -> Message {
    let mut shown = Message::text(Role::System, summary_element(&message.plain_text())).with_id(id);
    shown.meta.item_type = Some(ItemType::CompactionSummary);
    shown
}

fn result(message: &Arc<Message>, state: NodeState) -> Option<Arc<Message>> {
    match state {
        NodeState::Pending | NodeState::Running => None,
        NodeState::Finished => Some(message.clone()),
        NodeState::Errored => {
            let mut failed = Message::clone(message);
            for part in &mut failed.parts {
                if let Part::ToolOutput(output) = part {
                    output.is_error = true;
                    if output.content.is_empty() {
                        output.content.push(Part::text(FAILED));
                    }
                }
            }
            Some(Arc::new(failed))
        }
    }
}
