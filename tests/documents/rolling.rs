//! The rolling document, 1.2: a summary that each later one extends.

use contextfold::message::Role;
use contextfold::session::{Fit, Reason, Session, SummaryState};
use contextfold::tokens::ReportedUsage;
use serde_json::{Value, json};

use super::support::{answer, asks, done, passes, said, session, summary, system, talk, user, view};

fn rolling() -> Session {
    session(json!({ "ladder": "rolling" }))
}

fn with(options: Value) -> Session {
    let mut pass = json!({ "pass": "rolling_summary" });
    pass.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    session(json!({ "ladder": [pass] }))
}

fn pushed(mut session: Session, messages: Vec<contextfold::message::Message>) -> Session {
    session.push(messages).unwrap();
    session
}

#[test]
fn it_triggers_only_above_50000_tokens() {
    let mut at = pushed(rolling(), talk(40, 50_000));
    assert!(!at.should_compact());
    assert_eq!(passes(&done(at.prepare().unwrap())), [""; 0]);
    let mut above = pushed(rolling(), talk(40, 50_001));
    assert!(above.should_compact());
    asks(above.prepare().unwrap());
}

#[test]
fn after_a_summary_the_view_is_below_30000_tokens() {
    for size in [100, 1_500, 5_000, 7_000] {
        let mut s = pushed(rolling(), [vec![system(2_000)], talk(80, 90_000)].concat());
        let pending = asks(s.prepare().unwrap());
        let report = done(s.resume(pending, &summary("talked", size)).unwrap());
        assert_eq!(passes(&report), ["rolling_summary"]);
        assert!(s.tokens() < 30_000, "a summary of {size}: {}", s.tokens());
        assert!(s.tokens() + 7_800 > 28_000, "as much as fits stays: {}", s.tokens());
    }
}

#[test]
fn the_first_summary_needs_20_messages() {
    let mut few = pushed(rolling(), talk(19, 60_000));
    assert_eq!(passes(&done(few.prepare().unwrap())), [""; 0]);
    let mut enough = pushed(rolling(), talk(20, 60_000));
    asks(enough.prepare().unwrap());
}

/// A session with a summary of 220 tokens and one later message of 25 tokens.
fn summarized() -> Session {
    let options = json!({ "upperThreshold": 300, "lowerThreshold": 60 });
    let mut s = pushed(with(options), talk(21, 21 * 25));
    let pending = asks(s.prepare().unwrap());
    done(s.resume(pending, &summary("first", 216)).unwrap());
    let uncovered = s.context().view_messages().len() as u64 - 1;
    assert_eq!((s.tokens() - 220, uncovered), (25, 1));
    s
}

#[test]
fn a_later_summary_needs_10_new_messages() {
    let mut s = pushed(summarized(), talk(8, 8 * 100));
    assert_eq!(passes(&done(s.prepare().unwrap())), [""; 0], "9 of them, and more than enough tokens");
    s.push(vec![user("tenth ", 5)]).unwrap();
    asks(s.prepare().unwrap());
}

#[test]
fn a_later_summary_needs_new_messages_of_more_than_half_its_tokens() {
    let mut half = pushed(summarized(), talk(9, 85));
    assert_eq!(half.tokens(), 220 + 110);
    assert_eq!(passes(&done(half.prepare().unwrap())), [""; 0], "110 / 220 is not above 0.5");
    let mut more = pushed(summarized(), talk(9, 86));
    asks(more.prepare().unwrap());
}

#[test]
fn each_summary_extends_the_previous_one() {
    let mut s = rolling();
    s.push(talk(40, 60_000)).unwrap();
    for n in 1..=5 {
        let pending = asks(s.prepare().unwrap());
        let folded = pending.request.folded()[0].plain_text();
        if n > 1 {
            assert!(folded.contains(&format!("summary number {}", n - 1)), "{folded}");
            let sent = pending.request.messages()[0].plain_text();
            assert_eq!(sent, folded, "it is in the request, first");
        }
        done(s.resume(pending, &summary(&format!("summary number {n}"), 1_000)).unwrap());
        let summaries = view(&s).matches("Summary of the conversation").count();
        assert_eq!(summaries, 1, "it replaces the one before");
        s.push(talk(20, 30_000)).unwrap();
    }
}

