use super::*;
use crate::corpus::agrees;
use crate::error::ErrorCode;
use proptest::prelude::*;
use serde_json::json;

fn of(usage: TokenUsage) -> String {
    let TokenUsage { input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens, total_tokens } =
        usage;
    assert_eq!(total_tokens, input_tokens + output_tokens + cache_creation_tokens + cache_read_tokens);
    format!("{input_tokens} {output_tokens} {cache_creation_tokens} {cache_read_tokens}")
}

#[test]
fn every_shape_of_usage_is_read() {
    agrees(include_str!("reported.tsv"), |text| {
        match ReportedUsage::from_value(&serde_json::from_str(text).unwrap()) {
            Err(error) => {
                assert_eq!(error.code(), ErrorCode::InvalidArgument);
                "refused".to_owned()
            }
            Ok(ReportedUsage { usage, last_call: Some(last) }) if last == usage => of(usage),
            Ok(ReportedUsage { usage, last_call }) => {
                format!("{}, last {}", of(usage), last_call.map_or_else(|| "-".to_owned(), of))
            }
        }
    });
    let own = TokenUsage::new(1, 2, 3, 4);
    assert_eq!(TokenUsage::from_value(&serde_json::to_value(own).unwrap()).unwrap(), own);
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
