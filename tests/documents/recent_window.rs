//! The rolling document, 1.3 and 2 to 5: the recent window, its budgets, when it acts, and the figures of its log.

use contextfold::message::{Message, Role};
use contextfold::session::{Report, Session};
use serde_json::{Value, json};

use super::support::{
    calls, done, layout, output, passes, repaired, said, session, system, talk, user, view,
};

/// Prepares these messages with the given ladder: the recent window alone, or the preset.
fn prepared(ladder: Value, window: u64, messages: Vec<Message>) -> (Session, Report) {
    let mut s = session(json!({ "contextWindow": window, "ladder": ladder }));
    s.push(messages).unwrap();
    let report = done(s.prepare().unwrap());
    (s, report)
}

fn window(options: &Value) -> Value {
    let mut pass = json!({ "pass": "recent_window" });
    pass.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    json!([pass])
}

#[test]
fn budgets_match_the_document() {
    let of = |system_tokens: u64| {
        let (_, report) =
            prepared(json!("rolling"), 128_000, [vec![system(system_tokens)], talk(4, 100)].concat());
        ["window", "target", "system", "available", "summary", "recent"]
            .map(|name| *report.budgets.get(name).unwrap())
    };
    assert_eq!(of(2_000), [128_000, 76_800, 2_000, 74_800, 19_448, 48_620]);
    assert_eq!(of(2_156), [128_000, 76_800, 2_156, 74_644, 19_407, 48_519], "as in its log");
}

#[test]
fn it_acts_above_10_messages() {
    let kept = |count| prepared(json!("rolling"), 10_000, talk(count, count * 900)).1;
    let ten = kept(10);
    assert_eq!((passes(&ten), ten.messages_after), (vec![], 10));
    let eleven = kept(11);
    assert_eq!((passes(&eleven), eleven.messages_after), (vec!["recent_window"], 3));
    assert!(eleven.tokens_after <= *eleven.budgets.get("recent").unwrap());
}

#[test]
fn it_can_be_turned_off() {
    let (_, report) = prepared(window(&json!({ "enabled": false })), 10_000, talk(11, 9_900));
    assert_eq!((passes(&report), report.messages_after), (vec![], 11));
}

#[test]
fn its_ratios_can_be_set() {
    let options = json!({ "targetRatio": 0.5, "summaryRatio": 0.1, "recentRatio": 0.9, "minMessages": 3 });
    let (_, report) = prepared(window(&options), 10_000, talk(6, 6_000));
    assert_eq!(["target", "summary", "recent"].map(|n| *report.budgets.get(n).unwrap()), [5_000, 500, 4_500]);
    assert_eq!(report.messages_after, 3, "the fourth would stand first, and it is the assistant's");
}

#[test]
fn the_log_50_messages_of_45000_tokens_become_15_of_12000() {
    // In the log, 45,000 tokens are within the budget of 48,519; in a smaller window the pass acts as the log says.
    let old = (0..35).map(|i| {
        let size = if i < 30 { 943 } else { 942 };
        if i % 2 == 1 { user("old ", size) } else { said("old ", size) }
    });
    let recent = (0..15).map(|i| if i % 2 == 0 { user("recent ", 800) } else { said("recent ", 800) });
    let messages: Vec<Message> = old.chain(recent).collect();
    let (_, report) = prepared(json!("rolling"), 32_000, messages.clone());
    assert_eq!((report.messages_before, report.tokens_before), (50, 45_000));
    assert_eq!((report.messages_after, report.tokens_after), (15, 12_000));
    assert_eq!(format!("{:.1} %", report.reduction * 100.0), "73.3 %");
    assert_eq!(report.left_out.len(), 35);

    let with_system = [vec![system(2_156)], messages].concat();
    let (_, report) = prepared(json!("rolling"), 35_000, with_system);
    assert_eq!((report.messages_after, report.tokens_after), (16, 14_156), "what is sent in the end");
}

