//! The kinds of items, as data.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::super::call_ids;

/// The maximum length of a call's id.
pub(in crate::provider) const CALL_ID_MAX: usize = 64;

/// A kind of call that the caller must answer, with the item that answers it.
pub(in crate::provider) struct CallKinds {
    /// The type of the call.
    pub call: &'static str,
    /// The type of its output.
    pub output: &'static str,
}

/// All kinds of calls that need an output.
pub(in crate::provider) const CALLS: [CallKinds; 7] = [
    CallKinds { call: "function_call", output: "function_call_output" },
    CallKinds { call: "custom_tool_call", output: "custom_tool_call_output" },
    CallKinds { call: "computer_call", output: "computer_call_output" },
    CallKinds { call: "local_shell_call", output: "local_shell_call_output" },
    CallKinds { call: "shell_call", output: "shell_call_output" },
    CallKinds { call: "apply_patch_call", output: "apply_patch_call_output" },
    CallKinds { call: "tool_search_call", output: "tool_search_output" },
];

/// A request for approval and its answer, which are paired like a call. The API refuses a request without an answer before what comes
/// next: `The following MCP approval requests do not have an approval: mcpr_…`.
pub(in crate::provider) const APPROVAL: CallKinds =
    CallKinds { call: "mcp_approval_request", output: "mcp_approval_response" };

/// Calls that may also be answered by a `function_call_output` instead of an output of their own kind.
pub(in crate::provider) const TAKES_FUNCTION_OUTPUT: [&str; 2] = ["tool_search_call", "local_shell_call"];

/// Items made by the model or the provider, besides messages, reasoning and everything that ends in `_call`.
const MODEL_MADE: [&str; 10] = [
    "mcp_list_tools", "mcp_approval_request", "compaction", "item_reference", "program", "program_output",
    "image_generation_call", "tool_search_output", "agent_message", "multi_agent_call",
];

/// Items made by the caller, besides messages and outputs.
const CALLER_MADE: [&str; 3] = ["mcp_approval_response", "additional_tools", "configuration_update"];

/// The kind whose call has this type.
pub(in crate::provider) fn call_kind(item_type: &str) -> Option<&'static CallKinds> {
    CALLS.iter().find(|kind| kind.call == item_type)
}

/// The kind whose output has this type.
pub(in crate::provider) fn output_kind(item_type: &str) -> Option<&'static CallKinds> {
    CALLS.iter().find(|kind| kind.output == item_type)
}

/// Whether an item is an assistant's message.
pub(in crate::provider) fn is_assistant(item: &Map<String, Value>) -> bool {
    matches!(item.get("type").map_or(Some("message"), Value::as_str), Some("message"))
        && item.get("role").and_then(Value::as_str) == Some("assistant")
}

/// Whether the model or the provider made an item: reasoning may precede it.
pub(in crate::provider) fn is_model_made(item: &Map<String, Value>) -> bool {
    let kind = item.get("type").and_then(Value::as_str).unwrap_or_default();
    is_assistant(item) || kind.ends_with("_call") || MODEL_MADE.contains(&kind)
}

/// Whether the item's type is unknown, so that it is also unknown who made it.
pub(in crate::provider) fn is_unknown(item: &Map<String, Value>) -> bool {
    let Some(kind) = item.get("type").and_then(Value::as_str) else { return false };
    let of_a_message = matches!(item.get("role").and_then(Value::as_str), Some(role) if role != "assistant");
    !(of_a_message
        || matches!(kind, "" | "message" | "reasoning")
        || kind.ends_with("_output")
        || CALLER_MADE.contains(&kind)
        || is_model_made(item))
}

/// Whether the provider runs the tool of this call and no item answers it. The output of a shell that the provider runs is an
/// item like the output of the caller's own shell.
pub(in crate::provider) fn has_no_output_item(item: &Map<String, Value>) -> bool {
    is_hosted(item) && item.get("type").and_then(Value::as_str) != Some("shell_call")
}

/// Whether the provider runs the tool of this call and supplies the output.
pub(in crate::provider) fn is_hosted(item: &Map<String, Value>) -> bool {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    match text("type") {
        Some("tool_search_call") => text("execution") != Some("client"),
        Some("shell_call") => item
            .get("environment")
            .filter(|v| !v.is_null())
            .is_some_and(|env| env.get("type").and_then(Value::as_str) != Some("local")),
        Some(kind) => call_kind(kind).is_none() && kind != APPROVAL.call,
        None => false,
    }
}

/// The id that connects a call and its output.
pub(in crate::provider) fn call_id(item: &Map<String, Value>) -> Option<&str> {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    match text("type") {
        Some("mcp_approval_response") => text("approval_request_id"),
        Some("tool_search_output") => text("call_id"),
        _ => text("call_id").or_else(|| text("id")),
    }
}

/// The id of a call as the API accepts it.
pub(super) fn written_id(id: &str) -> Cow<'_, str> {
    call_ids::acceptable_id(id, CALL_ID_MAX, |_| true)
}
