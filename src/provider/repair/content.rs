//! Repairs empty content, blocks in the wrong role, and the beginning and end of a conversation.

use serde_json::Value;

use super::super::anthropic::{BEGINNING, NO_ERROR_TEXT, drop_refused, role};
use super::super::bedrock;
use super::super::fields::text;
use super::super::gemini::{is_refused, wrap_non_objects};
use super::super::openai_chat::{has_no_content, without_empty_lists};
use super::work::{Change, Entry, Work};
use crate::hashing::HashSet;
use crate::message::{Format, Message, Part, Role};

/// Removes parts that a message of this role must not have.
pub(super) fn repair(work: &mut Work) {
    match work.format {
        Format::Anthropic | Format::BedrockConverse => anthropic(work),
        Format::Gemini => gemini(work),
        Format::AiSdk => ai_sdk(work),
        _ => {}
    }
}

/// Removes calls and results in roles for which the SDK has none, and messages that hold nothing else.
fn ai_sdk(work: &mut Work) {
    let Work { entries, changes, .. } = work;
    entries.retain_mut(|Entry { message, from }| {
        if matches!(message.role, Role::Assistant | Role::Tool) {
            return true;
        }
        let before = message.parts.len();
        message.parts.retain(|part| {
            let kind = match part {
                Part::ToolCall(_) => "tool-call",
                Part::Opaque { raw, .. } => text(raw, "type").unwrap_or_default(),
                _ => "",
            };
            let misplaced = ["tool-call", "tool-result"].contains(&kind);
            if misplaced {
                let what = format!("the {kind} was removed: it stood in the wrong role");
                changes.push(Change::new(from.start, "schema", what));
            }
            !misplaced
        });
        before == message.parts.len() || !message.parts.is_empty()
    });
}

/// Removes parts that the API refuses anywhere, and parts in the wrong role.
fn gemini(work: &mut Work) {
    for entry in &mut work.entries {
        if wrap_non_objects(&mut entry.message) {
            let what = "a value that is not an object was wrapped in one";
            work.changes.push(Change::new(entry.from.start, "schema", what));
        }
    }
    work.remove_parts(&mut |role, part| {
        let (broken, what) = match part {
            part if is_refused(part) => ("G-empty-text", "an empty part"),
            Part::ToolCall(_) if role != Role::Assistant => ("G-use-in-user", "a call"),
            Part::ToolOutput(_) if role != Role::Tool => ("G-result-in-model", "an output"),
            _ => return None,
        };
        Some((broken, format!("{what} was removed")))
    });
}

fn anthropic(work: &mut Work) {
    let is_signed = work.is_signed;
    for entry in &mut work.entries {
        drop_refused(&mut entry.message.parts, |rule, what| {
            work.changes.push(Change::new(entry.from.start, rule, format!("{what} was removed")));
        });
    }
    let mut called: HashSet<String> = HashSet::default();
    work.remove_parts(&mut |role, part| {
        let (broken, what) = match part {
            Part::ToolCall(call) if role != Role::Assistant => {
                ("A-use-in-user", format!("the call {}", call.id))
            }
            Part::ToolCall(call) => {
                called.insert(call.id.clone());
                return None;
            }
            Part::ToolOutput(output) if role != Role::Tool => {
                ("A-result-in-assistant", format!("the result of {}", output.call_id))
            }
            Part::Reasoning(reasoning)
                if !reasoning.redacted && reasoning.signature.as_deref().map_or(is_signed, str::is_empty) =>
            {
                ("A-signature", "thinking without a signature".to_owned())
            }
            Part::Opaque { raw, .. } => {
                let (kind, of) = (text(raw, "type").unwrap_or_default(), text(raw, "tool_use_id"));
                let of = of.unwrap_or_default();
                if !kind.ends_with("_tool_result") || called.contains(of) {
                    return None;
                }
                ("A-server-result", format!("the {kind} of {of}"))
            }
            _ => return None,
        };
        Some((broken, format!("{what} was removed")))
    });
    for entry in &mut work.entries {
        for output in entry.message.tool_outputs_mut().filter(|o| o.is_error && o.content.is_empty()) {
            output.content.push(Part::text(NO_ERROR_TEXT));
            work.changes.push(Change::new(entry.from.start, "A-empty-error", "a text was inserted"));
        }
        if work.format == Format::BedrockConverse {
            bedrock::fix_for_repair(&mut entry.message, |rule, what| {
                work.changes.push(Change::new(entry.from.start, rule, what));
            });
        }
    }
}

