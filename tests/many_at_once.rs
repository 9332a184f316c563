//! Thousands of calls in one message, thousands of pins and lines of many megabytes cost what they are. Looking through all of them for each
//! one would make these tests run for many minutes.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use std::sync::Arc;

use contextfold::message::{Message, Part, Role, ToolCall};
use contextfold::session::{Fit, Session, SessionConfig};
use contextfold::tokens::Estimate;
use serde_json::json;

const MANY: usize = 100_000;

/// A session with so much room that nothing is cut.
fn roomy() -> Session {
    let options = json!({ "contextWindow": 1e9, "toolOutputCache": { "contextBudgetTokens": 1e9 } });
    Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate))
}

/// One answer with many calls. Their ids are not in the order of the alphabet.
fn calls() -> Vec<Message> {
    calls_of(MANY)
}

fn calls_of(many: usize) -> Vec<Message> {
    let call = |n: usize| Part::from(ToolCall::function(format!("c{n}"), "read", r#"{"path":"src/lib.rs"}"#));
    vec![Message::text(Role::User, "go"), Message::new(Role::Assistant, (0..many).map(call).collect())]
}

fn output(n: usize) -> Message {
    Message::tool(format!("c{n}"), format!("output {n}"))
}

#[test]
fn outputs_of_many_calls_come_one_by_one() {
    let mut session = roomy();
    session.push(calls()).unwrap();
    for n in 0..MANY {
        session.push(vec![output(n)]).unwrap();
    }
    assert!(matches!(session.prepare().unwrap(), Fit::Done(_)));
    assert_eq!(session.context().view.body().len(), MANY + 2);
}

#[test]
fn a_session_with_many_open_calls_is_restored() {
    let mut session = roomy();
    session.push(calls()).unwrap();
    let bytes = session.snapshot(&[]);
    let mut session = Session::restore(&bytes, None, |_| Ok(Arc::new(Estimate))).unwrap().session;
    session.push((0..MANY).rev().map(output).collect()).unwrap();
    assert!(!session.context().history.has_open_calls());
}

#[test]
fn many_messages_are_pinned_one_by_one() {
    let mut session = roomy();
    let said = |n: usize| Message::text([Role::User, Role::Assistant][n % 2], format!("message {n}"));
    let added = session.push((0..MANY).map(said).collect()).unwrap();
    for id in session.context().ids(&added) {
        session.set_pinned(&id, true).unwrap();
    }
    assert!(session.context().history.nodes().iter().all(|node| node.pinned));
}

/// A diff that a tool returned as JSON is one line.
#[test]
fn a_line_of_many_paths_beside_a_and_b_is_read() {
    let mut session = Session::new(
        SessionConfig::from_value(&json!({ "contextWindow": 128_000 })).unwrap(),
        Arc::new(Estimate),
    );
    let diff =
        r"diff --git a/src/x.rs b/src/x.rs\n--- a/src/x.rs\n+++ b/src/x.rs\n+let x = 1;\n".repeat(10 * MANY);
    session.push(calls_of(1)).unwrap();
    session.push(vec![Message::tool("c0", diff)]).unwrap();
    assert!(matches!(session.prepare().unwrap(), Fit::Done(_)));
}
