//! A user entry that holds the outputs of several calls, beside the user's own text.

use serde_json::{Map, Value};

use crate::message::{Extras, Format, Message, Part, Role};

/// Marks a message that stood in the same entry as the one before it.
pub(super) const JOINS: &str = "joins";

/// Makes messages of an entry's parts: each output is one of its own; what stands between them is the user's.
pub(super) fn split(format: Format, parts: Vec<Part>, extras: &Extras, out: &mut Vec<Message>) {
    let mut first = true;
    let mut has_said = false;
    let mut said: Vec<Part> = Vec::new();
    let mut take = |role: Role, parts: Vec<Part>, out: &mut Vec<Message>| {
        has_said |= role == Role::User;
        let extras = match std::mem::take(&mut first) {
            true => extras.clone(),
            // Results that stand first join each other without a mark.
            false if !has_said => Extras::default(),
            false => Extras::new(format, Map::from_iter([(JOINS.to_owned(), Value::Bool(true))])),
        };
        let mut message = Message::new(role, parts);
        message.extras = extras;
        out.push(message);
    };
    let empty = parts.is_empty();
    for part in parts {
        if matches!(part, Part::ToolOutput(_)) {
            if !said.is_empty() {
                take(Role::User, std::mem::take(&mut said), out);
            }
            take(Role::Tool, vec![part], out);
        } else {
            said.push(part);
        }
    }
    if !said.is_empty() || empty {
        take(Role::User, said, out);
    }
}
