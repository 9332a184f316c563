//! The steps document: two agents with the same mechanism, at each step of its compaction.

use contextfold::message::{Message, Role, open_calls};
use contextfold::session::{ExplicitOptions, Ladder, Session};
use serde_json::{Value, json};

use super::support::{
    answer, asks, blocks, calls, done, layout, output, passes, repaired, said, session, system, user, view,
};

const JSON: &str = r#"{"pending_actions":["go on"],"key_paths":{"execution_output_dir":"out/12"}}"#;

fn tagged(before: &str) -> String {
    format!("{before}<compact_summary>{JSON}</compact_summary>")
}

fn agent(preset: &str, window: u64) -> Session {
    session(json!({ "contextWindow": window, "ladder": preset }))
}

/// Pushes `count` exchanges of `tokens` each. Half of each is a tool output.
fn exchanges(session: &mut Session, from: u64, count: u64, tokens: u64) {
    for n in from..from + count {
        let id = format!("c{n}");
        let rest = tokens - tokens / 2 - 12 - 100;
        session
            .push(vec![
                user(&format!("question {n} "), 100),
                calls("", &[&id]),
                output(&id, tokens / 2),
                said(&format!("answer {n} "), rest),
            ])
            .unwrap();
    }
}

/// The number of turns in the view whose tool outputs are shown.
fn whole_turns(session: &Session) -> usize {
    session.context().view_messages().iter().filter(|m| m.role == Role::Tool).count()
}

#[test]
fn the_presets_match_the_documents_table() {
    let table = |name: &str| {
        let passes = Ladder::preset(name, ExplicitOptions::default()).unwrap().to_value();
        let summarize = &passes[1];
        (summarize["thresholdTokens"].clone(), summarize["keepSteps"].clone(), passes[0]["keepSteps"].clone())
    };
    assert_eq!(table("steps-design"), (json!(150_000), json!(3), json!(3)));
    assert_eq!(table("steps-execution"), (json!(700_000), json!(5), json!(5)));
}

#[test]
fn a_compaction_is_due_only_above_the_threshold() {
    for (preset, window, threshold) in
        [("steps-design", 200_000, 150_000), ("steps-execution", 1_000_000, 700_000)]
    {
        for (tokens, due) in [(threshold, false), (threshold + 1, true)] {
            let mut s = agent(preset, window);
            for n in 0..19 {
                s.push(vec![user(&format!("q{n} "), 500), said("", 500)]).unwrap();
            }
            s.push(vec![user("q19 ", 500), said("", tokens - 19_500)]).unwrap();
            assert_eq!((s.tokens(), s.should_compact()), (tokens, due));
            let asked = matches!(s.prepare().unwrap(), contextfold::session::Fit::NeedsSummary(_));
            assert_eq!(asked, due, "{preset} at {tokens}");
        }
    }
}

#[test]
fn a_given_threshold_ratio_overrides_the_presets() {
    let options =
        |ratio: Value| json!({ "contextWindow": 200_000, "ladder": "steps-design", "compaction": ratio });
    let given = session(options(json!({ "thresholdRatio": 0.5 })));
    assert_eq!(given.threshold(), Some(100_000));
    let not = session(options(json!({ "retainLastTurns": 2 })));
    assert_eq!(not.threshold(), Some(150_001));
    assert_eq!(not.config().ladder.to_value()[1]["keepSteps"], 2);
}

