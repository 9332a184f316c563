use super::*;
use crate::error::ErrorCode;
use proptest::prelude::*;
use serde_json::json;

/// Returns input, output, written, read.
fn read(value: &Value) -> (u64, u64, u64, u64) {
    let u = TokenUsage::from_value(value).unwrap();
    assert_eq!(
        u.total_tokens,
        u.input_tokens + u.output_tokens + u.cache_creation_tokens + u.cache_read_tokens
    );
    (u.input_tokens, u.output_tokens, u.cache_creation_tokens, u.cache_read_tokens)
}

#[test]
fn responses_include_the_cache_in_the_input() {
    let plain = json!({ "input_tokens": 100, "input_tokens_details": { "cached_tokens": 60 }, "output_tokens": 7,
        "output_tokens_details": { "reasoning_tokens": 5 }, "total_tokens": 107 });
    assert_eq!(read(&plain), (40, 7, 0, 60));
    let written = json!({ "input_tokens": 100, "input_tokens_details": { "cached_tokens": 10, "cache_write_tokens": 80 },
        "output_tokens": 7, "total_tokens": 107 });
    assert_eq!(read(&written), (10, 7, 80, 10));
    assert_eq!(read(&json!({ "input_tokens": 5, "output_tokens": null })), (5, 0, 0, 0));
}

#[test]
fn chat_completions_and_compatible_apis() {
    let openai = json!({ "prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107,
        "prompt_tokens_details": { "cached_tokens": 64, "audio_tokens": null } });
    assert_eq!(read(&openai), (36, 7, 0, 64));
    let deepseek = json!({ "prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107,
        "prompt_cache_hit_tokens": 90, "prompt_cache_miss_tokens": 10, "prompt_tokens_details": { "cached_tokens": 90 } });
    assert_eq!(read(&deepseek), (10, 7, 0, 90));
    let hit_and_miss =
        json!({ "completion_tokens": 7, "prompt_cache_hit_tokens": 90, "prompt_cache_miss_tokens": 10 });
    assert_eq!(read(&hit_and_miss), (10, 7, 0, 90));
    let xai = json!({ "prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 157,
        "completion_tokens_details": { "reasoning_tokens": 50 }, "prompt_tokens_details": { "cached_tokens": 40 } });
    assert_eq!(read(&xai), (60, 57, 0, 40));
    let twice_named = json!({ "prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107,
        "prompt_tokens_details": { "cached_tokens": 90, "cache_write_tokens": 90 } });
    assert_eq!(read(&twice_named), (10, 7, 0, 90));
    assert_eq!(read(&json!({ "promptTokens": 3, "completionTokens": 4, "totalTokens": 7 })), (3, 4, 0, 0));
}

#[test]
fn anthropic_reports_the_cache_separately_from_the_input() {
    let usage = json!({ "input_tokens": 4, "output_tokens": 193, "cache_creation_input_tokens": 6,
        "cache_read_input_tokens": 8845, "cache_creation": { "ephemeral_5m_input_tokens": 6, "ephemeral_1h_input_tokens": 0 } });
    assert_eq!(read(&usage), (4, 193, 6, 8845));
    let by_duration = json!({ "input_tokens": 4, "output_tokens": 1,
        "cache_creation": { "ephemeral_5m_input_tokens": 6, "ephemeral_1h_input_tokens": 5 } });
    assert_eq!(read(&by_duration), (4, 1, 11, 0));
}

#[test]
fn every_version_of_the_ai_sdk() {
    let v5 = json!({ "inputTokens": 100, "outputTokens": 7, "totalTokens": 107, "reasoningTokens": 5, "cachedInputTokens": 60 });
    assert_eq!(read(&v5), (40, 7, 0, 60));
    let v5_anthropic =
        json!({ "inputTokens": 4, "outputTokens": 7, "totalTokens": 11, "cachedInputTokens": 8845 });
    assert_eq!(read(&v5_anthropic), (4, 7, 0, 8845));
    let v6 = json!({ "inputTokens": 100, "inputTokenDetails": { "noCacheTokens": 10, "cacheReadTokens": 60, "cacheWriteTokens": 30 },
        "outputTokens": 7, "outputTokenDetails": { "textTokens": 2, "reasoningTokens": 5 }, "totalTokens": 107, "cachedInputTokens": 60 });
    assert_eq!(read(&v6), (10, 7, 30, 60));
    let provider = json!({ "inputTokens": { "total": 100, "noCache": null, "cacheRead": 60, "cacheWrite": 30 },
        "outputTokens": { "total": 7, "text": 2, "reasoning": 5 }, "raw": {} });
    assert_eq!(read(&provider), (10, 7, 30, 60));
}

