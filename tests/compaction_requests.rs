//! Requests to the summariser: they fit its window, are redacted, and are in the conversation's language.
#![allow(clippy::unwrap_used, clippy::panic)] // a test fails by panicking

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use contextfold::message::{Message, Part, Role, ToolCall};
use contextfold::session::{Answer, Fit, Pending, Reason, Redact, Report, Session, SessionConfig};
use contextfold::tokens::BytesPerFour;
use contextfold::{Error, ErrorCode};
use serde_json::{Value, json};

fn session(options: &Value) -> Session {
    Session::new(SessionConfig::from_value(options).unwrap(), Arc::new(BytesPerFour))
}

fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

fn said(text: &str) -> Message {
    Message::text(Role::Assistant, text)
}

fn asks(fit: Fit) -> Pending {
    match fit {
        Fit::NeedsSummary(pending) => *pending,
        Fit::Done(report) => panic!("no summary was asked for: {report:?}"),
    }
}

fn answer(text: &str) -> Answer {
    Answer { text: text.to_owned(), ..Answer::default() }
}

fn text_of(pending: &Pending) -> String {
    pending.request.messages().iter().map(|m| m.plain_text()).collect::<Vec<_>>().join("\n")
}

/// Answers every request with `reply`. Returns the requests (reason, tokens, text) and the report.
fn run(session: &mut Session, mut fit: Fit, reply: &str) -> (Vec<(Reason, u64, String)>, Report) {
    let mut asked = Vec::new();
    loop {
        match fit {
            Fit::Done(report) => return (asked, std::rc::Rc::unwrap_or_clone(report)),
            Fit::NeedsSummary(pending) => {
                asked.push((pending.request.reason, pending.request.input_tokens, text_of(&pending)));
                assert!(asked.len() < 200, "it never ends");
                fit = session.resume(*pending, &answer(reply)).unwrap();
            }
        }
    }
}

/// Pushes a long conversation.
fn long_talk(session: &mut Session, turns: usize) {
    for turn in 0..turns {
        let asked = format!("question-{turn} {}", "lorem ipsum ".repeat(30));
        session
            .push(vec![user(&asked), said(&format!("answer-{turn} {}", "dolor sit ".repeat(30)))])
            .unwrap();
    }
    session.push(vec![user("and now?")]).unwrap();
}

#[test]
fn ten_windows_are_folded_in_chunks_and_every_message_is_read() {
    let mut s = session(&json!({ "contextWindow": 100_000, "compaction": { "summarizerWindow": 2_000 } }));
    long_talk(&mut s, 110);
    assert!(s.tokens() > 18_000);
    let fit = s.compact(Reason::Manual, None).unwrap().unwrap();
    let (asked, report) = run(&mut s, fit, "<summary>what this part was about</summary>");
    assert!(asked.iter().all(|(_, tokens, _)| *tokens <= 2_000), "every request fits");
    let (last, chunks) = asked.split_last().unwrap();
    assert!(chunks.len() >= 10 && chunks.iter().all(|(reason, ..)| *reason == Reason::Chunk));
    assert_eq!(last.0, Reason::Manual);
    for turn in 0..110 {
        let reads = |what: &str| chunks.iter().any(|(.., text)| text.contains(&format!("{what}-{turn} ")));
        assert!(reads("question") && reads("answer"), "turn {turn}");
    }
    assert!(last.2.contains("[Part 1 of the conversation, summed up]\nwhat this part was about"));
    assert!(report.summary.unwrap().fallback.unwrap().contains("chunks"));
    assert_eq!(s.context().view.body().len(), 2, "the summary and the newest request");
}

#[test]
fn the_summarisers_own_window_and_output_limit_are_used() {
    let models = json!({
        "big": { "max_input_tokens": 100_000, "max_output_tokens": 8_000 },
        "small": { "max_input_tokens": 2_000, "max_output_tokens": 300 },
    });
    let options = json!({ "models": models, "model": "big", "compaction": { "model": "small" } });
    let mut s = session(&options);
    long_talk(&mut s, 60);
    let mut fit = s.compact(Reason::Manual, None).unwrap().unwrap();
    let mut asked = 0;
    while let Fit::NeedsSummary(pending) = fit {
        let request = &pending.request;
        assert!(request.input_tokens <= 2_000, "{}", request.input_tokens);
        assert!(request.aim_tokens.is_none_or(|aim| aim <= 300), "{:?}", request.aim_tokens);
        asked += 1;
        fit = s.resume(*pending, &answer("<summary>what this part was about</summary>")).unwrap();
    }
    assert!(asked > 4, "{asked}");
    let mut wide = options;
    wide["compaction"]["summarizerWindow"] = json!(50_000);
    let mut s = session(&wide);
    long_talk(&mut s, 60);
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    assert!(pending.request.input_tokens > 2_000, "what the caller says holds");
}

