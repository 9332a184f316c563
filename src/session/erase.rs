//! Erases a message for good, for example because a law requires it.

use super::answering::MIN_SUMMARY_TOKENS;
use super::background::Background;
use super::graph::SessionGraph;
use super::state::Session;
use crate::compaction::Recorded;
use crate::compaction::ledger::{self, AlreadyShown, Memo, Room};
use crate::context::{ERASED, Form, NodeIndex, Tally};
use crate::error::{Error, ErrorCode, Result};
use crate::message::{Message, Role};

/// Added to a summary that was rewritten because of an erasure.
const REWRITTEN_NOTE: &str = "(This was rewritten without an erased message.)";

/// What an erasure changed.
#[derive(Debug)]
pub struct Erased {
    /// The ids of the folds whose summaries were rewritten.
    pub folds: Vec<String>,
    /// The message, and the summaries and retained texts that were written after it came.
    pub nodes: Vec<NodeIndex>,
    /// The messages with outputs of its calls that are written otherwise now.
    pub answers: Vec<NodeIndex>,
}

impl Session {
    /// Erases the content of a message from the history, the view, the tool output cache, and from everything that was written after
    /// it came: a summary is asked for with the view, so it may tell of any message, not only of those that it replaces. The built-in
    /// summariser writes the summaries anew; of folds that were undone nothing stays. Runs that wait for a summary become stale. Tool
    /// calls keep their ids and outputs, so that the view stays valid.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an unknown id and for a message that the engine wrote; `GRAPH_CONSTRAINT` for part of a run of a
    /// provider's own tool, and for the answer that opens a running turn with signed thinking. Nothing has changed then.
    pub fn erase(&mut self, id: &str) -> Result<Erased> {
        let index = self.erasable(id)?;
        let answers = self.context.answers_to_other_kinds(index);
        self.context.erase(index);
        let written = self.context.written_after(index);
        let is_summary = |node: &&NodeIndex| self.context.folds.iter().any(|fold| fold.summary == **node);
        let folds: Vec<NodeIndex> = written.iter().filter(is_summary).copied().collect();
        let sizes: Vec<Tally> = folds.iter().map(|node| self.context.history.node(*node).tally).collect();
        for node in &written {
            self.rewrite_text(*node, ERASED);
        }
        self.runs.carried = Memo::default();
        self.context.extract_all_facts();
        // In the order in which they were written, because outer folds include inner ones. Notes and ledgers are added at the end, or
        // they would be summarised, too.
        let mut anew = Vec::new();
        for (summary, size) in folds.iter().zip(sizes) {
            let text = self.rewritten_summary(*summary, size);
            let ledger = self.rewritten_ledger(*summary, size, &text);
            self.rewrite_text(*summary, if text.is_empty() { ERASED } else { &text });
            anew.push((*summary, text, ledger));
        }
        for (summary, text, ledger) in anew {
            let whole: Vec<String> = [Some(text), Some(REWRITTEN_NOTE.to_owned()), ledger]
                .into_iter()
                .flatten()
                .filter(|t| !t.is_empty())
                .collect();
            self.rewrite_text(summary, &whole.join("\n\n"));
        }
        self.context.forget_all_facts();
        self.background = Background::default();
        self.lanes.graph = SessionGraph::default();
        self.after_edit();
        let nodes = [&[index][..], &written].concat();
        let shown = self.context.view.slots().map(|slot| slot.node).filter(|node| nodes.contains(node));
        self.context
            .emit_trimmed(&shown.collect::<Vec<_>>(), "it was erased, or a summary was rewritten without it");
        self.runs.stale_before = self.runs.revision;
        self.restart_journal();
        Ok(Erased { folds: self.context.ids(&folds), nodes, answers })
    }

    /// The messages whose content `erase` would remove.
    pub fn about_to_erase(&self, id: &str) -> Result<Vec<NodeIndex>> {
        let index = self.erasable(id)?;
        Ok([&[index][..], &self.context.written_after(index)].concat())
    }

    fn erasable(&self, id: &str) -> Result<NodeIndex> {
        let index = self.context.history.require(id)?;
        self.context.check_erase(index)?;
        if !self.config.drops_bound_thinking && self.context.opens_running_turn_with_thinking(index) {
            let why = format!(
                "`{id}` opens the running turn with its thinking, and the provider refuses the turn without it: erase it after the next user message, or go back to before it (`rewind`)"
            );
            return Err(Error::new(ErrorCode::GraphConstraint, why));
        }
        Ok(index)
    }

    /// Replaces a text of the engine. The frame of a summary that said nothing has other words (`Frame::around`), so it is written anew.
    fn rewrite_text(&mut self, node: NodeIndex, text: &str) {
        let context = &self.context;
        let has_frame = context.history.node(node).message.role == Role::User;
        let fold = context.folds.iter().find(|fold| fold.summary == node && has_frame);
        let framed =
            fold.and_then(|fold| Some(self.frame()?.around(text, Recorded::of(context, &fold.members))));
        self.context.rewrite_text(node, text, framed);
    }

    /// The built-in summariser's summary of a fold's members.
    fn rewritten_summary(&self, summary: NodeIndex, size: Tally) -> String {
        let fold = self.context.folds.iter().find(|fold| fold.summary == summary);
        let members = fold.map(|fold| &*fold.members).unwrap_or_default();
        let most = (size.total() - size.ledger()).max(MIN_SUMMARY_TOKENS);
        let text = self.extracted(members, most, size.ledger() > 0);
        text.trim().trim_start_matches("<summary>").trim_end_matches("</summary>").trim().to_owned()
    }

    /// The ledger of a fold, at most as large as before; beside a summary in the view, also of what the view shows only in part. The
    /// user's rules stay, except an erased one. `None` if texts cannot be redacted.
    fn rewritten_ledger(&self, summary: NodeIndex, size: Tally, text: &str) -> Option<String> {
        let tokens = size.ledger();
        let context = &self.context;
        let fold = context.folds.iter().find(|fold| fold.summary == summary).filter(|_| tokens > 0)?;
        let redact = self.host.redact.as_ref();
        let mut carried = self.runs.carried.of(context, &fold.members, redact).ok()?;
        let rewritten = Message::text(Role::User, text);
        let mut shown = AlreadyShown::of([&rewritten]);
        if context.view.position(summary).is_some() {
            carried = ledger::adjusted_to_view(context, &fold.members, &carried, &|_| false, redact).ok()?;
            let whole = context.view.body().iter().filter(|slot| slot.form == Form::Whole);
            shown = shown.and_whole(context, &whole.map(|slot| slot.node).collect::<Vec<_>>());
        } else if !context.wording.names_refs() {
            carried.remove_refs();
        }
        let room = Room { all: tokens, rules: tokens, facts: tokens, names: tokens, shared: tokens };
        let shown = shown.with_calls(context, redact);
        let (ledger, _) = ledger::write(&carried, &shown, room, &*context.counter);
        ledger.map(|(ledger, _)| ledger)
    }
}
