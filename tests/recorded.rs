//! Recorded conversations in sessions with small windows: the provider accepts every view.
#![recursion_limit = "512"]
// Tests read files and fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

#[path = "provider/data.rs"]
mod data;
#[path = "invariants/oracle.rs"]
mod oracle;

use std::sync::Arc;

use contextfold::ErrorCode;
use contextfold::message::{Format, Message};
use contextfold::provider::provider;
use contextfold::session::{Answer, Fit, Reason, Session, SessionConfig};
use contextfold::tokens::{BytesPerFour, count_message};
use serde_json::{Value, json};

/// Counts of what ran.
#[derive(Debug, Default)]
struct Ran {
    histories: usize,
    refused: usize,
    views: usize,
    folds: usize,
    trims: usize,
    shortened: usize,
    too_small: usize,
}

fn session(window: u64) -> Session {
    let options = json!({ "contextWindow": window, "safetyMargin": 0, "toolOutputCache": { "contextBudgetTokens": window / 3 } });
    Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(BytesPerFour))
}

fn written(session: &Session, format: Format) -> Vec<Value> {
    let view = session.context().view_messages();
    let view: Vec<&Message> = view.iter().map(|m| &**m).collect();
    provider(format).write(&view).items
}

/// Violations in a list that were not in the recording itself.
fn new_violations(format: Format, items: &[Value], recorded: &[Value]) -> Vec<String> {
    let without_index = |v: String| v.split_once(": ").map_or(v.clone(), |(_, what)| what.to_owned());
    let known: Vec<String> =
        oracle::violations(format, recorded, true).into_iter().map(without_index).collect();
    let mut bad = oracle::violations(format, items, true);
    bad.retain(|v| !known.contains(&without_index(v.clone())));
    bad
}

/// Answers every request until the run ends. Returns the error if it fails.
fn finish(session: &mut Session, mut fit: Fit, ran: &mut Ran) -> Option<ErrorCode> {
    let answer = Answer { text: "<summary>s</summary>".to_owned(), ..Answer::default() };
    while let Fit::NeedsSummary(pending) = fit {
        match session.resume(*pending, &answer) {
            Ok(next) => fit = next,
            Err(error) => return Some(error.code()),
        }
    }
    let Fit::Done(report) = fit else { unreachable!() };
    assert_eq!(report.tokens_after, session.tokens());
    let of = |pass: &str| report.decisions.iter().filter(|d| d.pass == pass).count();
    ran.folds += of("summarize");
    ran.trims += of("trim_tool_outputs");
    ran.shortened += of("shorten");
    None
}

fn check(session: &Session, format: Format, recorded: &[Value], name: &str, ran: &mut Ran) {
    let items = written(session, format);
    assert_eq!(new_violations(format, &items, recorded), [""; 0], "{name}");
    let counted: u64 =
        session.context().view_messages().iter().map(|m| count_message(m, &BytesPerFour)).sum();
    assert_eq!(counted, session.tokens(), "{name}");
    ran.views += 1;
}

/// Pushes a recorded list step by step into a session with this window, preparing and compacting on the way.
fn replay(
    messages: &[Message],
    window: u64,
    format: Format,
    recorded: &[Value],
    name: &str,
    ran: &mut Ran,
) -> bool {
    let mut session = session(window);
    let every = (messages.len() / 12).max(1);
    for (n, chunk) in messages.chunks(every).enumerate() {
        if session.push(chunk.to_vec()).is_err() {
            return false; // the list continues a stored response, so it answers calls that are not in it
        }
        match session.prepare() {
            Ok(fit) => {
                if let Some(code) = finish(&mut session, fit, ran) {
                    assert!(
                        matches!(code, ErrorCode::ContextWindowExceeded | ErrorCode::SummaryNotSmaller),
                        "{name}: {code:?}"
                    );
                    ran.too_small += 1;
                } else {
                    assert!(session.tokens() <= window, "{name}: {} of {window}", session.tokens());
                }
            }
            Err(error) => {
                let code = error.code();
                assert!(
                    matches!(code, ErrorCode::ContextWindowExceeded | ErrorCode::BudgetImpossible),
                    "{name}: {error}"
                );
                ran.too_small += 1;
            }
        }
        check(&session, format, recorded, name, ran);
        if n % 5 == 4
            && let Ok(Some(fit)) = session.compact(Reason::Manual, None)
        {
            finish(&mut session, fit, ran);
            check(&session, format, recorded, name, ran);
        }
    }
    true
}

/// Reads recordings in `from` and checks every view in `format`.
fn every_view_is_valid(suffix: &str, from: Format, format: Format) {
    let mut ran = Ran::default();
    for list in data::recorded(suffix) {
        let messages = provider(from)
            .read(&Value::Array(list.items.clone()))
            .unwrap_or_else(|e| panic!("{}: {e}", list.name));
        let refs: Vec<&Message> = messages.iter().collect();
        let recorded = provider(format).write(&refs).items;
        let tokens: u64 = messages.iter().map(|m| count_message(m, &BytesPerFour)).sum();
        let mut taken = true;
        for window in [100, 1_000, tokens / 4 + 1, tokens / 2 + 1] {
            taken &= replay(&messages, window, format, &recorded, &list.name, &mut ran);
        }
        if taken { ran.histories += 1 } else { ran.refused += 1 }
    }
    println!("{suffix}: {ran:?}");
    if data::folder().is_some() {
        assert!(ran.histories > 0 && ran.folds > 0, "{suffix}: nothing was put to the test: {ran:?}");
    }
}

#[test]
fn responses_views_are_valid() {
    every_view_is_valid(".responses.jsonl", Format::OpenaiResponses, Format::OpenaiResponses);
}

#[test]
fn chat_views_are_valid() {
    every_view_is_valid(".chat.jsonl", Format::OpenaiChat, Format::OpenaiChat);
    every_view_is_valid(".chat.json", Format::OpenaiChat, Format::OpenaiChat);
}

#[test]
fn long_sessions_stay_valid() {
    for format in [Format::OpenaiResponses, Format::OpenaiChat] {
        every_view_is_valid("-clean.anthropic.json", Format::Anthropic, format);
    }
}
