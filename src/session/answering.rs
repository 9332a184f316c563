//! A run gets its answer: judged, asked for again, replaced or refused.
//!
//! A refused answer is asked for again with the reason. A callback that fails is asked again too; its error goes into no
//! prompt. If no summary can be had, a run whose view must fit goes on without one (`Run::unsummed`) and fails only if the view
//! does not fit: whether to cut more is the caller's decision (`onFailure`). `compact`, which only folds, fails.

use super::facade::Session;
use super::notices::Summarizer;
use super::run::{Fit, Pending, Question, Unanswered, Unsummed};
use super::standing::NOTHING_LEFT;
use crate::compaction::extractive::{self, ExtractiveOptions};
use crate::compaction::ledger::Carried;
use crate::compaction::{self, Answer, Chunks, FoldPlan, Layout, LedgerTerms, OnFailure};
use crate::context::{EventName, NodeIndex, NodeKind, NodeSet};
use crate::error::{Error, ErrorCode, Result};
use crate::message::Message;
use crate::passes::Aim;

/// Tokens without which the built-in summariser has nothing to say.
const LEAST: u64 = 64;

/// Turns that take fewer tokens, or a smaller share of the view, may go without a summary where none would be smaller: the next
/// one stands for them, too.
const LITTLE: u64 = 256;
const SMALL_SHARE: u64 = 16;

/// Characters of a callback's error that reports and events show.
const LONGEST_NEWS: usize = 240;

/// What they show where the redaction itself fails.
const UNTOLD: &str = "the summarize callback failed";

/// What helps where no summary can be had.
const STAND_IN: &str = "; with `compaction: { onFailure: \"extractive\" }` the built-in summariser stands in";

/// What is to become of an answer.
pub(super) enum Weighed {
    /// It is a summary.
    Accepted(Box<(Pending, Judged)>),
    /// It is asked for again, or about the next piece.
    AskOn(Box<Question>),
    /// It cannot be used, and there is no further attempt.
    Refused(Box<Pending>, Error),
    /// What failed was not the answer.
    Failed(Box<Question>, Error),
}

/// A summary that was accepted: what it stands for, and what it carries over.
pub(super) struct Judged {
    pub plan: FoldPlan,
    pub accepted: compaction::Accepted,
    pub carried: Carried,
}

impl Session {
    /// Goes on with the model's answer. An answer that is no usable summary is asked for again, then refused or replaced
    /// by the extractive summariser, as configured; when this fails, the session is as it was before the run (INV-4).
    pub fn resume(&mut self, pending: Pending, answer: &Answer) -> Result<Fit> {
        match self.weigh(pending, answer)? {
            Weighed::Accepted(judged) => {
                let (pending, judged) = *judged;
                self.accept(pending, judged)
            }
            Weighed::AskOn(question) => self.ask(*question),
            Weighed::Refused(pending, error) => self.give_up(*pending, error),
            Weighed::Failed(question, error) => self.go_on_or_fail(*question, error),
        }
    }

    /// What is to become of an answer. Where it is accepted, the passes before the fold have run.
    pub(super) fn weigh(&mut self, pending: Pending, answer: &Answer) -> Result<Weighed> {
        let mut pending = self.still_wanted(pending)?;
        self.draw_for(&pending.question.run.aim);
        let worded = self.worded(answer, &pending.question);
        let answer = worded.as_ref().unwrap_or(answer);
        let attempt = pending.question.attempt;
        let summary = pending.question.run.summary.get_or_insert_default();
        summary.attempts = attempt;
        summary.usage = match (summary.usage, answer.usage) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        let error = match self.judge_or_ask_on(&mut pending, answer) {
            Ok(Some(judged)) => return Ok(Weighed::Accepted(Box::new((pending, judged)))),
            Ok(None) => return Ok(Weighed::AskOn(Box::new(pending.question))),
            Err(error) => error,
        };
        if error.code() == ErrorCode::StalePlan {
            return Err(self.fail(pending.question, error));
        }
        if error.code() == ErrorCode::SummaryFailed {
            // No further question would bring the pieces together, and no other answer would mend `compaction.redact`.
            return Ok(if pieces_do_not_end(&pending, &error) {
                Weighed::Refused(Box::new(pending), error)
            } else {
                Weighed::Failed(Box::new(pending.question), error)
            });
        }
        if attempt == self.config.compaction.max_attempts {
            return Ok(Weighed::Refused(Box::new(pending), error));
        }
        pending.question.attempt += 1;
        pending.question.failures.push(error.in_brief());
        pending.question.refused = Some(error.message().to_owned());
        Ok(Weighed::AskOn(Box::new(pending.question)))
    }

