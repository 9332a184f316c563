//! How a run asks for a summary: in a request that fits the summariser, in the conversation's language.

use super::prompt::tool_name;
use super::run::{Fit, Pending, Question};
use super::state::Session;
use crate::compaction::{
    self, Chunks, Frame, Layout, Reason, RequestKind, RequestOptions, RequestScope, Script, SummaryRequest,
};
use crate::context::{NodeSet, PartName, Slot};
use crate::error::{Error, ErrorCode, Result};
use crate::tool_output::SEARCH_TOOL;

/// A request that was refused as too long is not cut into pieces if it has no more tokens than this.
const MIN_REQUEST_TOKENS: u64 = 512;

/// The language is detected from this many of the newest user messages.
const LANGUAGE_MESSAGES: usize = 8;

impl Session {
    /// Writes the request. If the summariser's window is known, the request fits it. If the redaction fails, the run fails and
    /// nothing changes.
    pub(super) fn ask(&mut self, mut question: Question) -> Result<Fit> {
        question.plan.frame = self.frame();
        // The request shows the view that the passes before the fold will leave.
        let done = match self.run_passes_before_fold(&mut question.run) {
            Ok(done) => done,
            Err(error) => return Err(self.fail(question, error)),
        };
        question.room = self.room(&question);
        let request = self.fitting_request(&mut question);
        self.undo_passes(&mut question.run, done);
        match request {
            Ok(request) => Ok(Fit::NeedsSummary(Box::new(Pending { request, question }))),
            Err(error) => self.continue_or_fail(question, error),
        }
    }

    /// The words around a summary: the caller's, or our default ones under a ladder with an even cut. The documents' ladders
    /// have no words around their summaries.
    pub(super) fn frame(&self) -> Option<Frame> {
        if let Some(given) = &self.config.compaction.frame {
            return given.clone();
        }
        self.config.ladder.even_cut().map(|_| {
            let searched = self.tools().iter().any(|tool| tool_name(tool) == SEARCH_TOOL);
            Frame::by_default(searched.then_some(SEARCH_TOOL))
        })
    }

    /// The tokens that the view has left for a summary if no other turn can make room for it. `None` if there is no such
    /// bound. Call it on the view that the passes before the fold leave.
    pub(super) fn room(&self, question: &Question) -> Option<u64> {
        let run = &question.run;
        let of_turns = question.plan.layout == Layout::SystemSummary && run.must_fit();
        if !of_turns || run.passes.iter().any(|pass| pass.has_more(&self.context)) {
            return None;
        }
        let folded: NodeSet = question.plan.members.iter().copied().collect();
        let goes = self.context.view.body().iter().filter(|slot| folded.contains(&slot.node));
        let stays = self.tokens() - goes.map(Slot::tokens).sum::<u64>();
        Some(run.aim.limit.saturating_sub(stays))
    }

    /// The summariser said that the request is too long: asks with a smaller one, or gives up if there is none.
    pub fn shrink(&mut self, pending: Pending) -> Result<Fit> {
        let pending = self.still_wanted(pending)?;
        let mut question = pending.question;
        let tokens = pending.request.input_tokens;
        if let Some(size) = self.smaller_size(question.size) {
            question.size = size;
            return match self.ask(question)? {
                // If the whole beginning of the view is folded, the smaller size is the same request.
                Fit::NeedsSummary(same)
                    if size != RequestScope::NoOutputs && same.request.input_tokens >= tokens =>
                {
                    self.shrink(*same)
                }
                fit => Ok(fit),
            };
        }
        let smaller = if let Some(chunks) = &mut question.chunks {
            chunks.shrink(&*self.context.counter)
        } else {
            if let Err(error) = self.cut_in_pieces(&mut question, tokens / 2) {
                return Err(self.fail(question, error));
            }
            tokens > MIN_REQUEST_TOKENS
        };
        if smaller {
            return self.ask(question);
        }
        let why = format!(
            "the summariser rejected a request of {tokens} tokens as too long; set compaction.summarizerWindow or use a model with a larger context window"
        );
        self.give_up(
            Pending { request: pending.request, question },
            Error::new(ErrorCode::SummaryFailed, why),
        )
    }

    /// Input tokens of the requests that a model would get for this summary if it answered each with `summary`: one request, or
    /// one per piece and one for their summaries if the conversation is larger than the model's window.
    pub fn request_tokens(&self, pending: &Pending, summary: &str) -> Vec<u64> {
        let mut sizes = vec![pending.request.input_tokens];
        let question = &pending.question;
        let Some(mut chunks) = question.chunks.clone() else { return sizes };
        let language = self.language();
        while chunks.in_pieces() && chunks.answered(summary, &*self.context.counter).is_ok() {
            let ask = RequestOptions { chunks: Some(&chunks), ..self.ask_of(question, language.as_deref()) };
            let Ok(request) = compaction::request(&self.context, &question.plan, &ask) else { break };
            sizes.push(request.input_tokens);
        }
        sizes
    }

