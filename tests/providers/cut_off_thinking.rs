//! Thinking whose stream was cut off has no signature, and Anthropic refuses every request that contains it (INV-1).

use contextfold::message::Format;
use serde_json::{Value, json};

use super::{broken, prepare, push, restored, sent, session};

fn cut_off() -> Value {
    json!([
        { "role": "user", "content": "Go on." },
        { "role": "assistant", "content": [{ "type": "thinking", "thinking": "cut off", "signature": "" }, { "type": "text", "text": "Well" }] },
        { "role": "user", "content": "Go on!" },
        { "role": "assistant", "content": [{ "type": "redacted_thinking", "data": "" }, { "type": "thinking", "thinking": "no key" }] },
        { "role": "user", "content": "And?" },
        { "role": "assistant", "content": [{ "type": "thinking", "thinking": "whole", "signature": "s" }, { "type": "text", "text": "Done" }] }
    ])
}

#[test]
fn it_is_left_out_of_the_view_and_reported() {
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    let ids = push(&mut s, Format::Anthropic, &cut_off());
    assert_eq!(broken(&s, Format::Anthropic), [""; 0]);
    let written = Value::Array(sent(&s, Format::Anthropic).items).to_string();
    assert!(!written.contains("cut off") && !written.contains("no key"), "{written}");
    assert!(written.contains("whole") && written.contains("Well"), "{written}");
    let report = prepare(&mut s);
    let told: Vec<&str> =
        report.left_out.iter().filter(|l| l.why.contains("cut off")).map(|l| l.id.as_str()).collect();
    assert_eq!(told, [&ids[1], &ids[3]]);
    assert_eq!(prepare(&mut s).left_out, [], "it is told once");
}

#[test]
fn it_costs_no_tokens_and_stays_in_the_history() {
    let mut with = session(&json!({}));
    let mut without = session(&json!({}));
    push(&mut with, Format::Anthropic, &cut_off());
    let mut list = cut_off();
    list[1]["content"].as_array_mut().unwrap().remove(0);
    list.as_array_mut().unwrap().remove(3);
    push(&mut without, Format::Anthropic, &list);
    assert_eq!(with.tokens(), without.tokens());
    let history = with.context().history.nodes().iter().map(|n| &*n.message).collect::<Vec<_>>();
    assert_eq!(history.len(), 6);
    assert_eq!(history[1].parts.len(), 2);
}

#[test]
fn neither_a_pin_nor_a_rewind_brings_it_back() {
    for rewinds in [false, true] {
        let mut s = session(&json!({ "contextWindow": 100_000 }));
        let ids = push(&mut s, Format::Anthropic, &cut_off());
        s.set_pinned(&ids[1], true).unwrap();
        if rewinds {
            s.rewind(Some(&ids[1])).unwrap();
        }
        assert_eq!(broken(&s, Format::Anthropic), [""; 0]);
        let written = Value::Array(sent(&s, Format::Anthropic).items).to_string();
        assert!(!written.contains("cut off") && written.contains("Well"), "{written}");
        let told = prepare(&mut s).left_out;
        assert!(told.iter().any(|l| l.id.as_str() == &*ids[1] && l.why.contains("cut off")), "{told:?}");
    }
}

#[test]
fn it_stays_out_after_a_snapshot() {
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    push(&mut s, Format::Anthropic, &cut_off());
    let saved = s.snapshot(&[]);
    let again = restored(&saved);
    assert_eq!(sent(&again, Format::Anthropic), sent(&s, Format::Anthropic));
    assert_eq!(again.snapshot(&[]), saved);
    assert_eq!(broken(&again, Format::Anthropic), [""; 0]);
}

#[test]
fn other_formats_leave_it_out_too() {
    let mut s = session(&json!({}));
    let list = json!([
        { "role": "user", "content": "Go on." },
        { "role": "assistant", "content": [
            { "type": "reasoning", "text": "cut off", "providerOptions": { "anthropic": { "signature": "" } } },
            { "type": "text", "text": "Well" }
        ] },
        { "role": "user", "content": "Go on!" }
    ]);
    push(&mut s, Format::AiSdk, &list);
    for format in Format::ALL {
        let written = Value::Array(sent(&s, format).items).to_string();
        assert!(!written.contains("cut off"), "{written}");
        assert_eq!(broken(&s, format), [""; 0]);
    }
}
