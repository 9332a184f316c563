//! The rules one by one: those that need the original, those of single providers, and what `repair` does.

use contextfold::ErrorCode;
use contextfold::message::{Format, Message, Role};
use contextfold::provider::{
    CheckOptions, MISSING_OUTPUT, Severity, binds_thinking, check, provider, repair,
};
use serde_json::{Value, json};

/// Each violation as `rule at index`, with an exclamation mark for errors.
fn found(format: Format, list: &Value, options: &CheckOptions<'_>) -> Vec<String> {
    let mark = |s: Severity| if s == Severity::Error { "!" } else { "" };
    let found = check(format, list, options).unwrap();
    found.iter().map(|v| format!("{} at {}{}", v.rule, v.index, mark(v.severity))).collect()
}

fn reasoned() -> Value {
    json!([
        { "role": "user", "content": "hi" },
        { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gA" },
        { "type": "function_call", "id": "fc_1", "call_id": "a", "name": "f", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "a", "output": "x" },
        { "type": "message", "id": "msg_1", "role": "assistant", "content": [{ "type": "output_text", "text": "done" }] }
    ])
}

#[test]
fn rules_that_need_the_original() {
    let before = reasoned();
    let with = CheckOptions { original: Some(&before), ..CheckOptions::default() };
    let mut after = before.clone();
    after.as_array_mut().unwrap().remove(1);
    assert_eq!(found(Format::OpenaiResponses, &after, &CheckOptions::default()), [""; 0]);
    assert_eq!(found(Format::OpenaiResponses, &after, &with), ["R-reasoning-lost at 1!"]);
    let mut after = before.clone();
    after[1]["encrypted_content"] = json!("gB");
    assert_eq!(found(Format::OpenaiResponses, &after, &with), ["R-encrypted-changed at 1!"]);
    let mut after = before.clone();
    after.as_array_mut().unwrap().swap(3, 4);
    assert_eq!(found(Format::OpenaiResponses, &after, &with), ["order-changed at 4"]);
}

#[test]
fn thinking_must_be_sent_back_unchanged() {
    let before = json!([
        { "role": "user", "content": "one" },
        { "role": "assistant", "content": [{ "type": "text", "text": "1" }] },
        { "role": "user", "content": "two" },
        { "role": "assistant", "content": [{ "type": "thinking", "thinking": "hm", "signature": "s" }, { "type": "text", "text": "2" }] }
    ]);
    let with = CheckOptions { original: Some(&before), ..CheckOptions::default() };
    let bound = CheckOptions { bound: true, ..with };
    let mut changed = before.clone();
    changed[3]["content"][0]["thinking"] = json!("other");
    assert_eq!(found(Format::Anthropic, &changed, &with), ["A-thinking-changed at 3!"]);
    let mut edited = before.clone();
    edited[1]["content"][0]["text"] = json!("one, in short");
    assert_eq!(found(Format::Anthropic, &edited, &with), ["A-thinking-bound at 3"]);
    assert_eq!(found(Format::Anthropic, &edited, &bound), ["A-thinking-bound at 3!"]);
    edited[3]["content"].as_array_mut().unwrap().remove(0);
    assert_eq!(found(Format::Anthropic, &edited, &bound), [""; 0]);
}

#[test]
fn models_that_bind_thinking() {
    for (model, binds) in [
        ("claude-opus-5-5", true),
        ("anthropic/claude-sonnet-5.5-20261001", true),
        ("claude-fable-5-1", true),
        ("claude-sonnet-4-5-20250929", false),
        ("claude-opus-4-8", false),
        ("gpt-5-5", false),
    ] {
        assert_eq!(binds_thinking(model), binds, "{model}");
    }
}

#[test]
fn providers_differ() {
    let interleaved = json!([
        { "role": "user", "content": "go" },
        { "type": "function_call", "call_id": "a", "name": "f", "arguments": "{}" },
        { "role": "user", "content": "hurry" },
        { "type": "function_call_output", "call_id": "a", "output": "x" }
    ]);
    let of = |provider| CheckOptions { provider: Some(provider), ..CheckOptions::default() };
    assert_eq!(found(Format::OpenaiResponses, &interleaved, &of("openai")), [""; 0]);
    assert_eq!(found(Format::OpenaiResponses, &interleaved, &of("deepseek")), ["R-interleaved at 2!"]);
    let fixed = repair(Format::OpenaiResponses, &interleaved, &of("deepseek")).unwrap();
    assert_eq!(fixed.output[2]["type"], "function_call_output");

    let empty = json!([{ "role": "user", "content": "go" }, { "role": "assistant", "content": "x", "tool_calls": [] }]);
    assert_eq!(
        found(Format::OpenaiChat, &empty, &of("openai")),
        ["schema at 1!", "C-empty-calls at 1!"][1..]
    );
    assert_eq!(found(Format::OpenaiChat, &empty, &of("mistral")), ["C-empty-calls at 1"]);

    let signed = json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "tool_calls": [{ "id": "call_1", "type": "function", "function": { "name": "f", "arguments": "{}" },
            "extra_content": { "google": { "thought_signature": "sig" } } }] },
        { "role": "tool", "tool_call_id": "call_1", "content": "x" }
    ]);
    let mut lost = signed.clone();
    lost[1]["tool_calls"][0].as_object_mut().unwrap().remove("extra_content");
    let gemini = CheckOptions { original: Some(&signed), ..of("gemini") };
    assert_eq!(found(Format::OpenaiChat, &lost, &gemini), ["C-thought-signature at 1!"]);
    assert_eq!(found(Format::OpenaiChat, &signed, &gemini), [""; 0]);
    assert_eq!(found(Format::OpenaiChat, &signed, &of("mistral")), ["C-id-form at 1"]);
}

