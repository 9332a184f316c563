//! A fault at every step of every operation: a failed operation leaves the session byte for byte as it was.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use contextfold::message::{Message, Part, Role, ToolCall};
use contextfold::session::{
    Answer, Fit, MergeAs, PlanOptions, Reason, Redact, SavedSummary, Session, SessionConfig,
};
use contextfold::tokens::BytesPerFour;
use contextfold::{Error, ErrorCode};
use serde_json::{Value, json};

use super::fingerprint::fingerprint;

fn session(options: &Value) -> Session {
    Session::new(SessionConfig::from_value(options).unwrap(), Arc::new(BytesPerFour))
}

fn call(id: &str) -> Part {
    Part::from(ToolCall::function(id, "read_file", "{\"path\":\"src/lib.rs\"}"))
}

fn filler(n: usize) -> String {
    "lorem ipsum ".repeat(n)
}

fn history() -> Vec<Message> {
    let turn = |n: usize| {
        let id = format!("c{n}");
        [
            Message::text(Role::User, format!("question {n}: never touch src/core{n}.rs")),
            Message::new(Role::Assistant, vec![call(&id)]),
            Message::tool(&*id, format!("output {n} {}", filler(40))),
            Message::text(Role::Assistant, format!("answer {n} {}", filler(10))),
        ]
    };
    let mut list = vec![Message::text(Role::System, "You are terse.")];
    list.extend((0..5).flat_map(turn));
    list.extend([Message::text(Role::User, "and now?"), Message::new(Role::Assistant, vec![call("open")])]);
    list
}

/// Every option that leads to a different path through a compaction.
fn configurations() -> Vec<Value> {
    let compactions = [
        json!({ "onFailure": "error" }),
        json!({ "style": "transcript", "onFailure": "error" }),
        json!({ "summarizerWindow": 300 }),
        json!({ "onFailure": "extractive", "maxAttempts": 1 }),
        json!({ "ledgerTokens": 0, "retainPrompt": "Keep the refs." }),
    ];
    let mut all = Vec::new();
    for compaction in compactions {
        for window in [700, 100_000] {
            all.push(json!({ "contextWindow": window, "safetyMargin": 0, "compaction": compaction }));
        }
    }
    all
}

fn failed() -> Error {
    Error::new(ErrorCode::SummaryFailed, "the redact callback failed")
}

/// A redaction that fails at its `fails_at`th call, and the number of its calls.
fn failing_redact(fails_at: u32) -> (Redact, Rc<Cell<u32>>) {
    let calls = Rc::new(Cell::new(0));
    let counted = calls.clone();
    let redact = Redact::new(move |text| {
        counted.set(counted.get() + 1);
        if counted.get() == fails_at { Err(failed()) } else { Ok(text.to_owned()) }
    });
    (redact, calls)
}

/// Runs to the end with `text` as every answer. At each error, checks that the session is as it was before that step.
fn run(session: &mut Session, prepares: bool, text: &str) -> Option<ErrorCode> {
    let mut before = fingerprint(session);
    let begun = if prepares { session.prepare().map(Some) } else { session.compact(Reason::Manual, None) };
    let mut fit = match begun {
        Ok(fit) => fit?,
        Err(error) => {
            assert_eq!(fingerprint(session), before, "{error}");
            return Some(error.code());
        }
    };
    loop {
        match fit {
            Fit::Done(_) => return None,
            Fit::NeedsSummary(pending) => {
                before = fingerprint(session);
                let folds = session.context().folds.len();
                let answer = Answer { text: text.to_owned(), ..Answer::default() };
                fit = match session.resume(*pending, &answer) {
                    Ok(fit) => fit,
                    Err(error) => {
                        // A fold that was accepted and paid for stays; everything else is as it was.
                        if session.context().folds.len() == folds {
                            assert_eq!(fingerprint(session), before, "{error}");
                        }
                        return Some(error.code());
                    }
                };
            }
        }
    }
}

#[test]
fn a_redaction_that_fails_at_any_call_changes_nothing() {
    let mut faults = 0;
    for options in configurations() {
        for prepares in [false, true] {
            for fails_at in 1..400 {
                let mut s = session(&options);
                let (redact, calls) = failing_redact(fails_at);
                s.set_redact(Some(redact));
                s.push(history()).unwrap();
                let ended = run(&mut s, prepares, "<summary>the gist</summary>");
                if calls.get() < fails_at {
                    assert_eq!(ended, None, "{options}: without a fault it ends well");
                    break;
                }
                faults += 1;
                assert!(fails_at < 399, "{options}: it calls for ever");
            }
        }
    }
    println!("{faults} faults of the redaction");
    assert!(faults > 100);
}

