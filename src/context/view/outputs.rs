//! The tool outputs of the body that can still be trimmed.

use super::{Form, Slot, View};
use crate::message::Role;

impl View {
    /// Whether a tool output is left that may be trimmed.
    pub fn can_trim(&self) -> bool {
        self.outputs.len() > 1
    }

    /// The oldest tool output that can still be trimmed and stands before body position `until`; the newest never can.
    pub fn oldest_output(&mut self, until: usize) -> Option<usize> {
        let is_one = self.outputs.len() > 1 && self.outputs.front().is_some_and(|at| *at < until);
        if is_one { self.outputs.pop_front() } else { None }
    }

    /// The body position at which the newest step begins: what stands from there on was not sent yet.
    pub fn newest_step(&self) -> usize {
        self.body.iter().rposition(|slot| slot.message.role == Role::Assistant).unwrap_or(0)
    }

    fn can_be_trimmed(slot: &Slot) -> bool {
        slot.message.role == Role::Tool && slot.form != Form::Placeholder
    }

    pub(super) fn watch_output(&mut self, at: usize) {
        if Self::can_be_trimmed(&self.body[at]) {
            self.outputs.push_back(at);
        }
    }

    /// `count` slots were put in at body position `at`.
    pub(super) fn moved(&mut self, at: usize, count: usize) {
        let behind = self.outputs.partition_point(|output| *output < at);
        for output in self.outputs.range_mut(behind..) {
            *output += count;
        }
        let entered = (at..at + count).filter(|at| Self::can_be_trimmed(&self.body[*at]));
        for (i, output) in entered.enumerate() {
            self.outputs.insert(behind + i, output);
        }
    }

    /// Finds the tool outputs that can be trimmed anew, from body position `at` on.
    pub(super) fn watch_outputs_from(&mut self, at: usize) {
        let before = self.outputs.partition_point(|output| *output < at);
        self.outputs.truncate(before);
        for at in at..self.body.len() {
            self.watch_output(at);
        }
    }

    /// Finds the tool outputs that can be trimmed anew.
    pub(in crate::context) fn watch_outputs(&mut self) {
        self.watch_outputs_from(0);
    }
}