fn thinking(calls: [Value; 2]) -> Value {
    let [first, second] = calls;
    let call = |id: &str, more: Value| {
        let mut message = json!({ "role": "assistant", "content": null,
            "tool_calls": [{ "id": id, "type": "function", "function": { "name": "f", "arguments": "{}" } }] });
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        message
    };
    json!([
        { "role": "user", "content": "go" },
        call("a", first),
        { "role": "tool", "tool_call_id": "a", "content": "x" },
        call("b", second),
        { "role": "tool", "tool_call_id": "b", "content": "x" }
    ])
}

#[test]
fn reasoning_rules_by_dialect() {
    let of = |provider| CheckOptions { provider: Some(provider), ..CheckOptions::default() };
    let (both, one) = (json!({ "reasoning_content": "hm" }), json!({}));
    for provider in ["deepseek", "deepseek-chat", "moonshotai", "kimi-k2-thinking"] {
        // If any message has reasoning, calls without it are refused; if none has, thinking is off.
        for lacking in [json!({}), json!({ "reasoning_content": null })] {
            let list = thinking([both.clone(), lacking]);
            assert_eq!(found(Format::OpenaiChat, &list, &of(provider)), ["C-reasoning-missing at 3!"]);
            let mended = repair(Format::OpenaiChat, &list, &of(provider)).unwrap();
            assert_eq!(mended.changes.iter().map(|c| c.rule).collect::<Vec<_>>(), ["C-reasoning-missing"]);
            assert_eq!(mended.output[3]["reasoning_content"], "…");
            assert_eq!(mended.output[1], list[1]);
            assert_eq!(found(Format::OpenaiChat, &mended.output, &of(provider)), [""; 0]);
        }
        for lacking in [one.clone(), json!({ "reasoning_content": "" })] {
            let list = thinking([lacking.clone(), lacking]);
            assert_eq!(found(Format::OpenaiChat, &list, &of(provider)), [""; 0]);
        }
        let list = thinking([both.clone(), json!({ "reasoning_content": "" })]);
        assert_eq!(
            found(Format::OpenaiChat, &list, &of(provider)),
            [""; 0],
            "an empty one was taken when it was recorded"
        );
    }
    for provider in ["openai", "xai", "qwen", "zai", "mistral"] {
        let list = thinking([both.clone(), one.clone()]);
        let rules = found(Format::OpenaiChat, &list, &of(provider));
        assert!(!rules.iter().any(|rule| rule.starts_with("C-reasoning")), "{provider}: {rules:?}");
    }
}

#[test]
fn reasoning_must_be_sent_back_unchanged() {
    for (provider, field, came, told) in [
        ("deepseek", "reasoning_content", json!("hm"), "C-reasoning-lost at 3!"),
        ("glm-4.7", "reasoning_content", json!("hm"), "C-reasoning-lost at 3"),
        (
            "minimax",
            "reasoning_details",
            json!([{ "type": "reasoning.text", "text": "hm" }]),
            "C-reasoning-lost at 3",
        ),
        (
            "openrouter",
            "reasoning_details",
            json!([{ "type": "reasoning.encrypted", "data": "gA" }]),
            "C-reasoning-lost at 3",
        ),
        (
            "litellm",
            "thinking_blocks",
            json!([{ "type": "thinking", "thinking": "hm", "signature": "s" }]),
            "C-reasoning-lost at 3",
        ),
    ] {
        let before = thinking([json!({ field: came }), json!({ field: came })]);
        let with =
            CheckOptions { provider: Some(provider), original: Some(&before), ..CheckOptions::default() };
        assert_eq!(found(Format::OpenaiChat, &before, &with), [""; 0], "{provider}");
        let mut lost = before.clone();
        lost[3].as_object_mut().unwrap().remove(field);
        let rules = found(Format::OpenaiChat, &lost, &with);
        assert!(rules.contains(&told.to_owned()), "{provider}: {rules:?}");
        if came.is_array() {
            let mut changed = before.clone();
            changed[3][field][0]["more"] = json!(1);
            assert_eq!(
                found(Format::OpenaiChat, &changed, &with),
                ["C-reasoning-changed at 3"],
                "{provider}"
            );
        }
        // Reading and writing changes nothing, and two answers that become one message keep the reasoning of both.
        let p = provider_of_chat();
        let messages = p.read(&before).unwrap();
        assert_eq!(Value::Array(p.write(&messages.iter().collect::<Vec<_>>()).items), before, "{provider}");
        let joined = p.write_run(
            &[&messages[1], &messages[3]],
            &contextfold::provider::Calls::default(),
            &mut Vec::new(),
        );
        let kept = &joined[0][field];
        match came {
            Value::Array(_) => assert_eq!(kept.as_array().unwrap().len(), 2, "{provider}"),
            _ => assert_eq!(kept, "hm\n\nhm", "{provider}"),
        }
    }
}

