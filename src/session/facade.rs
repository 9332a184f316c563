use std::collections::HashSet;
use std::sync::Arc;

use super::accuracy::Accuracy;
use super::config::SessionConfig;
use super::recover::Recovery;
use super::run::{Fit, Pending, Question};
use crate::compaction::extractive::{self, ExtractiveOptions};
use crate::compaction::ledger::{self, Carried, Memo};
use crate::compaction::{
    self, Answer, Ask, FoldPlan, Layout, LedgerTerms, OnFailure, Reason, Redact, Script, Size, SummaryRequest,
};
use crate::context::{Context, Event, EventName, NodeIndex, Report, Slot};
use crate::error::{Error, ErrorCode, Result};
use crate::message::{Message, steps};
use crate::passes::{Aim, Pass, Summarize};
use crate::tokens::{Counter, ReportedUsage, TokenUsage, by_rules_of, count_tools};

/// A request that is refused as too long and has no more tokens than this is not cut into pieces.
const LEAST_REQUEST: u64 = 512;

/// User messages that are looked at for their language.
const SPOKEN: usize = 8;

/// One conversation: its history, its view, its tool outputs.
pub struct Session {
    pub(super) context: Context,
    pub(super) config: SessionConfig,
    /// The last usage reported since the last fold.
    pub(super) usage: Option<TokenUsage>,
    /// How far counted tokens can be believed.
    pub(super) accuracy: Accuracy,
    /// Counts what makes a waiting run stale.
    pub(super) revision: u64,
    pub(super) report: Option<Report>,
    /// The history's length when `prepare` last ended well: without new messages it has nothing more to do.
    pub(super) prepared_at: Option<usize>,
    /// What the last folds carry over.
    carried: Memo,
    /// Sees what goes to the summariser and into ledgers.
    redact: Option<Redact>,
    pub(super) recovery: Recovery,
}

impl Session {
    /// An empty session.
    pub fn new(config: SessionConfig, counter: Counter) -> Self {
        let accuracy = Accuracy::new(config.model.as_deref(), !config.uncalibrated);
        let counter = match &config.model {
            Some(model) => by_rules_of(model, counter),
            None => counter,
        };
        let context = Context::new(counter, config.tool_output_cache.clone(), config.window);
        Self {
            context,
            config,
            usage: None,
            accuracy,
            revision: 0,
            report: None,
            prepared_at: None,
            recovery: Recovery::default(),
            carried: Memo::default(),
            redact: None,
        }
    }

    /// Redacts what goes to the summariser and into ledgers from now on (COMP-21).
    pub fn set_redact(&mut self, redact: Option<Redact>) {
        self.redact = redact;
        self.carried = Memo::default();
    }

    /// History, view and tool outputs.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// History, view and tool outputs.
    pub fn context_mut(&mut self) -> &mut Context {
        &mut self.context
    }

    /// The options.
    pub fn config(&self) -> &SessionConfig {
        &self.config
    }

    /// The last run's report, of a failed run too.
    pub fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// Takes messages in, all or none. Tool outputs are stored and cut at once; a summary is never asked for here.
    pub fn push(&mut self, messages: Vec<Message>) -> Result<Vec<NodeIndex>> {
        self.drop_bound_thinking(&[]);
        let added = self.context.push(messages)?;
        self.drop_bound_thinking(&added);
        Ok(added)
    }

    /// Replaces the leading system and developer messages.
    pub fn set_header(&mut self, messages: Vec<Message>) -> Result<()> {
        for (i, message) in messages.iter().enumerate() {
            if !message.role.is_instruction() {
                let role = message.role.as_str();
                return Err(Error::message_at(
                    i,
                    format!("a {role} message cannot stand in the header; push it instead"),
                ));
            }
        }
        let replaced: Vec<NodeIndex> = self.context.view.header().iter().map(|slot| slot.node).collect();
        self.context.history.check(&messages, &replaced)?;
        self.context.set_header(messages);
        self.drop_bound_thinking(&[]);
        Ok(())
    }

