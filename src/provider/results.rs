//! Splits a user entry that holds the outputs of several calls and maybe text of the user.

use serde_json::{Map, Value};

use crate::message::{Extras, Format, Message, Part, Role};

/// The key that marks a message as part of the same entry as the message before it.
pub(super) const JOINS: &str = "joins";

/// Marks a message as part of the same entry as the message before it, in a format whose entries may be several messages.
pub fn join(format: Format, message: &mut Message) {
    if matches!(format, Format::Anthropic | Format::AiSdk | Format::Gemini | Format::BedrockConverse) {
        let mut fields = message.extras.of(format).unwrap_or_default();
        fields.insert(JOINS.to_owned(), Value::Bool(true));
        message.extras = message.extras.with(format, fields);
    }
}

/// Makes messages of an entry's parts: one tool message per output, and user messages of the parts between them.
/// `joins_user`: the format joins what the user says to the outputs before it, even without a mark.
pub(super) fn split(
    format: Format,
    parts: Vec<Part>,
    extras: &Extras,
    joins_user: bool,
    out: &mut Vec<Message>,
) {
    let mut first = true;
    let mut has_said = false;
    let last_output = parts.iter().rposition(|part| matches!(part, Part::ToolOutput(_)));
    let outputs_first =
        parts.iter().take(last_output.map_or(0, |at| at + 1)).all(|part| matches!(part, Part::ToolOutput(_)));
    let mut user_parts: Vec<Part> = Vec::new();
    let mut take = |role: Role, parts: Vec<Part>, out: &mut Vec<Message>| {
        has_said |= role == Role::User;
        let extras = match std::mem::take(&mut first) {
            true => extras.clone(),
            // Results at the beginning are joined without a mark.
            false if !has_said || joins_user && outputs_first => Extras::default(),
            false => Extras::new(format, Map::from_iter([(JOINS.to_owned(), Value::Bool(true))])),
        };
        let mut message = Message::new(role, parts);
        message.extras = extras;
        out.push(message);
    };
    let empty = parts.is_empty();
    for part in parts {
        if matches!(part, Part::ToolOutput(_)) {
            if !user_parts.is_empty() {
                take(Role::User, std::mem::take(&mut user_parts), out);
            }
            take(Role::Tool, vec![part], out);
        } else {
            user_parts.push(part);
        }
    }
    if !user_parts.is_empty() || empty {
        take(Role::User, user_parts, out);
    }
}