fn provider_of_chat() -> &'static dyn contextfold::provider::Provider {
    provider(Format::OpenaiChat)
}

#[test]
fn keys_of_the_messages_format_are_reported() {
    let own = json!([
        { "role": "user", "content": "go", "pinned": true, "item_type": "USER_MESSAGE", "priority": null },
        { "role": "assistant", "content": "x" },
    ]);
    for format in [Format::OpenaiChat, Format::Anthropic, Format::AiSdk] {
        assert_eq!(found(format, &own, &CheckOptions::default()), ["own-keys at 0"], "{format:?}");
    }
    assert_eq!(found(Format::Messages, &own, &CheckOptions::default()), [""; 0]);
    let told = check(Format::OpenaiChat, &own, &CheckOptions::default()).unwrap();
    assert!(
        told[0].message.contains("`item_type`, `pinned`")
            && told[0].message.contains("session.view(\"openai-chat\")")
    );
}

#[test]
fn repair_reports_its_changes() {
    let broken = json!({ "model": "m", "input": [
        { "type": "function_call_output", "call_id": "gone", "output": "x" },
        { "role": "user", "content": "go" },
        { "type": "function_call", "id": "other_1", "call_id": "a", "name": "f", "arguments": "{}" },
        { "type": "function_call", "call_id": "b", "name": "f", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "b", "output": "1" },
        { "type": "function_call_output", "call_id": "b", "output": "2" },
        { "type": "custom_tool_call", "call_id": "c", "name": "g", "input": "x" },
        { "type": "function_call_output", "call_id": "c", "output": "3", "status": null },
        { "type": "function_call", "name": "no id" },
        { "type": "reasoning", "id": "rs_1" }
    ] });
    let fixed = repair(Format::OpenaiResponses, &broken, &CheckOptions::default()).unwrap();
    let rules: Vec<String> = fixed.changes.iter().map(|c| format!("{} {}", c.index, c.rule)).collect();
    assert_eq!(
        rules,
        [
            "0 R-orphan-output", "2 R-id-prefix", "2 R-unanswered", "5 R-dup-output", "7 R-kind", "8 schema",
            "9 R-summary", "9 R-reasoning-tail"
        ]
    );
    assert_eq!(
        fixed.output,
        json!({ "model": "m", "input": [
            { "role": "user", "content": "go" },
            { "type": "function_call", "call_id": "a", "name": "f", "arguments": "{}" },
            { "type": "function_call", "call_id": "b", "name": "f", "arguments": "{}" },
            { "type": "function_call_output", "call_id": "a", "output": MISSING_OUTPUT },
            { "type": "function_call_output", "call_id": "b", "output": "1" },
            { "type": "custom_tool_call", "call_id": "c", "name": "g", "input": "x" },
            { "type": "custom_tool_call_output", "call_id": "c", "output": "3" }
        ] })
    );
    let again = repair(Format::OpenaiResponses, &fixed.output, &CheckOptions::default()).unwrap();
    assert_eq!((again.output, again.changes), (fixed.output, Vec::new()), "what is whole stays as it is");
}

#[test]
fn reasoning_before_an_item_no_model_makes_is_dropped() {
    let callers = json!({ "type": "additional_tools", "role": "developer", "tools": [] });
    let broken = json!([
        { "role": "user", "content": "go" },
        { "type": "reasoning", "id": "rs_1", "summary": [] },
        callers,
        { "role": "user", "content": "and?" },
    ]);
    let fixed = repair(Format::OpenaiResponses, &broken, &CheckOptions::default()).unwrap();
    assert_eq!(fixed.output, json!([broken[0], callers, broken[3]]));
    assert_eq!(fixed.changes[0].rule, "R-reasoning-tail");
}

#[test]
fn repair_of_an_anthropic_history() {
    let broken = json!([
        { "role": "assistant", "content": [{ "type": "text", "text": "" }, { "type": "text", "text": "hello" }] },
        { "role": "user", "content": [{ "type": "text", "text": "first" }, { "type": "tool_use", "id": "u", "name": "f", "input": {} }] },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm", "signature": "" },
            { "type": "web_search_tool_result", "tool_use_id": "srvtoolu_9", "content": [] },
            { "type": "tool_use", "id": "a", "name": "f", "input": {} },
            { "type": "tool_use", "id": "b", "name": "f", "input": {} }
        ] },
        { "role": "user", "content": [{ "type": "text", "text": "wait" }, { "type": "tool_result", "tool_use_id": "a", "content": "1" }] },
        { "role": "user", "content": [] },
        { "role": "assistant", "content": "done  " }
    ]);
    let fixed = repair(Format::Anthropic, &broken, &CheckOptions::default()).unwrap();
    assert_eq!(found(Format::Anthropic, &fixed.output, &CheckOptions::default()), [""; 0]);
    let out = fixed.output.as_array().unwrap();
    assert_eq!(out.len(), 6);
    let ids: Vec<&str> =
        out[4]["content"].as_array().unwrap().iter().map(|b| b["type"].as_str().unwrap()).collect();
    assert_eq!(ids, ["tool_result", "tool_result", "text"]);
    assert_eq!(out[5]["content"], "done");
}