#[test]
fn an_unusable_answer_changes_nothing() {
    let large = format!("<summary>{}</summary>", filler(4_000));
    for options in configurations() {
        for prepares in [false, true] {
            for text in ["", "<summary> </summary>", "<summary>half", &large] {
                let mut s = session(&options);
                s.push(history()).unwrap();
                run(&mut s, prepares, text);
            }
        }
    }
}

/// Messages that are refused, each for a different reason.
fn broken() -> Vec<(&'static str, Message)> {
    vec![
        ("a taken id", Message::text(Role::User, "x").with_id("m2")),
        ("an id of a fold", Message::text(Role::User, "x").with_id("fold_1")),
        ("a call that is open", Message::new(Role::Assistant, vec![call("open")])),
        ("the same call twice", Message::new(Role::Assistant, vec![call("twice"), call("twice")])),
        ("an output without its call", Message::tool("nobody", "x")),
        ("an output that came before", Message::tool("c0", "again")),
        ("a call in a user message", Message::new(Role::User, vec![call("mine")])),
        ("a tool message without an output", Message::new(Role::Tool, vec![Part::text("x")])),
    ]
}

#[test]
fn a_broken_message_anywhere_in_a_batch_changes_nothing() {
    let fine = || {
        vec![
            Message::tool("open", filler(30)),
            Message::text(Role::User, "one").with_id("mine"),
            Message::new(Role::Assistant, vec![call("n1"), call("n2")]),
            Message::tool("n2", "two"),
            Message::tool("n1", filler(60)),
        ]
    };
    let mut faults = 0;
    for folded in [false, true] {
        for (why, message) in broken() {
            for at in 0..=fine().len() {
                let mut s = session(&json!({ "contextWindow": 100_000 }));
                s.push(history()).unwrap();
                if folded {
                    run(&mut s, false, "<summary>the gist</summary>");
                }
                let mut batch = fine();
                // After the output of the open call, or in the middle of a step, another message may be the one that is refused.
                batch.insert(at, message.clone());
                let before = fingerprint(&s);
                if let Err(error) = s.push(batch.clone()) {
                    assert_eq!(error.code(), ErrorCode::InvalidMessage, "{why} at {at}");
                    assert_eq!(fingerprint(&s), before, "{why} at {at}");
                    faults += 1;
                } else {
                    assert!(
                        ["an id of a fold", "a call that is open"].contains(&why),
                        "{why} at {at} was taken"
                    );
                    continue;
                }
                let last = s.context().view.slots().last().map(|slot| slot.node).unwrap();
                assert!(s.rewrite(&[last], vec![message.clone()]).is_err() || why != "a taken id");
                // The ids of the refused batch can be used again: nothing of it was kept.
                let mut s = session(&json!({ "contextWindow": 100_000 }));
                s.push(history()).unwrap();
                let _ = s.push(batch);
                s.push(fine()).unwrap();
            }
        }
    }
    println!("{faults} batches refused");
    assert!(faults > 60);
}

#[test]
fn caller_ids_never_collide_with_generated_ids() {
    for taken in ["m1", "m2", "m7", "m30", "fold_1", "fold_2", "out_1", "pin_1"] {
        let mut s = session(&json!({ "contextWindow": 100_000 }));
        s.push(vec![Message::text(Role::User, filler(20)).with_id(taken)]).unwrap();
        let _ = s.context_mut().outputs.put_text("mine", Some("out_2".to_owned()));
        s.push(history()).unwrap();
        for _ in 0..2 {
            run(&mut s, false, "<summary>the gist</summary>");
            let more = Message::text(Role::User, filler(40));
            s.push(vec![
                more,
                Message::text(Role::Assistant, filler(40)),
                Message::text(Role::User, "go on"),
            ])
            .unwrap();
        }
        s.set_text_pinned(taken, "lorem", true).unwrap();
        let mut ids: Vec<&str> = s.context().history.nodes().iter().map(|n| &*n.id).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all, "with {taken}");
        let refs = s.context().outputs.refs();
        assert!(refs.iter().filter(|r| r.id == "out_2").count() == 1);
    }
}