#[test]
fn the_documents_history_example_loses_its_tool_result() {
    // A result without a call is not valid, so the call that the document omits is added.
    let read = |n: u64, content: &str| {
        let id = format!("r{n}");
        vec![
            json!({ "role": "user", "content": "读取文件A" }),
            json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": id, "type": "function", "function": { "name": "Read", "arguments": "{}" } }] }),
            json!({ "role": "tool", "tool_call_id": id, "content": content }),
            json!({ "role": "assistant", "content": "分析结果..." }),
        ]
    };
    let history: Vec<Value> = (0..4).flat_map(|n| read(n, &blocks(10_000))).collect();
    let mut s = agent("steps-design", 200_000);
    s.push(repaired(&Value::Array(history))).unwrap();
    let report = done(s.prepare().unwrap());
    assert_eq!(passes(&report), ["drop_old_tool_results"]);
    let expected = "user: 读取文件A (4)\nassistant: 分析结果... (4)\n";
    assert!(view(&s).starts_with(expected), "{}", view(&s));
    assert_eq!(whole_turns(&s), 3, "the last three stay whole");
    // As printed in the document, repair removes the result; the rest is what the document expects.
    let printed = json!([
        { "role": "user", "content": "读取文件A" },
        { "role": "tool", "content": "...10K tokens..." },
        { "role": "assistant", "content": "分析结果..." },
    ]);
    let messages = repaired(&printed).into_iter().map(Into::into).collect::<Vec<_>>();
    assert_eq!(layout(&messages), expected.trim_end());
}

