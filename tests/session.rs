//! The session without JavaScript: what is in the view after each step.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use contextfold::ErrorCode;
use contextfold::message::{Format, Message, Part, Role, ToolCall};
use contextfold::provider::provider;
use contextfold::session::{
    Answer, CompactionConfig, EventName, Fit, Form, LeftOut, NodeIndex, OnFailure, Pending, PlanOptions,
    Reason, Search, Session, SessionConfig,
};
use contextfold::tokens::{BytesPerFour, Estimate};
use serde_json::json;

/// A session whose ladder folds everything but the last turns, unless the options name another one. These tests are about how a fold is
/// made and laid out, not about what is folded.
fn session(options: &serde_json::Value) -> Session {
    let mut options = options.clone();
    if options.get("ladder").is_none() {
        let passes = ["ephemeral", "trim_tool_outputs", "dedupe_reads", "summarize"];
        options["ladder"] = passes.iter().map(|pass| serde_json::json!({ "pass": pass })).collect();
    }
    Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(BytesPerFour))
}

fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

fn said(text: &str) -> Message {
    Message::text(Role::Assistant, text)
}

fn calls(ids: &[&str]) -> Message {
    let call = |id: &&str| Part::from(ToolCall::function(*id, "read_file", r#"{"path":"src/lib.rs"}"#));
    Message::new(Role::Assistant, ids.iter().map(call).collect())
}

/// One line per item, as it is shown in the view.
fn layout(session: &Session) -> String {
    let line = |m: &Arc<Message>| {
        let calls: Vec<&str> = m.tool_calls().map(|c| c.id.as_str()).collect();
        let mut text = m.plain_text().replace('\n', " ⏎ ");
        if text.chars().count() > 60 {
            text = text.chars().take(57).chain("…".chars()).collect();
        }
        let answers = m.tool_outputs().next().map_or(String::new(), |o| format!(" ->{}", o.call_id));
        let calls = if calls.is_empty() { String::new() } else { format!(" calls {}", calls.join(",")) };
        format!("{}{answers}: {text}{calls}", m.role.as_str())
    };
    session.context().view_messages().iter().map(line).collect::<Vec<_>>().join("\n")
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

/// Three turns with a tool step each, about 100 tokens per turn.
fn three_turns(session: &mut Session) {
    session.push(vec![Message::text(Role::System, "You are terse.")]).unwrap();
    for turn in 1..=3 {
        let filler = "lorem ipsum ".repeat(20);
        session
            .push(vec![
                user(&format!("question {turn}")),
                calls(&[&format!("c{turn}")]),
                Message::tool(format!("c{turn}"), filler),
                said(&format!("answer {turn}")),
            ])
            .unwrap();
    }
}

#[test]
fn a_compaction_keeps_retain_section_summary_and_last_turn() {
    let mut s = session(&json!({ "contextWindow": 100_000, "compaction": { "retainPrompt": "Keep refs." } }));
    three_turns(&mut s);
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    let request = &pending.request;
    assert!(request.messages().last().unwrap().plain_text().contains("Keep refs."));
    assert_eq!(request.system.as_deref(), Some("You are terse."));
    let fit = s.resume(
        pending,
        &answer("<retain>ref out_1</retain>\n<summary>Two questions were answered.</summary>"),
    );
    let Fit::Done(report) = fit.unwrap() else { panic!("done") };
    insta::assert_snapshot!(layout(&s), @"
    system: You are terse.
    user: ref out_1
    user: Two questions were answered.
    user: question 3
    assistant:  calls c3
    tool ->c3: lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ips…
    assistant: answer 3
    ");
    assert_eq!(report.tokens_after, s.tokens());
    assert_eq!(report.parts.iter().map(|p| p.tokens).sum::<u64>(), report.tokens_after);
    assert_eq!(report.left_out.len(), 8, "every folded message has a line");
    let names: Vec<_> =
        s.take_events().iter().map(|e| e.event).filter(|e| *e != EventName::MessageAdded).collect();
    assert_eq!(names, [EventName::CompactionStarted, EventName::Folded, EventName::CompactionFinished]);
}

#[test]
fn the_next_compaction_replaces_the_summary() {
    let mut s = session(
        &json!({ "contextWindow": 100_000, "compaction": { "retainPrompt": "Keep.", "ledgerTokens": 0 } }),
    );
    three_turns(&mut s);
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    s.resume(pending, &answer("<retain>first retain</retain><summary>first summary</summary>")).unwrap();
    s.push(vec![user("question 4"), said("answer 4")]).unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    let asked: Vec<String> = pending.request.folded().iter().map(|m| m.plain_text()).collect();
    assert!(asked[0] == "first retain" && asked[1] == "first summary", "{asked:?}");
    s.resume(pending, &answer("<retain>second retain</retain><summary>second summary</summary>")).unwrap();
    insta::assert_snapshot!(layout(&s), @"
    system: You are terse.
    user: second retain
    user: second summary
    user: question 4
    assistant: answer 4
    ");
}

#[test]
fn compacting_with_nothing_to_fold_succeeds() {
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    s.push(vec![user("hello"), said("hi")]).unwrap();
    assert!(s.compact(Reason::Manual, None).unwrap().is_none());
}

#[test]
fn a_long_turn_is_cut_at_a_step() {
    let mut s = session(
        &json!({ "contextWindow": 2_000, "ladder": "spec", "compaction": { "thresholdRatio": 0.8 } }),
    );
    s.push(vec![user("do it all")]).unwrap();
    for i in 0..30 {
        let id = format!("c{i}");
        s.push(vec![calls(&[&id]), Message::tool(&id, "line of output\n".repeat(16))]).unwrap();
    }
    let pending = asks(s.prepare().unwrap());
    let Fit::Done(report) = s.resume(pending, &answer("<summary>did most of it</summary>")).unwrap() else {
        panic!("done")
    };
    assert!(report.tokens_after <= 1_000, "{report:?}");
    let view = layout(&s);
    assert!(view.starts_with("user: did most of it\nuser: do it all\nassistant:  calls c"), "{view}");
    assert!(view.contains("->c29"));
    let again = s.prepare().unwrap();
    let Fit::Done(again) = again else { panic!("a second prepare changes nothing") };
    assert_eq!((again.tokens_after, layout(&s)), (report.tokens_after, view));
    assert!(again.decisions.is_empty());
    assert_eq!(again.stable_prefix_tokens, again.tokens_after);
}

#[test]
fn a_running_call_stays_in_the_view_and_is_not_sent_to_the_summariser() {
    let mut s = session(&json!({ "contextWindow": 100_000, "compaction": { "retainLastTurns": 0 } }));
    three_turns(&mut s);
    s.push(vec![user("question 4"), calls(&["a", "b"]), Message::tool("a", "done")]).unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    let sent = pending.request.messages();
    let calls_sent: Vec<&str> = sent.iter().flat_map(|m| m.tool_calls()).map(|c| c.id.as_str()).collect();
    assert_eq!(
        calls_sent,
        ["c1", "c2", "c3", "a"],
        "the answered call of the batch stays, the open one goes"
    );
    s.resume(pending, &answer("<summary>s</summary>")).unwrap();
    insta::assert_snapshot!(layout(&s), @"
    system: You are terse.
    user: s
    user: question 4
    assistant:  calls a,b
    tool ->a: done
    ");
}

#[test]
fn messages_pushed_during_a_compaction_follow_the_fold() {
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    three_turns(&mut s);
    s.push(vec![calls(&["late"])]).unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    s.push(vec![Message::tool("late", "came late"), user("question 4")]).unwrap();
    s.resume(pending, &answer("<summary>s</summary>")).unwrap();
    insta::assert_snapshot!(layout(&s), @"
    system: You are terse.
    user: s
    user: question 3
    assistant:  calls c3
    tool ->c3: lorem ipsum lorem ipsum lorem ipsum lorem ipsum lorem ips…
    assistant: answer 3
    assistant:  calls late
    tool ->late: came late
    user: question 4
    ");
}

#[test]
fn refused_summaries_are_retried_with_the_reason_then_nothing_changes() {
    let cases: [(Answer, ErrorCode); 5] = [
        (answer(""), ErrorCode::SummaryEmpty),
        (answer("<summary>  </summary>"), ErrorCode::SummaryEmpty),
        (answer("<summary>cut off in the mid"), ErrorCode::SummaryTruncated),
        (
            Answer { finish_reason: Some("length".into()), ..answer("<summary>s</summary>") },
            ErrorCode::SummaryTruncated,
        ),
        (answer(&"long ".repeat(2_000)), ErrorCode::SummaryNotSmaller),
    ];
    for (bad, code) in cases {
        let mut s = session(&json!({ "contextWindow": 100_000 }));
        three_turns(&mut s);
        let (before, tokens) = (layout(&s), s.tokens());
        let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
        let pending = asks(s.resume(pending, &bad).unwrap());
        assert_eq!(pending.request.reason, Reason::Retry);
        let asked = pending.request.messages().last().unwrap().plain_text();
        assert!(asked.contains("could not be used"), "{asked}");
        let Err(error) = s.resume(pending, &bad) else { panic!("{code} expected") };
        assert_eq!(error.code(), code);
        assert_eq!((layout(&s), s.tokens()), (before, tokens));
        assert!(s.context().folds.is_empty());
        assert_eq!(s.report().unwrap().summary.as_ref().unwrap().attempts, 2);
    }
}

#[test]
fn the_extractive_summariser_takes_over_if_configured() {
    let options =
        json!({ "contextWindow": 100_000, "compaction": { "onFailure": "extractive", "maxAttempts": 1 } });
    let mut s = session(&options);
    for i in 0..40 {
        s.push(vec![
            user(&format!("Please never edit file number {i}.md. {}", "word ".repeat(200))),
            said("ok"),
        ])
        .unwrap();
    }
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    let Fit::Done(report) = s.resume(pending, &answer("")).unwrap() else { panic!("done") };
    let fallback = report.summary.clone().unwrap().fallback.unwrap();
    assert!(fallback.contains("extractive") && fallback.contains("SUMMARY_EMPTY"), "{fallback}");
}

#[test]
fn pins_survive_twenty_rounds_verbatim() {
    let mut s = session(&json!({ "contextWindow": 3_000 }));
    let mut pinned = user("NEVER touch production. $& <summary>");
    pinned.meta.pinned = true;
    s.push(vec![pinned.clone()]).unwrap();
    for round in 0..20 {
        for i in 0..8 {
            s.push(vec![user(&format!("round {round} question {i}")), said(&"words ".repeat(60))]).unwrap();
        }
        if let Some(fit) = s.compact(Reason::Manual, None).unwrap() {
            let pending = asks(fit);
            s.resume(pending, &answer(&format!("<summary>round {round}</summary>"))).unwrap();
        }
        let there =
            s.context().view_messages().iter().filter(|m| m.plain_text() == pinned.plain_text()).count();
        assert_eq!(there, 1, "round {round}");
    }
}

#[test]
fn an_uncompactable_view_is_refused_with_its_token_counts() {
    let mut s = session(&json!({ "contextWindow": 1_000 }));
    s.push(vec![Message::text(Role::System, "rule ".repeat(2_000)), user("hi")]).unwrap();
    let Err(error) = s.prepare() else { panic!("refused") };
    assert_eq!(error.code(), ErrorCode::BudgetImpossible);
    assert!(error.message().contains("2504"), "{error}");
    assert!(s.report().is_some());
}

#[test]
fn the_error_names_the_largest_message() {
    let mut s = session(&json!({ "contextWindow": 1_000 }));
    s.push(vec![Message::text(Role::System, "rule ".repeat(2_000)), user("hi")]).unwrap();
    let Err(error) = s.prepare() else { panic!("refused") };
    assert!(error.message().contains("the largest message is `m1` (system, 2504 tokens)"), "{error}");
    let mut s = session(&json!({ "contextWindow": 1_000, "ladder": "ladder" }));
    s.push(vec![user("hi"), user(&"word ".repeat(2_000))]).unwrap();
    let Err(error) = s.prepare() else { panic!("refused") };
    assert_eq!(error.code(), ErrorCode::ContextWindowExceeded);
    assert!(error.message().contains("the largest message is `m2` (user, "), "{error}");
}

#[test]
fn the_error_names_a_reserve_that_uses_up_the_window() {
    let mut s = session(&json!({ "contextWindow": 1_000, "reservedOutputTokens": 1_000 }));
    s.push(vec![user("hi")]).unwrap();
    let Err(error) = s.prepare() else { panic!("refused") };
    assert_eq!(error.code(), ErrorCode::BudgetImpossible);
    assert!(error.message().contains("`reservedOutputTokens`"), "{error}");
    assert!(s.report().unwrap().notices[0].contains("`reservedOutputTokens`"));
}

#[test]
fn one_message_of_five_windows_is_shortened_and_kept_by_ref() {
    let mut s = session(&json!({ "contextWindow": 1_000 }));
    s.context_mut().wording.open_refs();
    let text = "日本語のテキスト🙂 ".repeat(900);
    s.push(vec![user(&text)]).unwrap();
    let Fit::Done(report) = s.prepare().unwrap() else { panic!("no summary needed") };
    assert!(report.tokens_after <= 900, "{report:?}");
    assert_eq!(report.left_out.len(), 1);
    let view = s.context().view_messages();
    assert_eq!(view.len(), 1);
    let shown = view[0].plain_text();
    assert!(shown.contains("characters left out") && shown.contains("out_1"), "{shown}");
    assert_eq!(s.context().outputs.get("out_1").unwrap().parts(), [Part::text(text)]);
}

#[test]
fn tool_outputs_are_cut_then_trimmed_oldest_first() {
    let mut s =
        session(&json!({ "toolOutputCache": { "contextBudgetTokens": 1_000, "maxMessageBytes": 2_000 } }));
    s.push(vec![user("go")]).unwrap();
    for i in 0..4 {
        let id = format!("c{i}");
        s.push(vec![calls(&[&id]), Message::tool(&id, format!("output {i}\n").repeat(400))]).unwrap();
    }
    let forms: Vec<&str> = s
        .context()
        .view
        .body()
        .iter()
        .filter(|x| x.message.role == Role::Tool)
        .map(|x| x.form.as_str())
        .collect();
    assert_eq!(
        forms,
        ["placeholder", "placeholder", "cut", "cut"],
        "the budget is for what stands with text"
    );
    let tool = s.context().view_messages().into_iter().find(|m| m.role == Role::Tool).unwrap();
    let text = tool.plain_text();
    assert!(text.starts_with("[tool output trimmed: ") && text.ends_with(" tokens]"), "{text}");
    assert_eq!(tool.tool_outputs().next().unwrap().output_ref.as_ref().unwrap().id, "out_1");
    assert!(s.context().view.output_tokens() <= 1_000);
    let Fit::Done(report) = s.prepare().unwrap() else { panic!("done") };
    let decisions: Vec<_> = report.decisions.iter().map(|d| (d.pass.as_str(), d.items.len())).collect();
    assert_eq!(decisions, [("cut_tool_outputs", 4), ("trim_tool_outputs", 2)]);
    assert_eq!(report.decisions[0].tokens_after, report.decisions[1].tokens_before);
    assert_eq!(report.tokens_before, report.decisions[0].tokens_before);
    assert!(report.left_out.iter().all(|l| l.output_ref.is_some()));
}

#[test]
fn an_interrupted_call_has_a_placeholder_output_until_its_output_arrives() {
    let mut s = session(&json!({}));
    s.push(vec![user("go"), calls(&["a"]), user("stop, do this instead")]).unwrap();
    let tokens_with_stand_in = s.tokens();
    insta::assert_snapshot!(layout(&s), @"
    user: go
    assistant:  calls a
    tool ->a: [no output yet: the call was interrupted]
    user: stop, do this instead
    ");
    s.push(vec![Message::tool("a", "here after all")]).unwrap();
    assert_ne!(s.tokens(), tokens_with_stand_in);
    insta::assert_snapshot!(layout(&s), @"
    user: go
    assistant:  calls a
    tool ->a: here after all
    user: stop, do this instead
    ");
    assert!(s.context().view.body().iter().all(|x| x.form == Form::Whole));
}

#[test]
fn a_refused_push_changes_nothing() {
    let mut s = session(&json!({}));
    s.push(vec![user("go"), calls(&["a"])]).unwrap();
    let before = layout(&s);
    for (bad, says) in [
        (vec![user("fine"), Message::tool("nope", "x")], "message 1"),
        (vec![calls(&["a"])], "still waiting"),
        (vec![calls(&["x", "x"])], "still waiting"),
        (vec![user("one").with_id("same"), user("two").with_id("same")], "is taken"),
    ] {
        let error = s.push(bad).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidMessage);
        assert!(error.message().contains(says), "{error}");
        assert_eq!(layout(&s), before);
    }
}

#[test]
fn usage_from_before_a_compaction_is_ignored_afterwards() {
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    three_turns(&mut s);
    assert!(!s.should_compact());
    let usage = json!({ "input_tokens": 90_000, "output_tokens": 10 });
    s.record_usage(&contextfold::tokens::ReportedUsage::from_value(&usage).unwrap());
    assert!(s.should_compact());
    let pending = asks(s.compact(Reason::Threshold, None).unwrap().unwrap());
    s.resume(pending, &answer("<summary>s</summary>")).unwrap();
    assert!(!s.should_compact());
}

#[test]
fn every_invalid_option_is_refused_by_name() {
    for (options, key) in [
        (json!({ "contextWindo": 1 }), "contextWindo"),
        (json!({ "contextWindow": 0 }), "contextWindow"),
        (json!({ "contextWindow": "128k" }), "contextWindow"),
        (json!({ "reservedOutputTokens": -1 }), "reservedOutputTokens"),
        (json!({ "safetyMargin": 1 }), "safetyMargin"),
        (json!({ "ladder": "nope" }), "ladder"),
        (json!({ "model": 3 }), "model"),
        (json!({ "compaction": true }), "compaction"),
        (json!({ "compaction": { "enabled": 1 } }), "compaction.enabled"),
        (json!({ "compaction": { "auto": "no" } }), "compaction.auto"),
        (json!({ "compaction": { "thresholdRatio": 1.5 } }), "compaction.thresholdRatio"),
        (json!({ "compaction": { "thresholdRatio": 0 } }), "compaction.thresholdRatio"),
        (json!({ "compaction": { "model": 7 } }), "compaction.model"),
        (json!({ "compaction": { "summaryPrompt": "" } }), "compaction.summaryPrompt"),
        (json!({ "compaction": { "summaryDirectives": "one" } }), "compaction.summaryDirectives"),
        (json!({ "compaction": { "retainPrompt": 1 } }), "compaction.retainPrompt"),
        (json!({ "compaction": { "retainDirectives": [1] } }), "compaction.retainDirectives"),
        (json!({ "compaction": { "retainLastTurns": 0.5 } }), "compaction.retainLastTurns"),
        (json!({ "compaction": { "style": "prose" } }), "compaction.style"),
        (json!({ "compaction": { "maxAttempts": 0 } }), "compaction.maxAttempts"),
        (json!({ "compaction": { "onFailure": "ignore" } }), "compaction.onFailure"),
        (json!({ "compaction": { "lowRatio": 0.9 } }), "compaction.lowRatio"),
        (json!({ "compaction": { "summarizerWindow": 0 } }), "compaction.summarizerWindow"),
        (json!({ "compaction": { "thresholdratio": 0.5 } }), "compaction.thresholdratio"),
        (json!({ "toolOutputCache": { "enabled": null } }), "toolOutputCache.enabled"),
        (json!({ "toolOutputCache": { "contextBudgetTokens": -5 } }), "toolOutputCache.contextBudgetTokens"),
        (json!({ "toolOutputCache": { "maxMessageBytes": 1 } }), "toolOutputCache.maxMessageBytes"),
        (json!({ "toolOutputCache": { "maxLineLength": 0 } }), "toolOutputCache.maxLineLength"),
        (json!({ "toolOutputCache": { "maxLines": 5 } }), "toolOutputCache.maxLines"),
    ] {
        let error = SessionConfig::from_value(&options).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidConfig, "{options}: {error}");
        assert!(error.message().contains(&format!("`{key}`")), "{options}: {error}");
    }
    let unknown = SessionConfig::from_value(&json!({ "model": "no-such-model" })).unwrap_err();
    assert_eq!(unknown.code(), ErrorCode::UnknownModel);
}

#[test]
fn defaults_match_the_specification() {
    let d = CompactionConfig::default();
    assert!(d.enabled && d.auto && d.model.is_none() && d.retain_prompt.is_none());
    assert_eq!((d.threshold_ratio, d.retain_last_turns, d.on_failure), (0.8, 1, OnFailure::Error));
}

#[test]
fn an_empty_message_is_left_out_of_the_view() {
    let mut s = session(&json!({}));
    s.push(vec![user("go"), Message::new(Role::Assistant, vec![]), Message::new(Role::User, vec![])])
        .unwrap();
    assert_eq!(layout(&s), "user: go");
    assert_eq!(s.context().history.len(), 3);
    let Fit::Done(report) = s.prepare().unwrap() else { panic!("done") };
    assert_eq!(report.left_out.len(), 2);
}

#[test]
fn retained_text_is_replaced_or_kept() {
    let mut s = session(
        &json!({ "contextWindow": 100_000, "compaction": { "retainPrompt": "Keep.", "ledgerTokens": 0 } }),
    );
    three_turns(&mut s);
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    s.resume(pending, &answer("<retain>SECRET-42</retain><summary>first</summary>")).unwrap();
    s.push(vec![user(&"question 4 ".repeat(40)), said("answer 4"), user("question 5")]).unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    let Fit::Done(report) = s.resume(pending, &answer("<summary>second</summary>")).unwrap() else {
        panic!("done")
    };
    assert!(layout(&s).contains("user: SECRET-42\nuser: second\n"), "{}", layout(&s));
    assert!(report.summary.clone().unwrap().fallback.unwrap().contains("the earlier one is kept"));
}

#[test]
fn no_new_fold_until_enough_has_been_added() {
    let mut s = session(&json!({ "contextWindow": 10_000 }));
    three_turns(&mut s);
    let usage = json!({ "input_tokens": 9_000, "output_tokens": 10 });
    let over = contextfold::tokens::ReportedUsage::from_value(&usage).unwrap();
    let mut asked = 0;
    for i in 0..12 {
        s.push(vec![user(&format!("short question {i}")), said("short answer")]).unwrap();
        s.record_usage(&over);
        if let Some(fit) = s.compact(Reason::Threshold, None).unwrap() {
            asked += 1;
            s.resume(asks(fit), &answer("<summary>s</summary>")).unwrap();
        }
    }
    assert_eq!(asked, 1, "what is new since the first fold is far from a tenth of the low mark");
}

#[test]
fn ids_brought_by_the_caller_are_not_given_to_other_messages() {
    let mut s = session(&json!({}));
    let nodes = s.push(vec![user("a"), said("b").with_id("m1")]).unwrap();
    assert_eq!(s.context().ids(&nodes), ["m2", "m1"]);
}

#[test]
fn setting_the_same_header_again_changes_nothing() {
    let mut s = session(&json!({}));
    let header = || vec![Message::text(Role::System, "Be brief.").with_id("sys")];
    s.set_header(header()).unwrap();
    s.set_header(header()).unwrap();
    assert_eq!(s.context().history.len(), 1);
    s.set_header(vec![Message::text(Role::System, "Be long.").with_id("sys")]).unwrap();
    assert_eq!(layout(&s), "system: Be long.");
}

#[test]
fn outputs_of_the_cache_tools_are_trimmed_too() {
    let mut s = session(&json!({ "toolOutputCache": { "contextBudgetTokens": 1_000 } }));
    s.push(vec![user("go"), calls(&["big"]), Message::tool("big", "line\n".repeat(3_000))]).unwrap();
    for i in 0..4 {
        let id = format!("read{i}");
        let call = ToolCall::function(&id, "tool_output_cache", r#"{"ref_id":"out_1","limit":400}"#);
        s.push(vec![Message::new(Role::Assistant, vec![Part::from(call)])]).unwrap();
        s.push(vec![Message::tool(&id, "     1\tline\n".repeat(200))]).unwrap();
    }
    assert!(s.context().view.output_tokens() <= 1_000);
    let first = s
        .context()
        .view_messages()
        .into_iter()
        .find(|m| m.tool_outputs().any(|o| o.call_id == "read0"))
        .unwrap();
    assert!(first.plain_text().starts_with("[tool output trimmed: tool_output_cache out_1, "));
    assert_eq!(s.context().outputs.len(), 1, "they are not cached again");
}

#[test]
fn an_output_of_a_cache_tool_is_bounded_and_not_cached() {
    for tool in ["tool_output_cache", "tool_output_cache_grep"] {
        let mut s = session(&json!({}));
        s.push(vec![user("go"), calls(&["big"]), Message::tool("big", "line\n".repeat(3_000))]).unwrap();
        let call = ToolCall::function("read", tool, r#"{"ref_id":"out_1"}"#);
        s.push(vec![Message::new(Role::Assistant, vec![Part::from(call)])]).unwrap();
        let asked = s.context().history.len();
        s.push(vec![Message::tool("read", "     1\tline\n".repeat(24_000))]).unwrap();
        let shown = |s: &Session| s.context().view_messages().last().unwrap().plain_text();
        assert!(shown(&s).len() <= 51_200, "{}", shown(&s).len());
        assert!(shown(&s).ends_with("read on with tool_output_cache, by offset and limit, or ask for less]"));
        assert_eq!(s.context().outputs.len(), 1, "it is not cached again");
        let again = s.context().slot_on_entry(contextfold::session::NodeIndex(asked as u32));
        assert_eq!(again.message.plain_text(), shown(&s), "as it comes back, too");
    }
    let mut s = session(&json!({}));
    let call = ToolCall::function("find", "search_history", r#"{"query":"x"}"#);
    s.push(vec![
        user("go"),
        Message::new(Role::Assistant, vec![Part::from(call)]),
        Message::tool("find", "x".repeat(268_892)),
    ])
    .unwrap();
    assert!(s.context().view_messages().last().unwrap().plain_text().len() <= 51_200);
}

#[test]
fn a_reserve_larger_than_the_window_leaves_a_limit_of_zero() {
    for reserve in [1_000, 1_001] {
        let options = json!({ "contextWindow": 1_000, "reservedOutputTokens": reserve });
        assert_eq!(SessionConfig::from_value(&options).unwrap().limit, Some(0));
    }
    let options = json!({ "reservedOutputTokens": 1_001 });
    assert_eq!(SessionConfig::from_value(&options).unwrap().limit, None, "no window is known");
}

#[test]
fn max_nodes_is_enforced_and_can_be_raised() {
    let mut s = session(&json!({ "maxNodes": 2 }));
    s.push(vec![user("one"), user("two")]).unwrap();
    let full = s.push(vec![user("three")]).unwrap_err();
    assert_eq!(full.code(), ErrorCode::SafetyLimitExceeded);
    assert_eq!(
        full.message(),
        "3 messages and summaries in a session exceed the limit of 2; raise `maxNodes`"
    );
    let config = s.config().with(&json!({ "maxNodes": 3 })).unwrap();
    s.set_options(config, None);
    s.push(vec![user("three")]).unwrap();
}

#[test]
fn outputs_without_a_reference_are_garbage() {
    let mut s = session(&json!({}));
    for _ in 0..12 {
        s.context_mut().outputs.put_text("some output", None).unwrap();
    }
    let call = ToolCall::function("c", "tool_output_cache", r#"{"ref_id":"out_3"}"#);
    s.push(vec![user("see out_10."), Message::new(Role::Assistant, vec![Part::from(call)])]).unwrap();
    let garbage = s.context_mut().collect_garbage(true);
    assert_eq!(garbage.len(), 10, "out_1 is another than out_10");
    assert!(garbage.iter().all(|r| r.id != "out_3" && r.id != "out_10"));
    assert_eq!(s.context().outputs.len(), 12, "a dry run removes nothing");
    s.context_mut().collect_garbage(false);
    assert_eq!(s.context().outputs.len(), 2);
}

#[test]
fn an_explicit_context_window_replaces_the_models_window() {
    let limit = |options: &serde_json::Value| SessionConfig::from_value(options).unwrap().limit;
    assert_eq!(limit(&json!({ "model": "gpt-4o", "contextWindow": 1_000_000 })), Some(1_000_000));
    assert_eq!(limit(&json!({ "model": "gpt-4o", "contextWindow": 50_000 })), Some(50_000));
    assert_eq!(limit(&json!({ "model": "gpt-5", "contextWindow": 500_000 })), Some(272_000));
}

#[test]
fn usage_is_compared_with_the_view_that_was_sent() {
    let text = |n: usize| user(&"some words of a question ".repeat(n));
    let usage = |tokens: u64| {
        let usage = json!({ "input_tokens": tokens, "output_tokens": 1 });
        contextfold::tokens::ReportedUsage::from_value(&usage).unwrap()
    };
    let calibration = |s: &mut Session| {
        let Fit::Done(report) = s.prepare().unwrap() else { panic!("no summary needed") };
        report.counter.calibration
    };
    let prepared = || {
        let mut s = session(&json!({ "contextWindow": 20_000 }));
        s.push(vec![text(120)]).unwrap();
        assert!((calibration(&mut s) - 1.0).abs() < 1e-9);
        s
    };
    // Messages that came after the run were sent, too, and are in the reported usage.
    let mut s = prepared();
    s.push(vec![text(300)]).unwrap();
    s.record_usage(&usage(s.tokens()));
    assert!((calibration(&mut s) - 1.0).abs() < 1e-9);
    let mut s = prepared();
    s.set_tools(&[json!({ "name": "read", "description": "word ".repeat(900) })]);
    s.record_usage(&usage(s.tokens()));
    assert!((calibration(&mut s) - 1.0).abs() < 1e-9);
    // If the view is read again, that view is learnt from. An answer and its tool outputs that are pushed before the usage change nothing.
    let mut s = prepared();
    s.push(vec![text(300)]).unwrap();
    s.note_read();
    let reported = usage(s.tokens() * 5 / 4);
    s.push(vec![calls(&["a"])]).unwrap();
    s.push(vec![Message::tool("a", "word ".repeat(900))]).unwrap();
    s.record_usage(&reported);
    assert!((calibration(&mut s) - 1.25).abs() < 0.01);
}

#[test]
fn reading_the_view_does_not_change_what_is_learnt() {
    let usage = |tokens: u64| {
        let usage = json!({ "input_tokens": tokens, "output_tokens": 1 });
        contextfold::tokens::ReportedUsage::from_value(&usage).unwrap()
    };
    let words = |n: usize| "some words of a text ".repeat(n);
    // Two turns of an agent. Each bit of `looks` says whether the view is read at one of six places.
    let learnt = |usage_first: bool, looks: u32| {
        let mut s = session(&json!({ "contextWindow": 100_000 }));
        s.push(vec![user(&words(400))]).unwrap();
        for turn in 0..2 {
            let look = |s: &mut Session, at: u32| {
                if looks & (1 << at) != 0 {
                    s.note_read();
                }
            };
            assert!(matches!(s.prepare().unwrap(), Fit::Done(_)));
            s.note_read();
            let reported = usage(s.tokens() * 5 / 4);
            if usage_first {
                s.record_usage(&reported);
                look(&mut s, 0);
            }
            let id = format!("c{turn}");
            s.push(vec![calls(&[&id])]).unwrap();
            look(&mut s, 1);
            s.push(vec![Message::tool(id, words(900))]).unwrap();
            look(&mut s, 2);
            if !usage_first {
                s.record_usage(&reported);
                look(&mut s, 3);
                s.record_usage(&reported); // a hook reports it again
            }
            s.push(vec![user("next")]).unwrap();
            look(&mut s, 4);
        }
        let Fit::Done(report) = s.prepare().unwrap() else { panic!("no summary needed") };
        report.counter.calibration
    };
    for usage_first in [false, true] {
        for looks in 0..32 {
            let learnt = learnt(usage_first, looks);
            assert!((learnt - 1.25).abs() < 0.01, "{usage_first} {looks:b}: {learnt}");
        }
    }
}

#[test]
fn usage_without_a_matching_view_is_ignored() {
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    let usage = |tokens: u64| {
        let usage = json!({ "input_tokens": tokens, "output_tokens": 1 });
        contextfold::tokens::ReportedUsage::from_value(&usage).unwrap()
    };
    s.push(vec![user(&"some words of a text ".repeat(400))]).unwrap();
    s.prepare().unwrap();
    let first = s.tokens();
    s.push(vec![said(&"an answer of the model ".repeat(500))]).unwrap();
    s.prepare().unwrap(); // for the next call, or still for the one that was answered
    s.record_usage(&usage(first));
    let Fit::Done(report) = s.prepare().unwrap() else { panic!("no summary needed") };
    assert!((report.counter.calibration - 1.0).abs() < 1e-9, "{}", report.counter.calibration);
    s.record_usage(&usage(s.tokens() * 5 / 4));
    let Fit::Done(report) = s.prepare().unwrap() else { panic!("no summary needed") };
    assert!((report.counter.calibration - 1.25).abs() < 0.01, "{}", report.counter.calibration);
}

#[test]
fn pinned_texts_follow_the_summary_in_pinning_order_and_have_their_own_ids() {
    let mut s = session(&json!({ "contextWindow": 3_000, "compaction": { "ledgerTokens": 0 } }));
    s.push(vec![user("one two three").with_id("u"), said("so"), user("newest")]).unwrap();
    for text in ["one", "two"] {
        s.set_text_pinned("u", text, true).unwrap();
    }
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    let _ = s.resume(pending, &answer("<summary>s</summary>")); // may fail: the conversation is too short to gain from it
    three_turns(&mut s);
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    s.resume(pending, &answer("<summary>s</summary>")).unwrap();
    s.set_text_pinned("u", "three", true).unwrap();
    s.set_pinned("u", true).unwrap(); // it comes back from the fold
    let lines: Vec<String> = layout(&s).lines().take(5).map(str::to_owned).collect();
    assert_eq!(lines[0], "user: s");
    for (line, text) in lines[1..4].iter().zip(["one", "two", "three"]) {
        assert!(line.starts_with("user: [pinned text") && line.ends_with(text), "{lines:?}");
    }
    assert_eq!(lines[4], "user: one two three");
    let pin = s.context().items().into_iter().find(|i| i.id.starts_with("pin_")).unwrap();
    s.set_pinned(&pin.id, false).unwrap();
    assert!(!s.context().items().iter().any(|i| i.id == pin.id), "it is gone, as by its text");
    s.set_pinned(&pin.id, true).unwrap();
    assert!(s.context().items().iter().any(|i| i.id == pin.id && i.pinned));
}

#[test]
fn a_message_of_a_replaced_header_cannot_be_pinned() {
    let mut s = session(&json!({}));
    let mut old = Message::text(Role::System, "old").with_id("old");
    old.meta.pinned = true;
    s.push(vec![old, user("hello")]).unwrap();
    s.set_header(vec![Message::text(Role::System, "new")]).unwrap();
    let node = s.context().history.require("old").unwrap();
    assert!(!s.context().history.node(node).pinned, "its pin went with it");
    let refused = s.set_pinned("old", true).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::InvalidArgument);
    assert!(refused.message().contains("`old`"), "{refused}");
    s.set_pinned("old", false).unwrap();
}

#[test]
fn an_ephemeral_output_is_emptied_even_if_short() {
    let mut s = session(&json!({ "contextWindow": 3_000, "toolOutputCache": { "enabled": false } }));
    for (n, text) in
        ["yes!", "five words of an output", &"long ".repeat(100), "the newest"].iter().enumerate()
    {
        let id = format!("c{n}");
        let mut output = Message::tool(&id, *text);
        output.meta.ephemeral = Some(1);
        s.push(vec![user("look"), calls(&[&id]), output]).unwrap();
    }
    let before = s.tokens();
    let Fit::Done(_) = s.prepare().unwrap() else { panic!("far below the threshold") };
    assert!(s.tokens() < before);
    let shown = layout(&s);
    assert!(!shown.contains("yes!") && !shown.contains("five words") && !shown.contains("long"), "{shown}");
    assert!(shown.contains("the newest"));
}

#[test]
fn a_shortened_output_has_a_ref_even_with_the_cache_off() {
    let options = json!({
        "contextWindow": 1_000,
        "safetyMargin": 0,
        "toolOutputCache": { "enabled": false },
        "ladder": [
            { "pass": "compress_json", "maxTokens": 800 },
            { "pass": "truncate_head_tail", "max": 100, "head": 20, "tail": 20 }
        ],
    });
    let mut s = session(&options);
    let texts = ["words ".repeat(700), json!({ "id": 7, "note": "words ".repeat(700) }).to_string()];
    for (n, text) in texts.iter().enumerate() {
        let id = format!("c{n}");
        s.push(vec![user("look"), calls(&[&id]), Message::tool(&id, text.as_str())]).unwrap();
    }
    assert!(s.context().outputs.refs().is_empty());
    let Fit::Done(report) = s.prepare().unwrap() else { panic!("no summary is asked for") };
    let view = s.context().view_messages();
    let shown: Vec<_> = view.iter().flat_map(|m| m.tool_outputs()).collect();
    for (output, text) in shown.iter().zip(&texts) {
        let id = &output.output_ref.as_ref().unwrap().id;
        assert_eq!(s.context().outputs.get(id).unwrap().parts(), [Part::text(text.as_str())]);
        assert!(report.left_out.iter().any(|line| line.output_ref.as_ref() == Some(id)), "{report:?}");
    }
    assert_eq!(s.context().outputs.refs().len(), 2, "one each, however many passes shortened it");
    assert!(s.context_mut().collect_garbage(false).is_empty());
}

#[test]
fn a_pinned_answer_keeps_its_question_if_the_summary_is_an_assistant_message() {
    let options =
        json!({ "contextWindow": 3_000, "compaction": { "summaryRole": "assistant", "ledgerTokens": 0 } });
    let mut s = session(&options);
    for n in 0..6 {
        s.push(vec![user(&format!("question {n}")), said(&"words ".repeat(60)).with_id(format!("a{n}"))])
            .unwrap();
    }
    s.set_pinned("a2", true).unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    s.resume(pending, &answer("<summary>the gist</summary>")).unwrap();
    let lines = layout(&s);
    let roles: Vec<&str> = lines.lines().map(|l| l.split(':').next().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user", "assistant"], "{lines}");
    assert!(lines.contains("user: question 2") && !lines.contains("question 3"), "{lines}");
}

#[test]
fn an_answer_pinned_while_the_summary_is_written_keeps_its_question() {
    for options in [json!({ "compaction": { "summaryRole": "assistant" } }), json!({ "ladder": "ladder" })] {
        let mut s = session(&options);
        for n in 0..6 {
            let said = said(&"words ".repeat(60)).with_id(format!("a{n}"));
            s.push(vec![user(&format!("question {n}")), said]).unwrap();
        }
        let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
        s.set_pinned("a2", true).unwrap();
        s.resume(pending, &answer("<summary>the gist</summary>")).unwrap();
        let lines = layout(&s);
        let mut stays = lines.lines().skip_while(|l| !l.contains("the gist")).skip(1);
        assert_eq!(stays.next(), Some("user: question 2"), "{lines}");
        assert!(stays.next().is_some_and(|l| l.starts_with("assistant: words")), "{lines}");
        assert!(!lines.contains("question 1") && !lines.contains("question 3"), "{lines}");
    }
}

#[test]
fn pinning_a_folded_message_restores_its_question_if_the_view_would_not_begin_with_the_user() {
    let rolling = json!({ "pass": "rolling_summary", "upperThreshold": 400, "lowerThreshold": 40, "minMessages": 0, "minNewMessages": 0 });
    let mut s = session(&json!({ "ladder": [rolling] }));
    s.push(vec![
        user("question"),
        calls(&["a", "b"]),
        user("another"),
        said(&"words ".repeat(200)),
        user("and now"),
    ])
    .unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    s.resume(pending, &answer("<summary>the gist</summary>")).unwrap();
    assert!(!layout(&s).contains("question"));
    let mut late = Message::tool("a", "fine");
    late.meta.pinned = true;
    s.push(vec![late]).unwrap();
    let lines = layout(&s);
    let first: Vec<&str> = lines.lines().filter(|l| !l.starts_with("system")).take(4).collect();
    let interrupted = "tool ->b: [no output yet: the call was interrupted]";
    assert_eq!(first, ["user: question", "assistant:  calls a,b", interrupted, "tool ->a: fine"], "{lines}");
}

#[test]
fn the_question_is_first_again_after_a_pinned_text_leaves() {
    let rolling = json!({ "pass": "rolling_summary", "upperThreshold": 400, "lowerThreshold": 40, "minMessages": 0, "minNewMessages": 0 });
    for goes_back in [false, true] {
        let mut s = session(&json!({ "ladder": [rolling] }));
        let mut pinned = said("a finding");
        pinned.meta.pinned = true;
        let long = said(&"words ".repeat(200)).with_id("long");
        let late = user("a late remark").with_id("late");
        s.push(vec![user("question"), pinned, user("another"), long, user("and now").with_id("now"), late])
            .unwrap();
        s.set_text_pinned("late", "late", true).unwrap();
        let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
        let fit = s.resume(pending, &answer("<summary>the gist</summary>")).unwrap();
        assert!(matches!(fit, Fit::Done(_)) && !layout(&s).contains("question"), "{}", layout(&s));
        if goes_back {
            s.rewind(Some("now")).unwrap();
        } else {
            s.set_text_pinned("late", "late", false).unwrap();
        }
        let lines = layout(&s);
        let first: Vec<&str> = lines.lines().filter(|l| !l.starts_with("system")).take(2).collect();
        assert_eq!(first, ["user: question", "assistant: a finding"], "{lines}");
    }
}

/// A step that a pin keeps in the view, whose first output is the same as a later one; then, while the summary is written, a
/// pinned message that no view has room for.
fn too_much_behind_a_pinned_step(s: &mut Session) {
    let same = "the same line\n".repeat(40);
    let mut pinned = Message::tool("b", "fine");
    pinned.meta.pinned = true;
    let again = calls(&["c"]);
    s.push(vec![
        user("question"),
        calls(&["a", "b"]),
        Message::tool("a", same.as_str()).with_id("first"),
        pinned,
        user("again"),
        again,
        Message::tool("c", same.as_str()),
        said(&"words ".repeat(1_000)),
        user("and now"),
    ])
    .unwrap();
    let pending = asks(s.prepare().unwrap());
    let mut much = user(&"more ".repeat(4_000));
    much.meta.pinned = true;
    s.push(vec![much]).unwrap();
    let error = s.resume(pending, &answer("<summary>the gist</summary>")).err().unwrap();
    assert_eq!(error.code(), ErrorCode::ContextWindowExceeded, "{error}");
}

#[test]
fn a_fold_kept_by_a_failed_run_leaves_no_pointer_to_folded_outputs() {
    let ladder = json!([{ "pass": "dedupe_reads" }, { "pass": "summarize", "keepTurns": 1 }]);
    let mut s = session(&json!({ "contextWindow": 1_000, "reservedOutputTokens": 0, "ladder": ladder }));
    too_much_behind_a_pinned_step(&mut s);
    let lines = layout(&s);
    assert!(lines.contains("the gist") && lines.contains("->a: [tool output trimmed"), "{lines}");
    assert!(s.context().pointers.is_empty());
}

#[test]
fn a_run_that_fails_after_its_fold_reports_every_output_that_stays_pruned() {
    let ladder = json!([
        { "pass": "prune_tool_outputs", "protectTurns": 1 },
        { "pass": "summarize", "keepTurns": 1 },
        { "pass": "shrink_turns", "from": 1, "to": 1 },
    ]);
    let mut s = session(&json!({ "contextWindow": 1_000, "reservedOutputTokens": 0, "ladder": ladder }));
    too_much_behind_a_pinned_step(&mut s);
    let report = s.report().unwrap();
    assert!(report.decisions.iter().any(|d| d.pass == "shrink_turns"), "{report:?}");
    let told = |left_out: &[LeftOut]| left_out.iter().filter(|line| line.id == "first").count();
    assert_eq!((told(&report.left_out), told(&s.context().left_out)), (1, 1), "{}", layout(&s));
}

#[test]
fn the_system_summary_role_is_refused_by_ladders_that_do_not_support_it() {
    let with = |ladder: serde_json::Value| {
        let options = json!({ "ladder": ladder, "compaction": { "summaryRole": "system" } });
        SessionConfig::from_value(&options)
    };
    with(json!("rolling")).unwrap();
    for ladder in [json!("contextfold"), json!("spec"), json!("steps-design"), json!([])] {
        let refused = with(ladder).unwrap_err();
        assert!(refused.message().contains("compaction.summaryRole"), "{refused}");
    }
}

#[test]
fn the_ledger_is_counted_separately_and_the_parts_add_up() {
    let mut s = session(&json!({ "contextWindow": 20_000 }));
    let asked = "Never touch src/secret/vault.rs and read https://example.org/a/b. ";
    s.push(vec![user(asked), said(&"words ".repeat(400)), user("go on"), said("yes")]).unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    let Fit::Done(report) = s.resume(pending, &answer("<summary>some work</summary>")).unwrap() else {
        panic!()
    };
    let ledger = report.parts.iter().find(|p| p.name == "ledger").expect("it has one");
    assert!(ledger.tokens > 5 && ledger.tokens == report.summary.clone().unwrap().ledger_tokens);
    assert_eq!(report.parts.iter().map(|p| p.tokens).sum::<u64>(), report.tokens_after);
}

#[test]
fn messages_kept_by_an_adjusted_plan_are_no_longer_left_out() {
    let options = json!({ "contextWindow": 20_000, "ladder": "steps-design", "compaction": { "retainLastTurns": 1, "ledgerTokens": 0 } });
    let folded = |keep: &[&str], fold: &[&str]| {
        let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let mut s = session(&options);
        s.push(vec![Message::text(Role::System, "You are terse.")]).unwrap();
        for n in 1..=3 {
            let (asked, answered) = (format!("question {n}"), format!("answer {n} {}", "words ".repeat(600)));
            let id = format!("c{n}");
            s.push(vec![user(&asked), calls(&[&id]), Message::tool(&*id, "fine"), said(&answered)]).unwrap();
        }
        let plan = s.plan(PlanOptions::default()).unwrap();
        let planned = s.snapshot(b"");
        let fit = s.apply(&plan, &owned(keep), &owned(fold)).unwrap();
        assert!(s.snapshot(b"") == planned, "what passes did for a look is taken back");
        assert!(matches!(s.resume_extractive(asks(fit)).unwrap(), Fit::Done(_)));
        (s.context().fold_infos()[0].items.clone(), layout(&s))
    };
    // m2 asks, m3 calls, m4 is the output, m5 answers, and so on. A pass removes calls and outputs of older turns.
    assert_eq!(folded(&[], &[]).0, ["m2", "m5", "m6", "m9"]);
    assert_eq!(folded(&[], &["m12"]).0, ["m2", "m5", "m6", "m9", "m11", "m12"]);
    let (items, lines) = folded(&["m5"], &[]);
    assert_eq!(items, ["m6", "m9"], "{lines}");
    let beginnings: Vec<String> = lines.lines().map(|l| l.chars().take(21).collect()).collect();
    assert_eq!(
        beginnings[3..6],
        ["user: question 1", "assistant: answer 1 w", "user: question 3"],
        "{lines}"
    );
    assert_eq!(folded(&["m4"], &[]).0, ["m5", "m6", "m9"], "what is kept is no longer left out");
}

#[test]
fn a_stale_summary_does_not_fold_messages_after_a_rewind() {
    let mut s = session(&json!({ "contextWindow": 4_000 }));
    let list = vec![user("first").with_id("first"), said(&"words ".repeat(60)), user("second"), said("yes")];
    s.push(list).unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    s.rewind(Some("first")).unwrap();
    s.push(vec![said("otherwise")]).unwrap();
    let stale = s.resume(pending, &answer("<summary>s</summary>")).err().unwrap();
    assert_eq!(stale.code(), ErrorCode::StalePlan);
    assert_eq!(layout(&s), "user: first\nassistant: otherwise");

    let mut s = session(&json!({ "contextWindow": 4_000 }));
    s.push(vec![
        user("first"),
        calls(&["a"]).with_id("asks"),
        Message::tool("a", "words ".repeat(60)),
        user("second"),
        said("yes"),
    ])
    .unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    s.rewind(Some("asks")).unwrap();
    s.push(vec![user("second, otherwise"), said("so")]).unwrap();
    s.rewind(Some("asks")).unwrap();
    drop(s.resume(pending, &answer("<summary>s</summary>")));
    assert_eq!(layout(&s), "user: first\nassistant:  calls a");
}

#[test]
fn late_outputs_are_placed_at_the_end_of_their_step() {
    let mut s = session(&json!({}));
    s.push(vec![user("go"), calls(&["a", "b"]), user("while they run")]).unwrap();
    s.push(vec![Message::tool("b", "2")]).unwrap();
    let interrupted = "tool ->a: [no output yet: the call was interrupted]\n";
    let rest = "user: while they run";
    assert_eq!(layout(&s), format!("user: go\nassistant:  calls a,b\n{interrupted}tool ->b: 2\n{rest}"));
    s.push(vec![Message::tool("a", "1")]).unwrap();
    assert_eq!(layout(&s), format!("user: go\nassistant:  calls a,b\ntool ->b: 2\ntool ->a: 1\n{rest}"));
}

#[test]
fn what_an_answer_says_behind_its_calls_stays_before_their_outputs() {
    let mut s = session(&json!({}));
    s.push(vec![user("go"), calls(&["a"])]).unwrap();
    s.push(vec![said("and I look")]).unwrap();
    s.push(vec![calls(&["b"])]).unwrap();
    s.push(vec![said("there, too")]).unwrap();
    s.push(vec![Message::tool("b", "2")]).unwrap();
    s.push(vec![Message::tool("a", "1")]).unwrap();
    let answer = "assistant:  calls a\nassistant: and I look\nassistant:  calls b\nassistant: there, too\n";
    assert_eq!(layout(&s), format!("user: go\n{answer}tool ->b: 2\ntool ->a: 1"));
    s.push(vec![said("done")]).unwrap();
    assert!(layout(&s).ends_with("tool ->a: 1\nassistant: done"), "{}", layout(&s));
}

#[test]
fn a_sliced_search_finds_the_same_hits_and_reports_where_it_stopped() {
    let mut session = session(&json!({}));
    session.push((0..40).map(|i| user(&format!("{}needle {i}", "abcdefghi ".repeat(50)))).collect()).unwrap();
    session.context_mut().outputs.put_text("a needle in the cache", None).unwrap();
    let search =
        |query: &str| Search::spellings(&[query], &json!({ "regex": true, "max_hits": "30" })).unwrap();
    let at_once = session.search(&search("needle"));
    assert_eq!((at_once.len(), at_once[0].id.as_str(), at_once[29].id.as_str()), (30, "m40", "m11"));
    let slow = search("(?:[a-z]?){40}ne+dle");
    let mut looking = session.begin_search(slow.clone());
    let mut slices = 0;
    while !session.continue_search(&mut looking, 2_000) {
        slices += 1;
        if slices == 20 {
            session.push(vec![user("a needle that comes too late")]).unwrap();
        }
    }
    assert!(slices > 20, "{slices}");
    let ids = |hits: &[contextfold::session::Hit]| hits.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&session.hits(looking)), ids(&at_once));
    let mut looking = session.begin_search(slow);
    assert!(!session.continue_search(&mut looking, 60_000));
    let stopped = session.hits(looking).pop().unwrap();
    assert!(
        stopped.unseen && stopped.excerpt.contains(&format!("`{}` and what is older", stopped.id)),
        "{stopped:?}"
    );
}

#[test]
fn a_text_that_is_hardly_found_is_searched_by_its_words() {
    let mut session = session(&json!({}));
    let edit = |id: &str| {
        ToolCall::function(id, "edit", json!({ "text": "the retry, and its attempt" }).to_string())
    };
    session
        .push(vec![
            user("The retry should give up after 11 attempts. The release is on 14 March."),
            Message::new(Role::Assistant, vec![Part::text("I look."), Part::from(edit("a"))]),
            Message::tool("a", format!("retry {} attempts, in db_lock", "and so on ".repeat(60))),
            said("The attempt is not made again. Two retries failed."),
            said("Der Retter: 145 Versuche"),
        ])
        .unwrap();
    let find = |query: &str| {
        let hits = session.search(&Search::spellings(&[query], &json!({})).unwrap());
        hits.into_iter().map(|hit| (hit.id, hit.excerpt)).collect::<Vec<_>>()
    };
    let ids = |query: &str| find(query).into_iter().map(|(id, _)| id).collect::<Vec<_>>();
    assert_eq!(ids("retry attempts"), ["m1", "m2", "m4", "m3"], "in an output, both must stand together");
    assert_eq!(ids("ATTEMPTS, retry!"), ids("retry attempts"));
    assert_eq!(ids("the retry")[..2], ["m2", "m1"], "the text itself, newest first");
    assert_eq!(ids("release date"), ["m1"], "most of them");
    assert_eq!(ids("lock"), ["m3"]);
    assert_eq!(ids("try"), ["m3", "m2", "m1"], "the text itself may be within a word");
    assert_eq!(ids("14 maps"), ["m1"], "a number is a whole word");
    assert_eq!(ids("zebra crossing"), [""; 0]);
    assert!(find("release date")[0].1.contains("The release is on 14 March."));
    assert_eq!(
        session.search(&Search::spellings(&["retry attempts"], &json!({ "regex": true })).unwrap()),
        []
    );
}

#[test]
fn a_message_is_one_hit_and_what_was_said_comes_before_outputs() {
    let mut session = session(&json!({}));
    session.push(vec![user("retry 11 times"), said("I retry")]).unwrap();
    for at in 0..30 {
        let id = format!("c{at}");
        let call = ToolCall::function(&*id, "run", r#"{"test":"retry"}"#);
        session.push(vec![Message::new(Role::Assistant, vec![Part::from(call)])]).unwrap();
        let apart = "-".repeat(150);
        session
            .push(vec![Message::tool(&*id, format!("retry {apart} retry, retry {apart} retry, not this"))])
            .unwrap();
    }
    let hits = session.search(&Search::spellings(&["retry"], &json!({ "max_hits": 6 })).unwrap());
    let ids: Vec<_> = hits.iter().map(|hit| hit.id.as_str()).collect();
    assert_eq!(ids, ["m62", "m61", "m60", "m59", "m2", "m1"]);
    let apart = "-".repeat(150);
    assert_eq!(hits[0].excerpt, format!("retry {apart} retry, retry {apart} retry, not this"), "joined");
    assert_eq!(hits[4].excerpt, "I retry");
}

#[test]
fn search_does_not_find_the_models_own_lookups() {
    let mut session = session(&json!({}));
    let find = |session: &Session| {
        let hits = session.search(&Search::spellings(&["deploy key"], &json!({})).unwrap());
        let nodes = session.context().history.nodes();
        let at = |id: &str| nodes.iter().position(|node| node.id.to_string() == id).unwrap() as u32;
        hits.iter().map(|hit| NodeIndex(at(&hit.id))).collect::<Vec<_>>()
    };
    let told = session.push(vec![user("The deploy key is K-77. Never touch it.")]).unwrap();
    for (at, tool) in
        ["search_history", "tool_output_cache_grep", "tool_output_cache"].iter().cycle().take(12).enumerate()
    {
        let id = format!("c{at}");
        let arguments = json!({ "query": "deploy key", "pattern": "deploy key" }).to_string();
        let asks = ToolCall::function(&*id, *tool, arguments);
        session.push(vec![Message::new(Role::Assistant, vec![Part::from(asks)])]).unwrap();
        assert_eq!(find(&session), told, "while {tool} is executed");
        session.push(vec![Message::tool(&*id, "The deploy key is K-77. ".repeat(9_000))]).unwrap();
        assert_eq!(find(&session), told);
    }
    // Text beside such a call is found, and so is another tool's output under a call id that was used before.
    let arguments = json!({ "path": "the deploy key" }).to_string();
    let pushed = session
        .push(vec![
            Message::new(
                Role::Assistant,
                vec![
                    Part::text("I look for the deploy key"),
                    Part::from(ToolCall::function("x", "search_history", "{}")),
                ],
            ),
            Message::tool("x", "[]"),
            Message::new(Role::Assistant, vec![Part::from(ToolCall::function("c0", "read_file", arguments))]),
            Message::tool("c0", "deploy key: K-77"),
        ])
        .unwrap();
    let [said, _, calls, answers] = pushed.as_slice() else { panic!("{pushed:?}") };
    assert_eq!(find(&session), [*answers, *calls, *said, told[0]]);
}

#[test]
fn a_fold_that_would_hide_nothing_is_refused_or_undone() {
    // A fold of the only message that the view can begin with.
    let mut s = session(&json!({ "contextWindow": 100_000, "ladder": "rolling" }));
    s.push(vec![user("one").with_id("u1"), said("two").with_id("a1"), user("three"), said("four")]).unwrap();
    let before = (layout(&s), s.snapshot(b""));
    let refused = s.fold_by_hand(&["u1".to_owned()], "the beginning").unwrap_err();
    assert_eq!(refused.code(), ErrorCode::GraphConstraint, "{refused}");
    assert!((layout(&s), s.snapshot(b"")) == before, "{}", layout(&s));
    // A fold whose only message is pinned afterwards.
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    s.push(vec![user("one").with_id("u1"), said("two").with_id("a1"), user("three"), said("four")]).unwrap();
    let before = layout(&s);
    s.fold_by_hand(&["a1".to_owned()], "the answer").unwrap();
    assert_ne!(layout(&s), before);
    s.set_pinned("a1", true).unwrap();
    assert_eq!(layout(&s), before);
    assert!(s.context().folds.is_empty());
}

#[test]
fn a_late_output_of_a_stripped_call_goes_into_the_fold() {
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    let mut asking = calls(&["a"]);
    asking.parts.insert(0, Part::text("let me see"));
    s.push(vec![
        user("question 1"),
        asking,
        user("question 2"),
        said(&"lorem ipsum ".repeat(40)),
        user("question 3"),
    ])
    .unwrap();
    let interrupted = s.context().view.body()[2].node;
    assert!(s.context_mut().strip_calls(1));
    s.context_mut().drop_from_view(&[interrupted], "a pass");
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    s.push(vec![Message::tool("a", "came late").with_id("late")]).unwrap();
    s.resume(pending, &answer("<summary>s</summary>")).unwrap();
    assert!(
        s.context().view.placed_slots().all(|stood| stood.shown),
        "nothing waits beside the view for a call that is folded"
    );
    let fold = &s.context().fold_infos()[0];
    assert!(fold.items.iter().any(|id| id == "late"), "{:?}", fold.items);
}

#[test]
fn provider_executed_results_are_dropped_with_their_calls() {
    let words = "words ".repeat(400);
    let of_anthropic = json!([
        { "role": "user", "content": "look it up" },
        { "role": "assistant", "content": [
            { "type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": { "query": "x" } },
            { "type": "web_search_tool_result", "tool_use_id": "srv_1", "content": [] },
            { "type": "text", "text": "found, and now the file" },
            { "type": "tool_use", "id": "a", "name": "read", "input": {} },
        ] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "content": words }] },
    ]);
    let of_openai = json!([
        { "role": "user", "content": "look it up" },
        { "type": "tool_search_call", "call_id": "srv_1", "execution": "server", "arguments": {}, "status": "completed" },
        { "type": "tool_search_output", "call_id": "srv_1", "execution": "server", "tools": [], "status": "completed" },
        { "role": "assistant", "content": "found, and now the file" },
        { "type": "function_call", "call_id": "a", "name": "read", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "a", "output": words },
    ]);
    for ladder in [json!([{ "pass": "drop_old_tool_results", "keepSteps": 0 }]), json!("selective")] {
        for (format, searched) in [(Format::Anthropic, &of_anthropic), (Format::OpenaiResponses, &of_openai)]
        {
            let mut s = session(&json!({ "contextWindow": 500, "ladder": ladder }));
            s.push(provider(format).read(searched).unwrap()).unwrap();
            for n in 0..4 {
                let id = format!("b{n}");
                s.push(vec![user("next"), calls(&[&id]), Message::tool(id, "1"), said("done")]).unwrap();
            }
            drop(s.prepare().unwrap());
            let view = s.context().view_messages();
            let view: Vec<&Message> = view.iter().map(|m| &**m).collect();
            let sent = serde_json::to_string(&provider(format).write(&view).items).unwrap();
            assert!(sent.contains("found, and now the file"), "{sent}");
            assert!(!sent.contains("srv_1"), "{sent}");
            assert!(!sent.contains("words words"), "{sent}");
        }
    }
}

#[test]
fn a_user_role_summary_stays_before_a_pinned_step() {
    let rolling = json!({
        "pass": "rolling_summary", "upperThreshold": 200, "lowerThreshold": 1, "minMessages": 0, "minNewMessages": 0
    });
    let summarize =
        json!({ "pass": "summarize", "keepTurns": 2, "cutWithinTurn": false, "thresholdTokens": 115 });
    let mut s = session(&json!({
        "contextWindow": 4_000, "ladder": [summarize, rolling], "compaction": { "retainLastTurns": 0 }
    }));
    let asked = user(&"lorem ipsum ".repeat(20));
    s.push(vec![asked, calls(&["a"]), Message::tool("a", "1").with_id("t1"), user("two")]).unwrap();
    s.set_pinned("t1", true).unwrap();
    s.push(vec![user(&"three ".repeat(150))]).unwrap();
    let first = asks(s.prepare().unwrap());
    s.push(vec![user("four")]).unwrap();
    let second = asks(s.resume(first, &answer("<summary>s</summary>")).unwrap());
    s.resume(second, &answer("<summary>s</summary>")).unwrap();
    assert_eq!(s.context().folds.len(), 2);
    let view = s.context().view.body().iter().map(|slot| slot.message.role).collect::<Vec<_>>();
    assert_eq!(view.iter().find(|role| !role.is_instruction()), Some(&Role::User), "{view:?}");
}

#[test]
fn each_fold_reduces_the_view_to_its_target() {
    for window in [4_000, 6_000, 8_000, 12_000] {
        let options = SessionConfig::from_value(&json!({ "contextWindow": window })).unwrap();
        let mut s = Session::new(options, Arc::new(Estimate));
        let mut folds = 0;
        for n in 0..150 {
            let text = "what is to be done about this part of the build? ".repeat(20);
            s.push(vec![user(&format!("Question {n} about TICKET-{}: {text}", 4700 + n))]).unwrap();
            if let Fit::NeedsSummary(pending) = s.prepare().unwrap() {
                let Fit::Done(report) = s.resume_extractive(*pending).unwrap() else {
                    panic!("a second summary")
                };
                assert!(Some(report.tokens_after) <= report.target, "{n} in {window}: {report:?}");
                folds += 1;
            }
            s.push(vec![said("Done: 42")]).unwrap();
        }
        assert!(folds > 5, "{folds}");
    }
}

#[test]
fn the_reported_target_is_the_one_that_long_newest_messages_raise() {
    let options = json!({ "contextWindow": 4_000, "safetyMargin": 0, "ladder": "contextfold" });
    let fold = |newest: usize| {
        let mut session = session(&options);
        for n in 0..40 {
            let words = format!("Thing {n} is done. ").repeat(20);
            session.push(vec![user(&format!("Please do {n}.")), said(&words)]).unwrap();
        }
        session.push(vec![user(&"Look at this. ".repeat(newest))]).unwrap();
        let mut fit = session.prepare().unwrap();
        loop {
            match fit {
                Fit::Done(report) => return (report.target.unwrap(), report.tokens_after),
                Fit::NeedsSummary(pending) => {
                    fit = session.resume(*pending, &answer("<summary>Much was done.</summary>")).unwrap();
                }
            }
        }
    };
    let ((short, _), (long, after)) = (fold(1), fold(600));
    assert!(short < long && after <= long, "{short} {long} {after}");
}

#[test]
fn the_request_for_an_earlier_summary_goes_with_it_where_no_user_wrote() {
    let summarize = json!({ "pass": "summarize", "layout": "ask-answer-steps", "profile": "default" });
    let mut s = session(&json!({ "contextWindow": 1_500, "ladder": [summarize] }));
    s.push(vec![Message::text(Role::System, "You work alone.")]).unwrap();
    for round in 0..3 {
        for id in (0..4).map(|n| format!("c{round}{n}")) {
            s.push(vec![calls(&[&id]), Message::tool(id.clone(), "word ".repeat(150))]).unwrap();
        }
        let mut fit = s.compact(Reason::Manual, None).unwrap().unwrap();
        while let Fit::NeedsSummary(pending) = fit {
            fit = s.resume(*pending, &answer("<summary>They went on.</summary>")).unwrap();
        }
        let requests = s.context().view_messages().iter().filter(|m| m.role == Role::User).count();
        assert_eq!(requests, 1, "{}", layout(&s));
    }
    assert_eq!(s.context().folds.len(), 3);
}
