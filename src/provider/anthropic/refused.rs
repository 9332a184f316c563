//! What the API refuses at any position: texts that are only white space, and errors of tools that contain more than
//! text.

use super::super::note::Note;
use crate::message::{Message, Part, ToolOutput};

/// Replaces the content of a message whose texts are only white space: the API refuses such texts.
pub(in crate::provider) const BLANK: &str = "(no text)";

/// The text for a tool's error without content: the API refuses an empty one.
pub(in crate::provider) const NO_ERROR_TEXT: &str = "[the tool failed and said nothing]";

/// Whether the API refuses a text as empty.
pub(in crate::provider) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Whether it is a text part that the API refuses as empty.
pub(in crate::provider) fn is_blank_text(part: &Part) -> bool {
    part.as_text().is_some_and(|text| is_blank(text))
}

/// Whether a tool's output may hold this part: an error may only hold texts.
fn fits_result(output: &ToolOutput, part: &Part) -> bool {
    !output.is_error || matches!(part, Part::Text { .. })
}

/// The note on an error from which something was left out.
const ERROR_NOT_TEXT: &str = "non-text content of a tool error is left out: the API rejects it there";

/// Removes parts that the API refuses at any position: blank texts, and anything but text in a tool's error. Reports
/// each to `gone` with its rule.
pub(in crate::provider) fn drop_refused(parts: &mut Vec<Part>, mut gone: impl FnMut(&'static str, &str)) {
    parts.retain_mut(|part| match part {
        part if is_blank_text(part) => {
            gone("A-empty-text", "an empty text");
            false
        }
        Part::ToolOutput(output) => {
            let mut content = std::mem::take(&mut output.content);
            let before = content.len();
            content.retain(|part| fits_result(output, part));
            if content.len() < before {
                gone("A-error-content", "non-text content in a tool error");
            }
            let before = content.len();
            content.retain(|part| !is_blank_text(part));
            if content.len() < before {
                gone("A-empty-text", "an empty text in a tool result");
            }
            output.content = content;
            true
        }
        _ => true,
    });
}

/// The content of a tool's result that the API accepts there, with a note if it is not all.
pub(in crate::provider) fn fitting<'o>(output: &'o ToolOutput, notes: &mut Vec<Note>) -> Vec<&'o Part> {
    let content: Vec<&Part> = output.content.iter().filter(|part| fits_result(output, part)).collect();
    if content.len() < output.content.len() {
        notes.push(Note::new(ERROR_NOT_TEXT));
    }
    content
}

/// Whether the API refuses a part, or something in it, at any position.
pub(in crate::provider) fn is_refused(part: &Part) -> bool {
    match part {
        Part::ToolOutput(output) => {
            let refused = |part: &Part| is_blank_text(part) || !fits_result(output, part);
            output.is_error && output.content.is_empty() || output.content.iter().any(refused)
        }
        part => is_blank_text(part),
    }
}

/// The message without all that the API refuses at any position.
pub(in crate::provider) fn without_refused(message: &Message, notes: &mut Vec<Note>) -> Message {
    let mut corrected = message.clone();
    drop_refused(&mut corrected.parts, |rule, _| {
        notes.push(Note::new(match rule {
            "A-error-content" => ERROR_NOT_TEXT,
            _ => "a text of only white space is left out: the API rejects it",
        }));
    });
    if corrected.parts.is_empty() && !message.role.is_instruction() {
        corrected.parts.push(Part::text(BLANK));
    }
    corrected
}
