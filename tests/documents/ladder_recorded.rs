//! The ladder document on recordings: the sample in several windows, and long sessions call by call.

use std::fmt::Write as _;
use std::sync::Arc;

use contextfold::ErrorCode;
use contextfold::message::{Format, Message, Role};
use contextfold::provider::{CheckOptions, Severity, check, detect, provider};
use contextfold::session::{Fit, Report, Session, SessionConfig};
use contextfold::tokens::Estimate;
use serde_json::{Value, json};

use crate::data::recorded;

fn session(window: u64) -> Session {
    with(json!({ "contextWindow": window, "ladder": "ladder", "compaction": { "onFailure": "extractive" } }))
}

/// Tool outputs are not cut on entry, so only the ladder makes them smaller.
fn whole_outputs(window: u64) -> Session {
    let cache =
        json!({ "maxMessageBytes": 1_000_000, "maxLineLength": 100_000, "contextBudgetTokens": 1_000_000 });
    with(json!({ "contextWindow": window, "ladder": "ladder", "toolOutputCache": cache }))
}

fn with(options: Value) -> Session {
    Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate))
}

fn prepare(session: &mut Session) -> contextfold::Result<Report> {
    let mut fit = session.prepare()?;
    loop {
        match fit {
            Fit::Done(report) => return Ok(std::rc::Rc::unwrap_or_clone(report)),
            Fit::NeedsSummary(pending) => {
                fit = session.resume_extractive(*pending)?;
            }
        }
    }
}

/// The decisions after pushing the whole sample at once.
fn decisions(mut s: Session) -> String {
    let items = serde_json::from_str(include_str!("../../examples/transcript.responses.json")).unwrap();
    s.push(provider(Format::OpenaiResponses).read(&items).unwrap()).unwrap();
    let mut out = format!("window {}\n", s.config().window.unwrap());
    let cost = match prepare(&mut s) {
        Ok(report) => report.context_cost,
        Err(error) => {
            let _ = writeln!(out, "{}", error.code().as_str());
            s.context_cost().cloned()
        }
    };
    for d in &cost.as_ref().unwrap().decisions {
        let _ = writeln!(out, "{} {}: {} -> {}", d.pass, d.attempt, d.tokens_before, d.tokens_after);
    }
    let cost = cost.unwrap();
    let _ = writeln!(out, "estimated {} of {}", cost.estimated_tokens, cost.limit.unwrap());
    out
}

#[test]
fn the_decisions_on_the_sample_match_the_snapshot() {
    insta::assert_snapshot!([20_000, 8_000].map(session).map(decisions).join("\n"), @"
    window 20000
    cut_tool_outputs 1: 222715 -> 200163
    prune_tool_outputs 1: 200163 -> 16451
    estimated 16451 of 20000

    window 8000
    cut_tool_outputs 1: 222715 -> 200163
    prune_tool_outputs 1: 200163 -> 16451
    shrink_turns 1: 200163 -> 8564
    prune_tool_outputs 2: 8564 -> 7931
    shrink_turns 2: 8564 -> 5261
    auto_compact 1: 5261 -> 6954
    estimated 6954 of 8000
    ");
    insta::assert_snapshot!([128_000, 64_000, 20_000].map(whole_outputs).map(decisions).join("\n"), @"
    window 128000
    prune_tool_outputs 1: 222715 -> 63658
    estimated 63658 of 128000

    window 64000
    prune_tool_outputs 1: 222715 -> 29896
    estimated 29896 of 64000

    window 20000
    prune_tool_outputs 1: 222715 -> 16451
    estimated 16451 of 20000
    ");
}

/// What providers would refuse in the view, in every format.
fn refusals(session: &Session, pending: bool) -> Vec<String> {
    let view = session.context().view_messages();
    let view: Vec<&Message> = view.iter().map(|m| &**m).collect();
    let options = CheckOptions { pending, ..CheckOptions::default() };
    let mut refused = Vec::new();
    for format in Format::ALL {
        let list = Value::Array(provider(format).write(&view).items);
        let found = check(format, &list, &options).unwrap();
        let errors = found.into_iter().filter(|v| v.severity == Severity::Error);
        refused.extend(errors.map(|v| format!("{}: {} at {}", format.as_str(), v.rule, v.index)));
    }
    refused
}

/// Whether the recording itself already breaks a rule in some format.
fn broken_already(messages: &[Message]) -> bool {
    let mut whole = session(u64::from(u32::MAX));
    whole.push(messages.to_vec()).is_err() || !refusals(&whole, true).is_empty()
}

#[test]
fn long_sessions_stay_valid_at_every_call() {
    for list in
        recorded(".json").into_iter().chain(recorded(".jsonl")).filter(|l| l.name.contains("long-sessions"))
    {
        let value = Value::Array(list.items);
        let Some(Ok(messages)) = detect(&value).map(|format| provider(format).read(&value)) else { continue };
        if broken_already(&messages) {
            println!("{}: cannot be taken in as it is", list.name);
            continue;
        }
        let tokens = {
            let mut s = session(u64::from(u32::MAX));
            s.push(messages.clone()).unwrap();
            s.tokens()
        };
        for share in [2, 4, 8] {
            let mut s = session(tokens / share);
            let (mut calls, mut acted, mut over) = (0, 0, 0);
            for (at, message) in messages.iter().enumerate() {
                let answers =
                    message.role == Role::Assistant && at > 0 && messages[at - 1].role != Role::Assistant;
                if answers {
                    calls += 1;
                    match prepare(&mut s) {
                        Ok(report) => {
                            assert!(s.tokens() <= report.target.unwrap(), "{}", list.name);
                            assert_eq!(report.parts.iter().map(|p| p.tokens).sum::<u64>(), s.tokens());
                            acted += u32::from(!report.decisions.is_empty());
                            if !report.decisions.is_empty() || calls % 16 == 0 {
                                assert_eq!(refusals(&s, true), [""; 0], "{} at {at}", list.name);
                            }
                        }
                        Err(error) => {
                            assert_eq!(error.code(), ErrorCode::ContextWindowExceeded, "{error}");
                            over += 1;
                        }
                    }
                }
                s.push(vec![message.clone()]).unwrap();
            }
            println!(
                "{}: 1/{share} of {tokens}: {calls} calls, {acted} changed, {over} over at one turn",
                list.name
            );
        }
    }
}
