//! A summary that is written in the background while the conversation goes on.
//!
//! It is asked for at a lower mark than the threshold. Its answer is judged and kept when it comes. The next call that may change
//! the view puts the fold in: [`Session::prepare`], [`Session::compact`] or [`Session::check_and_compact`]. Until then only
//! pushes change the view, so no prompt cache is lost between two calls, and nothing changes under a caller who reads the view.
//!
//! The answer holds while everything that it covers is still in the view. A `prepare` whose view fits does not wait for it; one
//! whose view does not fit does. Pauses after a failure are counted in messages, because the core has no clock.

use std::sync::Arc;

use super::accepting::{RequestShape, Summarized};
use super::answering::AnswerOutcome;
use super::background::State;
use super::run::{Fit, Pending, Question, Run};
use super::state::Session;
use crate::compaction::{Answer, FoldPlan, Reason};
use crate::context::EventName;
use crate::error::{Error, Result};

impl Session {
    /// A summary is asked for in the background from this many tokens on; `None` if it never is.
    pub fn background_mark(&self) -> Option<u64> {
        let config = &self.config.compaction;
        let share = config.background.filter(|_| config.enabled && config.auto)? / config.threshold_ratio;
        self.threshold().map(|threshold| (threshold as f64 * share) as u64)
    }

    /// Whether [`Session::begin_in_background`] may have something to ask. Cheap.
    pub fn wants_background(&self) -> bool {
        matches!(self.background.state, State::Idle)
            && self.context.history.len() >= self.background.pause_until
            && self.background_mark().is_some_and(|mark| self.has_reached(mark))
    }

    /// Asks for a summary of what would be folded now, if the view has reached its mark. The session goes on unchanged; pass the
    /// answer to [`Session::answer_in_background`].
    pub fn begin_in_background(&mut self) -> Option<Pending> {
        if !self.wants_background() {
            return None;
        }
        let aim = self.aim(false);
        self.extract_facts_for(&aim);
        let mark = self.background_mark();
        let left = |plan: &FoldPlan| self.corrected(plan.after(&self.context, 0));
        // If the view stayed above its mark after the fold, the next step would ask again.
        let gains = |plan: &FoldPlan| mark.is_some_and(|mark| left(plan) < mark);
        let Some((plan, pass)) = self.fold_plan(&aim, false).filter(|(plan, _)| gains(plan)) else {
            self.background.pause(self.context.history.len());
            return None;
        };
        let mut run = self.begin(Reason::Threshold, None, aim, Arc::new([]));
        run.background = true;
        self.background.state = State::Asked;
        self.context.emit(EventName::CompactionStarted, &plan.members, "in the background".to_owned());
        let asked = self.ask(Question::first(run, plan, pass));
        self.continue_in_background(asked)
    }

    /// Takes an answer. Returns the next request, or `None` if the answer was kept or refused (`compaction_failed`).
    pub fn answer_in_background(&mut self, pending: Pending, answer: Answer) -> Option<Pending> {
        if !self.background.is_asked() {
            return None; // the background was turned off meanwhile
        }
        let went_on = match self.evaluate(pending, &answer) {
            Ok(AnswerOutcome::Accepted(judged)) => {
                self.background.state = State::Ready(Box::new((judged.0, answer)));
                return None;
            }
            Ok(AnswerOutcome::AskNext(question)) => self.ask(*question),
            Ok(AnswerOutcome::Refused(pending, error)) => Err(self.fail(pending.question, error)),
            Ok(AnswerOutcome::Failed(question, error)) => Err(self.fail(*question, error)),
            Err(error) => Err(error),
        };
        self.continue_in_background(went_on)
    }

    /// Whether a summary is ready and not put in yet.
    pub fn has_background_summary(&self) -> bool {
        self.background.is_ready()
    }

    /// Nobody was asked, because another process is asking for the same summary (`compaction_failed`).
    pub fn not_asked_in_background(&mut self, pending: Pending, error: Error) {
        if self.background.is_asked() {
            let failed = Err(self.fail(pending.question, error));
            self.continue_in_background(failed);
        }
    }

    /// No answer came: a smaller request is made, the request is repeated, or the run gives up (`compaction_failed`).
    pub fn not_answered_in_background(
        &mut self,
        pending: Pending,
        error: Error,
        too_long: bool,
    ) -> Option<Pending> {
        if !self.background.is_asked() {
            return None; // the background was turned off meanwhile
        }
        let went_on = if too_long { self.shrink(pending) } else { self.not_answered(pending, error) };
        self.continue_in_background(went_on)
    }

