//! Pins: what stands verbatim in every view, whatever was done to it before.

use super::core::Context;
use super::event::EventName;
use super::node::NodeIndex;
use super::view::{Form, Slot};
use crate::message::{Step, steps};

impl Context {
    /// Pins or unpins a node. What is pinned stands verbatim from now on: what was cut of it comes back, and a folded
    /// message comes back with its step.
    pub fn set_pinned(&mut self, index: NodeIndex, pinned: bool) {
        self.history.set_pinned(index, pinned);
        if !pinned {
            self.view.watch_outputs(); // it may be trimmed again
            return;
        }
        self.restore_step(index);
        if let Some(at) = self.view.body().iter().position(|s| s.node == index) {
            if self.view.body()[at].form != Form::Whole {
                let node = self.history.node(index);
                let id = node.id.clone();
                self.view.replace(at, node.message.clone(), node.tally, Form::Whole);
                self.on_entry.forget(index);
                self.left_out.retain(|line| line.id != *id);
            }
        } else if let Some(summary) = self.history.node(index).folded_by {
            self.bring_back(index, summary);
        }
    }

    /// Takes the step of a folded node out of its fold and puts it back into the view, in the order of the history.
    fn bring_back(&mut self, index: NodeIndex, summary: NodeIndex) {
        let Some(fold) = self.folds.iter_mut().find(|f| f.summary == summary) else { return };
        let messages = fold.members.iter().map(|m| &*self.history.node(*m).message);
        let holds = |step: &Step| fold.members[step.range.clone()].contains(&index);
        let Some(step) = steps(messages).into_iter().find(holds) else { return };
        let back: Vec<NodeIndex> = fold.members.drain(step.range).collect();
        let Some(first) = back.iter().min().copied() else { return };
        let body = self.view.body();
        let later = |slot: &Slot| !self.history.node(slot.node).is_fold() && slot.node > first;
        let behind =
            steps(body.iter().map(|s| &*s.message)).into_iter().find(|step| later(&body[step.range.start]));
        let at = behind.map_or(body.len(), |step| step.range.start);
        let slots = back.iter().map(|n| Slot::whole(&self.history, *n)).collect();
        self.view.insert(at, slots);
        for node in &back {
            self.history.set_folded_by(*node, None);
        }
        self.emit(EventName::Unfolded, &back, "a message of the step was pinned".to_owned());
    }
}
