//! Long histories, valid and broken, take linear time. Searching everything before each entry would make these tests run for
//! hours.

use std::borrow::Cow;

use contextfold::message::{Format, Message};
use contextfold::provider::{CheckOptions, check, provider, repair, unlink_each};
use serde_json::{Value, json};

const MANY: usize = 30_000;

fn rules(format: Format, list: &Value) -> Vec<&'static str> {
    check(format, list, &CheckOptions::default()).unwrap().iter().map(|v| v.rule).collect()
}

fn mended(format: Format, list: &Value) -> (usize, usize) {
    let fixed = repair(format, list, &CheckOptions::default()).unwrap();
    assert_eq!(rules(format, &fixed.output), [""; 0]);
    (fixed.output.as_array().unwrap().len(), fixed.changes.len())
}

#[test]
fn anthropic() {
    let step = |i: usize| {
        let (id, server) = (format!("toolu_{i}"), format!("srvtoolu_{i}"));
        [
            json!({ "role": "assistant", "content": [
                { "type": "server_tool_use", "id": server, "name": "web_search", "input": {} },
                { "type": "web_search_tool_result", "tool_use_id": server, "content": [] },
                { "type": "tool_use", "id": id, "name": "f", "input": {} }
            ] }),
            json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": "x" }] }),
        ]
    };
    let start = json!({ "role": "user", "content": "go" });
    let list: Value = std::iter::once(start).chain((0..MANY).flat_map(step)).collect();
    assert_eq!(rules(Format::Anthropic, &list), [""; 0]);
}

#[test]
fn outputs_without_calls_and_calls_without_outputs() {
    let call = |i: usize| json!({ "type": "function_call", "call_id": format!("c{i}"), "name": "f", "arguments": "{}" });
    let output =
        |i: usize| json!({ "type": "function_call_output", "call_id": format!("c{i}"), "output": "x" });
    let orphans: Value = (0..MANY).map(output).chain([json!({ "role": "user", "content": "go" })]).collect();
    assert_eq!(rules(Format::OpenaiResponses, &orphans), vec!["R-orphan-output"; MANY]);
    assert_eq!(mended(Format::OpenaiResponses, &orphans), (1, MANY));
    let open: Value = (0..MANY).map(call).collect();
    assert_eq!(rules(Format::OpenaiResponses, &open), vec!["R-unanswered"; MANY]);
    assert_eq!(mended(Format::OpenaiResponses, &open), (2 * MANY, MANY));
    let backwards: Value = (0..MANY).map(call).chain((0..MANY).rev().map(output)).collect();
    assert_eq!(rules(Format::OpenaiResponses, &backwards), [""; 0]);
}

#[test]
fn reasoning_that_nothing_follows() {
    let list: Value = (0..MANY)
        .map(|i| json!({ "type": "reasoning", "id": format!("rs_{i}"), "summary": [] }))
        .chain([json!({ "role": "user", "content": "go" })])
        .collect();
    assert_eq!(rules(Format::OpenaiResponses, &list), vec!["R-reasoning-tail"; MANY]);
    assert_eq!(mended(Format::OpenaiResponses, &list).0, 1);
    let read = provider(Format::OpenaiResponses).read(&list).unwrap();
    assert_eq!(unlink_each(&read, read.iter().map(Cow::Borrowed)).iter().flatten().count(), 1);
}

#[test]
fn chat_with_many_calls_in_one_message() {
    let calls: Vec<Value> = (0..MANY)
        .map(|i| json!({ "id": format!("c{i}"), "type": "function", "function": { "name": "f", "arguments": "{}" } }))
        .collect();
    let asks = json!({ "role": "assistant", "content": null, "tool_calls": calls });
    let answer = |i: usize| json!({ "role": "tool", "tool_call_id": format!("c{i}"), "content": "x" });
    let whole: Value = std::iter::once(asks.clone()).chain((0..MANY).rev().map(answer)).collect();
    assert_eq!(rules(Format::OpenaiChat, &whole), [""; 0]);
    let late = [json!({ "role": "user", "content": "hurry" })];
    let torn: Value = std::iter::once(asks).chain(late).chain((0..MANY).map(answer)).collect();
    assert_eq!(mended(Format::OpenaiChat, &torn), (MANY + 2, MANY));
}

#[test]
fn one_id_for_every_call() {
    let step = [
        json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": "c", "type": "function", "function": { "name": "f", "arguments": "{}" } }] }),
        json!({ "role": "tool", "tool_call_id": "c", "content": "x" }),
    ];
    let mut list: Vec<Value> = step.iter().cycle().take(2 * MANY).cloned().collect();
    list.push(step[0].clone());
    assert_eq!(mended(Format::Messages, &Value::Array(list)), (2 * MANY + 2, 1));
}

#[test]
fn messages_with_many_open_calls() {
    let calls: Vec<Value> =
        (0..MANY).map(|i| json!({ "id": format!("c{i}"), "type": "function", "function": { "name": "f", "arguments": "{}" } })).collect();
    let asks = json!({ "role": "assistant", "content": null, "tool_calls": calls });
    let answer = |i: usize| json!({ "role": "tool", "tool_call_id": format!("c{i}"), "content": "x" });
    let list: Value = std::iter::once(asks).chain((0..MANY).rev().map(answer)).collect();
    assert_eq!(rules(Format::Messages, &list), [""; 0]);
    let read: Vec<Message> = provider(Format::Messages).read(&list).unwrap();
    assert_eq!(read.len(), MANY + 1);
}
