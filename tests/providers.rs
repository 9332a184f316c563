//! Sessions with providers that refuse part of a request, or ignore part of it.
// Tests fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "providers/compacted.rs"]
mod compacted;
#[path = "providers/cut_off_thinking.rs"]
mod cut_off_thinking;
#[path = "providers/media.rs"]
mod media;

use std::sync::Arc;

use contextfold::message::Format;
use contextfold::provider::{CheckOptions, Severity, Written, check, provider};
use contextfold::session::{Fit, Session, SessionConfig};
use contextfold::tokens::BytesPerFour;
use serde_json::Value;

/// A session that counts four bytes as a token.
fn session(options: &Value) -> Session {
    Session::new(SessionConfig::from_value(options).unwrap(), Arc::new(BytesPerFour))
}

/// The session of a snapshot.
fn restored(bytes: &[u8]) -> Session {
    Session::restore(bytes, None, |_| Ok(Arc::new(BytesPerFour))).unwrap().session
}

/// Pushes a list in a format. Returns the messages' ids.
fn push(session: &mut Session, format: Format, list: &Value) -> Vec<String> {
    let messages = provider(format).read(list).unwrap();
    let nodes = session.push(messages).unwrap();
    nodes.into_iter().map(|node| session.context().history.node(node).id.to_string()).collect()
}

/// What the session sends in a format.
fn sent(session: &Session, format: Format) -> Written {
    let view: Vec<_> = session.context().view.slots().map(|slot| &*slot.message).collect();
    provider(format).write(&view)
}

/// The rules that the sent messages break.
fn broken(session: &Session, format: Format) -> Vec<&'static str> {
    let list = Value::Array(sent(session, format).items);
    let found = check(format, &list, &CheckOptions::default()).unwrap();
    found.into_iter().filter(|v| v.severity == Severity::Error).map(|v| v.rule).collect()
}

/// Prepares a session that needs no summary.
fn prepare(session: &mut Session) -> contextfold::session::Report {
    match session.prepare().unwrap() {
        Fit::Done(report) => contextfold::session::Report::clone(&report),
        Fit::NeedsSummary(_) => panic!("no summary is needed"),
    }
}
