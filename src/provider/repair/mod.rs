//! Repairs a broken history and reports the changes.

mod content;
mod ids;
mod pairing;
mod reasoning;
mod work;

pub use work::{Change, MISSING_OUTPUT};

use serde_json::Value;

use super::anthropic::is_blank;
use super::bedrock;
use super::find_list::outside_list;
use super::position::{CACHE_MARKS, PositionChecker, mark_key, marks_of};
use super::{CheckOptions, Severity, check, list_keys, list_of, provider};
use crate::error::Result;
use crate::message::{Format, Message, Role};
use crate::sorting::sort_by_key;
use work::{Entry, Work};

/// A repaired history.
#[derive(Debug, Clone, PartialEq)]
pub struct Repaired {
    /// The same list, body or response, with a list that the provider accepts.
    pub output: Value,
    /// The changes, in the order of the list. Empty if the history was valid and is returned unchanged.
    pub changes: Vec<Change>,
}

/// Repairs what can be repaired: orphans and duplicates are removed, missing outputs get a marked placeholder,
/// misplaced entries are moved. A history without errors is returned unchanged.
///
/// # Errors
/// `INVALID_ARGUMENT` if `input` has no list.
pub fn repair(format: Format, input: &Value, options: &CheckOptions<'_>) -> Result<Repaired> {
    let list = &*list_of(format, input)?;
    let broken = |v: &Value| -> Result<bool> {
        Ok(check(format, v, options)?.iter().any(|v| v.severity == Severity::Error))
    };
    if !broken(input)? {
        return Ok(Repaired { output: input.clone(), changes: Vec::new() });
    }
    let mut changes = Vec::new();
    let (list, origin) = readable_entries(format, list, &mut changes);
    let list = ids::repair(format, list, &origin, options, &mut changes);
    let read = provider(format).read_list(&list)?;
    let entries: Vec<Entry> = read
        .into_iter()
        .map(|(message, r)| Entry { message, from: origin[r.start]..origin[r.end - 1] + 1 })
        .collect();
    let is_signed = format != Format::BedrockConverse || check::bedrock::is_signed(input, options);
    let mut work = Work { format, entries, changes, pending: options.pending, is_signed };
    content::repair(&mut work);
    pairing::repair(&mut work, options);
    fix_positions(&mut work, input);
    content::repair_ends(&mut work);
    let messages: Vec<&Message> = work.entries.iter().map(|e| &e.message).collect();
    let items = write_list(format, &messages);
    let mut changes = work.changes;
    let mut output = with_list(format, input, items);
    if format == Format::BedrockConverse {
        for change in &mut changes {
            change.rule = check::bedrock::named(change.rule);
        }
        if let Some(index) = bedrock::define_tools(&mut output) {
            let what = "`toolConfig` was added, with the tools that were called";
            changes.push(Change::new(index, "B-tool-config", what));
        }
    }
    let has_blocks = matches!(format, Format::Anthropic | Format::BedrockConverse);
    if has_blocks && drop_blank_head(&mut output) {
        let rule = if format == Format::Anthropic { "A-empty-text" } else { "B-empty-text" };
        changes.push(Change::new(0, rule, "an empty text was removed from `system`"));
    }
    sort_by_key(&mut changes, |change| change.index);
    Ok(Repaired { output, changes })
}

/// Removes what the API refuses because of its position, the same as a view does. `input`: the body, whose header and tools may have
/// cache marks.
fn fix_positions(work: &mut Work, input: &Value) {
    let key = mark_key(work.format);
    let room = CACHE_MARKS.saturating_sub(outside_list(input).map(|block| marks_of(block, key)).sum());
    let mut checker = PositionChecker::with_marks(work.format, room);
    checker.update(0, work.entries.len(), |at| work.entries.get(at).map(|entry| &entry.message));
    for (at, removals) in checker.removals_from(0) {
        let Some(entry) = work.entries.get_mut(at) else { continue };
        entry.message = removals.apply(&entry.message, work.format);
        let broken = removals.broken_rules();
        work.changes.extend(broken.map(|(rule, what)| Change::new(entry.from.start, rule, what)));
    }
}

