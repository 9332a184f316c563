use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::compaction::Redact;
use crate::context::{Context, NodeIndex};
use crate::error::Result;
use crate::facts::{Answered, CallNote, Drawn, Kept, Notes};
use crate::message::{Message, Role, ToolOutput};

/// Messages with their facts, in the order in which they are read.
pub struct Read<'a> {
    facts: Cow<'a, Drawn>,
    /// The messages, and where each was drawn.
    messages: Vec<(&'a Message, usize)>,
    /// Where those were drawn that have the user's role and say what somebody else said.
    others: HashSet<usize>,
}

/// A call that a ledger tells of.
pub(super) struct Told<'a> {
    /// What it tells.
    pub note: &'a CallNote,
    /// Where the call stands among the messages.
    pub at: usize,
    /// What came of its command, and the message that says so; `None` while no output answers it.
    pub answer: Option<(Cow<'a, Answered>, &'a Message)>,
    /// Its output, and the message that holds it.
    pub output: Option<(&'a ToolOutput, &'a Message)>,
}

impl<'a> Read<'a> {
    /// Messages whose facts are drawn and settled, and where each was drawn.
    pub fn drawn(facts: Cow<'a, Drawn>, messages: Vec<(&'a Message, usize)>) -> Self {
        debug_assert!(facts.names.is_settled());
        Self { facts, messages, others: HashSet::new() }
    }

    /// Messages whose facts are drawn here, but for those whose facts were `kept`.
    pub fn anew(messages: &'a [Message], kept: &[Option<&Kept>]) -> Self {
        let mut facts = Drawn::default();
        for (at, message) in messages.iter().enumerate() {
            match kept.get(at).copied().flatten() {
                Some(kept) => facts.draw_kept(message, kept),
                None => facts.draw(message),
            }
        }
        facts.names.settle();
        Self {
            facts: Cow::Owned(facts),
            messages: messages.iter().enumerate().map(|(at, m)| (m, at)).collect(),
            others: HashSet::new(),
        }
    }

    /// The same, those that were drawn there being nobody's word for the user's.
    #[must_use]
    pub(super) fn with_others(self, others: impl IntoIterator<Item = usize>) -> Self {
        Self { others: others.into_iter().collect(), ..self }
    }

    /// Whether a message that was drawn there is the user's own word.
    pub(super) fn is_users(&self, message: &Message, at: usize) -> bool {
        message.opens_turn() && !self.is_others(at)
    }

    /// Whether a message that was drawn there is the word of somebody else, in the user's role.
    pub(super) fn is_others(&self, at: usize) -> bool {
        self.others.contains(&at)
    }

    /// Those of the messages that are marked.
    pub(super) fn those(&self, marked: &[bool]) -> Read<'_> {
        let messages = self.places().zip(marked).filter(|(_, marked)| **marked).map(|(place, _)| place);
        let others = self.others.clone();
        Read { facts: Cow::Borrowed(&self.facts), messages: messages.collect(), others }
    }

    /// Of no message.
    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The facts, and those of other messages.
    pub(super) fn facts(&self) -> &Drawn {
        &self.facts
    }

    /// The messages, and where each was drawn.
    pub(super) fn places(&self) -> impl Iterator<Item = (&'a Message, usize)> {
        self.messages.iter().copied()
    }

    /// The messages, and what each says beside its literal facts.
    pub(super) fn messages(&self) -> impl Iterator<Item = (&'a Message, Option<&Notes>)> {
        self.places().map(|(message, at)| (message, self.facts.notes(at)))
    }

    /// The calls that a ledger tells of, in order, with the outputs that answer them here.
    pub(super) fn actions(&self) -> Vec<Told<'_>> {
        let mut told: Vec<Told<'_>> = Vec::new();
        // The calls that wait; most sessions' calls are none that a ledger tells of.
        let mut open: HashMap<&str, usize> = HashMap::new();
        for (at, (message, notes)) in self.messages().enumerate() {
            if !open.is_empty() && message.role == Role::Tool {
                for output in message.tool_outputs() {
                    let Some(index) = open.remove(output.call_id.as_str()) else { continue };
                    told[index].output = Some((output, message));
                    let Some(run) = &told[index].note.run else { continue };
                    let known = notes.and_then(|notes| notes.answer.as_ref());
                    let answered = match known.filter(|known| known.speaks == run.speaks) {
                        Some(known) => Cow::Borrowed(known),
                        None => Cow::Owned(Answered::of(message, output, run.speaks)),
                    };
                    told[index].answer = Some((answered, message));
                }
            }
            let noted = notes.map_or(&[] as &[CallNote], |notes| &notes.calls);
            if noted.is_empty() && open.is_empty() {
                continue;
            }
            for (number, call) in message.tool_calls().enumerate() {
                open.remove(call.id.as_str());
                if let Some(note) = noted.iter().find(|note| note.at == number) {
                    open.insert(&call.id, told.len());
                    told.push(Told { note, at, answer: None, output: None });
                }
            }
        }
        told
    }
}

/// Messages, whole as they were pushed, with their facts; those of redacted texts are drawn anew. Fails where `redact` does.
pub(super) fn reading(
    context: &Context,
    nodes: &[NodeIndex],
    redact: Option<&Redact>,
    read: impl FnOnce(&Read<'_>),
) -> Result<()> {
    let Some(redact) = redact else {
        read(&drawn(context, nodes));
        return Ok(());
    };
    let messages = nodes.iter().map(|n| redact.message(&context.history.node(*n).message));
    let kept = nodes.iter().map(|n| context.history.redacted_facts_of_away(*n));
    let messages = messages.collect::<Result<Vec<_>>>()?;
    let others = nodes.iter().enumerate().filter(|(_, n)| context.results.contains(n)).map(|(at, _)| at);
    read(&Read::anew(&messages, &kept.collect::<Vec<_>>()).with_others(others));
    Ok(())
}

/// Messages, whole as they were pushed, with their facts.
pub(super) fn drawn<'a>(context: &'a Context, nodes: &[NodeIndex]) -> Read<'a> {
    let message = |n: &NodeIndex| (&*context.history.node(*n).message, n.get());
    let read = Read::drawn(context.facts(), nodes.iter().map(message).collect());
    read.with_others(context.results.iter().map(NodeIndex::get))
}
