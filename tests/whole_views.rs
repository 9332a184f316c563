//! Whole views as the model reads them, in each format: the words around a summary, what is in it, what was cut and where.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::sync::Arc;

use contextfold::message::{Format, Message, Part, Role, ToolCall};
use contextfold::provider::provider;
use contextfold::session::{Answer, Fit, Session, SessionConfig};
use contextfold::tokens::BytesPerFour;
use serde_json::{Value, json};

/// A step: a command and its output.
fn ran(id: &str, command: &str, output: &str) -> [Message; 2] {
    let call = ToolCall::function(id, "bash", json!({ "command": command }).to_string());
    [Message::new(Role::Assistant, vec![Part::from(call)]), Message::tool(id, output)]
}

fn lines(what: &str, most: usize) -> String {
    (0..most).map(|i| what.replace('N', &i.to_string())).collect::<Vec<_>>().join("\n")
}

/// An agent that fixes a parser.
fn conversation() -> Vec<Message> {
    let user = |text: &str| Message::text(Role::User, text);
    let said = |text: &str| Message::text(Role::Assistant, text);
    let mut list = vec![
        Message::text(Role::System, "You are a coding agent in a terminal."),
        user(
            "The parser drops the last line of a file. Please mend it. Never touch src/legacy. Is there a test for it?",
        ),
    ];
    list.extend(ran("c1", "git clone ../lib && cd lib", "fatal: repository '../lib' does not exist"));
    list.extend(ran("c2", "ls -R src", &lines("src/parser/partN.rs\nchunkN.js", 60)));
    list.extend(ran("c3", "mkdir -p tests/data && cp a.txt tests/data", ""));
    list.extend(ran(
        "c4",
        "cargo test",
        &format!(
            "{}\ntest result: FAILED. 40 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass `--lib`",
            lines("test parser::caseN ... ok", 40)
        ),
    ));
    list.push(said(
        "The test `parser::last_line` fails: `read_line` in src/parser/read.rs stops at the end of the file.",
    ));
    list.push(user("Right. Don't change the public API."));
    for i in 0..6 {
        let id = format!("d{i}");
        let code = lines(&format!("fn case_{i}_N() {{ check(N); }}"), 40);
        list.extend(ran(&id, &format!("cat src/parser/part{i}.rs"), &code));
    }
    list.extend(ran(
        "c5",
        "cargo fmt --check",
        "Diff in src/parser/read.rs:12:\n-fn a() {}\n+fn a() {\n+}\nexit code: 1",
    ));
    list.push(said("Mended in src/parser/read.rs. Shall I commit it?"));
    list.push(user("Yes, please commit it."));
    list
}

/// The view of a session with that conversation, in a window of this many tokens.
fn view(window: u64) -> Vec<Arc<Message>> {
    let options = json!({ "contextWindow": window, "safetyMargin": 0 });
    let mut session = Session::new(SessionConfig::from_value(&options).unwrap(), Arc::new(BytesPerFour));
    session.push(conversation()).unwrap();
    let mut fit = session.prepare().unwrap();
    while let Fit::NeedsSummary(pending) = fit {
        let text = "<summary>The user wants the parser mended. The cause was found.</summary>".to_owned();
        fit = session.resume(*pending, &Answer { text, ..Answer::default() }).unwrap();
    }
    session.context().view_messages()
}

/// Every text of an entry, with its key.
fn texts(value: &Value, key: &str, out: &mut String) {
    match value {
        Value::String(text) => {
            let _ = writeln!(out, "{key}: {text}");
        }
        Value::Array(all) => all.iter().for_each(|one| texts(one, key, out)),
        Value::Object(all) => all.iter().for_each(|(key, one)| texts(one, key, out)),
        _ => {}
    }
}

fn as_read(format: Format, window: u64) -> String {
    let view = view(window);
    let written = provider(format).write(&view.iter().map(|m| &**m).collect::<Vec<_>>());
    let mut out = String::new();
    for entry in written.head.iter().chain(&written.items) {
        out.push_str("────\n");
        texts(entry, "text", &mut out);
    }
    out
}

#[test]
fn views_that_were_folded_and_cut() {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        for format in [Format::Messages, Format::OpenaiChat, Format::OpenaiResponses, Format::Anthropic, Format::AiSdk, Format::Gemini, Format::BedrockConverse] {
            insta::assert_snapshot!(format!("folded-{}", format.as_str()), as_read(format, 1_400));
        }
        insta::assert_snapshot!("cut-openai-chat", as_read(Format::OpenaiChat, 2_600));
    });
}
