//! The selective document: items are dropped by type, least important first; then a full summary replaces the conversation.

use contextfold::message::{ItemType, Message, Role, open_calls};
use contextfold::session::{EventName, ExplicitOptions, Form, Ladder, Reason, Session};
use serde_json::{Value, json};

use super::support::{asks, calls, done, layout, output, passes, said, session, summary, system, user, view};

fn selective(window: u64) -> Session {
    session(json!({ "contextWindow": window, "ladder": "selective" }))
}

fn typed(mut message: Message, item_type: ItemType) -> Message {
    message.meta.item_type = Some(item_type);
    message
}

#[test]
fn the_rules_match_the_documents_table() {
    let preset = Ladder::preset("selective", ExplicitOptions::default()).unwrap().to_value();
    let rules = preset[1]["rules"].as_object().unwrap();
    let table: Vec<(&str, &str, &Value)> =
        rules.iter().map(|(t, r)| (t.as_str(), r["strategy"].as_str().unwrap(), &r["keepRecent"])).collect();
    assert_eq!(
        table,
        [
            ("TOOL_RESULT", "TRUNCATE", &json!(3)),
            ("SKILL_PROMPT", "DROP", &Value::Null),
            ("SKILL_METADATA", "DROP", &Value::Null),
            ("ASSISTANT_MESSAGE", "TRUNCATE", &json!(5)),
            ("USER_MESSAGE", "TRUNCATE", &json!(5)),
            ("SYSTEM_PROMPT", "NONE", &Value::Null),
            ("SUBAGENT_STRATEGY", "NONE", &Value::Null),
            ("SKILL_STRATEGY", "NONE", &Value::Null),
            ("COMPACTION_SUMMARY", "NONE", &Value::Null),
        ]
    );
    let mut bare = preset.clone();
    for (_, rule) in bare[1]["rules"].as_object_mut().unwrap() {
        rule.as_object_mut().unwrap().shift_remove("keepRecent");
    }
    assert_eq!(
        Ladder::from_value(&bare, ExplicitOptions::default()).unwrap().to_value(),
        preset,
        "without `keepRecent`"
    );
    let priorities: Vec<i64> = rules.values().map(|r| r["priority"].as_i64().unwrap()).collect();
    assert!(priorities[..5].is_sorted() && priorities[4] < priorities[5], "{priorities:?}");
}

#[test]
fn it_is_due_from_80_percent_of_the_window() {
    for (tokens, due) in [(7_999, false), (8_000, true)] {
        let mut s = selective(10_000);
        s.push((1..=8).flat_map(|n| [user(&format!("{n} "), 400), said("", 400)]).collect()).unwrap();
        s.push(vec![user("last ", tokens - 6_400)]).unwrap();
        assert_eq!(s.should_compact(), due);
        assert_eq!(passes(&done(s.prepare().unwrap())).contains(&"selective"), due);
    }
}

/// The document's example. Its tool results have no calls, which is not a valid history, so calls are added.
fn picture() -> Vec<Message> {
    vec![
        typed(system(500), ItemType::SystemPrompt),
        typed(system(300), ItemType::SubagentStrategy),
        typed(system(200), ItemType::SkillStrategy),
        user("begin ", 50),
        calls("", &["t1"]),
        output("t1", 5_000),
        typed(user("the skill ", 3_000), ItemType::SkillPrompt),
        typed(user("its data ", 1_000), ItemType::SkillMetadata),
        user("question ", 200),
        said("answer ", 150),
        calls("", &["t2"]),
        output("t2", 8_000),
        calls("", &["t3"]),
        output("t3", 100),
        calls("", &["t4"]),
        output("t4", 100),
    ]
}

