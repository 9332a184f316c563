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

/// One message as text: who speaks, what is said, which calls are made.
pub fn line(message: &Message) -> String {
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

/// The messages of a [`render`]ed transcript, as far as their text tells: a tool's lines become an assistant's, since no
/// call is there that they could answer.
pub fn messages(transcript: &str) -> Vec<Message> {
    let open = format!("<{}>\n", tags::FENCE);
    let close = format!("\n</{}>", tags::FENCE);
    let inside = transcript.split_once(&open).map_or(transcript, |(_, rest)| rest);
    let inside = inside.rsplit_once(&close).map_or(inside, |(inside, _)| inside);
    let mut out: Vec<(Role, String)> = Vec::new();
    for line in inside.lines() {
        let speakers = [
            ("User: ", Role::User),
            ("Assistant: ", Role::Assistant),
            ("Tool: ", Role::Assistant),
            ("System: ", Role::System),
        ];
        let begins = speakers.iter().find_map(|(mark, role)| Some((*role, line.strip_prefix(mark)?)));
        match (begins, out.last_mut()) {
            (Some((role, text)), _) => out.push((role, text.to_owned())),
            (None, Some((_, text))) => {
                text.push('\n');
                text.push_str(line);
            }
            (None, None) => out.push((Role::User, line.to_owned())),
        }
    }
    out.into_iter().map(|(role, text)| Message::text(role, text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transcript_is_read_again() {
        let list = [Message::text(Role::User, "Do it.\nNow."), Message::text(Role::Assistant, "Done.")];
        let text = render(&list, "Sum it up between <summary> tags.");
        assert_eq!(messages(&text), list);
    }
}
