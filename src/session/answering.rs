//! What a run does with the answer to its summary request: accept it, ask again, replace it or refuse it.
//!
//! If an answer is refused, the model is asked again and told why. If the callback fails, it is asked again, too; its error goes
//! into no prompt. If there is no summary in the end, a run whose view must fit goes on without one (`Run::missing_summary`) and fails
//! only if the view does not fit: whether to cut more is the caller's decision (`onFailure`). `compact`, which only folds, fails.

use super::plan_refresh::NOTHING_LEFT;
use super::run::{Fit, MissingSummary, Pending, Question, WithoutSummary};
use super::state::Session;
use super::summarizer::Summarizer;
use crate::compaction::extractive::{self, ExtractiveOptions};
use crate::compaction::ledger::CarriedFacts;
use crate::compaction::{self, Answer, Chunks, FoldPlan, Layout, LedgerTerms, OnFailure, engine_message};
use crate::context::{EventName, NodeIndex, NodeKind, NodeSet};
use crate::error::{Error, ErrorCode, Result};
use crate::facts::without_ledger;
use crate::message::Message;
use crate::passes::Aim;

/// The built-in summariser gets at least this many tokens; with fewer it could say nothing.
pub(super) const MIN_SUMMARY_TOKENS: u64 = 64;

/// Turns with fewer tokens than this, or than 1 / `SMALL_SHARE` of what the view may take, may be left without a summary if none
/// would be smaller: the next summary covers them, too.
const LITTLE_TOKENS: u64 = 256;
const SMALL_SHARE: u64 = 16;

/// Characters of a callback's error that reports and events show.
const MAX_ERROR_CHARS: usize = 240;

/// Shown instead if redacting the error fails.
const REDACTION_FAILED: &str = "the summarize callback failed";

/// The end of an error for a missing summary: what the caller can do.
const STAND_IN_ADVICE: &str =
    "; set `compaction: { onFailure: \"extractive\" }` to fall back to the built-in summariser";

/// What happens with an answer.
pub(super) enum AnswerOutcome {
    /// The answer is a summary.
    Accepted(Box<(Pending, Judged)>),
    /// Ask again, or ask about the next piece.
    AskNext(Box<Question>),
    /// The answer cannot be used, and no attempt is left.
    Refused(Box<Pending>, Error),
    /// Something other than the answer failed.
    Failed(Box<Question>, Error),
}

/// A summary that was accepted, with its plan and what it carries over.
pub(super) struct Judged {
    pub plan: FoldPlan,
    pub accepted: compaction::Accepted,
    pub carried: CarriedFacts,
}

impl Session {
    /// Goes on with the model's answer. If it is not a usable summary, the model is asked again; after the last attempt the run
    /// fails or uses the extractive summariser, as configured. If that fails, the session is as it was before the run (INV-4).
    pub fn resume(&mut self, pending: Pending, answer: &Answer) -> Result<Fit> {
        match self.evaluate(pending, answer)? {
            AnswerOutcome::Accepted(judged) => {
                let (pending, judged) = *judged;
                self.accept(pending, judged)
            }
            AnswerOutcome::AskNext(question) => self.ask(*question),
            AnswerOutcome::Refused(pending, error) => self.give_up(*pending, error),
            AnswerOutcome::Failed(question, error) => self.continue_or_fail(*question, error),
        }
    }

    /// Decides what happens with an answer. If it is accepted, the passes before the fold have already run.
    pub(super) fn evaluate(&mut self, pending: Pending, answer: &Answer) -> Result<AnswerOutcome> {
        let mut pending = self.still_wanted(pending)?;
        self.extract_facts_for(&pending.question.run.aim);
        let worded = self.with_own_text(answer, &pending.question);
        let answer = worded.as_ref().unwrap_or(answer);
        let attempt = pending.question.attempt;
        let summary = pending.question.run.summary.get_or_insert_default();
        summary.attempts = attempt;
        summary.usage = match (summary.usage, answer.usage) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        let error = match self.judge_or_ask_next(&mut pending, answer) {
            Ok(Some(judged)) => return Ok(AnswerOutcome::Accepted(Box::new((pending, judged)))),
            Ok(None) => return Ok(AnswerOutcome::AskNext(Box::new(pending.question))),
            Err(error) => error,
        };
        if error.code() == ErrorCode::StalePlan {
            return Err(self.fail(pending.question, error));
        }
        if error.code() == ErrorCode::SummaryFailed {
            // Asking again would not bring the pieces together, and another answer would not mend `compaction.redact`.
            return Ok(if pieces_failed(&pending, &error) {
                AnswerOutcome::Refused(Box::new(pending), error)
            } else {
                AnswerOutcome::Failed(Box::new(pending.question), error)
            });
        }
        if attempt == self.config.compaction.max_attempts {
            return Ok(AnswerOutcome::Refused(Box::new(pending), error));
        }
        pending.question.attempt += 1;
        pending.question.failures.push(error.in_brief());
        pending.question.refused = Some(error.message().to_owned());
        Ok(AnswerOutcome::AskNext(Box::new(pending.question)))
    }

