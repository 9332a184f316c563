use super::*;
use serde_json::json;

fn input(registry: &Registry, model: &str) -> u64 {
    registry.resolve(model).unwrap().max_input_tokens
}

fn refusal(registry: &Registry, model: &str) -> String {
    let error = registry.resolve(model).unwrap_err();
    assert_eq!(error.code(), ErrorCode::UnknownModel);
    error.to_string()
}

#[test]
fn the_built_in_table_finds_common_models_under_every_spelling() {
    let r = Registry::new();
    for (model, tokens) in [
        ("gpt-5", 272_000),
        ("openai/gpt-5", 272_000),
        ("azure/gpt-5", 272_000),
        ("gpt-4o-2024-08-06", 128_000),
        ("claude-sonnet-4-5-20250929", 200_000),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000),
        ("models/gemini-2.5-pro", 1_048_576),
        ("anthropic/claude-sonnet-4.5", 200_000),
    ] {
        assert_eq!(input(&r, model), tokens, "{model}");
    }
}

#[test]
fn a_similar_name_does_not_match_another_model() {
    let r = Registry::new();
    let why = refusal(&r, "gpt-5-foo");
    for part in [
        "UNKNOWN_MODEL: the limits of `gpt-5-foo` are unknown (known: gpt-5-pro, ",
        "; the built-in table is from 2026-11; name a known model with the same limits, as `assumeModel: \"gpt-5\"`, add a row to \
         `models`, as `models: { \"gpt-5-foo\": { max_input_tokens: 128_000 } }`, or leave `model` out and set `contextWindow`",
    ] {
        assert!(why.contains(part), "{why}");
    }
    for (model, relative) in [
        ("claude-opus-9", "claude-opus-5-5"),
        ("anthropic/claude-opus-9-20270101", "claude-opus-5-5"),
        ("gpt-7", "gpt-6.1-terra"),
        ("gemini-9-flash", "gemini-4-hydrogen"),
    ] {
        let why = refusal(&r, model);
        assert!(why.contains(&format!("`assumeModel: \"{relative}\"`")), "{why}");
    }
    assert!(!refusal(&r, "my-model").contains("assumeModel"));
    for model in ["", "gpt", "gpt-4-0613", "claude", "my-model", "x/", "gpt-5x"] {
        refusal(&r, model);
    }
}

#[test]
fn litellms_table_is_read() {
    let r = Registry::with(&json!({
        "sample_spec": { "max_tokens": "LEGACY parameter", "max_input_tokens": "max input tokens", "litellm_provider": "one of" },
        "gpt-5": { "max_tokens": 128_000, "max_input_tokens": 272_000, "max_output_tokens": 128_000, "litellm_provider": "openai" },
        "old": { "max_tokens": 4097, "litellm_provider": "x", "mode": "chat" },
        "capped": { "max_tokens": 4096, "max_output_tokens": 4096, "litellm_provider": "x" },
        "image": { "litellm_provider": "openai", "mode": "image_generation", "max_input_tokens": 0 },
        "azure/eu/house-model": { "max_input_tokens": 7000, "litellm_provider": "azure" }
    }))
    .unwrap();
    assert_eq!((input(&r, "gpt-5"), input(&r, "old"), input(&r, "house-model")), (272_000, 4097, 7000));
    assert_eq!(
        refusal(&r, "capped"),
        "UNKNOWN_MODEL: `models` has no input limit for `capped`: its `max_tokens` only limits the output; add \
         `max_input_tokens`, or leave `model` out and set `contextWindow`"
    );
    refusal(&r, "image");
    refusal(&r, "sample_spec");
}

#[test]
fn a_resellers_row_does_not_apply_to_the_original_provider() {
    let row =
        |tokens: u64, provider: &str| json!({ "max_input_tokens": tokens, "litellm_provider": provider });
    let r = Registry::with(&json!({
        "gpt-x": row(272_000, "openai"),
        "gmi/openai/gpt-x": row(409_600, "gmi"),
        "azure/gpt-x": row(100_000, "azure"),
        "fireworks_ai/kimi-x": row(1000, "fireworks_ai"),
        "moonshot/kimi-x": row(2000, "moonshot"),
        "novita/only/here": row(3000, "novita")
    }))
    .unwrap();
    for (model, tokens) in [
        ("gpt-x", 272_000),
        ("openai/gpt-x", 272_000),
        ("openai/gpt-x-2026-01-01", 272_000),
        ("openrouter/openai/gpt-x", 272_000),
        ("gmi/openai/gpt-x", 409_600),
        ("azure/gpt-x", 100_000),
        ("kimi-x", 2000),
        ("moonshotai/kimi-x", 2000),
        ("only/here", 3000),
    ] {
        assert_eq!(input(&r, model), tokens, "{model}");
    }
}

