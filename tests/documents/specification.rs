//! The specification as the ladder `spec`: trim tool outputs, then fold all but the last turns.

use contextfold::passes::{Given, Ladder};
use serde_json::json;

use super::support::{answer, asks, calls, done, output, passes, said, session, user, view};

#[test]
fn it_is_two_passes() {
    let spec = Ladder::preset("spec", Given::default()).unwrap().to_value();
    assert_eq!(
        spec,
        json!([
            { "pass": "trim_tool_outputs", "budgetTokens": null },
            { "pass": "summarize", "layout": "retain-summary-turns", "profile": "default", "cutWithinTurn": true },
        ])
    );
}

#[test]
fn a_compaction_is_due_from_80_percent_of_the_limit_on() {
    for (tokens, due) in [(7_999, false), (8_000, true)] {
        let mut s = session(json!({ "contextWindow": 10_000, "ladder": "spec" }));
        s.push(vec![user("old ", 3_000), said("", 3_000), user("new ", tokens - 6_000)]).unwrap();
        assert_eq!(s.should_compact(), due);
        let asked = matches!(s.prepare().unwrap(), contextfold::session::Fit::NeedsSummary(_));
        assert_eq!(asked, due);
    }
}

#[test]
fn outputs_beyond_their_budget_become_placeholders_and_then_the_older_turns_are_folded() {
    let mut s = session(json!({
        "contextWindow": 10_000,
        "ladder": "spec",
        "toolOutputCache": { "contextBudgetTokens": 2_500 },
        "compaction": { "retainPrompt": "Keep refs." },
    }));
    for n in 1..=4 {
        let id = format!("c{n}");
        s.push(vec![
            user(&format!("question {n} "), 500),
            calls("", &[&id]),
            output(&id, 1_000),
            said(&format!("answer {n} "), 1_400),
        ])
        .unwrap();
    }
    let pending = asks(s.prepare().unwrap());
    let report =
        done(s.resume(pending, &answer("<retain>c2 is toolout</retain><summary>three</summary>")).unwrap());
    assert_eq!(passes(&report), ["trim_tool_outputs", "summarize"]);
    insta::assert_snapshot!(view(&s), @"
    user: c2 is toolout (4)
    user: three (4)
    user: question 4 (500)
    assistant:  calls c4 (12)
    tool ->c4:  (1000)
    assistant: answer 4 (1400)
    ");
}
