//! Compactions by the provider: nothing before the newest one is counted or sent, but the history keeps everything.

use contextfold::message::Format;
use serde_json::{Value, json};

use super::{broken, prepare, push, restored, sent, session};

const LONG: &str = "word ";

fn compaction(text: &str) -> Value {
    json!({ "role": "assistant", "content": [{ "type": "compaction", "content": text }, { "type": "thinking", "thinking": "well", "signature": "s" }, { "type": "text", "text": "Noted." }] })
}

fn anthropic() -> Value {
    json!([
        { "role": "user", "content": LONG.repeat(16_000) },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "c1", "name": "run", "input": {} }] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c1", "content": "first" }] },
        compaction("The user sent a long text."),
        { "role": "user", "content": "Go on." }
    ])
}

fn written(s: &super::Session, format: Format) -> String {
    Value::Array(sent(s, format).items).to_string()
}

#[test]
fn messages_before_a_compaction_are_neither_counted_nor_sent() {
    let mut s = session(&json!({ "contextWindow": 200_000 }));
    let ids = push(&mut s, Format::Anthropic, &anthropic());
    assert!(s.tokens() < 200, "{}", s.tokens());
    assert_eq!(broken(&s, Format::Anthropic), [""; 0]);
    let text = written(&s, Format::Anthropic);
    assert!(!text.contains("word") && !text.contains("first"), "{text}");
    assert!(text.contains("The user sent a long text.") && text.contains("Go on."), "{text}");
    assert!(text.contains("\"well\""), "its own thinking stays: {text}");
    let report = prepare(&mut s);
    let told: Vec<&str> =
        report.left_out.iter().filter(|l| l.why.contains("compaction")).map(|l| l.id.as_str()).collect();
    assert_eq!(told, [&ids[0], &ids[1], &ids[2]]);
}

#[test]
fn the_history_keeps_them_and_a_rewind_or_a_pin_restores_them() {
    let mut s = session(&json!({ "contextWindow": 200_000 }));
    let ids = push(&mut s, Format::Anthropic, &anthropic());
    assert!(s.context().history.nodes()[0].message.plain_text().contains("word"));
    let mut s = restored(&s.snapshot(&[]));
    let before = s.tokens();
    s.set_pinned(&ids[0], true).unwrap();
    assert!(written(&s, Format::Anthropic).contains("word"));
    s.set_pinned(&ids[0], false).unwrap();
    assert_eq!(s.tokens(), before);
    s.rewind(Some(&ids[2])).unwrap();
    let text = written(&s, Format::Anthropic);
    assert!(text.contains("word") && text.contains("first") && !text.contains("compaction"), "{text}");
    assert_eq!(broken(&s, Format::Anthropic), [""; 0]);
}

#[test]
fn the_newest_compaction_applies_and_a_fold_follows_it() {
    let mut s = session(&json!({ "contextWindow": 200_000 }));
    push(&mut s, Format::Anthropic, &anthropic());
    let second = json!([compaction("All of it."), { "role": "user", "content": "And?" }, { "role": "assistant", "content": "Yes." }, { "role": "user", "content": "So?" }]);
    let ids = push(&mut s, Format::Anthropic, &second);
    let text = written(&s, Format::Anthropic);
    assert!(text.contains("All of it.") && !text.contains("Go on."), "{text}");
    s.fold_by_hand(&ids[1..3], "They agreed.").unwrap();
    let text = written(&s, Format::Anthropic);
    assert!(text.find("All of it.") < text.find("They agreed."), "{text}");
    s.fold_by_hand(&ids[..1], "No.").unwrap_err();
    s.rewind(Some(&ids[1])).unwrap();
    assert!(written(&s, Format::Anthropic).contains("All of it."));
}

#[test]
fn pinning_the_compaction_restores_nothing() {
    let mut s = session(&json!({ "contextWindow": 200_000 }));
    let ids = push(&mut s, Format::Anthropic, &anthropic());
    let before = s.tokens();
    s.set_pinned(&ids[3], true).unwrap();
    assert_eq!(s.tokens(), before);
}

#[test]
fn a_compaction_without_a_summary_is_ignored() {
    let mut s = session(&json!({ "contextWindow": 200_000 }));
    let mut list = anthropic();
    list[3]["content"][0]["content"] = Value::Null;
    push(&mut s, Format::Anthropic, &list);
    assert!(s.tokens() > 10_000);
}

#[test]
fn a_list_of_items_is_read_from_the_newest_compaction() {
    let item = |id: &str| json!({ "type": "compaction", "id": id, "encrypted_content": "gAAA" });
    let mut s = session(&json!({ "contextWindow": 200_000 }));
    let list = json!([
        { "role": "user", "content": LONG.repeat(16_000) },
        { "role": "assistant", "content": [{ "type": "output_text", "text": "Yes.", "annotations": [] }] },
        item("cmp_1"),
        { "role": "user", "content": "Go on." }
    ]);
    push(&mut s, Format::OpenaiResponses, &list);
    assert!(s.tokens() < 200, "{}", s.tokens());
    assert_eq!(sent(&s, Format::OpenaiResponses).items.len(), 2);
    // The output of the compact endpoint contains the user's messages, and is sent back unchanged.
    let mut s = session(&json!({ "contextWindow": 200_000 }));
    push(
        &mut s,
        Format::OpenaiResponses,
        &json!([{ "role": "user", "content": "The task." }, item("cmp_2")]),
    );
    assert!(written(&s, Format::OpenaiResponses).contains("The task."));
}

#[test]
fn usage_is_not_learnt_if_the_provider_compacted_meanwhile() {
    let mut s = session(&json!({ "contextWindow": 200_000 }));
    push(&mut s, Format::Anthropic, &json!([{ "role": "user", "content": LONG.repeat(4_000) }]));
    prepare(&mut s);
    push(&mut s, Format::Anthropic, &json!([compaction("A long text.")]));
    let usage = json!({ "input_tokens": 2_500, "output_tokens": 20, "cache_read_input_tokens": 0 });
    s.record_usage(&contextfold::tokens::ReportedUsage::from_value(&usage).unwrap());
    push(&mut s, Format::Anthropic, &json!([{ "role": "user", "content": "Go on." }]));
    let counter = prepare(&mut s).counter;
    assert!((counter.calibration - 1.0).abs() < 1e-9, "{}", counter.calibration);
}

#[test]
fn other_formats_show_the_compactions_summary_as_text() {
    let mut s = session(&json!({ "contextWindow": 200_000 }));
    push(&mut s, Format::Anthropic, &anthropic());
    for format in [Format::AiSdk, Format::OpenaiChat, Format::OpenaiResponses] {
        let text = written(&s, format);
        assert_eq!(text.matches("The user sent a long text.").count(), 1, "{format:?}: {text}");
        assert!(text.find("long text.") < text.find("Noted."), "{format:?}: {text}");
        assert!(!text.contains("compaction"), "{format:?}: {text}");
        assert_eq!(broken(&s, format), [""; 0], "{format:?}");
    }
}
