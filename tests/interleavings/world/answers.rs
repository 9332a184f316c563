//! What a callback comes to, and what becomes of it.

use contextfold::compaction::Answer;
use contextfold::session::{Fit, Pending};
use contextfold::{Error, ErrorCode};

use super::messages::words;
use super::{Waits, World};
use crate::fingerprint::fingerprint;

pub const ANSWERS: [&str; 7] = ["good", "empty", "too large", "cut off", "throws", "abort", "too long"];

/// What the callback comes to.
enum Said {
    Text(Answer),
    Failed(Error),
    TooLong,
}

fn said(answer: usize) -> Said {
    let of = |text: &str, finish: Option<&str>| {
        Said::Text(Answer {
            text: text.to_owned(),
            finish_reason: finish.map(str::to_owned),
            ..Answer::default()
        })
    };
    match answer {
        0 => of("<summary>the gist</summary>", None),
        1 => of("", None),
        2 => of(&format!("<summary>{}</summary>", words(100)), None),
        3 => of("<summary>half", Some("length")),
        4 => Said::Failed(Error::new(ErrorCode::SummaryFailed, "it failed")),
        5 => Said::Failed(Error::new(ErrorCode::Aborted, "it failed")),
        _ => Said::TooLong,
    }
}

impl World {
    /// The oldest question, or the newest, is answered.
    pub fn answer(&mut self, newest: bool, answer: usize, is_new: bool) {
        let waits = if newest { self.waiting.pop().unwrap() } else { self.waiting.remove(0) };
        let pending = match waits {
            Waits::Run(pending) => pending,
            Waits::Background(pending) => return self.answer_in_background(pending, answer),
        };
        self.log.push(format!("{}{}", ANSWERS[answer], if newest { " to the newest" } else { "" }));
        let before = is_new.then(|| fingerprint(&self.session));
        let folds = self.session.context().folds.len();
        let s = &mut self.session;
        let fit = match said(answer) {
            Said::Text(text) => s.resume(pending, &text),
            Said::Failed(error) if error.code() == ErrorCode::Aborted => s.give_up(pending, error),
            Said::Failed(error) => s.not_answered(pending, error),
            Said::TooLong => s.shrink(pending),
        };
        match &fit {
            _ if !is_new => {}
            // A fold that was accepted stays, though not even with it the view fits.
            Err(error) if s.context().folds.len() > folds => {
                assert_eq!(error.code(), ErrorCode::ContextWindowExceeded);
            }
            Err(_) => assert_eq!(Some(fingerprint(s)), before, "what fails changes nothing"),
            Ok(Fit::NeedsSummary(_)) if s.context().folds.len() == folds => {
                assert_eq!(Some(fingerprint(s)), before, "what waits has changed nothing");
            }
            Ok(_) => {}
        }
        self.came(fit);
    }

    /// Whatever comes in the background, nothing changes under who reads; only that it pauses after a failure is kept.
    fn answer_in_background(&mut self, pending: Pending, answer: usize) {
        self.log.push(format!("{} in the background", ANSWERS[answer]));
        let s = &mut self.session;
        let before = fingerprint(s).text;
        let next = match said(answer) {
            Said::Text(text) => s.answer_in_background(pending, text),
            Said::Failed(error) => s.not_answered_in_background(pending, error, false),
            Said::TooLong => {
                let error = Error::new(ErrorCode::SummaryFailed, "too long");
                s.not_answered_in_background(pending, error, true)
            }
        };
        assert_eq!(fingerprint(s).text, before, "it changes nothing before somebody asks for a fold");
        self.waiting.extend(next.map(Waits::Background));
    }
}
