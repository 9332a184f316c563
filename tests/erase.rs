//! An erased message leaves no trace, wherever something of it was written down.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use contextfold::ErrorCode;
use contextfold::message::{Format, Media, MediaKind, Message, Part, Role, ToolCall};
use contextfold::provider::{CheckOptions, check, provider};
use contextfold::session::{Answer, Fit, Form, PlanOptions, Reason, Search, Session, SessionConfig};
use contextfold::tokens::BytesPerFour;
use serde_json::{Value, json};

const SECRET: &str = "hunter2";

fn session(options: &Value) -> Session {
    Session::new(SessionConfig::from_value(options).unwrap(), Arc::new(BytesPerFour))
}

fn user(text: impl Into<String>) -> Message {
    Message::text(Role::User, text.into())
}

fn said(text: impl Into<String>) -> Message {
    Message::text(Role::Assistant, text.into())
}

fn push(session: &mut Session, message: Message) -> String {
    let pushed = session.push(vec![message]).unwrap();
    session.context().ids(&pushed).remove(0)
}

/// Answers every request with a summary that repeats the secret if the request has it.
fn answered(session: &mut Session, mut fit: Fit) {
    while let Fit::NeedsSummary(pending) = fit {
        let knows = pending.request.messages().iter().any(|message| message.plain_text().contains(SECRET));
        let words = if knows { "The password is hunter2." } else { "They went on." };
        let text = format!("<summary>{words}</summary>");
        fit = session.resume(*pending, &Answer { text, ..Answer::default() }).unwrap();
    }
}

fn compact(session: &mut Session) {
    let fit = session.compact(Reason::Manual, None).unwrap().unwrap();
    answered(session, fit);
}

