//! A session that waits for summaries, what can happen to it meanwhile, and what must hold whatever happened.

use std::sync::Arc;

use contextfold::compaction::{Answer, Reason};
use contextfold::context::NodeKind;
use contextfold::message::{Format, Message, Part, Role, ToolCall};
use contextfold::provider::{CheckOptions, Severity, check, provider};
use contextfold::session::{ContextChange, Fit, MergeAs, Pending, Plan, PlanOptions, Session, SessionConfig};
use contextfold::tokens::{BytesPerFour, ReportedUsage};
use contextfold::{Error, ErrorCode};
use serde_json::{Value, json};

use super::fingerprint::fingerprint;

pub const OPERATIONS: [&str; 24] = [
    "push user",
    "push step",
    "push output",
    "push batch",
    "put output",
    "append output",
    "set header",
    "pin",
    "unpin",
    "pin text",
    "record usage",
    "ask again",
    "rewrite",
    "set options",
    "set context",
    "fork",
    "merge",
    "unfold",
    "rewind",
    "save",
    "plan",
    "apply",
    "recover",
    "background",
];

pub const ANSWERS: [&str; 7] = ["good", "empty", "too large", "cut off", "throws", "abort", "too long"];

fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

fn says(text: &str) -> Message {
    Message::text(Role::Assistant, text)
}

fn calls(ids: &[&str]) -> Message {
    let call = |id: &&str| Part::from(ToolCall::function(*id, "read_file", "{\"path\":\"src/lib.rs\"}"));
    Message::new(Role::Assistant, ids.iter().map(call).collect())
}

fn words(n: usize) -> String {
    "lorem ipsum ".repeat(n)
}

/// Three turns, and a batch that is still running.
fn history() -> Vec<Message> {
    let mut list = vec![Message::text(Role::System, "You are terse.")];
    for n in 0..3 {
        let id = format!("c{n}");
        list.extend([
            user(&format!("question {n}: never touch src/core{n}.rs")).with_id(format!("q{n}")),
            calls(&[&id]),
            Message::tool(id, format!("output {n} {}", words(25))),
            says(&format!("answer {n} {}", words(8))),
        ]);
    }
    list.extend([user("and now?").with_id("now"), calls(&["x", "y"]), Message::tool("x", words(5))]);
    list
}

/// What a path is about.
#[derive(Clone, Copy)]
pub enum Goal {
    Compact,
    Prepare,
    Background,
    /// A plan, which is done once something happened.
    Plan,
}

/// What the callback comes to.
enum Said {
    Text(Answer),
    Failed(Error),
    TooLong,
}

fn said(answer: usize) -> Said {
    let of = |text: &str, finish: Option<&str>| {
        Said::Text(Answer { text: text.to_owned(), finish_reason: finish.map(str::to_owned), usage: None })
    };
    match answer {
        0 => of("<summary>the gist</summary>", None),
        1 => of("", None),
        2 => of(&format!("<summary>{}</summary>", words(100)), None),
        3 => of("<summary>half", Some("length")),
        4 => Said::Failed(Error::new(ErrorCode::SummaryFailed, "it failed")),
        5 => Said::Failed(Error::new(ErrorCode::Aborted, "it failed")),
        _ => Said::TooLong,
    }
}