#[test]
fn in_the_ai_sdk_no_system_message_separates_a_call_from_its_placeholder_result() {
    let call = |id: &str| json!({ "role": "assistant", "content": [{ "type": "tool-call", "toolCallId": id, "toolName": "f", "input": {} }] });
    let result = |id: &str| json!({ "role": "tool", "content": [{ "type": "tool-result", "toolCallId": id, "toolName": "f", "output": { "type": "text", "value": "fine" } }] });
    let system = json!({ "role": "system", "content": "Be brief." });
    let list =
        json!([{ "role": "user", "content": "go" }, call("a"), system, call("b"), result("b"), result("c")]);
    let mended = repair(Format::AiSdk, &list, &CheckOptions::default()).unwrap();
    assert_eq!(mended.output[2]["content"][0]["toolCallId"], "a", "{:?}", mended.output);
    assert_eq!(found(Format::AiSdk, &json!(mended.output), &CheckOptions::default()), [""; 0]);
}

#[test]
fn pending_calls_may_stay_open() {
    let list = json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "f", "arguments": "{}" } }] }
    ]);
    let pending = CheckOptions { pending: true, ..CheckOptions::default() };
    assert_eq!(found(Format::OpenaiChat, &list, &CheckOptions::default()), ["C-unanswered at 1!"]);
    assert_eq!(found(Format::OpenaiChat, &list, &pending), [""; 0]);
    assert_eq!(repair(Format::OpenaiChat, &list, &pending).unwrap().changes, []);
}

#[test]
fn messages_after_an_open_call_end_its_step() {
    let pending = CheckOptions { pending: true, ..CheckOptions::default() };
    let function = json!({ "name": "f", "arguments": "{}" });
    let asks = json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": "a", "type": "function", "function": function }] });
    let chat = json!([{ "role": "user", "content": "go" }, asks, { "role": "user", "content": "hurry" }]);
    let responses = json!([
        { "role": "user", "content": "go" },
        { "type": "function_call", "call_id": "a", "name": "f", "arguments": "{}" },
        { "role": "user", "content": "hurry" }
    ]);
    let anthropic = json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "f", "input": {} }] },
        { "role": "user", "content": "hurry" }
    ]);
    for (format, list, rule) in [
        (Format::OpenaiChat, &chat, "C-unanswered at 1!"),
        (Format::Messages, &chat, "M-unanswered at 1!"),
        (Format::OpenaiResponses, &responses, "R-unanswered at 1!"),
        (Format::Anthropic, &anthropic, "A-unanswered at 1!"),
    ] {
        assert_eq!(found(format, list, &pending), [rule]);
        let fixed = repair(format, list, &pending).unwrap();
        assert_eq!(fixed.changes.len(), 1, "{rule}");
        assert_eq!(found(format, &fixed.output, &pending), [""; 0]);
    }
}

#[test]
fn a_request_for_approval_needs_an_answer() {
    let request = |id: &str| json!({ "type": "mcp_approval_request", "id": id, "server_label": "s", "name": "pay", "arguments": "{}" });
    let answer = json!({ "type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": true });
    let list = json!([{ "role": "user", "content": "go" }, request("mcpr_1"), request("mcpr_2"), answer, { "role": "user", "content": "hurry" }]);
    for pending in [false, true] {
        let options = CheckOptions { pending, ..CheckOptions::default() };
        assert_eq!(found(Format::OpenaiResponses, &list, &options), ["R-unanswered at 2!"]);
        let fixed = repair(Format::OpenaiResponses, &list, &options).unwrap();
        assert_eq!(fixed.changes.iter().map(|c| c.rule).collect::<Vec<_>>(), ["R-unanswered"]);
        assert_eq!(found(Format::OpenaiResponses, &fixed.output, &options), [""; 0]);
    }
    let waiting = json!([list[0], request("mcpr_1")]);
    let pending = CheckOptions { pending: true, ..CheckOptions::default() };
    assert_eq!(found(Format::OpenaiResponses, &waiting, &pending), [""; 0]);
}

