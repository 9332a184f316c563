//! A history that was read.

use super::History;
use super::ids::Ids;
use super::links::Links;
use super::open_calls::{OpenCall, OpenCalls};
use super::{compactions, reasons};
use crate::context::node::{Node, NodeIndex, NodeKind};
use crate::error::Result;
use crate::message::Role;
use crate::saved::{Kind, MAX_SAVED_NUMBER, saved};

saved!(place History { open_calls, generated, inserted } but {
    nodes, superseded, away, // as edits: see `NodeChange`
    ids, has_reasoning, compactions, links, pushed_tokens, // derived from the nodes
    reserved, // ids that have entered by now
    touched, rewritten, // since it was saved
});

impl History {
    /// Checks what was read, and derives the rest from the nodes from position `known` on; `waited` are the calls that wait
    /// before these.
    ///
    /// # Errors
    /// `SNAPSHOT_INVALID`.
    pub fn complete(&mut self, from: &Kind, known: usize, waited: &OpenCalls) -> Result<()> {
        if known == 0 {
            self.forget_what_follows();
        }
        let Self { nodes, ids, open_calls, generated, superseded, inserted, away, links, .. } = self;
        let new = &nodes[known..];
        let is_node = |n: &NodeIndex| n.get() < nodes.len();
        let named = nodes.iter().filter_map(|n| n.folded_by.as_ref());
        let calls = open_calls.iter().flat_map(|(_, c)| std::iter::once(&c.caller).chain(&c.stand_in));
        let is_whole = named
            .chain(calls)
            .chain(superseded.keys())
            .chain(away.keys())
            .chain(inserted.nodes())
            .all(is_node);
        from.require(is_whole, "it refers to a message that does not exist")?;
        // A summary can only be folded by a later one, so following `folded_by` always ends.
        let by_a_summary = |(at, node): (usize, &Node)| {
            let outer = |by: NodeIndex| node.kind != NodeKind::Summary || by.get() > at;
            node.folded_by.is_none_or(|by| nodes[by.get()].kind == NodeKind::Summary && outer(by))
        };
        from.require(
            nodes.iter().enumerate().all(by_a_summary),
            "a message is folded into something that is not its summary",
        )?;
        let waits = |(_, open): (&String, &OpenCall)| {
            let stands_in = |n: NodeIndex| n > open.caller && nodes[n.get()].kind == NodeKind::StandIn;
            nodes[open.caller.get()].kind == NodeKind::Message && open.stand_in.is_none_or(stands_in)
        };
        let are_made = open_calls.iter().all(waits) && open_calls.find_all(nodes);
        from.require(are_made, "an open tool call was never made")?;
        // Messages of the engine make no calls, and only stand-ins answer one.
        let is_own = |node: &Node| {
            let answers = node.message.role == Role::Tool;
            node.kind == NodeKind::Message
                || node.message.tool_calls().next().is_none() && answers == (node.kind == NodeKind::StandIn)
        };
        from.require(new.iter().all(is_own), "a message was not made by the engine")?;
        let left_later = superseded.iter().all(|(node, at)| node.get() < *at && *at <= nodes.len());
        from.require(left_later, "a message left the conversation before it came")?;
        from.require(*generated < MAX_SAVED_NUMBER, "its id counter is out of range")?;
        let waited = waited.iter().map(|(id, call)| (id.as_str(), call.caller));
        let open = links.catch_up(nodes, superseded, waited.collect());
        let waits = |(id, call): (&String, &OpenCall)| open.get(id.as_str()) == Some(&call.caller);
        let same = open.len() == open_calls.len() && open_calls.iter().all(waits);
        from.require(same, "its open tool calls do not match its messages")?;
        ids.catch_up(nodes, known);
        self.has_reasoning |= new.iter().any(|node| reasons(&node.message));
        self.compactions.extend(compactions(nodes, known));
        self.pushed_tokens = self.all_pushed_tokens();
        Ok(())
    }

    /// Resets everything that is derived from the nodes.
    fn forget_what_follows(&mut self) {
        self.links = Links::default();
        self.ids = Ids::default();
        self.has_reasoning = false;
        self.compactions.clear();
    }
}
