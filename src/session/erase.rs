//! Erases a message for good, for example because a law requires it.

use super::background::Background;
use super::graph::SessionGraph;
use super::state::Session;
use crate::compaction::extractive::{self, ExtractiveOptions};
use crate::compaction::ledger::{self, AlreadyShown, Memo, Room};
use crate::context::{ERASED, NodeIndex};
use crate::error::Result;
use crate::message::{Message, Role};

/// The least that a summary may take, in tokens.
const MIN_SUMMARY_TOKENS: u64 = 64;

/// Added to a summary that was rewritten because of an erasure.
const REWRITTEN_NOTE: &str = "(A message that this stood for was erased; this was written anew without it.)";

impl Session {
    /// Erases the content of a message from the history, the view, the tool output cache and the summaries made of it. The built-in
    /// summariser rewrites those summaries. Runs that wait for a summary become stale. Tool calls keep their ids and outputs, so that the view stays valid. Returns the ids of the
    /// rewritten folds.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an unknown id and for a message that the engine wrote; `GRAPH_CONSTRAINT` for part of a run of a
    /// provider's own tool. Nothing has changed then.
    pub fn erase(&mut self, id: &str) -> Result<Vec<String>> {
        let index = self.context.history.require(id)?;
        self.context.check_erase(index)?;
        self.context.erase(index);
        let folds = self.context.folds_made_of(index);
        self.carried = Memo::default();
        self.context.extract_all_facts();
        // Innermost first, because outer folds include inner ones. `REWRITTEN_NOTE` is added at the end, or it would be summarised, too.
        let mut anew = Vec::new();
        for summary in &folds {
            let text = self.rewritten_summary(*summary);
            let ledger = self.rewritten_ledger(*summary, &text);
            self.context.rewrite_summary(*summary, if text.is_empty() { ERASED } else { &text });
            anew.push((*summary, text, ledger));
        }
        for (summary, text, ledger) in anew {
            let whole: Vec<String> = [Some(text), Some(REWRITTEN_NOTE.to_owned()), ledger]
                .into_iter()
                .flatten()
                .filter(|t| !t.is_empty())
                .collect();
            self.context.rewrite_summary(summary, &whole.join("\n\n"));
        }
        self.background = Background::default();
        self.graph_so_far = SessionGraph::default();
        self.usage = None;
        self.drop_bound_thinking(&[]);
        self.after_edit();
        self.stale_before = self.revision;
        self.restart_journal();
        Ok(self.context.ids(&folds))
    }

    /// The built-in summariser's summary of a fold's members.
    fn rewritten_summary(&self, summary: NodeIndex) -> String {
        let fold = self.context.folds.iter().find(|fold| fold.summary == summary);
        let members = fold.into_iter().flat_map(|fold| &fold.members);
        // A message that cannot be redacted is left out.
        let whole = |node: &NodeIndex| {
            let message = &self.context.history.node(*node).message;
            self.redact.as_ref().map_or_else(|| Some(Message::clone(message)), |r| r.message(message).ok())
        };
        let folded: Vec<Message> = members.filter_map(whole).collect();
        let tally = self.context.history.node(summary).tally;
        let options = ExtractiveOptions {
            max_tokens: (tally.total() - tally.ledger()).max(MIN_SUMMARY_TOKENS),
            refs: self.context.wording.names_refs(),
        };
        let text = extractive::summarize(&folded, &*self.context.counter, options);
        text.trim().trim_start_matches("<summary>").trim_end_matches("</summary>").trim().to_owned()
    }

    /// The ledger of a fold's members, at most as large as before. The user's rules stay, except an erased one. `None` if texts cannot
    /// be redacted.
    fn rewritten_ledger(&self, summary: NodeIndex, text: &str) -> Option<String> {
        let tokens = self.context.history.node(summary).tally.ledger();
        let fold = self.context.folds.iter().find(|fold| fold.summary == summary).filter(|_| tokens > 0)?;
        let mut carried = self.carried.of(&self.context, &fold.members, self.redact.as_ref()).ok()?;
        if !self.context.wording.names_refs() {
            carried.remove_refs();
        }
        let rewritten = Message::text(Role::User, text);
        let room = Room { all: tokens, rules: tokens, facts: tokens, shared: tokens };
        let (ledger, _) =
            ledger::write(&carried, &AlreadyShown::of([&rewritten]), room, &*self.context.counter);
        ledger.map(|(ledger, _)| ledger)
    }
}