    /// The tools that the model is given: their definitions count with every view.
    pub fn set_tools(&mut self, tools: &[serde_json::Value]) {
        let tokens = count_tools(tools, &*self.context.counter);
        self.context.view.set_tools(tokens);
    }

    /// Remembers what a model call used; the next judgement goes by it.
    pub fn record_usage(&mut self, reported: &ReportedUsage) {
        // A sum over several calls says nothing of how full the window was: what was known before stays.
        self.usage = reported.last_call.or(self.usage);
        self.accuracy.learn(reported);
    }

    /// Tokens of the view, as counted.
    pub fn tokens(&self) -> u64 {
        self.context.view.tokens()
    }

    /// The same as the provider would report them, as far as is known.
    pub fn corrected_tokens(&self) -> u64 {
        self.accuracy.corrected(self.tokens(), &*self.context.counter)
    }

    /// limit × thresholdRatio.
    pub fn threshold(&self) -> Option<u64> {
        let by_ratio = || self.config.limit.map(|limit| self.config.compaction.threshold(limit));
        self.config.ladder.threshold().or_else(by_ratio)
    }

    /// Whether a compaction is due (COMP-2): by the last usage since the last compaction, or else by counted tokens.
    pub fn should_compact(&self) -> bool {
        let config = &self.config.compaction;
        let tokens = self.usage.map_or_else(|| self.corrected_tokens(), |u| u.total_tokens);
        config.enabled && config.auto && self.threshold().is_some_and(|threshold| tokens >= threshold)
    }

    /// Pins or unpins a message. A pinned message stands verbatim in the view: cut or folded ones come back.
    pub fn set_pinned(&mut self, id: &str, pinned: bool) -> Result<()> {
        let index = self.context.history.require(id)?;
        self.context.set_pinned(index, pinned);
        self.drop_bound_thinking(&[]);
        Ok(())
    }

    /// Pins or unpins a piece of a message's text: it stands verbatim in every view, in a user message of its own, whatever
    /// becomes of its message (COMP-18).
    pub fn set_text_pinned(&mut self, id: &str, text: &str, pinned: bool) -> Result<()> {
        let index = self.context.history.require(id)?;
        if pinned { self.context.pin_text(index, text) } else { self.context.unpin_text(index, text) }
    }

    /// Folds what the ladder's first pass that folds would fold. `None`: there is nothing to fold, or (where nobody asked
    /// for it by hand) so little that is new since the last fold that it is not worth another.
    pub fn compact(&mut self, reason: Reason, instructions: Option<String>) -> Result<Option<Fit>> {
        let aim = self.aim(false);
        self.refuse_impossible(&aim)?;
        let tokens = self.tokens();
        let worth = |plan: &FoldPlan| reason == Reason::Manual || aim.is_worth(plan, tokens);
        let folding = self.config.ladder.passes().iter().find(|p| p.folds());
        let by_default = Summarize::default();
        let folding = folding.map_or(&by_default as &dyn Pass, |p| &**p);
        let plan = folding.fold_by_hand(&self.context, &aim).filter(worth);
        let Some(plan) = plan else { return Ok(None) };
        let run = self.begin(reason, instructions, aim, Arc::new([]));
        self.context.emit(EventName::CompactionStarted, &plan.members, String::new());
        self.ask(Question::first(run, plan)).map(Some)
    }

    /// The report of the view as it is.
    pub fn unchanged_report(&mut self) -> Report {
        let run = self.begin(Reason::Manual, None, self.aim(false), Arc::new([]));
        self.finish(run)
    }

    /// Runs the ladder until the view fits (API: `prepare`).
    pub fn prepare(&mut self) -> Result<Fit> {
        self.prepare_to(false)
    }

    /// The same for a conversation that will not go on: a fold keeps as much as there is room for, instead of going down to
    /// the low mark (PASS-14).
    pub fn prepare_filling(&mut self) -> Result<Fit> {
        self.prepare_to(true)
    }

