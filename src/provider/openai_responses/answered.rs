//! Outputs whose call has another id in the list: that of a call which is stored with the provider, and that of a local shell.

use std::ops::Range;

use serde_json::Value;

use super::super::opaque::opaque_call;
use crate::message::{CallKind, Format, Message, Part, ToolCall, ToolOutput};

const FORMAT: Format = Format::OpenaiResponses;

/// How the ids of stored items begin that are no calls: reasoning and messages.
const NO_CALLS: [&str; 2] = ["rs_", "msg_"];

/// If no call in `before` has the id of an output, its call is stored with the provider, and the list has only a reference to it.
/// Then the newest reference that may be one becomes the call, so that the two stay together.
pub(super) fn claim_reference(id: &str, before: &mut [(Message, Range<usize>)]) {
    let is_it = |call: &ToolCall| call.id == id || item_id(call) == Some(id);
    if before.iter().rev().any(|(message, _)| message.tool_calls().any(is_it)) {
        return;
    }
    let mut messages = before.iter_mut().rev().map(|(message, _)| message);
    if let Some(message) = messages.find(|message| count_stored_calls(message) > 0) {
        claim_stored_call(message, id);
    }
}

/// How many references a message has that may be calls which are stored with the provider.
pub fn count_stored_calls(message: &Message) -> usize {
    message.parts.iter().filter(|part| stored_call(part).is_some()).count()
}

/// The first such reference becomes the call with this id: the ids differ, so among several the order decides. Returns whether there is one.
pub fn claim_stored_call(message: &mut Message, id: &str) -> bool {
    let Some(part) = message.parts.iter_mut().find(|part| stored_call(part).is_some()) else { return false };
    if let Part::Opaque { raw, .. } = &*part {
        *part = Part::from(opaque_call(id, FORMAT, raw.clone()));
    }
    true
}

/// The id of the stored item that a part refers to, if that may be a call.
fn stored_call(part: &Part) -> Option<&str> {
    let Part::Opaque { format: FORMAT, raw } = part else { return None };
    let is_reference = match raw.get("type") {
        None | Some(Value::Null) => raw.get("role").is_none(),
        Some(kind) => kind == "item_reference",
    };
    let id = raw.get("id").and_then(Value::as_str).filter(|_| is_reference)?;
    (!NO_CALLS.iter().any(|beginning| id.starts_with(beginning))).then_some(id)
}

/// The id of the item that a call came as.
fn item_id(call: &ToolCall) -> Option<&str> {
    match &call.kind {
        CallKind::Other { format: FORMAT, raw } => raw.get("id").and_then(Value::as_str),
        _ => None,
    }
}

/// Whether an output names its call by an `id`: that of a local shell has no `call_id` in the API's schema.
pub fn is_answer_by_id(output: &ToolOutput) -> bool {
    let is_shell =
        || output.extras.field(FORMAT, "type").is_some_and(|kind| kind == "local_shell_call_output");
    output.extras.has(FORMAT, "id") && !output.extras.has(FORMAT, "call_id") && is_shell()
}

/// If such an output names the item of this call, gives it the id of the call; it is still written with the item's id. Returns
/// whether it names it.
pub fn answer_by_item_id(output: &mut ToolOutput, call: &ToolCall) -> bool {
    let names_it = is_answer_by_id(output) && item_id(call) == Some(&output.call_id);
    if names_it && output.call_id != call.id {
        let mut fields = output.extras.of(FORMAT).unwrap_or_default();
        let item = std::mem::replace(&mut output.call_id, call.id.clone());
        fields.insert("id".to_owned(), Value::String(item));
        output.extras = output.extras.with(FORMAT, fields);
    }
    names_it
}
