//! COMP-11: a fold's record tells what is left out, and nothing of what stands.

use std::sync::Arc;

use contextfold::compaction::Answer;
use contextfold::context::{Form, NodeKind};
use contextfold::message::{Message, Role};
use contextfold::session::{Fit, Session, SessionConfig};
use contextfold::tokens::{Estimate, count_message};
use serde_json::json;

/// Turns that name a file each, as many words about it.
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

/// A view of so large a share of the turns, behind a summary that says next to nothing; and the target's share that it fills.
fn folded(share: f64) -> (Session, f64) {
    let messages = turns(120);
    let tokens: u64 = messages.iter().map(|m| count_message(m, &Estimate)).sum();
    let options = json!({ "contextWindow": (tokens as f64 * share) as u64, "safetyMargin": 0 });
    let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate));
    session.push(messages).unwrap();
    let mut fit = session.prepare_filling().unwrap();
    loop {
        match fit {
            Fit::NeedsSummary(pending) => {
                let answer = Answer { text: "Files were looked at.".to_owned(), ..Answer::default() };
                fit = session.resume(*pending, &answer).unwrap();
            }
            Fit::Done(report) => {
                let filled = report.tokens_after as f64 / report.target.unwrap() as f64;
                return (session, filled);
            }
        }
    }
}

#[test]
fn what_came_back_for_a_short_summary_is_not_in_its_record() {
    for share in [0.1, 0.2, 0.3] {
        let (session, _) = folded(share);
        let context = session.context();
        let kind = |slot: &&contextfold::context::Slot| context.history.node(slot.node).kind;
        let body = context.view.body();
        let record = body.iter().find(|slot| kind(slot) == NodeKind::Summary).unwrap().message.plain_text();
        assert!(record.contains("src/asked_0.rs") || record.contains("lib/said_0.rs"), "{share}: {record}");
        let whole = body.iter().filter(|slot| kind(slot) == NodeKind::Message && slot.form == Form::Whole);
        let mut seen = 0;
        for slot in whole {
            let text = slot.message.plain_text();
            let name = text.split_whitespace().find(|word| word.contains(".rs")).unwrap();
            assert!(!record.contains(name), "{share}: {name} stands whole, and in the record: {record}");
            seen += 1;
        }
        assert!(seen > 2, "{share}: {seen} messages stand whole");
    }
}

#[test]
fn a_cut_beside_a_fold_fills_the_view() {
    for share in [0.1, 0.2, 0.3, 0.5] {
        let (_, filled) = folded(share);
        assert!((0.95..=1.0).contains(&filled), "{share}: {filled}");
    }
}