    fn prepare_to(&mut self, fill: bool) -> Result<Fit> {
        let aim = self.aim(fill);
        self.refuse_impossible(&aim)?;
        let news = self.prepared_at != Some(self.context.history.len());
        let passes: Arc<[_]> =
            if news || self.tokens() > aim.most { self.config.ladder.passes().clone() } else { Arc::new([]) };
        let run = self.begin(Reason::Ladder, None, aim, passes);
        self.advance(run)
    }

    /// Goes on with the model's answer. An answer that is no usable summary is asked for again, then refused or replaced
    /// by the extractive summariser, as configured; when this fails, the session is as it was before the run (INV-4).
    pub fn resume(&mut self, pending: Pending, answer: &Answer) -> Result<Fit> {
        let mut pending = self.still_wanted(pending)?;
        let attempt = pending.question.attempt;
        let summary = pending.question.run.summary.get_or_insert_default();
        summary.attempts = attempt;
        summary.usage = match (summary.usage, answer.usage) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        let error = match self.judge_or_ask_on(&mut pending, answer) {
            Ok(Some((accepted, carried))) => return self.accept(pending, accepted, carried),
            Ok(None) => return self.ask(pending.question),
            // What failed is no answer that another one could mend: `compaction.redact`.
            Err(error) if error.code() == ErrorCode::SummaryFailed => {
                return Err(self.fail(pending.question, error));
            }
            Err(error) => error,
        };
        if attempt < self.config.compaction.max_attempts {
            pending.question.attempt += 1;
            pending.question.refused = Some(error.message().to_owned());
            return self.ask(pending.question);
        }
        self.give_up(pending, error)
    }

    /// Takes a piece's summary, and asks about what comes next (`None`); or judges the last answer.
    fn judge_or_ask_on(
        &self,
        pending: &mut Pending,
        answer: &Answer,
    ) -> Result<Option<(compaction::Accepted, Carried)>> {
        let question = &mut pending.question;
        if let Some(chunks) = question.chunks.as_mut().filter(|c| c.in_pieces()) {
            chunks.answered(&compaction::text_of(answer)?, &*self.context.counter);
            question.attempt = 1;
            question.refused = None;
            return Ok(None);
        }
        let judged = self.judge(pending, answer, self.config.compaction.wants_retain())?;
        let compaction = &self.config.compaction;
        let script = self.script().filter(|s| !s.is_of(&judged.0.text));
        match script {
            None => Ok(Some(judged)),
            Some(script) if pending.question.attempt < compaction.max_attempts => {
                let language = self.language().unwrap_or_else(|| script.language().to_owned());
                let why =
                    format!("the summary is not written in the language that was asked for: {language}");
                Err(Error::new(ErrorCode::SummaryInvalid, why))
            }
            Some(_) => {
                let (mut accepted, carried) = judged;
                accepted.note("the summary is not in the conversation's language");
                Ok(Some((accepted, carried)))
            }
        }
    }

    /// The script that a summary should be in, where that can be told.
    fn script(&self) -> Option<Script> {
        if let Some(language) = &self.config.compaction.language {
            return Script::of_language(language);
        }
        let said = self.context.history.nodes().iter().rev().map(|n| &n.message).filter(|m| m.opens_turn());
        let newest: Vec<String> = said.take(SPOKEN).map(|m| m.plain_text()).collect();
        Script::of_texts(newest.iter().map(String::as_str))
    }

    /// The language that a summary is asked for in, where the prompt's own words do not do.
    fn language(&self) -> Option<String> {
        let detected = || self.script().filter(|s| *s != Script::Latin).map(|s| s.language().to_owned());
        self.config.compaction.language.clone().or_else(detected)
    }

