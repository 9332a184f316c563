//! Shared by the document tests: messages of an exact size, and layouts with one line per item.

use std::sync::Arc;

use contextfold::message::{Format, Message, Part, Role, ToolCall};
use contextfold::provider::{CheckOptions, provider, repair};
use contextfold::session::{Answer, Fit, Pending, Report, Session, SessionConfig};
use contextfold::tokens::{CALL_OVERHEAD, MESSAGE_OVERHEAD, Method, TokenCounter};
use serde_json::{Value, json};

/// Counts only blocks: █ is a thousand tokens, ▌ a hundred, ▏ one.
struct Blocks;

impl TokenCounter for Blocks {
    fn count(&self, text: &str) -> u64 {
        let worth = |c| match c {
            '█' => 1000,
            '▌' => 100,
            '▏' => 1,
            _ => 0,
        };
        text.chars().map(worth).sum()
    }

    fn method(&self) -> Method {
        Method::Callback
    }
}

/// A text of this many tokens.
pub fn blocks(tokens: u64) -> String {
    let of = |block: &str, n: u64| block.repeat(usize::try_from(n).unwrap());
    [of("█", tokens / 1000), of("▌", tokens % 1000 / 100), of("▏", tokens % 100)].concat()
}

/// A session that counts blocks, with no margin and no tool output cache unless `options` set them.
pub fn session(options: Value) -> Session {
    let mut all = json!({ "safetyMargin": 0, "toolOutputCache": { "enabled": false } });
    let Value::Object(options) = options else { panic!("options are an object") };
    all.as_object_mut().unwrap().extend(options);
    Session::new(SessionConfig::from_value(&all).unwrap(), Arc::new(Blocks))
}

fn text(role: Role, text: &str, tokens: u64) -> Message {
    Message::text(role, format!("{text}{}", blocks(tokens - MESSAGE_OVERHEAD)))
}

/// A user message of `tokens` in all, including the overhead of a message.
pub fn user(said: &str, tokens: u64) -> Message {
    text(Role::User, said, tokens)
}

/// An assistant message of `tokens` in all.
pub fn said(said: &str, tokens: u64) -> Message {
    text(Role::Assistant, said, tokens)
}

/// A system message of `tokens` in all.
pub fn system(tokens: u64) -> Message {
    text(Role::System, "You are terse. ", tokens)
}

/// An assistant message with an optional text, and calls: 4 tokens plus 8 for each call.
pub fn calls(says: &str, ids: &[&str]) -> Message {
    let call = |id: &&str| Part::from(ToolCall::function(*id, "read", "{}"));
    let says = (!says.is_empty()).then(|| Part::text(says));
    Message::new(Role::Assistant, says.into_iter().chain(ids.iter().map(call)).collect())
}

/// A tool output of `tokens` in all.
pub fn output(id: &str, tokens: u64) -> Message {
    Message::tool(id, blocks(tokens - MESSAGE_OVERHEAD - CALL_OVERHEAD))
}

/// `count` messages with `tokens` in all, alternating between user and assistant and ending with the user.
pub fn talk(count: u64, tokens: u64) -> Vec<Message> {
    (0..count)
        .map(|i| {
            let size = tokens / count + u64::from(i < tokens % count);
            let name = format!("message {} ", i + 1);
            if (count - i) % 2 == 1 { user(&name, size) } else { said(&name, size) }
        })
        .collect()
}

/// The messages of a fragment that is not valid as the document prints it: it is repaired first.
pub fn repaired(fragment: &Value) -> Vec<Message> {
    let options = CheckOptions::default();
    let mended = repair(Format::OpenaiChat, fragment, &options).unwrap().output;
    provider(Format::OpenaiChat).read(&mended).unwrap()
}

pub fn asks(fit: Fit) -> Pending {
    match fit {
        Fit::NeedsSummary(pending) => *pending,
        Fit::Done(report) => panic!("no summary was asked for: {report:?}"),
    }
}

pub fn done(fit: Fit) -> Report {
    match fit {
        Fit::Done(report) => std::rc::Rc::unwrap_or_clone(report),
        Fit::NeedsSummary(pending) => panic!("a summary was asked for: {:?}", pending.request),
    }
}

pub fn answer(text: &str) -> Answer {
    Answer { text: text.to_owned(), ..Answer::default() }
}

/// A summary of this many tokens.
pub fn summary(text: &str, tokens: u64) -> Answer {
    answer(&format!("<summary>{text}{}</summary>", blocks(tokens)))
}

/// The passes that made a decision.
pub fn passes(report: &Report) -> Vec<&str> {
    report.decisions.iter().map(|d| d.pass.as_str()).collect()
}

/// One line per message: role, call, text without blocks, the calls in it, tokens.
pub fn layout(messages: &[Arc<Message>]) -> String {
    let line = |m: &Arc<Message>| {
        let words: String = m.plain_text().chars().filter(|c| !"█▌▏".contains(*c)).collect();
        let words = words.replace('\n', " ");
        let short: String = words.trim().chars().take(50).collect();
        let more = if words.trim().chars().count() > 50 { "…" } else { "" };
        let answers = m.tool_outputs().next().map_or(String::new(), |o| format!(" ->{}", o.call_id));
        let ids: Vec<&str> = m.tool_calls().map(|c| c.id.as_str()).collect();
        let calls = if ids.is_empty() { String::new() } else { format!(" calls {}", ids.join(",")) };
        let tokens = contextfold::tokens::count_message(m, &Blocks);
        format!("{}{answers}: {short}{more}{calls} ({tokens})", m.role.as_str())
    };
    messages.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The view's layout.
pub fn view(session: &Session) -> String {
    layout(&session.context().view_messages())
}
