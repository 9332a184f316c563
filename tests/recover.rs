//! Sessions whose past is rewritten, whose provider says "too long", or whose thinking is bound.
#![cfg(not(target_arch = "wasm32"))]
#![recursion_limit = "512"]
// Tests read files and fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

#[path = "provider/data.rs"]
mod data;

use std::sync::Arc;

use contextfold::message::{Format, Message, Role};
use contextfold::provider::{CheckOptions, Severity, check, provider};
use contextfold::session::{Answer, Fit, Reason, Session, SessionConfig};
use contextfold::tokens::BytesPerFour;
use contextfold::{Error, ErrorCode};
use serde_json::{Value, json};

fn session(options: &Value) -> Session {
    Session::new(SessionConfig::from_value(options).unwrap(), Arc::new(BytesPerFour))
}

fn written(session: &Session, format: Format) -> Vec<Value> {
    let view = session.context().view_messages();
    let view: Vec<&Message> = view.iter().map(|m| &**m).collect();
    provider(format).write(&view).items
}

fn finish(session: &mut Session, mut fit: Fit) -> Option<ErrorCode> {
    let answer = Answer { text: "<summary>s</summary>".to_owned(), ..Answer::default() };
    while let Fit::NeedsSummary(pending) = fit {
        match session.resume(*pending, &answer) {
            Ok(next) => fit = next,
            Err(error) => return Some(error.code()),
        }
    }
    None
}

fn errors(format: Format, items: Vec<Value>, options: &CheckOptions<'_>) -> Vec<String> {
    let found = check(format, &Value::Array(items), options).unwrap();
    let errors = found.iter().filter(|v| v.severity == Severity::Error);
    errors.map(|v| format!("{} at {}: {}", v.rule, v.index, v.message)).collect()
}

fn talk() -> Vec<Message> {
    let list = json!([
        { "role": "user", "content": "one ".repeat(200) },
        { "role": "assistant", "content": "two ".repeat(200) },
        { "role": "user", "content": "three ".repeat(200) },
        { "role": "assistant", "content": "four ".repeat(200) },
        { "role": "user", "content": "five" }
    ]);
    provider(Format::Messages).read(&list).unwrap()
}

#[test]
fn the_learnt_limit_applies_and_the_fourth_try_is_refused() {
    let mut s = session(&json!({ "contextWindow": 100_000, "safetyMargin": 0 }));
    s.push(talk()).unwrap();
    let counted = s.tokens();
    assert!(s.recover("Overloaded").unwrap().is_none());
    let said = format!("prompt is too long: {} tokens > 800 maximum", counted * 2);
    for n in 0..3 {
        match s.recover(&said) {
            Ok(Some(fit)) => drop(finish(&mut s, fit)),
            Ok(None) => panic!("it says too long"),
            Err(e) => assert_eq!(e.code(), ErrorCode::ContextWindowExceeded),
        }
        if n == 0 {
            assert_eq!((s.config().limit, s.config().window), (Some(800), Some(800)));
            assert!(s.tokens() < 400 && s.corrected_tokens() < 800, "it counts twice what we do");
        }
    }
    let e = s.recover(&said).err().unwrap();
    assert_eq!(e.code(), ErrorCode::ContextWindowExceeded);
    assert!(e.message().contains("3 times in a row"), "{e}");
}

#[test]
fn the_fourth_try_is_reported_even_without_a_summary() {
    let mut s = session(&json!({ "contextWindow": 4_000, "compaction": { "onFailure": "error" } }));
    s.push(talk()).unwrap();
    for _ in 0..3 {
        let fit = s.recover("prompt is too long: 1000 tokens > 300 maximum").unwrap().unwrap();
        assert!(matches!(fit, Fit::NeedsSummary(_)));
    }
    assert!(s.report().is_none());
    s.recover("prompt is too long: 1000 tokens > 300 maximum").err().unwrap();
    assert_eq!(s.report().unwrap().tokens_after, s.tokens());
}