    /// The summariser says that the request is too long: a smaller one, or the error if there is none.
    pub fn shrink(&mut self, pending: Pending) -> Result<Fit> {
        let pending = self.still_wanted(pending)?;
        let mut question = pending.question;
        if let Some(size) = question.size.smaller() {
            question.size = size;
            return self.ask(question);
        }
        let tokens = pending.request.input_tokens;
        let smaller = if let Some(chunks) = &mut question.chunks {
            chunks.shrink(&*self.context.counter)
        } else {
            if let Err(error) = self.cut_in_pieces(&mut question, tokens / 2) {
                return Err(self.fail(question, error));
            }
            tokens > LEAST_REQUEST
        };
        if smaller {
            return self.ask(question);
        }
        let why = format!(
            "the summariser refused a request of {tokens} tokens as too long; set compaction.summarizerWindow or use a model with a larger window"
        );
        self.give_up(
            Pending { request: pending.request, question },
            Error::new(ErrorCode::SummaryFailed, why),
        )
    }

    /// The callback failed: the extractive summariser if configured, else `error`; nothing has changed then.
    pub fn give_up(&mut self, mut pending: Pending, error: Error) -> Result<Fit> {
        if error.code() == ErrorCode::Aborted || self.config.compaction.on_failure == OnFailure::Error {
            return Err(self.fail(pending.question, error));
        }
        pending = self.still_wanted(pending)?;
        let answer = Answer { text: self.extractive(&pending), ..Answer::default() };
        match self.judge(&pending, &answer, false) {
            Ok((mut accepted, carried)) => {
                accepted.fallback = Some(format!("the extractive summariser stood in: {error}"));
                pending.question.run.summary.get_or_insert_default().attempts = pending.question.attempt;
                self.accept(pending, accepted, carried)
            }
            Err(_) => Err(self.fail(pending.question, error)),
        }
    }

    /// Judges an answer; with what is accepted comes what it carries over.
    fn judge(
        &self,
        pending: &Pending,
        answer: &Answer,
        wants_retain: bool,
    ) -> Result<(compaction::Accepted, Carried)> {
        let plan = &pending.question.plan;
        let aim = pending.question.run.aim;
        let budget = aim.ledger;
        let carried = if budget == 0 {
            Carried::default()
        } else {
            self.carried.of(&self.context, &plan.members, self.redact.as_ref())?
        };
        let terms = LedgerTerms { carried: &carried, budget, low: aim.low, most: aim.most };
        let accepted = compaction::judge(&self.context, plan, answer, wants_retain, &terms)?;
        Ok((accepted, carried))
    }

    /// The same, its plan as it stands now; `STALE_PLAN` where nothing of it is left to fold.
    fn still_wanted(&mut self, mut pending: Pending) -> Result<Pending> {
        let why = if pending.question.run.revision == self.revision {
            self.refresh(&mut pending.question.plan);
            if !pending.question.plan.members.is_empty() {
                return Ok(pending);
            }
            "everything that this summary was to stand for was pinned while it was being written; nothing is left to fold"
        } else {
            "the history was folded or rewritten while this summary was being written; ask again"
        };
        Err(self.fail(pending.question, Error::new(ErrorCode::StalePlan, why)))
    }

    /// Goes on with what the built-in summariser says: no request, whatever its size, had to be sent.
    pub fn resume_extractive(&mut self, mut pending: Pending) -> Result<Fit> {
        pending.question.chunks = None;
        let answer = Answer { text: self.extractive(&pending), ..Answer::default() };
        self.resume(pending, &answer)
    }

    /// What the built-in summariser says of what this run folds.
    pub fn extractive(&self, pending: &Pending) -> String {
        // Whole, as they were pushed: an output that is a placeholder in the view still tells how its command ended.
        let whole = |m: &NodeIndex| {
            let message = &self.context.history.node(*m).message;
            // What cannot be redacted stays out.
            self.redact.as_ref().map_or_else(|| Some(Message::clone(message)), |r| r.message(message).ok())
        };
        let plan = &pending.question.plan;
        let folded: Vec<Message> = plan.members.iter().filter_map(whole).collect();
        plan.profile.wrap(extractive::summarize(
            &folded,
            &*self.context.counter,
            ExtractiveOptions::default(),
        ))
    }