    /// The callback failed: the same is asked again while there are attempts left. What it failed with is not for the model
    /// to know, and reports tell it without what may not leave.
    pub fn not_answered(&mut self, pending: Pending, error: Error) -> Result<Fit> {
        let error = self.redacted(error);
        let attempt = pending.question.attempt;
        if error.code() == ErrorCode::Aborted || attempt == self.config.compaction.max_attempts {
            return self.give_up(pending, error);
        }
        let mut pending = self.still_wanted(pending)?;
        pending.question.attempt += 1;
        pending.question.failures.push(error.in_brief());
        self.ask(pending.question)
    }

    /// An error as reports and events may tell it: short, and without what may not leave. Where that cannot be told, the code
    /// alone.
    fn redacted(&self, error: Error) -> Error {
        if !error.has_brief() {
            return error;
        }
        let redacted = match &self.redact {
            Some(redact) => redact.text(error.brief()).unwrap_or_else(|_| UNTOLD.to_owned()),
            None => error.brief().to_owned(),
        };
        let mut shown: String = redacted.chars().take(LONGEST_NEWS + 1).collect();
        if let Some((end, _)) = shown.char_indices().nth(LONGEST_NEWS) {
            shown.truncate(end);
            shown.push('…');
        }
        error.told_as(shown)
    }

    /// Goes on with what the built-in summariser says: no request, whatever its size, had to be sent.
    pub fn resume_extractive(&mut self, pending: Pending) -> Result<Fit> {
        let mut pending = unasked(pending);
        pending.question.built_in = self.summarizer != Summarizer::Given; // a plan foretells what a callback is asked
        let answer = self.built_in(&pending.question, &pending.question.plan);
        self.resume(pending, &answer)
    }

    /// Goes on with a summary of all that is folded, though the request may have been about a piece of it.
    pub fn resume_at_once(&mut self, mut pending: Pending, answer: &Answer) -> Result<Fit> {
        pending.question.chunks = None;
        self.resume(pending, answer)
    }

    /// What the built-in summariser says of what this run folds.
    pub fn extractive(&self, pending: &Pending) -> String {
        self.built_in(&pending.question, &pending.question.plan).text
    }

    /// An answer whose provider tells nobody what it wrote, with our own words for every other format.
    fn worded(&self, answer: &Answer, question: &Question) -> Option<Answer> {
        let by_provider = answer.by_provider.clone().filter(|_| answer.text.is_empty());
        let own = |by_provider| Answer {
            usage: answer.usage,
            by_provider: Some(by_provider),
            ..self.built_in(question, &question.plan)
        };
        by_provider.map(own)
    }

    fn built_in(&self, question: &Question, plan: &FoldPlan) -> Answer {
        // Whole, as they were pushed: an output that is a placeholder in the view still tells how its command ended.
        let whole = |m: &NodeIndex| {
            let message = &self.context.history.node(*m).message;
            // What cannot be redacted stays out.
            self.redact.as_ref().map_or_else(|| Some(Message::clone(message)), |r| r.message(message).ok())
        };
        let folded: Vec<Message> = plan.members.iter().filter_map(whole).collect();
        let default = ExtractiveOptions::default();
        let within = |room: u64| room.saturating_sub(room / 8).max(LEAST);
        let text = plan.profile.wrap(extractive::summarize(
            &folded,
            &*self.context.counter,
            ExtractiveOptions {
                max_tokens: plan
                    .size()
                    .unwrap_or(default.max_tokens)
                    .min(question.room.map_or(u64::MAX, within)),
                refs: self.context.wording.names_refs(),
            },
        ));
        Answer { text, built_in: true, ..Answer::default() }
    }

