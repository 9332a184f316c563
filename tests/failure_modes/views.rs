//! Cuts, limits and loops.

use contextfold::ErrorCode;
use contextfold::message::{Message, Part, Reasoning, Role};
use contextfold::session::{Fit, Reason, SessionConfig};
use contextfold::tokens::ReportedUsage;
use serde_json::json;

use super::support::*;

#[test]
fn f01_a_cut_keeps_calls_and_outputs_paired() {
    let history: Vec<Message> = (0..6).flat_map(turn).collect();
    let naive = |keep: usize| history[history.len() - keep..].to_vec();
    assert!((1..history.len()).any(|keep| !paired(&naive(keep))), "the newest n messages");
    for window in (300..2_000).step_by(50) {
        let mut s = session(&json!({ "contextWindow": window, "safetyMargin": 0 }));
        s.push(history.clone()).unwrap();
        let fit = s.prepare().unwrap();
        run(&mut s, fit, "<summary>s</summary>");
        assert!(paired(&view(&s)), "window {window}");
    }
}

#[test]
fn f02_parallel_calls_stay_together_and_running_ones_stay() {
    let mut history: Vec<Message> = (0..3).flat_map(turn).collect();
    history.extend([user("both"), calls(&["x", "y"]), Message::tool("x", filler(200))]);
    let naive: Vec<&Message> = history.iter().rev().take(2).collect();
    assert!(
        naive.iter().any(|m| m.tool_calls().count() == 2),
        "it would be cut between the call and its output"
    );
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    s.push(history).unwrap();
    compact(&mut s, "<summary>s</summary>");
    let kept = view(&s);
    assert!(kept.iter().any(|m| m.tool_calls().count() == 2), "the running batch stays whole");
    s.push(vec![Message::tool("y", "done")]).unwrap();
    assert!(paired(&view(&s)));
}

#[test]
fn f03_compactions_do_not_loop() {
    let mut s = session(&json!({ "contextWindow": 1_000, "safetyMargin": 0 }));
    let (mut asked, mut naive) = (0, 0);
    for n in 0..40 {
        s.push(turn(n)).unwrap();
        let fit = s.prepare().unwrap();
        // A naive agent compacts whenever the view is over the mark, even if the last compaction did not get below it.
        naive += usize::from(s.context().history.len() > 12);
        asked += run(&mut s, fit, "<summary>s</summary>").0;
        let Fit::Done(_) = s.prepare().unwrap() else { panic!("it asks again without a new message") };
    }
    assert!(asked > 2 && asked * 2 < naive, "{asked} of {naive}");
}

#[test]
fn f04_a_header_larger_than_the_limit_costs_no_call() {
    let mut s = session(&json!({ "contextWindow": 500 }));
    s.push(vec![Message::text(Role::System, filler(300))]).unwrap();
    s.push((0..3).flat_map(turn).collect()).unwrap();
    let naive_would_ask = s.tokens() >= s.threshold().unwrap();
    assert!(naive_would_ask);
    let (Err(error), Err(by_hand)) = (s.prepare(), s.compact(Reason::Manual, None)) else {
        panic!("it asks")
    };
    assert_eq!((error.code(), by_hand.code()), (ErrorCode::BudgetImpossible, ErrorCode::BudgetImpossible));
}

/// A naive agent: compacts if the last usage was over the mark, and keeps that usage.
struct ByLastUsage {
    messages: Vec<Message>,
    used: u64,
    threshold: u64,
}

impl ByLastUsage {
    fn should_compact(&self) -> bool {
        self.used >= self.threshold
    }

    fn compact(&mut self, summary: &str) {
        self.messages = vec![user(summary)];
    }
}

#[test]
fn f05_usage_from_before_a_compaction_is_ignored() {
    let mut s = session(&json!({ "contextWindow": 10_000 }));
    s.push((0..3).flat_map(turn).collect()).unwrap();
    let usage = json!({ "input_tokens": 9_500, "output_tokens": 10 });
    s.record_usage(&ReportedUsage::from_value(&usage).unwrap());
    let mut naive = ByLastUsage { messages: view(&s), used: 9_510, threshold: s.threshold().unwrap() };
    assert!(s.should_compact() && naive.should_compact());
    compact(&mut s, "<summary>s</summary>");
    naive.compact("s");
    assert!(naive.messages.len() == 1 && naive.should_compact(), "it compacts its summary");
    assert!(!s.should_compact());
    let Fit::Done(_) = s.prepare().unwrap() else { panic!("it asks again") };
}

#[test]
fn f06_compaction_runs_within_a_turn_and_an_unknown_model_is_an_error() {
    let mut s = session(&json!({ "contextWindow": 1_000, "safetyMargin": 0 }));
    s.push(vec![user("do all of it")]).unwrap();
    let mut asked = 0;
    for n in 0..30 {
        let id = format!("c{n}");
        s.push(vec![calls(&[&id]), Message::tool(&*id, filler(10))]).unwrap();
        let fit = s.prepare().unwrap();
        asked += run(&mut s, fit, "<summary>s</summary>").0;
        assert!(s.tokens() <= 1_000);
    }
    let turns_that_ended =
        view(&s).iter().filter(|m| m.role == Role::Assistant && m.tool_calls().count() == 0).count();
    assert!(asked > 0 && turns_that_ended == 0, "a naive one waits for the end of the turn");
    let error = SessionConfig::from_value(&json!({ "model": "no-such-model" })).unwrap_err();
    assert_eq!(error.code(), ErrorCode::UnknownModel);
}

