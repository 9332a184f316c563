//! Checks messages before they enter the history.

use super::History;
use crate::context::node::NodeIndex;
use crate::error::{Error, Result};
use crate::hashing::{HashMap, HashSet};
use crate::message::{Message, Part, Role, ToolCall};

impl History {
    /// Refuses messages that would make the history invalid; changes nothing (PROV-5). The ids of `replaced` nodes count as
    /// free.
    pub fn check<'m>(&'m self, messages: &'m [Message], replaced: &[NodeIndex]) -> Result<()> {
        let mut opened: HashMap<&str, Option<&'m ToolCall>> = HashMap::default(); // `None` once it is answered
        let mut ids: HashMap<&str, usize> = HashMap::default();
        let stored: HashSet<String> = self.stored_calls(messages).into_iter().map(|(_, id)| id).collect();
        for (i, message) in messages.iter().enumerate() {
            if let Some(id) = &message.meta.id {
                if id.is_empty() {
                    return Err(Error::message_at(i, "its id is empty; leave it out to get a generated one"));
                }
                let holds = |index: NodeIndex| !replaced.contains(&index) && !self.is_superseded(index);
                let taken = self.find(id).is_some_and(holds);
                if taken || ids.insert(id, i).is_some() {
                    return Err(Error::message_at(
                        i,
                        format!("the id `{id}` is taken; ids are unique in a session"),
                    ));
                }
            }
            let waiting = |opened: &HashMap<&str, Option<&'m ToolCall>>, id: &str| {
                opened.get(id).copied().unwrap_or_else(|| self.waiting_call(id))
            };
            for call in message.tool_calls().filter(|c| !c.hosted) {
                if message.role != Role::Assistant {
                    return Err(Error::message_at(i, "only an assistant message can carry tool calls"));
                }
                if waiting(&opened, &call.id).is_some() {
                    let id = &call.id;
                    return Err(Error::message_at(
                        i,
                        format!(
                            "the tool call id `{id}` belongs to a call that is still waiting for its output; give each call its own id"
                        ),
                    ));
                }
                opened.insert(&call.id, Some(call));
            }
            let outputs = message.tool_outputs().count();
            if outputs != usize::from(message.role == Role::Tool) {
                return Err(Error::message_at(
                    i,
                    "a tool message holds exactly one tool output, and no other message holds any",
                ));
            }
            for output in message.tool_outputs() {
                if output.content.iter().any(|p| matches!(p, Part::ToolCall(_) | Part::ToolOutput(_))) {
                    return Err(Error::message_at(
                        i,
                        "a tool output cannot contain tool calls or tool outputs",
                    ));
                }
                let id = &output.call_id;
                let Some(call) = waiting(&opened, id) else {
                    if stored.contains(id) && opened.insert(id, None).is_none() {
                        continue;
                    }
                    return Err(Error::message_at(
                        i,
                        format!(
                            "the tool output for call `{id}` follows no open tool call; push the assistant message with that call first, or leave the output out"
                        ),
                    ));
                };
                if call.asks_for_approval() && output.decision().is_empty() {
                    return Err(Error::message_at(
                        i,
                        format!(
                            "`{id}` asks for an approval, and a tool message neither approves nor denies: push the item `mcp_approval_response` instead, with `pushFrom(\"openai-responses\", …)`"
                        ),
                    ));
                }
                opened.insert(id, None);
            }
        }
        Ok(())
    }
}