#[test]
fn the_documents_example_before_and_after() {
    let mut s = selective(13_200); // threshold 10,560, header 1,000
    s.push(picture()).unwrap();
    let before = view(&s);
    let report = done(s.prepare().unwrap());
    insta::assert_snapshot!(format!("{before}\n---\n{}", view(&s)), @"
    system: You are terse. (500)
    system: You are terse. (300)
    system: You are terse. (200)
    user: begin (50)
    assistant:  calls t1 (12)
    tool ->t1:  (5000)
    user: the skill (3000)
    user: its data (1000)
    user: question (200)
    assistant: answer (150)
    assistant:  calls t2 (12)
    tool ->t2:  (8000)
    assistant:  calls t3 (12)
    tool ->t3:  (100)
    assistant:  calls t4 (12)
    tool ->t4:  (100)
    ---
    system: You are terse. (500)
    system: You are terse. (300)
    system: You are terse. (200)
    user: begin (50)
    user: question (200)
    assistant: answer (150)
    assistant:  calls t2 (12)
    tool ->t2:  (8000)
    assistant:  calls t3 (12)
    tool ->t3:  (100)
    assistant:  calls t4 (12)
    tool ->t4:  (100)
    ");
    assert_eq!(passes(&report), ["selective"]);
    assert_eq!(report.decisions[0].items.len(), 4, "t1 with its call, the skill and its data");
}

#[test]
fn it_stops_as_soon_as_the_view_is_under_the_threshold() {
    let kept = |window| {
        let mut s = selective(window);
        s.push(picture()).unwrap();
        done(s.prepare().unwrap());
        let of = |t: ItemType| s.context().items().iter().any(|i| i.item_type == t);
        (of(ItemType::SkillPrompt), of(ItemType::SkillMetadata))
    };
    assert_eq!(kept(18_000), (true, true), "without the oldest result it is under 14,400");
    assert_eq!(kept(16_000), (false, true), "without the skill's prompt it is under 12,800");
    assert_eq!(kept(13_200), (false, false));
}

#[test]
fn a_type_without_a_rule_is_not_touched() {
    let rules = json!({ "TOOL_RESULT": { "strategy": "DROP" } });
    let mut s =
        session(json!({ "contextWindow": 10_000, "ladder": [{ "pass": "selective", "rules": rules }] }));
    let memory = typed(user("remember ", 3_000), ItemType::Memory);
    s.push(vec![memory, user("a ", 3_000), said("b ", 2_000), user("c ", 1_000)]).unwrap();
    assert_eq!(passes(&done(s.prepare().unwrap())), [""; 0]);
    assert_eq!(s.context().view_messages().len(), 4);
}

#[test]
fn steps_stay_whole_even_if_the_documents_rule_would_split_them() {
    let mut s = selective(2_000);
    s.push(vec![user("all at once ", 100)]).unwrap();
    for n in 0..4 {
        let (a, b) = (format!("a{n}"), format!("b{n}"));
        s.push(vec![calls("", &[&a, &b]), output(&a, 200), output(&b, 200)]).unwrap();
    }
    // The newest three of eight: the document would keep one output of the third step without its call.
    done(s.prepare().unwrap());
    let lower = s.context().view_messages();
    assert!(open_calls(lower.iter().map(|m| &**m)).is_empty());
    let outputs = lower.iter().filter(|m| m.role == Role::Tool).count();
    assert_eq!(outputs, 4, "{}", view(&s));
}

#[test]
fn a_shortened_answer_gets_its_calls_back_with_their_output() {
    let rules = json!({ "TOOL_RESULT": { "strategy": "TRUNCATE", "keepRecent": 1 } });
    let ladder = json!([{ "pass": "selective", "rules": rules }]);
    let mut s = session(
        json!({ "contextWindow": 1_000, "ladder": ladder, "compaction": { "style": "messages", "summarizerWindow": 100_000 } }),
    );
    let long = format!("I look it up. {}", "▏".repeat(2_000));
    s.push(vec![user("go ", 100), calls(&long, &["t1"]), output("t1", 300)]).unwrap();
    done(s.prepare().unwrap());
    let answer = |s: &Session| s.context().view.body()[1].clone();
    assert_eq!(answer(&s).form, Form::Shortened);
    s.push(vec![calls("", &["t2"]), output("t2", 200)]).unwrap();
    assert_eq!(passes(&done(s.prepare().unwrap())), ["selective"]);
    assert_eq!(answer(&s).message.tool_calls().count(), 0);
    assert_eq!(answer(&s).form, Form::Shortened, "{}", view(&s));
    s.push(vec![user("and? ", 100)]).unwrap();
    let pending = asks(s.compact(Reason::Manual, None).unwrap().unwrap());
    let asked = &pending.request.messages();
    assert!(open_calls(asked.iter().map(|m| &**m)).is_empty(), "{}", layout(asked));
    let called =
        asked.iter().find(|m| m.tool_calls().any(|c| c.id == "t1")).expect("it goes with its output");
    assert!(called.plain_text().contains("left out"), "{}", layout(asked));
    let id = s.context().history.nodes()[2].id.to_string();
    s.set_pinned(&id, true).unwrap();
    assert_eq!(answer(&s).message.tool_calls().count(), 1);
    assert_eq!((answer(&s).form, s.context().view.body()[2].message.role), (Form::Whole, Role::Tool));
}

/// Large messages that no rule drops, and a request: 50,000 tokens in all.
fn full() -> Vec<Message> {
    let talk = (1..=4).flat_map(|n| [user(&format!("{n} "), 6_000), said("", 6_475)]);
    [vec![typed(system(90), ItemType::SystemPrompt)], talk.collect(), vec![user("go on ", 100)]].concat()
}

#[test]
fn a_full_summary_replaces_the_conversation_and_the_header_stays() {
    let mut s = selective(55_000);
    s.push(full()).unwrap();
    assert_eq!(s.tokens(), 90 + 50_000);
    let pending = asks(s.prepare().unwrap());
    let report = done(s.resume(pending, &summary("all", 496)).unwrap());
    assert_eq!(passes(&report).last(), Some(&"summarize"));
    insta::assert_snapshot!(view(&s), @"
    system: You are terse. (90)
    user: all (500)
    user: go on (100)
    ");
    assert_eq!(s.tokens(), 90 + 500 + 100, "500, not 50,500; beyond the document the newest request stays");
}

#[test]
fn a_second_full_summary_replaces_the_first() {
    let mut s = selective(55_000);
    for n in 1..=2 {
        s.push(full()[1..].to_vec()).unwrap();
        let pending = asks(s.prepare().unwrap());
        done(s.resume(pending, &summary(&format!("number {n}"), 496)).unwrap());
    }
    insta::assert_snapshot!(view(&s), @"
    user: number 2 (500)
    user: go on (100)
    ");
}

#[test]
fn events_are_emitted_in_order() {
    let mut s = selective(55_000);
    let read = [user("read ", 10), calls("", &["t0"]), output("t0", 500)];
    s.push(read.to_vec()).unwrap();
    for n in 1..=3 {
        let id = format!("t{n}");
        s.push(vec![calls("", &[&id]), output(&id, 100)]).unwrap();
    }
    s.push(full()[1..].to_vec()).unwrap();
    s.take_events();
    let pending = asks(s.prepare().unwrap());
    done(s.resume(pending, &summary("all", 496)).unwrap());
    let mut names: Vec<&str> = s.take_events().iter().map(|e| e.event.as_str()).collect();
    names.dedup(); // one event per rule
    assert_eq!(
        names,
        ["compaction_started", "items_removed", "folded", "conversation_replaced", "compaction_finished"],
        "what the rules took out while the summary was awaited is for good only when it is there"
    );
}

#[test]
fn events_of_a_run_that_needs_no_summary() {
    let mut s = selective(13_200);
    s.push(picture()).unwrap();
    s.take_events();
    done(s.prepare().unwrap());
    let events = s.take_events();
    let (due, removed): (Vec<_>, Vec<_>) = events.iter().partition(|e| e.event == EventName::CompactionDue);
    assert!(!removed.is_empty() && removed.iter().all(|e| e.event == EventName::ItemsRemoved), "{events:?}");
    assert!(due.len() == 1 && due[0].left == Some(10_560 - s.tokens()), "{due:?} of {}", s.tokens());
}

#[test]
fn the_request_leaves_out_open_calls_of_the_last_assistant_message() {
    let mut s = selective(55_000);
    s.push(full()).unwrap();
    s.push(vec![calls("I read it", &["open"])]).unwrap();
    let pending = asks(s.prepare().unwrap());
    let sent = &pending.request.messages();
    assert!(open_calls(sent.iter().map(|m| &**m)).is_empty(), "{}", layout(sent));
    assert_eq!(sent.last().unwrap().role, Role::User);
    assert_eq!(sent[sent.len() - 2].plain_text(), "I read it");
    done(s.resume(pending, &summary("all", 496)).unwrap());
    assert!(view(&s).ends_with("calls open (12)"), "the step that is running stays: {}", view(&s));
}

#[test]
fn an_ephemeral_request_stays_if_an_answer_would_come_first_without_it() {
    let mut s = session(json!({ "contextWindow": 10_000, "ladder": [{ "pass": "ephemeral" }] }));
    let ephemeral = |name: &str| {
        let mut message = user(name, 100);
        message.meta.ephemeral = Some(1);
        message
    };
    s.push(vec![ephemeral("a "), said("b ", 100), ephemeral("c "), said("d ", 100), ephemeral("e ")])
        .unwrap();
    done(s.prepare().unwrap());
    insta::assert_snapshot!(view(&s), @"
    user: a (100)
    assistant: b (100)
    assistant: d (100)
    user: e (100)
    ");
    assert!(done(s.prepare().unwrap()).decisions.is_empty());
}

#[test]
fn ephemeral_outputs_are_emptied_before_the_call() {
    let mut s = selective(100_000);
    s.push(vec![user("watch the screen ", 50)]).unwrap();
    for n in 1..=4 {
        let id = format!("shot{n}");
        let mut shot = output(&id, 1_000);
        shot.meta.ephemeral = Some(2);
        s.push(vec![calls("", &[&id]), shot]).unwrap();
    }
    let report = done(s.prepare().unwrap());
    assert_eq!(passes(&report), ["ephemeral"], "far below the threshold");
    let tokens: Vec<u64> = s
        .context()
        .items()
        .iter()
        .filter(|i| i.item_type == ItemType::ToolResult)
        .map(|i| i.tokens)
        .collect();
    assert_eq!(tokens, [12, 12, 1_000, 1_000], "the pairs stay");
}
