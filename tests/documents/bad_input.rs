//! Ladders that cannot be: refused at construction, by the key that is wrong.

use contextfold::ErrorCode;
use contextfold::session::SessionConfig;
use serde_json::{Value, json};

fn refused(options: &Value) -> String {
    let error = SessionConfig::from_value(options).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidConfig, "{error}");
    error.message().to_owned()
}

fn ladder(value: Value) -> String {
    refused(&json!({ "ladder": value }))
}

fn pass(pass: Value) -> String {
    ladder(json!([pass]))
}

#[test]
fn unknown_presets_and_passes() {
    let lines = [
        ladder(json!("rollin")),
        ladder(json!("xyzzy")),
        ladder(json!(5)),
        ladder(json!({ "pass": "summarize" })),
        ladder(json!(["summarize"])),
        pass(json!({})),
        pass(json!({ "pass": "sumarize" })),
        pass(json!({ "pass": "xyzzy" })),
        pass(json!({ "pass": "summarize", "keepTurn": 1 })),
        pass(json!({ "pass": "ephemeral", "keep": 1 })),
        ladder(json!([{ "pass": "ephemeral" }, { "pass": "sumarize" }])),
    ];
    insta::assert_snapshot!(lines.join("\n"), @"");
}

#[test]
fn passes_of_a_graph() {
    for name in ["shrink_turns", "auto_compact"] {
        let why = pass(json!({ "pass": name }));
        assert!(why.contains("`ladder[0].pass`") && why.contains("graph"), "{why}");
    }
}

/// Every number of every pass.
const NUMBERS: [(&str, &str); 14] = [
    ("trim_tool_outputs", "budgetTokens"),
    ("compress_json", "maxTokens"),
    ("truncate_head_tail", "max"),
    ("truncate_head_tail", "head"),
    ("truncate_head_tail", "tail"),
    ("prune_tool_outputs", "protectTurns"),
    ("prune_tool_outputs", "minReclaimTokens"),
    ("drop_old_tool_results", "keepSteps"),
    ("recent_window", "minMessages"),
    ("rolling_summary", "upperThreshold"),
    ("rolling_summary", "lowerThreshold"),
    ("rolling_summary", "minMessages"),
    ("rolling_summary", "minNewMessages"),
    ("summarize", "keepTurns"),
];

const RATIOS: [&str; 3] = ["targetRatio", "summaryRatio", "recentRatio"];

#[test]
fn negative_and_absurd_numbers() {
    for (name, key) in NUMBERS {
        for bad in [json!(-1), json!(1.5), json!(1e300), json!("5"), json!(true), json!([])] {
            let why = pass(json!({ "pass": name, key: bad }));
            assert!(why.contains(&format!("`ladder[0].{key}`")), "{name} {key} {bad}: {why}");
        }
    }
    for key in RATIOS {
        for bad in [json!(-0.1), json!(1.1), json!(80), json!("0.5"), json!(null)] {
            let why = pass(json!({ "pass": "recent_window", key: bad }));
            assert!(why.contains(&format!("`ladder[0].{key}`")), "{key} {bad}: {why}");
        }
    }
    for (name, key) in [("summarize", "thresholdTokens"), ("rolling_summary", "upperThreshold"), ("compress_json", "maxTokens")] {
        let why = pass(json!({ "pass": name, key: 0 }));
        assert!(why.contains(&format!("`ladder[0].{key}`")), "{why}");
    }
    let why = pass(json!({ "pass": "rolling_summary", "triggerRatio": -0.5 }));
    assert!(why.contains("`ladder[0].triggerRatio`"), "{why}");
}

#[test]
fn contradictions() {
    let of = |name: &str, options: Value| {
        let mut entry = json!({ "pass": name });
        entry.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
        pass(entry)
    };
    let lines = [
        of("rolling_summary", json!({ "upperThreshold": 100, "lowerThreshold": 100 })),
        of("rolling_summary", json!({ "upperThreshold": 30_000 })),
        of("rolling_summary", json!({ "lowerThreshold": 50_001 })),
        of("recent_window", json!({ "summaryRatio": 0.5, "recentRatio": 0.6 })),
        of("recent_window", json!({ "summaryRatio": 0.36 })),
        of("summarize", json!({ "keepTurns": 1, "keepSteps": 1 })),
        of("summarize", json!({ "layout": "replace", "keepTurns": 1 })),
        of("summarize", json!({ "layout": "replace", "keepSteps": 2 })),
        of("summarize", json!({ "layout": "system-note" })),
        of("summarize", json!({ "profile": "Design" })),
        of("truncate_head_tail", json!({ "max": 1_000 })),
        of("selective", json!({ "rules": { "TOOL_RESULT": { "strategy": "TRUNCATE" } } })),
        of("selective", json!({ "rules": { "TOOL_RESULT": { "strategy": "DROP", "keepRecent": 1 } } })),
        of("selective", json!({ "rules": { "TOOL_RESULT": {} } })),
        of("selective", json!({ "rules": { "TOOL_RESULTS": { "strategy": "DROP" } } })),
        of("selective", json!({ "rules": [] })),
    ];
    insta::assert_snapshot!(lines.join("\n"), @"");
}
