//! The rules of Chat Completions.

use serde_json::Value;

use super::super::fields::{given, text};
use super::dialect::Dialect;
use super::open::OpenIds;
use super::options::CheckOptions;
use super::reasoning;
use super::violation::{Severity, Violations, tool_name};
use crate::hashing::HashSet;

/// The maximum length of a call's id.
const CALL_ID_MAX: usize = 40;

/// An assistant message whose calls are being answered.
struct CallMessage<'v> {
    index: usize,
    need: OpenIds<'v, ()>,
    got: HashSet<&'v str>,
}

pub(super) fn check(list: &[Value], options: &CheckOptions<'_>, dialect: &Dialect, found: &mut Violations) {
    if list.is_empty() {
        found.error("C-empty", 0, "no messages");
    }
    reasoning::check_missing(list, dialect, found);
    let mut asked: Option<CallMessage<'_>> = None;
    for (i, message) in list.iter().enumerate() {
        let role = text(message, "role").unwrap_or_default();
        if role == "tool" {
            answer(message, i, asked.as_mut(), found);
            continue;
        }
        close(asked.take(), found);
        match role {
            "assistant" => asked = assistant(message, i, dialect, found),
            "user" if given(message, "content").is_none() || has_empty_list(message) => {
                found.error("C-null-content", i, "user message without content");
            }
            _ => {}
        }
    }
    if !options.pending {
        close(asked, found);
    }
}

fn answer<'v>(message: &'v Value, i: usize, asked: Option<&mut CallMessage<'v>>, found: &mut Violations) {
    let id = text(message, "tool_call_id").unwrap_or("undefined");
    let Some(asked) = asked else {
        let why = format!("tool message {id} follows no assistant message with tool_calls");
        found.error("C-orphan-tool", i, why);
        return;
    };
    if asked.need.close(id).is_some() {
        asked.got.insert(id);
    } else if asked.got.contains(id) {
        found.error("C-dup-tool", i, format!("second tool message for {id}"));
    } else {
        let why = format!("tool_call_id {id} is not among the tool_calls of the message before");
        found.error("C-wrong-id", i, why);
    }
}

fn close(asked: Option<CallMessage<'_>>, found: &mut Violations) {
    if let Some(mut asked) = asked.filter(|a| !a.need.is_empty()) {
        let need: Vec<&str> = asked.need.close_all().into_iter().map(|(id, ())| id).collect();
        let why = format!("tool_calls without a tool message: {}", need.join(", "));
        found.error("C-unanswered", asked.index, why);
    }
}

fn assistant<'v>(
    message: &'v Value,
    i: usize,
    dialect: &Dialect,
    found: &mut Violations,
) -> Option<CallMessage<'v>> {
    let calls = message.get("tool_calls").and_then(Value::as_array);
    let mut need: OpenIds<'v, ()> = OpenIds::default();
    if let Some(calls) = calls {
        if calls.is_empty() {
            let severity = if dialect.empty_tool_calls { Severity::Warn } else { Severity::Error };
            found.add(severity, "C-empty-calls", i, "tool_calls is an empty array");
        }
        for call in calls {
            let body = call.get("function").or_else(|| call.get("custom"));
            tool_name("C-name", body.and_then(|body| text(body, "name")), i, found);
        }
        let mut twice = false;
        for id in calls.iter().map(|call| text(call, "id").unwrap_or("undefined")) {
            if need.contains(id) {
                twice = true;
            } else {
                need.open(id, ());
                call_id(id, i, dialect, found);
            }
        }
        if twice {
            found.error("C-dup-call", i, "the same tool call id twice in one message");
        }
    }
    let says = ["function_call", "refusal", "audio"].iter().any(|key| given(message, key).is_some());
    let is_empty = given(message, "content").is_none() || has_empty_list(message);
    if is_empty && need.is_empty() && !says {
        found.error("C-null-content", i, "assistant message without content and without tool_calls");
    }
    (!need.is_empty()).then_some(CallMessage { index: i, need, got: HashSet::default() })
}

/// Whether the message's content is an empty list.
fn has_empty_list(message: &Value) -> bool {
    given(message, "content").is_some_and(|content| content.as_array().is_some_and(Vec::is_empty))
}

fn call_id(id: &str, i: usize, dialect: &Dialect, found: &mut Violations) {
    let length = id.encode_utf16().count();
    if length > CALL_ID_MAX {
        found.warn("C-id-long", i, format!("tool call id has {length} characters"));
    }
    let fits = |wanted: usize| length == wanted && id.chars().all(|c| c.is_ascii_alphanumeric());
    if let Some(wanted) = dialect.call_id_length.filter(|&wanted| !fits(wanted)) {
        let why =
            format!("tool call id {id} is not {wanted} letters and digits, as {} requires", dialect.name);
        found.warn("C-id-form", i, why);
    }
}
