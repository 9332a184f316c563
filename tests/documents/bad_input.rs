//! Invalid ladders are refused at construction, naming the wrong key.

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
        ladder(json!([5])),
        ladder(json!(["sumarize"])),
        pass(json!({})),
        pass(json!({ "pass": "sumarize" })),
        pass(json!({ "pass": "xyzzy" })),
        pass(json!({ "pass": "summarize", "keepTurn": 1 })),
        pass(json!({ "pass": "ephemeral", "keep": 1 })),
        ladder(json!([{ "pass": "ephemeral" }, { "pass": "sumarize" }])),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    `ladder`: there is no preset `rollin`; did you mean `rolling`?
    `ladder`: there is no preset `xyzzy`; known names are `contextfold`, `spec`, `rolling`, `steps-design`, `steps-execution`, `selective`, `ladder`
    `ladder`: expected the name of a preset or a list of passes
    `ladder`: expected the name of a preset or a list of passes
    `ladder[0]`: expected an object, got 5
    `ladder[0].pass`: there is no pass `sumarize`; did you mean `summarize`?
    `ladder[0].pass`: expected the name of a pass
    `ladder[0].pass`: there is no pass `sumarize`; did you mean `summarize`?
    `ladder[0].pass`: there is no pass `xyzzy`; known names are `ephemeral`, `trim_tool_outputs`, `trim_media`, `dedupe_reads`, `compress_json`, `truncate_head_tail`, `drop_memory_results`, `prune_tool_outputs`, `drop_old_tool_results`, `selective`, `recent_window`, `rolling_summary`, `shrink_turns`, `auto_compact`, `summarize`, `even_cut`, `custom`
    `ladder[0].keepTurn`: unknown key; did you mean `keepTurns`?
    `ladder[0].keep`: unknown key; known keys are `pass`
    `ladder[1].pass`: there is no pass `sumarize`; did you mean `summarize`?
    "#);
}

/// Every numeric option of every pass.
const NUMBERS: [(&str, &str); 16] = [
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
    ("shrink_turns", "from"),
    ("shrink_turns", "to"),
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
    for (name, key) in [
        ("summarize", "thresholdTokens"),
        ("rolling_summary", "upperThreshold"),
        ("compress_json", "maxTokens"),
        ("shrink_turns", "from"),
        ("shrink_turns", "to"),
    ] {
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
        of("shrink_turns", json!({ "from": 2, "to": 3 })),
        of("auto_compact", json!({ "enabled": "yes" })),
        of("summarize", json!({ "keepTurns": 1, "keepSteps": 1 })),
        of("summarize", json!({ "layout": "replace", "keepTurns": 1 })),
        of("summarize", json!({ "layout": "replace", "keepSteps": 2 })),
        of("summarize", json!({ "layout": "system-note" })),
        of("summarize", json!({ "profile": "Design" })),
        of("truncate_head_tail", json!({ "max": 1_000 })),
        of("selective", json!({ "rules": { "TOOL_RESULT": { "strategy": "DROP", "keepRecent": 1 } } })),
        of("selective", json!({ "rules": { "TOOL_RESULT": {} } })),
        of("selective", json!({ "rules": { "TOOL_RESULTS": { "strategy": "DROP" } } })),
        of("selective", json!({ "rules": [] })),
    ];
    insta::assert_snapshot!(lines.join("\n"), @r#"
    `ladder[0].lowerThreshold`: lowerThreshold (100) must be below upperThreshold (100)
    `ladder[0].upperThreshold`: lowerThreshold (30000) must be below upperThreshold (30000)
    `ladder[0].lowerThreshold`: lowerThreshold (50001) must be below upperThreshold (50000)
    `ladder[0].recentRatio`: together with summaryRatio (0.5) must be at most 1, got 0.6
    `ladder[0].recentRatio`: together with summaryRatio (0.36) must be at most 1, got 0.65
    `ladder[0].from`: must be at least `to` (3), got 2
    `ladder[0].enabled`: expected true or false, got "yes"
    `ladder[0].keepSteps`: means the same as `keepTurns`; set only one of them
    `ladder[0].keepTurns`: the layout "replace" keeps no turns; leave it out
    `ladder[0].keepSteps`: the layout "replace" keeps no turns; leave it out
    `ladder[0].layout`: expected one of "retain-summary-turns", "ask-answer-steps", "replace", got "system-note"
    `ladder[0].profile`: expected one of "default", "design", "execution", got "Design"
    `ladder[0].max`: expected at least `head` + `tail` (1000 + 1000), got 1000
    `ladder[0].rules.TOOL_RESULT.keepRecent`: is allowed only with TRUNCATE, but the strategy is DROP
    `ladder[0].rules.TOOL_RESULT.strategy`: expected "DROP", "TRUNCATE" or "NONE"
    `ladder[0].rules.TOOL_RESULTS`: unknown key; did you mean `TOOL_RESULT`?
    `ladder[0].rules`: expected an object, got a list
    "#);
}