#[test]
fn f07_reasoning_is_kept_or_dropped_with_its_calls() {
    let thinking = |id: &str| {
        let thought = Reasoning { id: Some(format!("rs_{id}")), ..Reasoning::default() };
        let mut message = calls(&[id]);
        message.parts.insert(0, Part::from(thought));
        [message, Message::tool(id, filler(20))]
    };
    let mut history = vec![user("go")];
    history.extend((0..8).flat_map(|n| thinking(&format!("c{n}"))));
    let together = |list: &[Message]| {
        let thinks = |m: &Message| m.parts.iter().any(|p| matches!(p, Part::Reasoning(_)));
        list.iter().all(|m| thinks(m) == (m.tool_calls().count() > 0)) && paired(list)
    };
    let naive: Vec<Message> = history
        .iter()
        .cloned()
        .map(|mut m| {
            m.parts.retain(|p| !matches!(p, Part::ToolCall(_)));
            m
        })
        .collect();
    assert!(together(&history) && !together(&naive), "calls taken out, reasoning left behind");
    for window in (200..700).step_by(40) {
        let mut s = session(&json!({ "contextWindow": window, "safetyMargin": 0 }));
        s.push(history.clone()).unwrap();
        let fit = s.prepare().unwrap();
        run(&mut s, fit, "<summary>s</summary>");
        assert!(together(&view(&s)), "window {window}");
    }
}

#[test]
fn f11_a_message_of_five_windows_ends_in_a_valid_view() {
    let giant = filler(5 * 1_000 / 3);
    let mut s = session(&json!({ "contextWindow": 1_000, "safetyMargin": 0 }));
    s.push(vec![user(&giant), said("read"), user("and now?")]).unwrap();
    assert!(s.tokens() > 4_900, "no request holds it whole");
    let mut fit = s.prepare().unwrap();
    while let Fit::NeedsSummary(pending) = fit {
        assert!(pending.request.input_tokens <= 1_000, "{}", pending.request.input_tokens);
        fit = s.resume(*pending, &answer("<summary>s</summary>")).unwrap();
    }
    assert!(s.tokens() <= 1_000 && texts(&view(&s)).contains(&"and now?".to_owned()));
    assert_eq!(s.context().history.nodes()[0].message.plain_text(), giant, "nothing is lost");
}

#[test]
fn f14_everything_that_leaves_the_view_is_reported() {
    let mut s = session(&json!({ "contextWindow": 800, "safetyMargin": 0 }));
    let ids = s.push((0..6).flat_map(turn).collect()).unwrap();
    let fit = s.prepare().unwrap();
    let (_, report) = run(&mut s, fit, "<summary>s</summary>");
    let shown: Vec<String> = s.context().items().into_iter().map(|i| i.id).collect();
    let gone: Vec<String> = s.context().ids(&ids).into_iter().filter(|id| !shown.contains(id)).collect();
    let naive_report = report.messages_before - report.messages_after;
    assert!(!gone.is_empty() && naive_report > 0, "a count of messages names none of them");
    for id in gone {
        assert!(report.left_out.iter().any(|l| l.id == id && l.fold.is_some()), "{id}");
    }
}

#[test]
fn f19_no_cut_splits_a_grapheme_cluster() {
    let family = "👩‍👩‍👧";
    let naive = &family.repeat(400).into_bytes()[..1_000];
    assert!(std::str::from_utf8(naive).is_err(), "bytes");
    let mut s = session(&json!({ "contextWindow": 600, "safetyMargin": 0 }));
    s.push(vec![user(&family.repeat(400))]).unwrap();
    s.prepare().unwrap();
    let text = view(&s)[0].plain_text();
    let (head, tail) = (text.split("\n[…").next().unwrap(), text.rsplit("…]\n").next().unwrap());
    assert!(text.len() < family.len() * 400 && !head.is_empty() && !tail.is_empty());
    assert_eq!((head.replace(family, ""), tail.replace(family, "")), (String::new(), String::new()));
}

#[test]
fn f23_no_empty_or_consecutive_assistant_messages() {
    let history: Vec<Message> = (0..4).flat_map(turn).collect();
    let alternates = |list: &[Message]| {
        list.windows(2).all(|w| w[0].role != Role::Assistant || w[1].role != Role::Assistant)
            && list.iter().all(|m| !m.is_empty())
    };
    let naive = [vec![said("the summary")], history[history.len() - 1..].to_vec()].concat();
    assert!(!alternates(&naive), "a summary as an assistant's message before one");
    for keep in 0..4 {
        let mut s = session(&json!({ "contextWindow": 100_000, "compaction": { "retainLastTurns": keep } }));
        s.push(history.clone()).unwrap();
        compact(&mut s, "<summary>s</summary>");
        assert!(alternates(&view(&s)) && view(&s)[0].role == Role::User, "keep {keep}");
    }
}

#[test]
fn f24_preparing_again_duplicates_nothing() {
    let mut s = session(&json!({ "contextWindow": 800, "safetyMargin": 0 }));
    s.push(vec![Message::text(Role::System, "You are terse.")]).unwrap();
    s.push((0..6).flat_map(turn).collect()).unwrap();
    let fit = s.prepare().unwrap();
    run(&mut s, fit, "<summary>s</summary>");
    let before = texts(&view(&s));
    let naive = [before.clone(), before.clone()].concat();
    let doubled = |list: &[String]| list.iter().filter(|t| *t == "You are terse.").count() > 1;
    assert!(doubled(&naive), "a replay of the view behind itself");
    for _ in 0..3 {
        s.set_header(vec![Message::text(Role::System, "You are terse.")]).unwrap();
        let Fit::Done(report) = s.prepare().unwrap() else { panic!("it asks again") };
        assert!(report.decisions.is_empty());
    }
    assert_eq!(texts(&view(&s)), before);
}
