//! The tool outputs in the body that can still be trimmed.

use super::View;
use crate::context::slot::{Form, Slot};
use crate::message::Role;

impl View {
    /// Whether there is a tool output that may be trimmed.
    pub fn can_trim(&self) -> bool {
        self.outputs.len() > 1
    }

    /// Takes the oldest trimmable tool output before body position `until` off the list; never the newest output.
    pub fn oldest_output(&mut self, until: usize) -> Option<usize> {
        let is_one = self.outputs.len() > 1 && self.outputs.front().is_some_and(|at| *at < until);
        if is_one { self.outputs.pop_front() } else { None }
    }

    /// The body position at which the newest step begins. From there on, nothing was sent yet.
    pub fn newest_step(&self) -> usize {
        self.body.iter().rposition(|slot| slot.message.role == Role::Assistant).unwrap_or(0)
    }

    fn can_be_trimmed(slot: &Slot) -> bool {
        slot.message.role == Role::Tool && slot.form != Form::Placeholder
    }

    pub(super) fn add_trimmable(&mut self, at: usize) {
        if Self::can_be_trimmed(&self.body[at]) {
            self.outputs.push_back(at);
        }
    }

    /// Updates the list after `count` slots were inserted at body position `at`.
    pub(super) fn shift_trimmable(&mut self, at: usize, count: usize) {
        let behind = self.outputs.partition_point(|output| *output < at);
        for output in self.outputs.range_mut(behind..) {
            *output += count;
        }
        let entered = (at..at + count).filter(|at| Self::can_be_trimmed(&self.body[*at]));
        for (i, output) in entered.enumerate() {
            self.outputs.insert(behind + i, output);
        }
    }

    /// Finds the trimmable tool outputs again, from body position `at` on.
    pub(super) fn list_trimmable_from(&mut self, at: usize) {
        let before = self.outputs.partition_point(|output| *output < at);
        self.outputs.truncate(before);
        for at in at..self.body.len() {
            self.add_trimmable(at);
        }
    }

    /// Finds all trimmable tool outputs again.
    pub(in crate::context) fn list_trimmable(&mut self) {
        self.list_trimmable_from(0);
    }
}
