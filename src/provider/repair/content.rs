//! Repairs empty content, blocks in the wrong role, and the beginning and end of a conversation.

use serde_json::Value;

use super::super::anthropic::{BEGINNING, NO_ERROR_TEXT, drop_refused, role};
use super::super::bedrock;
use super::super::fields::text;
use super::super::gemini::{is_refused, wrap_non_objects};
use super::super::openai_chat::{has_no_content, without_empty_lists};
use super::work::{Change, Entry, Work};
use crate::hashing::HashSet;
use crate::message::{CallKind, Format, Message, Part, Role};

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
    let mut changes = Vec::new();
    work.entries.retain_mut(|entry| {
        let (index, role) = (entry.from.start, entry.message.role);
        if matches!(role, Role::Assistant | Role::Tool) {
            return true;
        }
        let before = entry.message.parts.len();
        entry.message.parts.retain(|part| {
            let kind = match part {
                Part::ToolCall(_) => "tool-call",
                Part::Opaque { raw, .. } => text(raw, "type").unwrap_or_default(),
                _ => "",
            };
            let misplaced = ["tool-call", "tool-result"].contains(&kind);
            if misplaced {
                changes.push(Change::new(
                    index,
                    "schema",
                    format!("the {kind} was removed: it stood in the wrong role"),
                ));
            }
            !misplaced
        });
        before == entry.message.parts.len() || !entry.message.parts.is_empty()
    });
    work.changes.extend(changes);
}

/// Removes parts that the API refuses anywhere, and parts in the wrong role.
fn gemini(work: &mut Work) {
    let mut changes = Vec::new();
    for entry in &mut work.entries {
        let (index, of) = (entry.from.start, entry.message.role);
        if wrap_non_objects(&mut entry.message) {
            changes.push(Change::new(index, "schema", "a value that is not an object was wrapped in one"));
        }
        entry.message.parts.retain(|part| {
            let (broken, what) = match part {
                part if is_refused(part) => ("G-empty-text", "an empty part"),
                Part::ToolCall(_) if of != Role::Assistant => ("G-use-in-user", "a call"),
                Part::ToolOutput(_) if of != Role::Tool => ("G-result-in-model", "an output"),
                _ => return true,
            };
            changes.push(Change::new(index, broken, format!("{what} was removed")));
            false
        });
    }
    work.changes.extend(changes);
}

fn anthropic(work: &mut Work) {
    let is_converse = work.format == Format::BedrockConverse;
    let is_signed = work.is_signed;
    let mut called: HashSet<String> = HashSet::default();
    let mut changes = Vec::new();
    let mut missing_error_texts = Vec::new();
    for entry in &mut work.entries {
        let index = entry.from.start;
        let role = entry.message.role;
        let mut gone = |rule: &'static str, what: &str| {
            changes.push(Change::new(index, rule, format!("{what} was removed")));
        };
        drop_refused(&mut entry.message.parts, &mut gone);
        entry.message.parts.retain_mut(|part| match part {
            Part::ToolCall(call) if role != Role::Assistant => {
                gone("A-use-in-user", &format!("the call {}", call.id));
                false
            }
            Part::ToolCall(call) => {
                called.insert(call.id.clone());
                true
            }
            Part::ToolOutput(output) if role != Role::Tool => {
                gone("A-result-in-assistant", &format!("the result of {}", output.call_id));
                false
            }
            Part::ToolOutput(output) => {
                if output.is_error && output.content.is_empty() {
                    output.content.push(Part::text(NO_ERROR_TEXT));
                    missing_error_texts.push(Change::new(index, "A-empty-error", "a text was inserted"));
                }
                true
            }
            Part::Reasoning(reasoning)
                if !reasoning.redacted && reasoning.signature.as_deref().map_or(is_signed, str::is_empty) =>
            {
                gone("A-signature", "thinking without a signature");
                false
            }
            Part::Opaque { raw, .. } => {
                let text = |key: &str| raw.get(key).and_then(Value::as_str).unwrap_or_default();
                let orphan = text("type").ends_with("_tool_result") && !called.contains(text("tool_use_id"));
                if orphan {
                    gone("A-server-result", &format!("the {} of {}", text("type"), text("tool_use_id")));
                }
                !orphan
            }
            _ => true,
        });
    }
    if is_converse {
        for entry in &mut work.entries {
            let index = entry.from.start;
            bedrock::fix_for_repair(&mut entry.message, |rule, what| {
                changes.push(Change::new(index, rule, what));
            });
        }
    }
    work.changes.extend(changes);
    work.changes.extend(missing_error_texts);
}

/// Removes messages that have become empty, and corrects the beginning and the end.
pub(super) fn repair_ends(work: &mut Work) {
    let rule = work.rule([
        "schema", "C-null-content", "A-empty-content", "schema", "G-empty-parts", "B-empty-content", "schema",
    ]);
    let format = work.format;
    let mut changes = Vec::new();
    let reported: HashSet<usize> = work.changes.iter().map(|change| change.index).collect();
    work.entries.retain(|entry| {
        let keep = !is_inexpressible(format, &entry.message);
        if !keep && !reported.contains(&entry.from.start) {
            changes.push(Change::new(entry.from.start, rule, "an empty message was removed"));
        }
        keep
    });
    if format == Format::OpenaiChat {
        for entry in &mut work.entries {
            remove_empty_lists(entry, &mut changes);
        }
    }
    work.changes.extend(changes);
    match format {
        Format::Anthropic => {
            fix_beginning(work, "A-first");
            fix_end(work);
        }
        Format::BedrockConverse => {
            fix_beginning(work, "B-first");
            fix_end(work);
            report_joined_roles(work);
        }
        Format::Gemini => {
            fix_beginning(work, "G-first");
            report_joined_outputs(work);
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

/// Reports outputs that came in several contents and are written in one.
fn report_joined_outputs(work: &mut Work) {
    let is_joined = |pair: &&[Entry]| {
        let [before, entry] = pair else { return false };
        [before, entry].iter().all(|entry| entry.message.role == Role::Tool)
            && before.from.start < entry.from.start
    };
    let at: Vec<usize> = work.entries.windows(2).filter(is_joined).map(|pair| pair[1].from.start).collect();
    for index in at {
        work.note_change(index, "G-result-place", "it was joined to the content before it");
    }
}

/// Reports messages that are merged because the API wants alternating roles.
fn report_joined_roles(work: &mut Work) {
    let as_sent = |entry: &Entry| (entry.from.clone(), role(entry.message.role));
    let merged_at: Vec<usize> = work
        .entries
        .windows(2)
        .filter(|pair| {
            let ((from, of), (other, with)) = (as_sent(&pair[0]), as_sent(&pair[1]));
            of == with && from != other
        })
        .map(|pair| pair[1].from.start)
        .collect();
    for index in merged_at {
        work.note_change(index, "B-same-role", "it was joined with the message before it");
    }
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

/// Whether the call is a plain function call, whose output may be of several kinds.
pub(super) fn is_plain(kind: &CallKind) -> bool {
    matches!(kind, CallKind::Function)
}
