//! A message that is erased for good, for those whom the law asks.

use super::background::Background;
use super::facade::Session;
use super::graph::Drawn;
use crate::compaction::extractive::{self, ExtractiveOptions};
use crate::compaction::ledger::Memo;
use crate::context::NodeIndex;
use crate::error::Result;
use crate::message::Message;

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
        for summary in &folds {
            let text = self.summary_anew(*summary);
            self.context.rewrite_summary(*summary, &text);
        }
        self.carried = Memo::default();
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
        let tokens = self.context.history.node(summary).tally.total();
        let options =
            ExtractiveOptions { max_tokens: tokens.max(64), refs: self.context.wording.names_refs() };
        let text = extractive::summarize(&folded, &*self.context.counter, options);
        let text = text.trim().trim_start_matches("<summary>").trim_end_matches("</summary>").trim();
        let note = "(A message that this stood for was erased; this was written anew without it.)";
        if text.is_empty() { note.to_owned() } else { format!("{text}\n\n{note}") }
    }
}
