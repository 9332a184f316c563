//! The sample transcript: recorded tool outputs of a scripted agent (`examples/README.md`).

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use contextfold::message::{Format, Message, steps};
use contextfold::provider::provider;
use contextfold::session::extractive::{self, ExtractiveOptions};
use contextfold::session::{Answer, Fit, Session, SessionConfig};
use contextfold::tokens::Estimate;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Fact {
    fact: String,
    must_contain: Vec<String>,
}

fn items() -> Value {
    serde_json::from_str(include_str!("../examples/transcript.responses.json")).unwrap()
}

/// The turns of a list that begins with a user message.
fn turns(messages: &[Message]) -> impl Iterator<Item = &[Message]> {
    messages.chunk_by(|_, next| !next.opens_turn())
}

fn sample() -> Vec<Message> {
    provider(Format::OpenaiResponses).read(&items()).unwrap()
}

#[test]
fn it_is_a_long_agent_session() {
    assert!(items().as_array().unwrap().len() >= 150);
    let messages = sample();
    let session = session(&json!({ "toolOutputCache": { "enabled": false } }));
    let tokens: u64 = messages.iter().map(|m| session.context().count(m)).sum();
    assert!(tokens >= 150_000, "{tokens}");
    let turns: Vec<usize> = turns(&messages[1..]).map(|turn| steps(turn).len() - 1).collect();
    assert!(turns.len() == 4 && turns[0] >= 60 && turns[1..].iter().all(|t| *t < turns[0] / 2), "{turns:?}");
}

#[test]
fn the_extractive_summary_names_everything_needed_to_continue() {
    let summary = extractive::summarize(&sample(), &Estimate, ExtractiveOptions::default());
    let facts: Vec<Fact> = serde_json::from_str(include_str!("../examples/transcript.facts.json")).unwrap();
    assert_eq!(facts.len(), 10);
    let missing: Vec<&str> = facts
        .iter()
        .filter(|f| !f.must_contain.iter().all(|s| summary.contains(s.as_str())))
        .map(|f| f.fact.as_str())
        .collect();
    assert!(missing.is_empty(), "missing: {missing:#?} in\n{summary}");
}

#[test]
fn its_long_turn_is_cut_at_a_step() {
    let mut s = session(&json!({ "contextWindow": 20_000 }));
    let messages = sample();
    let first_turn = 1 + turns(&messages[1..]).next().unwrap().len();
    s.push(messages[..first_turn].to_vec()).unwrap();
    let Fit::NeedsSummary(pending) = s.prepare().unwrap() else { unreachable!("it does not fit") };
    let answer = Answer { text: s.extractive(&pending), ..Answer::default() };
    let Fit::Done(report) = s.resume(*pending, &answer).unwrap() else {
        unreachable!("one summary is enough")
    };
    assert!(report.tokens_after <= report.threshold.unwrap());
    let view = s.context().view_messages();
    assert_eq!(view[2].plain_text(), messages[1].plain_text(), "the request itself stays verbatim");
    assert_eq!(view.last().unwrap().plain_text(), messages[first_turn - 1].plain_text());
    assert!(contextfold::message::open_calls(view.iter().map(|m| &**m)).is_empty());
}

#[test]
fn a_one_shot_call_fills_its_target() {
    for window in [20_000, 32_000, 64_000] {
        let mut s = session(
            &json!({ "contextWindow": window, "toolOutputCache": { "contextBudgetTokens": 60_000 } }),
        );
        s.push(sample()).unwrap();
        let report = match s.prepare_filling().unwrap() {
            Fit::Done(report) => report,
            Fit::NeedsSummary(pending) => {
                let answer = Answer { text: s.extractive(&pending), ..Answer::default() };
                let Fit::Done(report) = s.resume(*pending, &answer).unwrap() else {
                    unreachable!("one summary is enough")
                };
                report
            }
        };
        let target = report.target.unwrap();
        assert!(report.tokens_after <= target && report.tokens_after * 10 >= target * 9, "{report:?}");
        let view = s.context().view_messages();
        assert!(contextfold::message::open_calls(view.iter().map(|m| &**m)).is_empty());
    }
}

fn session(options: &Value) -> Session {
    Session::new(SessionConfig::from_value(options).unwrap(), Arc::new(Estimate))
}