    /// No answer came that can be used: the extractive summariser stands in if configured. Else a run whose view must fit
    /// goes on without a summary, and fails with `error` only where the view does not fit; any other run fails. Nothing has
    /// changed then.
    pub fn give_up(&mut self, mut pending: Pending, error: Error) -> Result<Fit> {
        let error = of_all_attempts(error, &pending.question);
        if pending.question.run.background {
            return Err(self.fail(pending.question, error)); // who needs a fold asks for it, and gets the stand-in then
        }
        // Another process has it summed up: what that one saved is to be loaded, and not summed up again.
        if matches!(error.code(), ErrorCode::Aborted | ErrorCode::StoreConflict) {
            return self.go_on_or_fail(pending.question, error);
        }
        if pending.question.built_in {
            return self.go_on_or_fail(pending.question, error); // nobody else can be asked
        }
        if self.config.compaction.on_failure == OnFailure::Error {
            return self.go_on_or_fail(pending.question, error.advising(STAND_IN));
        }
        pending = unasked(self.still_wanted(pending)?);
        let answer = self.built_in(&pending.question, &pending.question.plan);
        match self.judge_settled(&mut pending, |session, pending| session.judge(pending, &answer, false)) {
            Ok(mut judged) => {
                let why = format!("the extractive summariser stood in: {}", error.in_brief());
                let members = &pending.question.plan.members;
                self.context.emit(EventName::CompactionFailed, members, why.clone());
                judged.accepted.fallback = Some(why);
                pending.question.run.summary.get_or_insert_default().attempts = pending.question.attempt;
                self.accept(pending, judged)
            }
            Err(_) => self.go_on_or_fail(pending.question, error),
        }
    }

    /// Whether a run that waits for a summary goes on without, if it cannot be had: its view fits, and nobody asked for a fold.
    pub fn can_do_without(&self, pending: &Pending) -> bool {
        let Question { run, plan, .. } = &pending.question;
        let leaves_out = plan.layout == Layout::SystemSummary && run.must_fit();
        let fits = self.tokens() <= self.aim(run.aim.fill).most;
        matches!(run.unanswered, Unanswered::GoesOn) && !run.background && !leaves_out && fits
    }

    /// Such a run goes on.
    pub fn do_without(&mut self, pending: Pending, why: Error) -> Result<Fit> {
        self.go_on_or_fail(pending.question, why)
    }

    /// A view that must fit is worth more than a summary: the ladder goes on with its next pass. Where all that is wrong is
    /// that there was too little to fold, or where the caller wants no error, that may end in the last resort; else only if
    /// the view fits without. Turns that were left out for the summary to stand for do not go without. A run that was to fold
    /// fails, but for the last resort; a hook's goes on where the view fits as it is.
    pub(super) fn go_on_or_fail(&mut self, question: Question, error: Error) -> Result<Fit> {
        let leaves_out = question.plan.layout == Layout::SystemSummary;
        let (tokens, most) = (self.tokens(), self.aim(question.run.aim.fill).most);
        let is_little = question.plan.stands_for() < LITTLE.max(most / SMALL_SHARE);
        let too_little = error.code() == ErrorCode::SummaryNotSmaller && (!leaves_out || is_little);
        let no_error = question.built_in || self.config.compaction.on_failure == OnFailure::Extractive;
        let may_shorten = too_little || no_error;
        let goes_on = match (question.run.must_fit(), question.run.unanswered) {
            (true, Unanswered::GoesOn) => may_shorten || !leaves_out,
            (true, Unanswered::Fails) => may_shorten && tokens > most,
            (false, Unanswered::GoesOn) => tokens <= most,
            (false, Unanswered::Fails) => false,
        };
        if error.code() == ErrorCode::Aborted || !goes_on {
            let over = tokens > most && error.code() != ErrorCode::Aborted;
            let error = if over { does_not_fit(error, tokens, most) } else { error };
            return Err(self.fail(question, error));
        }
        let may_shorten = may_shorten && question.run.must_fit();
        self.context.emit(EventName::CompactionFailed, &question.plan.members, error.in_brief());
        let Question { mut run, attempt, pass, built_in, .. } = question;
        run.decide(pass, self.tokens(), self.tokens(), Vec::new(), error.in_brief());
        run.summary.get_or_insert_default().attempts = attempt;
        run.without = Some(error.in_brief());
        // Where there was little to fold, or nobody to ask, it is not the summary's fault that the view does not fit.
        let unsummed = Unsummed { error, shortens: may_shorten };
        run.unsummed = Some(unsummed).filter(|unsummed| !unsummed.shortens || !(is_little || built_in));
        self.go_on_without(run)
    }