    /// The callback failed: the same request is made again while attempts are left. The model never sees the error, and
    /// reports show it redacted.
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

    /// Shortens and redacts an error for reports and events. If the redaction fails, they show only the code.
    fn redacted(&self, error: Error) -> Error {
        if !error.has_brief() {
            return error;
        }
        let redacted = match &self.host.redact {
            Some(redact) => redact.text(error.brief()).unwrap_or_else(|_| REDACTION_FAILED.to_owned()),
            None => error.brief().to_owned(),
        };
        let mut shown: String = redacted.chars().take(MAX_ERROR_CHARS + 1).collect();
        if let Some((end, _)) = shown.char_indices().nth(MAX_ERROR_CHARS) {
            shown.truncate(end);
            shown.push('…');
        }
        error.with_brief(shown)
    }

    /// Goes on with the built-in summary. No request is sent, so its size does not matter.
    pub fn resume_extractive(&mut self, pending: Pending) -> Result<Fit> {
        let mut pending = without_request(pending);
        pending.question.built_in = self.host.summarizer != Summarizer::Given; // a plan previews what a callback would be asked
        let answer = self.built_in(&pending.question, &pending.question.plan);
        self.resume(pending, &answer)
    }

    /// Goes on with a summary of everything that is folded, even if the request was about one piece.
    pub fn resume_at_once(&mut self, mut pending: Pending, answer: &Answer) -> Result<Fit> {
        pending.question.chunks = None;
        self.resume(pending, answer)
    }

    /// The built-in summariser's summary of what this run folds.
    pub fn extractive(&self, pending: &Pending) -> String {
        self.built_in(&pending.question, &pending.question.plan).text
    }

    /// If only the provider can read the answer, adds our own summary for all other formats.
    fn with_own_text(&self, answer: &Answer, question: &Question) -> Option<Answer> {
        let by_provider = answer.by_provider.clone().filter(|_| answer.text.is_empty());
        let own = |by_provider| Answer {
            usage: answer.usage,
            by_provider: Some(by_provider),
            ..self.built_in(question, &question.plan)
        };
        by_provider.map(own)
    }

    /// The built-in summary of a plan, which leaves to the ledger what that tells, if one is written.
    fn built_in(&self, question: &Question, plan: &FoldPlan) -> Answer {
        self.built_in_beside(self.writes_ledger(question), question, plan)
    }

    fn writes_ledger(&self, question: &Question) -> bool {
        let aim = question.run.aim;
        !aim.ledger.budget(&self.context, aim.target, aim.limit).is_none()
    }

    fn built_in_beside(&self, beside_ledger: bool, question: &Question, plan: &FoldPlan) -> Answer {
        let most = plan.size().unwrap_or(ExtractiveOptions::default().max_tokens);
        let within = |room: u64| room.saturating_sub(room / 8).max(MIN_SUMMARY_TOKENS);
        let room = most.min(question.room.map_or(u64::MAX, within));
        let mut text =
            if most > 0 { self.extracted(&plan.members, room, beside_ledger) } else { String::new() };
        if text.is_empty() {
            // Without a summary there would be no fold, and no ledger. A counter of characters leaves little room for one.
            text = extractive::empty_summary();
        }
        Answer { text: plan.profile.wrap(text), built_in: true, ..Answer::default() }
    }

    /// The built-in summariser's summary of these entries.
    pub(super) fn extracted(&self, members: &[NodeIndex], max_tokens: u64, beside_ledger: bool) -> String {
        let told = |member: &NodeIndex| {
            let node = self.context.history.node(*member);
            // As they were pushed: an output that is now a placeholder still says how its command ended.
            let mut message = Message::clone(&node.message);
            if beside_ledger && node.kind == NodeKind::Summary {
                let text = message.plain_text();
                message = engine_message(message.role, without_ledger(&text).0); // the ledger is written anew
            }
            // A message that cannot be redacted is left out.
            match &self.host.redact {
                Some(redact) => redact.message(&message).ok(),
                None => Some(message),
            }
        };
        let told: Vec<Message> = members.iter().filter_map(told).collect();
        let refs = self.context.wording.names_refs();
        let options = ExtractiveOptions { max_tokens, refs, beside_ledger };
        extractive::summarize(&told, &*self.context.counter, options)
    }

