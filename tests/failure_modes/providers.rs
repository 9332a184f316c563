//! Content that a provider ties to its position, and content that must parse.

use contextfold::message::{Format, Message, Role};
use contextfold::provider::{CheckOptions, check, provider};
use contextfold::session::Session;
use serde_json::{Value, json};

use super::support::*;

fn read(format: Format, list: &Value) -> Vec<Message> {
    provider(format).read(list).unwrap()
}

fn written(session: &Session, format: Format) -> Value {
    let view = view(session);
    Value::Array(provider(format).write(&view.iter().collect::<Vec<_>>()).items)
}

/// The broken rules whose names begin with one of `rules`.
fn broken(list: &Value, original: &Value, rules: &[&str]) -> Vec<String> {
    let options =
        CheckOptions { original: Some(original), bound: true, pending: true, ..CheckOptions::default() };
    let found = check(Format::Anthropic, list, &options).unwrap();
    let wanted = found.into_iter().filter(|v| rules.iter().any(|r| v.rule.starts_with(r)));
    wanted.map(|v| format!("{} at {}", v.rule, v.index)).collect()
}

/// Turns with signed thinking before each call.
fn thinking(turns: usize) -> Value {
    let mut list = Vec::new();
    for n in 0..turns {
        let id = format!("toolu_{n}");
        list.push(json!({ "role": "user", "content": format!("question {n} {}", filler(20)) }));
        list.push(json!({ "role": "assistant", "content": [
            { "type": "thinking", "thinking": format!("let me think of {n}: {}", filler(30)), "signature": format!("sig{n}") },
            { "type": "tool_use", "id": id, "name": "read_file", "input": { "path": "a.rs" } }] }));
        list.push(json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": filler(40) }] }));
        list.push(
            json!({ "role": "assistant", "content": [{ "type": "text", "text": format!("answer {n}") }] }),
        );
    }
    Value::Array(list)
}

#[test]
fn f08_thinking_is_unchanged_or_removed() {
    const RULES: [&str; 2] = ["A-thinking", "A-signature"];
    let original = thinking(8);
    // Naive: every long text is shortened, thinking too.
    let mut shortened = original.clone();
    for message in shortened.as_array_mut().unwrap() {
        for block in message["content"].as_array_mut().into_iter().flatten() {
            if let Some(text) = block.get("thinking").and_then(Value::as_str) {
                block["thinking"] = Value::from(&text[..text.len() / 2]);
            }
        }
    }
    assert!(!broken(&shortened, &original, &RULES).is_empty());
    // Naive: an older message is edited, and the thinking after it is kept.
    let mut edited = original.clone();
    edited[0]["content"] = json!("[summary of the earlier conversation]");
    assert!(!broken(&edited, &original, &RULES).is_empty());
    let mut kept = 0;
    for mode in ["drop", "keep"] {
        for window in (400..3_000).step_by(200) {
            let options = json!({ "contextWindow": window, "safetyMargin": 0, "boundThinking": mode });
            let mut s = session(&options);
            s.push(read(Format::Anthropic, &original)).unwrap();
            let fit = s.prepare().unwrap();
            run(&mut s, fit, "<summary>s</summary>");
            let now = written(&s, Format::Anthropic);
            let rules = if mode == "drop" { &RULES[..] } else { &["A-thinking-changed", "A-signature"][..] };
            assert_eq!(broken(&now, &original, rules), [""; 0], "{mode}, window {window}");
            kept += now.to_string().matches("sig").count();
        }
    }
    assert!(kept > 0, "views without any thinking prove nothing");
}

#[test]
fn f09_a_thought_signature_stays_on_its_part() {
    let chat = |n: usize| {
        let call = |c: &str| {
            json!({ "id": format!("{c}{n}"), "type": "function", "function": { "name": "read_file", "arguments": "{}" },
            "extra_content": { "google": { "thought_signature": format!("sig-{c}{n}") } } })
        };
        [
            json!({ "role": "user", "content": format!("question {n} {}", filler(20)) }),
            json!({ "role": "assistant", "content": null, "tool_calls": [call("a"), call("b")] }),
            json!({ "role": "tool", "tool_call_id": format!("a{n}"), "content": filler(60) }),
            json!({ "role": "tool", "tool_call_id": format!("b{n}"), "content": filler(60) }),
        ]
    };
    let sdk = |n: usize| {
        let call = |c: &str| {
            json!({ "type": "tool-call", "toolCallId": format!("{c}{n}"), "toolName": "read_file", "input": {},
            "providerOptions": { "google": { "thoughtSignature": format!("sig-{c}{n}") } } })
        };
        let result = |c: &str| {
            json!({ "type": "tool-result", "toolCallId": format!("{c}{n}"), "toolName": "read_file",
            "output": { "type": "text", "value": filler(60) } })
        };
        [
            json!({ "role": "user", "content": [{ "type": "text", "text": format!("question {n} {}", filler(20)) }] }),
            json!({ "role": "assistant", "content": [call("a"), call("b")] }),
            json!({ "role": "tool", "content": [result("a"), result("b")] }),
        ]
    };
    let gemini = |n: usize| {
        let call = |c: &str| {
            json!({ "functionCall": { "id": format!("{c}{n}"), "name": "read_file", "args": {} },
            "thoughtSignature": format!("sig-{c}{n}") })
        };
        let answer = |c: &str| json!({ "functionResponse": { "id": format!("{c}{n}"), "name": "read_file", "response": { "output": filler(60) } } });
        [
            json!({ "role": "user", "parts": [{ "text": format!("question {n} {}", filler(20)) }] }),
            json!({ "role": "model", "parts": [call("a"), call("b")] }),
            json!({ "role": "user", "parts": [answer("a"), answer("b")] }),
        ]
    };
    let lists: [(Format, Vec<Value>); 3] = [
        (Format::OpenaiChat, (0..8).flat_map(chat).collect()),
        (Format::AiSdk, (0..8).flat_map(sdk).collect()),
        (Format::Gemini, (0..8).flat_map(gemini).collect()),
    ];
    for (format, list) in lists {
        // Every call in the list, with its signature.
        let signed = |list: &Value| {
            let mut found = Vec::new();
            for message in list.as_array().unwrap() {
                let calls =
                    ["tool_calls", "content", "parts"].into_iter().filter_map(|key| message[key].as_array());
                let is_call = |c: &&Value| {
                    c["type"] == "function" || c["type"] == "tool-call" || c["functionCall"].is_object()
                };
                for call in calls.flatten().filter(is_call) {
                    let id = call.get("id").or(call.get("toolCallId")).or(call.pointer("/functionCall/id"));
                    let id = id.and_then(Value::as_str).unwrap().to_owned();
                    let on_it = call.to_string().contains(&format!("\"sig-{id}\""));
                    found.push((id, on_it));
                }
            }
            found
        };
        let original = Value::Array(list);
        let messages = read(format, &original);
        // Naive: a call is reduced to its id, name and arguments.
        let naive: Vec<Message> = messages
            .iter()
            .map(|m| {
                let calls: Vec<&str> = m.tool_calls().map(|c| c.id.as_str()).collect();
                if calls.is_empty() { m.clone() } else { super::support::calls(&calls) }
            })
            .collect();
        let naive = Value::Array(provider(format).write(&naive.iter().collect::<Vec<_>>()).items);
        assert!(signed(&naive).iter().all(|(_, on_it)| !on_it));
        let mut seen = 0;
        for window in (400..1_600).step_by(100) {
            let mut s = session(&json!({ "contextWindow": window, "safetyMargin": 0 }));
            s.push(messages.clone()).unwrap();
            let fit = s.prepare().unwrap();
            run(&mut s, fit, "<summary>s</summary>");
            let shown = signed(&written(&s, format));
            assert!(shown.iter().all(|(_, on_it)| *on_it), "{} {window}: {shown:?}", format.as_str());
            seen += shown.len();
        }
        assert!(seen > 0);
    }
}

#[test]
fn f21_shortened_arguments_are_still_valid_json() {
    let arguments = json!({ "path": "src/lib.rs", "content": "line \"quoted\" \\ 日本語\n".repeat(400), "edits": [{ "old": "a".repeat(3_000), "new": "b" }] });
    let text = arguments.to_string();
    let naive = format!("{}…", text.chars().take(1_000).collect::<String>());
    assert!(serde_json::from_str::<Value>(&naive).is_err(), "cut at a length");
    let mut shortened = 0;
    for window in (500..6_000).step_by(250) {
        let mut message = calls(&["c1"]);
        if let contextfold::message::Part::ToolCall(call) = &mut message.parts[0] {
            call.input = text.clone().into();
        }
        let mut s = session(&json!({ "contextWindow": window, "safetyMargin": 0 }));
        s.push(vec![user("write it"), message, Message::tool("c1", "ok")]).unwrap();
        let fit = s.prepare().unwrap();
        run(&mut s, fit, "<summary>s</summary>");
        for call in view(&s).iter().flat_map(Message::tool_calls) {
            let parsed: Value = serde_json::from_str(&call.input).unwrap();
            assert!(parsed.is_object(), "window {window}: {parsed}");
            shortened += usize::from(call.input.len() < text.len());
        }
        assert!(s.tokens() <= window);
    }
    assert!(shortened > 0);
}

#[test]
fn f30_a_pointer_is_shown_only_while_its_target_is() {
    let same = filler(60);
    let mut history = vec![user("read it")];
    for n in 0..4 {
        let id = format!("c{n}");
        history.extend([
            calls(&[&id]),
            Message::tool(id, same.clone()),
            said(&format!("read {n}: {}", filler(10))),
        ]);
        history.push(user(&format!("again {n}")));
    }
    let points = |m: &Message| m.plain_text().contains("the same output stands further down");
    let holds = |m: &Message| m.role == Role::Tool && m.plain_text().starts_with("lorem");
    // Whether the target of each pointer is shown whole after it.
    let is_true = |list: &[Message]| {
        list.iter().enumerate().filter(|(_, m)| points(m)).all(|(at, m)| {
            let text = m.plain_text();
            let named = text.split("ref=").nth(1).and_then(|rest| rest.split(';').next());
            let is_named =
                |m: &Message| m.tool_outputs().any(|o| o.output_ref.as_ref().map(|r| r.id.as_str()) == named);
            list[at..].iter().any(|m| holds(m) && (named.is_none() || is_named(m)))
        })
    };
    // Naive: the older outputs become pointers, and then their target becomes a placeholder like any other output.
    let naive: Vec<Message> = history
        .iter()
        .map(|m| match m.role {
            Role::Tool if m.tool_outputs().next().unwrap().call_id == "c3" => {
                Message::tool("c3", "[trimmed]")
            }
            Role::Tool => {
                let id = m.tool_outputs().next().unwrap().call_id.clone();
                Message::tool(id, "[the same output stands further down]")
            }
            _ => m.clone(),
        })
        .collect();
    assert!(!is_true(&naive));
    let mut pointed = 0;
    for later in [
        json!([]),
        json!([{ "pass": "prune_tool_outputs", "protectTurns": 0 }]),
        json!([{ "pass": "drop_old_tool_results", "keepSteps": 0 }]),
        json!([{ "pass": "truncate_head_tail", "max": 100, "head": 20, "tail": 20 }]),
        json!([{ "pass": "summarize", "keepTurns": 1 }]),
    ] {
        for window in (200..700).step_by(25) {
            let mut ladder = vec![json!({ "pass": "dedupe_reads" })];
            ladder.extend(later.as_array().unwrap().clone());
            let options = json!({ "contextWindow": window, "safetyMargin": 0, "ladder": ladder,
                "toolOutputCache": { "contextBudgetTokens": 400 }, "compaction": { "thresholdRatio": 0.6 } });
            let mut s = session(&options);
            s.push(history.clone()).unwrap();
            for round in 0..3 {
                let id = format!("n{round}");
                let Ok(fit) = s.prepare() else { break };
                run(&mut s, fit, "<summary>s</summary>");
                let shown = view(&s);
                assert!(is_true(&shown), "{later} {window} round {round}: {:#?}", texts(&shown));
                pointed += shown.iter().filter(|m| points(m)).count();
                // A push trims outputs at once, and may remove the target from the view.
                s.push(vec![calls(&[&id]), Message::tool(id, filler(50)), user("more")]).unwrap();
                assert!(is_true(&view(&s)), "{later} {window}, pushed {round}: {:#?}", texts(&view(&s)));
            }
        }
    }
    assert!(pointed > 0);
}

#[test]
fn f32_the_newest_user_message_is_in_every_view() {
    let mut history = vec![Message::text(Role::System, filler(10))];
    history.extend((0..6).flat_map(turn));
    history.extend([user(&format!("the task: {}", filler(30)))]);
    for n in 0..10 {
        let id = format!("w{n}");
        history.extend([calls(&[&id]), Message::tool(id, filler(30))]);
    }
    let asks_it =
        |list: &[Message]| list.iter().any(|m| m.role == Role::User && m.plain_text().contains("the task"));
    // Naive: the oldest messages are dropped until the rest fits.
    let naive = |most: u64| {
        let mut list = history.clone();
        while list.len() > 1 && list.iter().map(|m| m.plain_text().len() as u64 / 4 + 4).sum::<u64>() > most {
            list.remove(1);
        }
        list
    };
    assert!(!asks_it(&naive(300)) && naive(60).len() == 1, "nothing but the system prompt");
    for ladder in ["contextfold", "spec", "rolling", "selective", "steps-design", "steps-execution"] {
        for window in (150..1_500).step_by(50) {
            let options = json!({ "contextWindow": window, "safetyMargin": 0, "ladder": ladder });
            let mut s = session(&options);
            s.push(history.clone()).unwrap();
            if let Ok(fit) = s.prepare() {
                let said = match ladder {
                    "steps-design" | "steps-execution" => {
                        "<compact_summary>{\"current_state\": \"s\"}</compact_summary>"
                    }
                    _ => "<summary>s</summary>",
                };
                let mut fit = fit;
                while let contextfold::session::Fit::NeedsSummary(pending) = fit {
                    match s.resume(*pending, &answer(said)) {
                        Ok(next) => fit = next,
                        Err(_) => break,
                    }
                }
            }
            assert!(asks_it(&view(&s)), "{ladder} {window}: {:?}", texts(&view(&s)));
        }
    }
}
