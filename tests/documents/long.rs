//! Long-running agents: one request with 500 steps, and 20 compactions in a row.

use std::sync::Arc;

use contextfold::message::{Message, Part, Role, ToolCall, open_calls};
use contextfold::session::{Ladder, Session, SessionConfig};
use contextfold::tokens::BytesPerFour;
use serde_json::json;

use super::presets::run;

const STEPS: u64 = 500;

fn session(preset: &str, window: u64) -> Session {
    let options = json!({ "contextWindow": window, "ladder": preset });
    Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(BytesPerFour))
}

/// A step: a call with an answer of `words` words.
fn step(n: u64, words: usize) -> Vec<Message> {
    let id = format!("call_{n}");
    let call = ToolCall::function(&id, "run", format!(r#"{{"command":"make part-{n}"}}"#));
    let text = format!("exit 0\n{}", format!("line of step {n}\n").repeat(words / 4));
    vec![
        Message::new(Role::Assistant, vec![Part::text(format!("part {n} next")), Part::from(call)]),
        Message::tool(id, text),
    ]
}

#[test]
fn one_request_and_500_steps_fit_at_every_call_under_each_preset() {
    // With one turn only, the ladder document returns an error: see `one_turn_that_is_too_large_is_an_error`.
    for preset in Ladder::PRESETS.into_iter().filter(|preset| *preset != "ladder") {
        let window = 12_000;
        let mut s = session(preset, window);
        s.push(vec![
            Message::text(Role::System, "Build."),
            Message::text(Role::User, "Build all 500 parts."),
        ])
        .unwrap();
        let (mut acted, mut summaries) = (0, 0);
        for n in 0..STEPS {
            s.push(step(n, if n % 50 == 0 { 1_500 } else { 120 })).unwrap();
            let report = run(&mut s);
            assert!(s.tokens() <= window, "{preset}, step {n}: {}", s.tokens());
            acted += u32::from(!report.decisions.is_empty());
            summaries += u32::from(report.summary.is_some());
            let view = s.context().view_messages();
            assert!(open_calls(view.iter().map(|m| &**m)).is_empty());
            assert!(view.iter().any(|m| m.plain_text() == "Build all 500 parts."), "{preset}, step {n}");
            let newest = view.last().unwrap().plain_text();
            assert!(newest.contains(&format!("step {n}")), "{preset}, step {n}: {newest}");
        }
        println!("{preset}: {acted} of {STEPS} calls changed the view, {summaries} summaries");
        assert!(acted > 0 && u64::from(summaries) < STEPS / 4, "{preset}: {summaries} summaries");
    }
}

#[test]
fn twenty_compactions_keep_their_size_the_pins_and_the_facts() {
    let window = 16_000;
    let mut s = session("contextfold", window);
    let pin = "Never touch the file `deploy/prod.lock`; ask before you delete anything.";
    let mut pinned = Message::text(Role::User, pin);
    pinned.meta.pinned = true;
    s.push(vec![Message::text(Role::System, "Build."), pinned]).unwrap();
    let rule = "Never use port 8443 for the tests.";
    s.push(vec![Message::text(Role::User, format!("Build the parts. {rule}"))]).unwrap();
    let (mut n, mut sizes) = (0, Vec::new());
    while sizes.len() < 20 {
        if n % 10 == 9 {
            s.push(vec![
                Message::text(Role::Assistant, format!("parts up to {n} are done")),
                Message::text(Role::User, format!("go on from part {n}")),
            ])
            .unwrap();
        }
        s.push(step(n, 400)).unwrap();
        n += 1;
        if run(&mut s).summary.is_some() {
            sizes.push(s.tokens());
            let view = s.context().view_messages();
            assert!(view.iter().any(|m| m.plain_text() == pin), "the pin, verbatim");
            assert!(
                view.iter().any(|m| m.plain_text().contains("port 8443")),
                "the rule, after {}",
                sizes.len()
            );
        }
    }
    // The low mark is half of the window, and every compaction goes down to it.
    assert!(sizes.iter().all(|size| *size <= window / 2), "{sizes:?}");
}
