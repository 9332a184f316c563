use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::adapter::Adapted;
use super::element::{attribute, element};
use crate::message::{ItemType, Message, Role};

/// Something that the agent can do when asked to, as the model is told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skill {
    /// What it is called.
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// What stands in a prompt beside the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextParts {
    /// Texts that a memory search found, best first.
    pub memory: Vec<String>,
    /// At most so many of them are shown.
    pub memory_limit: usize,
    /// Messages of the caller's own, as they are.
    pub injections: Vec<Arc<Message>>,
    /// What the agent can do.
    pub skills: Vec<Skill>,
}

impl Default for ContextParts {
    fn default() -> Self {
        Self { memory: Vec::new(), memory_limit: 5, injections: Vec::new(), skills: Vec::new() }
    }
}

impl ContextParts {
    /// The memory as a system message `<relevant_context>…</relevant_context>`, one line a result; none without results.
    pub fn memory_message(&self) -> Option<Message> {
        let shown: Vec<&str> = self.memory.iter().take(self.memory_limit).map(String::as_str).collect();
        if shown.is_empty() {
            return None;
        }
        let mut message = Message::text(Role::System, element("relevant_context", &shown.join("\n")));
        message.meta.item_type = Some(ItemType::Memory);
        Some(message)
    }

    /// The skills as the fragment `<available_skills skills="name: description; …" />`; none without skills.
    pub fn skills_fragment(&self) -> Option<String> {
        let told = |skill: &Skill| match &skill.description {
            Some(description) => format!("{}: {description}", skill.name),
            None => skill.name.clone(),
        };
        let all: Vec<String> = self.skills.iter().map(told).collect();
        (!all.is_empty()).then(|| format!("<available_skills skills=\"{}\" />", attribute(&all.join("; "))))
    }

    /// The tools that a filter lets through, in order.
    pub fn tools<T>(tools: Vec<T>, name: impl Fn(&T) -> &str, allows: impl Fn(&str) -> bool) -> Vec<T> {
        tools.into_iter().filter(|tool| allows(name(tool))).collect()
    }
}

/// Prompt assembly (GRAPH-7): one system message with the skills at its end, then the memory, the injections, the conversation.
pub fn assemble(adapted: &Adapted, parts: &ContextParts) -> Vec<Arc<Message>> {
    let told: Vec<String> = adapted.system.iter().cloned().chain(parts.skills_fragment()).collect();
    let system = (!told.is_empty()).then(|| Message::text(Role::System, told.join("\n\n")));
    let head = system.into_iter().chain(parts.memory_message()).map(Arc::new);
    let conversation = adapted.messages.iter().map(|(_, message)| message.clone());
    head.chain(parts.injections.iter().cloned()).chain(conversation).collect()
}
