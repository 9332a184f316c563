//! Whether an answer is a summary that may replace what it stands for.

use super::layout::engine_message;
use super::plan::FoldPlan;
use super::tags;
use crate::context::{Context, NodeKind};
use crate::error::{Error, ErrorCode};
use crate::message::{Message, Role};
use crate::tokens::TokenUsage;

/// What the callback answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The text, tags and all.
    pub text: String,
    /// The provider's word for why it stopped.
    pub finish_reason: Option<String>,
    /// What the call used.
    pub usage: Option<TokenUsage>,
}

/// A summary that may be put in.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// The summary's message.
    pub summary: Message,
    /// The retained text's message.
    pub retain: Option<Message>,
    /// What was done instead of what was asked.
    pub fallback: Option<String>,
}

/// Judges an answer (COMP-10): not empty, not cut off, smaller than what it replaces.
pub fn judge(
    context: &Context,
    plan: &FoldPlan,
    answer: &Answer,
    wants_retain: bool,
) -> Result<Accepted, Error> {
    if let Some(reason) = answer.finish_reason.as_deref().filter(|r| is_cut_off(r)) {
        let why = format!(
            "the summary was cut off by its length limit (finish_reason `{reason}`); allow it more output tokens or ask for a shorter one"
        );
        return Err(Error::new(ErrorCode::SummaryTruncated, why));
    }
    let tagged = tags::extract(&answer.text);
    if tagged.form == tags::Form::CutOff {
        let why = "the answer opens <summary> and never closes it: it was cut off";
        return Err(Error::new(ErrorCode::SummaryTruncated, why));
    }
    let text = tagged.summary.unwrap_or_default();
    if text.trim().is_empty() {
        return Err(Error::new(ErrorCode::SummaryEmpty, "the summary is empty"));
    }
    let summary = engine_message(Role::User, text.trim());
    let given = tagged
        .retain
        .as_deref()
        .map(str::trim)
        .filter(|t| !t.is_empty())
        .map(|t| engine_message(Role::User, t));
    let carried_over = given.is_none();
    // What an earlier answer wanted retained is never lost, only replaced (COMP-3).
    let retain = given.or_else(|| earlier_retain(context, plan));

    let tokens = context.count(&summary) + retain.as_ref().map_or(0, |m| context.count(m));
    if tokens >= plan.tokens {
        let (new, old) = (tokens, plan.tokens);
        let why = format!("the summary takes {new} tokens and would replace {old}: ask for a shorter one");
        return Err(Error::new(ErrorCode::SummaryNotSmaller, why));
    }
    let mut notes = Vec::new();
    if tagged.form == tags::Form::Untagged {
        notes.push("the answer had no <summary> tags; its whole text was used");
    }
    match (&retain, carried_over) {
        (Some(_), true) => notes.push("the answer had no <retain> section; the earlier one stays"),
        (None, _) if wants_retain => notes.push("the answer had no <retain> section"),
        _ => {}
    }
    Ok(Accepted { summary, retain, fallback: (!notes.is_empty()).then(|| notes.join("; ")) })
}

/// The retained text that the fold would take out of the view.
fn earlier_retain(context: &Context, plan: &FoldPlan) -> Option<Message> {
    let mut newest_first = plan.members.iter().rev().map(|m| context.history.node(*m));
    newest_first.find(|n| n.kind == NodeKind::Retain).map(|n| Message::clone(&n.message))
}

/// The words of `OpenAI`, Anthropic, Google and the AI SDK for "stopped by the output limit".
fn is_cut_off(finish_reason: &str) -> bool {
    let reason = finish_reason.to_ascii_lowercase();
    ["length", "max_tokens", "max_output_tokens", "max-tokens", "incomplete", "model_context_window_exceeded"]
        .contains(&reason.as_str())
}
