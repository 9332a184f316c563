//! The specification as the ladder `spec`: trim tool outputs, then fold all but the last turns.

use contextfold::session::{ExplicitOptions, Ladder};
use serde_json::json;

use super::support::{answer, asks, calls, done, output, passes, said, session, user, view};

#[test]
fn the_preset_has_two_passes() {
    let spec = Ladder::preset("spec", ExplicitOptions::default()).unwrap().to_value();
    assert_eq!(
        spec,
        json!([
            { "pass": "trim_tool_outputs", "budgetTokens": null, "lowRatio": 0.5, "waitForFold": false },
            { "pass": "summarize", "layout": "retain-summary-turns", "profile": "default", "cutWithinTurn": true },
        ])
    );
}

#[test]
fn a_compaction_is_due_from_80_percent_of_the_limit() {
    for (tokens, due) in [(7_999, false), (8_000, true)] {
        let mut s = session(json!({ "contextWindow": 10_000, "ladder": "spec" }));
        s.push(vec![user("old ", 3_000), said("", 3_000), user("new ", tokens - 6_000)]).unwrap();
        assert_eq!(s.should_compact(), due);
        let asked = matches!(s.prepare().unwrap(), contextfold::session::Fit::NeedsSummary(_));
        assert_eq!(asked, due);
    }
}

#[test]
fn outputs_over_their_budget_become_placeholders_and_then_older_turns_are_folded() {
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

/// Runs this many steps with an output of a thousand tokens each. Returns, for each step, how many outputs are whole, and how many
/// tokens at the beginning of the view are unchanged since the previous call.
fn steps_under(options: serde_json::Value, steps: usize) -> (Vec<usize>, Vec<u64>) {
    let mut s = session(options);
    s.push(vec![user("go ", 500)]).unwrap();
    let (mut whole, mut stable) = (Vec::new(), Vec::new());
    for n in 1..=steps {
        let id = format!("c{n}");
        s.push(vec![calls("", &[&id]), output(&id, 1_000)]).unwrap();
        stable.push(done(s.prepare().unwrap()).stable_prefix_tokens);
        let body = s.context().view.body();
        whole.push(body.iter().filter(|slot| slot.tokens() == 1_000).count());
        let kept = body.iter().rev().filter(|slot| slot.message.tool_outputs().next().is_some());
        assert!(kept.take(whole[n - 1]).all(|slot| slot.tokens() == 1_000), "the newest stand whole");
    }
    (whole, stable)
}

#[test]
fn a_trim_goes_down_to_half_the_budget_to_keep_the_prefix_stable() {
    let budget = |ladder| json!({ "contextWindow": 1_000_000, "ladder": ladder, "toolOutputCache": { "contextBudgetTokens": 4_500 } });
    let (whole, stable) = steps_under(budget(json!("spec")), 12);
    assert_eq!(whole, [1, 2, 3, 4, 2, 3, 4, 2, 3, 4, 2, 3]);
    let breaks = |stable: &[u64]| stable.windows(2).filter(|two| two[1] < two[0]).count();
    assert_eq!(breaks(&stable), 3);
    // With a ratio of 1, outputs are trimmed one at a time, as the document says.
    let exact = json!([{ "pass": "trim_tool_outputs", "lowRatio": 1 }, { "pass": "summarize" }]);
    let (whole, stable) = steps_under(budget(exact), 12);
    assert_eq!(whole, [1, 2, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4]);
    assert!(stable[5..].iter().all(|tokens| *tokens < 4_000), "every call breaks it: {stable:?}");
}

#[test]
fn unseen_outputs_are_trimmed_only_to_the_full_budget() {
    let mut s = session(json!({ "ladder": "spec", "toolOutputCache": { "contextBudgetTokens": 4_500 } }));
    s.push(vec![user("go ", 500), calls("", &["old"]), output("old", 1_000)]).unwrap();
    let new = ["a", "b", "c", "d", "e"];
    s.push([vec![calls("", &new)], new.map(|id| output(id, 1_000)).to_vec()].concat()).unwrap();
    let whole = s.context().view.body().iter().filter(|slot| slot.tokens() == 1_000).count();
    assert_eq!(whole, 4, "not the two that half of the budget has room for");
}

#[test]
fn the_default_output_budget_applies_only_if_the_ladder_lists_the_pass() {
    let of = |ladder| {
        steps_under(json!({ "contextWindow": 80_000, "ladder": ladder, "toolOutputCache": {} }), 30).0[29]
    };
    assert!(of(json!("spec")) < 20);
    assert_eq!(of(json!([{ "pass": "summarize" }])), 30);
    assert_eq!(of(json!("contextfold")), 30);
}

#[test]
fn no_output_is_trimmed_just_before_it_is_folded() {
    let trims = |ladder| {
        let options = json!({
            "contextWindow": 10_000, "ladder": ladder, "compaction": { "ledgerTokens": 0 },
            "toolOutputCache": { "contextBudgetTokens": 3_500 },
        });
        let mut s = session(options);
        s.push(vec![user("go ", 3_600)]).unwrap();
        for id in ["a", "b", "c", "d"] {
            s.push(vec![calls("", &[id]), output(id, 980)]).unwrap();
        }
        // 7,568 tokens: a fold is due at 8,000, and counts as near from 7,200.
        passes(&done(s.prepare().unwrap())).join(" ")
    };
    let list = |wait| json!([{ "pass": "trim_tool_outputs", "waitForFold": wait }, { "pass": "summarize" }]);
    assert_eq!(trims(list(true)), "");
    assert_eq!(trims(list(false)), "trim_tool_outputs");
    assert_eq!(trims(json!("spec")), "trim_tool_outputs", "the document's budget holds in every view");
}

#[test]
fn trimmed_outputs_are_not_restored_into_room_the_next_output_needs() {
    let options = |window: u64| json!({ "contextWindow": window, "ladder": "spec", "toolOutputCache": { "contextBudgetTokens": 4_500 } });
    let mut s = session(options(20_000));
    s.push(vec![user("go ", 500)]).unwrap();
    let step = |s: &mut contextfold::session::Session, n: usize| {
        let id = format!("c{n}");
        s.push(vec![calls("", &[&id]), output(&id, 1_000)]).unwrap();
        done(s.prepare().unwrap())
    };
    (0..5).for_each(|n| drop(step(&mut s, n)));
    let whole = |s: &contextfold::session::Session| {
        s.context().view.body().iter().filter(|x| x.tokens() == 1_000).count()
    };
    assert_eq!(whole(&s), 2);
    s.set_options(contextfold::session::SessionConfig::from_value(&options(1_000_000)).unwrap(), None);
    let report = step(&mut s, 5);
    assert_eq!(
        (whole(&s), passes(&report)),
        (3, vec![]),
        "there is more room in the window, not in the budget"
    );
}