    /// Takes a piece's summary, and asks about what comes next (`None`); or judges the last answer.
    fn judge_or_ask_on(&mut self, pending: &mut Pending, answer: &Answer) -> Result<Option<Judged>> {
        let question = &mut pending.question;
        if let Some(chunks) = question.chunks.as_mut().filter(|c| c.in_pieces()) {
            let text = compaction::text_of(answer)?;
            let (chunk, of) = chunks.number();
            chunks.answered(&text, &*self.context.counter)?;
            self.context.emit_progress(chunk as u64, of as u64, text);
            question.attempt = 1;
            question.refused = None;
            question.failures.clear();
            return Ok(None);
        }
        let wants_retain = self.config.compaction.wants_retain();
        self.judge_settled(pending, |session, pending| {
            session.judge_with_language(pending, answer, wants_retain)
        })
        .map(Some)
    }

    /// Judges on the view as the passes before the fold leave it; that is how it stays if the answer is accepted. The plan is
    /// one that is [still wanted](Self::still_wanted).
    pub(super) fn judge_settled<T>(
        &mut self,
        pending: &mut Pending,
        judge: impl FnOnce(&Self, &Pending) -> Result<T>,
    ) -> Result<T> {
        let version = self.context.view.changes().version();
        let done = self.settle(&mut pending.question.run)?;
        if self.context.view.changes().version() != version {
            self.refresh(&mut pending.question.plan);
        }
        self.keep_who_asked(&mut pending.question.plan);
        let judged = if pending.question.plan.members.is_empty() {
            Err(Error::new(ErrorCode::StalePlan, NOTHING_LEFT))
        } else {
            judge(self, pending)
        };
        if judged.is_err() {
            self.take_back(&mut pending.question.run, done);
        }
        judged
    }

    fn judge_with_language(&self, pending: &Pending, answer: &Answer, wants_retain: bool) -> Result<Judged> {
        let mut judged = self.judge(pending, answer, wants_retain)?;
        if let Some(script) = self.script().filter(|s| !s.is_of(&judged.accepted.text)) {
            if pending.question.attempt < self.config.compaction.max_attempts {
                let language = self.language().unwrap_or_else(|| script.language().to_owned());
                let why =
                    format!("the summary is not written in the language that was asked for: {language}");
                return Err(Error::new(ErrorCode::SummaryInvalid, why));
            }
            judged.accepted.note("the summary is not in the conversation's language");
        }
        Ok(judged)
    }