#[test]
fn anthropic_texts_must_not_be_blank() {
    let list = json!([
        { "role": "user", "content": [{ "type": "text", "text": " \n" }, { "type": "text", "text": "go" }] },
        { "role": "assistant", "content": [{ "type": "tool_use", "id": "a", "name": "f", "input": {} }] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "is_error": true, "content": "" }] }
    ]);
    let options = CheckOptions::default();
    assert_eq!(found(Format::Anthropic, &list, &options), ["A-empty-text at 0!", "A-empty-error at 2!"]);
    let fixed = repair(Format::Anthropic, &list, &options).unwrap();
    assert_eq!(found(Format::Anthropic, &fixed.output, &options), [""; 0]);
    assert_eq!(fixed.changes.len(), 3, "two texts out, one in");

    let ours = json!([{ "role": "user", "content": "  " }, { "role": "assistant", "content": "yes" }]);
    let ours = provider(Format::Messages).read(&ours).unwrap();
    let mut failed = Message::tool("a", "");
    if let contextfold::message::Part::ToolOutput(output) = &mut failed.parts[0] {
        output.is_error = true;
    }
    let all: Vec<&Message> = ours.iter().chain([&failed]).collect();
    let items = provider(Format::Anthropic).write(&all).items;
    assert_eq!(items[0], json!({ "role": "user", "content": "(no text)" }));
    let said = items[2]["content"][0]["content"].as_str().unwrap();
    assert!(!said.trim().is_empty(), "{said}");
}

#[test]
fn reasoning_before_an_unreadable_item_is_dropped_even_if_an_answer_follows() {
    let list = json!([
        { "role": "user", "content": "go" },
        { "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABo" },
        { "id": "fc_1", "call_id": "a", "name": "f", "arguments": "{}" },
        { "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
          "content": [{ "type": "output_text", "text": "done", "annotations": [] }] }
    ]);
    let tail = |found: Vec<String>| found.into_iter().filter(|v| v.contains("R-reasoning-tail")).count();
    assert_eq!(tail(found(Format::OpenaiResponses, &list, &CheckOptions::default())), 1);
    let fixed = repair(Format::OpenaiResponses, &list, &CheckOptions::default()).unwrap();
    assert_eq!(tail(found(Format::OpenaiResponses, &fixed.output, &CheckOptions::default())), 0);
    assert_eq!(fixed.output.as_array().unwrap().len(), 3, "what is not understood stays");
}

#[test]
fn reasoning_before_an_item_of_an_unknown_type_stays() {
    let reasoning =
        json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABo" });
    let orphan = json!({ "type": "function_call_output", "call_id": "a", "output": "x" });
    for unknown in
        [json!({ "type": "sandbox_snapshot", "id": "sb_1" }), json!({ "type": "sandbox_snapshot" })]
    {
        let list = json!([{ "role": "user", "content": "go" }, reasoning, unknown, { "role": "user", "content": "on" }]);
        let options = CheckOptions::default();
        assert_eq!(found(Format::OpenaiResponses, &list, &options), ["R-reasoning-tail at 1"]);
        assert_eq!(repair(Format::OpenaiResponses, &list, &options).unwrap().changes, []);
        // Other errors around it are repaired.
        let mut broken = list.clone();
        broken.as_array_mut().unwrap().push(orphan.clone());
        assert_eq!(repair(Format::OpenaiResponses, &broken, &options).unwrap().output, list);
    }
}

#[test]
fn a_call_with_a_duplicate_item_id_is_dropped_with_its_output_if_it_needs_the_id() {
    let shell = |call: &str| {
        json!({ "type": "local_shell_call", "id": "ls_1", "call_id": call, "status": "completed",
            "action": { "type": "exec", "command": ["ls"], "env": {} } })
    };
    let computer = |call: &str| {
        json!({ "type": "computer_call", "id": "cc_1", "call_id": call, "status": "completed",
            "action": { "type": "wait" }, "pending_safety_checks": [] })
    };
    let function = |call: &str| json!({ "type": "function_call", "id": "fc_1", "call_id": call, "name": "f", "arguments": "{}" });
    let plain = |call: &str| json!({ "type": "function_call_output", "call_id": call, "output": "x" });
    let picture = |call: &str| {
        json!({ "type": "computer_call_output", "call_id": call,
            "output": { "type": "computer_screenshot", "image_url": "data:image/png;base64,AA" } })
    };
    let options = CheckOptions::default();
    for (first, second, rules, left) in [
        ([shell("a"), plain("a")], vec![shell("b"), plain("b")], &["R-dup-id", "R-orphan-output"][..], 3),
        ([shell("a"), plain("a")], vec![shell("b")], &["R-dup-id"], 3),
        (
            [computer("a"), picture("a")],
            vec![computer("b"), picture("b")],
            &["R-dup-id", "R-orphan-output"],
            3,
        ),
        ([function("a"), plain("a")], vec![function("b"), plain("b")], &["R-dup-id"], 5),
    ] {
        let mut list = vec![json!({ "role": "user", "content": "go" })];
        list.extend(first.into_iter().chain(second));
        let fixed = repair(Format::OpenaiResponses, &json!(list), &options).unwrap();
        assert_eq!(fixed.changes.iter().map(|c| c.rule).collect::<Vec<_>>(), rules);
        assert_eq!(fixed.output.as_array().unwrap().len(), left);
        assert_eq!(found(Format::OpenaiResponses, &fixed.output, &options), [""; 0]);
        assert_eq!(repair(Format::OpenaiResponses, &fixed.output, &options).unwrap().changes, []);
    }
}