/// Removes messages that have become empty, and corrects the beginning and the end.
pub(super) fn repair_ends(work: &mut Work) {
    let rule = work.rule([
        "schema", "C-null-content", "A-empty-content", "schema", "G-empty-parts", "B-empty-content", "schema",
    ]);
    let format = work.format;
    let reported: HashSet<usize> = work.changes.iter().map(|change| change.index).collect();
    work.entries.retain(|entry| {
        let keep = !is_inexpressible(format, &entry.message);
        if !keep && !reported.contains(&entry.from.start) {
            work.changes.push(Change::new(entry.from.start, rule, "an empty message was removed"));
        }
        keep
    });
    if format == Format::OpenaiChat {
        for entry in &mut work.entries {
            remove_empty_lists(entry, &mut work.changes);
        }
    }
    match format {
        Format::Anthropic => {
            fix_beginning(work, "A-first");
            fix_end(work);
        }
        Format::BedrockConverse => {
            fix_beginning(work, "B-first");
            fix_end(work);
            // Messages are merged because the API wants alternating roles.
            report_joined(
                work,
                "B-same-role",
                "it was joined with the message before it",
                |before, entry| {
                    role(before.message.role) == role(entry.message.role) && before.from != entry.from
                },
            );
        }
        Format::Gemini => {
            fix_beginning(work, "G-first");
            // Outputs that came in several contents are written in one.
            report_joined(
                work,
                "G-result-place",
                "it was joined to the content before it",
                |before, entry| {
                    [before, entry].iter().all(|entry| entry.message.role == Role::Tool)
                        && before.from.start < entry.from.start
                },
            );
        }
        _ => {}
    }
}

/// Whether the message has nothing left that its format can express.
fn is_inexpressible(format: Format, message: &Message) -> bool {
    match format {
        Format::Anthropic | Format::OpenaiResponses => {
            message.parts.is_empty() && message.role != Role::System
        }
        Format::OpenaiChat => {
            let is_empty = |v: &Value| v.is_null() || v.as_array().is_some_and(Vec::is_empty);
            let has_field = |key: &str| message.extras.field(format, key).is_some_and(|v| !is_empty(&v));
            message.parts.iter().all(|p| matches!(p, Part::Reasoning(_)))
                && matches!(message.role, Role::User | Role::Assistant)
                && !["refusal", "audio", "content"].iter().any(|key| has_field(key))
                || message.parts.is_empty() && message.role == Role::User
        }
        Format::Gemini | Format::BedrockConverse => {
            message.parts.is_empty() && !message.role.is_instruction()
        }
        Format::Messages | Format::AiSdk => false,
    }
}

fn remove_empty_lists(entry: &mut Entry, changes: &mut Vec<Change>) {
    if let Some(fixed) = without_empty_lists(&entry.message) {
        let (rule, what) = if has_no_content(&entry.message) {
            ("C-null-content", "the empty list of content was removed")
        } else {
            ("C-empty-calls", "the empty list of calls was removed")
        };
        entry.message = fixed;
        changes.push(Change::new(entry.from.start, rule, what));
    }
}

/// Reports the entries that are written in one with the entry before them.
fn report_joined(work: &mut Work, rule: &'static str, what: &str, is_joined: fn(&Entry, &Entry) -> bool) {
    let joined = work.entries.windows(2).filter(|pair| is_joined(&pair[0], &pair[1]));
    work.changes.extend(joined.map(|pair| Change::new(pair[1].from.start, rule, what)));
}

fn fix_beginning(work: &mut Work, rule: &'static str) {
    let first = work.entries.iter().position(|e| !e.message.role.is_instruction());
    let Some(at) = first.filter(|&i| work.entries[i].message.role == Role::Assistant) else { return };
    let from = work.entries[at].from.clone();
    work.note_change(from.start, rule, "a user message was inserted before it");
    work.entries.insert(at, Entry { message: Message::text(Role::User, BEGINNING), from });
}

fn fix_end(work: &mut Work) {
    let Some(entry) = work.entries.last_mut().filter(|e| e.message.role == Role::Assistant) else { return };
    let index = entry.from.start;
    let Some(Part::Text { text, .. }) = entry.message.parts.last_mut() else { return };
    let trimmed = text.trim_end();
    if trimmed.len() == text.len() {
        return;
    }
    if trimmed.is_empty() {
        entry.message.parts.pop();
    } else {
        *text = trimmed.into();
    }
    work.note_change(index, "A-trailing-space", "trailing white space was removed");
}