    /// No usable answer came. The extractive summariser is used if configured. Otherwise a run whose view must fit goes on
    /// without a summary and fails with `error` only if the view does not fit; any other run fails. A failed run changes
    /// nothing.
    pub fn give_up(&mut self, mut pending: Pending, error: Error) -> Result<Fit> {
        let error = with_earlier_failures(error, &pending.question);
        if pending.question.run.background {
            return Err(self.fail(pending.question, error)); // a run that needs the fold asks again and falls back then
        }
        // Another process is summarising this session: load what it saves instead of summarising again.
        if matches!(error.code(), ErrorCode::Aborted | ErrorCode::StoreConflict) {
            return self.continue_or_fail(pending.question, error);
        }
        if pending.question.built_in {
            return self.continue_or_fail(pending.question, error); // there is nobody else to ask
        }
        if self.config.compaction.on_failure == OnFailure::Error {
            return self.continue_or_fail(pending.question, error.with_advice(STAND_IN_ADVICE));
        }
        pending = without_request(self.still_wanted(pending)?);
        let answer = self.built_in(&pending.question, &pending.question.plan);
        match self.judge_after_passes(&mut pending, |session, pending| session.judge(pending, &answer, false))
        {
            Ok(mut judged) => {
                let why = format!("the extractive summariser was used instead: {}", error.in_brief());
                let members = &pending.question.plan.members;
                self.context.emit(EventName::CompactionFailed, members, why.clone());
                judged.accepted.fallback = Some(why);
                pending.question.run.summary.get_or_insert_default().attempts = pending.question.attempt;
                self.accept(pending, judged)
            }
            Err(_) => self.continue_or_fail(pending.question, error),
        }
    }

    /// Whether a waiting run can go on if there is no summary: its view fits, and nobody asked for a fold.
    pub fn can_continue_without_summary(&self, pending: &Pending) -> bool {
        let Question { run, plan, .. } = &pending.question;
        let leaves_out = plan.layout == Layout::SystemSummary && run.must_fit();
        let fits = self.tokens() <= self.aim(run.aim.fill).limit;
        matches!(run.without_summary, WithoutSummary::Continues) && !run.background && !leaves_out && fits
    }

    /// Makes such a run go on.
    pub fn continue_without_summary(&mut self, pending: Pending, why: Error) -> Result<Fit> {
        self.continue_or_fail(pending.question, why)
    }

    /// Goes on without a summary if allowed, else fails.
    ///
    /// - A run whose view must fit goes on with the next pass if there was only little to fold or the caller wants no error
    ///   (then the last resort may follow), or if no turns were left out for the summary to cover.
    /// - A run that was asked to fold fails, unless its view must fit, does not, and may be shortened.
    /// - A hook's run goes on if the view fits as it is.
    pub(super) fn continue_or_fail(&mut self, question: Question, error: Error) -> Result<Fit> {
        let leaves_out = question.plan.layout == Layout::SystemSummary;
        let (tokens, most) = (self.tokens(), self.aim(question.run.aim.fill).limit);
        let is_little = question.plan.must_be_smaller_than() < LITTLE_TOKENS.max(most / SMALL_SHARE);
        let too_little = error.code() == ErrorCode::SummaryNotSmaller && (!leaves_out || is_little);
        let no_error = question.built_in || self.config.compaction.on_failure == OnFailure::Extractive;
        let may_shorten = too_little || no_error;
        let goes_on = match (question.run.must_fit(), question.run.without_summary) {
            (true, WithoutSummary::Continues) => may_shorten || !leaves_out,
            (true, WithoutSummary::Fails) => may_shorten && tokens > most,
            (false, WithoutSummary::Continues) => tokens <= most,
            (false, WithoutSummary::Fails) => false,
        };
        if error.code() == ErrorCode::Aborted || !goes_on {
            let over = tokens > most && error.code() != ErrorCode::Aborted;
            let error = if over { does_not_fit(error, tokens, most) } else { error };
            return Err(self.fail(question, error));
        }
        let may_shorten = may_shorten && question.run.must_fit();
        self.context.emit(EventName::CompactionFailed, &question.plan.members, error.in_brief());
        let Question { mut run, attempt, pass, built_in, .. } = question;
        run.note(pass, self.tokens(), error.in_brief());
        run.summary.get_or_insert_default().attempts = attempt;
        run.summary_failure = Some(error.in_brief());
        // If there was little to fold, or nobody to ask, the view does not fit for another reason than the missing summary.
        let missing_summary = MissingSummary { error, may_shorten };
        run.missing_summary = Some(missing_summary)
            .filter(|missing_summary| !missing_summary.may_shorten || !(is_little || built_in));
        self.continue_without_fold(run)
    }

