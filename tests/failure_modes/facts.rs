//! What must still be known after many compactions.

use contextfold::message::{Message, Role};
use serde_json::json;

use super::support::*;

const USELESS: &str = "<summary>\nSome work was done.\nMore remains.\n</summary>";

/// A naive compaction: keeps the newest turn and replaces the rest with a summary.
fn naively(history: &mut Vec<Message>, summary: &str) {
    let newest = history.iter().rposition(|m| m.role == Role::User).unwrap();
    history.splice(..newest, [user(summary)]);
}

#[test]
fn f17_the_users_rules_survive_twenty_rounds() {
    let rules = ["Never push to main.", "必须用 pnpm。", "mainには触らないで、必ずテストを書く。"];
    let mut s = session(&json!({ "contextWindow": 3_000, "safetyMargin": 0 }));
    s.push(vec![user(&format!("Fix the build. {}", rules.join(" "))).with_id("request")]).unwrap();
    s.push(vec![said(&format!("On it. {}", filler(40)))]).unwrap();
    s.set_text_pinned("request", "Fix the build.", true).unwrap();
    let mut naive = view(&s);
    for round in 0..20 {
        s.push(turn(round)).unwrap();
        naive.extend(turn(round));
        naively(&mut naive, USELESS);
        assert!(!texts(&naive).join("\n").contains(rules[0]), "gone in the first round");
        compact(&mut s, USELESS);
        let shown = texts(&view(&s)).join("\n");
        for rule in rules {
            assert!(shown.contains(rule), "round {round} lost {rule}: {shown}");
        }
        assert!(shown.contains("[pinned text of message request]\nFix the build."), "round {round}");
        assert!(!shown.contains("On it."), "the message itself is folded");
    }
    s.set_text_pinned("request", "Fix the build.", false).unwrap();
    assert!(!texts(&view(&s)).join("\n").contains("[pinned text"));
    assert!(s.set_text_pinned("request", "never said", true).is_err());
}

#[test]
fn f26_facts_survive_and_the_summary_does_not_grow() {
    let options = json!({ "contextWindow": 8_000, "safetyMargin": 0, "compaction": { "ledgerTokens": 400 } });
    let mut s = session(&options);
    s.push(vec![user("The bug is in src/core/engine.rs, see https://example.org/issue/9 (#4711).")]).unwrap();
    let (mut sizes, mut naive) = (Vec::new(), String::new());
    for round in 0..12 {
        s.push(turn(round)).unwrap();
        let id = format!("s{round}");
        let files: Vec<String> = (0..10).map(|n| format!("crates/part{round}/src/file_{n}.rs")).collect();
        let listing = files.join("\n");
        naive.push_str(&listing);
        s.push(vec![calls(&[&id]), Message::tool(id, listing), said("Listed."), user("next")]).unwrap();
        let report = compact(&mut s, USELESS);
        sizes.push(report.summary.unwrap().ledger_tokens);
        let shown = texts(&view(&s)).join("\n");
        for fact in ["src/core/engine.rs", "https://example.org/issue/9", "#4711"] {
            assert!(shown.contains(fact), "round {round} lost {fact}: {shown}");
        }
    }
    assert!(sizes.iter().all(|s| *s <= 400), "{sizes:?}");
    assert!(naive.len() / 4 > 600, "a list of all of them swells");
    assert!(sizes[11] < sizes[1] * 6, "it grows more slowly than what it stands for: {sizes:?}");
}

/// A naive ledger: every box that was ever open.
fn open_boxes(history: &[Message]) -> Vec<String> {
    let said = texts(history).join("\n");
    said.lines().filter_map(|line| line.strip_prefix("- [ ] ")).map(str::to_owned).collect()
}

#[test]
fn f27_finished_work_is_not_open() {
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    let list = |done: &str| {
        said(&format!("Plan:\n- [{done}] write the parser\n- [ ] write the docs\n{}", filler(20)))
    };
    s.push(vec![user("Write a parser and its docs."), list(" "), user("go on"), list("x"), user("and?")])
        .unwrap();
    let naive = open_boxes(&view(&s));
    compact(&mut s, USELESS);
    let shown = texts(&view(&s)).join("\n");
    assert!(
        shown.contains("Still open:\n- write the docs") && !shown.contains("- write the parser"),
        "{shown}"
    );
    assert!(naive.contains(&"write the parser".to_owned()), "finished, and told as open");
    // Finished in the kept part before the next fold.
    s.push(vec![said("- [x] write the docs"), user("thanks"), said(&filler(30)), user("bye")]).unwrap();
    compact(&mut s, USELESS);
    assert!(!texts(&view(&s)).join("\n").contains("Still open"), "{:?}", texts(&view(&s)));
}
