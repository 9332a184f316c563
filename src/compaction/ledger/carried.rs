use std::collections::BTreeMap;

use super::command::ran;
use super::open::Open;
use crate::compaction::facts::{LiteralKind, Strength, actions, constraints, literals, texts};
use crate::message::{ItemType, Message, Role};
use crate::saved::saved;

/// A longer sentence was pasted rather than said.
const LONGEST_SAID: usize = 600;

/// What the messages of a fold, and of all folds before it, hold that must not be lost.
///
/// Messages are added in order and once each, so that a compaction costs what is new since the one before it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Carried {
    /// Paths, URLs, ids and error codes.
    pub(super) literals: BTreeMap<String, Seen>,
    /// The user's constraints, word for word.
    pub(super) rules: BTreeMap<String, Rule>,
    /// Commands with what came of them: the latest of each kind.
    pub(super) commands: BTreeMap<String, Ran>,
    /// What is still to be done.
    pub(super) open: Open,
    /// Outputs that can be read again, by the number of their message.
    pub(super) outputs: BTreeMap<u64, Stored>,
    /// How many messages were read.
    clock: u64,
}

/// Where and how often a literal fact was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    pub kind: LiteralKind,
    pub count: u32,
    /// The number of the message in which it was seen last.
    pub last: u64,
    /// Someone spoke of it or acted on it; it did not only stand in an output.
    pub used: bool,
    /// The number of the output in which it stood last.
    pub output: Option<u64>,
}

/// How surely a sentence is a constraint, and when it was said last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    pub strength: Strength,
    /// It holds one of the defining words.
    pub explicit: bool,
    pub last: u64,
}

/// A command's line in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ran {
    pub line: String,
    pub failed: bool,
    pub last: u64,
}

/// An output in the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stored {
    pub ref_id: String,
    pub bytes: u64,
}

saved!(struct Carried { literals, rules, commands, open, outputs, clock });
saved!(struct Seen { kind, count, last, used, output });
saved!(struct Rule { strength, explicit, last });
saved!(struct Ran { line, failed, last });
saved!(struct Stored { ref_id, bytes });

impl Carried {
    /// Reads messages, in order, whole as they were pushed.
    pub fn add(&mut self, messages: &[Message]) {
        self.add_actions(messages);
        for message in messages {
            self.add_facts(message);
            self.open.read(message, &message.plain_text(), self.clock);
        }
    }

    /// Reads the facts of a message and the user's constraints in it, and nothing of what it did.
    pub(super) fn add_facts(&mut self, message: &Message) {
        self.clock += 1;
        let output = self.add_output(message);
        let used = message.role != Role::Tool;
        for text in texts(message) {
            for literal in literals(&text) {
                self.add_literal(literal.text, literal.kind, used, output);
            }
        }
        if message.role == Role::User && message.item_type() != ItemType::CompactionSummary {
            self.add_rules(&message.plain_text());
        }
    }

    /// Takes note of what came after: what it finished, ran again or answered is no longer as it was.
    pub(super) fn settle(&mut self, later: &[Message]) {
        for action in &actions(later) {
            self.open.act(action, self.clock);
            if let Some((key, _)) = ran(action, None, self.clock) {
                self.commands.remove(&key);
            }
        }
        for message in later {
            self.open.read(message, &message.plain_text(), self.clock);
        }
    }

    fn add_literal(&mut self, text: &str, kind: LiteralKind, used: bool, output: Option<u64>) {
        // Most words of a session are seen again and again: only a new one is copied.
        if !self.literals.contains_key(text) {
            let seen = Seen { kind, count: 0, last: 0, used: false, output: None };
            self.literals.insert(text.to_owned(), seen);
        }
        if let Some(seen) = self.literals.get_mut(text) {
            seen.count = seen.count.saturating_add(1);
            seen.last = self.clock;
            seen.used |= used;
            seen.output = output.or(seen.output);
        }
    }

    fn add_output(&mut self, message: &Message) -> Option<u64> {
        let output_ref = message.tool_outputs().find_map(|o| o.output_ref.as_ref())?;
        let bytes = output_ref.byte_size.unwrap_or(0);
        self.outputs.insert(self.clock, Stored { ref_id: output_ref.id.clone(), bytes });
        Some(self.clock)
    }

    fn add_rules(&mut self, said: &str) {
        for found in constraints(said) {
            let pasted = found.fenced || found.text.len() > LONGEST_SAID;
            let strength = if pasted { Strength::Mention } else { found.strength };
            let rule = Rule { strength, explicit: found.explicit, last: self.clock };
            self.rules.insert(found.text.to_owned(), rule);
        }
    }

    fn add_actions(&mut self, messages: &[Message]) {
        for action in &actions(messages) {
            let at = self.clock + action.at as u64 + 1;
            let answer = action.answered_at.and_then(|at| messages.get(at));
            let output_ref = answer.and_then(|m| m.tool_outputs().find_map(|o| o.output_ref.as_ref()));
            self.open.act(action, at);
            if let Some((key, ran)) = ran(action, output_ref.map(|r| r.id.as_str()), at) {
                self.commands.insert(key, ran);
            }
        }
    }
}
