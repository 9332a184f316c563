//! From one format to another.

use std::borrow::Cow;
use std::io::Write;

use contextfold::ErrorCode;
use contextfold::message::{Format, MediaKind, Message, Part};
use contextfold::provider::{CheckOptions, Severity, check, convert, provider, unlink_each};
use serde_json::{Value, json};

use super::data::recorded;

fn errors(format: Format, output: &Value) -> Vec<String> {
    let options = CheckOptions { pending: true, provider: Some("other"), ..CheckOptions::default() };
    let found = check(format, output, &options).unwrap();
    found
        .iter()
        .filter(|v| v.severity == Severity::Error)
        .map(|v| format!("{} at {}: {}", v.rule, v.index, v.message))
        .collect()
}

fn call_ids(format: Format, list: &Value) -> Vec<String> {
    let read = provider(format).read(list).unwrap();
    // Anthropic accepts only letters, digits, _ and -, so only the beginning of another provider's id with a colon is kept.
    let beginning = |id: &str| id.replace(':', "_").chars().take(40).collect();
    read.iter().flat_map(Message::tool_calls).filter(|c| !c.hosted).map(|c| beginning(&c.id)).collect()
}

/// Writes the output for the providers' own validators if `CONTEXTFOLD_CONVERSIONS` names a folder.
fn dump(from: Format, to: Format, name: &str, output: &Value) {
    let Some(folder) = std::env::var_os("CONTEXTFOLD_CONVERSIONS") else { return };
    let path = std::path::PathBuf::from(folder).join(format!("{}.{}.jsonl", from.as_str(), to.as_str()));
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    writeln!(file, "{}", json!({ "name": name, "output": output })).unwrap();
}

/// Converts every recorded list to every other format.
fn every_list_converts(suffix: &str, from: Format) {
    let (mut lists, mut notes) = (0, 0);
    for list in recorded(suffix) {
        let input = Value::Array(list.items);
        for to in Format::ALL.into_iter().filter(|to| *to != from) {
            let converted =
                convert(from, to, &input).unwrap_or_else(|e| panic!("{} to {}: {e}", list.name, to.as_str()));
            if errors(from, &input).is_empty() {
                assert_eq!(
                    errors(to, &converted.output),
                    Vec::<String>::new(),
                    "{} to {}",
                    list.name,
                    to.as_str()
                );
            }
            assert_eq!(
                call_ids(to, &converted.output),
                call_ids(from, &input),
                "{} to {}",
                list.name,
                to.as_str()
            );
            notes += converted.notes.len();
            dump(from, to, &list.name, &converted.output);
            if to == Format::Messages {
                let back = convert(to, from, &converted.output).unwrap();
                assert_eq!(back.output, input, "{} through messages", list.name);
            }
        }
        lists += 1;
    }
    println!("{suffix}: {lists} lists to four formats, {notes} notes");
}

#[test]
fn responses() {
    every_list_converts(".responses.jsonl", Format::OpenaiResponses);
}

#[test]
fn chat() {
    every_list_converts(".chat.jsonl", Format::OpenaiChat);
}

#[test]
fn anthropic() {
    every_list_converts(".anthropic.jsonl", Format::Anthropic);
}

#[test]
fn the_header_is_placed_where_the_format_keeps_it() {
    let list = json!([
        { "role": "system", "content": "rules" },
        { "role": "developer", "content": "more" },
        { "role": "user", "content": "hi" },
        { "role": "system", "content": "later" },
        { "role": "assistant", "content": "ok" }
    ]);
    let out = convert(Format::OpenaiChat, Format::Anthropic, &list).unwrap();
    assert_eq!(
        out.output,
        json!({
            "system": [{ "type": "text", "text": "rules" }, { "type": "text", "text": "more" }, { "type": "text", "text": "later" }],
            "messages": [{ "role": "user", "content": "hi" }, { "role": "assistant", "content": "ok" }]
        })
    );
    let told: Vec<(usize, &str)> = out.notes.iter().map(|n| (n.index, n.what.as_str())).collect();
    assert_eq!(
        told,
        [
            (1, "a developer message is written as a system message"),
            (3, "it is moved to before the conversation"),
            (0, "3 system messages are written as one, each as a part of it")
        ]
    );
    let body =
        json!({ "system": "rules", "messages": [{ "role": "user", "content": "hi" }], "max_tokens": 5 });
    let out = convert(Format::Anthropic, Format::OpenaiResponses, &body).unwrap();
    assert_eq!(
        out.output,
        json!([{ "role": "system", "content": "rules" }, { "role": "user", "content": "hi" }])
    );
}

