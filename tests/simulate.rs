//! A transcript replayed call by call (LAB-1, LAB-2).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use contextfold::ErrorCode;
use contextfold::lab::{PageFaults, Recording, SimulatedRun, Simulation, facts, retention};
use contextfold::message::{Format, Message, Part, Role, ToolCall};
use contextfold::provider::provider;
use contextfold::session::{Fit, Ladder, Session, SessionConfig};
use contextfold::tokens::{Counter, Estimate, count_message};
use serde_json::{Value, json};

fn sample() -> Vec<Message> {
    let items = serde_json::from_str(include_str!("../examples/transcript.responses.json")).unwrap();
    provider(Format::OpenaiResponses).read(&items).unwrap()
}

fn small() -> Vec<Message> {
    let call = ToolCall::function("c1", "read", r#"{"path":"src/a.rs"}"#);
    vec![
        Message::text(Role::System, "You are a helper."),
        Message::text(Role::User, "Never push. What is in src/a.rs?"),
        Message::new(Role::Assistant, vec![Part::from(call)]),
        Message::tool("c1", "mod b; // src/b.rs"),
        Message::text(Role::Assistant, "One module."),
        Message::text(Role::User, "Thanks. Anything else?"),
        Message::text(Role::Assistant, "No."),
        Message::text(Role::Assistant, "Nothing at all, see src/c.rs."),
    ]
}

fn simulate(messages: &[Message], options: &Value, ladders: &[Value]) -> contextfold::Result<Simulation> {
    let counter: Counter = Arc::new(Estimate);
    Recording::new(messages.to_vec(), Vec::new()).simulate(options, ladders, &counter)
}

fn run(messages: &[Message], options: &Value, ladder: &str) -> SimulatedRun {
    simulate(messages, options, &[ladder.into()]).unwrap().runs.remove(0)
}

#[test]
fn a_small_transcript_computed_by_hand() {
    let messages = small();
    let tokens = |until: usize| messages[..until].iter().map(|m| count_message(m, &Estimate)).sum::<u64>();
    let run = run(&messages, &json!({ "contextWindow": 100_000 }), "contextfold");
    let sent: Vec<(u64, u64)> = run.calls.iter().map(|c| (c.tokens, c.cached_tokens)).collect();
    assert_eq!(sent, [(tokens(2), 0), (tokens(4), tokens(2)), (tokens(6), tokens(4))]);
    assert_eq!(run.tokens_total, tokens(2) + tokens(4) + tokens(6));
    assert_eq!(run.tokens_largest, tokens(6));
    let ratio = (tokens(2) + tokens(4)) as f64 / run.tokens_total as f64;
    assert!((run.cache_hit_ratio - ratio).abs() < 1e-12);
    assert_eq!((run.compactions.count, run.compactions.request_tokens, run.calls_over_limit), (0, 0, 0));
    assert!(
        run.retention.literal >= 1.0,
        "what the last answer says was not to be sent: {:?}",
        run.retention
    );
    assert_eq!(run.retention_mean, None);
    assert_eq!((run.cache_write_tokens, run.cache_breaks.len()), (tokens(6), 0), "nothing was edited");
}

#[test]
fn page_faults_are_calls_that_go_back_to_an_output_that_the_view_no_longer_has() {
    let call = |id: &str, name: &str, args: Value| {
        Message::new(Role::Assistant, vec![Part::from(ToolCall::function(id, name, args.to_string()))])
    };
    let long = |name: &str| format!("{name}\n{}", "and so it goes on, line by line\n".repeat(120));
    let read =
        |id: &str, path: &str| [call(id, "read", json!({ "path": path })), Message::tool(id, long(path))];
    let edit = |id: &str| {
        let args = json!({ "path": "src/a.rs", "oldText": "goes", "newText": "went" });
        [call(id, "edit", args), Message::tool(id, "ok")]
    };
    let messages: Vec<Message> = [
        vec![Message::text(Role::User, "Look around, then mend src/a.rs.")],
        read("c1", "src/a.rs").into(),
        edit("c2").into(),               // it was just read
        read("c3", "./src/a.rs").into(), // it was changed: read anew
        read("c4", "src/b.rs").into(),
        read("c5", "src/c.rs").into(),
        read("c6", "src/d.rs").into(),
        edit("c7").into(),             // needs what c3 showed
        read("c8", "src/b.rs").into(), // needs what c4 showed
        read("c9", "src/e.rs").into(),
    ]
    .concat();
    let faults = |window: u64| run(&messages, &json!({ "contextWindow": window }), "contextfold").page_faults;
    let figures = |window| {
        let PageFaults { needed, gone, gone_recently } = faults(window);
        (needed, gone, gone_recently)
    };
    assert_eq!(figures(100_000), (3, 0, 0), "all is in the view");
    assert_eq!(figures(4_000), (3, 2, 2), "older outputs are cut");
}

#[test]
fn the_facts_of_a_small_transcript_computed_by_hand() {
    let call = |id: &str, path: &str| {
        let call = ToolCall::function(id, "read", json!({ "path": path }).to_string());
        Message::new(Role::Assistant, vec![Part::from(call)])
    };
    let long = format!("src/c.rs\n{}error[E0308] in src/b.rs", "and so it goes on\n".repeat(200));
    let messages = [
        Message::text(Role::User, "Never push. See src/a.rs and #12."),
        call("c1", "src/b.rs"),
        Message::tool("c1", long),
        call("c2", "src/d.rs"),
        Message::tool("c2", "src/e.rs"),
        Message::text(Role::Assistant, "Done, see src/f.rs."),
    ];
    // Of a.rs, #12, b.rs, c.rs, E0308, d.rs and e.rs, only c.rs and E0308 are in the first output alone; f.rs is not said yet.
    let options = |budget: u64| json!({ "contextWindow": 100_000, "toolOutputCache": { "contextBudgetTokens": budget, "maxMessageBytes": 100_000 } });
    let trimmed = run(&messages, &options(100), "contextfold").retention;
    assert_eq!((trimmed.literal, trimmed.with_refs, trimmed.constraints), (5.0 / 7.0, 1.0, 1.0));
    let whole = run(&messages, &options(10_000), "contextfold").retention;
    assert_eq!((whole.literal, whole.with_refs, whole.constraints), (1.0, 1.0, 1.0));
    // Without a cache, nothing can open what was left out.
    let window = json!({ "contextWindow": 160, "toolOutputCache": { "enabled": false }, "compaction": { "ledgerTokens": 0 } });
    let gone = run(&messages, &window, "contextfold").retention;
    assert!((gone.literal - gone.with_refs).abs() < f64::EPSILON, "{gone:?}");
}

/// One dollar per million input tokens, ten cents if the cache serves them, five dollars for output.
fn prices() -> Value {
    json!({ "input_cost_per_token": 1e-6, "cache_read_input_token_cost": 1e-7, "output_cost_per_token": 5e-6 })
}

fn assert_dollars(found: Option<f64>, expected: f64) {
    assert!((found.unwrap() - expected).abs() < 1e-12, "{found:?}, not {expected}");
}

#[test]
fn the_costs_of_a_small_transcript_computed_by_hand() {
    let long = "abcd".repeat(1_500);
    let messages = [
        Message::text(Role::User, long.as_str()),
        Message::text(Role::Assistant, "abcd".repeat(10)),
        Message::text(Role::User, long.as_str()),
        Message::text(Role::Assistant, "abcd".repeat(20)),
    ];
    let options = json!({ "contextWindow": 100_000, "prices": prices() });
    let simulated = simulate(&messages, &options, &["contextfold".into()]).unwrap();
    let [first, answer, second, last] = [0, 1, 2, 3].map(|i| count_message(&messages[i], &Estimate));
    let (sent, cached) = (2 * first + answer + second, first);
    let cost = (sent - cached) as f64 * 1e-6 + cached as f64 * 1e-7 + (answer + last) as f64 * 5e-6;
    for (calls, total, output, money, ratio) in [
        (
            &simulated.recorded.calls, simulated.recorded.tokens_total, simulated.recorded.output_tokens,
            simulated.recorded.cost, simulated.recorded.cache_hit_ratio,
        ),
        (
            &simulated.runs[0].calls, simulated.runs[0].tokens_total, simulated.runs[0].output_tokens,
            simulated.runs[0].cost, simulated.runs[0].cache_hit_ratio,
        ),
    ] {
        assert_eq!((total, output, calls.len()), (sent, answer + last, 2));
        assert_dollars(money, cost);
        assert_dollars(calls[0].cost, first as f64 * 1e-6 + answer as f64 * 5e-6);
        assert!((ratio - cached as f64 / sent as f64).abs() < 1e-12);
    }
    let shown = simulated.prices.unwrap();
    assert_eq!((shown.model, shown.as_of, shown.source), (None, None, "prices"));
    assert_eq!(simulated.runs[0].compactions.cost, Some(0.0));
}

#[test]
fn the_parts_of_the_cost_add_up_to_the_total() {
    let options = json!({ "contextWindow": 40_000, "priceAs": "claude-sonnet-4-5" });
    let simulated = simulate(&sample(), &options, &Ladder::PRESETS.map(Value::from)).unwrap();
    assert_eq!(simulated.prices.unwrap().as_of, Some(contextfold::lab::PRICES_AS_OF));
    for run in &simulated.runs {
        let calls: f64 = run.calls.iter().map(|c| c.cost.unwrap()).sum();
        let parts = run.costs.unwrap().total() + run.compactions.cost.unwrap();
        assert!((parts - run.cost.unwrap()).abs() < 1e-9, "{}", run.preset);
        assert!((calls + run.compactions.cost.unwrap() - run.cost.unwrap()).abs() < 1e-9, "{}", run.preset);
    }
    assert!(simulated.runs[0].cost < simulated.recorded.cost, "what is folded is not paid again and again");
}

#[test]
fn without_a_price_there_is_no_cost_and_an_invalid_price_is_named() {
    let messages = small();
    let of = |options: Value| simulate(&messages, &options, &["spec".into()]);
    let without = of(json!({ "contextWindow": 1_000 })).unwrap();
    assert!(without.prices.is_none() && without.recorded.cost.is_none() && without.runs[0].cost.is_none());
    let unpriced =
        of(json!({ "model": "my-model", "models": { "my-model": { "max_input_tokens": 1_000 } } })).unwrap();
    assert!(unpriced.prices.is_none());
    for (options, code) in [
        (json!({ "priceAs": "gpt-55" }), ErrorCode::UnknownModel),
        (json!({ "priceAs": 5 }), ErrorCode::InvalidConfig),
        (json!({ "prices": 5 }), ErrorCode::InvalidConfig),
        (json!({ "prices": { "a": { "input_cost_per_token": -1 } } }), ErrorCode::InvalidConfig),
    ] {
        assert_eq!(of(options).unwrap_err().code(), code);
    }
}

#[test]
fn a_summary_requested_in_pieces_counts_every_request() {
    let mut messages = vec![Message::text(Role::User, "Count.")];
    for i in 0..60 {
        messages.push(Message::text(
            Role::Assistant,
            format!("Step {i}: {}", "one thing after another ".repeat(60)),
        ));
        messages.push(Message::text(Role::User, "Go on."));
    }
    messages.push(Message::text(Role::Assistant, "Done."));
    let whole =
        json!({ "contextWindow": 12_000, "compaction": { "summarizerWindow": 100_000 }, "prices": prices() });
    let pieces =
        json!({ "contextWindow": 12_000, "compaction": { "summarizerWindow": 1_500 }, "prices": prices() });
    let (whole, pieces) =
        (run(&messages, &whole, "spec").compactions, run(&messages, &pieces, "spec").compactions);
    assert_eq!((whole.count, pieces.count), (pieces.count, whole.count));
    assert!(whole.count > 0 && whole.requests == whole.count);
    assert!(pieces.requests > 4 * pieces.count, "{} requests", pieces.requests);
    assert_eq!(pieces.asked.len() as u64, pieces.requests);
    assert!(pieces.asked.iter().all(|r| r.input_tokens <= 2_000), "{:?}", pieces.asked);
    assert!(pieces.cost > whole.cost, "every piece has its instruction");
}

#[test]
fn the_session_at_a_call_matches_the_run() {
    let messages = sample();
    let recording = Recording::new(messages.clone(), Vec::new());
    let counter: Counter = Arc::new(Estimate);
    let options = json!({ "contextWindow": 40_000 });
    let run = recording.simulate(&options, &["contextfold".into()], &counter).unwrap().runs.remove(0);
    assert_eq!(recording.calls(), run.calls.len());
    let last = run.calls.len() - 1;
    for at in [0, last / 2, last] {
        let session = recording.replay(&options, &counter).unwrap().session_at(at).unwrap();
        let call = &run.calls[at];
        assert_eq!((session.tokens(), session.context().part_reports()), (call.tokens, call.parts.clone()));
    }
    let after = recording.replay(&options, &counter).unwrap().session_at(last + 1).unwrap();
    let last_id = after.context().items().last().unwrap().id.clone();
    assert_eq!(&*last_id, format!("m{}", messages.len()), "whatever was folded before it");
    assert_eq!(
        after.context().history.nodes().iter().filter(|n| n.message.role == Role::Assistant).count(),
        messages.iter().filter(|m| m.role == Role::Assistant).count()
    );
    assert!(after.tokens() > run.calls[last].tokens && after.tokens() <= run.limit);
}

#[test]
fn pinned_messages_stay_in_every_view_of_a_replay() {
    let recording = Recording::new(sample(), Vec::new());
    let counter: Counter = Arc::new(Estimate);
    let stands = |pins: Value| {
        let options = json!({ "contextWindow": 12_000, "pins": pins });
        let session = recording.replay(&options, &counter).unwrap().session_at(usize::MAX).unwrap();
        session.context().items().iter().any(|item| &*item.id == "m3")
    };
    assert_eq!((stands(json!([])), stands(json!(["m3"]))), (false, true));
    let wrong = recording.simulate(&json!({ "pins": [3] }), &[], &counter).unwrap_err();
    assert_eq!(wrong.code(), ErrorCode::InvalidConfig);
}

#[test]
fn the_totals_match_the_sessions_own_reports() {
    let messages = sample();
    let options = json!({ "contextWindow": 40_000, "toolOutputCache": { "contextBudgetTokens": 30_000 } });
    for ladder in Ladder::PRESETS {
        let run = run(&messages, &options, ladder);
        let mut with_ladder = options.clone();
        with_ladder["ladder"] = ladder.into();
        let mut session = Session::new(SessionConfig::from_value(&with_ladder).unwrap(), Arc::new(Estimate));
        session.context_mut().wording.open_refs(); // as the lab does
        let (mut calls, mut folds, mut asked, mut until) = (run.calls.iter(), 0, 0, 0);
        for (at, message) in messages.iter().enumerate() {
            if message.role == Role::Assistant && messages[at - 1].role != Role::Assistant {
                let mut fit = match session.prepare() {
                    Ok(fit) => fit,
                    // The ladder document returns an error if one turn alone is too large.
                    Err(error) => {
                        let call = calls.next().unwrap();
                        assert_eq!(("ladder", error.code()), (ladder, call.error.as_ref().unwrap().code));
                        until = at;
                        session.push(vec![message.clone()]).unwrap();
                        continue;
                    }
                };
                let report = loop {
                    match fit {
                        Fit::Done(report) => break report,
                        Fit::NeedsSummary(pending) => {
                            folds += 1;
                            asked += pending.request.input_tokens;
                            fit = session.resume_extractive(*pending).unwrap();
                        }
                    }
                };
                let call = calls.next().unwrap();
                assert_eq!((call.tokens, call.error.as_ref()), (session.tokens(), None), "{ladder}");
                assert_eq!(call.parts.iter().map(|p| p.tokens).sum::<u64>(), call.tokens, "{ladder}");
                assert_eq!(call.cached_tokens, report.stable_prefix_tokens, "{ladder}");
                assert_eq!(call.decisions, report.decisions, "{ladder}");
                until = at;
                if at == last_answer(&messages) {
                    let view = session.context().view_messages();
                    let opens = |id: &str| {
                        let output = session.context().outputs.get(id).ok()?;
                        Some(
                            output
                                .lines_from(0)
                                .map(|l| l.text().into_owned())
                                .collect::<Vec<_>>()
                                .join("\n"),
                        )
                    };
                    let kept = retention(&facts(&messages[..at]), view.iter().map(|m| &**m), opens);
                    assert_eq!(kept, run.retention, "{ladder}");
                }
            }
            let mut message = message.clone();
            message.meta.id = Some(format!("m{}", at + 1)); // the name it has in a recording
            session.push(vec![message]).unwrap();
        }
        assert!(calls.next().is_none() && until > 0, "{ladder}");
        assert_eq!(run.compactions.count, folds, "{ladder}");
        let requests = &run.compactions;
        assert_eq!(
            (requests.requests, requests.request_tokens),
            (folds, asked),
            "{ladder}: none had to go in pieces"
        );
        assert_eq!(requests.asked.iter().map(|r| r.input_tokens).sum::<u64>(), asked, "{ladder}");
        assert_eq!(
            requests.asked.iter().map(|r| r.output_tokens).sum::<u64>(),
            requests.output_tokens,
            "{ladder}"
        );
        assert_eq!(run.retention_mean.is_some(), folds > 0, "{ladder}");
        assert_eq!(run.tokens_total, run.calls.iter().map(|c| c.tokens).sum::<u64>());
        assert!(
            ladder == "ladder" || run.calls_over_limit == 0 && run.tokens_largest <= run.limit,
            "{ladder}"
        );
    }
}

fn last_answer(messages: &[Message]) -> usize {
    let starts = |at: &usize| {
        messages[*at].role == Role::Assistant && (*at == 0 || messages[at - 1].role != Role::Assistant)
    };
    (0..messages.len()).rev().find(starts).unwrap()
}

#[test]
fn the_default_window_is_half_the_transcript_and_results_repeat() {
    let messages = sample();
    let ladders = Ladder::PRESETS.map(Value::from);
    let once = simulate(&messages, &json!({}), &ladders).unwrap();
    assert!(once.runs.iter().all(|r| r.window == once.transcript_tokens / 2));
    assert!(once.runs.iter().all(|r| r.calls_over_limit == 0 || r.preset == "ladder"));
    assert_eq!(simulate(&messages, &json!({}), &ladders).unwrap(), once);
}

#[test]
fn a_view_that_cannot_fit_is_counted_and_the_replay_continues() {
    let mut messages = small();
    messages[0] = Message::text(Role::System, "You are a helper. ".repeat(100));
    let run = run(&messages, &json!({ "contextWindow": 100 }), "contextfold");
    assert_eq!((run.calls.len(), run.calls_over_limit), (3, 3));
    assert!(run.calls.iter().all(|c| c.error.as_ref().unwrap().code == ErrorCode::BudgetImpossible));
}

#[test]
fn invalid_input_is_named() {
    let orphan = [Message::text(Role::User, "Hi"), Message::tool("nobody", "42")];
    let of = |messages: &[Message], options: Value, ladders: &[Value]| {
        let error = simulate(messages, &options, ladders).unwrap_err();
        (error.code(), error.message().to_owned())
    };
    let (code, message) = of(&orphan, json!({}), &["spec".into()]);
    assert!(code == ErrorCode::InvalidMessage && message.contains("message 1"), "{message}");
    let (code, message) = of(&small(), json!({}), &["spec".into(), "rollin".into()]);
    assert!(code == ErrorCode::InvalidConfig && message.contains("`rolling`"), "{message}");
    let empty = simulate(&[], &json!({}), &["spec".into()]);
    let run = empty.unwrap().runs.remove(0);
    assert!(run.calls.is_empty() && run.tokens_total == 0 && run.cache_hit_ratio <= 0.0);
}

#[test]
fn every_call_reports_lost_cache_tokens_and_the_pass_responsible() {
    let mut messages = vec![Message::text(Role::User, "read them all")];
    for n in 0..30 {
        let id = format!("c{n}");
        let call = contextfold::message::ToolCall::function(&id, "read", "{}");
        messages.push(Message::new(Role::Assistant, vec![contextfold::message::Part::from(call)]));
        messages.push(Message::tool(&id, format!("line {n} of it\n").repeat(200)));
    }
    messages.push(Message::text(Role::Assistant, "done"));
    let options = json!({ "contextWindow": 100_000, "toolOutputCache": { "contextBudgetTokens": 8_000 } });
    let run = run(&messages, &options, "spec");
    let lost: Vec<_> = run.calls.iter().filter(|call| call.cache_lost_tokens > 0).collect();
    assert!(!lost.is_empty());
    assert!(lost.iter().all(|call| call.cache_broken_by.as_deref() == Some("trim_tool_outputs")), "{lost:?}");
    let [known] = &run.cache_breaks[..] else { panic!("one pass: {:?}", run.cache_breaks) };
    assert_eq!((known.pass.as_deref(), known.calls), (Some("trim_tool_outputs"), lost.len() as u64));
    assert_eq!(known.tokens, lost.iter().map(|call| call.cache_lost_tokens).sum::<u64>());
    assert!(run.calls.iter().all(|call| call.cached_tokens + call.cache_write_tokens == call.tokens));
}
