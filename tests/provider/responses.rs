//! Responses items: every kind, changes, grouping.

use contextfold::ErrorCode;
use contextfold::graph::EdgeKind;
use contextfold::message::{Format, Message, Part, Role};
use contextfold::provider::{CheckOptions, check, provider, reasoning_groups, unlink_each};
use contextfold::session::{Session, SessionConfig};
use contextfold::tokens::BytesPerFour;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::sync::Arc;

fn read(list: &Value) -> Vec<Message> {
    provider(Format::OpenaiResponses).read(list).unwrap()
}

fn written(messages: &[Message]) -> Value {
    Value::Array(provider(Format::OpenaiResponses).write(&messages.iter().collect::<Vec<_>>()).items)
}

fn session() -> Session {
    let config = SessionConfig::from_value(&json!({ "contextWindow": 100_000 })).unwrap();
    Session::new(config, Arc::new(BytesPerFour))
}

/// One item of each kind in the published schema, and some unknown ones.
pub fn every_kind() -> Value {
    json!([
        { "role": "developer", "content": "rules" },
        { "type": "additional_tools", "role": "developer", "tools": [{ "type": "function", "name": "f" }] },
        { "type": "message", "role": "user", "status": "completed", "content": [
            { "type": "input_text", "text": "hi" },
            { "type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "high" },
            { "type": "input_image", "image_url": "https://example.com/a.png", "file_id": null },
            { "type": "input_file", "file_id": "file_1" },
            { "type": "input_file", "file_data": "data:application/pdf;base64,AAAA", "filename": "a.pdf" },
            { "type": "input_file", "file_data": "AAAA", "file_url": "https://example.com/a.pdf" },
            { "type": "input_hologram", "x": 1 }
        ] },
        { "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": "plan" }], "encrypted_content": "gAAA" },
        { "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "commentary", "content": [
            { "type": "output_text", "text": "I will", "annotations": [], "logprobs": [] },
            { "type": "output_text", "text": "look" },
            { "type": "refusal", "refusal": "no" }
        ] },
        { "type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}", "status": null },
        { "type": "custom_tool_call", "id": "ctc_1", "call_id": "c2", "name": "g", "input": "free text" },
        { "type": "computer_call", "id": "cu_1", "call_id": "c3", "action": { "type": "screenshot" }, "pending_safety_checks": [], "status": "completed" },
        { "type": "local_shell_call", "id": "ls_1", "call_id": "c4", "action": { "type": "exec", "command": ["ls"], "env": {} }, "status": "completed" },
        { "type": "shell_call", "call_id": "c5", "action": { "commands": ["ls"] }, "environment": { "type": "local" } },
        { "type": "apply_patch_call", "call_id": "c6", "status": "completed", "operation": { "type": "delete_file", "path": "a" } },
        { "type": "tool_search_call", "call_id": "c7", "execution": "client", "arguments": { "q": 1 }, "status": "completed" },
        { "type": "mcp_approval_request", "id": "mcpr_1", "server_label": "s", "name": "n", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "c1", "output": "text" },
        { "type": "custom_tool_call_output", "call_id": "c2", "output": [{ "type": "input_text", "text": "a" }, { "type": "input_image", "image_url": "data:image/png;base64,AAAA" }] },
        { "type": "computer_call_output", "call_id": "c3", "output": { "type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA" }, "acknowledged_safety_checks": [] },
        { "type": "local_shell_call_output", "id": "c4", "output": "{}", "status": "completed" },
        { "type": "shell_call_output", "call_id": "c5", "output": [
            { "stdout": "a", "stderr": "", "outcome": { "type": "exit", "exit_code": 0 } },
            { "stdout": "", "stderr": "b", "outcome": { "type": "timeout" } }
        ], "max_output_length": 100 },
        { "type": "apply_patch_call_output", "call_id": "c6", "status": "failed", "output": null },
        { "type": "tool_search_output", "call_id": "c7", "execution": "client", "status": "completed", "tools": [{ "type": "function", "name": "f" }] },
        { "type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": true },
        { "role": "system", "content": [{ "type": "input_text", "text": "later" }] },
        { "role": "assistant", "content": "one" },
        { "role": "assistant", "content": "two" },
        { "type": "message", "role": "assistant", "content": [] },
        { "type": "message", "role": "assistant", "content": [{ "type": "output_hologram" }] },
        { "type": "reasoning", "id": "rs_2", "summary": [], "content": [{ "type": "reasoning_text", "text": "a" }, { "type": "reasoning_text", "text": "b" }], "encrypted_content": null },
        { "type": "reasoning", "summary": [], "content": [], "status": "completed" },
        { "type": "web_search_call", "id": "ws_1", "status": "completed", "action": { "type": "search", "query": "q" } },
        { "type": "file_search_call", "id": "fs_1", "status": "completed", "queries": ["q"], "results": null },
        { "type": "code_interpreter_call", "id": "ci_1", "status": "completed", "container_id": "x", "code": "1", "outputs": null },
        { "type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "AAAA" },
        { "type": "mcp_list_tools", "id": "mcpl_1", "server_label": "s", "tools": [] },
        { "type": "mcp_call", "id": "mcp_1", "server_label": "s", "name": "n", "arguments": "{}", "output": "o" },
        { "type": "tool_search_call", "id": "tsc_1", "call_id": null, "execution": "server", "arguments": {}, "status": "completed" },
        { "type": "tool_search_output", "id": "tso_1", "call_id": null, "execution": "server", "status": "completed", "tools": [] },
        { "type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA" },
        { "type": "program", "id": "p_1", "call_id": "p", "code": "x", "fingerprint": "y" },
        { "type": "program_output", "id": "p_2", "call_id": "p", "result": "z", "status": "completed" },
        { "type": "item_reference", "id": "msg_9" },
        { "id": "msg_8" },
        { "type": "configuration_update", "settings": {} },
        { "type": "something_new", "id": "sn_1" },
        { "type": "compaction_trigger" }
    ])
}

