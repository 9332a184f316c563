use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::context::Context;
use crate::lab::{Recording, Replay, facts, retention};
use crate::message::{Format, Message, Part, Role, ToolCall};
use crate::provider::provider;
use crate::session::Session;
use crate::tokens::{Counter, Estimate};

fn replay(messages: &[Message], options: &Value) -> Replay {
    let counter: Counter = Arc::new(Estimate);
    Recording::new(messages.to_vec(), Vec::new()).replay(options, &counter).unwrap()
}

fn sample() -> Vec<Message> {
    let items = serde_json::from_str(include_str!("../../examples/transcript.responses.json")).unwrap();
    provider(Format::OpenaiResponses).read(&items).unwrap()
}

fn full_output(context: &Context, id: &str) -> Option<String> {
    let output = context.outputs.loaded(id)?;
    Some(output.lines_from(0).map(|line| line.text().into_owned()).collect::<Vec<_>>().join("\n"))
}

/// Checks each call's shares against searching its view alone.
fn check_shares(replay: &Replay, every: usize) {
    let messages = &replay.transcript.messages;
    assert_eq!(replay.shares.len(), replay.trail.steps.len());
    for (step, shares) in replay.trail.steps.iter().zip(&replay.shares).rev().step_by(every) {
        let answer = replay.transcript.answers[step.answer];
        let call = replay.transcript.answers[..step.answer].iter().filter(|a| a.begin > 0).count();
        let session = replay.session_at(call).unwrap();
        let view = session.context().view_messages();
        let opens = |id: &str| full_output(session.context(), id);
        let expected = retention(&facts(&messages[..answer.begin]), view.iter().map(|m| &**m), opens);
        assert_eq!(*shares, expected, "call {call}");
    }
}

fn same_view(a: &Session, b: &Session) -> bool {
    a.context().view_messages() == b.context().view_messages() && a.tokens() == b.tokens()
}

#[test]
fn the_shares_of_every_call_match_those_of_its_view() {
    for (ladder, window) in [("contextfold", 24_000), ("rolling", 30_000), ("ladder", 20_000)] {
        let mut replay = replay(&sample(), &json!({ "contextWindow": window, "ladder": ladder }));
        replay.finish().unwrap();
        assert!(replay.run().compactions.count > 0, "{ladder}");
        check_shares(&replay, 9);
    }
}

#[test]
fn without_a_fold_only_the_last_view_is_measured() {
    let mut replay = replay(&sample(), &json!({ "contextWindow": 400_000 }));
    replay.finish().unwrap();
    assert_eq!(replay.shares.len(), 1);
    check_shares(&replay, 1);
    assert_eq!(replay.run().retention_mean, None);
}

#[test]
fn a_replay_in_steps_gives_the_same_and_its_costs_are_known_before_its_facts() {
    let options = json!({ "contextWindow": 24_000, "priceAs": "gpt-5" });
    let mut at_once = replay(&sample(), &options);
    at_once.finish().unwrap();
    let mut in_steps = replay(&sample(), &options);
    assert!(in_steps.share() < 0.01);
    while in_steps.advance(7).unwrap() {}
    assert!((in_steps.share() - 1.0).abs() < 1e-9);
    let (known, whole) = (in_steps.run(), at_once.run());
    assert_eq!((known.calls, known.cost), (whole.calls.clone(), whole.cost));
    while in_steps.measure(5).unwrap() {}
    assert_eq!(in_steps.run(), whole);
}

#[test]
fn the_session_at_a_call_is_the_same_with_or_without_stored_copies() {
    let options = json!({ "contextWindow": 24_000 });
    let mut replayed = replay(&sample(), &options);
    while replayed.advance(usize::MAX).unwrap() {}
    assert!(replayed.copies.before(usize::MAX).is_some());
    let fresh = replay(&sample(), &options);
    for call in [0, 1, 30, 63, 64, 65, 80, 94, 95, 1_000] {
        let (a, b) = (replayed.session_at(call).unwrap(), fresh.session_at(call).unwrap());
        assert!(same_view(&a, &b), "call {call}");
    }
}

fn some_messages() -> impl Strategy<Value = Vec<Message>> {
    let word = prop_oneof![
        "src/[ab]/[a-c]\\.rs", "#[1-9]{2}", "[a-f]{2}[0-9][a-f]{4}", "[a-z]{2,9}", "Never [ab]\\.",
        "out_[1-4]"
    ];
    let text = proptest::collection::vec(word, 1..40).prop_map(|words| words.join(" "));
    let turn = (text.clone(), text.clone(), text, any::<bool>());
    proptest::collection::vec(turn, 2..14).prop_map(|turns| {
        let mut out = vec![Message::text(Role::System, "You help.")];
        for (i, (asked, output, said, is_long)) in turns.into_iter().enumerate() {
            let id = format!("call_{i}");
            let call = ToolCall::function(id.clone(), "read", json!({ "path": asked }).to_string());
            let output = if is_long { format!("{output}\n").repeat(30) } else { output };
            out.push(Message::text(Role::User, asked));
            out.push(Message::new(Role::Assistant, vec![Part::from(call)]));
            out.push(Message::tool(id, output));
            out.push(Message::text(Role::Assistant, said));
        }
        out
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn shares_carried_from_call_to_call_match_those_of_each_view(
        messages in some_messages(), window in 150u64..900, budget in 20u64..300, steps in 1usize..9,
        ladder in prop_oneof![Just("contextfold"), Just("rolling"), Just("selective"), Just("spec")],
    ) {
        let options = json!({ "contextWindow": window, "ladder": ladder, "toolOutputCache": { "contextBudgetTokens": budget } });
        let mut replay = replay(&messages, &options);
        while replay.advance(steps).unwrap() {}
        while replay.measure(steps).unwrap() {}
        check_shares(&replay, 1);
    }
}
