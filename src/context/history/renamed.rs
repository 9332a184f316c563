//! Calls that get other ids: the calling message and the output stay the same otherwise.

use std::sync::Arc;

use serde_json::Value;

use super::History;
use crate::context::node::{NodeIndex, NodeKind, NodeSet};
use crate::error::{Error, ErrorCode, Result};
use crate::hashing::{HashMap, HashSet};
use crate::message::{CallKind, Message, Part};
use crate::sorted::SortedMap;

/// A call with a new id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRenamed {
    /// The message that makes it.
    pub caller: NodeIndex,
    /// Its old id.
    pub before: String,
    /// Its new id.
    pub now: String,
}

/// The new ids of a message's calls and outputs, by the old ones.
type NewIds<'r> = HashMap<&'r str, &'r str>;

/// A message whose calls or output got new ids.
pub(in crate::context) struct MessageRenamed<'r> {
    before: Arc<Message>,
    now: Arc<Message>,
    ids: NewIds<'r>,
}

impl MessageRenamed<'_> {
    /// The message of a slot, whole or shortened, with the new ids.
    pub fn shown(&self, shown: &Arc<Message>) -> Arc<Message> {
        let is_whole = Arc::ptr_eq(shown, &self.before);
        if is_whole { self.now.clone() } else { Arc::new(with_new_ids(shown, &self.ids)) }
    }
}

impl History {
    /// Refuses ids under which two calls would wait at the same time, once the nodes in `leaves` are gone.
    ///
    /// # Errors
    /// `INVALID_MESSAGE`; nothing has changed.
    pub fn check_renamed(&self, renamed: &[CallRenamed], leaves: &NodeSet) -> Result<()> {
        if renamed.is_empty() {
            return Ok(());
        }
        let new_ids = self.new_ids(renamed);
        let mut waiting: HashSet<&str> = HashSet::default();
        for (index, node) in self.nodes_from(0) {
            if node.kind != NodeKind::Message || self.is_superseded(index) || leaves.contains(&index) {
                continue;
            }
            let now = |id| new_ids.get(&index).and_then(|ids| ids.get(id).copied()).unwrap_or(id);
            for output in node.message.tool_outputs() {
                waiting.remove(now(output.call_id.as_str()));
            }
            for call in node.message.tool_calls().filter(|call| !call.hosted) {
                let id = now(call.id.as_str());
                if !waiting.insert(id) {
                    let why = format!(
                        "the tool call id `{id}` belongs to another call that is still waiting for its output"
                    );
                    return Err(Error::new(ErrorCode::InvalidMessage, why));
                }
            }
        }
        Ok(())
    }

    /// Gives calls and their outputs their new ids. Returns the messages that have them.
    pub(in crate::context) fn rename_calls<'r>(
        &mut self,
        renamed: &'r [CallRenamed],
    ) -> SortedMap<NodeIndex, MessageRenamed<'r>> {
        let new_ids = self.new_ids(renamed);
        let waiting = std::mem::take(&mut self.open_calls).into_iter().map(|(id, call)| {
            let now = new_ids.get(&call.caller).and_then(|ids| ids.get(id.as_str()));
            (now.map_or(id, |now| (*now).to_owned()), call)
        });
        self.open_calls = waiting.collect();
        let renamed = new_ids.into_iter().map(|(index, ids)| {
            self.rewritten.insert(index);
            let message = &mut self.nodes[index.get()].message;
            let now = Arc::new(with_new_ids(message, &ids));
            let before = std::mem::replace(message, now.clone());
            (index, MessageRenamed { before, now, ids })
        });
        renamed.collect()
    }

    /// The messages that make these calls or answer them, each with its new ids.
    fn new_ids<'r>(&self, renamed: &'r [CallRenamed]) -> SortedMap<NodeIndex, NewIds<'r>> {
        let mut new_ids: SortedMap<NodeIndex, NewIds<'r>> = SortedMap::new();
        for call in renamed {
            new_ids.or_default(call.caller).insert(&call.before, &call.now);
        }
        let Some(first) = new_ids.keys().next().map(|first| first.get()) else { return new_ids };
        let mut answers = Vec::new();
        for (index, node) in self.nodes_from(first) {
            let Some(ids) = self.caller(index).and_then(|caller| new_ids.get(&caller)) else { continue };
            let answered = node.message.tool_outputs().find_map(|o| ids.get_key_value(o.call_id.as_str()));
            if let Some((before, now)) = answered {
                answers.push((index, NewIds::from_iter([(*before, *now)])));
            }
        }
        new_ids.extend(answers);
        new_ids
    }
}

/// The message with new ids for its calls and its output.
fn with_new_ids(message: &Message, ids: &NewIds<'_>) -> Message {
    let mut message = message.clone();
    for part in &mut message.parts {
        let id = match part {
            Part::ToolCall(call) if !call.hosted => &mut call.id,
            Part::ToolOutput(output) => &mut output.call_id,
            _ => continue,
        };
        let Some(now) = ids.get(id.as_str()) else { continue };
        let before = std::mem::replace(id, (*now).to_owned());
        if let Part::ToolCall(call) = part
            && let CallKind::Other { raw, .. } = &mut call.kind
        {
            let names_call = |key: &&&str| raw.get(**key).and_then(Value::as_str) == Some(&before);
            if let Some(key) = ["call_id", "id"].iter().find(names_call) {
                Arc::make_mut(raw)[*key] = Value::from(*now);
            }
        }
    }
    message
}
