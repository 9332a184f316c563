//! The facts of a tool output whose text left memory.

use super::literal::each_literal;
use super::notes::CommandOutcome;
use super::{LiteralKind, texts};
use crate::hashing::HashMap;
use crate::message::Message;
use crate::saved::saved;

/// The facts extracted from a message before its text left memory, so that later folds get the same result without the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptFacts {
    /// Its literal facts, each once, in the order of their first occurrence.
    pub(super) literals: Vec<KeptLiteral>,
    /// The outcome of the command that it answers.
    pub(super) answer: Option<CommandOutcome>,
}

/// A literal fact and the number of its occurrences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptLiteral {
    pub text: String,
    pub kind: LiteralKind,
    pub count: u32,
}

saved!(struct KeptFacts { literals, answer });
saved!(struct KeptLiteral { text, kind, count });

impl KeptFacts {
    /// The facts of a tool message. `prints_own_messages` is `None` unless it answers a command; see [`super::RunNote::prints_own_messages`].
    pub fn of(message: &Message, prints_own_messages: Option<bool>) -> Self {
        let mut places: HashMap<String, usize> = HashMap::default();
        let mut literals: Vec<KeptLiteral> = Vec::new();
        for text in texts(message) {
            each_literal(&text, &mut |found| {
                if let Some(at) = places.get(found.text) {
                    literals[*at].count = literals[*at].count.saturating_add(1);
                    return;
                }
                places.insert(found.text.to_owned(), literals.len());
                literals.push(KeptLiteral { text: found.text.to_owned(), kind: found.kind, count: 1 });
            });
        }
        let output = message.tool_outputs().next();
        let answer = output
            .zip(prints_own_messages)
            .map(|(output, prints_own_messages)| CommandOutcome::of(message, output, prints_own_messages));
        Self { literals, answer }
    }
}