    /// Drops the running or finished background summary if the options turn the background off, and emits
    /// `compaction_failed`.
    pub(super) fn drop_unwanted_background(&mut self) {
        if self.background_mark().is_some() || matches!(self.background.state, State::Idle) {
            return;
        }
        let dropped = std::mem::take(&mut self.background.state);
        let plan = match &dropped {
            State::Ready(ready) => &ready.0.question.plan.members[..],
            State::Asked | State::Idle => &[],
        };
        let why = "the background summary was dropped: the options no longer call for one";
        self.context.emit(EventName::CompactionFailed, plan, why.to_owned());
    }

    /// Drops the finished background summary if a fold is asked for with instructions, because it was written without them.
    /// The report says so.
    pub(super) fn drop_without_instructions(&mut self, run: &mut Run) {
        if let State::Ready(ready) = &self.background.state {
            let pass = ready.0.question.pass;
            self.background.state = State::Idle;
            let why = "the background summary was dropped: it was requested without these instructions";
            run.note(pass, self.tokens(), why.to_owned());
        }
    }

    /// Handles the result of a step in the background. It never ends a run: the fold waits for [`Session::apply_background`].
    fn continue_in_background(&mut self, went_on: Result<Fit, Error>) -> Option<Pending> {
        match went_on {
            Ok(Fit::NeedsSummary(pending)) => Some(*pending),
            Ok(Fit::Done(_)) | Err(_) => {
                self.background.fail(self.context.history.len());
                None
            }
        }
    }

    /// Puts in the fold that the background has ready, before anything else that `run` does. If it no longer holds it is
    /// dropped, and the report and an event say so. Returns true if the fold was put in.
    pub(super) fn apply_background(&mut self, run: &mut Run) -> bool {
        if !self.background.is_ready() {
            return false;
        }
        let State::Ready(ready) = std::mem::take(&mut self.background.state) else { return false };
        let (mut pending, answer) = *ready;
        pending.question.run.aim = run.aim;
        let pass = pending.question.pass;
        let wants_retain = self.config.compaction.wants_retain();
        let judged = self.still_wanted(pending).and_then(|mut pending| {
            let judged =
                self.judge_after_passes(&mut pending, |session, p| session.judge(p, &answer, wants_retain));
            match judged {
                Ok(judged) => Ok((pending, judged)),
                Err(error) => Err(self.fail(pending.question, error)),
            }
        });
        match judged {
            Ok((pending, judged)) => {
                let lowered = pending.request.lowered();
                let Question { run: asked, size, chunks, .. } = pending.question;
                run.summary = asked.summary;
                let summary = Summarized { judged, pass, request: RequestShape { size, chunks, lowered } };
                self.apply_fold(run, summary, "its summary was written in the background".to_owned());
                true
            }
            Err(error) => {
                let why = format!("the background summary was dropped: {}", error.in_brief());
                run.note(pass, self.tokens(), why);
                self.background.fail(self.context.history.len());
                false
            }
        }
    }

    /// Drops the finished background summary if another fold took its place. The report of that other fold says so.
    pub(super) fn drop_superseded(&mut self, run: &mut Run) {
        if let State::Ready(ready) = &self.background.state
            && !self.is_still_foldable(&ready.0.question.plan)
        {
            self.apply_background(run);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::error::ErrorCode;
    use crate::message::{Message, Role};
    use crate::session::SessionConfig;
    use crate::tokens::Estimate;

    fn session(turns: usize) -> Session {
        let options = json!({
            "contextWindow": 2_000, "safetyMargin": 0, "ladder": [{ "pass": "summarize" }],
            "compaction": { "background": true, "maxAttempts": 1, "ledgerTokens": 0, "onFailure": "extractive" },
        });
        let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate));
        say(&mut session, turns);
        session
    }

    fn say(session: &mut Session, turns: usize) {
        for n in 0..turns {
            let message_of = |role| Message::text(role, format!("turn {n} {}", "lorem ipsum ".repeat(70)));
            session.push(vec![message_of(Role::User), message_of(Role::Assistant)]).unwrap();
        }
    }

    fn good() -> Answer {
        Answer { text: "<summary>the gist</summary>".to_owned(), ..Answer::default() }
    }

    fn done(fit: Fit) -> crate::context::Report {
        match fit {
            Fit::Done(report) => std::rc::Rc::unwrap_or_clone(report),
            Fit::NeedsSummary(_) => panic!("it asks"),
        }
    }

