//! A transcript replayed call by call (LAB-1, LAB-2).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use contextfold::ErrorCode;
use contextfold::lab::{SimulatedRun, Transcript, facts, retention, simulate};
use contextfold::message::{Format, Message, Part, Role, ToolCall};
use contextfold::passes::Ladder;
use contextfold::provider::provider;
use contextfold::session::{Fit, Session, SessionConfig};
use contextfold::tokens::{Counter, Estimate, count_message};
use serde_json::{Value, json};

fn sample() -> Vec<Message> {
    let items = serde_json::from_str(include_str!("../examples/transcript.responses.json")).unwrap();
    provider(Format::OpenaiResponses).read(&items).unwrap()
}

fn small() -> Vec<Message> {
    let call = ToolCall::function("c1", "read", r#"{"path":"src/a.rs"}"#);
    vec![
        Message::text(Role::System, "You are a helper."),
        Message::text(Role::User, "Never push. What is in src/a.rs?"),
        Message::new(Role::Assistant, vec![Part::ToolCall(call)]),
        Message::tool("c1", "mod b; // src/b.rs"),
        Message::text(Role::Assistant, "One module."),
        Message::text(Role::User, "Thanks. Anything else?"),
        Message::text(Role::Assistant, "No."),
        Message::text(Role::Assistant, "Nothing at all, see src/c.rs."),
    ]
}

fn run(messages: &[Message], options: &Value, ladder: &str) -> SimulatedRun {
    let counter: Counter = Arc::new(Estimate);
    let transcript = Transcript { messages, tools: &[] };
    simulate(transcript, options, &[ladder.into()], &counter).unwrap().runs.remove(0)
}

#[test]
fn a_small_transcript_by_hand() {
    let messages = small();
    let tokens = |until: usize| messages[..until].iter().map(|m| count_message(m, &Estimate)).sum::<u64>();
    let run = run(&messages, &json!({ "contextWindow": 100_000 }), "contextfold");
    let sent: Vec<(u64, u64)> = run.calls.iter().map(|c| (c.tokens, c.cached_tokens)).collect();
    assert_eq!(sent, [(tokens(2), 0), (tokens(4), tokens(2)), (tokens(6), tokens(4))]);
    assert_eq!(run.tokens_total, tokens(2) + tokens(4) + tokens(6));
    assert_eq!(run.tokens_largest, tokens(6));
    let ratio = (tokens(2) + tokens(4)) as f64 / run.tokens_total as f64;
    assert!((run.cache_hit_ratio - ratio).abs() < 1e-12);
    assert_eq!((run.compactions.count, run.compactions.request_tokens, run.calls_over_limit), (0, 0, 0));
    assert!(
        run.retention.literal >= 1.0,
        "what the last answer says was not to be sent: {:?}",
        run.retention
    );
    assert_eq!(run.retention_mean, None);
}

#[test]
fn the_sums_are_those_of_the_sessions_own_reports() {
    let messages = sample();
    let options = json!({ "contextWindow": 40_000, "toolOutputCache": { "contextBudgetTokens": 30_000 } });
    for ladder in Ladder::PRESETS {
        let run = run(&messages, &options, ladder);
        let mut with_ladder = options.clone();
        with_ladder["ladder"] = ladder.into();
        let mut session = Session::new(SessionConfig::from_value(&with_ladder).unwrap(), Arc::new(Estimate));
        let (mut calls, mut folds, mut until) = (run.calls.iter(), 0, 0);
        for (at, message) in messages.iter().enumerate() {
            if message.role == Role::Assistant && messages[at - 1].role != Role::Assistant {
                let mut fit = session.prepare().unwrap();
                let report = loop {
                    match fit {
                        Fit::Done(report) => break report,
                        Fit::NeedsSummary(pending) => {
                            folds += 1;
                            fit = session.resume_extractive(*pending).unwrap();
                        }
                    }
                };
                let call = calls.next().unwrap();
                assert_eq!((call.tokens, call.error.as_ref()), (session.tokens(), None), "{ladder}");
                assert_eq!(call.parts.iter().map(|p| p.tokens).sum::<u64>(), call.tokens, "{ladder}");
                assert_eq!(call.cached_tokens, report.stable_prefix_tokens, "{ladder}");
                assert_eq!(call.decisions, report.decisions, "{ladder}");
                until = at;
                if at == last_answer(&messages) {
                    let view = session.context().lower();
                    let opens = |id: &str| {
                        let output = session.context().outputs.get(id).ok()?;
                        Some(
                            output
                                .lines_from(0)
                                .map(|l| l.text().into_owned())
                                .collect::<Vec<_>>()
                                .join("\n"),
                        )
                    };
                    let kept = retention(&facts(&messages[..at]), view.iter().map(|m| &**m), opens);
                    assert_eq!(kept, run.retention, "{ladder}");
                }
            }
            session.push(vec![message.clone()]).unwrap();
        }
        assert!(calls.next().is_none() && until > 0, "{ladder}");
        assert_eq!(run.compactions.count, folds, "{ladder}");
        assert_eq!(run.retention_mean.is_some(), folds > 0, "{ladder}");
        assert_eq!(run.tokens_total, run.calls.iter().map(|c| c.tokens).sum::<u64>());
        assert!(run.calls_over_limit == 0 && run.tokens_largest <= run.limit, "{ladder}");
    }
}

fn last_answer(messages: &[Message]) -> usize {
    let starts = |at: &usize| {
        messages[*at].role == Role::Assistant && (*at == 0 || messages[at - 1].role != Role::Assistant)
    };
    (0..messages.len()).rev().find(starts).unwrap()
}

#[test]
fn without_a_window_it_is_half_of_the_transcript_and_twice_is_the_same() {
    let messages = sample();
    let counter: Counter = Arc::new(Estimate);
    let transcript = Transcript { messages: &messages, tools: &[] };
    let ladders = Ladder::PRESETS.map(Value::from);
    let once = simulate(transcript, &json!({}), &ladders, &counter).unwrap();
    assert!(once.runs.iter().all(|r| r.window == once.transcript_tokens / 2 && r.calls_over_limit == 0));
    assert_eq!(simulate(transcript, &json!({}), &ladders, &counter).unwrap(), once);
}

#[test]
fn a_view_that_cannot_fit_is_counted_and_the_replay_goes_on() {
    let mut messages = small();
    messages[0] = Message::text(Role::System, "You are a helper. ".repeat(100));
    let run = run(&messages, &json!({ "contextWindow": 100 }), "contextfold");
    assert_eq!((run.calls.len(), run.calls_over_limit), (3, 3));
    assert!(run.calls.iter().all(|c| c.error.as_ref().unwrap().code == ErrorCode::BudgetImpossible));
}

#[test]
fn bad_input_is_named() {
    let counter: Counter = Arc::new(Estimate);
    let orphan = [Message::text(Role::User, "Hi"), Message::tool("nobody", "42")];
    let of = |messages: &[Message], options: Value, ladders: &[Value]| {
        let error = simulate(Transcript { messages, tools: &[] }, &options, ladders, &counter).unwrap_err();
        (error.code(), error.message().to_owned())
    };
    let (code, message) = of(&orphan, json!({}), &["spec".into()]);
    assert!(code == ErrorCode::InvalidMessage && message.contains("message 1"), "{message}");
    let (code, message) = of(&small(), json!({}), &["spec".into(), "rollin".into()]);
    assert!(code == ErrorCode::InvalidConfig && message.contains("`rolling`"), "{message}");
    let empty = simulate(Transcript { messages: &[], tools: &[] }, &json!({}), &["spec".into()], &counter);
    let run = empty.unwrap().runs.remove(0);
    assert!(run.calls.is_empty() && run.tokens_total == 0 && run.cache_hit_ratio <= 0.0);
}