#[test]
fn gemini_langchain_bedrock_and_our_own_shape() {
    let gemini = json!({ "promptTokenCount": 100, "cachedContentTokenCount": 60, "candidatesTokenCount": 7,
        "thoughtsTokenCount": 3, "totalTokenCount": 110 });
    assert_eq!(read(&json!({ "usageMetadata": gemini })), (40, 10, 0, 60));
    let langchain = json!({ "input_tokens": 100, "output_tokens": 7, "total_tokens": 107,
        "input_token_details": { "cache_read": 60, "cache_creation": 30 } });
    assert_eq!(read(&json!({ "usage_metadata": langchain })), (10, 7, 30, 60));
    let converse = json!({ "inputTokens": 4, "outputTokens": 7, "totalTokens": 71,
        "cacheReadInputTokens": 50, "cacheWriteInputTokens": 10 });
    assert_eq!(read(&json!({ "usage": converse })), (4, 7, 10, 50));
    let own = TokenUsage::new(1, 2, 3, 4);
    assert_eq!(TokenUsage::from_value(&serde_json::to_value(own).unwrap()).unwrap(), own);
}

#[test]
fn chat_invoke_usage_counts_cached_tokens_once() {
    let from_openai = json!({ "prompt_tokens": 1000, "prompt_cached_tokens": 400, "prompt_cache_creation_tokens": null,
        "completion_tokens": 50, "total_tokens": 1050 });
    assert_eq!(read(&from_openai), (600, 50, 0, 400));
    let all_inside = json!({ "prompt_tokens": 1000, "prompt_cached_tokens": 400, "prompt_cache_creation_tokens": 100,
        "completion_tokens": 50, "total_tokens": 1050 });
    assert_eq!(read(&all_inside), (500, 50, 100, 400));
    let from_anthropic = json!({ "prompt_tokens": 1000, "prompt_cached_tokens": 400, "prompt_cache_creation_tokens": 100,
        "completion_tokens": 50, "total_tokens": 650 });
    assert_eq!(read(&from_anthropic), (600, 50, 100, 400));
    let all_beside = json!({ "prompt_tokens": 600, "prompt_cached_tokens": 400, "prompt_cache_creation_tokens": 100,
        "completion_tokens": 50, "total_tokens": 1150 });
    assert_eq!(read(&all_beside), (600, 50, 100, 400));
}

#[test]
fn a_sum_is_not_taken_for_one_call() {
    let one = json!({ "inputTokens": 100, "outputTokens": 7 });
    let sum = json!({ "inputTokens": 300, "outputTokens": 21 });
    let last = |v| ReportedUsage::from_value(&v).unwrap();
    let result = last(json!({ "totalUsage": sum, "usage": one }));
    assert_eq!((result.usage.total_tokens, result.last_call), (321, Some(TokenUsage::new(100, 7, 0, 0))));
    let steps = last(json!({ "totalUsage": sum, "steps": [{ "usage": sum }, { "usage": one }] }));
    assert_eq!(steps.last_call, Some(TokenUsage::new(100, 7, 0, 0)));
    assert_eq!(last(json!({ "totalUsage": sum })).last_call, None);
    assert_eq!(last(one.clone()).last_call, Some(TokenUsage::new(100, 7, 0, 0)));

    let run = json!({ "requests": 2, "inputTokens": 300, "outputTokens": 21, "totalTokens": 321,
        "inputTokensDetails": [{ "cached_tokens": 50 }, { "cached_tokens": 100 }] });
    let run = last(run);
    assert_eq!((run.usage, run.last_call), (TokenUsage::new(150, 21, 0, 150), None));
    let told = last(json!({ "requests": 2, "inputTokens": 300, "outputTokens": 21,
        "requestUsageEntries": [{ "inputTokens": 200, "outputTokens": 14 }, { "inputTokens": 100, "outputTokens": 7 }] }));
    assert_eq!(told.last_call, Some(TokenUsage::new(100, 7, 0, 0)));

    let advised = last(
        json!({ "input_tokens": 2390, "output_tokens": 121, "cache_read_input_tokens": 0, "iterations": [
        { "type": "message", "input_tokens": 1128, "output_tokens": 110 },
        { "type": "message", "input_tokens": 1262, "output_tokens": 11 },
        { "type": "advisor_message", "input_tokens": 2518, "output_tokens": 22 } ] }),
    );
    assert_eq!(advised.usage.total_tokens, 2511);
    assert_eq!(advised.last_call, Some(TokenUsage::new(1262, 11, 0, 0)));
}