    /// Takes a piece's summary and returns `None` (ask about the next piece), or judges the last answer.
    fn judge_or_ask_next(&mut self, pending: &mut Pending, answer: &Answer) -> Result<Option<Judged>> {
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
        self.judge_after_passes(pending, |session, pending| {
            session.judge_with_language(pending, answer, wants_retain)
        })
        .map(Some)
    }

    /// Judges an answer on the view that the passes before the fold leave. If it is accepted, the view stays so. The plan must be
    /// [still wanted](Self::still_wanted).
    pub(super) fn judge_after_passes<T>(
        &mut self,
        pending: &mut Pending,
        judge: impl FnOnce(&Self, &Pending) -> Result<T>,
    ) -> Result<T> {
        let version = self.context.view.changes().version();
        let done = self.run_passes_before_fold(&mut pending.question.run)?;
        if self.context.view.changes().version() != version {
            self.refresh(&mut pending.question.plan);
        }
        self.keep_asking_message(&mut pending.question.plan);
        let judged = if pending.question.plan.members.is_empty() {
            Err(Error::new(ErrorCode::StalePlan, NOTHING_LEFT))
        } else {
            judge(self, pending)
        };
        if judged.is_err() {
            self.undo_passes(&mut pending.question.run, done);
        }
        judged
    }

    fn judge_with_language(&self, pending: &Pending, answer: &Answer, wants_retain: bool) -> Result<Judged> {
        let mut judged = self.judge(pending, answer, wants_retain)?;
        if let Some(script) = self.script().filter(|s| !s.may_be_of(&judged.accepted.text)) {
            if pending.question.attempt < self.config.compaction.max_attempts {
                let language = self.language().unwrap_or_else(|| script.language().to_owned());
                let why = format!("the summary is not written in the requested language: {language}");
                return Err(Error::new(ErrorCode::SummaryInvalid, why));
            }
            judged.accepted.note("the summary is not in the conversation's language");
        }
        Ok(judged)
    }

    /// Judges an answer. If the summary is smaller than planned, some planned messages stay; then the ledger is written again for
    /// those that are still folded, and so is a built-in summary.
    pub(super) fn judge(&self, pending: &Pending, answer: &Answer, wants_retain: bool) -> Result<Judged> {
        let aim = pending.question.run.aim;
        let mut judged =
            self.judged_with_ledger(pending, pending.question.plan.clone(), answer, wants_retain, 0)?;
        let tokens = judged.accepted.tokens;
        if let Some(room) = self.room(&pending.question).filter(|room| tokens > *room) {
            let why = format!(
                "the summary takes {tokens} tokens, but the view has room for only {room}: it must be shorter"
            );
            return Err(Error::new(ErrorCode::SummaryNotSmaller, why));
        }
        if !compaction::can_fit(&self.context, &judged.plan, tokens, aim.limit) {
            judged.plan.frame = None; // in a view of a few dozen tokens there is no room for words around the summary
        }
        let marks = (aim.target_after_fold, aim.limit);
        let smaller = judged.plan.clone().keep_newest_that_fit(&self.context, &judged.accepted, marks);
        let again = |plan: FoldPlan, spare| {
            let own = answer.built_in.then(|| Answer {
                by_provider: answer.by_provider.clone(),
                ..self.built_in(&pending.question, &plan)
            });
            self.judged_with_ledger(pending, plan, own.as_ref().unwrap_or(answer), wants_retain, spare).ok()
        };
        let smaller = smaller.and_then(|plan| again(plan, 0));
        // Messages that come back must not cost the ledger, nor more of the user's rules.
        let smaller = smaller.filter(|smaller| {
            (smaller.accepted.ledger_tokens > 0 || judged.accepted.ledger_tokens == 0)
                && smaller.accepted.omitted.rules <= judged.accepted.omitted.rules
        });
        let judged = smaller.unwrap_or(judged);
        // If nothing is cut in a view that is made once, facts may have what no step has room in.
        let spare = self.spare(&judged, &aim);
        let fuller = (spare > 0).then(|| again(judged.plan.clone(), spare)).flatten();
        let fuller = fuller.filter(|fuller| {
            let after = fuller.plan.after(&self.context, fuller.accepted.tokens);
            after <= aim.target_after_fold && fuller.accepted.omitted.rules <= judged.accepted.omitted.rules
        });
        Ok(fuller.unwrap_or(judged))
    }