#[test]
fn a_tool_chain_that_does_not_fit_is_skipped_and_older_messages_are_still_chosen() {
    let (s, report) = prepared(
        window(&json!({ "minMessages": 0 })),
        10_000, // leaves 3,900 for recent messages
        vec![
            user("too old ", 3_000),
            said("too old ", 500),
            user("older ", 300),
            said("older ", 300),
            user("read both ", 200),
            calls("", &["a", "b"]),
            output("a", 100),
            output("b", 3_500),
            said("both read ", 300),
            user("and c ", 200),
            calls("", &["c"]),
            output("c", 1_000),
            said("c read ", 300),
        ],
    );
    insta::assert_snapshot!(view(&s), @"
    user: older (300)
    assistant: older (300)
    user: read both (200)
    assistant: both read (300)
    user: and c (200)
    assistant:  calls c (12)
    tool ->c:  (1000)
    assistant: c read (300)
    ");
    assert_eq!(passes(&report), ["recent_window"]);
    let hole: Vec<&str> = report.left_out.iter().map(|l| l.id.as_str()).collect();
    assert_eq!(hole.len(), 5, "two too old ones, and the chain of three: {hole:?}");
    assert!(report.left_out.iter().all(|l| l.why.contains("outside the recent window") && l.fold.is_none()));
}

#[test]
fn without_a_window_it_does_nothing() {
    let mut s = session(json!({ "ladder": "rolling" }));
    s.push(talk(30, 40_000)).unwrap();
    assert_eq!(passes(&done(s.prepare().unwrap())), [""; 0]);
}

#[test]
fn the_tool_result_of_20_items_is_compressed_in_the_view() {
    let items: Vec<Value> = ('A'..='T')
        .enumerate()
        .map(|(i, letter)| {
            json!({ "id": i + 1, "title": format!("会议 {letter}"), "start_time": format!("2026-01-20T{i:02}:00:00") })
        })
        .collect();
    let whole = json!({ "success": true, "items": items, "total": 20 }).to_string();
    // The document shows only the result. Its call is added, because a history without it is invalid.
    let history = json!([
        { "role": "user", "content": "Which meetings?" },
        { "role": "assistant", "content": null, "tool_calls": [{ "id": "m", "type": "function", "function": { "name": "meetings", "arguments": "{}" } }] },
        { "role": "tool", "tool_call_id": "m", "content": whole },
    ]);
    let config = contextfold::session::SessionConfig::from_value(&json!({ "ladder": "rolling" })).unwrap();
    let counter = std::sync::Arc::new(contextfold::tokens::Estimate);
    let mut s = Session::new(config, counter);
    s.push(repaired(&history)).unwrap();
    assert!(passes(&done(s.prepare().unwrap())).is_empty(), "ten messages or fewer are left alone");
    s.push((0..8).map(|n| Message::text(Role::User, format!("And then {n}?"))).collect()).unwrap();
    let report = done(s.prepare().unwrap());
    assert_eq!(passes(&report), ["compress_json"]);
    let shown: Value = serde_json::from_str(&s.context().view_messages()[2].plain_text()).unwrap();
    assert_eq!(
        shown,
        json!({
            "success": true,
            "total": 20,
            "items_preview": [
                { "id": 1, "title": "会议 A" },
                { "id": 2, "title": "会议 B" },
                "... (16 items omitted)",
                { "id": 19, "title": "会议 S" },
                { "id": 20, "title": "会议 T" },
            ],
            "compressed": true,
        })
    );
    let full = &report.left_out[0].output_ref;
    let full = s.context().outputs.get(full.as_deref().unwrap());
    assert!(full.is_ok(), "its ref opens the whole");
    // The document's fragment has no call, so repair leaves nothing to compress.
    assert_eq!(layout(&repaired(&json!([history[2]])).into_iter().map(Into::into).collect::<Vec<_>>()), "");
}
