//! Calls that wait for their outputs. Thousands of parallel calls may wait, and their outputs come one by one.

use crate::context::node::{Node, NodeIndex};
use crate::context::renumbering::Renumbering;
use crate::error::Result;
use crate::hashing::HashMap;
use crate::message::{Message, Part, ToolCall};
use crate::saved::{Reader, Saved, Writer, saved};
use crate::sorted::SortedMap;

/// Of a call whose place in its message is not known.
const UNKNOWN: usize = usize::MAX;

/// A call that waits for its output.
#[derive(Debug, Clone, Copy)]
pub struct OpenCall {
    pub(super) caller: NodeIndex,
    /// Which part of the caller's message it was when it came.
    pub(super) at: usize,
    pub(super) stand_in: Option<NodeIndex>,
}

impl OpenCall {
    /// A call of this message.
    pub(super) const fn of(caller: NodeIndex) -> Self {
        Self { caller, at: UNKNOWN, stand_in: None }
    }

    /// The call with this id in its message.
    pub(super) fn find<'m>(&self, id: &str, caller: &'m Message) -> Option<&'m ToolCall> {
        match caller.parts.get(self.at) {
            Some(Part::ToolCall(call)) if call.id == id => Some(call),
            _ => caller.tool_calls().find(|call| call.id == id),
        }
    }

    /// The same call in a branch of the conversation; `None` if it was not made there.
    pub fn renumbered(self, new: &Renumbering) -> Option<Self> {
        let caller = new.of(self.caller)?;
        Some(Self { caller, stand_in: self.stand_in.and_then(|n| new.of(n)), ..self })
    }
}

saved!(struct OpenCall { caller, stand_in } fresh { at: UNKNOWN });

/// Waiting calls by their id.
#[derive(Debug, Clone, Default)]
pub struct OpenCalls(HashMap<String, OpenCall>);

impl OpenCalls {
    /// How many calls wait.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no call waits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The call with this id.
    pub fn get(&self, id: &str) -> Option<&OpenCall> {
        self.0.get(id)
    }

    /// The call with this id, to change it.
    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut OpenCall> {
        self.0.get_mut(id)
    }

    /// The call with this id waits from now on.
    pub(super) fn insert(&mut self, id: String, call: OpenCall) {
        self.0.insert(id, call);
    }

    /// The calls of a message wait from now on.
    pub(super) fn enter(&mut self, caller: NodeIndex, message: &Message) {
        for (at, call) in calls_of(message) {
            self.insert(call.id.clone(), OpenCall { at, ..OpenCall::of(caller) });
        }
    }

    /// The call with this id does not wait any more.
    pub(super) fn remove(&mut self, id: &str) -> Option<OpenCall> {
        self.0.remove(id)
    }

    /// Keeps the calls that `stays` accepts.
    pub(super) fn retain(&mut self, mut stays: impl FnMut(&OpenCall) -> bool) {
        self.0.retain(|_, call| stays(call));
    }

    /// All of them, in any order.
    pub fn iter(&self) -> impl Iterator<Item = (&String, &OpenCall)> {
        self.0.iter()
    }

    /// All of them, in the order of their ids.
    pub(super) fn in_order(&self) -> SortedMap<&String, &OpenCall> {
        self.0.iter().collect()
    }

    /// Finds each call in its message. False if one of them was never made.
    pub(super) fn find_all(&mut self, nodes: &[Node]) -> bool {
        let mut callers: Vec<NodeIndex> = self.0.values().map(|call| call.caller).collect();
        crate::sorting::sort(&mut callers);
        callers.dedup();
        self.0.values_mut().for_each(|call| call.at = UNKNOWN);
        for caller in callers {
            for (at, call) in calls_of(&nodes[caller.get()].message) {
                if let Some(known) = self.0.get_mut(&call.id).filter(|known| known.caller == caller) {
                    known.at = at;
                }
            }
        }
        self.0.values().all(|call| call.at != UNKNOWN)
    }
}

/// The calls of a message that wait for an output, each with its place among the parts.
fn calls_of(message: &Message) -> impl Iterator<Item = (usize, &ToolCall)> {
    message.parts.iter().enumerate().filter_map(|(at, part)| match part {
        Part::ToolCall(call) if !call.hosted => Some((at, &**call)),
        _ => None,
    })
}

impl FromIterator<(String, OpenCall)> for OpenCalls {
    fn from_iter<I: IntoIterator<Item = (String, OpenCall)>>(calls: I) -> Self {
        Self(calls.into_iter().collect())
    }
}

impl IntoIterator for OpenCalls {
    type Item = (String, OpenCall);
    type IntoIter = std::collections::hash_map::IntoIter<String, OpenCall>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Saved for OpenCalls {
    fn save<'s>(&'s self, out: &mut Writer<'s>) {
        out.count(self.len());
        for (id, call) in self.in_order() {
            id.save(out);
            call.save(out);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self> {
        Ok(SortedMap::load(from)?.into_iter().collect())
    }
}
