//! Tool outputs that are moved to the host's store: a fold's ledger does not depend on when they are moved (INV-6).
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use contextfold::message::{Message, Part, Role, ToolCall};
use contextfold::session::{Answer, Fit, Reason, Redact, Session, SessionConfig};
use contextfold::tokens::{Estimate, Method, TokenCounter};
use serde_json::json;

const TURNS: usize = 12;

fn session(redact: Option<Redact>) -> Session {
    let options = json!({ "contextWindow": 20_000, "ladder": "contextfold", "toolOutputCache": { "maxMessageBytes": 300 } });
    let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate));
    session.set_redact(redact);
    session
}

fn redact() -> Redact {
    Redact::new(|text| Ok(text.replace("secret", "hidden")))
}

/// A question, a command, its output, an answer.
fn turn(n: usize) -> Vec<Message> {
    let args = json!({ "command": format!("cargo test -p part{n}") }).to_string();
    let call = Part::from(ToolCall::function(format!("call_{n}"), "shell", args));
    let line = |i: usize| {
        format!("   at src/secret/part{n}/module{}.rs: issue #{}, see E0{n:03}\n", i % 7, 100 + i % 3)
    };
    let printed: String = (0..40).map(line).collect();
    let end = format!("error[E0{n:03}]: it broke\ntest result: FAILED. {n} passed; 1 failed\n");
    vec![
        Message::text(Role::User, format!("What of part {n}?")),
        Message::new(Role::Assistant, vec![call]),
        Message::tool(format!("call_{n}"), printed + &end),
        Message::text(Role::Assistant, "It is looked into."),
    ]
}

/// Moves all outputs that may leave memory to the host's store. Returns what the store then holds.
fn send_all_away(session: &mut Session) -> Vec<(String, Vec<u8>)> {
    let leave = session.context_mut().movable_outputs(0);
    let send = |id: String| {
        let outputs = &session.context().outputs;
        let ((key, bytes), size) = (outputs.to_store(&id).unwrap(), outputs.get(&id).unwrap().bytes());
        assert!(session.move_to_store(&id, &key, size).unwrap().is_some());
        (id, bytes)
    };
    leave.into_iter().map(send).collect()
}

/// The ledger of a fold of everything but the last turns.
fn ledger(session: &mut Session) -> String {
    let fit = session.compact(Reason::Manual, None).unwrap();
    let Some(Fit::NeedsSummary(pending)) = fit else { panic!("there is something to fold") };
    let text = "<summary>Some work was done.</summary>".to_owned();
    session.resume(*pending, &Answer { text, ..Answer::default() }).unwrap();
    session.context().fold_infos().pop().unwrap().ledger.unwrap()
}

fn restored(session: &Session, redact: Option<Redact>) -> Session {
    Session::restore(&session.snapshot(b""), redact, |_| Ok(Arc::new(Estimate))).unwrap().session
}

#[test]
fn the_ledger_is_the_same_whenever_outputs_are_moved_to_the_store() {
    for redact in [None, Some(redact())] {
        let mut stays = session(redact.clone());
        (0..TURNS).for_each(|n| drop(stays.push(turn(n)).unwrap()));
        let expected = ledger(&mut stays);
        let folder = if redact.is_some() { "src/hidden" } else { "src/secret" };
        for needle in [format!("{folder}/part3/module6.rs"), "3 passed, 1 failed".to_owned()] {
            assert!(expected.contains(&needle), "{needle}: {expected}");
        }
        for at in 1..=TURNS {
            let mut session = session(redact.clone());
            (0..at).for_each(|n| drop(session.push(turn(n)).unwrap()));
            let sent = send_all_away(&mut session);
            assert!(!sent.is_empty());
            (at..TURNS).for_each(|n| drop(session.push(turn(n)).unwrap()));
            let last = session.context().history.nodes().last().unwrap().id.to_string();
            let (mut fork, _) = session.fork(&last, None).unwrap();
            let mut again = restored(&session, redact.clone());
            let mut brought_back = restored(&session, redact.clone());
            for (id, bytes) in sent {
                let read = brought_back.context().outputs.from_store(&id, &bytes).unwrap();
                brought_back.context_mut().bring_output_back(&id, &read).unwrap();
            }
            assert_eq!(again.snapshot(b""), session.snapshot(b""));
            assert_eq!(ledger(&mut session), expected, "sent away after {at} turns");
            assert_eq!(ledger(&mut again), expected, "sent away after {at} turns, restored");
            assert_eq!(ledger(&mut brought_back), expected, "sent away after {at} turns, and brought back");
            assert_eq!(ledger(&mut fork), expected, "sent away after {at} turns, forked");
        }
    }
}