#[test]
fn every_kind_of_item_is_written_as_it_was_read() {
    let list = every_kind();
    let messages = read(&list);
    assert_eq!(written(&messages).to_string(), list.to_string());
    let own = Value::Array(provider(Format::Messages).write(&messages.iter().collect::<Vec<_>>()).items);
    let again = provider(Format::Messages).read(&own).unwrap();
    assert_eq!(written(&again).to_string(), list.to_string());
    for (again, message) in again.iter().zip(&messages) {
        assert_eq!(again, message);
    }
}

#[test]
fn consecutive_model_items_are_one_message() {
    let messages = read(&every_kind());
    let roles: String = messages.iter().map(|m| m.role.as_str().chars().next().unwrap()).collect();
    // A compaction begins a new message, because nothing before it is read.
    assert_eq!(roles, "dduattttttttsaadad", "{roles}");
    let run = &messages[3];
    assert_eq!(run.tool_calls().filter(|c| !c.hosted).count(), 8);
    assert_eq!(reasoning_groups(&run.parts), vec![0..12]);
    assert_eq!(contextfold::message::open_calls(&messages), Vec::<&str>::new(), "every call has its output");
    assert!(messages[13].tool_calls().all(|c| c.hosted));
}

#[test]
fn bodies_and_responses_are_read() {
    let body =
        json!({ "model": "m", "instructions": "rules", "input": [{ "role": "user", "content": "hi" }] });
    let messages = read(&body);
    assert_eq!((messages[0].role, messages.len()), (Role::System, 2));
    let p = provider(Format::OpenaiResponses);
    let written = p.write(&messages.iter().collect::<Vec<_>>());
    assert_eq!(
        p.body(written),
        json!({ "instructions": "rules", "input": [{ "role": "user", "content": "hi" }] })
    );
    assert_eq!(read(&json!({ "input": "hi" })), [Message::text(Role::User, "hi")]);
    let response = json!({ "object": "response", "output": [{ "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}" }] });
    assert_eq!(read(&response)[0].tool_calls().count(), 1);
    assert_eq!(p.read(&json!({ "messages": [] })).unwrap_err().code(), ErrorCode::InvalidArgument);
}

#[test]
fn a_trimmed_output_keeps_its_kind_and_its_other_fields() {
    let list = every_kind();
    let mut messages = read(&list);
    for message in &mut messages {
        for part in &mut message.parts {
            if let Part::ToolOutput(output) = part {
                output.content = vec![Part::text("[trimmed]")];
            }
        }
    }
    let out = written(&messages);
    let list = list.as_array().unwrap();
    for (before, after) in list.iter().zip(out.as_array().unwrap()) {
        let keys = |v: &Value| v.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        if before["type"] != "mcp_approval_response" {
            assert_eq!(keys(before), keys(after));
        }
        for key in keys(before).iter().filter(|k| !["output", "tools"].contains(&k.as_str())) {
            assert_eq!(before[key], after[key]);
        }
    }
    assert_eq!(out[13]["output"], "[trimmed]");
    assert_eq!(out[14]["output"], "[trimmed]");
    assert_eq!(out[15]["output"]["type"], "computer_screenshot");
    assert_eq!(
        out[17]["output"],
        json!([{ "stdout": "[trimmed]", "stderr": "", "outcome": { "type": "exit", "exit_code": 0 } }])
    );
    assert_eq!(out[19]["tools"], json!([]));
}

