//! "Too long" errors, each with its numbers.

use contextfold::provider::{Overflow, is_too_large, overflow, refusal_texts};

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn each_overflow_message_is_recognised_with_its_numbers() {
    for (text, limit, actual) in [
        (
            "ValidationException: Too many input tokens. Max input tokens: 300000, request input token count: 355123",
            Some(300_000),
            Some(355_123),
        ),
        (
            "The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum",
            Some(200_000),
            Some(210_000),
        ),
        (
            "The model returned the following errors: input length and `max_tokens` exceed context limit: 196395 + 64000 > 204698, decrease input length or `max_tokens` and try again",
            Some(140_698),
            Some(196_395),
        ),
        ("ValidationException: Input is too long for requested model.", None, None),
        ("too many total text bytes: 30000000 > 25000000", None, None),
        ("prompt is too long: 205668 tokens > 200000 maximum", Some(200_000), Some(205_668)),
        (
            r#"400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}"#,
            Some(200_000),
            Some(213_462),
        ),
        (
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
            Some(178_667),
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
            Some(64_536),
            Some(79_000),
        ),
        (
            "This model's maximum context length is 128000 tokens. However, you requested 142500 tokens (62500 in the messages, 80000 in the completion). Please reduce the length of the messages or completion.",
            Some(48_000),
            Some(62_500),
        ),
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (6000 in the messages, 1000 in the functions, and 2000 in the completion).",
            Some(6_192),
            Some(7_000),
        ),
        (
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 140100 tokens (100000 of text input, 100 of tool input, 40000 in the output).",
            Some(91_072),
            Some(100_100),
        ),
        (
            "This model's maximum context length is 40960 tokens. However, you requested 8192 output tokens and your prompt contains at least 32769 input tokens, for a total of at least 40961 tokens.",
            Some(32_768),
            Some(32_769),
        ),
        (
            "Input length (265330) exceeds model's maximum context length (262144).",
            Some(262_144),
            Some(265_330),
        ),
        (
            "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
            Some(131_040),
            Some(131_393),
        ),
        ("prompt too long; exceeded max context length by 4 tokens", None, None),
        ("model_context_window_exceeded", None, None),
        (
            "This endpoint's maximum context length is 1,048,576 tokens. However, you requested about 1,200,001 tokens",
            Some(1_048_576),
            Some(1_200_001),
        ),
        (r#"{"error":{"code":"context_length_exceeded"}}"#, None, None),
        // The message of `@google/genai`'s `ApiError` is the response's JSON; gateways wrap it in JSON again.
        (
            r#"{"error":{"code":400,"message":"The input token count (1234567) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
            Some(1_048_576),
            Some(1_234_567),
        ),
        (
            r#"{"error":{"message":"{\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"The input token count exceeds the maximum number of tokens allowed 1048576.\",\n    \"status\": \"INVALID_ARGUMENT\"\n  }\n}\n","code":400,"status":"Bad Request"}}"#,
            Some(1_048_576),
            None,
        ),
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
fn other_errors_are_not_overflows() {
    for text in [
        "",
        "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000.",
        "Too many tokens per day, please wait before trying again.",
        "ThrottlingException: Too many tokens, please wait before trying again.",
        "429 Too Many Requests: token limit exceeded",
        "400 status code (no body)",
        "Overloaded",
        "No tool call found for function call output with call_id call_1.",
        "Invalid 'input[95].call_id': string too long. Expected a string with maximum length 64, but got a string with length 116 instead.",
        "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for this model",
        "messages.1.content.0: Invalid `signature` in `thinking` block",
        "The requested model 'gpt-9' does not exist.",
        "You exceeded your current quota, please check your plan and billing details.",
    ] {
        assert!(!is_too_large(text), "{text}");
    }
}

#[test]
fn rejections_for_other_reasons_are_not_overflows() {
    for list in super::data::recorded("rejected-by-the-api-400.jsonl") {
        let text = list.record["error"].to_string();
        assert!(!is_too_large(&text), "{}: {text}", list.name);
    }
}

#[test]
fn a_rate_limit_in_another_message_does_not_hide_an_overflow() {
    let texts = |list: &[&str]| list.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
    let said = texts(&["rate_limit_exceeded on the first try", "prompt is too long: 9 tokens > 8 maximum"]);
    assert_eq!(refusal_texts(&said), ["prompt is too long: 9 tokens > 8 maximum"]);
    let throttled = texts(&["ThrottlingException", "Too many tokens"]);
    assert_eq!(refusal_texts(&throttled), [""; 0]);
    assert_eq!(refusal_texts(&texts(&["Too many tokens"])), ["Too many tokens"]);
}