#[test]
fn a_plain_output_is_converted_to_its_calls_kind() {
    let custom = json!({ "type": "custom_tool_call", "call_id": "a", "name": "f", "input": "x" });
    let computer = json!({ "type": "computer_call", "id": "cc_1", "call_id": "a", "status": "completed",
        "action": { "type": "wait" }, "pending_safety_checks": [] });
    for (call, kind) in [(custom, "custom_tool_call_output"), (computer, "computer_call_output")] {
        let answer = json!({ "type": "function_call_output", "call_id": "a", "output": "o" });
        let list = json!([{ "role": "user", "content": "go" }, call, answer]);
        let options = CheckOptions::default();
        assert_eq!(found(Format::OpenaiResponses, &list, &options), ["R-kind at 2!"]);
        let fixed = repair(Format::OpenaiResponses, &list, &options).unwrap();
        assert_eq!(fixed.changes.iter().map(|c| (c.index, c.rule)).collect::<Vec<_>>(), [(2, "R-kind")]);
        assert_eq!(fixed.output[2]["type"], json!(kind));
        assert_eq!(found(Format::OpenaiResponses, &fixed.output, &options), [""; 0]);
        let missing = json!([list[0], list[1]]);
        let fixed = repair(Format::OpenaiResponses, &missing, &options).unwrap();
        assert_eq!(fixed.changes.iter().map(|c| c.rule).collect::<Vec<_>>(), ["R-unanswered"]);
    }
}

#[test]
fn arguments_that_are_not_text_are_repaired() {
    let list = json!([
        { "role": "user", "content": "go" },
        { "type": "function_call", "call_id": "a", "name": "f", "arguments": { "x": 1 } },
        { "type": "function_call_output", "call_id": "a", "output": "x" }
    ]);
    let fixed = repair(Format::OpenaiResponses, &list, &CheckOptions::default()).unwrap();
    assert_eq!(fixed.output[1]["arguments"], json!(r#"{"x":1}"#));
    assert_eq!((fixed.output.as_array().unwrap().len(), fixed.changes.len()), (3, 1));
    let call = json!({ "id": "a", "type": "function", "function": { "name": "f" } });
    let chat = json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "tool_calls": [call] },
        { "role": "tool", "tool_call_id": "a", "content": "x" }
    ]);
    assert_eq!(found(Format::OpenaiChat, &chat, &CheckOptions::default()), ["schema at 1!"]);
    let fixed = repair(Format::OpenaiChat, &chat, &CheckOptions::default()).unwrap();
    assert_eq!(found(Format::OpenaiChat, &fixed.output, &CheckOptions::default()), [""; 0]);
}

/// A tool that returned `undefined` leaves its output without a text.
#[test]
fn an_output_without_a_text_gets_an_empty_one() {
    let call = json!({ "id": "a", "type": "function", "function": { "name": "f", "arguments": "{}" } });
    let chat = |output: Value| {
        json!([
            { "role": "user", "content": "x" }, { "role": "assistant", "content": null, "tool_calls": [call] }, output
        ])
    };
    let responses = |output: Value| {
        json!([
            { "role": "user", "content": "x" },
            { "type": "function_call", "call_id": "a", "name": "f", "arguments": "{}" },
            output
        ])
    };
    for (format, list, key) in [
        (
            Format::OpenaiChat,
            chat(json!({ "role": "tool", "tool_call_id": "a", "content": null })),
            "content",
        ),
        (Format::OpenaiChat, chat(json!({ "role": "tool", "tool_call_id": "a" })), "content"),
        (
            Format::OpenaiResponses,
            responses(json!({ "type": "function_call_output", "call_id": "a", "output": null })),
            "output",
        ),
        (
            Format::OpenaiResponses,
            responses(json!({ "type": "function_call_output", "call_id": "a" })),
            "output",
        ),
    ] {
        let options = CheckOptions::default();
        assert_eq!(check(format, &list, &options).unwrap().len(), 1, "{list}");
        let repaired = repair(format, &list, &options).unwrap();
        assert_eq!(repaired.output[2][key], json!(""), "{:?}", repaired.changes);
        assert_eq!(repaired.changes.len(), 1, "{:?}", repaired.changes);
        assert_eq!(check(format, &repaired.output, &options).unwrap(), [], "{list}");
    }
}

