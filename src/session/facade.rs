//! What callers do with a session: push, report usage, pin, fold, and make the view fit.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::notices::NOTHING_LEFT;
use super::run::{Fit, Question, Run, WithoutSummary};
use super::state::Session;
use crate::compaction::{FoldPlan, Reason};
use crate::context::{EventName, NodeIndex, Report, Slot};
use crate::error::{Error, ErrorCode, Result};
use crate::message::{Message, Role};
use crate::passes::{Aim, Pass, Summarize};
use crate::tokens::ReportedUsage;

/// Facts of this many messages are extracted ahead for each message that enters.
const FACTS_AHEAD: usize = 8;

impl Session {
    /// The host's store has taken a tool output of this many bytes: its content leaves memory, its facts stay. Returns the messages
    /// that held it, or `None` if it has to stay in memory.
    ///
    /// # Errors
    /// The error of the redaction; nothing has changed then.
    pub fn move_to_store(&mut self, id: &str, key: &str, bytes: u64) -> Result<Option<Vec<NodeIndex>>> {
        let redact = self.host.redact.clone();
        let redacted = redact.as_ref().map(|redact| |message: &Message| redact.message(message));
        let redacted = redacted.as_ref().map(|redacted| redacted as &dyn Fn(&Message) -> Result<Message>);
        self.context.send_away(id, key, bytes, redacted)
    }

    /// Appends messages, all or none. Tool outputs are stored and cut at once; a summary is never asked for here.
    pub fn push(&mut self, mut messages: Vec<Message>) -> Result<Vec<NodeIndex>> {
        self.context.history.name_calls(&mut messages);
        self.check_node_limit(messages.len())?;
        let tokens = self.tokens();
        let answers = messages.first().is_some_and(|m| m.role == Role::Assistant);
        self.drop_bound_thinking(&[]);
        self.context.fold_near = self.fold_near();
        self.forget_graph_if_claimed(&messages);
        let compactions = self.context.history.compactions().len();
        let added = self.context.push(messages)?;
        let compacted = self.context.history.compactions().len() > compactions;
        self.drop_bound_thinking(&added);
        self.extract_facts_ahead(added.len());
        if let Some(answer) = added.first().filter(|_| answers) {
            // If the provider compacted the view on its side, the usage is not that of the view as we know it.
            self.counting.accuracy.note_answer(if compacted { u64::MAX } else { tokens });
            self.set_cost_of(*answer);
        }
        if compacted {
            self.counting.usage = None;
        }
        Ok(added)
    }

    /// The sizes of views in which the tool output budget trims nothing, because a fold is near.
    fn fold_near(&self) -> Range<u64> {
        let waits = self.config.ladder.trims().is_some_and(|pass| pass.waits());
        if waits { self.aim(false).fold_near() } else { 0..0 }
    }

    /// Extracts some of the facts that the next fold's ledger will need, once the view is half way to its threshold. That takes a
    /// few microseconds per message as it enters; all at once it would be most of the fold's cost.
    fn extract_facts_ahead(&mut self, added: usize) {
        let in_sight = self.threshold().is_some_and(|threshold| self.tokens() >= threshold / 2);
        if in_sight {
            self.context.find_duplicates_ahead(FACTS_AHEAD * added);
        }
        if in_sight && self.needs_facts(&self.aim(false)) {
            self.context.extract_facts(FACTS_AHEAD * added);
        }
    }

    /// Extracts all facts that a run will need.
    pub(super) fn extract_facts_for(&mut self, aim: &Aim) {
        if self.needs_facts(aim) {
            self.context.extract_all_facts();
        }
    }

    /// Whether facts of the messages are needed. The marks of an even cut list facts from the view's texts. With a redaction, a
    /// fold's ledger lists facts from the redacted texts, which are extracted again each time.
    fn needs_facts(&self, aim: &Aim) -> bool {
        self.config.ladder.even_cut().is_some() || (!aim.ledger.is_none() && self.host.redact.is_none())
    }

    /// Replaces the leading system and developer messages.
    pub fn set_header(&mut self, messages: Vec<Message>) -> Result<()> {
        let replaced = self.context.own_header();
        self.replace_in_header(&replaced, messages, 0)?;
        Ok(())
    }

    /// Records the usage of a model call. It decides whether the next compaction is due.
    pub fn record_usage(&mut self, reported: &ReportedUsage) {
        // A sum over several calls does not say how full the window was: the earlier figure is kept then.
        self.counting.usage = reported.last_call.or(self.counting.usage);
        self.counting.accuracy.learn(reported, self.tokens());
    }

