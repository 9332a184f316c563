//! The rules of Anthropic Messages, and those rules of Bedrock's Converse that are the same. Converse blocks are
//! treated as the corresponding Anthropic blocks, and the rules have names of their own there (see `super::bedrock`).

use serde_json::Value;

use super::super::anthropic::is_blank;
use super::super::bedrock::CACHE_POINT;
use super::super::fields::{each, text};
use super::super::find_list::outside_list;
use super::super::position::{
    CACHE_MARKS, SERVER_RESULT, SERVER_UNANSWERED, THINKING_LAST, TOO_MANY_MARKS, mark_key, marks_of,
};
use super::options::CheckOptions;
use super::violation::{Severity, Violations, tool_name};
use crate::hashing::{HashMap, HashSet};
use crate::message::Format;

/// A block and its position.
#[derive(Clone, Copy)]
pub(super) struct Block<'v> {
    /// The block; `None` if the content is a string.
    pub value: Option<&'v Value>,
    /// The key of a Converse block, which is its type.
    key: Option<&'v str>,
    /// The text, if the content is a string.
    plain: Option<&'v str>,
    message: usize,
    at: usize,
}

impl<'v> Block<'v> {
    pub fn kind(&self) -> &'v str {
        match self.key {
            Some("toolUse" | "toolResult")
                if self.body().is_some_and(|b| super::given(b, "type").is_some()) =>
            {
                "server"
            }
            Some("toolUse") => "tool_use",
            Some("toolResult") => "tool_result",
            Some("reasoningContent") if self.body().is_some_and(|b| b.get("redactedContent").is_some()) => {
                "redacted_thinking"
            }
            Some("reasoningContent") => "thinking",
            Some(key) => key,
            None if self.plain.is_some() => "text",
            None => self.field("type").unwrap_or_default(),
        }
    }

    pub fn field(&self, key: &str) -> Option<&'v str> {
        match (self.key, key) {
            (None | Some("text"), _) => text(self.value?, key),
            (Some("toolUse"), "id") | (Some("toolResult"), "tool_use_id") => text(self.body()?, "toolUseId"),
            (Some("reasoningContent"), "signature") => text(self.body()?.get("reasoningText")?, key),
            _ => text(self.body()?, key),
        }
    }

    /// The content of a Converse block; for other formats the block itself.
    pub fn body(&self) -> Option<&'v Value> {
        match self.key {
            Some(key) => self.value?.get(key),
            None => self.value,
        }
    }

    /// Whether it is the result of a tool that failed.
    fn is_error(&self) -> bool {
        let has_value =
            |key: &str, value: Value| self.body().is_some_and(|body| body.get(key) == Some(&value));
        if self.key.is_some() {
            has_value("status", "error".into())
        } else {
            has_value("is_error", true.into())
        }
    }

    fn text(&self) -> Option<&'v str> {
        self.plain.or_else(|| self.field("text"))
    }
}

/// A run of messages of one role, which the API joins.
struct Turn<'v> {
    role: &'v str,
    index: usize,
    blocks: Vec<Block<'v>>,
}

impl Turn<'_> {
    /// Whether the user says something, apart from results of calls.
    fn is_users(&self) -> bool {
        self.role == "user" && self.blocks.iter().any(|b| b.kind() != "tool_result")
    }
}

/// The key of a Converse block, which is its type.
fn key_of(block: &Value) -> &str {
    let key = block.as_object().and_then(|block| block.iter().find(|(_, body)| !body.is_null()));
    key.map_or("", |(key, _)| key)
}

/// The blocks of a message.
pub(super) fn blocks(format: Format, message: &Value, index: usize) -> Vec<Block<'_>> {
    match message.get("content") {
        Some(Value::String(text)) => {
            vec![Block { value: None, key: None, plain: Some(text), message: index, at: 0 }]
        }
        Some(Value::Array(list)) => list
            .iter()
            .enumerate()
            .map(|(at, value)| Block {
                value: Some(value),
                key: (format == Format::BedrockConverse).then(|| key_of(value)),
                plain: None,
                message: index,
                at,
            })
            .collect(),
        _ => Vec::new(),
    }
}