#[test]
fn a_run_that_started_before_a_smaller_limit_was_learnt_must_meet_it() {
    let rolling = json!({
        "pass": "rolling_summary", "upperThreshold": 500, "lowerThreshold": 300, "minMessages": 0, "minNewMessages": 0
    });
    let options =
        json!({ "contextWindow": 4_000, "compaction": { "retainLastTurns": 0 }, "ladder": [rolling] });
    let mut s = session(&options);
    s.push(talk()).unwrap();
    let Ok(Fit::NeedsSummary(asked)) = s.prepare() else { panic!("it asks for a summary") };
    drop(s.recover("prompt is too long: 1000 tokens > 10 maximum"));
    assert!(s.tokens() > s.config().limit.unwrap());
    let given_up = s.give_up(*asked, Error::new(ErrorCode::SummaryFailed, "down"));
    let over = s.tokens() > s.config().limit.unwrap();
    assert!(!over || given_up.is_err(), "a view over the limit, and no error");
}

#[test]
fn a_repeated_refusal_is_learnt_only_once() {
    let mut s = session(&json!({ "contextWindow": 100_000, "safetyMargin": 0 }));
    s.push(talk()).unwrap();
    let counted = s.tokens();
    let said = format!("prompt is too long: {} tokens > 800 maximum", counted * 3 / 2);
    let fit = s.recover(&said).unwrap().unwrap();
    assert_eq!(finish(&mut s, fit), None);
    let (learnt, left) = (s.config().limit, s.tokens());
    assert_eq!(learnt, Some(800));
    assert!(s.corrected_tokens() <= 800);
    assert!(left < counted);
    for _ in 0..2 {
        let fit = s.recover(&said).unwrap().unwrap();
        assert_eq!(finish(&mut s, fit), None);
        assert_eq!((s.config().limit, s.tokens()), (learnt, left));
    }
    assert_eq!(s.recover(&said).err().unwrap().code(), ErrorCode::ContextWindowExceeded);
}

/// Pushes a message and an answer, with a usage of `ratio` times the counted tokens.
fn said_and_answered(s: &mut Session, words: usize, ratio: f64) {
    s.push(vec![Message::text(Role::User, "word ".repeat(words))]).unwrap();
    let fit = s.prepare().unwrap();
    assert_eq!(finish(s, fit), None);
    let usage = json!({ "input_tokens": (s.tokens() as f64 * ratio).round() as u64, "output_tokens": 1 });
    s.push(vec![Message::text(Role::Assistant, "ok")]).unwrap();
    s.record_usage(&contextfold::tokens::ReportedUsage::from_value(&usage).unwrap());
}

#[test]
fn an_earlier_correction_is_not_subtracted_from_the_learnt_limit() {
    let mut s = session(&json!({ "contextWindow": 28_000 }));
    for _ in 0..12 {
        said_and_answered(&mut s, 1_000, 1.2);
    }
    s.push(vec![Message::text(Role::User, "word ".repeat(2_000))]).unwrap();
    let actual = s.corrected_tokens();
    let fit = s.recover(&format!("prompt is too long: {actual} tokens > {} maximum", actual - 500)).unwrap();
    assert_eq!(finish(&mut s, fit.unwrap()), None);
    assert_eq!(s.config().limit, Some(actual - 500));
    assert_eq!(s.threshold(), Some(((actual - 500) as f64 * 0.8) as u64));
}

#[test]
fn a_refusals_correction_is_not_learnt_twice() {
    for (calibrate, limit) in [(true, 10_000), (false, 6_666)] {
        let mut s = session(&json!({ "contextWindow": 100_000, "calibrate": calibrate }));
        s.push(vec![Message::text(Role::User, "word ".repeat(2_000))]).unwrap();
        let more = [Message::text(Role::Assistant, "word ".repeat(4_000)), Message::text(Role::User, "on")];
        s.push(more.to_vec()).unwrap();
        let actual = s.tokens() * 3 / 2;
        let fit = s.recover(&format!("prompt is too long: {actual} tokens > 10000 maximum")).unwrap();
        assert_eq!(finish(&mut s, fit.unwrap()), None);
        assert_eq!(s.config().limit, Some(limit));
        if !calibrate {
            continue;
        }
        for _ in 0..4 {
            said_and_answered(&mut s, 300, 1.5);
        }
        while s.tokens() * 3 / 2 < 7_900 {
            assert!(!s.should_compact(), "due at {}", s.tokens());
            said_and_answered(&mut s, 50, 1.5);
        }
        assert_eq!(s.config().limit, Some(limit));
    }
}

