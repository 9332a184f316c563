//! Everything that is out of the view, at any time: each message once, with the pass, the reason and a way back that works (INV-10).
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_types)]

use std::collections::BTreeMap;
use std::sync::Arc;

use contextfold::message::{Format, Message, Part, Role, ToolCall};
use contextfold::provider::provider;
use contextfold::session::{Answer, Fit, LeftOutNow, NodeKind, Reason, Session, SessionConfig};
use contextfold::tokens::Estimate;
use serde_json::json;

const PRESETS: [&str; 7] =
    ["contextfold", "spec", "rolling", "selective", "ladder", "steps-design", "steps-execution"];

fn session(preset: &str) -> Session {
    let options = json!({ "contextWindow": 16_000, "ladder": preset });
    let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate));
    session.push(vec![Message::text(Role::System, "Be brief.")]).unwrap();
    session
}

/// A question, several calls with long outputs, an answer.
fn turn(n: usize) -> Vec<Message> {
    let mut turn = vec![Message::text(Role::User, format!("What of part {n}?"))];
    for call in 0..4 {
        let id = format!("call_{n}_{call}");
        let asks =
            Part::from(ToolCall::function(&id, "read", format!("{{\"path\":\"src/part{n}/{call}.rs\"}}")));
        turn.push(Message::new(Role::Assistant, vec![Part::text(format!("I read file {call}.")), asks]));
        turn.push(Message::tool(id, format!("fn part_{n}_{call}() {{}} // a line of code\n").repeat(60)));
    }
    turn.push(Message::text(Role::Assistant, format!("Part {n} is fine.")));
    turn
}

fn prepare(session: &mut Session) {
    let Ok(mut fit) = session.prepare() else { return };
    while let Fit::NeedsSummary(pending) = fit {
        let text = session.extractive(&pending);
        fit = session.resume(*pending, &Answer { text, ..Answer::default() }).unwrap();
    }
}

fn left_out(session: &Session) -> BTreeMap<String, LeftOutNow> {
    session.context().left_out_now().into_iter().map(|line| (line.id.clone(), line)).collect()
}

/// Each message is either whole in the view or listed once as left out.
fn assert_all_accounted(session: &Session, preset: &str) {
    let lines = session.context().left_out_now();
    let told = left_out(session);
    assert_eq!(lines.len(), told.len(), "{preset}: told once");
    let forms: BTreeMap<String, &str> =
        session.context().items().into_iter().map(|item| (item.id, item.form)).collect();
    for node in session.context().history.nodes().iter().filter(|node| node.kind == NodeKind::Message) {
        let id = node.id.to_string();
        let form = forms.get(&id).copied();
        match told.get(&id) {
            None => assert!(matches!(form, Some("whole" | "merged")), "{preset}: {id} stands as {form:?}"),
            Some(line) => {
                assert!(form.is_none_or(|form| form == line.state), "{preset}: {form:?} {line:?}");
                assert!(line.pass.is_some() && !line.why.is_empty(), "{preset}: {line:?}");
                assert!(line.back.is_some(), "{preset}: {line:?}");
            }
        }
    }
}

#[test]
fn every_preset_lists_everything_left_out_at_any_time() {
    for preset in PRESETS {
        let mut session = session(preset);
        let mut some = false;
        for n in 0..14 {
            session.push(turn(n)).unwrap();
            prepare(&mut session);
            assert_all_accounted(&session, preset);
            some |= !left_out(&session).is_empty();
        }
        assert!(some, "{preset}: nothing left the view");
        let now = left_out(&session);
        prepare(&mut session); // has nothing to do, but what left the view before is still listed
        assert_eq!(left_out(&session), now, "{preset}");
        let again =
            Session::restore(&session.snapshot(b""), None, |_| Ok(Arc::new(Estimate))).unwrap().session;
        assert_eq!(left_out(&again), now, "{preset}: restored");
    }
}

