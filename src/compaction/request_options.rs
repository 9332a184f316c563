//! What a request for a summary contains besides the conversation.

use super::chunks::Chunks;
use super::config::CompactionConfig;
use super::plan::FoldPlan;
use super::redact::Redact;
use super::scope::RequestScope;
use super::{Profile, prompts};
use crate::error::Result;
use crate::names::names;

names! {
    /// Why a summary is asked for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Reason {
        /// The view reached its threshold.
        Threshold = "threshold",
        /// `compact()` was called.
        Manual = "manual",
        /// A pass of the ladder asked for it.
        Ladder = "ladder",
        /// The previous answer was rejected.
        Retry = "retry",
        /// The conversation is larger than the summariser's window, and this request covers a part of it.
        Chunk = "chunk",
        /// The provider refused a request as too long.
        Recover = "recover",
    }
}

/// What a request for a summary contains besides the conversation.
#[derive(Debug, Clone)]
pub struct RequestOptions<'a> {
    /// The configuration.
    pub config: &'a CompactionConfig,
    /// The caller's instructions for this compaction.
    pub instructions: Option<&'a str>,
    /// Why the summary is asked for.
    pub reason: Reason,
    /// Why the previous answer was rejected.
    pub refused: Option<&'a str>,
    /// How far the request has been made smaller.
    pub scope: RequestScope,
    /// The conversation in pieces, if not even the smallest size fits.
    pub chunks: Option<&'a Chunks>,
    /// Redacts what is sent to the summariser.
    pub redact: Option<&'a Redact>,
    /// The language to write in; `None`: the conversation's.
    pub language: Option<&'a str>,
    /// The request may be the view itself, with its tools (`RequestKind::Continue`).
    pub continues: bool,
    /// A continuing request ends where the view that was sent last ended: the history had this many nodes then. Newer messages that are not
    /// folded would be written to the prompt cache for nothing, because after the fold they are written once more.
    pub sent: Option<usize>,
    /// The provider ties thinking to the text before it, so thinking is left out of requests whose text differs from the view's.
    pub drops_bound_thinking: bool,
    /// The largest output of the summariser's model, if known.
    pub max_output: Option<u64>,
}

impl RequestOptions<'_> {
    pub(super) fn max_tokens(&self, profile: Profile) -> Option<u64> {
        profile.max_tokens().map(|asked| self.within_output(asked))
    }

    /// `tokens`, but at most as many as the summariser's model can write.
    pub(super) fn within_output(&self, tokens: u64) -> u64 {
        self.max_output.map_or(tokens, |most| tokens.min(most))
    }

    /// The size to ask for: the room that the plan left, but no more than the answer may have.
    pub(super) fn summary_size(&self, plan: &FoldPlan) -> Option<u64> {
        let room = plan.room.map(|room| self.within_output(room));
        [room, self.max_tokens(plan.profile)].into_iter().flatten().min()
    }

    /// The instruction for one piece of the conversation.
    pub(super) fn chunk_instruction(&self) -> String {
        prompts::Instructions {
            summary_prompt: Some(prompts::CHUNK.trim_end()),
            summary_directives: &self.refused.map(refusal).into_iter().collect::<Vec<_>>(),
            language: self.language,
            ..prompts::Instructions::default()
        }
        .compose()
    }

    /// The instruction after the conversation. Fails if the redaction fails.
    pub(super) fn instruction(&self, plan: &FoldPlan) -> Result<String> {
        let config = self.config;
        let mut directives = config.summary_directives.clone();
        if let Some(given) = self.instructions {
            directives.push(self.redact.map_or_else(|| Ok(given.to_owned()), |r| r.text(given))?);
        }
        directives.extend(self.refused.map(refusal));
        let instructions = prompts::Instructions {
            profile: plan.profile,
            summary_prompt: config.summary_prompt.as_deref(),
            summary_directives: &directives,
            retain_prompt: config.retain_prompt.as_deref(),
            retain_directives: &config.retain_directives,
            language: self.language,
            size: self.summary_size(plan),
        };
        Ok(instructions.compose())
    }
}

fn refusal(refused: &str) -> String {
    format!("Your previous answer could not be used: {refused}. Please correct this.")
}