#[test]
fn provider_name_aliases_are_recognised() {
    use contextfold::provider::Dialect;
    for (name, dialect) in [
        ("OpenAI", "openai"),
        ("openai.responses", "openai"),
        ("azure-openai", "openai"),
        ("mistralai", "mistral"),
        ("google-vertex", "gemini"),
        ("google.generative-ai", "gemini"),
        ("google-vertex-anthropic", "anthropic"),
        ("openai-compatible", "other"),
        ("DeepSeek.chat", "deepseek"),
        ("nobody", "other"),
    ] {
        assert_eq!(Dialect::of(name).name, dialect, "{name}");
    }
    let unknown = CheckOptions { provider: Some("nobody"), ..CheckOptions::default() };
    assert_eq!(
        found(Format::OpenaiChat, &json!([{ "role": "user", "content": "x" }]), &unknown),
        ["provider-unknown at 0"]
    );
}

#[test]
fn gemini_requires_its_signatures() {
    let signed = json!([
        { "role": "user", "parts": [{ "text": "go" }] },
        { "role": "model", "parts": [
            { "functionCall": { "id": "a", "name": "f", "args": {} }, "thoughtSignature": "sig" },
            { "functionCall": { "id": "b", "name": "f", "args": {} } }
        ] },
        { "role": "user", "parts": [
            { "functionResponse": { "id": "a", "name": "f", "response": { "output": "x" } } },
            { "functionResponse": { "id": "b", "name": "f", "response": { "output": "y" } } }
        ] }
    ]);
    let mut lost = signed.clone();
    lost[1]["parts"][0].as_object_mut().unwrap().remove("thoughtSignature");
    let with = CheckOptions { original: Some(&signed), ..CheckOptions::default() };
    assert_eq!(found(Format::Gemini, &signed, &with), [""; 0]);
    assert_eq!(
        found(Format::Gemini, &lost, &with),
        ["G-thought-signature at 1", "G-thought-signature at 1!"],
        "older models take it, this one does not"
    );
    // The API no longer checks it after the user's next message.
    let later = [
        json!({ "role": "model", "parts": [{ "text": "done" }] }),
        json!({ "role": "user", "parts": [{ "text": "and?" }] }),
    ];
    lost.as_array_mut().unwrap().extend(later);
    assert_eq!(found(Format::Gemini, &lost, &CheckOptions::default()), [""; 0]);
}

#[test]
fn every_spelling_of_geminis_contents_is_read() {
    let said = json!([{ "role": "user", "parts": [{ "text": "go" }, { "text": "on" }] }]);
    for body in [
        json!({ "contents": said }),
        json!({ "contents": said[0] }),
        json!({ "contents": ["go", "on"] }),
        json!({ "contents": ["go", { "text": "on" }] }),
    ] {
        let read = provider(Format::Gemini).read(&body).unwrap();
        let written = provider(Format::Gemini).write(&read.iter().collect::<Vec<&Message>>());
        assert_eq!(json!(written.items), said, "{body}");
    }
    for system in [
        json!("rules"),
        json!(["rules"]),
        json!({ "text": "rules" }),
        json!({ "parts": [{ "text": "rules" }] }),
    ] {
        for body in [
            json!({ "systemInstruction": system, "contents": said }),
            json!({ "system_instruction": system, "contents": said }),
            json!({ "config": { "systemInstruction": system }, "contents": said }),
        ] {
            let read = provider(Format::Gemini).read(&body).unwrap();
            let written = provider(Format::Gemini).write(&read.iter().collect::<Vec<&Message>>());
            assert_eq!(written.head, Some(json!({ "parts": [{ "text": "rules" }] })), "{body}");
        }
    }
}

/// The API's reference: `role` is optional, and a content without one is the user's.
#[test]
fn a_content_of_gemini_without_a_role_is_the_users_and_any_other_role_is_refused() {
    let read = |content: &Value| provider(Format::Gemini).read(&json!([content]));
    let parts = json!([{ "text": "go" }]);
    for content in [json!({ "parts": parts }), json!({ "role": null, "parts": parts })] {
        let read = read(&content).unwrap();
        assert_eq!(read[0].role, Role::User);
        assert_eq!(json!(provider(Format::Gemini).write(&[&read[0]]).items), json!([content]));
    }
    for role in [json!(5), json!(["model"]), json!("assistant"), json!("")] {
        let refused = read(&json!({ "role": role, "parts": parts })).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::InvalidMessage, "{role}");
        assert!(refused.message().contains("unknown role `"), "{refused}");
    }
}

/// Google's SDK makes one content per chunk of a stream.
#[test]
fn chunks_of_a_streamed_answer_are_one_turn() {
    let call =
        |name: &str| json!({ "role": "model", "parts": [{ "functionCall": { "name": name, "args": {} } }] });
    let answer = |name: &str| json!({ "functionResponse": { "name": name, "response": { "output": name } } });
    let list = json!([
        { "role": "user", "parts": [{ "text": "go" }] },
        { "role": "model", "parts": [{ "text": "I look." }] },
        call("f"), call("g"),
        { "role": "user", "parts": [answer("g"), answer("f")] }
    ]);
    let older = CheckOptions { provider: Some("other"), ..CheckOptions::default() };
    assert_eq!(found(Format::Gemini, &list, &older), [""; 0]);
    let read = provider(Format::Gemini).read(&list).unwrap();
    let ids: Vec<&str> = read.iter().flat_map(Message::tool_outputs).map(|o| o.call_id.as_str()).collect();
    assert_eq!(ids, ["g", "f"]);
    let written = provider(Format::Gemini).write(&read.iter().collect::<Vec<&Message>>());
    assert_eq!(json!(written.items), list);
    let mut torn = list.clone();
    torn[4] = json!({ "role": "user", "parts": [answer("g")] });
    torn.as_array_mut().unwrap().push(json!({ "role": "user", "parts": [answer("f")] }));
    assert_eq!(found(Format::Gemini, &torn, &older), ["G-unanswered at 2!", "G-orphan-result at 5!"]);
    let mended = repair(Format::Gemini, &torn, &older).unwrap();
    assert_eq!(mended.output, list);
    assert_eq!(mended.changes.iter().map(|c| (c.rule, c.index)).collect::<Vec<_>>(), [("G-result-place", 5)]);
}

