//! A session that waits for summaries, what can happen meanwhile, and what must always hold.

#[path = "world/answers.rs"]
mod answers;
#[path = "world/checks.rs"]
mod checks;
#[path = "world/messages.rs"]
mod messages;
#[path = "world/operations.rs"]
mod operations;

use std::sync::Arc;

use contextfold::message::{Message, Role};
use contextfold::session::{Fit, Pending, Plan, Reason, Session, SessionConfig};
use contextfold::tokens::BytesPerFour;
use serde_json::Value;

pub use answers::ANSWERS;
use messages::history;
pub use operations::OPERATIONS;

/// What a path does.
#[derive(Clone, Copy)]
pub enum Goal {
    Compact,
    Prepare,
    Background,
    /// A plan that is applied after other operations.
    Plan,
}

/// What waits for a summary.
enum Waits {
    Run(Pending),
    Background(Pending),
}

pub struct World {
    session: Session,
    /// Everything that was pushed, in order.
    pushed: Vec<String>,
    header: String,
    pins: Vec<String>,
    pinned_text: bool,
    output: String,
    rewritten: bool,
    newest_user: String,
    branch: Option<Session>,
    plan: Option<Plan>,
    waiting: Vec<Waits>,
    log: Vec<String>,
    n: usize,
}

impl World {
    pub fn new(options: &Value) -> Self {
        let config = SessionConfig::from_value(options).unwrap();
        let mut session = Session::new(config, Arc::new(BytesPerFour));
        let messages = history();
        let pushed = messages.iter().skip(1).map(Message::plain_text).collect();
        session.push(messages).unwrap();
        let output = session.context_mut().outputs.put_text("line 1\n", None).unwrap().id;
        Self {
            session,
            pushed,
            header: "You are terse.".to_owned(),
            pins: Vec::new(),
            pinned_text: false,
            output,
            rewritten: false,
            newest_user: "and now?".to_owned(),
            branch: None,
            plan: None,
            waiting: Vec::new(),
            log: Vec::new(),
            n: 0,
        }
    }

    fn push(&mut self, messages: Vec<Message>) {
        self.note(&messages);
        self.session.push(messages).unwrap();
    }

    fn note(&mut self, messages: &[Message]) {
        self.pushed.extend(messages.iter().map(Message::plain_text));
        if let Some(asks) = messages.iter().rfind(|m| m.role == Role::User) {
            self.newest_user = asks.plain_text();
        }
    }

    /// The number of unanswered requests.
    pub fn waits(&self) -> usize {
        self.waiting.len()
    }

    /// Starts the path's goal.
    pub fn begin(&mut self, goal: Goal) {
        match goal {
            Goal::Compact => {
                let fit = self.session.compact(Reason::Manual, None);
                self.came(fit.map(|fit| fit.unwrap()));
            }
            Goal::Prepare => {
                let fit = self.session.prepare();
                self.came(fit);
            }
            Goal::Background => self.begin_in_background(),
            Goal::Plan => self.make_plan(),
        }
    }

    fn came(&mut self, fit: contextfold::Result<Fit>) {
        match fit {
            Ok(Fit::NeedsSummary(pending)) => self.waiting.push(Waits::Run(*pending)),
            Ok(Fit::Done(_)) => self.log.push("done".to_owned()),
            Err(error) => self.log.push(error.code().as_str().to_owned()),
        }
    }
}
