//! The package's own public `Message`, as JSON.

mod read;
mod write;

pub use read::{message_of_json, message_of_texts};

use std::ops::Range;

use serde_json::Value;

use super::format::one_by_one;
use super::{Calls, Note, Provider};
use crate::error::Result;
use crate::message::{Format, Message};

/// Format `"messages"`.
pub(super) struct Messages;

/// The keys of a message, in the order in which they are written. `output_ref` is last, because the engine adds it to
/// what the caller specified, also in a copy of a caller's object.
const MESSAGE_KEYS: [&str; 12] = [
    "role", "tool_call_id", "content", "tool_calls", "is_error", "id", "item_type", "priority", "ephemeral",
    "pinned", "extras", "output_ref",
];

/// The keys of parts, in the order in which they are written.
const PART_KEYS: [&str; 19] = [
    "type", "text", "refusal", "summary", "signature", "encrypted", "url", "data", "file_id", "filename",
    "media_type", "detail", "width", "height", "id", "redacted", "format", "raw", "extras",
];

/// The keys of tool calls, in the order in which they are written.
const CALL_KEYS: [&str; 9] =
    ["id", "type", "function", "custom", "format", "raw", "name", "hosted", "extras"];

/// The positions of tool calls among an assistant's parts, if they are not at the end: under `extras.messages`.
const CALL_POSITIONS: &str = "call_positions";

/// Extras of the tool output itself: under `extras[format]` of a tool message.
const OUTPUT_EXTRAS: &str = "tool_output";

impl Provider for Messages {
    fn format(&self) -> Format {
        Format::Messages
    }

    fn read_list(&self, list: &[Value]) -> Result<Vec<(Message, Range<usize>)>> {
        one_by_one(list, message_of_json)
    }

    fn write_run(&self, run: &[&Message], _calls: &Calls<'_>, _notes: &mut Vec<Note>) -> Vec<Value> {
        run.iter().map(|message| write::message(message)).collect()
    }
}
