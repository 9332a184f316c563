//! The rules that compare with the history before it was changed.

use serde_json::Value;

use super::super::fields::{each, text};
use super::super::gemini::field;
use super::super::openai_responses::kinds;
use super::dialect::Dialect;
use super::options::CheckOptions;
use super::reasoning;
use super::violation::{Severity, Violations};
use crate::hashing::{HashMap, HashSet};
use crate::message::Format;

pub(super) fn check(
    format: Format,
    before: &[Value],
    after: &[Value],
    options: &CheckOptions<'_>,
    dialect: &Dialect,
    found: &mut Violations,
) {
    match format {
        Format::OpenaiResponses => {
            reasoning_lost(before, after, found);
            encrypted_changed(before, after, found);
            order(before, after, responses_key, found);
        }
        Format::OpenaiChat => {
            if dialect.thought_signatures {
                signatures_lost(before, after, chat_calls, "C-thought-signature", found);
            }
            reasoning::check_lost(before, after, dialect, found);
            order(before, after, chat_key, found);
        }
        Format::Anthropic => thinking(before, after, options, found),
        Format::Messages | Format::AiSdk | Format::BedrockConverse => {}
        Format::Gemini => {
            signatures_lost(before, after, gemini_calls, "G-thought-signature", found);
        }
    }
}

/// An item that keeps its id needs the reasoning item that produced it.
fn reasoning_lost(before: &[Value], after: &[Value], found: &mut Violations) {
    let mut needs: HashMap<&str, &str> = HashMap::default();
    let mut current: Option<&str> = None;
    for item in before {
        if text(item, "type") == Some("reasoning") {
            current = text(item, "id").or(current);
        } else if item.as_object().is_some_and(kinds::is_model_made) {
            if let (Some(id), Some(reasoning)) = (text(item, "id"), current) {
                needs.insert(id, reasoning);
            }
        } else {
            current = None;
        }
    }
    let have: HashSet<&str> = after.iter().filter_map(|item| text(item, "id")).collect();
    for (i, item) in after.iter().enumerate() {
        let lost = text(item, "id").and_then(|id| Some((id, *needs.get(id)?)));
        if let Some((id, reasoning)) = lost.filter(|(_, reasoning)| !have.contains(reasoning)) {
            let kind = text(item, "type").unwrap_or("message");
            found.error(
                "R-reasoning-lost",
                i,
                format!("{kind} {id} kept its id but its reasoning item {reasoning} is gone"),
            );
        }
    }
}

fn encrypted_changed(before: &[Value], after: &[Value], found: &mut Violations) {
    let known: HashSet<&str> = before.iter().filter_map(|item| text(item, "encrypted_content")).collect();
    for (i, item) in after.iter().enumerate() {
        let carries = matches!(text(item, "type"), Some("reasoning" | "compaction"));
        let content = text(item, "encrypted_content").filter(|c| carries && !c.is_empty());
        if !before.is_empty() && content.is_some_and(|c| !known.contains(c)) {
            found.error("R-encrypted-changed", i, "encrypted_content matches none of the originals");
        }
    }
}

/// A call with its thought signature: the index of its entry, its id, the signature.
type Signed = (usize, String, Option<String>);

/// A call that came with a thought signature must keep it.
fn signatures_lost(
    before: &[Value],
    after: &[Value],
    calls: fn(&[Value]) -> Vec<Signed>,
    rule: &'static str,
    found: &mut Violations,
) {
    let signed: HashMap<String, Option<String>> =
        calls(before).into_iter().map(|(_, id, signature)| (id, signature)).collect();
    for (i, id, now) in calls(after) {
        if signed.get(&id).is_some_and(|was| was.is_some() && *was != now) {
            found.error(rule, i, format!("call {id} lost its thought signature"));
        }
    }
}

fn chat_calls(list: &[Value]) -> Vec<Signed> {
    let signature = |call: &Value| {
        call.pointer("/extra_content/google/thought_signature").and_then(Value::as_str).map(str::to_owned)
    };
    let mut out = Vec::new();
    for (i, message) in list.iter().enumerate() {
        for call in each(message, "tool_calls") {
            out.extend(text(call, "id").map(|id| (i, id.to_owned(), signature(call))));
        }
    }
    out
}

