//! The facts of a tool output whose text left memory.

use super::LiteralKind;
use super::id_field::each_literal_in;
use super::notes::{CallOutcome, OutputKind};
use crate::hashing::HashMap;
use crate::message::Message;
use crate::saved::saved;

/// The facts extracted from a message before its text left memory, so that later folds get the same result without the text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptFacts {
    /// Its literal facts, each once, in the order of their first occurrence.
    pub(super) literals: Vec<KeptLiteral>,
    /// What came of the call that it answers.
    pub(super) answer: Option<CallOutcome>,
}

/// A literal fact and the number of its occurrences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeptLiteral {
    pub text: String,
    pub kind: LiteralKind,
    pub count: u32,
    /// The name of the JSON field that first held it.
    pub field: Option<String>,
}

saved!(struct KeptFacts { literals, answer });
saved!(struct KeptLiteral { text, kind, count, field });

impl KeptFacts {
    /// The facts of a tool message. `kind` is that of the output, `None` if it answers a call that only looked.
    pub fn of(message: &Message, kind: Option<OutputKind>) -> Self {
        let mut places: HashMap<String, usize> = HashMap::default();
        let mut literals: Vec<KeptLiteral> = Vec::new();
        each_literal_in(message, &mut |found, field| {
            if let Some(at) = places.get(found.text) {
                let known = &mut literals[*at];
                known.count = known.count.saturating_add(1);
                if known.field.is_none() {
                    known.field = field.map(str::to_owned);
                }
                return;
            }
            let field = field.map(str::to_owned);
            places.insert(found.text.to_owned(), literals.len());
            literals.push(KeptLiteral { text: found.text.to_owned(), kind: found.kind, count: 1, field });
        });
        let output = message.tool_outputs().next();
        let answer = output.zip(kind).map(|(output, kind)| CallOutcome::of(message, output, kind));
        Self { literals, answer }
    }
}