pub(super) fn check(format: Format, list: &[Value], options: &CheckOptions<'_>, found: &mut Violations) {
    if list.is_empty() {
        found.error("A-empty", 0, "no messages");
    }
    let first = list.iter().enumerate().find(|(_, m)| text(m, "role") != Some("system"));
    // A compaction that the API made on request is signed, and may come first.
    let is_compaction = |m: &Value| {
        let of = |key: &str| m.pointer(key).and_then(Value::as_str);
        of("/content/0/type") == Some("compaction") && of("/content/0/signature").is_some()
    };
    if let Some((i, _)) = first.filter(|(_, m)| text(m, "role") != Some("user") && !is_compaction(m)) {
        found.error("A-first", i, "first message is not from the user");
    }
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for (i, message) in list.iter().enumerate() {
        let role = text(message, "role").unwrap_or_default();
        if role == "system" {
            continue;
        }
        let own = blocks(format, message, i);
        content(role, i, i + 1 == list.len(), &own, found);
        match turns.last_mut().filter(|turn| turn.role == role) {
            Some(turn) => {
                let why = format!(
                    "two {role} messages in a row: the API joins them, but some gateways reject them"
                );
                let severity = if found.is_converse { Severity::Error } else { Severity::Warn };
                found.add(severity, "A-same-role", i, why);
                turn.blocks.extend(own);
            }
            None => turns.push(Turn { role, index: i, blocks: own }),
        }
    }
    pairing(&turns, options, found);
    for turn in turns.iter().filter(|turn| turn.role == "assistant") {
        ends_in_thinking(turn, found);
    }
    if format == Format::Anthropic {
        server_calls(&turns, found);
    }
    if let Some(mode) = options.thinking {
        opens_with_thinking(&turns, mode, found);
    }
}

/// An answer must not end with thinking. Blank texts do not count; they are violations themselves.
fn ends_in_thinking(turn: &Turn<'_>, found: &mut Violations) {
    let says_nothing =
        |b: &&Block<'_>| b.kind() == CACHE_POINT || b.kind() == "text" && b.text().is_some_and(is_blank);
    let last = turn.blocks.iter().rev().find(|b| !says_nothing(b));
    // Bedrock models whose reasoning has no signature allow it there.
    let is_bare = |b: &Block<'_>| b.key.is_some() && b.kind() == "thinking" && b.field("signature").is_none();
    let is_thought = |b: &Block<'_>| matches!(b.kind(), "thinking" | "redacted_thinking") && !is_bare(b);
    if let Some(block) = last.filter(|b| is_thought(b)) {
        found.error(THINKING_LAST, block.message, "the answer ends in thinking");
    }
}

