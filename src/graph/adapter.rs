use std::sync::Arc;

use super::core::ContextGraph;
use super::element::element;
use super::node::{NodeState, NodeType, Place};
use crate::message::{ItemType, Message, Part, Role};

/// What a failed task answers where it has nothing to say.
const FAILED: &str = "[the tool failed without a message]";

/// The nodes of a view as messages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Adapted {
    /// The base prompt and every system and developer node, in order, an empty line between them.
    pub system: Option<String>,
    /// Everything else in order, each with the node that it stands for.
    pub messages: Vec<(Place, Arc<Message>)>,
}

/// Nodes to messages (GRAPH-6): user and agent messages as they are; a task as its tool result, or an error result where it
/// failed; a summary as a system message `<summary>…</summary>`; system and developer messages merged into the base prompt.
///
/// A task that has not ended has no result yet, and a message without content says nothing: both are left out.
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

/// A summary's text as a system message tells it: `<summary>…</summary>`, which nothing in it can close.
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
