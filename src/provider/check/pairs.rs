//! The rules of our own messages and of the AI SDK: every output needs its call before it, and every call needs one
//! output.

use serde_json::Value;

use super::super::fields::{each, text};
use super::open::OpenIds;
use super::options::CheckOptions;
use super::pending::last_step;
use super::violation::Violations;
use crate::hashing::HashSet;
use crate::message::{Format, Role};

/// The names of the rules in one format.
struct Rules {
    dup_call: &'static str,
    orphan: &'static str,
    dup_output: &'static str,
    unanswered: &'static str,
}

const MESSAGES: Rules = Rules {
    dup_call: "M-dup-call",
    orphan: "M-orphan-output",
    dup_output: "M-dup-output",
    unanswered: "M-unanswered",
};

const AI_SDK: Rules = Rules {
    dup_call: "S-dup-call",
    orphan: "S-orphan-result",
    dup_output: "S-dup-result",
    unanswered: "S-unanswered",
};

/// What an entry means for the pairing.
enum Step<'v> {
    Call(&'v str),
    /// A call that waits for approval and may have no output.
    Asked(&'v str),
    Output(&'v str),
}

pub(super) fn check(format: Format, list: &[Value], options: &CheckOptions<'_>, found: &mut Violations) {
    let rules = if format == Format::AiSdk { &AI_SDK } else { &MESSAGES };
    let mut open: OpenIds<'_, usize> = OpenIds::default();
    let mut answered: HashSet<&str> = HashSet::default();
    let mut asked: HashSet<&str> = HashSet::default();
    for (i, entry) in list.iter().enumerate() {
        let steps = if format == Format::AiSdk { ai_sdk(entry) } else { messages(entry) };
        if format == Format::AiSdk && matches!(text(entry, "role"), Some("user" | "system")) {
            unanswered(rules, open.close_all(), found); // the SDK allows nothing but results before these messages
        }
        for step in steps {
            match step {
                Step::Call(id) => {
                    if open.contains(id) {
                        found.error(rules.dup_call, i, format!("a second open call {id}"));
                    } else {
                        open.open(id, i);
                    }
                }
                Step::Asked(id) => {
                    asked.insert(id);
                }
                Step::Output(id) => {
                    if open.close(id).is_some() || asked.remove(id) {
                        answered.insert(id);
                    } else if answered.contains(id) {
                        found.error(rules.dup_output, i, format!("a second output for call {id}"));
                    } else {
                        found.error(rules.orphan, i, format!("an output whose call {id} is not before it"));
                    }
                }
            }
        }
    }
    let role = |entry: &Value| text(entry, "role").and_then(Role::parse).unwrap_or(Role::User);
    let running =
        if options.pending { last_step(&list.iter().map(role).collect::<Vec<_>>()) } else { list.len() };
    unanswered(rules, open.close_all().into_iter().filter(|(_, i)| *i < running), found);
}

fn unanswered<'v>(rules: &Rules, open: impl IntoIterator<Item = (&'v str, usize)>, found: &mut Violations) {
    for (id, i) in open {
        found.error(rules.unanswered, i, format!("call {id} has no output"));
    }
}

fn messages(entry: &Value) -> Vec<Step<'_>> {
    match text(entry, "role") {
        Some("assistant") => each(entry, "tool_calls")
            .filter(|call| call.get("hosted") != Some(&Value::Bool(true)))
            .filter_map(|call| text(call, "id").map(Step::Call))
            .collect(),
        Some("tool") => text(entry, "tool_call_id").map(Step::Output).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn ai_sdk(entry: &Value) -> Vec<Step<'_>> {
    let parts = || each(entry, "content");
    let asks_first = |id: &str| {
        let request =
            |p: &Value| text(p, "type") == Some("tool-approval-request") && text(p, "toolCallId") == Some(id);
        parts().any(request)
    };
    match text(entry, "role") {
        Some("assistant") => parts()
            .filter(|p| text(p, "type") == Some("tool-call"))
            .filter(|p| p.get("providerExecuted") != Some(&Value::Bool(true)))
            .filter_map(|p| {
                text(p, "toolCallId").map(|id| if asks_first(id) { Step::Asked(id) } else { Step::Call(id) })
            })
            .collect(),
        Some("tool") => parts()
            .filter(|p| text(p, "type") == Some("tool-result"))
            .filter_map(|p| text(p, "toolCallId").map(Step::Output))
            .collect(),
        _ => Vec::new(),
    }
}