/// A call of a tool that the provider runs needs its result before the user speaks again. Code that has made calls
/// needs no result.
fn server_calls(turns: &[Turn<'_>], found: &mut Violations) {
    let Some(last_user_turn) = turns.iter().rposition(Turn::is_users) else { return };
    // The turn of the last result for each id, or of the last call that its code made.
    let mut settled: HashMap<&str, usize> = HashMap::default();
    for (n, block) in turns.iter().enumerate().flat_map(|(n, turn)| turn.blocks.iter().map(move |b| (n, b))) {
        let result = block.field("tool_use_id").filter(|_| block.kind().ends_with("_tool_result"));
        let caller = || block.value?.pointer("/caller/tool_id")?.as_str();
        settled.extend(result.or_else(caller).map(|id| (id, n)));
    }
    let asking = turns[..last_user_turn].iter().enumerate().filter(|(_, turn)| turn.role == "assistant");
    for (n, block) in asking.flat_map(|(n, turn)| turn.blocks.iter().map(move |b| (n, b))) {
        let id = block.field("id").unwrap_or_default();
        let is_call = matches!(block.kind(), "server_tool_use" | "mcp_tool_use");
        if is_call && settled.get(id).is_none_or(|at| *at < n) {
            let why = format!("{} {id} has no result before the next user message", block.kind());
            found.error(SERVER_UNANSWERED, block.message, why);
        }
    }
}

/// The list and the rest of the body must not have more cache marks than the API accepts.
pub(super) fn cache_marks(format: Format, body: &Value, list: &[Value], found: &mut Violations) {
    let key = mark_key(format);
    let count: usize = outside_list(body).chain(list).map(|block| marks_of(block, key)).sum();
    if count > CACHE_MARKS {
        let at = list.iter().rposition(|message| marks_of(message, key) > 0).unwrap_or(0);
        found.error(TOO_MANY_MARKS, at, format!("{count} cache marks: the API allows {CACHE_MARKS}"));
    }
}

/// The blocks of `system`, which is separate from the list.
pub(super) fn head(body: &Value, found: &mut Violations) {
    let blocks = each(body, "system");
    for _ in blocks.filter(|b| is_text(b) && text(b, "text").is_some_and(is_blank)) {
        found.error("A-empty-text", 0, "empty text block in `system`");
    }
}

/// Whether a block is a text.
fn is_text(block: &Value) -> bool {
    text(block, "type").map_or_else(|| block.get("text").is_some(), |kind| kind == "text")
}

fn content(role: &str, i: usize, last: bool, blocks: &[Block<'_>], found: &mut Violations) {
    let assistant = role == "assistant";
    if blocks.is_empty() && !(last && assistant && !found.is_converse) {
        found.error("A-empty-content", i, "message without content");
    }
    for block in blocks {
        let at = block.at;
        match block.kind() {
            "text" if block.text().is_some_and(is_blank) => {
                found.error("A-empty-text", i, format!("empty text block at content.{at}"));
            }
            "tool_use" if assistant => tool_name("A-name", block.field("name"), i, found),
            "tool_use" => found.error("A-use-in-user", i, "tool_use in a user message"),
            "tool_result" if role != "user" => {
                found.error("A-result-in-assistant", i, "tool_result in an assistant message");
            }
            "thinking" if block.field("signature").map_or(found.is_signed, str::is_empty) => {
                found.error("A-signature", i, "thinking block without a signature");
            }
            _ => {}
        }
        if block.kind() == "tool_result" {
            let inner = block.body().and_then(|v| v.get("content")?.as_array()).into_iter().flatten();
            let id = block.field("tool_use_id").unwrap_or_default();
            if is_empty_error(block) {
                found.error("A-empty-error", i, format!("tool_result {id} is an error with empty content"));
            }
            let is_said = |b: &Value| is_text(b) || b.get("json").is_some();
            if block.is_error() && !inner.clone().all(is_said) {
                let why = format!("tool_result {id} is an error with non-text content");
                found.error("A-error-content", i, why);
            }
            for _ in inner.filter(|b| is_text(b) && text(b, "text").is_some_and(is_blank)) {
                found.error("A-empty-text", i, format!("empty text block inside tool_result {id}"));
            }
        }
    }
    let end = blocks
        .iter()
        .rfind(|b| b.kind() != CACHE_POINT)
        .filter(|b| last && assistant && b.kind() == "text")
        .and_then(Block::text);
    if end.is_some_and(|text| text.ends_with(char::is_whitespace)) {
        found.error("A-trailing-space", i, "final assistant text ends in white space");
    }
}

/// Whether a result is an error without content.
fn is_empty_error(block: &Block<'_>) -> bool {
    let Some(value) = block.body() else { return false };
    let empty = match value.get("content") {
        Some(Value::String(text)) => is_blank(text),
        Some(Value::Array(list)) => list.is_empty(),
        _ => true,
    };
    empty && block.is_error()
}

fn pairing(turns: &[Turn<'_>], options: &CheckOptions<'_>, found: &mut Violations) {
    let mut used: HashMap<&str, usize> = HashMap::default();
    let mut before: HashSet<&str> = HashSet::default();
    for (n, turn) in turns.iter().enumerate() {
        if turn.role == "assistant" {
            uses(turns, n, &mut used, options, found);
            server_results(turn, &mut before, found);
        } else {
            results(turns, n, found);
        }
        before.extend(turn.blocks.iter().filter_map(|b| b.field("id")));
    }
}

fn ids<'v>(turn: Option<&Turn<'v>>, role: &str, kind: &str, key: &str) -> Vec<&'v str> {
    turn.filter(|t| t.role == role)
        .into_iter()
        .flat_map(|t| &t.blocks)
        .filter(|b| b.kind() == kind)
        .map(|b| b.field(key).unwrap_or_default())
        .collect()
}

fn uses<'v>(
    turns: &[Turn<'v>],
    n: usize,
    used: &mut HashMap<&'v str, usize>,
    options: &CheckOptions<'_>,
    found: &mut Violations,
) {
    let turn = &turns[n];
    let answered: HashSet<&str> =
        ids(turns.get(n + 1), "user", "tool_result", "tool_use_id").into_iter().collect();
    let mut missing = Vec::new();
    for block in turn.blocks.iter().filter(|b| b.kind() == "tool_use") {
        let id = block.field("id").unwrap_or_default();
        if let Some(at) = used.insert(id, n) {
            let severity = if at == n { Severity::Error } else { Severity::Warn };
            found.add(severity, "A-dup-use", block.message, format!("tool_use id {id} already used"));
        }
        if !answered.contains(id) {
            missing.push(id);
        }
    }
    let mut behind = turns[n + 1..].iter().flat_map(|t| &t.blocks);
    let still_running = options.pending && n + 2 >= turns.len() && behind.all(|b| b.kind() == "tool_result");
    if !missing.is_empty() && !still_running {
        let why = format!("tool_use without tool_result in the next turn: {}", missing.join(", "));
        found.error("A-unanswered", turn.index, why);
    }
}

/// The result of a tool that the provider runs needs its call somewhere before it.
/// `before`: the ids of such calls in all turns so far.
fn server_results<'v>(turn: &Turn<'v>, before: &mut HashSet<&'v str>, found: &mut Violations) {
    for block in &turn.blocks {
        let kind = block.kind();
        if kind == "server_tool_use" || kind == "mcp_tool_use" {
            before.extend(block.field("id"));
        } else if kind.ends_with("_tool_result") {
            let id = block.field("tool_use_id").unwrap_or_default();
            if !before.contains(id) {
                found.error(
                    SERVER_RESULT,
                    block.message,
                    format!("{kind} without its server_tool_use before it"),
                );
            }
        }
    }
}

