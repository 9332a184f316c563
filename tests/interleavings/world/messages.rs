//! The messages of a path.

use contextfold::message::{Message, Part, Role, ToolCall};

pub fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

pub fn says(text: &str) -> Message {
    Message::text(Role::Assistant, text)
}

pub fn calls(ids: &[&str]) -> Message {
    let call = |id: &&str| Part::from(ToolCall::function(*id, "read_file", "{\"path\":\"src/lib.rs\"}"));
    Message::new(Role::Assistant, ids.iter().map(call).collect())
}

pub fn words(n: usize) -> String {
    "lorem ipsum ".repeat(n)
}

/// Three turns, and a batch of calls that is still running.
pub fn history() -> Vec<Message> {
    let mut list = vec![Message::text(Role::System, "You are terse.")];
    for n in 0..3 {
        let id = format!("c{n}");
        list.extend([
            user(&format!("question {n}: never touch src/core{n}.rs")).with_id(format!("q{n}")),
            calls(&[&id]),
            Message::tool(id, format!("output {n} {}", words(25))),
            says(&format!("answer {n} {}", words(8))),
        ]);
    }
    list.extend([user("and now?").with_id("now"), calls(&["x", "y"]), Message::tool("x", words(5))]);
    list
}
