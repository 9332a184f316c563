use std::collections::BTreeMap;

use crate::facts::{CallNote, Notes};
use crate::message::{ItemType, Message, Role};
use crate::saved::saved;
use crate::sorting::sort_by_key;

/// What a conversation has left open, going by its to-do lists, boxes and last question: what somebody wrote down as
/// open and nobody ticked since.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Open {
    /// The newest list of a plan tool: a later one replaces it.
    plan: Vec<String>,
    /// Unticked boxes, and when they were written.
    boxes: BTreeMap<String, u64>,
    /// What the assistant asked last, until the user speaks again.
    question: Option<String>,
}

saved!(struct Open { plan, boxes, question });

impl Open {
    /// Reads what a message says.
    pub fn read(&mut self, message: &Message, notes: Option<&Notes>, at: u64) {
        match message.role {
            Role::User if message.item_type() == ItemType::UserMessage => self.question = None,
            Role::Assistant if message.tool_calls().next().is_none() => {
                self.question = notes.and_then(|notes| notes.question.clone());
            }
            _ => {}
        }
        if let Some(notes) = notes {
            self.tick(&notes.boxes, at);
        }
    }

    /// Reads the arguments of a call: plans, and boxes in files that are written.
    pub fn act(&mut self, call: &CallNote, at: u64) {
        if let Some(plan) = &call.plan {
            self.plan.clone_from(plan);
        }
        self.tick(&call.boxes, at);
    }

    fn tick(&mut self, boxes: &[(String, bool)], at: u64) {
        for (line, done) in boxes {
            if *done {
                self.boxes.remove(line);
            } else {
                self.boxes.insert(line.clone(), at);
            }
        }
    }

    /// What is open, most urgent first.
    pub fn lines(&self) -> Vec<String> {
        let question = self.question.iter().map(|q| format!("Asked the user: {q}"));
        let mut boxes: Vec<(&String, &u64)> = self.boxes.iter().collect();
        sort_by_key(&mut boxes, |(_, at)| std::cmp::Reverse(**at));
        question.chain(self.plan.iter().cloned()).chain(boxes.into_iter().map(|(b, _)| b.clone())).collect()
    }
}
