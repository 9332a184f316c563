use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::adapter::Adapted;
use super::element::{attribute, element};
use crate::message::{ItemType, Message, Role};
use crate::saved::saved;

/// A skill of the agent, as it is described to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skill {
    /// The name.
    pub name: String,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where the skill's text is found, such as a path. Without it, the model cannot read the skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
}

/// The parts of a prompt besides the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextParts {
    /// Texts that a memory search found, best first.
    pub memory: Vec<String>,
    /// At most this many of them are shown. Default 5.
    pub memory_limit: usize,
    /// The caller's own messages, used as they are.
    pub injections: Vec<Arc<Message>>,
    /// The agent's skills.
    pub skills: Vec<Skill>,
}

saved!(struct Skill { name, description, location });
saved!(struct ContextParts { memory, memory_limit, injections, skills });

impl Default for ContextParts {
    fn default() -> Self {
        Self { memory: Vec::new(), memory_limit: 5, injections: Vec::new(), skills: Vec::new() }
    }
}

impl ContextParts {
    /// The memory as a system message `<relevant_context>…</relevant_context>`, one line per result; `None` without results.
    pub fn memory_message(&self) -> Option<Message> {
        let texts = self.memory.iter().map(String::as_str).filter(|text| !text.trim().is_empty());
        let shown: Vec<&str> = texts.take(self.memory_limit).collect();
        if shown.is_empty() {
            return None;
        }
        let mut message = Message::text(Role::System, element("relevant_context", &shown.join("\n")));
        message.meta.item_type = Some(ItemType::Memory);
        Some(message)
    }

    /// The skills as the fragment `<available_skills skills="name (location): description; …" />`; `None` without skills.
    pub fn skills_fragment(&self) -> Option<String> {
        let line = |skill: &Skill| {
            let location = skill.location.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
            let description = skill.description.as_ref().map(|what| format!(": {what}")).unwrap_or_default();
            format!("{}{location}{description}", skill.name)
        };
        let all: Vec<String> = self.skills.iter().map(line).collect();
        (!all.is_empty()).then(|| format!("<available_skills skills=\"{}\" />", attribute(&all.join("; "))))
    }

    /// The skills as a separate system message; `None` without skills.
    pub fn skills_message(&self) -> Option<Message> {
        let mut message = Message::text(Role::System, self.skills_fragment()?);
        message.meta.item_type = Some(ItemType::SkillMetadata);
        Some(message)
    }

    /// All parts as separate messages to put before a conversation: skills, memory, injections.
    pub fn messages(&self) -> Vec<Message> {
        let own = self.skills_message().into_iter().chain(self.memory_message());
        own.chain(self.injections.iter().map(|message| Message::clone(message))).collect()
    }

    /// The tools that the filter `allows`, in order.
    pub fn tools<T>(tools: Vec<T>, name: impl Fn(&T) -> &str, allows: impl Fn(&str) -> bool) -> Vec<T> {
        tools.into_iter().filter(|tool| allows(name(tool))).collect()
    }
}

/// Assembles the prompt (GRAPH-7): one system message that ends with the skills, then the memory, the injections and the
/// conversation.
pub fn assemble(adapted: &Adapted, parts: &ContextParts) -> Vec<Arc<Message>> {
    let texts: Vec<String> = adapted.system.iter().cloned().chain(parts.skills_fragment()).collect();
    let system = (!texts.is_empty()).then(|| Message::text(Role::System, texts.join("\n\n")));
    let head = system.into_iter().chain(parts.memory_message()).map(Arc::new);
    let conversation = adapted.messages.iter().map(|(_, message)| message.clone());
    head.chain(parts.injections.iter().cloned()).chain(conversation).collect()
}