#[test]
fn a_redaction_and_a_window_set_during_the_run_apply_to_later_pieces() {
    let options = json!({ "contextWindow": 100_000, "compaction": { "summarizerWindow": 2_000 } });
    let mut s = session(&options);
    long_talk(&mut s, 60);
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    assert!(text_of(&pending).contains("question-"));
    let hide = |text: &str| Ok(text.replace("question-", "[gone]").replace("of question", "of [gone]"));
    s.set_redact(Some(Redact::new(hide)));
    let narrow = SessionConfig::from_value(&options).unwrap();
    let narrow = narrow.with(&json!({ "compaction": { "summarizerWindow": 1_000 } })).unwrap();
    s.set_options(narrow, None);
    let fit = s.resume(pending, &answer("<summary>the part of question-0</summary>")).unwrap();
    let (asked, _) = run(&mut s, fit, "<summary>what this part was about</summary>");
    assert!(asked.len() > 8, "{}", asked.len());
    for (_, tokens, text) in &asked {
        assert!(*tokens <= 1_000, "{tokens}");
        assert!(!text.contains("question-"), "{text}");
    }
    assert!(asked.iter().any(|(.., text)| text.contains("the part of [gone]0")));
    for turn in 1..60 {
        let reads = |(.., text): &(Reason, u64, String)| text.contains(&format!("[gone]{turn} "));
        assert!(turn < 12 || asked.iter().any(reads), "turn {turn}");
    }
}

#[test]
fn one_message_of_five_windows_is_shortened_in_the_request() {
    let mut s = session(&json!({ "contextWindow": 100_000, "compaction": { "summarizerWindow": 2_000 } }));
    s.push(vec![user(&"家".repeat(14_000)), said("fine"), user("go on")]).unwrap();
    let fit = s.compact(Reason::Manual, None).unwrap().unwrap();
    let (asked, report) = run(&mut s, fit, "<summary>好的</summary>");
    assert_eq!(asked.len(), 1);
    assert!(asked[0].1 <= 2_000 && asked[0].2.contains("characters left out"), "{}", asked[0].1);
    assert!(report.summary.unwrap().fallback.unwrap().contains("cut in the middle"));
}

#[test]
fn the_request_is_split_if_the_summariser_says_it_is_too_long() {
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    long_talk(&mut s, 20);
    let mut pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    let mut sizes = vec![pending.request.input_tokens];
    while pending.request.input_tokens > 1_000 {
        pending = asks(s.shrink(pending).unwrap());
        sizes.push(pending.request.input_tokens);
    }
    assert!(pending.request.reason == Reason::Chunk, "{sizes:?}");
    let (asked, _) = run(&mut s, Fit::NeedsSummary(Box::new(pending)), "<summary>part</summary>");
    assert!(asked.len() > 4 && asked.iter().all(|(_, tokens, _)| *tokens <= 1_100), "{sizes:?}");
}

#[test]
fn a_piece_whose_summary_fails_changes_nothing() {
    let compaction = json!({ "summarizerWindow": 2_000, "onFailure": "error" });
    let mut s = session(&json!({ "contextWindow": 100_000, "compaction": compaction }));
    long_talk(&mut s, 40);
    let (tokens, len) = (s.tokens(), s.context().history.len());
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    let pending = asks(s.resume(pending, &answer("<summary>one</summary>")).unwrap());
    let pending = asks(s.resume(pending, &answer("")).unwrap());
    assert_eq!(pending.request.reason, Reason::Retry);
    assert!(text_of(&pending).contains("could not be used"));
    let Err(error) = s.resume(pending, &answer("")) else { panic!("twice is enough") };
    assert_eq!(error.code(), ErrorCode::SummaryEmpty);
    assert_eq!((s.tokens(), s.context().history.len()), (tokens, len));
    assert!(s.context().folds.is_empty());
}

