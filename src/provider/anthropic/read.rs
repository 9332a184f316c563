use serde_json::Value;

use super::super::fields::Fields;
use super::super::format::object;
use super::super::results;
use super::refused::is_blank;
use super::{blocks, write};
use crate::error::{Error, Result};
use crate::message::{Extras, Format, Message, Part, Role};

const FORMAT: Format = Format::Anthropic;

/// Reads the entry at `index`: one message, or several if it holds tool results.
pub(super) fn message(entry: &Value, index: usize, out: &mut Vec<Message>) -> Result<()> {
    let mut fields = Fields::new(object(entry, index)?);
    let role = fields.take_role(index, &[Role::System, Role::User, Role::Assistant])?;
    let after_same = out.last().is_some_and(|m| write::role(m.role) == role.as_str());
    let mut usual = !after_same && role != Role::System;
    let parts = match fields.take("content") {
        Some(Value::String(text)) => {
            usual &= !is_blank(&text); // without extras, it would be left out or replaced
            vec![Part::text(text)]
        }
        Some(Value::Array(list)) => {
            usual &=
                list.len() > 1 || !matches!(list.first().map(blocks::read), Some(Part::Text { .. }) | None);
            list.iter().map(blocks::read).collect()
        }
        _ => return Err(Error::message_at(index, "`content` is neither a string nor a list of blocks")),
    };
    let extras = fields.into_extras_if_unusual(usual, FORMAT, &["role", "content"]);
    if role == Role::User {
        results::split(FORMAT, parts, &extras, true, out);
    } else {
        push(Message::new(role, parts), extras, out);
    }
    Ok(())
}

fn push(mut message: Message, extras: Extras, out: &mut Vec<Message>) {
    message.extras = extras;
    out.push(message);
}