/// Only calls with ids: others cannot be told apart.
fn gemini_calls(list: &[Value]) -> Vec<Signed> {
    let mut out = Vec::new();
    for (i, content) in list.iter().enumerate() {
        for part in each(content, "parts") {
            let id = field(part, "functionCall").and_then(|call| text(call, "id"));
            let signature = field(part, "thoughtSignature").and_then(Value::as_str).map(str::to_owned);
            out.extend(id.map(|id| (i, id.to_owned(), signature)));
        }
    }
    out
}

fn responses_key(item: &Value) -> Option<String> {
    let id = text(item, "call_id").or_else(|| text(item, "id"))?;
    Some(format!("{}:{id}", text(item, "type").unwrap_or("undefined")))
}

fn chat_key(message: &Value) -> Option<String> {
    if text(message, "role") == Some("tool") {
        return Some(format!("t:{}", text(message, "tool_call_id")?));
    }
    let calls = message.get("tool_calls")?.as_array().filter(|calls| !calls.is_empty())?;
    let ids: Vec<&str> = calls.iter().map(|call| text(call, "id").unwrap_or_default()).collect();
    Some(format!("c:{}", ids.join(",")))
}

/// Entries that were kept must be in their original order.
fn order(before: &[Value], after: &[Value], key: fn(&Value) -> Option<String>, found: &mut Violations) {
    let mut at: HashMap<String, usize> = HashMap::default();
    for (i, entry) in before.iter().enumerate() {
        if let Some(key) = key(entry) {
            at.entry(key).or_insert(i);
        }
    }
    let mut highest = 0;
    for (i, entry) in after.iter().enumerate() {
        let Some(key) = key(entry) else { continue };
        let Some(&position) = at.get(&key) else { continue };
        if position < highest {
            found.warn("order-changed", i, format!("{key} came earlier than what precedes it here"));
        }
        highest = highest.max(position);
    }
}

/// Thinking must be unchanged; newer models also require everything before it to be unchanged.
fn thinking(before: &[Value], after: &[Value], options: &CheckOptions<'_>, found: &mut Violations) {
    let mut known: HashMap<&str, &str> = HashMap::default();
    let mut bound: HashMap<&str, Place<'_>> = HashMap::default();
    for place in places(before) {
        let (Some(signature), Some(thinking)) =
            (text(place.block, "signature"), text(place.block, "thinking"))
        else {
            continue;
        };
        known.insert(signature, thinking);
        if !signature.is_empty() {
            bound.entry(signature).or_insert(place);
        }
    }
    let common = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    for place in places(after) {
        let at = format!("thinking block at {}.{}", place.message, place.index);
        let signature = text(place.block, "signature").unwrap_or_default();
        if known.contains_key(signature)
            && bound.get(signature).is_some_and(|was| !same_prefix(before, was, after, &place, common))
        {
            let severity = if options.bound { Severity::Error } else { Severity::Warn };
            let why = format!("{at} was kept although something before it was changed");
            found.add(severity, "A-thinking-bound", place.message, why);
        }
        if known.get(signature).copied() != text(place.block, "thinking") {
            found.error("A-thinking-changed", place.message, format!("{at} was changed"));
        }
    }
}

/// A thinking block and its position.
struct Place<'v> {
    message: usize,
    index: usize,
    block: &'v Value,
}

fn places(list: &[Value]) -> impl Iterator<Item = Place<'_>> {
    list.iter().enumerate().flat_map(|(message, m)| {
        let blocks = each(m, "content").enumerate();
        blocks.filter(|(_, block)| text(block, "type") == Some("thinking")).map(move |(index, block)| Place {
            message,
            index,
            block,
        })
    })
}

/// Whether both have the same before them. `common`: how many entries the lists have in common from the start.
fn same_prefix(before: &[Value], was: &Place<'_>, after: &[Value], now: &Place<'_>, common: usize) -> bool {
    was.message == now.message
        && was.index == now.index
        && now.message <= common
        && blocks_before(before, was) == blocks_before(after, now)
}

/// The blocks before this one in its message.
fn blocks_before<'v>(list: &'v [Value], place: &Place<'_>) -> Option<&'v [Value]> {
    list.get(place.message)?.get("content")?.as_array()?.get(..place.index)
}
