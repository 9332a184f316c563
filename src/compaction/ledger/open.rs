use std::collections::BTreeMap;

use crate::compaction::facts::{Action, asks, checkboxes, todos};
use crate::compaction::shorten;
use crate::message::{ItemType, Message, Role};
use crate::saved::saved;
use crate::sorting::sort_by_key;

const LONGEST: usize = 300;

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
    pub fn read(&mut self, message: &Message, said: &str, at: u64) {
        match message.role {
            Role::User if message.item_type() == ItemType::UserMessage => self.question = None,
            Role::Assistant if message.tool_calls().next().is_none() => {
                self.question = asks(said).map(|q| shorten::line(q, LONGEST));
            }
            _ => {}
        }
        if matches!(message.role, Role::User | Role::Assistant) {
            self.tick(said, at);
        }
    }

    /// Reads the arguments of a call: plans, and boxes in files that are written.
    pub fn act(&mut self, action: &Action<'_>, at: u64) {
        if let Some(list) = todos(&action.args) {
            self.plan =
                list.into_iter().filter(|t| !t.done).map(|t| shorten::line(&t.text, LONGEST)).collect();
        }
        for (name, value) in action.args.as_object().into_iter().flatten() {
            if let Some(text) = value.as_str().filter(|_| !name.to_ascii_lowercase().starts_with("old")) {
                self.tick(text, at);
            }
        }
    }

    fn tick(&mut self, text: &str, at: u64) {
        for found in checkboxes(text) {
            let line = shorten::line(found.text, LONGEST);
            if found.done {
                self.boxes.remove(&line);
            } else {
                self.boxes.insert(line, at);
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
