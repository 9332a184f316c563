//! Messages whose output is in the host's store: a placeholder replaces it in the history.

use std::sync::Arc;

use super::History;
use crate::context::node::NodeIndex;
use crate::context::tally::Tally;
use crate::facts::KeptFacts;
use crate::message::Message;
use crate::saved::saved;

/// What is kept of a message whose output is not in memory.
#[derive(Debug, Clone)]
pub(super) struct Away {
    /// Its tokens when it was pushed.
    pushed: Tally,
    /// Its facts; `None` if a version that did not keep them moved the output.
    facts: Option<KeptFacts>,
    /// The facts of its redacted texts, if texts are redacted.
    redacted: Option<KeptFacts>,
}

saved!(struct Away { pushed, facts, redacted });

impl History {
    /// Whether a message's output is in the host's store and a placeholder replaces it here.
    pub fn is_away(&self, index: NodeIndex) -> bool {
        self.away.contains_key(&index)
    }

    /// A message's tokens when it was pushed.
    pub fn tally_as_pushed(&self, index: NodeIndex) -> Tally {
        self.away.get(&index).map_or(self.node(index).tally, |away| away.pushed)
    }

    /// The facts of a message whose output is in the host's store, as they were when it was moved there.
    pub fn facts_of_away(&self, index: NodeIndex) -> Option<&KeptFacts> {
        self.away.get(&index)?.facts.as_ref()
    }

    /// The same for its redacted texts.
    pub fn redacted_facts_of_away(&self, index: NodeIndex) -> Option<&KeptFacts> {
        self.away.get(&index)?.redacted.as_ref()
    }

    /// Forgets the facts of redacted texts, because the redaction changed.
    pub fn forget_redacted_facts(&mut self) {
        self.touched.extend(self.away.keys().copied());
        for away in self.away.values_mut() {
            away.redacted = None;
        }
    }

    /// Scales the counts of outputs that are not in memory: what took `before` tokens takes `now` with the new counter.
    pub(super) fn recount_away(&mut self, before: u64, now: u64) {
        for away in self.away.values_mut() {
            away.pushed = away.pushed.scaled(now, before);
        }
    }

    /// Replaces a message's output with a placeholder, and keeps its facts.
    pub(in crate::context) fn send_away(
        &mut self,
        index: NodeIndex,
        message: Arc<Message>,
        tally: Tally,
        (facts, redacted): (KeptFacts, Option<KeptFacts>),
    ) {
        self.rewritten.insert(index);
        let node = &mut self.nodes[index.get()];
        node.message = message;
        let pushed = std::mem::replace(&mut node.tally, tally);
        self.away.or_insert(index, Box::new(Away { pushed, facts: Some(facts), redacted }));
    }

    /// Puts a message's output back. Returns whether its facts were kept.
    pub(in crate::context) fn bring_back(
        &mut self,
        index: NodeIndex,
        message: Arc<Message>,
        tally: Tally,
    ) -> bool {
        let before = self.pushed_tokens_of(index);
        let Some(away) = self.away.remove(&index) else { return true };
        self.rewritten.insert(index);
        let node = &mut self.nodes[index.get()];
        (node.message, node.tally) = (message, tally);
        self.pushed_tokens = self.pushed_tokens - before + self.pushed_tokens_of(index);
        away.facts.is_some()
    }
}