#[test]
fn models_devs_table_is_read() {
    let r = Registry::with(&json!({
        "openai": { "id": "openai", "name": "OpenAI", "models": {
            "gpt-5": { "id": "gpt-5", "limit": { "context": 400_000, "input": 272_000, "output": 128_000 } } } },
        "cheap": { "models": {
            "gpt-5": { "limit": { "context": 8000, "output": 1000 } },
            "nova": { "limit": { "context": 9000, "output": 1000 } } } },
        "dear": { "models": { "nova": { "limit": { "context": 90_000, "output": 1000 } } } }
    }))
    .unwrap();
    assert_eq!(r.resolve("gpt-5").unwrap().context_window, Some(400_000));
    assert_eq!((input(&r, "gpt-5"), input(&r, "cheap/gpt-5")), (272_000, 8000));
    assert_eq!((input(&r, "nova"), input(&r, "dear/nova")), (9000, 90_000));
    let flat = Registry::with(&json!({ "m": { "limit": { "context": 5000, "output": 100 } } })).unwrap();
    assert_eq!(input(&flat, "m"), 5000);
}

#[test]
fn the_callers_row_takes_precedence_over_the_built_in_one() {
    let r = Registry::with(&json!({ "claude-sonnet-4-5": { "max_input_tokens": 1_000_000 } })).unwrap();
    assert_eq!(input(&r, "anthropic/claude-sonnet-4-5-20250929"), 1_000_000);
    assert_eq!(input(&r, "gpt-4o"), 128_000);
    let silent = Registry::with(&json!({ "gpt-4o": { "input_cost_per_token": 1e-6 } })).unwrap();
    assert_eq!(input(&silent, "gpt-4o"), 128_000);
    let dated = Registry::with(&json!({ "mine-2026-01-01": { "max_tokens": 5 } })).unwrap();
    refusal(&dated, "mine");
}

#[test]
fn invalid_tables_are_refused_with_the_path_of_the_error() {
    let no = |v| Registry::with(&v).unwrap_err().to_string();
    let lines = [
        no(json!([])),
        no(json!({ "m": 128_000 })),
        no(json!({ "m": { "max_input_tokens": -1 } })),
        no(json!({ "p": { "models": { "m": { "limit": { "context": "big" } } } } })),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    INVALID_CONFIG: `models`: expected an object, got a list
    INVALID_CONFIG: `models.m`: expected an object, got 128000
    INVALID_CONFIG: `models.m.max_input_tokens`: expected a whole number of tokens, got -1
    INVALID_CONFIG: `models.p.models.m.limit.context`: expected a whole number of tokens, got "big"
    "#);
}

/// A table of hundreds of models in models.dev's shape: every row is found under its own name.
#[test]
#[allow(clippy::disallowed_methods, reason = "a test reads data that is not part of the project")]
fn a_large_table_resolves_every_name_in_it() {
    let data = std::env::var("CONTEXTFOLD_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data").to_owned());
    let Ok(text) = std::fs::read_to_string(format!("{data}/limits/models.dev.12-providers.limits.json"))
    else {
        println!("skipped: no limits in {data}");
        return;
    };
    let table: serde_json::Map<String, Value> = serde_json::from_str(&text).unwrap();
    let models: serde_json::Map<String, Value> = table
        .iter()
        .map(|(name, row)| {
            (name.clone(), json!({ "limit": { "context": row[0], "input": row[1], "output": row[2] } }))
        })
        .collect();
    let r = Registry::with(&Value::Object(models)).unwrap();
    for (name, row) in &table {
        let expected = row[1].as_u64().or(row[0].as_u64()).unwrap();
        assert_eq!(input(&r, name), expected, "{name}");
    }
}
