//! A past that the caller wrote anew: what no longer holds leaves the view, and what follows is taken in behind the rest.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::core::Context;
use super::event::EventName;
use super::node::{NodeIndex, NodeKind};
use super::tally::Tally;
use super::view::{Form, Slot};
use crate::error::Result;
use crate::message::{Message, Part, Role, ToolOutputRef, steps};
use crate::tool_output;

const WHY: &str = "the caller rewrote the past from here on";

impl Context {
    /// Takes `gone` out of the view and `messages` in, all or none. The history keeps what is gone. A fold that stands for
    /// some of it is undone: the rest of it comes back. An output that was stored with what is gone keeps its ref.
    /// With `drops_bound_thinking`, what comes back loses the thinking that was bound to what stood before it.
    ///
    /// # Errors
    /// As [`Context::push`]; nothing has changed then.
    pub fn rewrite(
        &mut self,
        gone: &[NodeIndex],
        messages: Vec<Message>,
        drops_bound_thinking: bool,
    ) -> Result<Vec<NodeIndex>> {
        let before = self.history.supersede(gone);
        if let Err(error) = self.history.check(&messages, &[]) {
            self.history.reinstate(before);
            return Err(error);
        }
        let refs = self.refs_of(gone, &messages);
        self.take_out(gone);
        if drops_bound_thinking {
            self.drop_bound_thinking(&[]); // of what comes back; what enters was thought behind what stands now
        }
        let known = |mut message: Message| {
            for part in &mut message.parts {
                if let Part::ToolOutput(output) = part
                    && output.output_ref.is_none()
                {
                    output.output_ref = refs.get(&output.call_id).cloned();
                }
            }
            message
        };
        self.push(messages.into_iter().map(known).collect())
    }

    /// The refs of outputs that `messages` say again, by call id.
    fn refs_of(&self, gone: &[NodeIndex], messages: &[Message]) -> HashMap<String, ToolOutputRef> {
        let said: HashMap<&str, &[Part]> = messages
            .iter()
            .flat_map(Message::tool_outputs)
            .map(|o| (o.call_id.as_str(), o.content.as_slice()))
            .collect();
        let stored = gone.iter().flat_map(|n| self.history.node(*n).message.tool_outputs());
        stored
            .filter(|o| said.get(o.call_id.as_str()).is_some_and(|content| *content == o.content))
            .filter_map(|o| Some((o.call_id.clone(), o.output_ref.clone()?)))
            .collect()
    }

    fn take_out(&mut self, gone: &[NodeIndex]) {
        let mut out: HashSet<NodeIndex> = gone.iter().copied().collect();
        out.extend(self.stand_ins_of(gone));
        let undone = self.folds_over(&out);
        self.leave_header(&out);
        let mut body: Vec<Slot> = Vec::new();
        let mut back: Vec<NodeIndex> = Vec::new();
        for slot in self.view.body() {
            if let Some(members) = undone.get(&slot.node) {
                let rest = members.iter().filter(|n| !out.contains(n));
                back.extend(rest.clone());
                body.extend(rest.map(|n| self.slot_on_entry(*n)));
            } else if !out.contains(&slot.node) {
                body.push(slot.clone());
            }
        }
        let stood: HashSet<NodeIndex> = self.view.body().iter().map(|s| s.node).collect();
        for node in out.iter().filter(|n| !stood.contains(n)) {
            self.view.remove(*node);
        }
        let mut body = self.in_order(&body);
        let as_it_stood =
            |(old, new): &(&Slot, &Slot)| old.node == new.node && Arc::ptr_eq(&old.message, &new.message);
        let kept = self.view.body().iter().zip(&body).take_while(as_it_stood).count();
        self.view.replace_from(kept, body.split_off(kept));
        self.folds.retain(|fold| !undone.contains_key(&fold.summary));
        for node in undone.values().flatten() {
            self.history.set_folded_by(*node, None);
        }
        for node in gone {
            self.note_left_out(*node, WHY, None);
        }
        self.emit(EventName::ItemsRemoved, gone, WHY.to_owned());
        if !back.is_empty() {
            self.emit(EventName::Unfolded, &back, WHY.to_owned());
        }
    }