#[test]
fn an_output_that_cannot_be_redacted_stays_in_memory() {
    let mut session = session(Some(Redact::new(|_| Err(contextfold::Error::argument("no")))));
    session.push(turn(0)).unwrap();
    let id = session.context_mut().movable_outputs(0).pop().unwrap();
    let (key, _) = session.context().outputs.to_store(&id).unwrap();
    let size = session.context().outputs.get(&id).unwrap().bytes();
    assert!(session.move_to_store(&id, &key, size).is_err());
    assert_eq!(session.context().outputs.bytes(), size);
}

#[test]
fn facts_of_an_output_moved_before_a_redaction_was_set_are_left_out() {
    let mut session = session(None);
    (0..TURNS).for_each(|n| drop(session.push(turn(n)).unwrap()));
    send_all_away(&mut session);
    session.set_redact(Some(redact()));
    assert!(!ledger(&mut session).contains("secret"));
}

#[test]
fn a_folds_original_tokens_are_counted_by_the_current_counter() {
    let original_tokens = |away: bool| {
        let mut session = session(None);
        (0..TURNS).for_each(|n| drop(session.push(turn(n)).unwrap()));
        if away {
            send_all_away(&mut session);
        }
        ledger(&mut session);
        let config = session.config().clone();
        session.set_options(config, Some(Arc::new(Tenfold)));
        session.context().summary_state(false).unwrap().original_tokens as f64
    };
    let (here, away) = (original_tokens(false), original_tokens(true));
    assert!((away / here - 1.0).abs() < 0.3, "{away} instead of {here}");
}

/// Counts ten times as many tokens as the estimate.
struct Tenfold;

impl TokenCounter for Tenfold {
    fn count(&self, text: &str) -> u64 {
        Estimate.count(text) * 10
    }
    fn method(&self) -> Method {
        Method::Callback
    }
    fn exact(&self) -> bool {
        false
    }
}

/// Steps whose outputs are cut as they enter the view.
fn long_steps(is_away: bool) -> Session {
    let options = json!({ "contextWindow": 16_000, "toolOutputCache": { "maxMessageBytes": 12_000 } });
    let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate));
    session.push(vec![Message::text(Role::User, "Read it all.")]).unwrap();
    for n in 0..12 {
        let line = |i: usize| format!("{n}.{i}: the parser of part {i} reads its input and is done.\n");
        let call = ToolCall::function(
            format!("c{n}"),
            "read",
            json!({ "path": format!("src/f{n}.rs") }).to_string(),
        );
        let output = Message::tool(format!("c{n}"), (0..400).map(line).collect::<String>());
        session.push(vec![Message::new(Role::Assistant, vec![Part::from(call)]), output]).unwrap();
        if is_away {
            send_all_away(&mut session);
        }
        assert!(matches!(session.prepare().unwrap(), Fit::Done(_)), "step {n}: nothing has to be folded");
    }
    session
}

#[test]
fn outputs_in_the_store_are_cut_like_those_in_memory() {
    let [here, away] = [false, true].map(|is_away| long_steps(is_away).context().view.tokens());
    assert!(here.abs_diff(away) < here / 10, "{here} and {away} tokens");
    let away = long_steps(true);
    let slots = away.context().view.body().iter().filter(|slot| slot.message.role == Role::Tool);
    let texts = slots.map(|slot| slot.message.tool_outputs().next().unwrap().content[0].as_text().unwrap());
    for text in texts {
        let mut marks = text.match_indices("[… ").map(|(at, mark)| &text[at + mark.len()..]);
        let first = marks.next();
        assert!(marks.next().is_none(), "one mark stands for all that is missing: {text}");
        let tokens = first.and_then(|mark| mark.split_once(" tokens left out")?.0.parse().ok());
        assert!(tokens.is_none_or(|tokens: u64| tokens < 8_000), "no more than the output had: {text}");
    }
}
