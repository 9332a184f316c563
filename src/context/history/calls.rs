//! Calls that wait for their outputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::History;
use crate::context::branch::Renumbering;
use crate::context::node::{NodeIndex, NodeKind};
use crate::context::tally::Tally;
use crate::message::Message;
use crate::saved::saved;

/// A call that waits for its output.
#[derive(Debug, Clone, Copy)]
pub struct OpenCall {
    pub(super) caller: NodeIndex,
    pub(super) stand_in: Option<NodeIndex>,
}

impl OpenCall {
    /// The same call in a branch of the conversation; `None` if it was not made there.
    pub fn renumbered(self, new: &Renumbering) -> Option<Self> {
        let caller = new.of(self.caller)?;
        Some(Self { caller, stand_in: self.stand_in.and_then(|n| new.of(n)) })
    }
}

saved!(struct OpenCall { caller, stand_in });

/// Waiting calls by their id.
pub type OpenCalls = BTreeMap<String, OpenCall>;

impl History {
    /// The node with the call `call_id`, if no output has answered it yet.
    pub fn open_call(&self, call_id: &str) -> Option<NodeIndex> {
        self.open_calls.get(call_id).map(|c| c.caller)
    }

    /// The calls that wait for an output.
    pub fn open_calls(&self) -> &OpenCalls {
        &self.open_calls
    }

    /// Whether a call still waits for its output.
    pub fn has_open_calls(&self) -> bool {
        !self.open_calls.is_empty()
    }

    /// The calls that neither an output nor a stand-in answers, with the nodes that made them.
    pub fn unanswered(&self) -> Vec<(String, NodeIndex)> {
        let waiting = self.open_calls.iter().filter(|(_, c)| c.stand_in.is_none());
        waiting.map(|(id, c)| (id.clone(), c.caller)).collect()
    }

    /// Removes and returns the stand-in of an open call whose output is entering.
    pub fn take_stand_in(&mut self, call_id: &str) -> Option<NodeIndex> {
        self.open_calls.get_mut(call_id).and_then(|c| c.stand_in.take())
    }

    /// Appends a stand-in for the output of `call_id`; the call stays open.
    pub fn append_stand_in(&mut self, call_id: &str, message: Arc<Message>, tally: Tally) -> NodeIndex {
        let open = self.open_calls.get(call_id).copied();
        let id = self.fresh_id("interrupted_");
        let index = self.insert(id, message, tally, NodeKind::StandIn);
        if let Some(open) = open {
            self.open_calls.insert(call_id.to_owned(), OpenCall { stand_in: Some(index), ..open });
        }
        index
    }
}