    /// The events since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.context.events)
    }

    /// What a run aims at. With `fill`, a cut keeps as much as there is room for.
    fn aim(&self, fill: bool) -> Aim {
        let compaction = &self.config.compaction;
        let limit = self.config.limit;
        let most = limit.map_or(u64::MAX, |limit| (limit as f64 * (1.0 - self.margin())) as u64);
        let threshold = self.threshold().unwrap_or(u64::MAX);
        let by_limit = limit.map_or(u64::MAX, |limit| compaction.low(limit));
        let by_threshold = self.config.ladder.threshold().map_or(u64::MAX, |t| compaction.low_for(t));
        // From here on in counted tokens, as the view's are.
        let counted = |tokens| self.accuracy.as_counted(tokens, &*self.context.counter);
        let (most, threshold) = (counted(most), counted(threshold));
        let low = counted(by_limit.min(by_threshold)).min(most);
        let enough = if self.context.folds.is_empty() { 0 } else { low / 10 };
        let low = if fill { most.min(threshold.saturating_sub(1)) } else { low };
        let known = Some(low).filter(|low| *low < u64::MAX);
        // The documents' presets fold as their documents say; a ledger is the caller's choice there.
        let by_preset = self.config.ladder.name.filter(|name| *name != "contextfold").map(|_| 0);
        Aim {
            window: self.config.window,
            threshold,
            low,
            ledger: ledger::budget(compaction.ledger_tokens.or(by_preset), known, fill),
            most,
            enough,
            auto: compaction.enabled && compaction.auto,
            fill,
            keep_turns: compaction.retain_last_turns,
        }
    }

    pub(super) fn margin(&self) -> f64 {
        self.config.safety_margin.unwrap_or_else(|| self.accuracy.margin(&*self.context.counter))
    }

    /// What no pass may touch is larger than the limit: say so at once (COMP-19).
    fn refuse_impossible(&mut self, aim: &Aim) -> Result<()> {
        if self.tokens() <= aim.most {
            return Ok(());
        }
        let header = self.context.view.fixed_tokens();
        let pinned: u64 = self
            .context
            .view
            .body()
            .iter()
            .filter(|s| self.context.history.node(s.node).pinned)
            .map(Slot::tokens)
            .sum();
        if header + pinned <= aim.most {
            return Ok(());
        }
        let most = aim.most;
        let run = self.begin(Reason::Ladder, None, *aim, Arc::new([]));
        self.report = Some(self.make_report(run));
        let why = format!(
            "header and tools take {header} tokens and pins {pinned}, together more than the {most} that a view may take; shorten them, unpin, or use a larger window"
        );
        Err(Error::new(ErrorCode::BudgetImpossible, why))
    }

    /// Writes the request; where the summariser's window is known, one that fits it. Where the redaction fails, so does
    /// the run, and nothing has changed.
    pub(super) fn ask(&mut self, mut question: Question) -> Result<Fit> {
        match self.fitting_request(&mut question) {
            Ok(request) => Ok(Fit::NeedsSummary(Box::new(Pending { request, question }))),
            Err(error) => Err(self.fail(question, error)),
        }
    }

    fn fitting_request(&self, question: &mut Question) -> Result<SummaryRequest> {
        let window = self.config.compaction.summarizer_window.or(self.config.limit);
        let window = window.map(|tokens| self.accuracy.as_counted(tokens, &*self.context.counter));
        let language = self.language();
        loop {
            let ask = self.words(question, language.as_deref());
            let request = compaction::request(&self.context, &question.plan, &ask)?;
            let Some(window) = window.filter(|w| request.input_tokens > *w) else { return Ok(request) };
            match question.size.smaller() {
                Some(smaller) => question.size = smaller,
                None if question.chunks.is_none() => self.cut_in_pieces(question, window)?,
                None => return Ok(request),
            }
        }
    }

    fn words<'a>(&'a self, question: &'a Question, language: Option<&'a str>) -> Ask<'a> {
        Ask {
            config: &self.config.compaction,
            instructions: question.run.instructions.as_deref(),
            reason: question.run.reason,
            refused: question.refused.as_deref(),
            size: question.size,
            chunks: question.chunks.as_ref(),
            redact: self.redact.as_ref(),
            language,
        }
    }

    fn cut_in_pieces(&self, question: &mut Question, window: u64) -> Result<()> {
        let language = self.language();
        let ask = self.words(question, language.as_deref());
        question.chunks = Some(compaction::chunks(&self.context, &question.plan, &ask, window)?);
        Ok(())
    }

    /// Puts the fold in, lets what came meanwhile stand after it, and goes on with the ladder.
    fn accept(
        &mut self,
        pending: Pending,
        mut accepted: compaction::Accepted,
        carried: Carried,
    ) -> Result<Fit> {
        let Question { plan, mut run, size, chunks, .. } = pending.question;
        match chunks {
            Some(chunks) => chunks.note().iter().for_each(|note| accepted.note(note)),
            None if size == Size::NoOutputs => accepted.note("the request went without tool outputs, to fit"),
            None => {}
        }
        self.settle(&mut run)?;
        let tokens_before = self.tokens();
        let items = self.context.ids(&plan.members);
        let made = plan.messages(accepted.retain, accepted.summary);
        let summary = self.context.fold(plan.members, made);
        self.carried.keep(summary, carried);
        self.revision += 1;
        run.revision = self.revision;
        self.usage = None;
        let why = match (plan.cut_within_turn, run.reason) {
            (true, _) => {
                "the retained turns alone exceeded the target: the oldest lost its earlier steps to the summary"
            }
            (false, Reason::Manual) => "compact() was called",
            (false, _) => "the view reached its threshold",
        };
        run.decide(run.folding_pass(), tokens_before, self.tokens(), items, why.to_owned());
        let summed = run.summary.get_or_insert_default();
        summed.ledger_tokens = accepted.ledger_tokens;
        summed.fallback = accepted.fallback;
        if plan.layout == Layout::Replace {
            self.context.emit(EventName::ConversationReplaced, &[summary], String::new());
        }
        self.context.emit(EventName::CompactionFinished, &[summary], String::new());
        self.advance(run)
    }

    /// Sets the plan right for what happened while its summary was written: an output that came goes with its call, and
    /// a step in which something was pinned stays. Anything else that came stays, too (COMP-14).
    fn refresh(&self, plan: &mut FoldPlan) {
        let planned: HashSet<NodeIndex> = std::mem::take(&mut plan.members).into_iter().collect();
        plan.tokens = 0;
        let slots = self.context.view.with_dropped();
        for step in steps(slots.iter().map(|s| &*s.message)) {
            let slots = &slots[step.range];
            if slots.iter().any(|s| self.context.history.node(s.node).pinned) {
                continue;
            }
            let calls: HashSet<&str> = slots
                .iter()
                .filter(|s| planned.contains(&s.node))
                .flat_map(|s| s.message.tool_calls())
                .map(|c| c.id.as_str())
                .collect();
            let answers = |s: &&&Slot| s.message.tool_outputs().any(|o| calls.contains(o.call_id.as_str()));
            for slot in slots.iter().filter(|s| planned.contains(&s.node) || answers(s)) {
                plan.members.push(slot.node);
                plan.tokens += slot.tokens();
            }
        }
    }

    fn fail(&mut self, question: Question, error: Error) -> Error {
        self.context.emit(EventName::CompactionFailed, &question.plan.members, error.to_string());
        let Question { mut run, attempt, .. } = question;
        run.decide(run.folding_pass(), self.tokens(), self.tokens(), Vec::new(), error.to_string());
        run.summary.get_or_insert_default().attempts = attempt;
        self.report = Some(self.make_report(run));
        error
    }
}
