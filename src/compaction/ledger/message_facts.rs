use std::borrow::Cow;

use crate::compaction::Redact;
use crate::context::{Context, NodeIndex, NodeKind};
use crate::error::Result;
use crate::facts::{CallNote, CallOutcome, ExtractedFacts, KeptFacts, Notes};
use crate::hashing::{HashMap, HashSet};
use crate::message::{Message, Role, ToolOutput};

/// Messages with their facts, in order.
pub struct MessageFacts<'a> {
    facts: Cow<'a, ExtractedFacts>,
    /// The messages, and the index of each in `facts`.
    messages: Vec<(&'a Message, usize)>,
    /// Indices of messages that have the user's role but were not written by the user.
    others: HashSet<usize>,
}

/// A call that matters to the ledger.
pub(super) struct NotedCall<'a> {
    /// What the ledger notes about it.
    pub note: &'a CallNote,
    /// The position of the call's message.
    pub at: usize,
    /// What came of it, and the message that holds it; `None` if no output answers it.
    pub answer: Option<(Cow<'a, CallOutcome>, &'a Message)>,
    /// Its output, and the message that holds it.
    pub output: Option<(&'a ToolOutput, &'a Message)>,
}

impl<'a> MessageFacts<'a> {
    /// Messages with facts that are already extracted and indexed, and each message's index in them.
    pub fn of(facts: Cow<'a, ExtractedFacts>, messages: Vec<(&'a Message, usize)>) -> Self {
        debug_assert!(facts.names.is_indexed());
        Self { facts, messages, others: HashSet::default() }
    }

    /// Extracts the facts of `messages`, using those that were `kept` where available.
    pub fn extract(messages: &'a [Message], kept: &[Option<&KeptFacts>]) -> Self {
        let mut facts = ExtractedFacts::default();
        for (at, message) in messages.iter().enumerate() {
            match kept.get(at).copied().flatten() {
                Some(kept) => facts.add_kept(message, kept),
                None => facts.add(message),
            }
        }
        facts.names.index();
        Self {
            facts: Cow::Owned(facts),
            messages: messages.iter().enumerate().map(|(at, m)| (m, at)).collect(),
            others: HashSet::default(),
        }
    }

    /// Marks the messages at these indices as not written by the user.
    #[must_use]
    pub(super) fn with_others(self, others: impl IntoIterator<Item = usize>) -> Self {
        Self { others: others.into_iter().collect(), ..self }
    }

    /// Whether the message at this index was written by the user.
    pub(super) fn is_users(&self, message: &Message, at: usize) -> bool {
        message.opens_turn() && !self.is_others(at)
    }

    /// Whether the message at this index has the user's role but was written by somebody else.
    pub(super) fn is_others(&self, at: usize) -> bool {
        self.others.contains(&at)
    }

    /// Only the marked messages.
    pub(super) fn only(&self, marked: &[bool]) -> MessageFacts<'_> {
        let messages = self.places().zip(marked).filter(|(_, marked)| **marked).map(|(place, _)| place);
        let others = self.others.clone();
        MessageFacts { facts: Cow::Borrowed(&self.facts), messages: messages.collect(), others }
    }

    /// Whether there are no messages.
    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The facts, possibly including those of other messages.
    pub(super) fn facts(&self) -> &ExtractedFacts {
        &self.facts
    }

    /// The messages, and the index of each in the facts.
    pub(super) fn places(&self) -> impl Iterator<Item = (&'a Message, usize)> {
        self.messages.iter().copied()
    }

    /// The messages, and their facts other than literals.
    pub(super) fn messages(&self) -> impl Iterator<Item = (&'a Message, Option<&Notes>)> {
        self.places().map(|(message, at)| (message, self.facts.notes(at)))
    }

    /// The calls that matter to the ledger, in order, with the outputs that answer them here.
    pub(super) fn actions(&self) -> Vec<NotedCall<'_>> {
        let mut calls: Vec<NotedCall<'_>> = Vec::new();
        // Calls waiting for an output. In most sessions few calls matter to the ledger.
        let mut open: HashMap<&str, usize> = HashMap::default();
        for (at, (message, notes)) in self.messages().enumerate() {
            if !open.is_empty() && message.role == Role::Tool {
                for output in message.tool_outputs() {
                    let Some(index) = open.remove(output.call_id.as_str()) else { continue };
                    calls[index].output = Some((output, message));
                    let Some(run) = &calls[index].note.run else { continue };
                    let known = notes.and_then(|notes| notes.answer.as_ref());
                    let answered = match known.filter(|known| known.output == run.output) {
                        Some(known) => Cow::Borrowed(known),
                        None => Cow::Owned(CallOutcome::of(message, output, run.output)),
                    };
                    calls[index].answer = Some((answered, message));
                }
            }
            let noted = notes.map_or(&[] as &[CallNote], |notes| &notes.calls);
            if noted.is_empty() && open.is_empty() {
                continue;
            }
            for (number, call) in message.tool_calls().enumerate() {
                open.remove(call.id.as_str());
                if let Ok(note) = noted.binary_search_by_key(&number, |note| note.at) {
                    let note = &noted[note];
                    open.insert(&call.id, calls.len());
                    calls.push(NotedCall { note, at, answer: None, output: None });
                }
            }
        }
        calls
    }
}

/// Reads messages, in full as they were pushed, with their facts; the facts of redacted texts are extracted again. Fails if `redact` does.
pub(super) fn with_redacted_facts(
    context: &Context,
    nodes: &[NodeIndex],
    redact: Option<&Redact>,
    read: impl FnOnce(&MessageFacts<'_>),
) -> Result<()> {
    let Some(redact) = redact else {
        read(&with_facts(context, nodes));
        return Ok(());
    };
    let messages = nodes.iter().map(|n| redact.message(&context.history.node(*n).message));
    let kept = nodes.iter().map(|n| context.history.redacted_facts_of_away(*n));
    let messages = messages.collect::<Result<Vec<_>>>()?;
    let others = nodes.iter().enumerate().filter(|(_, n)| is_others(context, **n)).map(|(at, _)| at);
    read(&MessageFacts::extract(&messages, &kept.collect::<Vec<_>>()).with_others(others));
    Ok(())
}

/// Messages, in full as they were pushed, with their facts.
pub(super) fn with_facts<'a>(context: &'a Context, nodes: &[NodeIndex]) -> MessageFacts<'a> {
    let message = |n: &NodeIndex| (&*context.history.node(*n).message, n.get());
    let read = MessageFacts::of(context.facts(), nodes.iter().map(message).collect());
    read.with_others(nodes.iter().filter(|n| is_others(context, **n)).map(|n| n.get()))
}

/// Whether a message is not the user's, whatever its role: a result of a branch, or a summary that was written here.
fn is_others(context: &Context, node: NodeIndex) -> bool {
    context.history.node(node).kind == NodeKind::Summary || context.results.contains(&node)
}
