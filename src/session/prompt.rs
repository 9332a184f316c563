//! Prompt assembly (GRAPH-7): what a view shows between the header and the conversation.

use serde_json::Value;

use super::state::Session;
use crate::config::Keys;
use crate::context::{EventName, Wording};
use crate::error::{Error, Result};
use crate::graph::{ContextParts, Skill};
use crate::message::{Format, ItemType, Message, Meta, Role};
use crate::provider::provider;
use crate::tokens::count_tools;
use crate::tool_output::CACHE_TOOL;

/// A change of what is shown. A field that is `None` stays as it is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContextChange {
    /// Texts that a memory search found, best first.
    pub memory: Option<Vec<String>>,
    /// At most this many of them are shown.
    pub memory_limit: Option<usize>,
    /// Messages written by the caller.
    pub injections: Option<Vec<Message>>,
    /// The skills of the agent.
    pub skills: Option<Vec<Skill>>,
}

impl ContextChange {
    /// A change that clears every part.
    pub fn clear() -> Self {
        Self {
            memory: Some(Vec::new()),
            memory_limit: Some(ContextParts::default().memory_limit),
            injections: Some(Vec::new()),
            skills: Some(Vec::new()),
        }
    }

    /// Reads `{ memory?, memoryLimit?, injections?, skills? }`; `null` clears a part. The host reads `toolFilter`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the key; `INVALID_MESSAGE` with the index of an injection that is malformed, or that calls a tool
    /// or answers a call.
    pub fn from_value(value: &Value) -> Result<Self> {
        let mut keys = Keys::arguments("", value)?;
        keys.value("toolFilter");
        let memory = keys.or_null("memory", Keys::string_list)?.map(Option::unwrap_or_default);
        let default = ContextParts::default().memory_limit;
        let memory_limit =
            keys.u64_or_null("memoryLimit", ..)?.map(|limit| limit.map_or(default, crate::config::size));
        let injections = keys.value("injections").map(injections).transpose()?;
        let skills = keys.value("skills").map(|skills| read_skills(skills, &keys)).transpose()?;
        keys.finish()?;
        Ok(Self { memory, memory_limit, injections, skills })
    }

    fn named_types(&self) -> Vec<ItemType> {
        let memory = self.memory.is_some() || self.memory_limit.is_some();
        let named = [
            (memory, ItemType::Memory),
            (self.injections.is_some(), ItemType::Injection),
            (self.skills.is_some(), ItemType::SkillMetadata),
        ];
        named.into_iter().filter(|(is, _)| *is).map(|(_, item_type)| item_type).collect()
    }

    /// The parts after the change.
    fn applied_to(&self, before: &ContextParts) -> ContextParts {
        let shared = |messages: &Vec<Message>| messages.iter().cloned().map(Into::into).collect();
        ContextParts {
            memory: self.memory.as_ref().unwrap_or(&before.memory).clone(),
            memory_limit: self.memory_limit.unwrap_or(before.memory_limit),
            injections: self.injections.as_ref().map_or_else(|| before.injections.clone(), shared),
            skills: self.skills.as_ref().unwrap_or(&before.skills).clone(),
        }
    }
}

/// Reads injections: messages without tool calls and tool outputs, so that they can come before any conversation.
fn injections(value: &Value) -> Result<Vec<Message>> {
    if value.is_null() {
        return Ok(Vec::new());
    }
    let mut messages = provider(Format::Messages).read(value)?;
    for (at, message) in messages.iter_mut().enumerate() {
        if message.role == Role::Tool || message.tool_calls().next().is_some() {
            let why = "an injection cannot contain tool calls or tool outputs; push such messages instead";
            return Err(Error::message_at(at, why));
        }
        if message.is_empty() {
            return Err(Error::message_at(at, "an injection cannot be empty; leave empty ones out"));
        }
        // An injection belongs to no turn and is not in the history, so nothing may refer to it.
        message.meta = Meta { item_type: Some(ItemType::Injection), ..Meta::default() }.into();
    }
    Ok(messages)
}

fn read_skills(value: &Value, keys: &Keys<'_>) -> Result<Vec<Skill>> {
    let list = match value {
        Value::Null => return Ok(Vec::new()),
        Value::Array(list) => list,
        _ => return Err(keys.error("skills", "expected a list of { name, description?, location? }")),
    };
    let read = |(at, skill): (usize, &Value)| {
        let place = format!("skills[{at}]");
        let mut of_skill = Keys::arguments(&place, skill)?;
        let name = of_skill.name("name")?.filter(|name| !name.trim().is_empty());
        let name = name.ok_or_else(|| of_skill.error("name", "expected a non-empty name"))?;
        let description = of_skill.or_null("description", Keys::string)?.flatten();
        let location = of_skill.or_null("location", Keys::string)?.flatten();
        of_skill.finish()?;
        Ok(Skill { name, description, location })
    };
    list.iter().enumerate().map(read).collect()
}

/// A tool definition's name, in any format. For a hosted tool without a name, its type.
pub fn tool_name(tool: &Value) -> &str {
    let function = ["function", "toolSpec"].iter().find_map(|key| tool.get(*key)).unwrap_or(tool);
    let named = ["name", "type"].iter().find_map(|key| function.get(*key)?.as_str());
    named.unwrap_or_default()
}

impl Session {
    /// Shows skills, memory and injections between the header and the conversation. The change was checked before and cannot fail here.
    pub fn set_context(&mut self, change: &ContextChange) {
        self.prompt.parts = change.applied_to(&self.prompt.parts);
        self.context.set_parts(self.prompt.parts.messages(), &change.named_types());
        self.drop_bound_thinking(&[]);
    }

    /// The messages that would be shown after a change, for a caller that has to count them first.
    pub fn context_messages(&self, change: &ContextChange) -> Vec<Message> {
        change.applied_to(&self.prompt.parts).messages()
    }

    /// Sets the tools that the model gets. Their definitions count in every view.
    pub fn set_tools(&mut self, tools: &[Value]) {
        self.set_tools_where(tools, |_| true);
    }

    /// Like [`Session::set_tools`], but gives the model only the tools whose positions are `allowed`.
    pub fn set_tools_where(&mut self, tools: &[Value], allowed: impl Fn(usize) -> bool) {
        let allowed: Vec<bool> = (0..tools.len()).map(allowed).collect();
        if tools == self.prompt.tools && allowed == self.prompt.allowed_tools {
            return;
        }
        self.prompt.tools = tools.to_vec();
        self.prompt.allowed_tools = allowed;
        self.context.view.set_tools(count_tools(&self.tools(), &*self.context.counter));
        self.update_wording();
        self.drop_bound_thinking(&[]);
        self.context.emit(EventName::PromptChanged, &[], "the tools".to_owned());
    }

    /// Chooses the words of placeholders: a document's words under its ladder; otherwise our own, which name refs if the model has
    /// the tool that opens them.
    pub(super) fn update_wording(&mut self) {
        self.context.wording = if self.config.ladder.is_documented() {
            Wording::Document
        } else {
            Wording::Descriptive { opens: self.tools().iter().any(|tool| tool_name(tool) == CACHE_TOOL) }
        };
    }

    /// All tools, including those that the filter hides from the model.
    pub fn all_tools(&self) -> &[Value] {
        &self.prompt.tools
    }

    /// The tools that the model gets.
    pub fn tools(&self) -> Vec<Value> {
        let given = self.prompt.tools.iter().zip(&self.prompt.allowed_tools).filter(|(_, allowed)| **allowed);
        given.map(|(tool, _)| tool.clone()).collect()
    }
}
