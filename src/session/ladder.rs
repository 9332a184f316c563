//! A run over the view, from its beginning to its report. Passes that fold stand before those that change slots: while a
//! summary is awaited, the view is as it was.

use std::collections::HashSet;

use super::facade::Session;
use super::run::{Fit, Question, Run};
use crate::compaction::Reason;
use crate::context::{CounterReport, EventName, OnEntry, Report, View};
use crate::error::{Error, ErrorCode, Result};
use crate::passes::{Aim, Outcome, Pass};

impl Session {
    /// Begins a run over the view as it is.
    pub(super) fn begin(
        &mut self,
        reason: Reason,
        instructions: Option<String>,
        aim: Option<Aim>,
        passes: Vec<Box<dyn Pass>>,
    ) -> Run {
        let decisions = self.context.decisions_on_entry();
        Run {
            reason,
            instructions,
            aim,
            passes,
            next_pass: 0,
            tokens_before: decisions.first().map_or(self.tokens(), |d| d.tokens_before),
            messages_before: self.context.view.len() as u64,
            decisions,
            summary: None,
            revision: self.revision,
        }
    }

    /// Runs passes until one needs a summary or all have run. Passes that fail leave the view as they found it; a fold that
    /// was accepted before stays.
    pub(super) fn advance(&mut self, mut run: Run) -> Result<Fit> {
        let Some(aim) = run.aim.filter(|_| run.next_pass < run.passes.len()) else {
            return Ok(Fit::Done(Box::new(self.finish(run))));
        };
        let (view, left_out) = (self.context.view.clone(), self.context.left_out.len());
        let stored = self.context.outputs.len();
        while run.next_pass < run.passes.len() {
            let tokens_before = self.tokens();
            let pass = &run.passes[run.next_pass];
            let name = pass.name();
            run.next_pass += 1;
            match pass.run(&mut self.context, &aim) {
                Ok(Outcome::Unchanged) => {}
                Ok(Outcome::Changed { items, why }) => {
                    let items = self.context.ids(&items);
                    run.decide(name, tokens_before, self.tokens(), items, why);
                }
                Ok(Outcome::Fold(plan)) => {
                    self.context.emit(EventName::CompactionStarted, &plan.members, String::new());
                    return Ok(self.ask(Question::first(run, plan)));
                }
                Err(error) => {
                    self.undo(view, left_out, stored);
                    return Err(error);
                }
            }
        }
        if self.tokens() <= aim.most {
            return Ok(Fit::Done(Box::new(self.finish(run))));
        }
        let (tokens, most) = (self.tokens(), aim.most);
        let mut report = self.make_report(run);
        report.left_out.truncate(left_out);
        self.report = Some(report);
        self.undo(view, left_out, stored);
        let why = format!(
            "every pass ran and the view still takes {tokens} tokens, more than the {most} that it may; see the report for what was tried"
        );
        Err(Error::new(ErrorCode::ContextWindowExceeded, why))
    }

    /// Takes back what passes did to the view, and the full texts that they stored for it.
    fn undo(&mut self, view: View, left_out: usize, stored: usize) {
        self.context.view = view;
        self.context.left_out.truncate(left_out);
        let new: HashSet<String> =
            self.context.outputs.refs().into_iter().skip(stored).map(|r| r.id).collect();
        if !new.is_empty() {
            self.context.outputs.collect_garbage(&|id| !new.contains(id), false);
        }
    }

    /// Ends a run: the report, and a fresh start for the next one.
    pub(super) fn finish(&mut self, run: Run) -> Report {
        let reason = run.reason;
        let mut report = self.make_report(run);
        report.left_out = std::mem::take(&mut self.context.left_out);
        self.context.on_entry = OnEntry::default();
        self.context.view.mark();
        if reason == Reason::Ladder {
            self.prepared_at = Some(self.context.history.len());
        }
        self.report = Some(report.clone());
        report
    }

    /// What the run did, so far.
    pub(super) fn make_report(&self, run: Run) -> Report {
        let tokens_after = self.tokens();
        let view = &self.context.view;
        Report {
            window: self.config.window,
            limit: self.config.limit,
            threshold: self.threshold(),
            target: run
                .aim
                .map(|a| if run.decisions.iter().any(|d| d.pass == "summarize") { a.low } else { a.most }),
            tokens_before: run.tokens_before,
            tokens_after,
            messages_before: run.messages_before,
            messages_after: view.len() as u64,
            reduction: if run.tokens_before == 0 {
                0.0
            } else {
                (1.0 - tokens_after as f64 / run.tokens_before as f64).max(0.0)
            },
            budgets: self.context.budgets(),
            counter: CounterReport {
                method: self.context.counter.method().as_str(),
                exact: self.context.counter.exact(),
                margin: self.margin(),
                calibration: 1.0,
            },
            parts: self.context.part_reports(),
            decisions: run.decisions,
            left_out: self.context.left_out.clone(),
            stable_prefix_tokens: view.stable_prefix_tokens().min(tokens_after),
            summary: run.summary,
        }
    }
}
