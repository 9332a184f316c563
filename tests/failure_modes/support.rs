//! Shared by the failure mode tests.

use std::collections::HashSet;
use std::sync::Arc;

use contextfold::message::{Message, Part, Role, ToolCall};
use contextfold::session::{Answer, Fit, Pending, Reason, Report, Session, SessionConfig};
use contextfold::tokens::BytesPerFour;
use serde_json::Value;

pub fn session(options: &Value) -> Session {
    Session::new(SessionConfig::from_value(options).unwrap(), Arc::new(BytesPerFour))
}

pub fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

pub fn said(text: &str) -> Message {
    Message::text(Role::Assistant, text)
}

pub fn calls(ids: &[&str]) -> Message {
    let call = |id: &&str| Part::from(ToolCall::function(*id, "read_file", r#"{"path":"src/lib.rs"}"#));
    Message::new(Role::Assistant, ids.iter().map(call).collect())
}

pub fn filler(words: usize) -> String {
    "lorem ipsum ".repeat(words)
}

/// A turn with two parallel calls.
pub fn turn(n: usize) -> Vec<Message> {
    let (a, b) = (format!("c{n}a"), format!("c{n}b"));
    vec![
        user(&format!("question {n}")),
        calls(&[&a, &b]),
        Message::tool(a, filler(20)),
        Message::tool(b, filler(20)),
        said(&format!("answer {n}")),
    ]
}

pub fn asks(fit: Fit) -> Pending {
    match fit {
        Fit::NeedsSummary(pending) => *pending,
        Fit::Done(report) => panic!("no summary was asked for: {report:?}"),
    }
}

pub fn answer(text: &str) -> Answer {
    Answer { text: text.to_owned(), ..Answer::default() }
}

/// Answers every request with `reply`. Returns the number of requests and the report.
pub fn run(session: &mut Session, mut fit: Fit, reply: &str) -> (usize, Report) {
    let mut asked = 0;
    loop {
        match fit {
            Fit::Done(report) => return (asked, std::rc::Rc::unwrap_or_clone(report)),
            Fit::NeedsSummary(pending) => {
                asked += 1;
                fit = session.resume(*pending, &answer(reply)).unwrap();
            }
        }
    }
}

/// One manual compaction.
pub fn compact(session: &mut Session, reply: &str) -> Report {
    let fit = session.compact(Reason::Manual, None).unwrap().unwrap();
    run(session, fit, reply).1
}

pub fn view(session: &Session) -> Vec<Message> {
    session.context().view_messages().iter().map(|m| Message::clone(m)).collect()
}

pub fn texts(messages: &[Message]) -> Vec<String> {
    messages.iter().map(Message::plain_text).collect()
}

/// Whether every output directly follows the step of its call, and every call has one.
pub fn paired(messages: &[Message]) -> bool {
    let mut open: HashSet<&str> = HashSet::new();
    for message in messages {
        for output in message.tool_outputs() {
            if !open.remove(output.call_id.as_str()) {
                return false;
            }
        }
        if message.role != Role::Tool && !open.is_empty() {
            return false;
        }
        open.extend(message.tool_calls().map(|c| c.id.as_str()));
    }
    open.is_empty()
}

/// Everything that a caller can see.
pub fn state(session: &Session) -> String {
    let context = session.context();
    let outputs: Vec<_> = context.outputs.refs().into_iter().map(|r| r.id).collect();
    format!("{:?} {:?} {:?} {:?}", context.items(), view(session), context.fold_infos(), outputs)
}
