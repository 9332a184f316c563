//! Erases a message for good, for example because the law demands it.

use super::background::Background;
use super::facade::Session;
use super::graph::Drawn;
use crate::compaction::extractive::{self, ExtractiveOptions};
use crate::compaction::ledger::{self, Memo, Room, Stays};
use crate::context::{ERASED, NodeIndex};
use crate::error::Result;
use crate::message::{Message, Role};

/// The least that a summary may take, in tokens.
const LEAST: u64 = 64;

/// What a summary says that was written anew.
const WRITTEN_ANEW: &str = "(A message that this stood for was erased; this was written anew without it.)";

impl Session {
    /// Erases what a message says: from the history, the view, the tool output cache, and from the summaries that were made of it,
    /// which the built-in summariser writes anew. Who called what stays, so that the view stays valid. The ids of the folds that
    /// were written anew.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an unknown id and for what the engine wrote; `GRAPH_CONSTRAINT` for a part of a run of a provider's own
    /// tool. Nothing has changed then.
    pub fn erase(&mut self, id: &str) -> Result<Vec<String>> {
        let index = self.context.history.require(id)?;
        self.context.check_erase(index)?;
        self.context.erase(index);
        let folds = self.context.folds_made_of(index);
        self.carried = Memo::default();
        self.context.draw_all_facts();
        // The innermost first: the others are made of it. That one was written anew is told once all are, or it would be summed up, too.
        let mut anew = Vec::new();
        for summary in &folds {
            let text = self.summary_anew(*summary);
            let ledger = self.ledger_anew(*summary, &text);
            self.context.rewrite_summary(*summary, if text.is_empty() { ERASED } else { &text });
            anew.push((*summary, text, ledger));
        }
        for (summary, text, ledger) in anew {
            let whole: Vec<String> = [Some(text), Some(WRITTEN_ANEW.to_owned()), ledger]
                .into_iter()
                .flatten()
                .filter(|t| !t.is_empty())
                .collect();
            self.context.rewrite_summary(summary, &whole.join("\n\n"));
        }
        self.background = Background::default();
        self.drawn = Drawn::default();
        self.usage = None;
        self.drop_bound_thinking(&[]);
        self.after_an_edit();
        self.begin_journal_anew();
        Ok(self.context.ids(&folds))
    }

    /// What a fold stands for, summed up by the built-in summariser.
    fn summary_anew(&self, summary: NodeIndex) -> String {
        let fold = self.context.folds.iter().find(|fold| fold.summary == summary);
        let members = fold.into_iter().flat_map(|fold| &fold.members);
        // What cannot be redacted stays out.
        let whole = |node: &NodeIndex| {
            let message = &self.context.history.node(*node).message;
            self.redact.as_ref().map_or_else(|| Some(Message::clone(message)), |r| r.message(message).ok())
        };
        let folded: Vec<Message> = members.filter_map(whole).collect();
        let tally = self.context.history.node(summary).tally;
        let options = ExtractiveOptions {
            max_tokens: (tally.total() - tally.ledger()).max(LEAST),
            refs: self.context.wording.names_refs(),
        };
        let text = extractive::summarize(&folded, &*self.context.counter, options);
        text.trim().trim_start_matches("<summary>").trim_end_matches("</summary>").trim().to_owned()
    }

    /// The ledger of what a fold stands for, in the room that it had: the user's rules stay, but for the erased one. Where texts cannot be
    /// redacted, there is none.
    fn ledger_anew(&self, summary: NodeIndex, text: &str) -> Option<String> {
        let tokens = self.context.history.node(summary).tally.ledger();
        let fold = self.context.folds.iter().find(|fold| fold.summary == summary).filter(|_| tokens > 0)?;
        let mut carried = self.carried.of(&self.context, &fold.members, self.redact.as_ref()).ok()?;
        if !self.context.wording.names_refs() {
            carried.forget_refs();
        }
        let said = Message::text(Role::User, text);
        let room = Room { all: tokens, rules: tokens, facts: tokens, shared: tokens };
        let (ledger, _) = ledger::write(&carried, &Stays::of([&said]), room, &*self.context.counter);
        ledger.map(|(ledger, _)| ledger)
    }
}
