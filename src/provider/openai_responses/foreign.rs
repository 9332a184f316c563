//! Items of this API that passed through the AI SDK, which carries their ids in a part's options.

use serde_json::{Map, Value, json};

use super::super::item_ids;
use super::super::note::Note;
use super::write;
use crate::message::{Format, Part, Reasoning};

const FORMAT: Format = Format::OpenaiResponses;

/// Whether reasoning of this API came from the AI SDK.
pub(super) fn is_foreign(reasoning: &Reasoning) -> bool {
    let extras = &reasoning.extras;
    reasoning.id.is_some() && extras.came_in(Format::AiSdk) && !extras.came_in(FORMAT)
}

/// The template of the message item that a text came from, if the AI SDK knows its id.
pub(super) fn message_item(part: &Part) -> Option<Map<String, Value>> {
    if part.extras().is_some_and(|extras| extras.came_in(FORMAT)) {
        return None;
    }
    let id = item_ids::of_ai_sdk(part)?;
    let item =
        json!({ "type": "message", "id": id, "role": "assistant", "status": "completed", "content": [null] });
    item.as_object().cloned()
}

/// Writes reasoning. The AI SDK makes a part of each text of an item's summary: these are put into one item again.
pub(super) fn reasoning(reasoning: &Reasoning, out: &mut Vec<Value>, notes: &mut Vec<Note>) {
    let begun = out.last_mut().and_then(Value::as_object_mut).filter(|item| {
        is_reasoning(item) && item.get("id").and_then(Value::as_str) == reasoning.id.as_deref()
    });
    let Some(begun) = begun else {
        out.extend(write::reasoning(reasoning, notes));
        return;
    };
    if let Some(summary) = begun.get_mut("summary").and_then(Value::as_array_mut) {
        summary.extend(reasoning.summary.iter().map(|text| write::text_entry("summary_text", text)));
    }
    if let Some(encrypted) = &reasoning.encrypted {
        begun.insert("encrypted_content".to_owned(), encrypted.as_ref().into());
    }
}

/// If the item after reasoning has no id, the reasoning loses its own: the API accepts either both ids or none. Without
/// an id, it is only useful with encrypted content, and is removed otherwise.
pub(super) fn unlink(items: &mut Vec<Value>, notes: &mut Vec<Note>) {
    let mut linked = true;
    for at in (0..items.len()).rev() {
        let Some(item) = items[at].as_object_mut() else { continue };
        if !is_reasoning(item) {
            linked = item.contains_key("id");
        } else if !linked && item.shift_remove("id").is_some() {
            let says = item.contains_key("encrypted_content");
            if !says {
                items.remove(at);
            }
            let what = if says { "lost its id" } else { "is left out" };
            notes.push(Note::new(format!("reasoning {what}: the item that followed it has no id")));
        }
    }
}

fn is_reasoning(item: &Map<String, Value>) -> bool {
    item.get("type").and_then(Value::as_str) == Some("reasoning")
}
