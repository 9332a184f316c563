use std::sync::Arc;

use crate::context::Context;
use crate::message::Message;

/// How the views of a replay differ from call to call. Retention is measured from this after the replay. Its cost depends on
/// what the ladder edits, not on what the calls send.
#[derive(Default)]
pub(super) struct Trail {
    /// The view as of the last call recorded.
    shown: Vec<Arc<Message>>,
    before_body: usize,
    /// The view's version at that time.
    version: u64,
    pub steps: Vec<Step>,
}

/// One call.
pub(super) struct Step {
    /// The index of the answer that follows; everything said before it is known by now.
    pub answer: usize,
    /// How many tool outputs were stored by now.
    pub outputs: usize,
    /// The view's length.
    pub len: usize,
    /// The positions whose message is new or different, with that message.
    pub put: Vec<(usize, Arc<Message>)>,
}

impl Trail {
    /// Records the view that is sent before an answer.
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