#[test]
fn numbers_of_another_request_do_not_spoil_the_limit() {
    let mut s = session(&json!({ "contextWindow": 100_000, "safetyMargin": 0 }));
    s.push(talk()).unwrap();
    let said = format!("prompt is too long: {} tokens > 800 maximum", s.tokens() * 50);
    let fit = s.recover(&said).unwrap().unwrap();
    assert_eq!(s.config().limit, Some(800));
    finish(&mut s, fit);
    let told = |s: &Session| s.report().unwrap().notices.iter().any(|n| n.contains("too large to correct"));
    assert!(told(&s), "{:?}", s.report().unwrap().notices);
    s.push(vec![Message::text(Role::User, "on")]).unwrap();
    let fit = s.prepare().unwrap();
    finish(&mut s, fit);
    assert!(!told(&s), "it is told once");
}

/// A session whose view fell from `before` words to one of about `after`, without a refusal.
fn made_smaller(before: usize, after: usize) -> Session {
    let mut s = session(&json!({ "contextWindow": 200_000, "safetyMargin": 0 }));
    s.push(vec![Message::text(Role::User, "word ".repeat(before)), Message::text(Role::Assistant, "ok")])
        .unwrap();
    s.push(vec![Message::text(Role::User, "word ".repeat(after))]).unwrap();
    s
}

/// Folds the session.
fn fold(s: &mut Session) {
    let fit = s.compact(Reason::Manual, None).unwrap().unwrap();
    assert_eq!(finish(s, fit), None);
}

#[test]
fn a_late_refusal_of_a_larger_request_leaves_a_view_that_fits_alone() {
    for was_handed_out in [false, true] {
        let mut s = made_smaller(90_000, 2_000);
        let sent = s.tokens();
        if was_handed_out {
            s.note_read();
        }
        fold(&mut s);
        let left = s.tokens();
        assert!(left * 2 < sent, "{left} of {sent}");
        let said = format!(
            "This model's maximum context length is {} tokens. However, your messages resulted in {sent} tokens.",
            sent - 2_000
        );
        for _ in 0..2 {
            let fit = s.recover(&said).unwrap().unwrap();
            assert_eq!(finish(&mut s, fit), None);
            assert_eq!((s.config().limit, s.tokens()), (Some(sent - 2_000), left));
            assert_eq!(s.corrected_tokens(), left, "the count was right");
        }
    }
}

#[test]
fn a_count_of_up_to_four_times_ours_is_learnt() {
    for (calibrate, limit) in [(true, 5_000), (false, 1_500)] {
        let mut s = session(&json!({ "contextWindow": 100_000, "safetyMargin": 0, "calibrate": calibrate }));
        s.push(vec![Message::text(Role::User, "word ".repeat(2_000))]).unwrap();
        let more = [Message::text(Role::Assistant, "word ".repeat(1_000)), Message::text(Role::User, "on")];
        s.push(more.to_vec()).unwrap();
        let actual = s.tokens() * 10 / 3;
        let fit = s.recover(&format!("prompt is too long: {actual} tokens > 5000 maximum")).unwrap();
        assert_eq!(finish(&mut s, fit.unwrap()), None);
        assert_eq!(s.config().limit.map(|limit| limit / 10 * 10), Some(limit));
        assert!(s.tokens() * 10 / 3 <= 5_000, "{}", s.tokens());
        assert_eq!(s.report().unwrap().notices, [""; 0]);
    }
}

/// A recorded Anthropic history after messages that are folded: what the provider would refuse in the view because of its thinking.
fn refused_for_thinking(list: &data::Recorded, mode: &str, dropped: &mut usize) -> Vec<String> {
    let long = |role: &str| json!({ "role": role, "content": "long ".repeat(400) });
    let talk = [long("user"), long("assistant"), long("user"), long("assistant")];
    let whole = Value::Array(talk.into_iter().chain(list.items.iter().cloned()).collect());
    let all = provider(Format::Anthropic).read(&whole).unwrap();
    let retained = all.iter().filter(|message| message.opens_turn()).count() - 2;
    let options = json!({ "contextWindow": 1_000_000, "boundThinking": mode, "compaction": { "retainLastTurns": retained } });
    let mut s = session(&options);
    s.push(all).unwrap();
    let fit = s.compact(Reason::Manual, None).unwrap();
    let folded = fit.is_some_and(|fit| finish(&mut s, fit).is_none());
    let Some(report) = s.report().filter(|_| folded) else { return Vec::new() };
    let decisions = report.decisions.iter().filter(|d| d.pass == "drop_bound_thinking");
    *dropped += decisions.map(|d| d.items.len()).sum::<usize>();
    assert_eq!(report.tokens_after, s.tokens());
    let with = CheckOptions { original: Some(&whole), bound: true, pending: true, ..CheckOptions::default() };
    let found = errors(Format::Anthropic, written(&s, Format::Anthropic), &with);
    found.into_iter().filter(|e| e.contains("thinking") || e.contains("A-signature")).collect()
}

