//! Checks why a model stopped, in its provider's words.

use crate::error::{Error, ErrorCode, Result};
use crate::facts::words::is_listed;

/// The words for a normal end: `OpenAI` (`stop`, `completed`), Anthropic and Bedrock (`end_turn`, `stop_sequence`), Google (`STOP`), Cohere
/// (`COMPLETE`), Hugging Face and watsonx (`eos_token`), Together and llama.cpp (`eos`), Titan (`FINISH`), AI21 (`endoftext`).
const BY_ITSELF: &str = "stop stopped stop_sequence stop_token end_turn end complete completed finish finished eos eos_token eot \
    endoftext end_of_text";

const BY_LENGTH: &str = "length limit max_tokens max_output_tokens max_length max_output_reached max_new_tokens model_length \
    model_context_window_exceeded incomplete";

const BY_FILTER: &str = "content_filter content_filtered guardrail_intervened refusal safety sensitive recitation language \
    prohibited_content blocklist spii image_safety error_toxic toxicity";

/// Accepts an answer only if its model finished normally or gave no reason. After an unknown reason the text may be incomplete.
///
/// # Errors
/// `SUMMARY_TRUNCATED`, with the word.
pub fn check(finish_reason: &str) -> Result<()> {
    let word = normal(finish_reason);
    if word.is_empty() || is_listed(&word, BY_ITSELF) {
        return Ok(());
    }
    let why = if is_listed(&word, BY_LENGTH) {
        format!(
            "the summary was cut off by its length limit (finish_reason `{finish_reason}`); allow it more output tokens or ask for a shorter one"
        )
    } else if is_listed(&word, BY_FILTER) {
        format!(
            "the summary was cut off by the provider's content filter (finish_reason `{finish_reason}`); remove the offending text with `compaction.redact`, or use another model"
        )
    } else {
        format!(
            "the summary may be cut off: finish_reason `{finish_reason}` does not say that the model finished by itself, as `stop`, `end_turn` and `completed` do; call the model without tools, and if it did finish, leave finish_reason out"
        )
    };
    Err(Error::new(ErrorCode::SummaryTruncated, why))
}

/// Normalises spellings: `FinishReason.STOP`, `FINISH_REASON_STOP` and `stop` become one.
fn normal(word: &str) -> String {
    let last = word.trim().rsplit('.').next().unwrap_or_default();
    let lower = last.to_ascii_lowercase().replace(['-', ' '], "_");
    lower.strip_prefix("finish_reason_").map_or_else(|| lower.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_finish_reasons_pass_and_all_others_are_named() {
        for word in [
            "stop", "STOP", "end_turn", "stop-sequence", "COMPLETE", "completed", "eos_token", "",
            "FINISH_REASON_STOP", "FinishReason.STOP",
        ] {
            assert!(check(word).is_ok(), "{word}");
        }
        for word in [
            "length", "max_tokens", "content-filter", "refusal", "error", "failed", "cancelled", "other",
            "unknown", "insufficient_system_resource", "pause_turn", "tool_calls", "tool_use",
            "MALFORMED_FUNCTION_CALL", "model_length", "max_output_reached", "tool-calls", "abort",
            "in_progress",
        ] {
            let error = check(word).unwrap_err();
            assert_eq!(error.code(), ErrorCode::SummaryTruncated);
            assert!(error.message().contains(&format!("`{word}`")), "{error}");
        }
    }
}
