//! Messages whose output lives in the host's store: a placeholder stands for it in the history.

use std::sync::Arc;

use super::History;
use crate::context::node::NodeIndex;
use crate::context::tally::Tally;
use crate::facts::Kept;
use crate::message::Message;
use crate::saved::saved;

/// What is known of a message whose output is not here.
#[derive(Debug, Clone)]
pub(in crate::context) struct Away {
    /// What it took when it was pushed.
    pushed: Tally,
    /// Its facts; `None` where a version that did not keep them sent it away.
    facts: Option<Kept>,
    /// The facts of its redacted texts, where texts are redacted.
    redacted: Option<Kept>,
}

saved!(struct Away { pushed } since 2 { facts, redacted });

impl History {
    /// Whether a message's output lives in the host's store: a placeholder stands for it here.
    pub fn is_away(&self, index: NodeIndex) -> bool {
        self.away.contains_key(&index)
    }

    /// What a message took when it was pushed.
    pub fn tally_as_pushed(&self, index: NodeIndex) -> Tally {
        self.away.get(&index).map_or(self.node(index).tally, |away| away.pushed)
    }

    /// The facts of a message whose output lives in the host's store, as they were when it went there.
    pub fn facts_of_away(&self, index: NodeIndex) -> Option<&Kept> {
        self.away.get(&index)?.facts.as_ref()
    }

    /// The same of its redacted texts.
    pub fn redacted_facts_of_away(&self, index: NodeIndex) -> Option<&Kept> {
        self.away.get(&index)?.redacted.as_ref()
    }

    /// Texts are redacted otherwise from now on.
    pub fn forget_redacted_facts(&mut self) {
        self.touched.extend(self.away.keys().copied());
        for away in self.away.values_mut() {
            away.redacted = None;
        }
    }

    /// What took `before` tokens takes `now` by another counter: what is not here can only be reckoned.
    pub(super) fn recount_away(&mut self, before: u64, now: u64) {
        for away in self.away.values_mut() {
            away.pushed = away.pushed.scaled(now, before);
        }
    }

    /// A placeholder stands for a message's output from now on; its facts are kept.
    pub(in crate::context) fn send_away(
        &mut self,
        index: NodeIndex,
        message: Arc<Message>,
        tally: Tally,
        (facts, redacted): (Kept, Option<Kept>),
    ) {
        self.rewritten.insert(index);
        let node = &mut self.nodes[index.get()];
        node.message = message;
        let pushed = std::mem::replace(&mut node.tally, tally);
        self.away.entry(index).or_insert(Away { pushed, facts: Some(facts), redacted });
    }

    /// A message's output is in memory again. Whether its facts were kept all the time.
    pub(in crate::context) fn bring_back(
        &mut self,
        index: NodeIndex,
        message: Arc<Message>,
        tally: Tally,
    ) -> bool {
        let Some(away) = self.away.remove(&index) else { return true };
        self.rewritten.insert(index);
        let node = &mut self.nodes[index.get()];
        (node.message, node.tally) = (message, tally);
        away.facts.is_some()
    }
}