#[test]
fn no_bound_thinking_remains_after_a_fold() {
    let (mut lost, mut kept) = (0, 0);
    let lists = data::recorded(".anthropic.jsonl");
    for list in &lists {
        assert_eq!(refused_for_thinking(list, "drop", &mut lost), [""; 0], "{}", list.name);
        kept += refused_for_thinking(list, "keep", &mut 0).len();
    }
    println!(
        "{} lists, {lost} messages lost bound thinking; kept, {kept} blocks would be refused",
        lists.len()
    );
    if data::folder().is_some() {
        assert!(lost > 0 && kept > 0, "nothing was put to the test");
    }
}

#[test]
fn thinking_is_dropped_after_an_edit_but_later_thinking_stays() {
    let thought = |text: &str| {
        json!([{ "role": "assistant", "content": [
        { "type": "thinking", "thinking": text, "signature": "s" }, { "type": "text", "text": text }] }])
    };
    let read = |list: &Value| provider(Format::Anthropic).read(list).unwrap();
    let texts = |s: &Session| -> Vec<bool> {
        let view = s.context().view_messages();
        view.iter()
            .filter(|m| m.role == Role::Assistant)
            .map(|m| m.parts.iter().any(|p| matches!(p, contextfold::message::Part::Reasoning(_))))
            .collect()
    };
    for (model, mode, dropped) in [
        ("claude-opus-4-5", "auto", false),
        ("claude-opus-4-5", "drop", true),
        ("claude-opus-4-5", "keep", false),
    ] {
        let mut s = session(
            &json!({ "model": model, "boundThinking": mode, "compaction": { "retainLastTurns": 2 } }),
        );
        let long = json!([{ "role": "user", "content": "go ".repeat(500) }]);
        for list in [&long, &thought("a"), &long, &thought("b"), &long, &thought("c")] {
            s.push(read(list)).unwrap();
        }
        assert_eq!(texts(&s), [true, true, true], "nothing was edited");
        let fit = s.compact(Reason::Manual, None).unwrap().unwrap();
        assert_eq!(finish(&mut s, fit), None);
        let said = s.report().unwrap().decisions.iter().any(|d| d.pass == "drop_bound_thinking");
        assert_eq!(said, dropped, "{mode}");
        let before = texts(&s);
        assert!(before.iter().all(|has| *has != dropped), "{mode} {before:?}");
        s.push(read(&long)).unwrap();
        s.push(read(&thought("d"))).unwrap();
        assert_eq!(texts(&s).last(), Some(&true), "it was thought behind what stands now");
    }
    let mut s = session(&json!({ "contextWindow": 10_000, "boundThinking": "drop" }));
    s.push(read(&json!([{ "role": "user", "content": "go" }]))).unwrap();
    s.push(read(&thought("a"))).unwrap();
    s.set_header(vec![Message::text(Role::System, "other rules")]).unwrap();
    assert_eq!(texts(&s), [false], "the header is what it was bound to as well");
    let e = SessionConfig::from_value(&json!({ "boundThinking": "maybe" })).unwrap_err();
    assert_eq!(e.code(), ErrorCode::InvalidConfig);
}