#[test]
fn invalid_usage_is_refused() {
    for bad in [
        json!(null),
        json!(3),
        json!([]),
        json!({}),
        json!({ "tokens": 3 }),
        json!({ "usage": {} }),
        json!({ "input_tokens": -1, "output_tokens": 2 }),
        json!({ "input_tokens": "12", "output_tokens": 2 }),
        json!({ "input_tokens": 1.5, "output_tokens": 2 }),
        json!({ "prompt_tokens": 1, "prompt_tokens_details": { "cached_tokens": true } }),
        json!({ "inputTokens": { "total": -5 } }),
    ] {
        assert_eq!(TokenUsage::from_value(&bad).unwrap_err().code(), ErrorCode::InvalidArgument, "{bad}");
    }
}

/// For every recorded usage object with a total from the provider, ours is the same.
#[test]
#[allow(clippy::disallowed_methods, reason = "a test reads data that is not part of the project")]
fn recorded_totals_match_the_providers() {
    let data = std::env::var("CONTEXTFOLD_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data").to_owned());
    let Ok(text) = std::fs::read_to_string(format!("{data}/usage-samples.json")) else {
        println!("skipped: no usage-samples.json in {data}");
        return;
    };
    let samples: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert!(samples.len() > 100);
    for sample in samples {
        let usage = &sample["usage"];
        let reported = ReportedUsage::from_value(usage).unwrap();
        let number = |key: &str| usage[key].as_u64().unwrap_or(0);
        let total = match usage["total_tokens"].as_u64() {
            Some(total) => total,
            None => {
                number("input_tokens")
                    + number("output_tokens")
                    + number("cache_creation_input_tokens")
                    + number("cache_read_input_tokens")
            }
        };
        assert_eq!(reported.usage.total_tokens, total, "{usage}");
        let provider_ran_tools = usage["server_tool_use"]
            .as_object()
            .is_some_and(|counted| counted.values().any(|n| *n != json!(0)));
        assert_eq!(reported.last_call.is_none(), provider_ran_tools, "{usage}");
        assert!(reported.last_call.is_none_or(|last| last.total_tokens <= total), "{usage}");
    }
}

proptest! {
    #[test]
    fn the_same_call_gives_the_same_usage_in_every_shape(
        plain in 0u64..1000, output in 0u64..1000, written in 0u64..1000, cached in 0u64..1000,
    ) {
        let expected = TokenUsage::new(plain, output, written, cached);
        let input = plain + written + cached;
        let total = input + output;
        let shapes = [
            json!({ "input_tokens": input, "output_tokens": output, "total_tokens": total,
                "input_tokens_details": { "cached_tokens": cached, "cache_write_tokens": written } }),
            json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": total,
                "prompt_tokens_details": { "cached_tokens": cached, "cache_write_tokens": written } }),
            json!({ "input_tokens": plain, "output_tokens": output,
                "cache_creation_input_tokens": written, "cache_read_input_tokens": cached }),
            json!({ "inputTokens": input, "outputTokens": output, "totalTokens": total,
                "inputTokenDetails": { "cacheReadTokens": cached, "cacheWriteTokens": written } }),
            json!({ "inputTokens": { "total": input, "cacheRead": cached, "cacheWrite": written },
                "outputTokens": { "total": output } }),
            json!({ "prompt_tokens": input, "prompt_cached_tokens": cached, "prompt_cache_creation_tokens": written,
                "completion_tokens": output, "total_tokens": total }),
        ];
        for shape in shapes {
            prop_assert_eq!(TokenUsage::from_value(&shape).unwrap(), expected, "{}", shape);
        }
    }

    #[test]
    fn inconsistent_numbers_never_count_more_than_was_reported(
        input in 0u64..300, output in 0u64..300, cached in 0u64..300, written in 0u64..300, total in 0u64..900,
    ) {
        let shape = json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": total,
            "prompt_tokens_details": { "cached_tokens": cached, "cache_write_tokens": written } });
        let usage = TokenUsage::from_value(&shape).unwrap();
        prop_assert!(usage.total_tokens >= input + output);
        prop_assert!(usage.total_tokens <= input + output + cached + written);
    }
}