#[test]
fn the_listed_way_back_works() {
    for preset in PRESETS {
        let mut full = session(preset);
        for n in 0..14 {
            full.push(turn(n)).unwrap();
            prepare(&mut full);
        }
        let mut seen = BTreeMap::new();
        for line in left_out(&full).into_values() {
            if *seen.entry(line.state).and_modify(|n| *n += 1).or_insert(1) > 3 {
                continue;
            }
            let mut session = full.clone();
            let mut line = Some(line);
            while let Some(now) = line.take() {
                match now.back.unwrap() {
                    "unfold" => drop(session.unfold(&now.fold.clone().unwrap(), false).unwrap()),
                    "pin" => session.set_pinned(&now.id, true).unwrap(),
                    other => panic!("{other}"),
                }
                assert_ne!(left_out(&session).get(&now.id), Some(&now), "{preset}: it changed nothing");
                line = left_out(&session).remove(&now.id);
            }
        }
    }
}

#[test]
fn what_is_folded_under_a_compaction_of_the_provider_comes_back_by_a_pin() {
    let long = |role, word: &str| Message::text(role, word.repeat(3_000));
    let options = json!({ "contextWindow": 100_000 });
    let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate));
    let next = Message::text(Role::User, "next");
    session.push(vec![long(Role::User, "q "), long(Role::Assistant, "a "), next]).unwrap();
    let Some(Fit::NeedsSummary(asked)) = session.compact(Reason::Manual, None).unwrap() else {
        panic!("it asks")
    };
    let text = "<summary>They talked.</summary>".to_owned();
    session.resume(*asked, &Answer { text, ..Answer::default() }).unwrap();
    let folded = left_out(&session);
    assert!(folded.values().any(|line| line.back == Some("unfold") && line.fold.is_some()));
    let compaction = json!([{ "role": "assistant", "content": [{ "type": "compaction", "content": "They talked." }, { "type": "text", "text": "ok" }] }]);
    session.push(provider(Format::Anthropic).read(&compaction).unwrap()).unwrap();
    for id in folded.into_keys() {
        let line = left_out(&session).remove(&id).unwrap();
        assert_eq!((line.state, line.fold, line.back), ("folded", None, Some("pin")));
        let mut session = session.clone();
        session.set_pinned(&id, true).unwrap();
        assert!(session.context().items().iter().any(|item| item.id == id && item.form == "whole"));
    }
}

#[test]
fn an_undone_fold_restores_how_its_messages_were_listed() {
    let options = json!({ "contextWindow": 16_000, "ladder": ["trim_tool_outputs", "summarize"], "toolOutputCache": { "contextBudgetTokens": 1_500 } });
    let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(Estimate));
    let mut trimmed = BTreeMap::new();
    for n in 0..14 {
        session.push(turn(n)).unwrap();
        prepare(&mut session);
        trimmed.extend(left_out(&session).into_iter().filter(|(_, line)| line.state == "placeholder"));
    }
    assert!(!trimmed.is_empty());
    let mut again = 0;
    while let Some(fold) = left_out(&session).into_values().find_map(|line| line.fold) {
        session.unfold(&fold, false).unwrap();
    }
    for (id, line) in left_out(&session) {
        if let Some(before) = trimmed.get(&id) {
            assert_eq!((&line.pass, &line.why), (&before.pass, &before.why));
            again += 1;
        }
    }
    assert!(again > 0);
}

#[test]
fn messages_removed_by_a_rewind_have_no_way_back() {
    let mut session = session("contextfold");
    let first = session.push(turn(0)).unwrap();
    session.push(turn(1)).unwrap();
    let last = session.context().ids(first.last().map(std::slice::from_ref).unwrap()).remove(0);
    session.rewind(Some(&last)).unwrap();
    let now = left_out(&session);
    assert_eq!(now.len(), turn(1).len());
    assert!(now.values().all(|line| line.state == "removed" && line.back.is_none()), "{now:?}");
}