/// Who waits for a summary.
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

    /// So many questions are unanswered.
    pub fn waits(&self) -> usize {
        self.waiting.len()
    }

    /// Begins what the path is about.
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

    pub fn operate(&mut self, operation: usize) {
        self.log.push(OPERATIONS[operation].to_owned());
        self.n += 1;
        let n = self.n;
        match operation {
            0 => self.push(vec![user(&format!("meanwhile {n}"))]),
            1 => {
                let id = format!("m{n}");
                self.push(vec![calls(&[&id]), Message::tool(&*id, format!("meanwhile output {n}"))]);
            }
            // The output of the call that runs; a late one after the first time is refused.
            2 => {
                let before = fingerprint(&self.session);
                let output = Message::tool("y", format!("late output {n}"));
                if self.session.push(vec![output.clone()]).is_ok() {
                    self.pushed.push(output.plain_text());
                } else {
                    assert_eq!(fingerprint(&self.session), before);
                }
            }
            3 => {
                let ids = [format!("a{n}"), format!("b{n}")];
                self.push(vec![calls(&[&ids[0], &ids[1]]), Message::tool(&*ids[1], format!("batch {n}"))]);
            }
            4 => drop(self.session.context_mut().outputs.put_text(words(3), None).unwrap()),
            5 => drop(self.session.context_mut().outputs.append(&self.output, "more\n").unwrap()),
            6 => {
                self.header = format!("You are terse, {n}.");
                self.session.set_header(vec![Message::text(Role::System, &*self.header)]).unwrap();
            }
            7 => {
                let id = format!("q{}", n % 2);
                if self.session.set_pinned(&id, true).is_ok() {
                    self.pins.push(id);
                }
            }
            8 => {
                if let Some(id) = self.pins.pop() {
                    self.session.set_pinned(&id, false).unwrap();
                    self.pins.retain(|p| *p != id);
                }
            }
            9 => self.pinned_text = self.session.set_text_pinned("q0", "never touch", true).is_ok(),
            10 => {
                let usage = json!({ "input_tokens": 5_000 * n, "output_tokens": 10 });
                self.session.record_usage(&ReportedUsage::from_value(&usage).unwrap());
            }
            11 => {
                let fit = if n.is_multiple_of(2) {
                    self.session.prepare().map(Some)
                } else {
                    self.session.compact(Reason::Manual, None)
                };
                self.came(fit.and_then(|f| f.ok_or_else(|| Error::argument("nothing"))));
            }
            12 => self.rewrite(n),
            13 => {
                let changes = json!({ "contextWindow": 330 + n, "compaction": { "maxAttempts": n } });
                let config = self.session.config().with(&changes).unwrap();
                self.session.set_options(config, None);
            }
            14 => {
                let parts = json!({ "memory": [format!("remembered {n}")], "skills": [{ "name": "count" }] });
                self.session.set_context(&ContextChange::from_value(&parts).unwrap());
            }
            15 => {
                let before = fingerprint(&self.session).text;
                let (mut branch, _) = self.session.fork("q1", None).unwrap();
                assert_eq!(
                    fingerprint(&self.session).text,
                    before,
                    "a fork changes nothing but that it is known"
                );
                branch.push(vec![user("look"), says(&format!("meanwhile in the branch {n}"))]).unwrap();
                self.branch = Some(branch);
            }
            16 => {
                if let Some(branch) = self.branch.take() {
                    let node = self.session.merge(&branch, &MergeAs::User).unwrap();
                    let result = Message::clone(&self.session.context().history.node(node).message);
                    self.note(&[result]);
                }
            }
            17 => {
                if let Some(fold) = self.session.context().fold_infos().iter().find(|f| f.in_view) {
                    self.session.unfold(&fold.id).unwrap();
                }
            }
            18 => self.rewind(),
            19 => {
                let bytes = self.session.snapshot(b"");
                let restored = Session::restore(&bytes, None, |_| Ok(Arc::new(BytesPerFour))).unwrap();
                assert!(restored.session.snapshot(b"") == bytes, "the same session, other bytes");
                assert_eq!(fingerprint(&restored.session), fingerprint(&self.session));
            }
            20 => self.make_plan(),
            21 => self.apply(),
            22 => self.recover(),
            _ => self.begin_in_background(),
        }
    }

    fn begin_in_background(&mut self) {
        self.waiting.extend(self.session.begin_in_background().map(Waits::Background));
    }

    fn recover(&mut self) {
        let fit = self.session.recover("prompt is too long: 420 tokens > 330 maximum");
        self.came(fit.map(|fit| fit.unwrap()));
    }

    fn make_plan(&mut self) {
        let before = fingerprint(&self.session);
        self.plan = self.session.plan(PlanOptions::default()).ok();
        assert_eq!(fingerprint(&self.session), before, "a plan changes nothing");
    }

    /// Does what was planned, but for the first message that was to be folded.
    pub fn apply(&mut self) {
        let Some(plan) = self.plan.take() else { return };
        let before = fingerprint(&self.session);
        let keep: Vec<String> =
            plan.folded.first().filter(|_| self.n % 2 == 1).cloned().into_iter().collect();
        let fit = self.session.apply(&plan, &keep, &[]);
        if fit.is_err() {
            assert_eq!(fingerprint(&self.session), before, "a plan that is refused changes nothing");
        }
        self.came(fit);
    }

    /// Back to the newest user message of the beginning, unless that was left already.
    fn rewind(&mut self) {
        let before = fingerprint(&self.session);
        if self.session.rewind("now").is_ok() {
            self.rewritten = true;
            "and now?".clone_into(&mut self.newest_user);
        } else {
            assert_eq!(fingerprint(&self.session), before);
        }
    }

    /// The list that the caller has ends before the newest user message, and goes on otherwise.
    fn rewrite(&mut self, n: usize) {
        let history = &self.session.context().history;
        let from = history.find("now").unwrap();
        let gone: Vec<_> = history
            .nodes()
            .iter()
            .enumerate()
            .skip(from.get())
            .filter(|(_, node)| node.kind == NodeKind::Message)
            .map(|(at, _)| at)
            .collect();
        let stands: Vec<_> = self.session.context().view.slots().map(|s| s.node).collect();
        let header = self.session.context().view.header().len();
        let gone: Vec<_> =
            stands.into_iter().skip(header).filter(|node| gone.contains(&node.get())).collect();
        if gone.is_empty() || self.rewritten {
            return;
        }
        let message = user(&format!("on second thoughts {n}"));
        self.note(std::slice::from_ref(&message));
        self.session.rewrite(&gone, vec![message]).unwrap();
        self.rewritten = true;
    }

    fn came(&mut self, fit: contextfold::Result<Fit>) {
        match fit {
            Ok(Fit::NeedsSummary(pending)) => self.waiting.push(Waits::Run(*pending)),
            Ok(Fit::Done(_)) => self.log.push("done".to_owned()),
            Err(error) => self.log.push(error.code().as_str().to_owned()),
        }
    }

    /// The oldest question, or the newest, is answered.
    pub fn answer(&mut self, newest: bool, answer: usize, is_new: bool) {
        let waits = if newest { self.waiting.pop().unwrap() } else { self.waiting.remove(0) };
        let pending = match waits {
            Waits::Run(pending) => pending,
            Waits::Background(pending) => return self.answer_in_background(pending, answer),
        };
        self.log.push(format!("{}{}", ANSWERS[answer], if newest { " to the newest" } else { "" }));
        let before = is_new.then(|| fingerprint(&self.session));
        let folds = self.session.context().folds.len();
        let s = &mut self.session;
        let fit = match said(answer) {
            Said::Text(text) => s.resume(pending, &text),
            Said::Failed(error) if error.code() == ErrorCode::Aborted => s.give_up(pending, error),
            Said::Failed(error) => s.not_answered(pending, error),
            Said::TooLong => s.shrink(pending),
        };
        match &fit {
            _ if !is_new => {}
            // A fold that was accepted stays, though not even with it the view fits.
            Err(error) if s.context().folds.len() > folds => {
                assert_eq!(error.code(), ErrorCode::ContextWindowExceeded);
            }
            Err(_) => assert_eq!(Some(fingerprint(s)), before, "what fails changes nothing"),
            Ok(Fit::NeedsSummary(_)) if s.context().folds.len() == folds => {
                assert_eq!(Some(fingerprint(s)), before, "what waits has changed nothing");
            }
            Ok(_) => {}
        }
        self.came(fit);
    }

    /// Whatever comes in the background, nothing changes under who reads; only that it pauses after a failure is kept.
    fn answer_in_background(&mut self, pending: Pending, answer: usize) {
        self.log.push(format!("{} in the background", ANSWERS[answer]));
        let s = &mut self.session;
        let before = fingerprint(s).text;
        let next = match said(answer) {
            Said::Text(text) => s.answer_in_background(pending, text),
            Said::Failed(error) => s.not_answered_in_background(pending, error, false),
            Said::TooLong => {
                let error = Error::new(ErrorCode::SummaryFailed, "too long");
                s.not_answered_in_background(pending, error, true)
            }
        };
        assert_eq!(fingerprint(s).text, before, "it changes nothing before somebody asks for a fold");
        self.waiting.extend(next.map(Waits::Background));
    }

    pub fn check(&mut self) {
        let context = self.session.context();
        // Nothing is lost from the history, and nothing doubled.
        let kept: Vec<String> = context
            .history
            .nodes()
            .iter()
            .filter(|n| n.kind == NodeKind::Message && !n.message.role.is_instruction())
            .map(|n| n.message.plain_text())
            .collect();
        assert_eq!(kept, self.pushed);
        let view = context.lower();
        let view: Vec<&Message> = view.iter().map(|m| &**m).collect();
        let texts: Vec<String> = view.iter().map(|m| m.plain_text()).collect();
        let times = |text: &str| texts.iter().filter(|t| *t == text).count();
        assert_eq!(
            (texts[0].as_str(), times(&texts[0])),
            (self.header.as_str(), 1),
            "the header stands once"
        );
        // Every message of the view, or the fold that stands for it, or the pass that dropped it.
        for node in context.history.nodes().iter().filter(|n| n.kind == NodeKind::Message) {
            let at = context.history.find(&node.id).unwrap();
            let stands = context.view.slots().filter(|s| s.node == at).count();
            assert!(stands <= 1, "{} stands twice", node.id);
            let folded = node.folded_by.is_some();
            assert!(!(stands == 1 && folded), "{} stands beside its fold", node.id);
            let gone = self.rewritten || node.message.role.is_instruction();
            assert!(
                stands == 1 || folded || gone || context.view.dropped(at).is_some(),
                "{} is nowhere",
                node.id
            );
        }
        assert_eq!(times(&self.newest_user), 1, "the newest user message stands once");
        for id in &self.pins {
            let node = context.history.node(context.history.find(id).unwrap());
            assert_eq!(times(&node.message.plain_text()), 1, "the pinned {id}");
        }
        if self.pinned_text {
            assert_eq!(times("[pinned text of message q0]\nnever touch"), 1);
        }
        for format in Format::ALL {
            let written = Value::Array(provider(format).write(&view).items);
            let options = CheckOptions { pending: true, ..CheckOptions::default() };
            let found = check(format, &written, &options).unwrap();
            let refused: Vec<_> = found.iter().filter(|v| v.severity == Severity::Error).collect();
            assert!(refused.is_empty(), "{}: {refused:?}", format.as_str());
        }
    }

    /// In the end the agent can go on: the view fits, or a typed error says why not.
    pub fn end(&mut self) {
        let mut fit = self.session.prepare();
        for _ in 0..20 {
            match fit {
                Ok(Fit::NeedsSummary(pending)) => {
                    let good = Answer { text: "<summary>the gist</summary>".to_owned(), ..Answer::default() };
                    fit = self.session.resume(*pending, &good);
                }
                Ok(Fit::Done(report)) => {
                    let most = report.limit.unwrap() as f64 * (1.0 - report.counter.margin);
                    assert!(
                        self.session.tokens() as f64 <= most.max(1.0) * report.counter.calibration.max(1.0)
                    );
                    return;
                }
                Err(error) => {
                    let known = [ErrorCode::BudgetImpossible, ErrorCode::ContextWindowExceeded];
                    assert!(known.contains(&error.code()), "{error}");
                    return;
                }
            }
        }
        panic!("it asks for ever");
    }
}
