//! Snapshots of sessions: those of earlier versions, their size, and the memory that a session takes.
#![cfg(not(target_arch = "wasm32"))]
// Tests fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

use std::path::PathBuf;
use std::sync::Arc;

use contextfold::ErrorCode;
use contextfold::message::{
    CallKind, Extras, Format, Media, MediaKind, Message, Part, Reasoning, Role, ToolCall, ToolOutput,
};
use contextfold::provider::provider;
use contextfold::session::{Answer, Fit, Reason, SESSION, Session, SessionConfig};
use contextfold::tokens::{Estimate, ReportedUsage};
use peak_alloc::PeakAlloc;
use serde_json::{Map, Value, json};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// One fixture for each version. `CONTEXTFOLD_WRITE_FIXTURE=1 cargo test --test snapshots` writes the last one: never again after a release.
const FIXTURES: [&str; 1] = ["tests/fixtures/session-v1.snapshot"];

fn session(options: &Value) -> Session {
    Session::new(SessionConfig::from_value(options).unwrap(), Arc::new(Estimate))
}

fn restored(bytes: &[u8]) -> contextfold::Result<Session> {
    Session::restore(bytes, None, |_| Ok(Arc::new(Estimate))).map(|restored| restored.session)
}

/// A session with something of everything that a snapshot holds.
fn rich() -> Session {
    let options = json!({
        "contextWindow": 3_000, "compaction": { "lowRatio": 0.3 },
        "toolOutputCache": { "maxMessageBytes": 400 }, "models": { "unused": { "max_tokens": 1 } },
    });
    let mut session = session(&options);
    session.set_header(vec![Message::text(Role::System, "Be brief.")]).unwrap();
    session.set_tools(&[json!({ "type": "function", "function": { "name": "read", "parameters": {} } })]);
    let fields = Map::from_iter([("x_trace".to_owned(), json!([1, -2, 0.1, null, { "a": true }]))]);
    for turn in 0..8 {
        let mut ask = Message::text(Role::User, format!("question {turn}: never edit src/generated. "));
        ask.extras = Extras::new(Format::OpenaiChat, fields.clone());
        let mut image = Media::new(MediaKind::Image);
        (image.data, image.media_type) = (Some("aGVsbG8=".into()), Some("image/png".to_owned()));
        ask.parts.push(Part::Media(image.into()));
        let signature = Some("sig".into());
        let thought = Reasoning { text: Some("hm".into()), signature, ..Reasoning::default() };
        let raw = Arc::new(json!({ "type": "web_search_call", "id": "ws_1" }));
        let kind = CallKind::Other { format: Format::OpenaiResponses, raw: raw.clone() };
        let hosted = ToolCall { kind, hosted: true, ..ToolCall::function("", "web_search_call", "") };
        let call = ToolCall::function(format!("call_{turn}"), "read", r#"{"path":"src/lib.rs"}"#);
        let parts = vec![
            Part::from(thought),
            Part::from(hosted),
            Part::from(call),
            Part::Opaque { format: Format::OpenaiResponses, raw },
        ];
        let answer = Message::new(Role::Assistant, parts);
        let text = format!("line of output {turn}: error[E0308] in src/file{turn}.rs\n").repeat(30);
        let output = ToolOutput { is_error: true, ..ToolOutput::text(format!("call_{turn}"), text) };
        let output = Message::new(Role::Tool, vec![Part::from(output)]);
        let refused = Part::Refusal { text: "No.".into(), extras: Extras::default() };
        let said = Message::new(Role::Assistant, vec![Part::text("Done. Shall I go on?"), refused]);
        let pushed = session.push(vec![ask, answer, output, said]).unwrap();
        let ids = session.context().ids(&pushed);
        match turn {
            0 => session.set_pinned(&ids[2], true).unwrap(),
            2 => session.set_text_pinned(&ids[0], "never edit", true).unwrap(),
            _ => {}
        }
    }
    let Some(Fit::NeedsSummary(pending)) = session.compact(Reason::Manual, None).unwrap() else {
        panic!("there is something to fold")
    };
    let answer = Answer { text: "<summary>They read files.</summary>".to_owned(), ..Answer::default() };
    session.resume(*pending, &answer).unwrap();
    session.prepare().unwrap();
    let usage = ReportedUsage::from_value(&json!({ "input_tokens": 700, "output_tokens": 9 })).unwrap();
    session.record_usage(&usage);
    session.push(vec![Message::text(Role::User, "And now?")]).unwrap();
    let waits = Part::from(ToolCall::custom("open", "patch", "free text"));
    session.push(vec![Message::new(Role::Assistant, vec![waits])]).unwrap();
    session
}

#[test]
fn snapshots_of_every_version_can_be_read() {
    let now = rich().snapshot(b"host");
    let paths = FIXTURES.map(|path| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path));
    if std::env::var("CONTEXTFOLD_WRITE_FIXTURE").is_ok() {
        std::fs::write(paths.last().unwrap(), &now).unwrap();
    }
    let pushed = |session: &Session| -> Vec<_> {
        session.context().history.nodes().iter().filter(|n| !n.is_fold()).map(|n| n.message.clone()).collect()
    };
    for path in &paths {
        let session = restored(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!(pushed(&session), pushed(&rich()));
        assert_eq!(session.context().view_messages().len(), rich().context().view_messages().len());
        assert_eq!(session.config().limit, Some(3_000));
    }
    // The fold of an older fixture has the words of its time. The newest one must have today's.
    let session = restored(&std::fs::read(&paths[FIXTURES.len() - 1]).unwrap()).unwrap();
    assert_eq!(session.context().view_messages(), rich().context().view_messages());
    assert_eq!(session.report(), rich().report());
    assert!(session.snapshot(b"host") == now, "the version that is written now says the same");
}

#[test]
fn an_open_call_is_answered_after_a_restore() {
    let mut session = restored(&rich().snapshot(b"")).unwrap();
    session.push(vec![Message::tool("open", "patched")]).unwrap();
    assert_eq!(
        session.push(vec![Message::tool("open", "twice")]).unwrap_err().code(),
        ErrorCode::InvalidMessage
    );
}

#[test]
fn texts_are_shared_again() {
    let session = restored(&rich().snapshot(b"")).unwrap();
    let context = session.context();
    for slot in context.view.slots().filter(|s| s.form.as_str() == "whole") {
        assert!(Arc::ptr_eq(&slot.message, &context.history.node(slot.node).message));
    }
    let output = context.outputs.iter().next().unwrap().parts();
    let held = context.history.nodes().iter().flat_map(|n| n.message.tool_outputs()).next().unwrap();
    let (Part::Text { text: a, .. }, Part::Text { text: b, .. }) = (&output[0], &held.content[0]) else {
        panic!("texts")
    };
    assert!(Arc::ptr_eq(a, b));
}

#[test]
fn a_session_snapshot_is_not_a_graph() {
    let bytes = SESSION.framed(b"");
    assert_eq!(restored(&bytes).err().unwrap().code(), ErrorCode::SnapshotInvalid);
    let graph = contextfold::graph::ContextGraph::new(contextfold::graph::GraphLimits::default());
    let bytes = graph.snapshot(&contextfold::provider::GraphMessages).unwrap();
    assert_eq!(restored(&bytes).err().unwrap().code(), ErrorCode::SnapshotInvalid);
}

/// Messages of about `size` bytes: questions, calls, outputs, answers.
fn messages(count: usize, size: usize) -> Vec<Message> {
    let words = |seed: usize| {
        let word = |i| format!("w{:06}", (seed * 31 + i) % 999_999);
        (0..size / 8).map(word).collect::<Vec<_>>().join(" ")
    };
    (0..count)
        .map(|i| match i % 4 {
            0 => Message::text(Role::User, words(i)),
            1 => {
                let call =
                    ToolCall::function(format!("call_{i}"), "read", json!({ "path": words(i) }).to_string());
                Message::new(Role::Assistant, vec![Part::from(call)])
            }
            2 => Message::tool(format!("call_{}", i - 1), words(i)),
            _ => Message::text(Role::Assistant, words(i)),
        })
        .collect()
}

#[test]
fn memory_is_at_most_twice_the_text_and_half_a_kilobyte_a_message() {
    // For shorter messages this only holds in the WebAssembly module: here pointers and lengths are twice as large.
    for size in [400, 800] {
        let input = messages(10_000, size);
        // The messages as JSON, as they cross the boundary.
        let written = provider(Format::Messages).write(&input.iter().collect::<Vec<_>>()).items;
        let bytes: usize = written.iter().map(|item| item.to_string().len()).sum();
        drop((input, written));
        let before = MEMORY.current_usage();
        let mut session = session(&json!({}));
        for message in messages(10_000, size) {
            session.push(vec![message]).unwrap();
            session.take_events();
        }
        let held = MEMORY.current_usage() - before;
        let each = held as f64 / 10_000.0;
        println!("messages of {size} bytes: {each:.0} bytes a message");
        assert!(held <= 2 * bytes + 512 * 10_000, "{each:.0} bytes a message of {size}");
        let saved = session.snapshot(b"");
        println!("  their snapshot: {} bytes a message", saved.len() / 10_000);
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        let again = restored(&saved).unwrap();
        let (peak, again_held) = (MEMORY.peak_usage() - before, MEMORY.current_usage() - before);
        println!("  restored: {again_held} bytes, {peak} at the peak, {held} before");
        assert!(peak <= 2 * held, "{peak} at the peak of a restore, {held} held");
        drop(again);
    }
}