    /// What stands in for outputs of calls that are gone.
    fn stand_ins_of(&self, gone: &[NodeIndex]) -> Vec<NodeIndex> {
        let calls: HashSet<&str> = gone
            .iter()
            .flat_map(|n| self.history.node(*n).message.tool_calls())
            .map(|c| c.id.as_str())
            .collect();
        let from = gone.iter().map(|n| n.get()).min().unwrap_or(0);
        let nodes = self.history.nodes().iter().enumerate().skip(from);
        nodes
            .filter(|(_, n)| n.kind == NodeKind::StandIn)
            .filter(|(_, n)| n.message.tool_outputs().any(|o| calls.contains(o.call_id.as_str())))
            .map(|(i, _)| NodeIndex(i as u32))
            .collect()
    }

    /// What comes back for each of the messages of the folds that stand for some of `out`: all that the summary stood
    /// for, earlier summaries that still hold among it; nothing for what stands beside a summary.
    fn folds_over(&self, out: &HashSet<NodeIndex>) -> HashMap<NodeIndex, Vec<NodeIndex>> {
        let mut undone: HashMap<NodeIndex, Vec<NodeIndex>> = HashMap::new();
        for fold in &self.folds {
            if !fold.members.iter().any(|n| out.contains(n) || undone.contains_key(n)) {
                continue;
            }
            let mut members = Vec::with_capacity(fold.members.len());
            for member in &fold.members {
                match undone.get(member) {
                    Some(inner) => members.extend(inner.iter().copied()),
                    None => members.push(*member),
                }
            }
            // What stands with a summary entered right before it.
            let beside = (0..fold.summary.0).rev().map(NodeIndex).take_while(|n| {
                let node = self.history.node(*n);
                node.is_fold() && node.kind != NodeKind::Summary
            });
            let beside: Vec<NodeIndex> = beside.collect();
            undone.extend(beside.into_iter().map(|n| (n, Vec::new())));
            undone.insert(fold.summary, members);
        }
        undone
    }

    /// A node as it stands in the view when it enters.
    fn slot_on_entry(&self, index: NodeIndex) -> Slot {
        let mut slot = Slot::whole(&self.history, index);
        if slot.message.role != Role::Tool || self.history.node(index).pinned || !self.output_config.enabled {
            return slot;
        }
        let mut cut = None;
        for (at, part) in slot.message.parts.iter().enumerate() {
            if let Part::ToolOutput(output) = part
                && let Some(known) = &output.output_ref
                && let Some(content) = tool_output::view(&output.content, &self.output_config, &known.id)
            {
                let mut shorter = output.clone();
                shorter.content = content;
                cut.get_or_insert_with(|| Message::clone(&slot.message)).parts[at] =
                    Part::ToolOutput(shorter);
            }
        }
        if let Some(cut) = cut {
            slot.tally = Tally::of(&cut, &*self.counter);
            slot.message = cut.into();
            slot.form = Form::Cut;
        }
        slot
    }

    /// Steps in the order in which they happened, behind what folds put first.
    fn in_order(&self, body: &[Slot]) -> Vec<Slot> {
        let mut ranges: Vec<_> =
            steps(body.iter().map(|s| &*s.message)).into_iter().map(|s| s.range).collect();
        let happened = |slots: &[Slot]| {
            let own = |s: &&Slot| !self.history.node(s.node).is_fold();
            slots.iter().filter(own).map(|s| s.node.0 + 1).min().unwrap_or(0)
        };
        ranges.sort_by_key(|range| happened(&body[range.clone()]));
        ranges.into_iter().flat_map(|range| body[range].to_vec()).collect()
    }
}
