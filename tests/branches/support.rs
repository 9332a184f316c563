//! Short notation for the tests: messages by id, views as one line of ids.

use std::sync::Arc;

use contextfold::ErrorCode;
use contextfold::message::{Message, Part, Role, ToolCall};
use contextfold::session::{Answer, Fit, Reason, Session, SessionConfig};
use contextfold::tokens::BytesPerFour;
use serde_json::{Value, json};

pub fn session(options: &Value) -> Session {
    Session::new(SessionConfig::from_value(options).unwrap(), Arc::new(BytesPerFour))
}

/// The message with this id: `u…` is the user's, `a…` the assistant's; `c…` makes the call `call_…`, which `t…` answers.
pub fn named(id: &str) -> Message {
    let text = format!("{id} says {}", "a word or two more, ".repeat(8));
    let call = format!("call_{}", &id[1..]);
    let message = match &id[..1] {
        "u" => Message::text(Role::User, text),
        "a" => Message::text(Role::Assistant, text),
        "c" => Message::new(Role::Assistant, vec![Part::from(ToolCall::function(call, "read", "{}"))]),
        "t" => Message::tool(call, text),
        "s" => Message::text(Role::System, text),
        other => panic!("{other}"),
    };
    message.with_id(id)
}

pub fn push(session: &mut Session, ids: &str) {
    for id in ids.split(' ') {
        session.push(vec![named(id)]).unwrap();
    }
}

/// A session with these messages.
pub fn talk(ids: &str) -> Session {
    let mut session = session(&json!({ "contextWindow": 1_000_000 }));
    push(&mut session, ids);
    session
}

/// The ids in the view. A message made by a fold is shown without its number.
pub fn shown(session: &Session) -> String {
    let ids = session.context().items().into_iter().map(|item| item.id);
    ids.map(|id| id.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit() && id.contains('_')).to_owned())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Folds everything but the last turn. Returns the fold's id.
pub fn fold(session: &mut Session) -> String {
    let mut fit = session.compact(Reason::Manual, None).unwrap().expect("something to fold");
    while let Fit::NeedsSummary(pending) = fit {
        let answer = Answer { text: "<summary>s</summary>".to_owned(), ..Answer::default() };
        fit = session.resume(*pending, &answer).unwrap();
    }
    session.context().fold_infos().last().unwrap().id.clone()
}

pub fn code<T: std::fmt::Debug>(result: contextfold::Result<T>) -> (ErrorCode, String) {
    let error = result.unwrap_err();
    (error.code(), error.message().to_owned())
}