    fn fitting_request(&self, question: &mut Question) -> Result<SummaryRequest> {
        let known = self.config.compaction.summarizer_window.or(self.config.summarizer_input);
        let window = known.or(self.config.limit);
        let window = window.map(|tokens| self.counting.accuracy.as_counted(tokens, &*self.context.counter));
        let language = self.language();
        self.redact_pieces(question)?;
        loop {
            let ask = self.ask_of(question, language.as_deref());
            let least = compaction::least_tokens(&self.context, &question.plan, &ask);
            if let Some(smaller) =
                self.smaller_size(question.size).filter(|_| window.is_some_and(|most| least > most))
            {
                question.size = smaller;
                continue;
            }
            let request = compaction::request(&self.context, &question.plan, &ask)?;
            let Some(window) = window.filter(|w| request.input_tokens > *w) else { return Ok(request) };
            match self.smaller_size(question.size) {
                Some(smaller) => question.size = smaller,
                None if question.chunks.is_none() => self.cut_in_pieces(question, window)?,
                None if self.cut_smaller(question, window)? => {}
                None => return Ok(request),
            }
        }
    }

    /// Redacts the pieces that are left, in case the redaction was set after the conversation was cut.
    fn redact_pieces(&self, question: &mut Question) -> Result<()> {
        let Some(redact) = &self.host.redact else { return Ok(()) };
        let is_seen = question.redacted_by.as_ref().is_some_and(|by| by.is(redact));
        if let Some(chunks) = question.chunks.as_mut().filter(|_| !is_seen) {
            chunks.redact(redact, &*self.context.counter)?;
        }
        question.redacted_by = Some(redact.clone());
        Ok(())
    }

    /// Cuts the pieces again after the window became smaller. Returns false if they cannot get smaller.
    fn cut_smaller(&self, question: &mut Question, window: u64) -> Result<bool> {
        let language = self.language();
        let ask = RequestOptions { chunks: None, ..self.ask_of(question, language.as_deref()) };
        let room = compaction::room_of_piece(&self.context, &question.plan, &ask, window)?;
        let cut = |chunks: &mut Chunks| chunks.cut_to(room, &*self.context.counter);
        Ok(question.chunks.as_mut().is_some_and(cut))
    }

    fn ask_of<'a>(&'a self, question: &'a Question, language: Option<&'a str>) -> RequestOptions<'a> {
        RequestOptions {
            config: &self.config.compaction,
            instructions: question.run.instructions.as_deref(),
            reason: if question.attempt > 1 { Reason::Retry } else { question.run.reason },
            refused: question.refused.as_deref(),
            scope: question.size,
            continues: question.size <= RequestScope::Beginning
                && question.chunks.is_none()
                && self.may_continue(),
            sent: self.runs.prepared_at,
            chunks: question.chunks.as_ref(),
            redact: self.host.redact.as_ref(),
            language,
            drops_bound_thinking: self.config.drops_bound_thinking,
            max_output: self.config.summarizer_output,
        }
    }

    /// The next smaller size. `RequestScope::Beginning` is only for a request that continues the view.
    fn smaller_size(&self, size: RequestScope) -> Option<RequestScope> {
        size.smaller().and_then(|size| match size {
            RequestScope::Beginning if !self.may_continue() => size.smaller(),
            size => Some(size),
        })
    }

    /// Whether a request may be the view itself: the same model reads it unchanged, with the tools whose calls are in it.
    fn may_continue(&self) -> bool {
        let config = &self.config.compaction;
        let by_default = match self.config.ladder.even_cut() {
            Some(_) => RequestKind::Continue,
            None => RequestKind::Separate,
        };
        let calls = |(part, tokens, _): (PartName, u64, u64)| part == PartName::ToolCalls && tokens > 0;
        config.request.unwrap_or(by_default) == RequestKind::Continue
            && config.model.is_none()
            && self.host.redact.is_none()
            && (self.prompt.allowed_tools.contains(&true)
                || !self.context.view.tokens_by_part().into_iter().any(calls))
    }

    pub(super) fn cut_in_pieces(&self, question: &mut Question, window: u64) -> Result<()> {
        let language = self.language();
        let ask = self.ask_of(question, language.as_deref());
        question.chunks = Some(compaction::chunks(&self.context, &question.plan, &ask, window)?);
        Ok(())
    }

    /// The script that a summary should be in, if it can be detected.
    pub(super) fn script(&self) -> Option<Script> {
        if let Some(language) = &self.config.compaction.language {
            return Script::of_language(language);
        }
        let user_messages =
            self.context.history.nodes().iter().rev().map(|n| &n.message).filter(|m| m.opens_turn());
        let newest: Vec<String> = user_messages.take(LANGUAGE_MESSAGES).map(|m| m.said_text()).collect();
        Script::of_texts(newest.iter().map(String::as_str))
    }

    /// The language to ask for, if the prompt needs to name one.
    pub(super) fn language(&self) -> Option<String> {
        let detected = || self.script().filter(|s| *s != Script::Latin).map(|s| s.language().to_owned());
        self.config.compaction.language.clone().or_else(detected)
    }
}