    /// The tokens that a view which is made once leaves free after a fold because nothing in it is cut and no step fits.
    fn spare(&self, judged: &Judged, aim: &Aim) -> u64 {
        let is_full = judged.plan.cut.as_ref().is_none_or(|cut| !cut.nodes.is_empty());
        if is_full || !aim.fill || aim.ledger.configured.is_some() {
            return 0;
        }
        aim.target_after_fold.saturating_sub(judged.plan.after(&self.context, judged.accepted.tokens))
    }

    /// Judges an answer for this plan. If it is a built-in summary that leaves things to a ledger, and no ledger found room, it tells
    /// everything itself. `spare`: the tokens that the ledger may take beyond its budget.
    fn judged_with_ledger(
        &self,
        pending: &Pending,
        plan: FoldPlan,
        answer: &Answer,
        wants_retain: bool,
        spare: u64,
    ) -> Result<Judged> {
        let question = &pending.question;
        let judged = self.judged(plan.clone(), answer, wants_retain, &question.run.aim, spare)?;
        if !answer.built_in || judged.accepted.ledger_tokens > 0 || !self.writes_ledger(question) {
            return Ok(judged);
        }
        let by_provider = answer.by_provider.clone();
        let alone = Answer { by_provider, ..self.built_in_beside(false, question, &plan) };
        Ok(self.judged(plan, &alone, wants_retain, &question.run.aim, spare).unwrap_or(judged))
    }

    fn judged(
        &self,
        plan: FoldPlan,
        answer: &Answer,
        wants_retain: bool,
        aim: &Aim,
        spare: u64,
    ) -> Result<Judged> {
        let redact = self.host.redact.as_ref();
        let budget = aim.ledger.budget(&self.context, aim.target, aim.limit).and_spare(spare);
        let carried = if budget.is_none() {
            CarriedFacts::default()
        } else {
            self.runs.carried.of(&self.context, &self.ledger_sources(&plan.members), redact)?
        };
        let low = if plan.cut.is_some() { aim.target_after_fold } else { aim.target };
        let terms = LedgerTerms { carried: &carried, budget, target: low, limit: aim.limit, redact };
        let accepted = compaction::judge(&self.context, &plan, answer, wants_retain, &terms)?;
        Ok(Judged { plan, accepted, carried })
    }

    /// The nodes whose facts a fold's ledger has to cover: the newest summary that stays in the view (its own ledger may have had
    /// no room), and the fold's members.
    fn ledger_sources(&self, members: &[NodeIndex]) -> Vec<NodeIndex> {
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
        run.note(pass, self.tokens(), error.in_brief());
        run.summary.get_or_insert_default().attempts = attempt;
        if run.folded {
            self.drop_bound_thinking(&[]); // thinking after a fold that stays
        }
        self.runs.failed = Some(self.make_report(run));
        error
    }
}

/// The last attempt's error. It also says why earlier attempts failed, if they failed differently.
fn with_earlier_failures(error: Error, question: &Question) -> Error {
    let last = error.in_brief();
    if error.code() == ErrorCode::Aborted || question.failures.iter().all(|earlier| *earlier == last) {
        return error;
    }
    let earlier = question.failures.iter().enumerate();
    let earlier: Vec<String> = earlier.map(|(n, why)| format!("attempt {}: {why}", n + 1)).collect();
    let tries = format!(" (that was attempt {}; {})", earlier.len() + 1, earlier.join("; "));
    let brief = format!("{}{tries}", error.brief());
    error.with_advice(&tries).with_brief(brief)
}

/// The error if there is no summary and the view does not fit without one.
pub(super) fn does_not_fit(error: Error, tokens: u64, most: u64) -> Error {
    error.with_advice(&format!(
        ". The view takes {tokens} tokens, over its limit of {most}: call again to try another summary, or free up room some other way"
    ))
}

/// Prepares a pending run for a summary that answers no request: the request's limits do not apply.
fn without_request(mut pending: Pending) -> Pending {
    pending.question.chunks = None;
    pending.question.size = pending.question.plan.layout.first_scope();
    pending.request.max_tokens = None;
    pending
}

fn pieces_failed(pending: &Pending, error: &Error) -> bool {
    let in_pieces = pending.question.chunks.as_ref().is_some_and(Chunks::in_pieces);
    in_pieces && error.code() == ErrorCode::SummaryFailed
}
