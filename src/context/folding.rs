//! Folds messages into a summary.

use std::sync::Arc;

use super::core::Context;
use super::event::EventName;
use super::fold::{Fold, FoldMessages};
use super::node::{NodeIndex, NodeKind, NodeSet};
use super::slot::{PlacedSlot, Slot};
use crate::message::Message;

impl Context {
    /// Folds `members` into messages written by the engine, one of which is the summary. They come before everything else,
    /// or behind the folds that stay.
    pub fn fold(&mut self, members: Vec<NodeIndex>, messages: FoldMessages) -> NodeIndex {
        let set: NodeSet = members.iter().copied().collect();
        let tokens_folded = self.view.body().iter().filter(|s| set.contains(&s.node)).map(Slot::tokens).sum();
        let altered: Vec<PlacedSlot> = self.view.altered(&set).collect();
        let pointers = self.pointers.iter().filter(|(node, _)| set.contains(node)).copied().collect();
        let mut with = Vec::new();
        let mut add = |context: &mut Self, kind, message: Message| {
            let message = Arc::new(message);
            let tally = context.tally_of(&message);
            let index = context.history.append_engine_made(kind, message, tally);
            with.push(Slot::whole(&context.history, index));
            index
        };
        let retain = messages.retain.map(|message| add(self, NodeKind::Retain, message));
        let ask = messages.ask.map(|message| add(self, NodeKind::Ask, message));
        let summary = add(self, NodeKind::Summary, messages.summary);
        let stays = self.view.body().iter().map(|s| s.node).filter(|n| !set.contains(n));
        let earlier =
            stays.enumerate().filter(|(_, n)| messages.behind_earlier && self.history.node(*n).is_fold());
        let before = earlier.last().max(self.last_compacted(&set));
        let at = match before {
            Some((at, mut before)) => {
                for slot in &with {
                    self.history.record_inserted(slot.node, Some(before));
                    before = slot.node;
                }
                at + 1
            }
            None => 0,
        };
        self.view.fold(&set, with, at);
        let id = self.history.node(summary).id.clone();
        for member in &members {
            self.history.set_folded_by(*member, Some(summary));
            if self.history.node(*member).kind == NodeKind::Message {
                self.note_left_out(*member, "folded into a summary", Some(&id));
            }
        }
        self.emit(EventName::Folded, &members, format!("into {id}"));
        let created_at = self.now;
        let text = messages.text;
        self.folds_changed += 1;
        self.folds.push(Fold {
            members,
            summary,
            retain,
            ask,
            text,
            tokens_folded,
            created_at,
            altered,
            pointers,
        });
        summary
    }

    /// Lets the newest fold remember how messages beside it were shown before there was room for them because of it.
    pub fn remember_before_fold(&mut self, before: Vec<Slot>) {
        let Some(fold) = self.folds.last_mut() else { return };
        let known: NodeSet = fold.altered.iter().map(|placed| placed.slot.node).collect();
        let new = before.into_iter().filter(|slot| !known.contains(&slot.node));
        let count = fold.altered.len();
        fold.altered.extend(new.map(|slot| PlacedSlot { slot, shown: true }));
        self.folds_changed += u64::from(fold.altered.len() > count);
    }

    /// How many messages the newest fold remembers.
    pub fn remembered(&self) -> usize {
        self.folds.last().map_or(0, |fold| fold.altered.len())
    }

    /// Goes back to when it remembered so many.
    pub fn forget_after(&mut self, remembered: usize) {
        if let Some(fold) = self.folds.last_mut().filter(|fold| fold.altered.len() > remembered) {
            fold.altered.truncate(remembered);
            self.folds_changed += 1;
        }
    }
}
