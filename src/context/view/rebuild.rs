//! Rebuilds a view after its nodes were renumbered, or counted by another counter.

use std::sync::Arc;

use super::View;
use super::ephemeral::Ephemeral;
use super::sums::Sums;
use crate::context::node::NodeIndex;
use crate::context::renumbering::Renumbering;
use crate::context::slot::Slot;
use crate::context::tally::Tally;
use crate::message::Message;

impl View {
    /// Every slot: those in the view, and those stored for when they come back.
    pub(in crate::context) fn all_slots(&self) -> impl Iterator<Item = &Slot> {
        let kept = self.hidden_parts.iter().chain(self.dropped.values()).chain(self.pruned.values());
        self.slots().chain(kept)
    }

    fn all_slots_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        let shown = self.header.iter_mut().chain(&mut self.parts).chain(self.body.iter_mut());
        let kept = self.hidden_parts.iter_mut().chain(self.dropped.values_mut());
        shown.chain(kept).chain(self.pruned.values_mut())
    }

    /// Replaces messages whose metadata or ids changed, in every slot: `now` returns the new message.
    pub(in crate::context) fn show_all_renewed(&mut self, now: &impl Fn(&Slot) -> Option<Arc<Message>>) {
        let first = self.body.iter().position(|slot| now(slot).is_some());
        if let Some(first) = first {
            self.before_edit_in_body(first);
            self.changed_from = Some(self.changed_from.map_or(first, |from| from.min(first)));
            self.changes.edit(first);
            let body = self.body.iter_mut().skip(first);
            body.for_each(|slot| slot.message = now(slot).unwrap_or_else(|| slot.message.clone()));
        }
        for slot in self.dropped.values_mut().chain(self.pruned.values_mut()) {
            slot.message = now(slot).unwrap_or_else(|| slot.message.clone());
        }
    }

    /// Counts every slot again, and sets the tokens of the tool definitions if `tools` is given. What is sent stays the
    /// same.
    pub(in crate::context) fn recount(&mut self, tools: Option<u64>, count: impl Fn(&Slot) -> Tally) {
        self.before_edit(0);
        self.tools = tools.unwrap_or(self.tools);
        for slot in self.all_slots_mut() {
            slot.tally = count(slot);
        }
        self.sums = Sums::over(self.slots());
        self.dropped_tokens = self.dropped.values().map(Slot::tokens).sum();
        let marked = self.marked_body.min(self.body.len());
        self.marked_tokens = self.fixed_tokens() + self.body[..marked].iter().map(Slot::tokens).sum::<u64>();
        self.list_trimmable();
    }

    /// Gives every node its number in a branch of the conversation. Every node of the view has one.
    pub(in crate::context) fn renumber(&mut self, new: &Renumbering) {
        self.before_edit(0);
        let own = |node: NodeIndex| new.of(node).unwrap_or(node);
        self.pruned.retain(|node, _| new.of(*node).is_some());
        for slot in self.all_slots_mut() {
            slot.node = own(slot.node);
        }
        for node in self.order.iter_mut().chain(&mut self.merged) {
            *node = own(*node);
        }
        for slots in [&mut self.dropped, &mut self.pruned] {
            *slots = std::mem::take(slots).into_values().map(|slot| (slot.node, slot)).collect();
        }
        self.ephemeral = Ephemeral::default();
        for slot in self.body.iter() {
            self.ephemeral.enter(slot);
        }
    }
}
