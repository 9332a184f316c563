use std::sync::Arc;

use crate::context::Context;
use crate::message::Message;

/// How the views of a replay followed from one another: for each call what stands otherwise than in the call before. It is what
/// retention is measured by once the replay is done, and costs what the ladder edits, not what the calls send.
#[derive(Default)]
pub(super) struct Trail {
    /// The view as it stood when it was looked at last.
    shown: Vec<Arc<Message>>,
    before_body: usize,
    /// The version of the view at that time.
    version: u64,
    pub steps: Vec<Step>,
}

/// One call.
pub(super) struct Step {
    /// What was said before this answer is known by now.
    pub answer: usize,
    /// How many tool outputs were stored.
    pub outputs: usize,
    /// The view's length.
    pub len: usize,
    /// What stands at a position that something else stood at, or nothing.
    pub put: Vec<(usize, Arc<Message>)>,
}

impl Trail {
    /// Notes the view as it goes out before an answer.
    pub fn note(&mut self, context: &Context, answer: usize) {
        let view = &context.view;
        let (changes, before_body) = (view.changes(), view.before_body());
        let is_other = changes.is_header_other(self.version) || before_body != self.before_body;
        let from = match changes.since(self.version) {
            _ if is_other || self.steps.is_empty() => 0,
            Some(edited) => (before_body + edited).min(self.shown.len()),
            None => self.shown.len(),
        };
        let len = view.len();
        self.shown.truncate(len);
        let mut put = Vec::new();
        for at in from..len {
            let Some(slot) = view.slot(at) else { break };
            match self.shown.get_mut(at) {
                Some(there) if Arc::ptr_eq(there, &slot.message) => continue,
                Some(there) => *there = slot.message.clone(),
                None => self.shown.push(slot.message.clone()),
            }
            put.push((at, slot.message.clone()));
        }
        (self.version, self.before_body) = (changes.version(), before_body);
        self.steps.push(Step { answer, outputs: context.outputs.len(), len, put });
    }
}