    #[test]
    fn no_summary_is_requested_if_the_fold_would_leave_the_view_above_the_mark() {
        let mut s = session(0);
        let message_of = |role, words: usize| Message::text(role, "lorem ipsum ".repeat(words));
        s.push(vec![message_of(Role::User, 30), message_of(Role::Assistant, 30)]).unwrap();
        s.push(vec![message_of(Role::User, 340), message_of(Role::Assistant, 340)]).unwrap();
        let plan = s.fold_plan(&s.aim(false), false).expect("there is a fold, a small one").0;
        assert!(s.wants_background() && s.tokens() - plan.tokens > 1_400, "{} {}", s.tokens(), plan.tokens);
        assert!(s.begin_in_background().is_none() && !s.wants_background(), "it pauses");
        assert!(s.take_events().iter().all(|e| e.event != EventName::CompactionStarted));
    }

    #[test]
    fn a_failure_changes_nothing_uses_no_fallback_and_pauses_until_more_messages() {
        let mut s = session(5);
        let before = s.context().view_messages();
        for round in 0..3 {
            let bytes = s.snapshot(b"");
            let paused = (s.background.failures, s.background.pause_until);
            let pending = s.begin_in_background().unwrap_or_else(|| panic!("round {round}"));
            let down = Error::new(ErrorCode::SummaryFailed, "down");
            assert!(s.not_answered_in_background(pending, down, false).is_none());
            let mut but_for_the_pause = s.clone();
            (but_for_the_pause.background.failures, but_for_the_pause.background.pause_until) = paused;
            assert!(but_for_the_pause.snapshot(b"") == bytes, "a failure is more than its pause");
            assert_eq!(&s.context().view_messages()[..before.len()], &before[..]);
            for _ in 0..8 << round {
                assert!(!s.wants_background(), "round {round}");
                s.push(vec![Message::text(Role::User, "hm")]).unwrap();
            }
        }
        let failed = s.take_events().iter().filter(|e| e.event == EventName::CompactionFailed).count();
        assert_eq!((failed, s.context().folds.len(), s.report()), (3, 0, None));
    }

    #[test]
    fn a_summary_overtaken_by_another_fold_is_reported_once() {
        let mut s = session(5);
        let pending = s.begin_in_background().unwrap();
        say(&mut s, 3);
        let Fit::NeedsSummary(asked) = s.prepare().unwrap() else { panic!("it is too large") };
        assert!(s.answer_in_background(pending, good()).is_none() && s.background.is_ready());
        let mut fit = s.resume(*asked, &good()).unwrap();
        while let Fit::NeedsSummary(of_the_next_piece) = fit {
            fit = s.resume(*of_the_next_piece, &good()).unwrap();
        }
        let report = done(fit);
        assert!(report.decisions.iter().any(|d| d.why.contains("background summary was dropped")));
        assert!(done(s.prepare().unwrap()).decisions.is_empty());
    }

    #[test]
    fn options_that_turn_the_background_off_discard_its_summary() {
        for (off, ready) in [
            (json!({ "enabled": false }), true),
            (json!({ "auto": false }), true),
            (json!({ "background": false }), true),
            (json!({ "enabled": false }), false),
        ] {
            let mut s = session(5);
            let pending = s.begin_in_background().unwrap();
            let mut compaction = json!({ "maxAttempts": 1, "ledgerTokens": 0, "background": true });
            for (key, value) in off.as_object().unwrap() {
                compaction[key] = value.clone();
            }
            let given = json!({ "contextWindow": 2_000, "safetyMargin": 0, "compaction": compaction });
            let config = SessionConfig::from_value(&given).unwrap();
            if ready {
                assert!(s.answer_in_background(pending, good()).is_none() && s.background.is_ready());
                s.set_options(config, None);
            } else {
                s.set_options(config, None);
                assert!(s.answer_in_background(pending, good()).is_none());
            }
            assert!(!s.background.is_ready() && !s.background.is_asked(), "{off}");
        }
    }

    #[test]
    fn instructions_discard_a_summary_written_without_them() {
        let mut s = session(5);
        let pending = s.begin_in_background().unwrap();
        assert!(s.answer_in_background(pending, good()).is_none() && s.background.is_ready());
        let fit = s.compact(Reason::Manual, Some("Keep the moon.".to_owned())).unwrap().unwrap();
        let Fit::NeedsSummary(pending) = fit else { panic!("the instructions go to a summariser") };
        let asked = pending.request.messages().last().unwrap().plain_text();
        assert!(asked.contains("Keep the moon."));
        let Fit::Done(report) = s.resume(*pending, &good()).unwrap() else { panic!("it is done") };
        assert!(report.decisions.iter().any(|d| d.why.contains("without these instructions")));
    }
}
