//! The conversation as one fenced text, for gateways that refuse tool blocks without tools.

use std::fmt::Write as _;

use super::tags;
use crate::message::{Message, Part, Role};

/// User / Assistant / Tool lines in a fence, then the instruction. Tags in the conversation are neutralised: it is data
/// and can neither close the fence nor forge an answer (COMP-17). Nothing is substituted by pattern.
pub fn render<'a>(messages: impl IntoIterator<Item = &'a Message>, instruction: &str) -> String {
    let lines: Vec<String> = messages.into_iter().map(line).filter(|l| !l.is_empty()).collect();
    let mut out = tags::fence(&lines.join("\n"));
    out.push_str("\n\n");
    out.push_str(instruction);
    out
}

fn line(message: &Message) -> String {
    let speaker = match message.role {
        Role::System | Role::Developer => "System",
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Tool => "Tool",
    };
    let mut text = message.plain_text();
    for part in &message.parts {
        let gap = if text.is_empty() { "" } else { "\n" };
        let written = match part {
            Part::ToolCall(call) => write!(text, "{gap}[calls {} {}]", call.name, call.input),
            Part::Media(media) => write!(text, "{gap}[{}]", media.kind.as_str()),
            _ => Ok(()),
        };
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }
    if text.is_empty() { text } else { format!("{speaker}: {text}") }
}