/// Agents often call a tool without a word: their answer is thinking and a call. Without both, nothing is left of it. If there are words, too,
/// the answer stays, and its calls come back with their outputs or not at all.
#[test]
fn an_answer_of_thinking_and_calls_goes_as_a_whole() {
    let read = |list: &Value| provider(Format::Anthropic).read(list).unwrap();
    for (mode, words) in [("drop", 0), ("keep", 0), ("drop", 3), ("keep", 3)] {
        let options = json!({ "contextWindow": 1_500, "safetyMargin": 0, "boundThinking": mode, "ladder": "selective" });
        let mut s = session(&options);
        s.push(read(&json!([{ "role": "user", "content": "begin" }]))).unwrap();
        let valid = |s: &Session| {
            let view = Value::Array(written(s, Format::Anthropic));
            assert_eq!(
                errors(Format::Anthropic, view.as_array().unwrap().clone(), &CheckOptions::default()),
                [""; 0]
            );
            let bytes = s.snapshot(b"");
            assert!(Session::restore(&bytes, None, |_| Ok(Arc::new(BytesPerFour))).is_ok(), "{mode}");
        };
        for n in 0..10 {
            let id = format!("t{n}");
            let mut answer = vec![
                json!({ "type": "thinking", "thinking": "hm", "signature": id }),
                json!({ "type": "tool_use", "id": id, "name": "run", "input": {} }),
            ];
            if words > 0 {
                answer.insert(1, json!({ "type": "text", "text": "word ".repeat(words) }));
            }
            let list = json!([
                { "role": "assistant", "content": answer },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": id, "content": "word ".repeat(130) }
                ] }
            ]);
            s.push(read(&list)).unwrap();
            let fit = s.prepare().unwrap();
            assert_eq!(finish(&mut s, fit), None);
            valid(&s);
            if n % 3 == 2 {
                s.push(read(&json!([{ "role": "assistant", "content": "done" }, { "role": "user", "content": "next" }])))
                    .unwrap();
            }
        }
        let config = s.config().with(&json!({ "contextWindow": 100_000 })).unwrap();
        s.set_options(config, None);
        let fit = s.prepare().unwrap();
        assert_eq!(finish(&mut s, fit), None);
        valid(&s);
    }
}

/// Rewrites every recorded history at every position, after folds: from there on the view equals the given list, and it is valid.
#[test]
fn a_rewritten_past_gives_valid_views() {
    let (mut histories, mut rewrites, mut undone) = (0, 0, 0);
    for (suffix, format) in [
        (".responses.jsonl", Format::OpenaiResponses),
        (".chat.jsonl", Format::OpenaiChat),
        (".anthropic.jsonl", Format::Anthropic),
    ] {
        for list in data::recorded(suffix).iter().filter(|l| l.items.len() > 3) {
            let opts = &list.record["opts"];
            let known = CheckOptions {
                provider: opts["provider"].as_str(),
                store: opts["store"].as_bool(),
                ..CheckOptions::default()
            };
            let messages = provider(format).read(&Value::Array(list.items.clone())).unwrap();
            let mut taken = false;
            let ends = contextfold::message::steps(&messages);
            for at in ends.iter().map(|step| step.range.start).filter(|at| *at > 0) {
                let mut s =
                    session(&json!({ "contextWindow": 1_000_000, "toolOutputCache": { "enabled": false } }));
                let Ok(nodes) = s.push(messages.clone()) else { break };
                taken = true;
                let folded = match s.compact(Reason::Manual, None).unwrap() {
                    Some(fit) => finish(&mut s, fit).is_none(),
                    None => false,
                };
                s.rewrite(&nodes[at..], messages[at..].to_vec()).unwrap();
                rewrites += 1;
                undone += usize::from(folded && s.context().folds.is_empty());
                let found = errors(format, written(&s, format), &CheckOptions { pending: true, ..known });
                let before = errors(format, list.items.clone(), &CheckOptions { pending: true, ..known });
                assert_eq!(found, before, "{} rewritten at {at}", list.name);
                let view = s.context().view_messages();
                let tail: Vec<&Message> = view.iter().rev().take(messages.len() - at).map(|m| &**m).collect();
                let mut given: Vec<&Message> =
                    messages[at..].iter().rev().filter(|m| !m.is_empty()).collect();
                // Messages before the provider's own compaction are not sent.
                if let Some(newest) = given.iter().position(|m| m.provider_compaction().is_some()) {
                    given.truncate(newest + 1);
                }
                assert_eq!(tail[..given.len()], given[..], "{} rewritten at {at}", list.name);
                let sum: u64 = s.context().part_reports().iter().map(|p| p.tokens).sum();
                assert_eq!(sum, s.tokens());
            }
            histories += usize::from(taken);
        }
    }
    println!("{histories} histories, {rewrites} rewrites, {undone} of them undid a fold");
    if data::folder().is_some() {
        assert!(histories > 50 && undone > 0, "nothing was put to the test");
    }
}