#[test]
fn an_output_made_by_the_engine_has_its_calls_kind() {
    let list = every_kind();
    let mut messages = read(&list);
    for message in messages.iter_mut().filter(|m| m.role == Role::Tool) {
        let id = message.tool_outputs().next().unwrap().call_id.clone();
        *message = Message::tool(id, "[lost]");
    }
    let out = written(&messages);
    for (before, after) in list.as_array().unwrap().iter().zip(out.as_array().unwrap()) {
        let plain = ["local_shell_call_output", "tool_search_output"].iter().any(|t| before["type"] == **t);
        let expected = if plain && before["execution"] != "server" {
            &json!("function_call_output")
        } else {
            &before["type"]
        };
        assert_eq!(expected, &after["type"]);
    }
}

#[test]
fn dropping_reasoning_drops_the_ids_of_its_items_and_vice_versa() {
    let list = json!([
        { "role": "user", "content": "hi" },
        { "type": "reasoning", "id": "rs_1", "summary": [] },
        { "type": "message", "id": "msg_1", "role": "assistant", "content": [{ "type": "output_text", "text": "a" }] },
        { "type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "c1", "output": "x" },
        { "type": "reasoning", "id": "rs_2", "summary": [] },
        { "type": "function_call", "id": "fc_2", "call_id": "c2", "name": "f", "arguments": "{}" },
        { "type": "function_call_output", "call_id": "c2", "output": "x" }
    ]);
    let history = read(&list);
    let view = |change: &dyn Fn(&mut Vec<Message>)| {
        let mut view = history.clone();
        change(&mut view);
        let out = unlink_each(&history, view.into_iter().map(Cow::Owned));
        written(&out.into_iter().flatten().map(Cow::into_owned).collect::<Vec<_>>())
    };
    assert_eq!(view(&|_| {}), list, "nothing lost, nothing changed");

    let out = view(&|v| {
        v[1].parts.remove(0);
    });
    assert_eq!((&out[1]["id"], &out[2]["id"], &out[4]["id"]), (&Value::Null, &Value::Null, &json!("rs_2")));
    assert_eq!(out[2]["call_id"], "c1", "the pairing stays");

    let out = view(&|v| {
        v[1].parts.remove(1);
    });
    assert_eq!(out[1], json!({ "type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}" }));

    let out = view(&|v| {
        v[3].parts.remove(1);
        v.pop();
    });
    assert_eq!(out.as_array().unwrap().len(), 5, "a message of nothing but orphaned reasoning goes: {out}");
}

#[test]
fn malformed_items_are_refused_with_their_index() {
    for bad in [
        json!(1),
        json!({}),
        json!({ "type": 1 }),
        json!({ "role": "narrator", "content": "x" }),
        json!({ "type": "message", "content": "x" }),
        json!({ "role": "user" }),
        json!({ "type": "function_call", "name": "f", "arguments": "{}" }),
        json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": {} }),
        json!({ "type": "function_call_output", "output": "x" }),
        json!({ "type": "shell_call", "action": {} }),
    ] {
        let e = provider(Format::OpenaiResponses)
            .read(&json!([{ "role": "user", "content": "x" }, bad]))
            .unwrap_err();
        assert_eq!(e.code(), ErrorCode::InvalidMessage, "{bad}");
        assert!(e.message().starts_with("message 1:"), "{bad}: {e}");
    }
}

#[test]
fn a_stored_call_is_the_reference_that_an_output_answers() {
    let list = json!([
        { "role": "user", "content": "hi" },
        { "type": "item_reference", "id": "rs_1" },
        { "type": "item_reference", "id": "fc_1" },
        { "id": "ctc_2" },
        { "type": "function_call_output", "call_id": "call_1", "output": "x" },
        { "type": "custom_tool_call_output", "call_id": "call_2", "output": "y" },
        { "type": "item_reference", "id": "msg_1" },
        { "role": "user", "content": "go on" }
    ]);
    let messages = read(&list);
    assert_eq!(written(&messages), list);
    let calls: Vec<&str> = messages[1].tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(calls, ["call_1", "call_2"], "in their order");
    assert!(check(Format::OpenaiResponses, &list, &CheckOptions::default()).unwrap().is_empty());

    let items = list.as_array().unwrap();
    for size in [items.len(), 4, 2, 1] {
        let mut session = session();
        session.graph().unwrap();
        for items in items.chunks(size) {
            session.push(read(&json!(items))).unwrap();
        }
        let restored = Session::restore(&session.snapshot(b""), None, |_| Ok(Arc::new(BytesPerFour)));
        for mut session in [session, restored.unwrap().session] {
            let view: Vec<Message> =
                session.context().view_messages().iter().map(|m| Message::clone(m)).collect();
            assert_eq!(written(&view), list, "{size} at a time");
            assert!(!session.context().history.has_open_calls());
            let messages = view.iter().filter(|message| message.role == Role::Assistant);
            let calls: Vec<String> =
                messages.flat_map(Message::tool_calls).map(|call| call.id.clone()).collect();
            assert_eq!(calls, ["call_1", "call_2"], "{size} at a time");
            let edges = session.graph().unwrap().edges();
            let depend = edges.iter().filter(|edge| edge.kind == EdgeKind::Dependency);
            assert_eq!(depend.count(), 2, "{size} at a time");
        }
    }

    let orphan = json!([
        { "role": "user", "content": "hi" },
        { "type": "item_reference", "id": "msg_1" },
        { "type": "function_call_output", "call_id": "call_1", "output": "x" }
    ]);
    assert!(self::session().push(read(&orphan)).is_err(), "a message is no call");
}

#[test]
fn the_output_of_a_local_shell_may_name_the_item_of_its_call() {
    let call = |n: u32| {
        let action = json!({ "type": "exec", "command": ["ls"], "env": {} });
        json!({ "type": "local_shell_call", "id": format!("lsh_{n}"), "call_id": format!("call_{n}"), "action": action, "status": "completed" })
    };
    let output = |id: &str| json!({ "type": "local_shell_call_output", "id": id, "output": "a.txt" });
    for [one, two] in [["lsh_1", "lsh_2"], ["call_1", "call_2"], ["lsh_2", "lsh_1"]] {
        let list = json!([
            { "role": "user", "content": "hi" }, call(1), call(2), output(one), output(two), { "role": "user", "content": "go on" }
        ]);
        assert_eq!(check(Format::OpenaiResponses, &list, &CheckOptions::default()).unwrap(), [], "{list}");
        assert_eq!(written(&read(&list)), list);
        let (mut together, mut apart) = (session(), session());
        together.push(read(&list)).unwrap();
        for item in list.as_array().unwrap() {
            if item["type"] != "local_shell_call" {
                apart.push(read(&json!([item]))).unwrap();
            } else if item["id"] == "lsh_1" {
                apart.push(read(&json!([call(1), call(2)]))).unwrap();
            }
        }
        for session in [together, apart] {
            let view: Vec<Message> =
                session.context().view_messages().iter().map(|m| Message::clone(m)).collect();
            assert_eq!(written(&view), list);
            let answered: Vec<&str> =
                view.iter().flat_map(Message::tool_outputs).map(|output| output.call_id.as_str()).collect();
            assert!(answered.iter().all(|id| id.starts_with("call_")), "{answered:?}");
        }
    }
    let list = json!([{ "role": "user", "content": "hi" }, call(1), output("lsh_9")]);
    let rules: Vec<&str> = check(Format::OpenaiResponses, &list, &CheckOptions::default())
        .unwrap()
        .iter()
        .map(|violation| violation.rule)
        .collect();
    assert_eq!(rules, ["R-orphan-output", "R-unanswered"]);
    assert_eq!(session().push(read(&list)).unwrap_err().code(), ErrorCode::InvalidMessage);
}

#[test]
fn only_the_users_own_answer_decides_on_an_approval() {
    let request = json!({ "type": "mcp_approval_request", "id": "mcpr_1", "server_label": "s", "name": "pay", "arguments": "{}" });
    let asked = json!([{ "role": "user", "content": "hi" }, request]);
    let mut session = session();
    session.push(read(&asked)).unwrap();
    let refused = session.push(vec![Message::tool("mcpr_1", "Yes, go on.")]).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::InvalidMessage);
    assert!(refused.message().contains("`mcp_approval_response`"), "{refused}");
    let answer = json!({ "type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": true });
    session.push(read(&json!([answer]))).unwrap();
    let view: Vec<Message> = session.context().view_messages().iter().map(|m| Message::clone(m)).collect();
    assert_eq!(written(&view)[2], answer);

    let stand_in = [read(&asked), vec![Message::tool("mcpr_1", "[no output yet]")]].concat();
    let written = provider(Format::OpenaiResponses).write(&stand_in.iter().collect::<Vec<_>>());
    assert_eq!(written.items[2]["approve"], false, "the API requires an answer");
    assert!(written.notes.iter().any(|note| note.what.contains("approval")), "{:?}", written.notes);
}
