//! COMP-11: a fold's record lists what is left out, and nothing that is still in the view.

use std::rc::Rc;
use std::sync::Arc;

use contextfold::Result;
use contextfold::lab::LEDGER_HEADING;
use contextfold::message::{Message, Role};
use contextfold::session::{Answer, Fit, Form, NodeKind, Pending, Report, Session, SessionConfig, Slot};
use contextfold::tokens::{Estimate, count_message};
use serde_json::{Value, json};

/// Turns that each name a file, all of the same length.
fn turns(count: usize) -> Vec<Message> {
    let words = "and say what it does with each of the values that come in ".repeat(6);
    let turn = |n: usize| {
        [
            Message::text(Role::User, format!("Look at src/asked_{n}.rs {words}")),
            Message::text(Role::Assistant, format!("In lib/said_{n}.rs it is done {words}")),
        ]
    };
    (0..count).flat_map(turn).collect()
}

/// A view of this share of the turns, after an almost empty summary. Returns the session and its report.
fn folded(share: f64, compaction: &Value) -> (Session, Rc<Report>) {
    let answer = Answer { text: "Files were looked at.".to_owned(), ..Answer::default() };
    folded_by(share, compaction, |session, pending| session.resume(pending, &answer))
}

/// Like `folded`, but `goes_on` resumes each pending run.
fn folded_by(
    share: f64,
    compaction: &Value,
    goes_on: impl Fn(&mut Session, Pending) -> Result<Fit>,
) -> (Session, Rc<Report>) {
    let messages = turns(120);
    let tokens: u64 = messages.iter().map(|m| count_message(m, &Estimate)).sum();
    let window = (tokens as f64 * share) as u64;
    let options = json!({ "contextWindow": window, "safetyMargin": 0, "compaction": compaction });
    let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate));
    session.push(messages).unwrap();
    let mut fit = session.prepare_filling().unwrap();
    loop {
        match fit {
            Fit::NeedsSummary(pending) => fit = goes_on(&mut session, *pending).unwrap(),
            Fit::Done(report) => return (session, report),
        }
    }
}

fn record_of(session: &Session) -> String {
    let context = session.context();
    let is_record = |slot: &&Slot| context.history.node(slot.node).kind == NodeKind::Summary;
    context.view.body().iter().find(is_record).unwrap().message.plain_text()
}

/// The files named by the messages in the view, and whether each message is shown whole.
fn standing(session: &Session) -> Vec<(String, bool)> {
    let context = session.context();
    let is_message = |slot: &&Slot| context.history.node(slot.node).kind == NodeKind::Message;
    let named = |slot: &Slot| {
        let text = slot.message.plain_text();
        let name = text.split_whitespace().find(|word| word.contains(".rs")).unwrap();
        (name.to_owned(), slot.form == Form::Whole)
    };
    context.view.body().iter().filter(is_message).map(named).collect()
}

#[test]
fn messages_restored_after_a_short_summary_are_not_in_its_record() {
    for share in [0.1, 0.2, 0.3] {
        let (session, _) = folded(share, &json!({}));
        let record = record_of(&session);
        assert!(record.contains("lib/said_"), "{share}: {record}");
        let whole: Vec<(String, bool)> = standing(&session).into_iter().filter(|(_, whole)| *whole).collect();
        assert!(whole.len() > 2, "{share}: {whole:?}");
        for (name, _) in whole {
            assert!(!record.contains(&name), "{share}: {name} stands whole, and in the record: {record}");
        }
    }
}

#[test]
fn an_extractive_summary_covers_only_what_stays_folded() {
    for share in [0.1, 0.2, 0.3] {
        let (session, _) = folded_by(share, &json!({}), Session::resume_extractive);
        let record = record_of(&session);
        let (summary, _) = record.split_once(LEDGER_HEADING).unwrap();
        for (name, _) in standing(&session) {
            assert!(!summary.contains(&name), "{share}: {name} stands, and in the summary: {summary}");
        }
    }
}

#[test]
fn an_even_cut_beside_a_fold_fills_the_view() {
    for share in [0.1, 0.2, 0.3, 0.5] {
        let (_, report) = folded(share, &json!({}));
        let filled = report.tokens_after as f64 / report.target.unwrap() as f64;
        assert!((0.95..=1.0).contains(&filled), "{share}: {filled}");
    }
}

#[test]
fn an_assistant_summary_is_not_followed_by_an_assistant_message() {
    for percent in 10..40 {
        let (session, _) = folded(f64::from(percent) / 100.0, &json!({ "summaryRole": "assistant" }));
        let roles: Vec<Role> = session.context().view.body().iter().map(Slot::role).collect();
        let twice = roles.windows(2).any(|two| two == [Role::Assistant, Role::Assistant]);
        assert!(!twice, "at {percent} %: {roles:?}");
    }
}

/// Prepares the view before a call, answering each summary request with `says`.
fn prepared(session: &mut Session, says: &str) {
    let mut fit = session.prepare().unwrap();
    while let Fit::NeedsSummary(pending) = fit {
        fit = session.resume(*pending, &Answer { text: says.to_owned(), ..Answer::default() }).unwrap();
    }
}

#[test]
fn no_answer_is_restored_after_another_answer_without_its_question() {
    let says = "They said a few things. ".repeat(20);
    let mut random = 7_u32;
    let mut words = || {
        random = random.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        "lorem ipsum dolor ".repeat(1 + (random >> 16) as usize % 18)
    };
    for window in (2_000..6_000).step_by(100) {
        let options = json!({ "contextWindow": window, "safetyMargin": 0 });
        let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate));
        for n in 0..120 {
            let asked = Message::text(Role::User, format!("Look at src/asked_{n}.rs. {}", words()));
            let said = Message::text(Role::Assistant, format!("done {} src/d{n}/f.rs", words()));
            session.push(vec![asked, said]).unwrap();
            prepared(&mut session, &says);
            let roles: Vec<Role> = session.context().view.body().iter().map(Slot::role).collect();
            let twice = roles.windows(2).any(|two| two == [Role::Assistant, Role::Assistant]);
            assert!(!twice, "{window}, turn {n}: {roles:?}");
        }
    }
}