#[test]
fn content_that_cannot_be_converted_leaves_a_note() {
    let list = json!([
        { "role": "user", "content": [{ "type": "image", "source": { "type": "file", "file_id": "f" } }, { "type": "text", "text": "hi" }] },
        { "role": "assistant", "content": [
            { "type": "thinking", "thinking": "hm", "signature": "s" },
            { "type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {} },
            { "type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [] },
            { "type": "tool_use", "id": "a", "name": "f", "input": {} }
        ] },
        { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "a", "is_error": true, "content": "x" }] }
    ]);
    let out = convert(Format::Anthropic, Format::OpenaiChat, &list).unwrap();
    assert_eq!(
        out.output,
        json!([
            { "role": "user", "content": "hi" },
            { "role": "assistant", "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "f", "arguments": "{}" } }] },
            { "role": "tool", "tool_call_id": "a", "content": "x" }
        ])
    );
    let at: Vec<usize> = out.notes.iter().map(|n| n.index).collect();
    assert_eq!(at, [0, 1, 1, 1, 2], "{:?}", out.notes);
}

#[test]
fn a_custom_call_and_a_shell_call_become_functions_and_keep_their_outputs() {
    let list = json!([
        { "role": "user", "content": "go" },
        { "type": "custom_tool_call", "call_id": "a", "name": "patch", "input": "*** free text" },
        { "type": "custom_tool_call_output", "call_id": "a", "output": "ok" },
        { "type": "shell_call", "call_id": "b", "action": { "commands": ["ls"] } },
        { "type": "shell_call_output", "call_id": "b", "output": [{ "stdout": "a.txt", "stderr": "", "outcome": { "type": "exit", "exit_code": 0 } }] }
    ]);
    let out = convert(Format::OpenaiResponses, Format::Anthropic, &list).unwrap().output;
    assert_eq!(out[1]["content"][0]["input"], json!({ "input": "*** free text" }));
    assert_eq!(out[3]["content"][0]["input"], json!({ "commands": ["ls"] }));
    assert_eq!(out[4]["content"][0]["tool_use_id"], "b");
    assert!(out[4]["content"][0]["content"].to_string().contains("a.txt"));
}

#[test]
fn fields_that_only_the_format_of_the_input_has_leave_a_note() {
    let list =
        json!([{ "role": "user", "content": "hi", "name": "Ann", "cache_control": { "type": "ephemeral" } }]);
    for to in Format::ALL.into_iter().filter(|to| *to != Format::OpenaiChat) {
        let notes = convert(Format::OpenaiChat, to, &list).unwrap().notes;
        let told: Vec<&str> = notes.iter().map(|n| n.what.as_str()).collect();
        let expected = if to == Format::Messages {
            vec![]
        } else {
            vec!["it loses `name`: the format has no such field"]
        };
        assert_eq!(told, expected, "{}", to.as_str());
    }
}

/// What the conversion tells, with the indexes.
fn told(from: Format, to: Format, list: &Value) -> Vec<(usize, String)> {
    convert(from, to, list).unwrap().notes.into_iter().map(|note| (note.index, note.what)).collect()
}

#[test]
fn fields_that_lose_nothing_leave_no_note() {
    let call = |id: &str| json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": id, "type": "function", "function": { "name": "f", "arguments": "{}" } }] });
    let list = json!([
        { "role": "user", "content": "go" },
        call("a"),
        { "role": "tool", "tool_call_id": "a", "name": "f", "content": "x" },
        call("b"),
        { "role": "tool", "tool_call_id": "b", "name": "other", "content": "x" }
    ]);
    let wanted = [(4, "it loses `name`: the format has no such field".to_owned())];
    assert_eq!(told(Format::OpenaiChat, Format::Anthropic, &list), wanted);
    let list = json!([{ "role": "user", "content": "go", "createdAt": "2026-01-01T00:00:00Z" }]);
    assert_eq!(told(Format::AiSdk, Format::Anthropic, &list), []);
}

#[test]
fn system_messages_that_become_one_are_noted_at_the_first() {
    let body = json!({ "instructions": "rules", "input": [{ "role": "user", "content": "hi" }] });
    let read = provider(Format::OpenaiResponses).read(&body).unwrap();
    let written = provider(Format::OpenaiResponses).write(&[&read[0], &read[0], &read[1]]);
    assert_eq!(written.head, Some(json!("rules\n\nrules")));
    let told: Vec<(usize, &str)> = written.notes.iter().map(|n| (n.index, n.what.as_str())).collect();
    assert_eq!(told, [(0, "2 system messages are written as one")]);
    let list = json!([
        { "role": "user", "content": "hi" },
        { "role": "system", "content": "a" },
        { "role": "system", "content": "b" }
    ]);
    let merged = (1, "2 system messages are written as one, each as a part of it".to_owned());
    assert!(self::told(Format::OpenaiChat, Format::Anthropic, &list).contains(&merged));
}

#[test]
fn fields_of_parts_that_a_model_reads_leave_a_note() {
    let document = json!({
        "type": "document", "source": { "type": "base64", "media_type": "application/pdf", "data": "JVBERi0=" },
        "context": "from the archive", "citations": { "enabled": true }
    });
    let anthropic = json!([{ "role": "user", "content": [document, { "type": "text", "text": "go" }] }]);
    let responses = json!([
        { "role": "user", "content": "go" },
        { "type": "message", "role": "assistant", "phase": "commentary", "content": [{ "type": "output_text", "text": "I look" }] },
        { "type": "function_call", "call_id": "a", "name": "f", "namespace": "files", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "a", "output": "x" }
    ]);
    let gemini = json!([
        { "role": "user", "parts": [{ "text": "go" }] },
        { "role": "model", "parts": [{ "text": "hm", "thought": true, "thoughtSignature": "c2ln" }, { "text": "done" }] }
    ]);
    let lost =
        |index: usize, fields: &str| (index, format!("a part loses {fields}: the format has no such field"));
    let losses = [
        (Format::Anthropic, anthropic, vec![lost(0, "`citations`, `context`")]),
        (Format::OpenaiResponses, responses, vec![lost(1, "`phase`"), lost(1, "`namespace`")]),
        (Format::Gemini, gemini, vec![lost(1, "`thoughtSignature`")]),
    ];
    for (from, list, lost) in losses {
        let told = told(from, Format::AiSdk, &list);
        assert!(lost.iter().all(|lost| told.contains(lost)), "{}: {told:?}", from.as_str());
        assert!(
            !convert(from, Format::Messages, &list).unwrap().notes.iter().any(|n| n.what.contains("loses"))
        );
    }
}

#[test]
fn arguments_that_are_not_json_do_not_become_json() {
    let arguments = r#"{"a": 00000000012345678901234567890}"#;
    let call = json!({ "id": "c", "type": "function", "function": { "name": "f", "arguments": arguments } });
    let list = json!([{ "role": "user", "content": "go" }, { "role": "assistant", "content": null, "tool_calls": [call] }]);
    let out = convert(Format::Messages, Format::Anthropic, &list).unwrap();
    assert_eq!(out.output.pointer("/1/content/0/input"), Some(&json!({ "input": arguments })));
    assert!(!out.notes.iter().any(|note| note.what.contains("2^53")), "{:?}", out.notes);
}

#[test]
fn a_history_with_nothing_convertible_is_refused() {
    let list = json!([{ "type": "compaction", "encrypted_content": "gA" }]);
    let e = convert(Format::OpenaiResponses, Format::OpenaiChat, &list).unwrap_err();
    assert_eq!(e.code(), ErrorCode::InvalidArgument);
}

#[test]
fn running_calls_stay_open() {
    let list = json!([
        { "role": "user", "content": "go" },
        { "role": "assistant", "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "f", "arguments": "{}" } }] }
    ]);
    for to in [Format::Anthropic, Format::OpenaiResponses, Format::AiSdk] {
        let out = convert(Format::OpenaiChat, to, &list).unwrap().output;
        assert_eq!(out.as_array().unwrap().len(), 2, "{out}");
    }
}

/// OpenAI's items in the AI SDK: reasoning, two texts of one message, a call, and its output.
fn linked_items() -> Value {
    json!([
        { "role": "user", "content": "go" },
        { "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": "hm" }], "encrypted_content": "gA" },
        { "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [{ "type": "output_text", "text": "I look", "annotations": [] }] },
        { "type": "function_call", "id": "fc_1", "call_id": "a", "name": "f", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "a", "output": "1" },
        { "role": "user", "content": "and?" }
    ])
}

#[test]
fn reasoning_and_its_items_keep_their_ids_through_the_ai_sdk() {
    let list = linked_items();
    let there = convert(Format::OpenaiResponses, Format::AiSdk, &list).unwrap();
    assert_eq!(
        there.output[1]["content"],
        json!([
            { "type": "reasoning", "text": "hm", "providerOptions": { "openai": { "itemId": "rs_1", "reasoningEncryptedContent": "gA" } } },
            { "type": "text", "text": "I look", "providerOptions": { "openai": { "itemId": "msg_1" } } },
            { "type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {}, "providerOptions": { "openai": { "itemId": "fc_1" } } }
        ])
    );
    let back = convert(Format::AiSdk, Format::OpenaiResponses, &there.output).unwrap();
    let ids =
        |list: &Value| -> Vec<Value> { list.as_array().unwrap().iter().map(|v| v["id"].clone()).collect() };
    assert_eq!(ids(&back.output), ids(&list), "{}", back.output);
    assert_eq!(back.output[1], list[1]);
    let store = CheckOptions { store: Some(true), original: Some(&list), ..CheckOptions::default() };
    assert_eq!(check(Format::OpenaiResponses, &back.output, &store).unwrap(), []);
    let ours = convert(Format::AiSdk, Format::Messages, &there.output).unwrap();
    let through = convert(Format::Messages, Format::OpenaiResponses, &ours.output).unwrap();
    assert_eq!(through.output, back.output, "by way of our own messages");
}

#[test]
fn a_reasoning_summary_of_several_texts_becomes_one_item_again() {
    let part = |text: &str| json!({ "type": "reasoning", "text": text, "providerOptions": { "openai": { "itemId": "rs_1" } } });
    let call = json!({ "type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {}, "providerOptions": { "openai": { "itemId": "fc_1" } } });
    let list = json!([{ "role": "user", "content": "go" }, { "role": "assistant", "content": [part("one"), part("two"), call] }]);
    let out = convert(Format::AiSdk, Format::OpenaiResponses, &list).unwrap().output;
    let texts: Vec<&str> =
        out[1]["summary"].as_array().unwrap().iter().map(|s| s["text"].as_str().unwrap()).collect();
    assert_eq!((texts, &out[2]["id"]), (vec!["one", "two"], &json!("fc_1")), "{out}");
}

#[test]
fn reasoning_loses_its_id_if_its_call_lost_its_own() {
    let list = |options: Value| {
        json!([
            { "role": "user", "content": "go" },
            { "role": "assistant", "content": [
                { "type": "reasoning", "text": "hm", "providerOptions": { "openai": options } },
                { "type": "tool-call", "toolCallId": "a", "toolName": "f", "input": {} }
            ] },
            { "role": "tool", "content": [{ "type": "tool-result", "toolCallId": "a", "toolName": "f", "output": { "type": "text", "value": "1" } }] }
        ])
    };
    let store = CheckOptions { store: Some(true), ..CheckOptions::default() };
    let encrypted = json!({ "itemId": "rs_1", "reasoningEncryptedContent": "gA" });
    let out = convert(Format::AiSdk, Format::OpenaiResponses, &list(encrypted)).unwrap();
    assert_eq!((&out.output[1]["id"], &out.output[1]["encrypted_content"]), (&Value::Null, &json!("gA")));
    assert_eq!(check(Format::OpenaiResponses, &out.output, &store).unwrap(), []);
    assert!(out.notes.iter().any(|n| n.what.contains("lost its id")), "{:?}", out.notes);
    let out = convert(Format::AiSdk, Format::OpenaiResponses, &list(json!({ "itemId": "rs_1" }))).unwrap();
    assert_eq!(out.output[1]["type"], "function_call", "without an id and encrypted content it says nothing");
    assert!(out.notes.iter().any(|n| n.what.contains("is left out")), "{:?}", out.notes);
}

#[test]
fn items_without_their_reasoning_are_unlinked_for_the_ai_sdk() {
    let there = convert(Format::OpenaiResponses, Format::AiSdk, &linked_items()).unwrap().output;
    let history = provider(Format::AiSdk).read(&there).unwrap();
    let mut view = history.clone();
    view[1].parts.remove(0);
    let view = unlink_each(&history, view.into_iter().map(Cow::Owned));
    let view: Vec<&Message> = view.iter().flatten().map(Cow::as_ref).collect();
    let out = Value::Array(provider(Format::AiSdk).write(&view).items);
    assert!(!out.to_string().contains("itemId"), "{out}");
}

#[test]
fn reasoning_is_dropped_with_an_item_the_ai_sdk_cannot_represent() {
    let reasoning = |n: u8| json!({ "type": "reasoning", "id": format!("rs_{n}"), "summary": [], "encrypted_content": "gA" });
    let text = |n: u8| json!({ "type": "message", "id": format!("msg_{n}"), "role": "assistant", "content": [{ "type": "output_text", "text": format!("Text {n}."), "annotations": [] }] });
    let image =
        json!({ "type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "iVBO" });
    let user = json!({ "role": "user", "content": "Draw." });
    let said = |items: &[&Value]| {
        let list: Vec<&Value> = [&[&user], items, &[&user]].concat();
        let out = convert(Format::OpenaiResponses, Format::AiSdk, &json!(list)).unwrap();
        let told =
            out.notes.iter().any(|note| note.what.contains("followed it cannot be written in this format"));
        let ids = out.output.as_array().unwrap().iter().filter_map(|m| m["content"].as_array()).flatten();
        let ids: Vec<String> = ids
            .map(|p| p["providerOptions"]["openai"]["itemId"].as_str().unwrap_or("-").to_owned())
            .collect();
        (ids.join(" "), told)
    };
    assert_eq!(said(&[&reasoning(1), &image]), (String::new(), true));
    assert_eq!(said(&[&reasoning(1), &image, &text(1)]), ("-".to_owned(), true));
    assert_eq!(said(&[&reasoning(1), &text(1), &image]), ("rs_1 msg_1".to_owned(), false));
    let both = [&reasoning(1), &image, &text(1), &reasoning(2), &text(2)];
    assert_eq!(said(&both), ("- rs_2 msg_2".to_owned(), true));
}

#[test]
fn thinking_is_dropped_if_nothing_after_it_can_be_converted() {
    let thinking = json!({ "type": "thinking", "thinking": "Hm.", "signature": "c2ln" });
    let search = json!({ "type": "server_tool_use", "id": "s1", "name": "web_search", "input": {} });
    let found = json!({ "type": "web_search_tool_result", "tool_use_id": "s1", "content": [] });
    let text = json!({ "type": "text", "text": "Found." });
    let user = json!({ "role": "user", "content": "Look." });
    let kinds = |content: Value| {
        let list = json!([user, { "role": "assistant", "content": content }, user]);
        let out = convert(Format::Anthropic, Format::AiSdk, &list).unwrap().output.to_string();
        (out.contains("reasoning"), out.contains("Found."))
    };
    assert_eq!(kinds(json!([thinking, search, found])), (false, false));
    assert_eq!(kinds(json!([thinking, search, found, text])), (true, true));
}

#[test]
fn unacceptable_ids_are_rewritten_and_stay_distinct() {
    let long = |end: &str| format!("{}{end}", "x".repeat(70));
    let ids = ["a.1", "a:1", "a_1", "", "日本", &long("1"), &long("2")];
    let call = |id: &&str| json!({ "id": id, "type": "function", "function": { "name": "read", "arguments": "{}" } });
    let mut list = vec![json!({ "role": "user", "content": "go" })];
    list.push(json!({ "role": "assistant", "content": null, "tool_calls": ids.iter().map(call).collect::<Vec<_>>() }));
    list.extend(ids.iter().map(|id| json!({ "role": "tool", "tool_call_id": id, "content": "fine" })));
    for to in [Format::Anthropic, Format::OpenaiResponses] {
        let converted = convert(Format::Messages, to, &Value::Array(list.clone())).unwrap();
        let found = check(to, &converted.output, &CheckOptions::default()).unwrap();
        let refused: Vec<_> = found.iter().filter(|v| v.severity == Severity::Error).collect();
        assert!(refused.is_empty(), "{}: {refused:?}", to.as_str());
        assert!(converted.output.to_string().contains("\"a_1\""), "what fits stays");
    }
}

#[test]
fn integers_too_large_for_javascript_are_unchanged() {
    let arguments =
        r#"{"id":9007199254740993,"fine":9007199254740991,"list":[-9223372036854775808],"half":0.5}"#;
    let call =
        json!({ "id": "c", "type": "function", "function": { "name": "read", "arguments": arguments } });
    let list = json!([{ "role": "user", "content": "go" }, { "role": "assistant", "content": null, "tool_calls": [call] }]);
    for to in [Format::Anthropic, Format::AiSdk] {
        let output = convert(Format::Messages, to, &list).unwrap().output;
        let input = json!({ "id": "9007199254740993", "fine": 9_007_199_254_740_991_u64, "list": ["-9223372036854775808"], "half": 0.5 });
        assert_eq!(output.pointer("/1/content/0/input"), Some(&input), "{output}");
    }
}

#[test]
fn names_refused_by_apis_are_reported() {
    let call = |name: &str| {
        json!([{ "role": "user", "content": "go" }, { "role": "assistant", "content": null,
        "tool_calls": [{ "id": "c", "type": "function", "function": { "name": name, "arguments": "{}" } }] }])
    };
    let told = |format: Format, list: &Value, rule: &str| {
        check(format, list, &CheckOptions::default()).unwrap().iter().any(|v| v.rule == rule)
    };
    let item =
        |name: &str| json!([{ "type": "function_call", "call_id": "c", "name": name, "arguments": "{}" }]);
    let block = |name: &str| {
        let call = json!({ "type": "tool_use", "id": "c", "name": name, "input": {} });
        json!([{ "role": "user", "content": "go" }, { "role": "assistant", "content": [call] }])
    };
    for bad in ["get weather", "files.read", "läs", "", &"x".repeat(129)] {
        assert!(told(Format::OpenaiChat, &call(bad), "C-name"), "{bad:?}");
        assert!(told(Format::OpenaiResponses, &item(bad), "R-name"), "{bad:?}");
        assert!(told(Format::Anthropic, &block(bad), "A-name"), "{bad:?}");
        // A name that only another host allows is rewritten, with a note.
        for (format, rule) in [(Format::OpenaiResponses, "R-name"), (Format::Anthropic, "A-name")] {
            let converted = convert(Format::Messages, format, &call(bad)).unwrap();
            assert!(!told(format, &converted.output, rule), "{rule}: {bad:?}");
            assert!(converted.notes.iter().any(|note| note.what.contains("tool name")), "{rule}: {bad:?}");
        }
    }
    assert!(!told(Format::OpenaiChat, &call("read_file-2"), "C-name"));
}

#[test]
fn an_incomplete_ai_sdk_part_is_reported() {
    let part = json!({ "type": "tool-call", "toolCallId": "c", "toolName": null, "input": {} });
    let list = json!([{ "role": "assistant", "content": [part] }]);
    let found = check(Format::AiSdk, &list, &CheckOptions::default()).unwrap();
    assert!(found.iter().any(|v| v.rule == "schema" && v.message.contains("toolName")), "{found:?}");
}

/// One line for each kind of part: messages, and the formats that cannot hold all of it.
const ROUND_TRIPS: &str = include_str!("round_trips.jsonl");

#[test]
fn messages_are_the_same_after_a_round_trip_and_notes_tell_what_is_not() {
    for line in ROUND_TRIPS.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        for to in Format::ALL.into_iter().filter(|to| *to != Format::Messages) {
            let there = convert(Format::Messages, to, &row["messages"]).unwrap();
            let back = convert(to, Format::Messages, &there.output).unwrap().output;
            let what = format!("{} of {line}: {}, then {back}", to.as_str(), there.output);
            let is_changed = row["changed"].as_array().unwrap().iter().any(|format| format == to.as_str());
            assert_eq!(back != row["messages"], is_changed, "{what}");
            assert_eq!(there.notes.is_empty(), !is_changed, "{:?} {what}", there.notes);
            assert!(!back.to_string().contains("extras"), "{what}");
        }
    }
}

#[test]
fn the_ai_sdk_names_an_image_by_its_kind_alone() {
    let ai_sdk = provider(Format::AiSdk);
    for (name, kind) in [
        ("image", MediaKind::Image),
        ("image/*", MediaKind::Image),
        ("audio", MediaKind::Audio),
        ("text", MediaKind::Document),
    ] {
        let list =
            json!([{ "role": "user", "content": [{ "type": "file", "mediaType": name, "data": "AAAA" }] }]);
        let messages = ai_sdk.read(&list).unwrap();
        let Part::Media(media) = &messages[0].parts[0] else { panic!("{name} is no medium") };
        assert_eq!((media.kind, &media.media_type), (kind, &None), "{name}");
        assert_eq!(Value::Array(ai_sdk.write(&messages.iter().collect::<Vec<_>>()).items), list);
    }
    let list =
        json!([{ "role": "user", "content": [{ "type": "file", "mediaType": "image", "data": "AAAA" }] }]);
    let converted = convert(Format::AiSdk, Format::Anthropic, &list).unwrap();
    let source = converted.output.pointer("/0/content/0/source/media_type");
    assert_eq!(source, Some(&json!("image/png")), "no API takes the kind alone");
}