#[test]
fn a_failed_summary_in_a_recovery_changes_only_the_learnt_limit() {
    let refusal = "prompt is too long: 900 tokens > 500 maximum";
    for (code, text) in [
        (ErrorCode::SummaryFailed, None),
        (ErrorCode::Aborted, None),
        (ErrorCode::SummaryFailed, Some("<summary>half")),
    ] {
        let mut s = session(
            &json!({ "contextWindow": 700, "safetyMargin": 0, "compaction": { "maxAttempts": 1, "onFailure": "error" } }),
        );
        s.push(history()).unwrap();
        let Some(Fit::NeedsSummary(pending)) = s.recover(refusal).unwrap() else { panic!("it fits") };
        let taught = fingerprint(&s);
        assert_eq!(s.config().limit, Some(500));
        let failed = match text {
            Some(text) => s.resume(*pending, &Answer { text: text.to_owned(), ..Answer::default() }),
            None => s.give_up(*pending, Error::new(code, "it failed")),
        };
        assert!(failed.is_err() && s.report().is_some_and(|report| !report.decisions.is_empty()), "{code:?}");
        assert_eq!(fingerprint(&s), taught, "{code:?}");
    }
}

#[test]
fn the_report_of_a_failed_run_can_be_read_but_is_not_saved() {
    let mut s = session(
        &json!({ "contextWindow": 100_000, "compaction": { "maxAttempts": 1, "onFailure": "error" } }),
    );
    s.push(history()).unwrap();
    run(&mut s, false, "<summary>the gist</summary>");
    let ended_well = s.report().cloned();
    s.push(vec![Message::tool("open", "x"), Message::text(Role::User, "go on")]).unwrap();
    assert!(run(&mut s, false, "").is_some());
    assert!(s.report().unwrap().decisions.iter().any(|d| d.why.contains("empty")), "{:?}", s.report());
    let restored = Session::restore(&s.snapshot(b""), None, |_| Ok(Arc::new(BytesPerFour))).unwrap();
    assert_eq!(restored.session.report().cloned(), ended_well);
}

/// Makes an invalid request. Returns whether it was refused.
type Fails = Box<dyn Fn(&mut Session) -> bool>;

#[test]
fn wrong_arguments_change_nothing() {
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    s.push(history()).unwrap();
    run(&mut s, false, "<summary>the gist</summary>");
    let before = fingerprint(&s);
    let saved = json!({ "summary": "s", "summarized_until": 900, "summary_tokens": 1, "created_at": null,
        "message_count": 900, "original_tokens": 9_000, "compression_rate": 0.9, "is_summarizing": false });
    let plan = s.plan(PlanOptions::default()).unwrap();
    let stranger = self::session(&json!({}));
    let wrong: [(&str, Fails); 14] = [
        (
            "a header that is no instruction",
            Box::new(|s| s.set_header(vec![Message::text(Role::User, "x")]).is_err()),
        ),
        (
            "a header with a taken id",
            Box::new(|s| s.set_header(vec![Message::text(Role::System, "x").with_id("m3")]).is_err()),
        ),
        ("a pin of nothing", Box::new(|s| s.set_pinned("nobody", true).is_err())),
        (
            "a pin of a text that was not said",
            Box::new(|s| s.set_text_pinned("m2", "never said", true).is_err()),
        ),
        ("an unpin of what is not pinned", Box::new(|s| s.set_text_pinned("m2", "question", false).is_err())),
        (
            "an append to an unknown ref",
            Box::new(|s| s.context_mut().outputs.append("out_900", "x").is_err()),
        ),
        (
            "a saved summary where there is one",
            Box::new(move |s| {
                SavedSummary::from_value(&saved).and_then(|saved| s.restore_summary(&saved)).is_err()
            }),
        ),
        (
            "an unfold of no fold",
            Box::new(|s| s.unfold("fold_99", false).is_err() && s.unfold("m2", false).is_err()),
        ),
        ("a rewind to nothing", Box::new(|s| s.rewind(Some("nobody")).is_err())),
        ("a fork of nothing", Box::new(|s| s.fork("nobody", None).is_err())),
        ("a fork into a taken lane", Box::new(|s| s.fork("m3", Some("main")).is_err())),
        ("a merge of a stranger", Box::new(move |s| s.merge(&stranger, &MergeAs::User).is_err())),
        (
            "a plan that keeps what there is not",
            Box::new(move |s| s.apply(&plan, &["nobody".to_owned()], &[]).is_err()),
        ),
        ("a fold by hand of what may not go", Box::new(|s| s.fold_by_hand(&["m1".to_owned()], "x").is_err())),
    ];
    for (why, fails) in wrong {
        assert!(fails(&mut s), "{why} was taken");
        assert_eq!(fingerprint(&s), before, "{why}");
    }
}