fn results(turns: &[Turn<'_>], n: usize, found: &mut Violations) {
    let before = n.checked_sub(1).and_then(|p| turns.get(p));
    let asked: HashSet<&str> = ids(before, "assistant", "tool_use", "id").into_iter().collect();
    let mut had: HashSet<&str> = HashSet::default();
    let mut after_other = false;
    for block in &turns[n].blocks {
        if block.kind() != "tool_result" {
            after_other |= block.kind() != CACHE_POINT;
            continue;
        }
        let id = block.field("tool_use_id").unwrap_or_default();
        if !had.insert(id) {
            found.error("A-dup-result", block.message, format!("second tool_result for {id}"));
        } else if !asked.contains(id) {
            let why = format!("tool_result {id} without a tool_use in the turn before");
            found.error("A-orphan-result", block.message, why);
        } else if after_other {
            found.error(
                "A-result-not-first",
                block.message,
                format!("tool_result {id} comes after other content"),
            );
        }
    }
}

/// If thinking is enabled, the current tool turn must begin with a thinking block.
fn opens_with_thinking(turns: &[Turn<'_>], mode: &str, found: &mut Violations) {
    let start = turns.iter().rposition(Turn::is_users).map_or(0, |k| k + 1);
    let Some(turn) = turns[start..].iter().find(|t| t.role == "assistant") else { return };
    let calls = turn.blocks.iter().any(|b| b.kind() == "tool_use");
    let opens = turn.blocks.first().is_some_and(|b| matches!(b.kind(), "thinking" | "redacted_thinking"));
    if calls && !opens {
        let severity = if mode == "adaptive" { Severity::Warn } else { Severity::Error };
        let why = "thinking is on, but the running tool turn does not open with a thinking block";
        found.add(severity, "A-thinking-first", turn.index, why);
    }
}