    /// Notes that a message had a lone surrogate. It was replaced, because no provider accepts one (INV-5).
    pub fn note_surrogate_replaced(&mut self, node: NodeIndex) {
        self.context.note_left_out(
            node,
            "half a surrogate pair was replaced with U+FFFD: no provider accepts it",
            None,
        );
    }

    /// Records that the view was read. If it is sent, the next usage is compared with its tokens (TOK-6); a view that is only
    /// looked at teaches nothing. After a successful run of the ladder, a call is expected anyway.
    pub fn note_read(&mut self) {
        self.counting.accuracy.note_read(self.tokens());
    }

    /// Pins or unpins a message. A pinned message is in the view verbatim: if it was cut or folded, it comes back.
    pub fn set_pinned(&mut self, id: &str, pinned: bool) -> Result<()> {
        let index = self.context.history.require(id)?;
        if pinned && !self.context.can_be_pinned(index) {
            return Err(Error::argument(format!(
                "`{id}` can no longer appear in a view: it is empty, its header was replaced, or its part of the history was rewritten; push it again to pin it"
            )));
        }
        if pinned {
            self.context.refuse_away(index)?;
        }
        self.context.set_pinned(index, pinned);
        self.drop_bound_thinking(&[]);
        Ok(())
    }

    /// Pins or unpins a piece of a message's text. The piece is verbatim in every view, in a user message of its own, whatever
    /// happens to its message (COMP-18).
    pub fn set_text_pinned(&mut self, id: &str, text: &str, pinned: bool) -> Result<()> {
        let index = self.context.history.require(id)?;
        if pinned {
            self.context.refuse_away(index)?;
        }
        if pinned { self.context.pin_text(index, text) } else { self.context.unpin_text(index, text) }?;
        self.drop_bound_thinking(&[]);
        Ok(())
    }

    /// Folds if a compaction is due or a background summary is ready; `None` if there is nothing to do.
    pub fn check_and_compact(&mut self) -> Result<Option<Fit>> {
        self.fold_if_due(WithoutSummary::Fails)
    }

    /// Like [`Session::check_and_compact`], for an agent between two steps: if there is no summary, the run goes on as long as the
    /// view fits, and the report says so.
    pub fn keep_up(&mut self) -> Result<Option<Fit>> {
        self.fold_if_due(WithoutSummary::Continues)
    }

    fn fold_if_due(&mut self, unanswered: WithoutSummary) -> Result<Option<Fit>> {
        if self.background.is_ready() || self.should_compact() {
            return self.fold(Reason::Threshold, None, unanswered);
        }
        Ok(None)
    }

    /// Folds what the ladder's first folding pass would fold; if a background summary is ready, it puts in that one. `None`: there
    /// is nothing to fold, or the compaction was not asked for by hand and too little is new since the last fold to be worth
    /// another.
    pub fn compact(&mut self, reason: Reason, instructions: Option<String>) -> Result<Option<Fit>> {
        self.fold(reason, instructions, WithoutSummary::Fails)
    }

    fn fold(
        &mut self,
        reason: Reason,
        instructions: Option<String>,
        unanswered: WithoutSummary,
    ) -> Result<Option<Fit>> {
        let aim = self.aim(false);
        self.refuse_impossible(&aim)?;
        let instructed = instructions.is_some();
        let mut run = self.begin(reason, instructions, aim, Arc::new([]));
        run.without_summary = unanswered;
        self.cut_after_fold(&mut run);
        let was_ready = self.background.is_ready();
        if instructed {
            self.drop_without_instructions(&mut run);
        }
        if self.apply_background(&mut run) {
            return self.advance(run).map(Some);
        }
        if was_ready && reason == Reason::Threshold && !self.should_compact() {
            return Ok(None);
        }
        self.extract_facts_for(&aim);
        let Some((plan, pass)) = self.fold_plan(&aim, reason == Reason::Manual) else {
            let is_cut = run.passes.iter().any(|pass| pass.cuts_evenly() && pass.wants(&self.context, &aim));
            return if is_cut { self.advance(run).map(Some) } else { Ok(None) };
        };
        self.context.emit(EventName::CompactionStarted, &plan.members, String::new());
        self.ask(Question::first(run, plan, pass)).map(Some)
    }