fn prepare(session: &mut Session) {
    let fit = session.prepare().unwrap();
    answered(session, fit);
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Where a text still is.
fn traces(session: &mut Session, text: &str) -> Vec<String> {
    let mut traces = Vec::new();
    let mut note = |found: bool, place: String| traces.extend(found.then_some(place));
    for node in session.context().history.nodes() {
        note(format!("{:?}", node.message).contains(text), format!("the history: {}", node.id));
    }
    for slot in session.context().view.slots() {
        note(format!("{:?}", slot.message).contains(text), format!("the view: {:?}", slot.node));
    }
    for output in session.context().outputs.iter() {
        note(format!("{:?}", output.parts()).contains(text), format!("the output {}", output.id()));
    }
    note(format!("{:?}", session.context().folds).contains(text), "a fold".to_owned());
    note(format!("{:?}", session.report()).contains(text), "the report".to_owned());
    note(
        !session.search(&Search::spellings(&[text], &json!({})).unwrap()).is_empty(),
        "the search".to_owned(),
    );
    note(format!("{:?}", session.graph().unwrap()).contains(text), "the graph".to_owned());
    note(holds(&session.snapshot(b""), text), "the snapshot".to_owned());
    let position = session.journal_position(1, |_| Vec::new());
    let records = session.records_since(position.saturating_sub(1)).unwrap_or_default();
    note(holds(&records, text), "the journal".to_owned());
    traces
}

fn assert_gone(session: &mut Session, why: &str) {
    assert_eq!(traces(session, SECRET), Vec::<String>::new(), "{why}");
}

/// A turn with the secret in its first message, and two more.
fn conversation(session: &mut Session) -> String {
    let id = push(session, user(format!("My password is hunter2. {}", "Some words. ".repeat(60))));
    session.push(vec![said("Noted. ".repeat(60)), user("Go on.")]).unwrap();
    id
}

#[test]
fn a_run_that_waits_for_a_summary_of_it_is_stale() {
    type Begin = fn(&mut Session) -> contextfold::Result<Fit>;
    let runs: [(&str, Begin); 3] = [
        ("prepare", Session::prepare),
        ("compact", |s| s.compact(Reason::Manual, None).map(|fit| fit.unwrap())),
        ("apply", |s| {
            let plan = s.plan(PlanOptions::default())?;
            s.apply(&plan, &[], &[])
        }),
    ];
    for (name, begin) in runs {
        let mut s = session(&json!({ "contextWindow": 3_000, "safetyMargin": 0 }));
        let id = push(&mut s, user(format!("My password is hunter2. {}", "word ".repeat(1_500))));
        for _ in 0..14 {
            let turn = [said(format!("Noted. {}", "word ".repeat(500))), user("word ".repeat(80))];
            s.push(turn.to_vec()).unwrap();
        }
        let Fit::NeedsSummary(pending) = begin(&mut s).unwrap() else { panic!("{name} asks for a summary") };
        s.erase(&id).unwrap();
        let text = "<summary>The password is hunter2.</summary>".to_owned();
        let stale = s.resume(*pending, &Answer { text, ..Answer::default() }).err().map(|e| e.code());
        assert_eq!(stale, Some(ErrorCode::StalePlan), "{name}");
        assert_gone(&mut s, name);
        prepare(&mut s);
        assert_gone(&mut s, name);
    }
}

#[test]
fn an_answer_to_an_earlier_question_does_not_come_in_the_background() {
    let mut s = session(&json!({
        "contextWindow": 2_000, "safetyMargin": 0, "ladder": [{ "pass": "summarize" }],
        "compaction": { "background": true, "ledgerTokens": 0 },
    }));
    let words = "lorem ipsum ".repeat(70);
    let id = push(&mut s, user(format!("My password is hunter2. {words}")));
    for _ in 0..4 {
        s.push(vec![said(&*words), user(&*words)]).unwrap();
    }
    let first = s.begin_in_background().expect("it is asked");
    s.erase(&id).unwrap();
    let second = s.begin_in_background().expect("it is asked again, without the erased text");
    assert!(!second.request.messages().iter().any(|m| m.plain_text().contains(SECRET)));
    let text = "<summary>The password is hunter2.</summary>".to_owned();
    assert!(s.answer_in_background(first, Answer { text, ..Answer::default() }).is_none());
    prepare(&mut s);
    assert_gone(&mut s, "background");
}

#[test]
fn full_texts_that_the_last_resort_stored_go_too() {
    let mut s = session(&json!({ "contextWindow": 600 }));
    s.context_mut().wording.open_refs();
    let words = "Some words. ".repeat(300);
    let id = push(&mut s, user(format!("{words} My password is hunter2. {words}")));
    prepare(&mut s);
    assert_eq!(s.context().outputs.len(), 1);
    let mut restored =
        Session::restore(&s.snapshot(b""), None, |_| Ok(Arc::new(BytesPerFour))).unwrap().session;
    for session in [&mut s, &mut restored] {
        session.erase(&id).unwrap();
        assert_gone(session, "shortened");
        assert!(session.context().outputs.is_empty());
        let line = session.context().left_out_now().into_iter().find(|line| line.id == id);
        assert!(line.is_none_or(|line| line.output_ref.is_none()));
    }
}

#[test]
fn they_go_even_if_the_view_shows_the_message_whole_again() {
    let mut s = session(&json!({ "contextWindow": 600, "ladder": [] }));
    s.context_mut().wording.open_refs();
    let words = "Some words. ".repeat(300);
    push(&mut s, user(format!("{words} A text of another message. {words}")));
    let id = push(&mut s, user(format!("{words} My password is hunter2. {words}")));
    s.push(vec![said("Noted."), user("Go on.")]).unwrap();
    prepare(&mut s);
    assert_eq!(s.context().outputs.len(), 2);
    s.set_options(
        SessionConfig::from_value(&json!({ "contextWindow": 128_000, "ladder": [] })).unwrap(),
        None,
    );
    prepare(&mut s);
    assert!(s.context().view.slots().all(|slot| slot.form == Form::Whole));
    s.erase(&id).unwrap();
    assert_gone(&mut s, "whole again");
    assert_eq!(s.context().outputs.len(), 1, "the other message's text stays");
}

#[test]
fn a_branch_knows_what_was_stored_for_its_messages() {
    let mut s = session(&json!({ "contextWindow": 600 }));
    let words = "Some words. ".repeat(300);
    push(&mut s, user("Start."));
    let unused = push(&mut s, said("An answer."));
    s.rewind(Some("m1")).unwrap();
    let id = push(&mut s, user(format!("{words} My password is hunter2. {words}")));
    prepare(&mut s);
    let mut fork = s.fork(&id, Some("branch")).unwrap().0;
    fork.erase(&id).unwrap();
    assert_gone(&mut fork, &unused);
}

#[test]
fn a_record_that_said_nothing_keeps_its_frame() {
    for (begins, ledger) in [("[4 earlier messages left out", 0), ("[Record of 4 earlier messages", 200)] {
        let compaction = json!({ "ledgerTokens": ledger });
        let mut s = session(&json!({ "contextWindow": 2_000, "safetyMargin": 0, "compaction": compaction }));
        push(&mut s, user("Some words. ".repeat(200)));
        let id = push(&mut s, said(format!("The password is hunter2. {}", "More words. ".repeat(300))));
        s.push(vec![user("Go on."), said("Done."), user("And now?")]).unwrap();
        let mut fit = s.compact(Reason::Manual, None).unwrap().unwrap();
        while let Fit::NeedsSummary(pending) = fit {
            let text = "<summary>- Earlier messages, left out.</summary>".to_owned();
            fit = s.resume(*pending, &Answer { text, ..Answer::default() }).unwrap();
        }
        let record = |s: &Session| {
            let fold = s.context().folds.first().unwrap();
            s.context().history.node(fold.summary).message.plain_text()
        };
        let before = record(&s);
        assert!(before.starts_with(begins), "{before}");
        s.erase(&id).unwrap();
        assert_gone(&mut s, begins);
        let anew = record(&s);
        let has_frame =
            anew.starts_with("[Record of 4 earlier messages") && anew.ends_with("[End of the record]");
        assert!(has_frame && anew.contains("rewritten without an erased message"), "{anew}");
    }
}

#[test]
fn arguments_and_joined_texts_go_too() {
    let mut s = session(&json!({ "contextWindow": 700, "safetyMargin": 0 }));
    let words = "Some words. ".repeat(100);
    let parts = (0..40).map(|n| Part::text(format!("{n} hunter2 {words}"))).collect();
    let many = push(&mut s, Message::new(Role::User, parts));
    let arguments = json!({ "text": format!("{words} hunter2 {words}") }).to_string();
    let call = Part::from(ToolCall::function("c1", "write", arguments));
    let call = push(&mut s, Message::new(Role::Assistant, vec![call]));
    s.push(vec![Message::tool("c1", "done")]).unwrap();
    prepare(&mut s);
    s.erase(&many).unwrap();
    s.erase(&call).unwrap();
    assert_gone(&mut s, "arguments");
}

#[test]
fn calls_that_a_pass_took_away_do_not_come_back() {
    let mut s = session(&json!({ "contextWindow": 1_500, "safetyMargin": 0, "ladder": "selective" }));
    push(&mut s, user("Begin."));
    for n in 0..12 {
        let call = Part::from(ToolCall::function(format!("c{n}"), "read", "{}"));
        let parts = vec![Part::text(format!("Reading, hunter2, {n}.")), call];
        push(&mut s, Message::new(Role::Assistant, parts).with_id(format!("call{n}")));
        push(&mut s, Message::tool(format!("c{n}"), "word ".repeat(120)));
        prepare(&mut s);
    }
    let forms = |s: &Session, form: &str| -> Vec<String> {
        s.context().items().iter().filter(|item| item.form == form).map(|item| item.id.clone()).collect()
    };
    let stripped = forms(&s, "stripped");
    assert!(stripped.len() > 2, "{stripped:?}");
    for id in (0..12).map(|n| format!("call{n}")) {
        s.erase(&id).unwrap();
    }
    assert_eq!(forms(&s, "stripped"), stripped);
    assert_gone(&mut s, "stripped");
    let messages = s.context().view_messages();
    let written =
        provider(Format::OpenaiChat).write(&messages.iter().map(|m| &**m).collect::<Vec<_>>()).items;
    let found = check(Format::OpenaiChat, &Value::Array(written), &CheckOptions::default()).unwrap();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn an_image_that_became_a_placeholder_goes_too() {
    let image = |data: &str| {
        let media = Media { data: Some(data.into()), ..Media::new(MediaKind::Image) };
        Part::Media(Box::new(Media { media_type: Some("image/png".to_owned()), ..media }))
    };
    let mut s = session(&json!({ "contextWindow": 20_000, "media": { "maxImages": 1 } }));
    let secret = image(&SECRET.repeat(20));
    let id = push(&mut s, Message::new(Role::User, vec![Part::text("My passport."), secret]));
    s.push(vec![said("I see."), Message::new(Role::User, vec![image(&"aGVsbG8".repeat(20))])]).unwrap();
    prepare(&mut s);
    assert_eq!(s.context().outputs.len(), 1);
    s.erase(&id).unwrap();
    assert_gone(&mut s, "an image");
}

#[test]
fn the_placeholder_of_an_output_does_not_tell_of_its_call() {
    for folds in [false, true] {
        let options = json!({ "contextWindow": 20_000, "toolOutputCache": { "contextBudgetTokens": 300 } });
        let mut s = session(&options);
        push(&mut s, user(format!("Read. {}", "word ".repeat(100))));
        let mut calls = Vec::new();
        for (n, path) in ["src/hunter2.rs", "src/main.rs", "src/lib.rs"].iter().enumerate() {
            let call = ToolCall::function(format!("c{n}"), "read_file", json!({ "path": path }).to_string());
            calls.push(push(&mut s, Message::new(Role::Assistant, vec![Part::from(call)])));
            s.push(vec![Message::tool(format!("c{n}"), "a line of the file\n".repeat(60))]).unwrap();
        }
        s.push(vec![said("Done."), user("Go on.")]).unwrap();
        prepare(&mut s);
        let told = |s: &Session| {
            s.context()
                .view_messages()
                .iter()
                .any(|m| m.role == Role::Tool && m.plain_text().contains(SECRET))
        };
        assert!(told(&s), "the placeholder names the file");
        if folds {
            compact(&mut s);
            assert!(!told(&s));
        }
        s.erase(&calls[0]).unwrap();
        assert_gone(&mut s, "a call");
        let again = Session::restore(&s.snapshot(b""), None, |_| Ok(Arc::new(BytesPerFour))).unwrap();
        assert_eq!(again.session.context().view_messages(), s.context().view_messages());
    }
}

#[test]
fn the_ledger_of_a_fold_without_it_is_written_again() {
    let mut s = session(&json!({ "contextWindow": 600, "safetyMargin": 0 }));
    push(&mut s, user("Start."));
    for k in 0..10 {
        s.push(vec![said("Answer. ".repeat(30)), user(format!("Question {k}"))]).unwrap();
    }
    let words = "Some words. ".repeat(60);
    let id =
        push(&mut s, user(format!("{words} See /etc/hunter2/file.txt and /etc/other/file.txt. {words}")));
    let rule = push(&mut s, user(format!("{words} Never touch /etc/passwd.\n{words}")));
    s.push(vec![said("Answer. ".repeat(30)), user("Go on.")]).unwrap();
    let fit = s.prepare_filling().unwrap();
    answered(&mut s, fit);
    let tells = |s: &Session, text: &str| {
        s.context()
            .folds
            .iter()
            .any(|fold| fold.text.contains(text) && s.context().view.position(fold.summary).is_some())
    };
    assert!(tells(&s, SECRET), "the ledger names what the view shows only in part");
    let erased = s.erase(&id).unwrap();
    assert!(!erased.folds.is_empty());
    assert_gone(&mut s, "ledger");
    assert!(tells(&s, "/etc/passwd"), "{rule}: other facts stay");
}

#[test]
fn what_folds_said_of_it_goes_even_if_they_were_undone() {
    type Undo = fn(&mut Session);
    let undone: [(&str, Undo); 4] = [
        ("unfold", |s| {
            let fold = s.context().folds[0].summary;
            let id = s.context().history.node(fold).id.to_string();
            s.unfold(&id, false).unwrap();
        }),
        ("rewind", |s| drop(s.rewind(Some("m2")).unwrap())),
        ("rewrite", |s| {
            let gone: Vec<_> =
                ["m2", "m3"].iter().map(|id| s.context().history.require(id).unwrap()).collect();
            s.rewrite(&gone, vec![said("Other.")]).unwrap();
        }),
        ("a fold of folds", |s| {
            s.push(vec![said("word ".repeat(300)), user("more")]).unwrap();
            compact(s);
            let fold = s.context().folds.last().unwrap().summary;
            let id = s.context().history.node(fold).id.to_string();
            s.unfold(&id, false).unwrap();
        }),
    ];
    for (name, undo) in undone {
        for layout in ["retain-summary-turns", "ask-answer-steps"] {
            let ladder = json!([{ "pass": "summarize", "layout": layout }]);
            let mut s = session(&json!({ "contextWindow": 128_000, "ladder": ladder }));
            let id = conversation(&mut s);
            let Fit::NeedsSummary(pending) = s.compact(Reason::Manual, None).unwrap().unwrap() else {
                panic!("it asks")
            };
            let text = "<summary>The password is hunter2.</summary><retain>hunter2</retain>".to_owned();
            s.resume(*pending, &Answer { text, ..Answer::default() }).unwrap();
            undo(&mut s);
            s.erase(&id).unwrap();
            assert_gone(&mut s, &format!("{name}, {layout}"));
            let again = Session::restore(&s.snapshot(b""), None, |_| Ok(Arc::new(BytesPerFour))).unwrap();
            assert_eq!(again.session.context().view_messages(), s.context().view_messages());
        }
    }
}

#[test]
fn a_summary_that_was_asked_for_beside_it_is_written_again() {
    let mut s = session(&json!({ "contextWindow": 128_000 }));
    s.push(vec![user(format!("Start. {}", "word ".repeat(300))), said("word ".repeat(300))]).unwrap();
    let id = push(&mut s, user("My password is hunter2. Go on."));
    compact(&mut s);
    assert!(!s.context().folds[0].members.iter().any(|n| *s.context().history.node(*n).id == *id));
    assert_ne!(traces(&mut s, SECRET), Vec::<String>::new());
    let erased = s.erase(&id).unwrap();
    assert_eq!(erased.folds.len(), 1);
    assert_gone(&mut s, "beside");
}

#[test]
fn a_summary_that_was_written_before_it_came_stays() {
    let mut s = session(&json!({ "contextWindow": 128_000 }));
    s.push(vec![user("word ".repeat(300)), said("word ".repeat(300)), user("Go on.")]).unwrap();
    compact(&mut s);
    let id = push(&mut s, said("My password is hunter2."));
    let erased = s.erase(&id).unwrap();
    assert_eq!(erased.folds, Vec::<String>::new());
    assert!(s.context().folds[0].text.starts_with("They went on."), "{}", s.context().folds[0].text);
    assert_gone(&mut s, "later");
}

#[test]
fn no_ref_is_named_that_opens_nothing() {
    let mut s = session(&json!({ "contextWindow": 128_000 }));
    let first = push(&mut s, user("Go."));
    let call = Part::from(ToolCall::function("c1", "run", "{}"));
    s.push(vec![Message::new(Role::Assistant, vec![call])]).unwrap();
    let output = push(&mut s, Message::tool("c1", SECRET));
    s.rewind(Some(&first)).unwrap();
    s.erase(&output).unwrap();
    let lines = s.context().left_out_now();
    assert_eq!(lines.iter().find(|line| line.id == output).unwrap().output_ref, None);
    assert_gone(&mut s, "an output");
}

/// An erased call of another kind is a function call from then on, so its output is one of a function call, too.
#[test]
fn the_output_of_an_erased_call_of_another_kind_still_answers_it() {
    let calls = [
        json!([
            { "type": "tool_search_call", "call_id": "c", "execution": "client", "arguments": { "queries": [SECRET] }, "status": "completed" },
            { "type": "tool_search_output", "call_id": "c", "execution": "client", "tools": [{ "type": "function", "name": "found" }], "status": "completed" },
        ]),
        json!([
            { "type": "computer_call", "id": "cu", "call_id": "c", "action": { "type": "type", "text": SECRET }, "pending_safety_checks": [], "status": "completed" },
            { "type": "computer_call_output", "call_id": "c", "output": { "type": "computer_screenshot", "image_url": "data:image/png;base64,iVBORw0KGgo=" } },
        ]),
        json!([
            { "type": "shell_call", "id": "sh", "call_id": "c", "action": { "commands": [SECRET] }, "status": "completed" },
            { "type": "shell_call_output", "call_id": "c", "output": [{ "stdout": "found", "stderr": "odd", "outcome": { "type": "exit", "exit_code": 0 } }] },
        ]),
        json!([
            { "type": "local_shell_call", "id": "ls", "call_id": "c", "action": { "type": "exec", "command": [SECRET], "env": {} }, "status": "completed" },
            { "type": "local_shell_call_output", "id": "c", "output": "found" },
        ]),
        json!([
            { "type": "apply_patch_call", "id": "ap", "call_id": "c", "operation": { "type": "delete_file", "path": SECRET }, "status": "completed" },
            { "type": "apply_patch_call_output", "call_id": "c", "status": "completed", "output": "found" },
        ]),
        json!([
            { "type": "mcp_approval_request", "id": "c", "server_label": "s", "name": "f", "arguments": SECRET },
            { "type": "mcp_approval_response", "approval_request_id": "c", "approve": true, "reason": "found" },
        ]),
    ];
    let responses = provider(Format::OpenaiResponses);
    for items in calls {
        let mut s = session(&json!({ "contextWindow": 100_000 }));
        let read = responses.read(&items).unwrap();
        push(&mut s, user("Go on."));
        let call = push(&mut s, read[0].clone());
        push(&mut s, read[1].clone());
        push(&mut s, user("Thanks."));
        s.erase(&call).unwrap();
        let view = s.context().view_messages();
        let written = Value::Array(responses.write(&view.iter().map(|m| &**m).collect::<Vec<_>>()).items);
        let violations = check(Format::OpenaiResponses, &written, &CheckOptions::default()).unwrap();
        assert!(violations.is_empty(), "{items} became {written}: {violations:?}");
        let output = &written[2];
        assert_eq!(output["type"], "function_call_output", "{output}");
        let shown = output["output"].to_string();
        assert!(shown.contains("found") || shown.contains("iVBORw0KGgo="), "{output}");
        let parts = output["output"].as_array().into_iter().flatten();
        for part in parts {
            assert!(part["type"] == "input_text" || part["type"] == "input_image", "{output}");
            assert!(part.get("chunk").is_none(), "{output}");
        }
    }
}

#[test]
fn a_decision_stays_without_its_reason() {
    let items = json!([
        { "type": "mcp_approval_request", "id": "c", "server_label": "s", "name": "f", "arguments": "{}" },
        { "type": "mcp_approval_response", "approval_request_id": "c", "approve": true, "reason": SECRET },
    ]);
    let responses = provider(Format::OpenaiResponses);
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    push(&mut s, user("Go on."));
    let read = responses.read(&items).unwrap();
    push(&mut s, read[0].clone());
    let answer = push(&mut s, read[1].clone());
    push(&mut s, user("Thanks."));
    s.erase(&answer).unwrap();
    assert_gone(&mut s, "the reason");
    let view = s.context().view_messages();
    let written = responses.write(&view.iter().map(|m| &**m).collect::<Vec<_>>()).items;
    let decision = json!({ "type": "mcp_approval_response", "approval_request_id": "c", "approve": true, "reason": "[erased]" });
    assert_eq!(written[2], decision, "what was done because of it was allowed");
}

#[test]
fn reasoning_that_its_provider_requires_stays_without_its_text() {
    let chat = provider(Format::OpenaiChat);
    let call = |id: &str, thought: &str| {
        let function = json!({ "name": "f", "arguments": "{}" });
        json!([
            { "role": "assistant", "content": "", "reasoning_content": thought, "tool_calls": [{ "id": id, "type": "function", "function": function }] },
            { "role": "tool", "tool_call_id": id, "content": "found" },
        ])
    };
    let mut s = session(&json!({ "contextWindow": 100_000 }));
    push(&mut s, user("Go on."));
    let mut first = chat.read(&call("a", SECRET)).unwrap().into_iter();
    let erased = push(&mut s, first.next().unwrap());
    s.push(first.chain(chat.read(&call("b", "Hm.")).unwrap()).collect()).unwrap();
    s.erase(&erased).unwrap();
    assert_gone(&mut s, "the reasoning");
    let view = s.context().view_messages();
    let written = Value::Array(chat.write(&view.iter().map(|m| &**m).collect::<Vec<_>>()).items);
    let options = CheckOptions { provider: Some("deepseek"), ..CheckOptions::default() };
    assert_eq!(check(Format::OpenaiChat, &written, &options).unwrap(), []);
    assert_eq!(written[1]["reasoning_content"], "…");
}

#[test]
fn a_running_turn_keeps_the_thinking_that_it_opens_with() {
    let step = |id: &str, thought: &str| {
        let thinking = json!({ "type": "thinking", "thinking": thought, "signature": "c2ln" });
        json!([
            { "role": "assistant", "content": [thinking, { "type": "tool_use", "id": id, "name": "f", "input": {} }] },
            { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": id, "content": "found" }] },
        ])
    };
    let anthropic = provider(Format::Anthropic);
    let mut s = session(&json!({ "contextWindow": 100_000, "boundThinking": "keep" }));
    push(&mut s, user("Go on."));
    let read =
        [anthropic.read(&step("a", SECRET)).unwrap(), anthropic.read(&step("b", "Hm.")).unwrap()].concat();
    let ids: Vec<String> = read.into_iter().map(|message| push(&mut s, message)).collect();
    let refused = s.erase(&ids[0]).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::GraphConstraint);
    assert!(refused.message().contains("next user message"), "{refused}");
    s.erase(&ids[2]).unwrap();
    push(&mut s, said("Done."));
    push(&mut s, user("And now?"));
    s.erase(&ids[0]).unwrap();
    assert_gone(&mut s, "the turn is over");
    let view = s.context().view_messages();
    let written = Value::Array(anthropic.write(&view.iter().map(|m| &**m).collect::<Vec<_>>()).items);
    let options = CheckOptions { thinking: Some("enabled"), ..CheckOptions::default() };
    assert_eq!(check(Format::Anthropic, &written, &options).unwrap(), []);
}
