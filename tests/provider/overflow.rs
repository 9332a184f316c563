//! "Too long" answers, each with its figures.

use contextfold::provider::{Overflow, is_overflow, overflow};

#[test]
fn each_text_is_recognised_with_its_figures() {
    for (text, limit, actual) in [
        ("prompt is too long: 205668 tokens > 200000 maximum", Some(200_000), Some(205_668)),
        (
            r#"400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}"#,
            Some(200_000),
            Some(213_462),
        ),
        (
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
            Some(200_000),
            Some(188_240),
        ),
        (
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            None,
            None,
        ),
        (
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130123 tokens.",
            Some(128_000),
            Some(130_123),
        ),
        (
            "This model's maximum context length is 65536 tokens. However, you requested 80000 tokens (79000 in the messages, 1000 in the completion).",
            Some(65_536),
            Some(80_000),
        ),
        (
            "This endpoint's maximum context length is 1,048,576 tokens. However, you requested about 1,200,001 tokens",
            Some(1_048_576),
            Some(1_200_001),
        ),
        (r#"{"error":{"code":"context_length_exceeded"}}"#, None, None),
        (
            "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
            Some(1_048_575),
            Some(1_196_265),
        ),
        (
            "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
            Some(131_072),
            Some(537_812),
        ),
        ("Please reduce the length of the messages or completion.", None, None),
        ("Input is too long for requested model.", None, None),
        ("prompt token count of 150000 exceeds the limit of 128000", Some(128_000), Some(150_000)),
        ("the request exceeds the available context size, try increasing it", None, None),
        ("request (9000 tokens) exceeds the available context size (8192 tokens)", Some(8192), Some(9000)),
        (
            "The number of tokens to keep from the initial prompt is greater than the context length",
            None,
            None,
        ),
        ("invalid params, context window exceeds limit", None, None),
        ("Your request exceeded model token limit: 262144 (requested: 300000)", Some(262_144), Some(300_000)),
        (
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            Some(32_768),
            Some(40_000),
        ),
        (
            "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
            Some(8192),
            Some(9000),
        ),
        ("Too many tokens in the request", None, None),
    ] {
        assert_eq!(overflow(text), Some(Overflow { limit, actual }), "{text}");
    }
}

#[test]
fn other_errors_are_not() {
    for text in [
        "",
        "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000.",
        "Too many tokens per day, please wait before trying again.",
        "Overloaded",
        "No tool call found for function call output with call_id call_1.",
        "Invalid 'input[95].call_id': string too long. Expected a string with maximum length 64, but got a string with length 116 instead.",
        "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for this model",
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "The requested model 'gpt-9' does not exist.",
        "You exceeded your current quota, please check your plan and billing details.",
    ] {
        assert!(!is_overflow(text), "{text}");
    }
}

#[test]
fn nothing_that_was_refused_for_another_reason_is_taken_for_it() {
    for list in super::data::recorded("rejected-by-the-api-400.jsonl") {
        let text = list.record["error"].to_string();
        assert!(!is_overflow(&text), "{}: {text}", list.name);
    }
}
