use std::sync::Arc;

use serde::{Deserialize, Serialize};

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

    /// The skills as a system message `<available_skills skills="name (location): description; …" />`; `None` without skills.
    pub fn skills_message(&self) -> Option<Message> {
        let line = |skill: &Skill| {
            let location = skill.location.as_ref().map(|at| format!(" ({at})")).unwrap_or_default();
            let description = skill.description.as_ref().map(|what| format!(": {what}")).unwrap_or_default();
            format!("{}{location}{description}", skill.name)
        };
        let all: Vec<String> = self.skills.iter().map(line).collect();
        if all.is_empty() {
            return None;
        }
        let fragment = format!("<available_skills skills=\"{}\" />", attribute(&all.join("; ")));
        let mut message = Message::text(Role::System, fragment);
        message.meta.item_type = Some(ItemType::SkillMetadata);
        Some(message)
    }

    /// All parts as separate messages to put before a conversation: skills, memory, injections.
    pub fn messages(&self) -> Vec<Message> {
        let own = self.skills_message().into_iter().chain(self.memory_message());
        own.chain(self.injections.iter().map(|message| Message::clone(message))).collect()
    }
}
