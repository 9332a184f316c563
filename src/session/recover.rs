//! When the provider refuses a request as too long all the same (COMP-23).

use std::sync::Arc;

use super::facade::Session;
use super::run::Fit;
use crate::compaction::Reason;
use crate::context::NodeKind;
use crate::error::{Error, ErrorCode, Result};
use crate::message::Role;
use crate::provider::{Overflow, overflow};
use crate::saved::saved;

/// How often a view may be refused before the model has answered again.
const TRIES: u32 = 3;

/// What is left of a view that was refused without figures that explain it.
const SMALLER: f64 = 0.75;

/// How much more than we a provider may count: beyond that the two figures are not of the same request.
const MOST_UNDER_COUNTED: f64 = 2.0;

/// How often the view was refused since the model last answered.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recovery {
    tries: u32,
    /// What was refused before, as we counted it and as the provider did.
    refused: Option<(u64, u64)>,
    /// The model's answers in the history when it was refused.
    answers: usize,
    /// What was said last, for the report of the run that minds it.
    said: Option<Overflow>,
}

saved!(struct Recovery { tries, refused, answers } fresh { said: None });

impl Recovery {
    /// Why a fold was due, in the provider's figures.
    pub fn why(&self) -> String {
        let said = self.said.unwrap_or_default();
        match (said.actual, said.limit) {
            (Some(actual), Some(limit)) => {
                format!("the provider refused the request: {actual} tokens, and it takes {limit}")
            }
            (None, Some(limit)) => {
                format!("the provider refused the request as too long: it takes {limit} tokens")
            }
            (Some(actual), None) => format!("the provider refused the request as too long: {actual} tokens"),
            (None, None) => "the provider refused the request as too long".to_owned(),
        }
    }
}

impl Session {
    /// Makes the view fit what a provider's error teaches; `None` for an error that does not say "too long".
    ///
    /// `said` is all that the error says. The limit that it names holds from now on, in the model's own tokens as all limits;
    /// where the provider counted more than we did, counts are corrected by as much from now on (where nothing may be learnt
    /// of counts, the limit is smaller by as much instead). An error without figures, or with figures that the view keeps,
    /// takes a quarter off the view.
    ///
    /// # Errors
    /// `CONTEXT_WINDOW_EXCEEDED` on the fourth call without an answer of the model in between, and as
    /// [`Session::prepare`].
    pub fn recover(&mut self, said: &str) -> Result<Option<Fit>> {
        let Some(overflow) = overflow(said) else { return Ok(None) };
        let nodes = self.context.history.nodes().iter();
        let answers =
            nodes.filter(|n| n.kind == NodeKind::Message && n.message.role == Role::Assistant).count();
        if answers != self.recovery.answers {
            self.recovery = Recovery { answers, ..Recovery::default() };
        }
        if self.recovery.tries == TRIES {
            let run = self.begin(Reason::Recover, None, self.aim(false), Arc::new([]));
            self.failed = Some(self.make_report(run));
            let why = format!(
                "the provider refused the view as too long {TRIES} times in a row, each time after it was made smaller; it said: {}",
                said.chars().take(300).collect::<String>()
            );
            return Err(Error::new(ErrorCode::ContextWindowExceeded, why));
        }
        self.recovery.tries += 1;
        self.recovery.said = Some(overflow);
        if !self.speaks_of_the_view_before(overflow) {
            self.learn(overflow);
        }
        let mut fit = self.prepare()?;
        if let Fit::NeedsSummary(pending) = &mut fit {
            pending.request.reason = Reason::Recover;
            pending.question.run.reason = Reason::Recover;
        }
        Ok(Some(fit))
    }

    /// Whether it is the view refused before that is refused, once more: by a call that ran beside the first, or by a retry
    /// of the old request. The view has been made smaller since, so that there is nothing more to learn.
    fn speaks_of_the_view_before(&self, overflow: Overflow) -> bool {
        let (Some((counted, reported)), Some(actual)) = (self.recovery.refused, overflow.actual) else {
            return false;
        };
        let now = self.tokens();
        let meant = actual as f64 * counted as f64 / reported.max(1) as f64; // in tokens as we count
        let nearer = (meant - counted as f64).abs() < (meant - now as f64).abs();
        now < counted && nearer && self.config.limit.is_some_and(|limit| self.corrected(now) <= limit)
    }

    /// Limits are in the model's own tokens: what the provider counted beyond what we make of our counts corrects the counts,
    /// and comes off the limit only where it cannot.
    fn learn(&mut self, overflow: Overflow) {
        let counted = self.tokens().max(1);
        self.recovery.refused = overflow.actual.map(|actual| (counted, actual));
        let under_counted = |actual: u64, by: u64| actual as f64 / by as f64;
        if let Some(actual) = overflow.actual
            && self.corrected(counted) < actual
            && under_counted(actual, counted) <= MOST_UNDER_COUNTED
        {
            self.accuracy.learn_from_refusal(counted, actual);
        }
        let corrected = self.corrected(counted).max(1);
        let left = |actual| under_counted(actual, corrected).clamp(1.0, MOST_UNDER_COUNTED);
        let left = overflow.actual.map_or(1.0, left);
        let told = overflow.limit.map(|limit| (limit as f64 / left) as u64);
        let known = [told, self.config.limit].into_iter().flatten().min();
        let explained = known.filter(|limit| *limit < corrected);
        let limit = explained.unwrap_or((corrected as f64 * SMALLER) as u64).max(1);
        self.config.limit = Some(limit);
        self.config.window = [overflow.limit, self.config.window].into_iter().flatten().min().or(Some(limit));
    }
}
