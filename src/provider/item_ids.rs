//! The ids that `OpenAI` gives to items, in every format that carries them: an item's own `id`, or the `itemId` that
//! the AI SDK keeps in a part's options.

use serde_json::{Map, Value, json};

use super::openai_responses::is_answer_by_id;
use crate::message::{CallKind, Extras, Format, Part};

const FORMAT: Format = Format::OpenaiResponses;

/// The key in the extras of an assistant's text for the message item that begins with this text.
pub(super) const ITEM: &str = "item";

/// The id of the item that begins with this part. For reasoning, see [`any_id`].
pub(super) fn item_id(part: &Part) -> Option<String> {
    of_responses(part).or_else(|| of_ai_sdk(part))
}

/// Like [`item_id`], only from a Responses item.
pub(super) fn of_responses(part: &Part) -> Option<String> {
    let id = |map: &Map<String, Value>| map.get("id")?.as_str().map(str::to_owned);
    match part {
        Part::Text { extras, .. } | Part::Refusal { extras, .. } => {
            extras.field(FORMAT, ITEM)?.as_object().and_then(id)
        }
        Part::ToolCall(call) => match &call.kind {
            CallKind::Other { format: FORMAT, raw } => raw.as_object().and_then(id),
            _ => id(&call.extras.of(FORMAT)?),
        },
        Part::Opaque { format: FORMAT, raw } => raw.as_object().and_then(id),
        Part::Reasoning(_) | Part::Media(_) | Part::ToolOutput(_) | Part::Opaque { .. } => None,
    }
}

/// Like [`item_id`], only from the AI SDK, and only if the id fits the kind of item: a text becomes a message item, a
/// call becomes a function call.
pub(super) fn of_ai_sdk(part: &Part) -> Option<String> {
    let (extras, prefix) = match part {
        Part::Text { extras, .. } => (extras, "msg"),
        Part::ToolCall(call) if !call.hosted => (&call.extras, "fc"),
        _ => return None,
    };
    let options = extras.field(Format::AiSdk, "providerOptions")?;
    let id = options.pointer("/openai/itemId")?.as_str()?;
    id.starts_with(prefix).then(|| id.to_owned())
}

/// The options with which the AI SDK carries an id.
pub(super) fn ai_sdk_options(id: &str) -> Value {
    json!({ "openai": { "itemId": id } })
}

/// Removes the id from a part of the AI SDK.
pub(super) fn unlink_ai_sdk(part: &mut Map<String, Value>) {
    if let Some(openai) = part.get_mut("providerOptions").and_then(|o| o.get_mut("openai")?.as_object_mut()) {
        openai.shift_remove("itemId");
    }
}

/// The id of the item that a part is or begins with, including reasoning.
pub(super) fn any_id(part: &Part) -> Option<String> {
    match part {
        Part::ToolOutput(output) => {
            let id = output.extras.field(FORMAT, "id").filter(|_| !is_answer_by_id(output))?;
            id.as_str().filter(|id| !id.is_empty()).map(str::to_owned)
        }
        // A reference contains the id of another item.
        Part::Opaque { raw, .. } if raw.get("type").and_then(Value::as_str) == Some("item_reference") => None,
        Part::Reasoning(reasoning) => reasoning.id.clone(),
        part => item_id(part),
    }
}

/// The part without the id of its item. The id stays if the API requires one for this type.
pub(super) fn without_item_id(part: Part) -> Part {
    let strip = |extras: Extras| without_ai_sdk_id(without_responses_id(extras));
    match part {
        Part::Text { text, extras } => Part::Text { text, extras: strip(extras) },
        Part::Refusal { text, extras } => Part::Refusal { text, extras: strip(extras) },
        Part::ToolCall(mut call) => {
            if let CallKind::Other { format: FORMAT, raw } = &mut call.kind {
                *raw = without_optional_id(raw).into();
            }
            call.extras = strip(call.extras);
            Part::ToolCall(call)
        }
        Part::ToolOutput(mut output) => {
            output.extras = strip(output.extras);
            Part::ToolOutput(output)
        }
        Part::Opaque { format: FORMAT, raw } => {
            Part::Opaque { format: FORMAT, raw: without_optional_id(&raw).into() }
        }
        other => other,
    }
}

fn without_responses_id(extras: Extras) -> Extras {
    let Some(mut map) = extras.of(FORMAT) else { return extras };
    match map.get_mut(ITEM).and_then(Value::as_object_mut) {
        Some(item) => item.shift_remove("id"),
        None => map.shift_remove("id"),
    };
    extras.with(FORMAT, map)
}

fn without_ai_sdk_id(extras: Extras) -> Extras {
    let options = extras.field(Format::AiSdk, "providerOptions");
    if options.is_none_or(|o| o.pointer("/openai/itemId").is_none()) {
        return extras;
    }
    let mut map = extras.of(Format::AiSdk).unwrap_or_default();
    unlink_ai_sdk(&mut map);
    extras.with(Format::AiSdk, map)
}

/// Types of items that are valid without an id.
const ID_OPTIONAL: [&str; 6] = [
    "tool_search_call", "tool_search_output", "shell_call", "apply_patch_call", "compaction",
    "additional_tools",
];

fn without_optional_id(raw: &Value) -> Value {
    let mut raw = raw.clone();
    let optional = raw.get("type").and_then(Value::as_str).is_some_and(|t| ID_OPTIONAL.contains(&t));
    if let Some(map) = raw.as_object_mut().filter(|_| optional) {
        map.shift_remove("id");
    }
    raw
}