#[test]
fn the_layout_is_system_prompt_summary_recent_messages() {
    let mut s = pushed(
        with(json!({ "upperThreshold": 3_000, "lowerThreshold": 1_000 })),
        [vec![system(200)], talk(40, 4_000)].concat(),
    );
    let pending = asks(s.prepare().unwrap());
    done(s.resume(pending, &summary("The user asked for five meetings.", 96)).unwrap());
    insta::assert_snapshot!(view(&s), @"
    system: You are terse. (200)
    system: ## Summary of the conversation so far  A record of… (100)
    user: message 36 (100)
    assistant: message 37 (100)
    user: message 38 (100)
    assistant: message 39 (100)
    user: message 40 (100)
    ");
    let second = s.context().view_messages()[1].plain_text();
    assert!(second.starts_with("## Summary of the conversation"), "{second}");
    assert!(second.ends_with("\n---"), "{second}");
}

/// 50 messages of 12,000 tokens, summarised in 1,500, as in the document's state.
fn state() -> (Session, SummaryState) {
    let options = json!({ "upperThreshold": 14_000, "lowerThreshold": 4_851 });
    let mut s = pushed(with(options), talk(50, 12_000));
    s.push(vec![user("newest ", 1_675), said("answer ", 1_675)]).unwrap();
    s.context_mut().now = Some(1_768_903_200_000.0);
    let pending = asks(s.prepare().unwrap());
    assert!(s.context().summary_state(false).is_none(), "none before the first");
    done(s.resume(pending, &summary("five meetings", 1_496)).unwrap());
    let state = s.context().summary_state(false).unwrap();
    (s, state)
}

#[test]
fn the_state_has_the_documents_fields_and_figures() {
    let (s, state) = state();
    let mut value = serde_json::to_value(&state).unwrap();
    let text = value["summary"].take();
    assert!(text.as_str().unwrap().contains("five meetings"));
    assert_eq!(
        value,
        json!({
            "summary": null,
            "summarized_until": 50,
            "summary_tokens": 1_500,
            "created_at": 1_768_903_200_000.0,
            "message_count": 50,
            "original_tokens": 12_000,
            "compression_rate": 0.875,
            "is_summarizing": false,
        })
    );
    assert!(s.context().summary_state(true).unwrap().is_summarizing);
}

#[test]
fn a_later_state_includes_what_the_earlier_summary_covered() {
    let (mut s, _) = state();
    s.push(talk(20, 14_000)).unwrap();
    let pending = asks(s.prepare().unwrap());
    done(s.resume(pending, &answer("<summary>all of it</summary>")).unwrap());
    let state = s.context().summary_state(false).unwrap();
    assert!(state.message_count > 52 && state.summarized_until == state.message_count, "{state:?}");
    assert!(state.original_tokens > 15_000, "{state:?}");
    assert!(!state.summary.contains("five meetings"));
}

#[test]
fn a_summary_that_leaves_the_view_above_the_lower_threshold_is_retried() {
    let mut s = pushed(with(json!({ "upperThreshold": 3_000, "lowerThreshold": 1_000 })), talk(40, 4_000));
    let pending = asks(s.prepare().unwrap());
    assert_eq!(pending.request.aim_tokens, Some(259), "0.26 of it");
    let asked = pending.request.messages().last().unwrap().plain_text();
    assert!(asked.contains("Write at most 259 tokens"), "{asked}");
    let retry = asks(s.resume(pending, &summary("much too long", 900)).unwrap());
    let why = retry.request.messages().last().unwrap().plain_text();
    assert!(why.contains("would keep the view below its target"), "{why}");
    let report = done(s.resume(retry, &summary("short", 200)).unwrap());
    assert!(report.tokens_after < 1_000, "{report:?}");
}

#[test]
fn thresholds_use_corrected_tokens_and_folds_name_the_pass() {
    let mut s = pushed(with(json!({ "upperThreshold": 3_000, "lowerThreshold": 1_000 })), talk(40, 2_500));
    assert!(matches!(s.prepare().unwrap(), Fit::Done(_)), "2,500 are fewer than 3,000");
    s.record_usage(
        &ReportedUsage::from_value(&json!({ "input_tokens": 5_000, "output_tokens": 1 })).unwrap(),
    );
    s.push(vec![user("and on ", 10)]).unwrap();
    let pending = asks(s.prepare().unwrap());
    let report = done(s.resume(pending, &answer("<summary>short</summary>")).unwrap());
    assert!(report.tokens_after < 500, "below 1,000 as the model counts: {report:?}");
    s.push(talk(30, 2_000)).unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    let report = done(s.resume(pending, &answer("<summary>by hand</summary>")).unwrap());
    assert_eq!(report.decisions.last().unwrap().pass, "rolling_summary");
}

#[test]
fn the_role_of_the_summary_can_be_chosen() {
    for (role, first) in [("user", Role::User), ("assistant", Role::User), ("system", Role::System)] {
        let options = json!({
            "ladder": [{ "pass": "rolling_summary", "upperThreshold": 3_000, "lowerThreshold": 1_000 }],
            "compaction": { "summaryRole": role },
        });
        let mut s = pushed(session(options), talk(40, 4_000));
        let pending = asks(s.prepare().unwrap());
        done(s.resume(pending, &answer("<summary>the gist</summary>")).unwrap());
        let view = s.context().view_messages();
        assert_eq!(view[0].role, first, "{role}");
        let says = view.iter().position(|m| m.plain_text().contains("the gist")).unwrap();
        assert_eq!(view[says].role.as_str(), role);
        assert!(role == "user" || view[says + 1].role == Role::User, "{role}");
    }
}

#[test]
fn a_failed_summary_leaves_no_lock() {
    let mut s = pushed(rolling(), talk(40, 60_000));
    for _ in 0..3 {
        let pending = asks(s.prepare().unwrap());
        let retry = asks(s.resume(pending, &answer("")).unwrap());
        let report = done(s.resume(retry, &answer("")).unwrap());
        assert!(report.summary.unwrap().fallback.unwrap().contains("SUMMARY_EMPTY"), "it goes on without");
        assert!(s.context().summary_state(false).is_none());
        s.push(vec![user("and on ", 100)]).unwrap();
    }
    let abandoned = asks(s.prepare().unwrap());
    drop(abandoned);
    let pending = asks(s.prepare().unwrap());
    done(s.resume(pending, &answer("<summary>now</summary>")).unwrap());
}