#[test]
fn an_older_turn_keeps_its_last_user_and_last_assistant_message() {
    let mut s = agent("steps-design", 200_000);
    s.push(vec![
        user("two answers ", 10),
        said("the first ", 10),
        calls("I look", &["a"]),
        output("a", 50),
        said("the last ", 10),
        user("stripped ", 10),
        calls("I look at b and stop", &["b"]),
        output("b", 50),
        user("left out ", 10),
        calls("", &["c"]),
        output("c", 50),
    ])
    .unwrap();
    exchanges(&mut s, 1, 3, 1_000);
    let report = done(s.prepare().unwrap());
    insta::assert_snapshot!(view(&s), @"
    user: two answers (10)
    assistant: the last (10)
    user: stripped (10)
    assistant: I look at b and stop (4)
    user: left out (10)
    user: question 1 (100)
    assistant:  calls c1 (12)
    tool ->c1:  (500)
    assistant: answer 1 (388)
    user: question 2 (100)
    assistant:  calls c2 (12)
    tool ->c2:  (500)
    assistant: answer 2 (388)
    user: question 3 (100)
    assistant:  calls c3 (12)
    tool ->c3:  (500)
    assistant: answer 3 (388)
    ");
    assert!(open_calls(s.context().view_messages().iter().map(|m| &**m)).is_empty());
    assert_eq!(report.left_out.len(), 3 + 2 + 2, "each that left or lost its calls has a line");
}

#[test]
fn the_view_is_a_mock_user_request_the_assistants_summary_and_the_last_steps() {
    let mut s = agent("steps-design", 200_000);
    s.push(vec![system(2_000)]).unwrap();
    exchanges(&mut s, 1, 10, 28_000);
    let pending = asks(s.prepare().unwrap());
    let request = &pending.request;
    assert_eq!((request.profile.max_tokens(), request.profile.temperature()), (Some(4000), Some(0.0)));
    assert_eq!(request.messages().last().unwrap().role, Role::User);
    assert!(request.system.as_ref().unwrap().starts_with("You are terse."), "the system prompt goes along");
    done(s.resume(pending, &answer(&tagged("Analysed. "))).unwrap());
    insta::assert_snapshot!(view(&s), @r#"
    system: You are terse. (2000)
    user: Sum up the work so far: what you write takes the p… (4)
    assistant: Analysed. <compact_summary>{"pending_actions":["go… (4)
    user: question 8 (100)
    assistant:  calls c8 (12)
    tool ->c8:  (14000)
    assistant: answer 8 (13888)
    user: question 9 (100)
    assistant:  calls c9 (12)
    tool ->c9:  (14000)
    assistant: answer 9 (13888)
    user: question 10 (100)
    assistant:  calls c10 (12)
    tool ->c10:  (14000)
    assistant: answer 10 (13888)
    "#);
    no_two_assistants_meet(&s);
}

/// User and assistant messages alternate; tool outputs come between two assistant messages.
fn no_two_assistants_meet(session: &Session) {
    let view = session.context().view_messages();
    let roles: Vec<Role> = view.iter().map(|m| m.role).filter(|r| *r != Role::System).collect();
    assert_eq!(roles[0], Role::User);
    assert!(!roles.windows(2).any(|w| w == [Role::Assistant, Role::Assistant]), "{roles:?}");
}

#[test]
fn the_init_agents_example_155k_become_about_70k() {
    let mut s = agent("steps-design", 200_000);
    // The document's list, with the omitted call added for its tool result.
    s.push(vec![
        user("<execute_to_init_context>...</execute_to_init_context>", 8_000),
        said("收到反馈，开始分析...", 1_000),
        user("调用Read工具读取trace", 1_000),
        calls("", &["trace"]),
        output("trace", 2_988),
        said("发现问题1...", 1_000),
    ])
    .unwrap();
    for n in 3..=7 {
        s.push(vec![user(&format!("round {n} "), 2_000), said("", 13_600)]).unwrap();
    }
    for n in 8..=10 {
        s.push(vec![user(&format!("round {n} "), 2_000), said("", 20_000)]).unwrap();
    }
    assert_eq!(s.tokens(), 14_000 + 78_000 + 66_000, "3,000 of them the trace and its call");
    let pending = asks(s.prepare().unwrap());
    done(
        s.resume(
            pending,
            &answer(&format!("基于反馈，我完成了以下分析...{}\n{}", blocks(3_900), tagged(""))),
        )
        .unwrap(),
    );
    assert_eq!(
        s.context().view_messages().len(),
        2 + 6,
        "mock message, summary, and six messages of three steps"
    );
    assert!((69_000..=71_000).contains(&s.tokens()), "{}", s.tokens());
    no_two_assistants_meet(&s);
}

#[test]
fn the_execute_agents_example_720k_become_about_200k() {
    let mut s = agent("steps-execution", 1_000_000);
    s.push(vec![
        user("<init_to_execute_context>...</init_to_execute_context>", 4_000),
        said("开始生成tools...", 1_000),
    ])
    .unwrap();
    for n in 2..=95 {
        s.push(vec![user(&format!("round {n} "), 500), said("", 5_000)]).unwrap();
    }
    for n in 96..=100 {
        s.push(vec![user(&format!("round {n} "), 9_000), said("", 30_000)]).unwrap();
    }
    assert_eq!(s.tokens() / 10_000, 71);
    let pending = asks(s.prepare().unwrap());
    done(s.resume(pending, &answer(&tagged(&format!("我已完成以下工作...{}", blocks(3_900))))).unwrap());
    assert_eq!(s.context().view_messages().len(), 2 + 10);
    assert!((198_000..=202_000).contains(&s.tokens()), "{}", s.tokens());
    no_two_assistants_meet(&s);
}

#[test]
fn the_number_of_whole_steps_is_the_same_at_every_compaction() {
    for (preset, window, keep) in [("steps-design", 200_000, 3), ("steps-execution", 1_000_000, 5)] {
        let mut s = agent(preset, window);
        let mut next = 1;
        for round in 1..=4 {
            let pending = loop {
                exchanges(&mut s, next, 1, 30_000);
                next += 1;
                match s.prepare().unwrap() {
                    contextfold::session::Fit::Done(_) => assert!(whole_turns(&s) <= keep),
                    contextfold::session::Fit::NeedsSummary(pending) => break *pending,
                }
            };
            if round > 1 {
                let before = format!("number {}", round - 1);
                let asked = &pending.request.messages();
                assert!(asked.iter().any(|m| m.plain_text().contains(&before)), "the one before is in it");
            }
            done(s.resume(pending, &answer(&tagged(&format!("number {round} ")))).unwrap());
            assert_eq!(whole_turns(&s), keep, "{preset}, compaction {round}");
            no_two_assistants_meet(&s);
            let summaries = view(&s).matches("number").count();
            assert_eq!(summaries, 1, "the new summary stands for the one before");
        }
    }
}

#[test]
fn the_last_steps_stay_whole_even_above_the_low_mark() {
    let mut s = agent("steps-design", 200_000);
    exchanges(&mut s, 1, 3, 20_000);
    exchanges(&mut s, 4, 3, 42_000);
    let pending = asks(s.prepare().unwrap());
    let report = done(s.resume(pending, &answer(&tagged(""))).unwrap());
    assert!(!passes(&report).contains(&"truncate_head_tail"), "{:?}", passes(&report));
    assert_eq!((whole_turns(&s), s.context().view_messages().len()), (3, 2 + 12));
    assert!((126_000..127_000).contains(&s.tokens()), "{}", s.tokens());
}

/// A tool output of more than 5,000 characters with `tokens` tokens in its middle.
fn trace(id: &str, tokens: u64) -> Message {
    Message::tool(id, format!("{}{}{}", "h".repeat(2_500), blocks(tokens), "t".repeat(2_500)))
}

#[test]
fn very_long_results_in_the_last_steps_are_shortened_only_as_a_last_resort() {
    let mut s = agent("steps-design", 200_000);
    exchanges(&mut s, 1, 2, 20_000);
    for n in 3..=5 {
        let id = format!("t{n}");
        s.push(vec![user("read the trace ", 100), calls("", &[&id]), trace(&id, 60_000), said("read ", 100)])
            .unwrap();
    }
    let pending = asks(s.prepare().unwrap());
    let report = done(s.resume(pending, &answer(&tagged(""))).unwrap());
    assert_eq!(passes(&report).last(), Some(&"truncate_head_tail"));
    assert!(s.tokens() <= 150_000, "{}", s.tokens());
    let outputs: Vec<String> =
        s.context().view_messages().iter().filter(|m| m.role == Role::Tool).map(|m| m.plain_text()).collect();
    let chars = |text: &str| text.chars().count();
    let left_out = 5_000 + 60 - 2_000;
    assert_eq!(
        outputs[0],
        format!("{}\n\n[... {left_out} chars omitted ...]\n\n{}", "h".repeat(1_000), "t".repeat(1_000)),
        "the first and the last thousand characters"
    );
    assert_eq!(outputs[1..].iter().map(|o| chars(o)).collect::<Vec<_>>(), [5_060; 2], "no more than must");
}

#[test]
fn a_refused_summary_is_requested_again_with_the_reason() {
    let mut s = session(
        json!({ "contextWindow": 200_000, "ladder": "steps-design", "compaction": { "maxAttempts": 3 } }),
    );
    exchanges(&mut s, 1, 10, 28_000);
    let mut pending = asks(s.prepare().unwrap());
    for (bad, why) in [
        ("I did a lot.", "no JSON object"),
        (r#"<compact_summary>{"note":"all well"}</compact_summary>"#, "says nothing about the work"),
    ] {
        pending = asks(s.resume(pending, &answer(bad)).unwrap());
        let asked = pending.request.messages().last().unwrap().plain_text();
        assert!(asked.contains(why), "{asked}");
    }
    let report = done(s.resume(pending, &answer("third")).unwrap());
    let summary = report.summary.expect("three attempts, three refusals");
    assert!(summary.fallback.unwrap().contains("SUMMARY_INVALID"), "the view fits without");
    assert_eq!((s.context().folds.len(), summary.attempts), (0, 3));
}

#[test]
fn a_compaction_right_after_the_initial_context_changes_no_messages() {
    let mut s = agent("steps-design", 200_000);
    s.push(vec![system(2_000), user("<execute_to_init_context/>", 160_000)]).unwrap();
    assert!(s.should_compact());
    let report = done(s.prepare().unwrap());
    assert_eq!(passes(&report), [""; 0], "the newest user message is never folded");
    s.push(vec![said("received, I begin ", 100)]).unwrap();
    done(s.prepare().unwrap());
    assert_eq!(s.context().view_messages().len(), 3);
    assert!(s.compact(contextfold::session::Reason::Manual, None).unwrap().is_none());
}