#[test]
fn redacted_text_reaches_neither_the_summariser_nor_the_ledger() {
    let seen = Rc::new(RefCell::new(0));
    let count = seen.clone();
    let redact = Redact::new(move |text| {
        *count.borrow_mut() += 1;
        Ok(text.replace("sk_live4242secret", "[key]").replace("/srv/secret/keys.pem", "[file]"))
    });
    for style in ["messages", "transcript"] {
        let mut s = session(&json!({ "contextWindow": 100_000, "compaction": { "style": style } }));
        s.set_redact(Some(redact.clone()));
        let call = ToolCall::function("c", "read", r#"{"path":"/srv/secret/keys.pem"}"#);
        s.push(vec![
            Message::text(Role::System, "The key is sk_live4242secret."),
            user("Never show sk_live4242secret to anyone. See src/public/main.rs."),
            Message::new(Role::Assistant, vec![Part::from(call)]),
            Message::tool("c", format!("sk_live4242secret {}", "filler ".repeat(60))),
            user("go on"),
        ])
        .unwrap();
        let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
        let whole = format!("{:?} {:?}", pending.request.system, pending.request.messages());
        assert!(!whole.contains("sk_live4242secret") && !whole.contains("keys.pem"), "{whole}");
        assert!(!s.extractive(&pending).contains("sk_live4242secret"));
        s.resume(pending, &answer("<summary>done</summary>")).unwrap();
        let summary = s.context().view.body()[0].message.plain_text();
        assert!(summary.contains("Never show [key] to anyone.") && summary.contains("src/public/main.rs"));
        assert!(!summary.contains("keys.pem"), "{summary}");
    }
    assert!(*seen.borrow() > 0);
}

#[test]
fn a_failing_redaction_ends_the_compaction_and_changes_nothing() {
    for fails_at in 1..12 {
        let mut s = session(&json!({ "contextWindow": 100_000 }));
        let calls = RefCell::new(0);
        s.set_redact(Some(Redact::new(move |text| {
            *calls.borrow_mut() += 1;
            if *calls.borrow() == fails_at {
                return Err(Error::new(ErrorCode::SummaryFailed, "redact threw"));
            }
            Ok(text.to_owned())
        })));
        s.push(vec![user(&"question ".repeat(40)), said("answer"), user("go on")]).unwrap();
        let before = (s.tokens(), s.context().history.len(), s.context().folds.len());
        let came = s.compact(Reason::Manual, None).map(Option::unwrap).and_then(|fit| {
            let pending = asks(fit);
            s.resume(pending, &answer("<summary>done</summary>"))
        });
        match came {
            Ok(_) => assert!(fails_at > 3, "it was never asked for"),
            Err(error) => {
                assert_eq!(error.code(), ErrorCode::SummaryFailed);
                assert_eq!((s.tokens(), s.context().history.len(), s.context().folds.len()), before);
            }
        }
    }
}

#[test]
fn the_summary_is_asked_for_in_the_conversations_language_and_checked() {
    let chinese = "请修复解析器里的错误,然后运行全部测试。".repeat(8);
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    s.push(vec![user(&chinese), said("好的。"), user("继续")]).unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    assert!(text_of(&pending).contains("Write in this language: Chinese (中文)."));
    let english = "<summary>The parser was fixed and all of the tests were run.</summary>";
    let pending = asks(s.resume(pending, &answer(english)).unwrap());
    assert!(
        text_of(&pending).contains("not written in the requested language"),
        "asked again with the reason"
    );
    let Fit::Done(report) = s.resume(pending, &answer(english)).unwrap() else { panic!("done") };
    assert!(report.summary.clone().unwrap().fallback.unwrap().contains("language"), "said, not lost");

    let mut s = session(&json!({ "contextWindow": 100_000, "compaction": { "language": "Japanese" } }));
    s.push(vec![user(&"Fix the parser. ".repeat(30)), said("Done."), user("go on")]).unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    assert!(text_of(&pending).contains("Write in this language: Japanese."));
    let fit = s.resume(pending, &answer("<summary>パーサーを直しました。テストも通りました。</summary>"));
    assert!(matches!(fit.unwrap(), Fit::Done(_)));

    let mut s = session(&json!({ "contextWindow": 100_000, "compaction": { "language": "auto" } }));
    s.push(vec![user(&"Fix the parser. ".repeat(30)), said("Done."), user("go on")]).unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    assert!(!text_of(&pending).contains("Write in this language:"), "the prompt's own words do");
}
