use std::collections::BTreeMap;

use super::open::Open;
use super::read::Read;
use crate::facts::{LiteralKind, Strength};
use crate::message::{Message, Role};
use crate::saved::saved;

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
    pub fn add(&mut self, read: &Read<'_>) {
        self.add_actions(read);
        self.add_all(read, true);
    }

    /// Reads the facts of messages and the user's constraints in them, and nothing of what they did.
    pub(super) fn add_facts(&mut self, read: &Read<'_>) {
        self.add_all(read, false);
    }

    /// Takes note of what came after: what it finished, ran again or answered is no longer as it was.
    pub(super) fn settle(&mut self, later: &Read<'_>) {
        for action in later.actions() {
            self.open.act(action.note, self.clock);
            if let Some(run) = action.note.run.as_ref().filter(|_| action.answer.is_some()) {
                self.commands.remove(&run.key);
            }
        }
        for (message, notes) in later.messages() {
            self.open.read(message, notes, self.clock);
        }
    }

    fn add_all(&mut self, read: &Read<'_>, open: bool) {
        let facts = read.facts();
        let mut seen = vec![UNSEEN; facts.names.len()];
        for (message, at) in read.places() {
            self.clock += 1;
            let output = self.add_output(message);
            let used = message.role != Role::Tool;
            for number in facts.literals(at) {
                let seen = &mut seen[*number as usize];
                seen.count = seen.count.saturating_add(1);
                seen.last = self.clock;
                seen.used |= used;
                seen.output = output.or(seen.output);
            }
            let notes = facts.notes(at);
            for said in notes.into_iter().flat_map(|notes| &notes.rules) {
                let rule = Rule { strength: said.strength, explicit: said.explicit, last: self.clock };
                self.rules.insert(said.text.clone(), rule);
            }
            if open {
                self.open.read(message, notes, self.clock);
            }
        }
        let numbered = seen.into_iter().enumerate().filter(|(_, seen)| seen.count > 0);
        let named = numbered.map(|(number, seen)| {
            let number = number as u32;
            (facts.names.text(number), Seen { kind: facts.names.kind(number), ..seen })
        });
        if self.literals.is_empty() {
            self.literals = named.map(|(text, seen)| (text.to_owned(), seen)).collect();
            return;
        }
        for (text, new) in named {
            match self.literals.get_mut(text) {
                Some(seen) => seen.and_then(new),
                None => {
                    self.literals.insert(text.to_owned(), new);
                }
            }
        }
    }

    fn add_output(&mut self, message: &Message) -> Option<u64> {
        if message.role != Role::Tool {
            return None;
        }
        let output_ref = message.tool_outputs().find_map(|o| o.output_ref.as_ref())?;
        let bytes = output_ref.byte_size.unwrap_or(0);
        self.outputs.insert(self.clock, Stored { ref_id: output_ref.id.clone(), bytes });
        Some(self.clock)
    }

    fn add_actions(&mut self, read: &Read<'_>) {
        for action in read.actions() {
            let at = self.clock + action.at as u64 + 1;
            self.open.act(action.note, at);
            let Some((run, answer)) = action.note.run.as_ref().zip(action.answer) else { continue };
            let (answered, message) = answer;
            let output_ref = message.tool_outputs().find_map(|o| o.output_ref.as_ref());
            let by_ref = output_ref.map_or_else(String::new, |r| format!(" ({})", r.id));
            let line = format!("{}{}{by_ref}", run.head, answered.tail);
            self.commands.insert(run.key.clone(), Ran { line, failed: answered.failed, last: at });
        }
    }
}

/// A fact before it was seen.
const UNSEEN: Seen = Seen { kind: LiteralKind::Path, count: 0, last: 0, used: false, output: None };

impl Seen {
    /// It was seen again, so often and there.
    fn and_then(&mut self, later: Self) {
        self.count = self.count.saturating_add(later.count);
        self.last = later.last;
        self.used |= later.used;
        self.output = later.output.or(self.output);
    }
}
