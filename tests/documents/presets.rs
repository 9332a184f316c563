//! Each preset on the sample transcript, before and after, and printed presets that are given back as lists.

use std::fmt::Write as _;
use std::sync::Arc;

use contextfold::message::{Format, Message, Role, open_calls};
use contextfold::provider::provider;
use contextfold::session::{Answer, ExplicitOptions, Fit, Ladder, Report, Session, SessionConfig};
use contextfold::tokens::BytesPerFour;
use serde_json::{Value, json};

use super::support::passes;

fn sample() -> Vec<Message> {
    let items = serde_json::from_str(include_str!("../../examples/transcript.responses.json")).unwrap();
    provider(Format::OpenaiResponses).read(&items).unwrap()
}

/// Tool outputs are not cut on entry, so only the ladder makes them smaller.
fn session(ladder: &Value, window: u64, ledger: Option<u64>) -> Session {
    let cache =
        json!({ "maxMessageBytes": 1_000_000, "maxLineLength": 100_000, "contextBudgetTokens": 1_000_000 });
    let mut options = json!({ "contextWindow": window, "ladder": ladder, "toolOutputCache": cache });
    if let Some(tokens) = ledger {
        options["compaction"] = json!({ "ledgerTokens": tokens });
    }
    Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(BytesPerFour))
}

/// Answers each request with the built-in summariser.
pub fn run(session: &mut Session) -> Report {
    let mut fit = session.prepare().unwrap();
    loop {
        match fit {
            Fit::Done(report) => return std::rc::Rc::unwrap_or_clone(report),
            Fit::NeedsSummary(pending) => {
                let text = session.extractive(&pending);
                fit = session.resume(*pending, &Answer { text, ..Answer::default() }).unwrap();
            }
        }
    }
}

/// One line per item. Runs of similar tool steps are shown as their number.
fn layout(session: &Session) -> String {
    let mut out = String::new();
    for (item, message) in session.context().items().iter().zip(session.context().view_messages()) {
        let calls: Vec<&str> = message.tool_calls().map(|c| c.name.as_str()).collect();
        let words = message.plain_text().split_whitespace().collect::<Vec<_>>().join(" ");
        let text: String =
            if message.role == Role::Tool { String::new() } else { words.chars().take(40).collect() };
        let calls = if calls.is_empty() { String::new() } else { format!(" calls {}", calls.join(",")) };
        let _ = writeln!(
            out,
            "{} {} {} {}{calls} {text}",
            item.id,
            message.role.as_str(),
            item.form,
            item.tokens
        );
    }
    let lines: Vec<String> = out.lines().map(|l| l.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// A window in which every preset must act: of 200,000 tokens, 150,000 are in the first turn.
const WINDOW: u64 = 64_000;

#[test]
fn each_preset_acts_on_the_sample() {
    let mut before = session(&json!("spec"), 1_000_000, None);
    before.push(sample()).unwrap();
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("before", layout(&before));
        for preset in Ladder::PRESETS {
            let mut s = session(&json!(preset), WINDOW, None);
            s.push(sample()).unwrap();
            let report = run(&mut s);
            assert!(!report.decisions.is_empty(), "{preset} must act");
            assert!(report.tokens_after <= WINDOW, "{preset}");
            let view = s.context().view_messages();
            assert!(open_calls(view.iter().map(|m| &**m)).is_empty(), "{preset}");
            let decided = passes(&report).join(", ");
            let head = format!("{} -> {} tokens: {decided}\n", report.tokens_before, report.tokens_after);
            insta::assert_snapshot!(preset, head + &layout(&s));
        }
    });
}

#[test]
fn a_printed_preset_given_as_a_list_behaves_like_the_preset() {
    for preset in Ladder::PRESETS {
        let printed = Ladder::preset(preset, ExplicitOptions::default()).unwrap().to_value();
        let copy: Value = serde_json::from_str(&printed.to_string()).unwrap();
        let list = Ladder::from_value(&copy, ExplicitOptions::default()).unwrap();
        assert_eq!(list.to_value(), printed, "{preset}");
        // A list has the session's own ledger; the document presets have none by default.
        let with = |ladder: &Value| {
            let mut s = session(ladder, WINDOW, Some(0));
            s.push(sample()).unwrap();
            let report = run(&mut s);
            (layout(&s), report)
        };
        assert_eq!(with(&json!(preset)), with(&copy), "{preset}");
    }
}

#[test]
fn a_changed_copy_of_a_preset_is_a_separate_ladder() {
    let mut list = Ladder::preset("rolling", ExplicitOptions::default()).unwrap().to_value();
    list[1]["upperThreshold"] = json!(40_000);
    let changed = Ladder::from_value(&list, ExplicitOptions::default()).unwrap();
    assert_eq!((changed.name, changed.threshold()), (None, Some(40_001)));
    assert_eq!(Ladder::preset("rolling", ExplicitOptions::default()).unwrap().threshold(), Some(50_001));
}