    /// Judges an answer. What it leaves room for is not folded. The ledger is then written again for what still is, and so is a
    /// summary of our own.
    pub(super) fn judge(&self, pending: &Pending, answer: &Answer, wants_retain: bool) -> Result<Judged> {
        let aim = pending.question.run.aim;
        let mut judged = self.judged(pending.question.plan.clone(), answer, wants_retain, &aim)?;
        let tokens = judged.accepted.tokens;
        if let Some(room) = self.room(&pending.question).filter(|room| tokens > *room) {
            let why = format!(
                "the summary takes {tokens} tokens and the view has room for {room}: ask for a shorter one"
            );
            return Err(Error::new(ErrorCode::SummaryNotSmaller, why));
        }
        if judged.plan.after(&self.context, tokens) > aim.most {
            judged.plan.frame = None; // in a view of a few dozen tokens there is room for the summary, and for no word about it
        }
        let marks = (aim.low, aim.most);
        let smaller = judged.plan.clone().giving_back(&self.context, &judged.accepted, marks);
        let smaller = smaller.and_then(|plan| {
            let own = answer.built_in.then(|| Answer {
                by_provider: answer.by_provider.clone(),
                ..self.built_in(&pending.question, &plan)
            });
            self.judged(plan, own.as_ref().unwrap_or(answer), wants_retain, &aim).ok()
        });
        Ok(smaller.unwrap_or(judged))
    }

    fn judged(&self, plan: FoldPlan, answer: &Answer, wants_retain: bool, aim: &Aim) -> Result<Judged> {
        let redact = self.redact.as_ref();
        let budget = aim.ledger.budget(&self.context, aim.low);
        let carried = if budget.is_none() {
            Carried::default()
        } else {
            self.carried.of(&self.context, &self.carriers(&plan.members), redact)?
        };
        let terms = LedgerTerms { carried: &carried, budget, low: aim.low, most: aim.most, redact };
        let accepted = compaction::judge(&self.context, &plan, answer, wants_retain, &terms)?;
        Ok(Judged { plan, accepted, carried })
    }

    /// What a fold carries on with: the newest summary that stays beside it, which carries all before it (its own ledger may
    /// have had no room), and its members.
    fn carriers(&self, members: &[NodeIndex]) -> Vec<NodeIndex> {
        let folded: NodeSet = members.iter().copied().collect();
        let mut body = self.context.view.body().iter().map(|slot| slot.node);
        let is_beside = |node: &NodeIndex| {
            self.context.history.node(*node).kind == NodeKind::Summary && !folded.contains(node)
        };
        body.rfind(is_beside).into_iter().chain(members.iter().copied()).collect()
    }

    pub(super) fn fail(&mut self, question: Question, error: Error) -> Error {
        self.context.emit(EventName::CompactionFailed, &question.plan.members, error.in_brief());
        let Question { mut run, attempt, pass, .. } = question;
        if run.background {
            return error;
        }
        run.decide(pass, self.tokens(), self.tokens(), Vec::new(), error.in_brief());
        run.summary.get_or_insert_default().attempts = attempt;
        if run.folded {
            self.drop_bound_thinking(&[]); // what stood behind a fold that stays
        }
        self.failed = Some(self.make_report(run));
        error
    }
}

/// The last attempt's error, which says why those before it failed, where that was not the same.
fn of_all_attempts(error: Error, question: &Question) -> Error {
    let last = error.in_brief();
    if error.code() == ErrorCode::Aborted || question.failures.iter().all(|earlier| *earlier == last) {
        return error;
    }
    let earlier = question.failures.iter().enumerate();
    let earlier: Vec<String> = earlier.map(|(n, why)| format!("attempt {}: {why}", n + 1)).collect();
    let tries = format!(" (that was attempt {}; {})", earlier.len() + 1, earlier.join("; "));
    let brief = format!("{}{tries}", error.brief());
    error.advising(&tries).told_as(brief)
}

/// An error for want of a summary, where the view does not fit without.
pub(super) fn does_not_fit(error: Error, tokens: u64, most: u64) -> Error {
    error.advising(&format!(
        ". The view takes {tokens} tokens, more than the {most} that it may: call again for another summary, or make room otherwise"
    ))
}

/// No request is answered: what one went without is nobody's loss.
fn unasked(mut pending: Pending) -> Pending {
    pending.question.chunks = None;
    pending.question.size = pending.question.plan.layout.first_size();
    pending.request.max_tokens = None;
    pending
}

fn pieces_do_not_end(pending: &Pending, error: &Error) -> bool {
    let in_pieces = pending.question.chunks.as_ref().is_some_and(Chunks::in_pieces);
    in_pieces && error.code() == ErrorCode::SummaryFailed
}
