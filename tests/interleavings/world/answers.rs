//! The results of a callback, and what follows from them.

use contextfold::session::{Answer, Fit, Pending};
use contextfold::{Error, ErrorCode};

use super::messages::words;
use super::{Waits, World};
use crate::fingerprint::fingerprint;

pub const ANSWERS: [&str; 7] = ["good", "empty", "too large", "cut off", "throws", "abort", "too long"];

/// The result of the callback.
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
    /// Answers the oldest request, or the newest.
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
            // An accepted fold stays, even if the view still does not fit.
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

    /// A background answer never changes what a reader sees; only the pause after a failure is saved.
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