/// Removes blank texts from the system blocks of a body. Returns whether there were any.
fn drop_blank_head(body: &mut Value) -> bool {
    let Some(Value::Array(blocks)) = body.get_mut("system") else { return false };
    let before = blocks.len();
    let is_blank = |block: &Value| {
        let text = |key: &str| block.get(key).and_then(Value::as_str);
        text("type").is_none_or(|kind| kind == "text") && text("text").is_some_and(is_blank)
    };
    blocks.retain(|block| !is_blank(block));
    let (is_empty, changed) = (blocks.is_empty(), blocks.len() < before);
    if let Some(body) = body.as_object_mut().filter(|_| changed && is_empty) {
        body.shift_remove("system");
    }
    changed
}

/// The list as the format writes it, without the messages that it would write into a header.
fn write_list(format: Format, messages: &[&Message]) -> Vec<Value> {
    let written = provider(format).write(messages);
    match written.head {
        // The header of a body is not part of its list, and the body keeps it.
        Some(_) => {
            let rest: Vec<&Message> = messages
                .iter()
                .copied()
                .filter(|m| m.role != Role::System && m.role != Role::Developer)
                .collect();
            provider(format).write(&rest).items
        }
        None => written.items,
    }
}

/// The entries that can be read, and their indexes in the original list.
fn readable_entries(format: Format, list: &[Value], changes: &mut Vec<Change>) -> (Vec<Value>, Vec<usize>) {
    let mut kept = Vec::new();
    let mut origin = Vec::new();
    for (index, entry) in list.iter().enumerate() {
        let mut entry = entry.clone();
        if entry.get("type").and_then(Value::as_str) == Some("reasoning")
            && !entry.get("summary").is_some_and(Value::is_array)
            && let Some(map) = entry.as_object_mut()
        {
            map.insert("summary".to_owned(), Value::Array(Vec::new()));
            changes.push(Change::new(index, "R-summary", "an empty summary was inserted"));
        }
        if stringify_arguments(&mut entry) {
            changes.push(Change::new(index, "schema", "arguments were converted to text"));
        }
        if fill_missing_output(format, &mut entry) {
            changes.push(Change::new(index, "schema", "an empty text was inserted as the output"));
        }
        match provider(format).read_list(std::slice::from_ref(&entry)) {
            Ok(_) => {
                kept.push(entry);
                origin.push(index);
            }
            Err(e) => {
                let why = e.message().trim_start_matches("message 0: ");
                changes.push(Change::new(index, "schema", format!("it was removed: {why}")));
            }
        }
    }
    (kept, origin)
}

/// Turns arguments of function calls that are objects into text, as `OpenAI`'s formats require. Returns whether there
/// were any.
fn stringify_arguments(entry: &mut Value) -> bool {
    let mut done = false;
    let mut stringify = |call: Option<&mut Value>| {
        if let Some(arguments) = call.and_then(|c| c.get_mut("arguments")).filter(|a| a.is_object()) {
            *arguments = Value::String(arguments.to_string());
            done = true;
        }
    };
    if let Some("function_call" | "mcp_call") = entry.get("type").and_then(Value::as_str) {
        stringify(Some(entry));
    } else {
        let calls = entry.get_mut("tool_calls").and_then(Value::as_array_mut);
        calls.into_iter().flatten().for_each(|call| stringify(call.get_mut("function")));
    }
    done
}

/// Gives an output that is missing or `null` an empty text, as `OpenAI`'s formats require: a tool that returned nothing
/// leaves it so. Returns whether it was missing.
fn fill_missing_output(format: Format, entry: &mut Value) -> bool {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    let key = match format {
        Format::OpenaiChat if text("role") == "tool" => "content",
        Format::OpenaiResponses
            if ["function_call_output", "custom_tool_call_output"].contains(&text("type")) =>
        {
            "output"
        }
        _ => return false,
    };
    let Some(map) = entry.as_object_mut().filter(|map| map.get(key).is_none_or(Value::is_null)) else {
        return false;
    };
    map.insert(key.to_owned(), Value::String(String::new()));
    true
}

/// `input` with its list replaced by `items`; only `items` if it has no list.
fn with_list(format: Format, input: &Value, items: Vec<Value>) -> Value {
    let key = list_keys(format).iter().find(|key| input.get(**key).is_some_and(Value::is_array));
    let (Value::Object(map), Some(key)) = (input, key) else { return Value::Array(items) };
    let mut map = map.clone();
    map.insert((*key).to_owned(), Value::Array(items));
    Value::Object(map)
}