    /// After the fold, the run goes on with the ladder's even cut, if it has one.
    pub(super) fn cut_after_fold(&self, run: &mut Run) {
        let Some(at) = self.config.ladder.even_cut() else { return };
        run.passes = self.config.ladder.passes().clone();
        (run.next_pass, run.passes_done) = (at, at);
    }

    /// What the ladder's first folding pass would fold, and that pass's name.
    pub(super) fn fold_plan(&self, aim: &Aim, by_hand: bool) -> Option<(FoldPlan, &'static str)> {
        let worth = |plan: &FoldPlan| by_hand || aim.is_worth(&self.context, plan);
        let folding = self.config.ladder.passes().iter().find(|p| p.folds());
        let by_default = Summarize::default();
        let folding = folding.map_or(&by_default as &dyn Pass, |p| &**p);
        let plan = folding.fold(&self.context, aim, by_hand).filter(worth)?;
        Some((plan, folding.name()))
    }

    /// The report for a fold that was asked for when there is nothing to fold. It says why.
    pub fn unchanged_report(&mut self, instructions: Option<&str>) -> Rc<Report> {
        let mut run = self.begin(Reason::Manual, None, self.aim(false), Arc::new([]));
        let why = match instructions {
            Some(_) => "there was nothing to fold, so the instructions were not used",
            None => {
                "there was nothing to fold: everything in the view must stay (the last turns, pins, running tool calls)"
            }
        };
        run.note("compact", self.tokens(), why.to_owned());
        self.finish(run)
    }

    /// Runs the ladder until the view fits (API: `prepare`).
    pub fn prepare(&mut self) -> Result<Fit> {
        self.prepare_for(self.aim(false))
    }

    /// Like [`Session::prepare`], for a conversation that will not go on: a fold keeps as much as there is room for instead of going
    /// down to the low mark (PASS-14).
    pub fn prepare_filling(&mut self) -> Result<Fit> {
        self.prepare_for(self.aim(true))
    }

    pub(super) fn prepare_for(&mut self, aim: Aim) -> Result<Fit> {
        self.refuse_impossible(&aim)?;
        let mut run = self.begin(Reason::Ladder, None, aim, Arc::new([]));
        if aim.is_due(self.tokens()) {
            self.extract_facts_for(&aim);
        }
        let news =
            self.apply_background(&mut run) || self.runs.prepared_at != Some(self.context.history.len());
        let fits = self.tokens() <= aim.limit;
        if news || !fits {
            run.passes = self.config.ladder.passes().clone();
        }
        // A summary that is being written in the background need not be asked for again.
        run.may_fold = !(fits && self.background.is_asked());
        self.advance(run)
    }

    /// Fails at once if the parts that no pass may touch exceed the limit (COMP-19).
    pub(super) fn refuse_impossible(&mut self, aim: &Aim) -> Result<()> {
        if self.tokens() <= aim.limit {
            return Ok(());
        }
        let droppable = |slot: &&Slot| {
            let item_type = slot.message.item_type();
            self.config.ladder.passes().iter().any(|pass| pass.drops_part(item_type))
        };
        let view = &self.context.view;
        let header =
            view.fixed_tokens() - view.parts().iter().filter(droppable).map(Slot::tokens).sum::<u64>();
        let pinned: u64 = self
            .context
            .view
            .body()
            .iter()
            .filter(|s| self.context.history.node(s.node).pinned)
            .map(Slot::tokens)
            .sum();
        let none_left = self.config.limit == Some(0);
        if header + pinned <= aim.limit && !none_left {
            return Ok(());
        }
        let most = aim.limit;
        let before_body = self.context.view.before_body();
        let stays = |(at, slot): (usize, _)| {
            let slot: &Slot = slot;
            (at < before_body || self.context.history.node(slot.node).pinned).then_some(slot)
        };
        let largest = self.largest(self.context.view.slots().enumerate().filter_map(stays));
        let run = self.begin(Reason::Ladder, None, *aim, Arc::new([]));
        self.runs.failed = Some(self.make_report(run));
        let why = if none_left {
            NOTHING_LEFT.to_owned()
        } else {
            format!(
                "header, tools and context parts take {header} tokens and pins take {pinned}, together more than the view's limit of {most}{largest}. Shorten them, unpin messages, or use a larger context window"
            )
        };
        Err(Error::new(ErrorCode::BudgetImpossible, why))
    }
}
