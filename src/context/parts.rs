//! Context parts between the header and the conversation: skills, memory, injections (GRAPH-7).
//!
//! The history keeps them as nodes of the engine. No pass treats them as part of the conversation; a pass that drops a type
//! of item declares that (`Pass::drops_part`). They come before the history, as the document requires. So if memory changes,
//! only the header stays in the prompt cache, and `stable_prefix_tokens` reports that.

use std::sync::Arc;

use super::core::Context;
use super::event::EventName;
use super::node::{NodeIndex, NodeKind};
use super::slot::Slot;
use crate::message::{ItemType, Message};

const REPLACED: &str = "the caller replaced the context parts";

impl Context {
    /// Sets the context parts. Parts that are already there stay as they are; parts that a pass took out come back only if
    /// their type is among the `named`.
    pub fn set_parts(&mut self, messages: Vec<Message>, named: &[ItemType]) {
        let mut before: Vec<Slot> = self.view.parts().to_vec();
        let shown_before: Vec<NodeIndex> = before.iter().map(|slot| slot.node).collect();
        let mut hidden_before = std::mem::take(&mut self.view.hidden_parts);
        let (mut shown, mut hidden) = (Vec::new(), Vec::new());
        for message in messages {
            let same = |slot: &Slot| *slot.message == message;
            let is_named = named.contains(&message.item_type());
            let out = hidden_before.iter().position(same).filter(|_| !is_named);
            if let Some(at) = out {
                hidden.push(hidden_before.remove(at));
            } else if let Some(at) = before.iter().position(same) {
                shown.push(before.remove(at));
            } else {
                let tally = self.tally_of(&message);
                let node = self.history.append_engine_made(NodeKind::Part, Arc::new(message), tally);
                shown.push(Slot::whole(&self.history, node));
            }
        }
        for slot in before {
            self.note_left_out(slot.node, REPLACED, None);
        }
        self.view.hidden_parts = hidden;
        self.view.set_parts(shown);
        let mut now: Vec<NodeIndex> = self.view.parts().iter().map(|slot| slot.node).collect();
        if now != shown_before {
            now.retain(|node| !shown_before.contains(node));
            self.emit(EventName::PromptChanged, &now, "the parts of setContext".to_owned());
        }
    }

    /// The context parts of a type in the view, in order.
    pub fn parts_of(&self, item_type: ItemType) -> Vec<NodeIndex> {
        let of_type = |slot: &&Slot| slot.message.item_type() == item_type;
        self.view.parts().iter().filter(of_type).map(|slot| slot.node).collect()
    }

    /// Takes context parts out of the view, with a report line for each, until they are set again.
    pub fn drop_parts(&mut self, nodes: &[NodeIndex], why: &'static str) {
        if nodes.is_empty() {
            return;
        }
        let removed = |slot: &Slot| nodes.contains(&slot.node);
        let (hidden, stays) = self.view.parts().to_vec().into_iter().partition(removed);
        self.view.set_parts(stays);
        self.view.hidden_parts.append(&mut { hidden });
        self.note_removed(nodes, why);
    }
}
