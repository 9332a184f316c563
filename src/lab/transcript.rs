use std::cell::RefCell;

use serde_json::Value;

use super::answers::{Answer, answers};
use super::known::KnownFacts;
use crate::hashing::HashSet;
use crate::message::Message;
use crate::session::{Session, SessionConfig};
use crate::tokens::Counter;

/// A recorded transcript, shared by its replays.
pub(super) struct Transcript {
    /// All messages, each with an id.
    pub messages: Vec<Message>,
    pub tools: Vec<Value>,
    pub answers: Vec<Answer>,
    pub known: RefCell<KnownFacts>,
}

impl Transcript {
    /// A message without an id gets one by its position (`m1` is the first).
    pub fn new(mut messages: Vec<Message>, tools: Vec<Value>) -> Self {
        let taken: HashSet<String> = messages.iter().filter_map(|m| m.meta.id.clone()).collect();
        for (at, message) in messages.iter_mut().enumerate() {
            if message.meta.id.is_none() {
                let mut id = format!("m{}", at + 1);
                while taken.contains(&id) {
                    id.push('_');
                }
                message.meta.id = Some(id);
            }
        }
        let answers = answers(&messages).collect();
        Self { messages, tools, answers, known: RefCell::default() }
    }

    /// A new session for replaying it.
    pub fn session(&self, config: SessionConfig, counter: &Counter) -> Session {
        let mut session = Session::new(config, counter.clone());
        session.set_tools(&self.tools);
        session.context_mut().wording.open_refs(); // the facts that refs could open are one of the figures
        session
    }
}