#[test]
fn a_document_of_bedrock_without_a_name_gets_one() {
    let document = |name: Value| {
        let mut document =
            json!({ "format": "pdf", "source": { "bytes": "AAAA" }, "citations": { "enabled": true } });
        if name != json!("none") {
            document["name"] = name;
        }
        json!({ "document": document })
    };
    let list = |names: [Value; 2]| {
        let [one, other] = names.map(document);
        json!([{ "role": "user", "content": [{ "text": "Read." }, one, other] }])
    };
    for missing in [json!("none"), json!(null), json!(7), json!("")] {
        let fixed =
            repair(Format::BedrockConverse, &list([json!("a"), missing]), &CheckOptions::default()).unwrap();
        assert_eq!(fixed.output, list([json!("a"), json!("document")]));
        assert_eq!(fixed.changes.iter().map(|change| change.rule).collect::<Vec<_>>(), ["B-doc-name"]);
    }
    let two =
        repair(Format::BedrockConverse, &list([json!("none"), json!("document")]), &CheckOptions::default());
    assert_eq!(found(Format::BedrockConverse, &two.unwrap().output, &CheckOptions::default()), [""; 0]);
    let whole = list([json!("document"), json!("a")]);
    let fixed = repair(Format::BedrockConverse, &whole, &CheckOptions::default()).unwrap();
    assert_eq!((fixed.output, fixed.changes), (whole, Vec::new()), "what is whole stays as it is");
}

#[test]
fn a_call_or_result_in_a_role_that_the_ai_sdk_has_none_for_is_removed() {
    let call = json!({ "type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {} });
    let result = json!({ "type": "tool-result", "toolCallId": "a", "toolName": "f", "output": { "type": "text", "value": "x" } });
    let go = json!({ "role": "user", "content": "Go." });
    for role in ["user", "system", "tool"] {
        for list in [
            json!([go, { "role": role, "content": [call] }, { "role": "tool", "content": [result] }]),
            json!([go, { "role": role, "content": [call, result] }]),
        ] {
            let before = found(Format::AiSdk, &list, &CheckOptions::default());
            assert!(before.iter().any(|rule| rule == "schema at 1!"), "{role}: {before:?}");
            let fixed = repair(Format::AiSdk, &list, &CheckOptions::default()).unwrap();
            assert_eq!(fixed.output, json!([go]), "{role}");
            assert!(!fixed.changes.is_empty());
        }
    }
}

#[test]
fn an_answer_whose_content_is_an_empty_list_is_removed() {
    let go = json!({ "role": "user", "content": "Go." });
    let call = json!({ "id": "a", "type": "function", "function": { "name": "f", "arguments": "{}" } });
    let answer = json!({ "role": "tool", "tool_call_id": "a", "content": "x" });
    let list = json!([go, { "role": "assistant", "content": [] }, go, { "role": "assistant", "content": [], "tool_calls": [call] }, answer]);
    assert_eq!(found(Format::OpenaiChat, &list, &CheckOptions::default()), ["C-null-content at 1!"]);
    let fixed = repair(Format::OpenaiChat, &list, &CheckOptions::default()).unwrap();
    // Beside calls the API takes one, as recorded requests show.
    let called = json!({ "role": "assistant", "content": [], "tool_calls": [call] });
    assert_eq!(fixed.output, json!([go, go, called, answer]));
}

#[test]
fn a_results_own_tool_name_stays_whatever_was_read_before_it() {
    let call = json!({ "role": "assistant", "content": [{ "type": "tool-call", "toolCallId": "a", "toolName": "grep", "input": {} }] });
    let result = json!({ "role": "tool", "content": [{ "type": "tool-result", "toolCallId": "a", "toolName": "unknown", "output": { "type": "text", "value": "x" } }] });
    let sdk = provider(Format::AiSdk);
    let read = |entry: &Value| sdk.read(&json!([entry])).unwrap();
    let go = json!({ "role": "user", "content": "Go." });
    let messages: Vec<Message> = [&go, &call, &result].into_iter().flat_map(read).collect();
    let messages: Vec<&Message> = messages.iter().collect();
    assert_eq!(sdk.write(&messages).items, [go, call, result]);
}
